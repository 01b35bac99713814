"""The segments of the full-text index: FTS5 writes one a transaction, and merges them.

By itself it merges all segments of a level in the middle of a write, when there are too many of them.
Where one of these holds most of a library, that one write takes seconds. So it is told to let more of
them stand, and they are merged bit by bit while nobody waits (tidy).
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
            connection.execute("INSERT INTO words (words, rank) VALUES (?, ?)", (name, value))


def tidy(connection: sqlite3.Connection) -> bool:
    """Merge a little; whether there may be more to merge."""
    before = connection.total_changes
    connection.execute("INSERT INTO words (words, rank) VALUES ('merge', ?)", (_PAGES,))
    # As the manual says: the statement itself is one change.
    return connection.total_changes - before >= 2
