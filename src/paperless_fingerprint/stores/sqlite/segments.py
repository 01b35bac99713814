"""The segments of the full-text index: FTS5 writes one a transaction, and merges them now and then."""

from __future__ import annotations

import sqlite3

from paperless_fingerprint.stores.sqlite.likely import number_of_documents

#: So many become one, as a rule. An import of many transactions would write most words twice, and
#: merges its segments at its end.
_USUAL = 4
_OF_IMPORTS = 16
#: Unless it brought so small a share of the documents: then the next writes merge them, bit by bit.
_WORTH_MERGING = 0.2


def merge_later(connection: sqlite3.Connection, later: bool) -> None:
    """From how many segments on they are merged; the file remembers it."""
    wanted = _OF_IMPORTS if later else _USUAL
    found = connection.execute("SELECT v FROM words_config WHERE k = 'automerge'").fetchone()
    if (found[0] if found else _USUAL) != wanted:
        connection.execute("INSERT INTO words (words, rank) VALUES ('automerge', ?)", (wanted,))


def merge_after_import(connection: sqlite3.Connection, written: int) -> None:
    merge_later(connection, False)
    if written >= _WORTH_MERGING * number_of_documents(connection):
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")
