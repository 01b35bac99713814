"""Vectors in SQLite: a table, and a copy of it in memory that is searched to its end (vector_table.py).

The copy is kept up to date by reading what was written since; it is read anew only after something
was removed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from paperless_fingerprint.files.sqlite import SqliteFile
from paperless_fingerprint.stores.vector_table import VectorTable
from paperless_fingerprint.stores.vectors import (
    Matrix,
    Neighbour,
    Space,
    StoredVector,
    dimensions_with,
)


@dataclass(frozen=True, slots=True)
class _State:
    """Numbers that only grow; a space that is dropped and begun anew has another number."""

    space: int = 0
    dimensions: int = 0
    changes: int = 0
    removals: int = 0


@dataclass(frozen=True, slots=True)
class _Known:
    """All vectors of a space as they were after a change."""

    state: _State
    table: VectorTable


class SqliteVectors(SqliteFile):
    """See stores.vectors.VectorStore. Has connections of its own to the library's file."""

    why_not = ""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self._known: dict[str, _Known] = {}

    def close(self) -> None:
        super().close()
        self._known.clear()

    def put(self, space: str, vectors: Sequence[StoredVector]) -> None:
        with self.writing() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO embedding_space (name, dimensions) VALUES (?, 0)", (space,)
            )
            number, known = connection.execute(
                "SELECT space, dimensions FROM embedding_space WHERE name = ?", (space,)
            ).fetchone()
            dimensions = dimensions_with(space, known, vectors)
            (change,) = connection.execute(
                "UPDATE embedding_space SET changes = changes + 1, dimensions = ? "
                "WHERE space = ? RETURNING changes",
                (dimensions, number),
            ).fetchone()
            connection.executemany(
                "INSERT OR REPLACE INTO embedding (id, space, text_hash, language, change, codes, "
                "facts) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE EXISTS (SELECT 1 FROM document WHERE id = ?1)",
                [
                    (v.id, number, v.text_hash, v.language, change, v.codes, v.facts)
                    for v in vectors
                ],
            )

    def get(self, space: str, ids: Collection[int]) -> dict[int, StoredVector]:
        with self.reading() as connection:
            found = connection.execute(
                "SELECT id, text_hash, language, codes, facts FROM embedding "
                "JOIN embedding_space USING (space) "
                "WHERE name = ? AND id IN (SELECT value FROM json_each(?))",
                (space, json.dumps(list(ids))),
            ).fetchall()
        return {row[0]: StoredVector(*row) for row in found}

    def missing(self, space: str, ids: Collection[int] | None = None) -> list[int]:
        among = "" if ids is None else "AND d.id IN (SELECT value FROM json_each(:ids))"
        with self.reading() as connection:
            found = connection.execute(
                "SELECT d.id FROM document d LEFT JOIN embedding e ON e.id = d.id AND e.space = "
                "(SELECT space FROM embedding_space WHERE name = :space) "
                f"WHERE d.text_hash != '' AND e.text_hash IS NOT d.text_hash {among} ORDER BY d.id",
                {"space": space, "ids": json.dumps(None if ids is None else list(ids))},
            ).fetchall()
        return [id for (id,) in found]

    def nearest(
        self, space: str, queries: Matrix, *, limit: int, at_least: float
    ) -> list[list[Neighbour]]:
        return self._table(space).nearest(queries, limit=limit, at_least=at_least)

    def for_many(self, space: str) -> SqliteVectors:  # noqa: ARG002
        return self

    def spaces(self) -> list[Space]:
        with self.reading() as connection:
            found = connection.execute(
                "SELECT name, dimensions, "
                "(SELECT count(*) FROM embedding e WHERE e.space = s.space) "
                "FROM embedding_space s ORDER BY space"
            ).fetchall()
        return [Space(*row) for row in found]

    def drop(self, space: str) -> None:
        with self.writing() as connection:
            connection.execute(
                "DELETE FROM embedding WHERE space IN "
                "(SELECT space FROM embedding_space WHERE name = ?)",
                (space,),
            )
            connection.execute("DELETE FROM embedding_space WHERE name = ?", (space,))
        with self._guard:
            self._known.pop(space, None)

    # Inside --------------------------------------------------------------------------------

    def _table(self, space: str) -> VectorTable:
        with self.at_one_moment() as connection, self._guard:
            known = _refreshed(connection, space, self._known.get(space))
            self._known[space] = known
            return known.table


def _refreshed(connection: sqlite3.Connection, space: str, known: _Known | None) -> _Known:
    row = connection.execute(
        "SELECT space, dimensions, changes, removals FROM embedding_space WHERE name = ?", (space,)
    ).fetchone()
    state = _State(*row) if row else _State()
    if known is not None and known.state == state:
        return known
    # Where something was removed or begun anew, what is known may hold what is gone.
    if (
        known is None
        or (known.state.space, known.state.removals) != (state.space, state.removals)
        or not len(known.table)
    ):
        known = _Known(_State(), VectorTable.of([], 0))
    rows = connection.execute(
        "SELECT id, codes FROM embedding WHERE space = ? AND change > ?",
        (state.space, known.state.changes),
    ).fetchall()
    return _Known(state, known.table.with_rows(rows, state.dimensions))
