"""The segments of the full-text index: FTS5 writes one a transaction, and merges them.

By itself it merges all segments of a level in the middle of a write, when there are too many of them.
Where one of these holds most of a library, that one write takes seconds. So it is told to let more of
them stand, and they are merged bit by bit while nobody waits (tidy).

A segment lies on the level of those that it will be merged with. What an import writes lies on the
lowest as well, with thousands of documents in each segment: a dozen single ones that come after it
would have all of them written anew. So what an import leaves is lifted out of their way.
"""

from __future__ import annotations

import sqlite3

#: From so many segments of a level on they are merged by tidy() ...
_MERGED_FROM = 8
#: ... and by the write that makes so many. Each of them is one more place to look a word up.
_AT_MOST = 64
_BY_NO_OTHER_WRITE = 0
#: An import of many transactions would write most words twice.
_OF_IMPORTS = 16
#: So much is merged in one go, in some 20 milliseconds.
_PAGES = 250
#: Single documents come up to this level when there are a quarter of a million of them.
_LIFTED_TO = 7
#: The index has no more levels than 64.
_HIGHEST = 48
#: A row of the index's own tables, the one that tells of its levels. Its form is that of the file.
_STRUCTURE = "SELECT block FROM words_data WHERE id = 10"
_COOKIE_BYTES = 4


def prepare_for(connection: sqlite3.Connection, *, import_: bool) -> None:
    """What the file is to remember for the writes that follow."""
    known = dict(connection.execute("SELECT k, v FROM words_config"))
    wanted = {
        "automerge": _OF_IMPORTS if import_ else _BY_NO_OTHER_WRITE,
        "crisismerge": _OF_IMPORTS if import_ else _AT_MOST,
        "usermerge": _MERGED_FROM,
    }
    for name, value in wanted.items():
        if known.get(name) != value:
            _command(connection, name, value)


def tidy(connection: sqlite3.Connection) -> bool:
    """Merge a little; whether there may be more to merge."""
    before = connection.total_changes
    _command(connection, "merge", _PAGES)
    # As the manual says: the statement itself is one change.
    return connection.total_changes - before >= 2


def lift(connection: sqlite3.Connection) -> None:
    """Put all segments on one level, with empty ones below it. Nothing is written anew by that."""
    if not _levels(connection):
        return
    # To gather all segments is what `optimize` does before it merges them, level upon level where
    # they lie on more than one; so one is begun, a row that nobody sees comes in, and it begins anew.
    _command(connection, "merge", 1)
    wanted = max(_levels(connection) + 1, _LIFTED_TO)
    while _levels(connection) < min(wanted, _HIGHEST):
        before = _levels(connection)
        connection.execute("INSERT INTO words (rowid, title) VALUES (-1, 'lift')")
        connection.execute("INSERT INTO words (words, rowid, title) VALUES ('delete', -1, 'lift')")
        _command(connection, "merge", -1)
        if _levels(connection) <= before:
            return


def _levels(connection: sqlite3.Connection) -> int:
    """How many there are; 0 where they cannot be told."""
    found = connection.execute(_STRUCTURE).fetchone()
    count = found[0][_COOKIE_BYTES] if found and len(found[0]) > _COOKIE_BYTES else 0
    return count if count <= _HIGHEST + 2 else 0


def _command(connection: sqlite3.Connection, name: str, value: int) -> None:
    connection.execute("INSERT INTO words (words, rank) VALUES (?, ?)", (name, value))
