"""Which documents something has changed about: so that who keeps a library in memory reads no more of
it than that."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

#: Where more change together, all is read anew.
_FEW = 500
#: So many are remembered.
_KEPT = 4_000
_ALL = 0


def note(connection: sqlite3.Connection, ids: Collection[int]) -> None:
    """Of these documents, of their pairs, groups or chains, or of what people say about them."""
    told = sorted(ids) if len(ids) <= _FEW else [_ALL]
    connection.executemany("INSERT INTO change (id) VALUES (?)", [(id,) for id in told])
    connection.execute(
        "DELETE FROM change WHERE number <= (SELECT max(number) FROM change) - ?", (_KEPT,)
    )


def since(connection: sqlite3.Connection, number: int | None) -> tuple[int, frozenset[int] | None]:
    """The newest number, and the documents that changed since; None where all have to be looked at."""
    oldest, newest = connection.execute("SELECT min(number), max(number) FROM change").fetchone()
    if newest is None:
        return 0, frozenset() if number == 0 else None
    if number is None or not oldest - 1 <= number <= newest:
        return newest, None
    found = connection.execute("SELECT DISTINCT id FROM change WHERE number > ?", (number,))
    ids = frozenset(id for (id,) in found)
    return newest, None if _ALL in ids or len(ids) > _FEW else ids
