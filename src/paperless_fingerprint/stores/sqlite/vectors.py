"""Vectors in SQLite: a table, and a copy of it in memory that is searched to its end.

The copy stays as octets, 50 MB for 100,000 documents of 512 dimensions. Block by block it is
widened to floats that still fit into the processor's cache and multiplied with all queries at
once; that is faster than reading a matrix of floats from memory, and nothing is left out.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.stores.sqlite.store import _explained
from paperless_fingerprint.stores.vectors import (
    Matrix,
    Neighbour,
    Space,
    StoredVector,
    check_dimensions,
)

_LOCK_SECONDS = 60
_BLOCK_ROWS = 2048
#: Scores of so many queries with the whole library are held at once.
_QUERIES = 64


@dataclass(frozen=True, slots=True)
class _State:
    """Numbers that only grow; a space that is dropped and begun anew has another number."""

    space: int = 0
    dimensions: int = 0
    changes: int = 0
    removals: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """All vectors of a space as they were after a change."""

    state: _State
    ids: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int8]
    #: One divided by each row's length.
    scales: Matrix


class SqliteVectors:
    """See stores.vectors.VectorStore. Has connections of its own to the library's file."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        self._tables: dict[str, _Table] = {}

    def close(self) -> None:
        with self._guard:
            for connection in self._connections:
                connection.close()
            self._connections.clear()
            self._tables.clear()
        self._local = threading.local()

    def put(self, space: str, vectors: Sequence[StoredVector]) -> None:
        with self._writing() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO embedding_space (name, dimensions) VALUES (?, 0)", (space,)
            )
            number, known = connection.execute(
                "SELECT space, dimensions FROM embedding_space WHERE name = ?", (space,)
            ).fetchone()
            dimensions = check_dimensions(space, known, vectors)
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
        with self._reading() as connection:
            found = connection.execute(
                "SELECT id, text_hash, language, codes, facts FROM embedding "
                "JOIN embedding_space USING (space) "
                "WHERE name = ? AND id IN (SELECT value FROM json_each(?))",
                (space, json.dumps(list(ids))),
            ).fetchall()
        return {row[0]: StoredVector(*row) for row in found}

    def missing(self, space: str, ids: Collection[int] | None = None) -> list[int]:
        among = "" if ids is None else "AND d.id IN (SELECT value FROM json_each(:ids))"
        with self._reading() as connection:
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
        table = self._table(space)
        found: list[list[Neighbour]] = []
        for start in range(0, len(queries), _QUERIES):
            found += _nearest(table, queries[start : start + _QUERIES], limit, at_least)
        return found

    def spaces(self) -> list[Space]:
        with self._reading() as connection:
            found = connection.execute(
                "SELECT name, dimensions, "
                "(SELECT count(*) FROM embedding e WHERE e.space = s.space) "
                "FROM embedding_space s ORDER BY space"
            ).fetchall()
        return [Space(*row) for row in found]

    def drop(self, space: str) -> None:
        with self._writing() as connection:
            connection.execute(
                "DELETE FROM embedding WHERE space IN "
                "(SELECT space FROM embedding_space WHERE name = ?)",
                (space,),
            )
            connection.execute("DELETE FROM embedding_space WHERE name = ?", (space,))
        with self._guard:
            self._tables.pop(space, None)

    # Inside --------------------------------------------------------------------------------

    def _table(self, space: str) -> _Table:
        with self._reading() as connection, self._guard:
            connection.execute("BEGIN")  # one snapshot for all that follows
            try:
                table = _refreshed(connection, space, self._tables.get(space))
            finally:
                connection.execute("COMMIT")
            self._tables[space] = table
            return table

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(
                self.path, timeout=_LOCK_SECONDS, isolation_level=None, check_same_thread=False
            )
            with self._guard:
                self._connections.append(connection)
            self._local.connection = connection
            # An embedding is made anew where it is lost, but not one that was called durable.
            connection.execute("PRAGMA synchronous = FULL")
        return connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with _explained(self.path):
            yield self._connection()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with _explained(self.path):
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise


def _refreshed(connection: sqlite3.Connection, space: str, known: _Table | None) -> _Table:
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
        or not len(known.ids)
    ):
        known = _from_rows([], _State())
    rows = connection.execute(
        "SELECT id, codes FROM embedding WHERE space = ? AND change > ?",
        (state.space, known.state.changes),
    ).fetchall()
    fresh = _from_rows(rows, state)
    # What was written again is taken from the new rows, also where there is nothing to embed now.
    kept = ~np.isin(known.ids, np.array([row[0] for row in rows], np.int64))
    if not kept.any():
        return fresh
    return _Table(
        state,
        np.concatenate((known.ids[kept], fresh.ids)),
        np.concatenate((known.codes[kept], fresh.codes)),
        np.concatenate((known.scales[kept], fresh.scales)),
    )


def _from_rows(rows: Sequence[tuple[int, bytes]], state: _State) -> _Table:
    full = [row for row in rows if row[1]]
    codes = np.frombuffer(b"".join(row[1] for row in full), np.int8)
    codes = codes.reshape(len(full), max(state.dimensions, 1))
    lengths = np.empty(len(codes), np.float32)
    for start in range(0, len(codes), _BLOCK_ROWS):
        block = codes[start : start + _BLOCK_ROWS].astype(np.float32)
        lengths[start : start + _BLOCK_ROWS] = np.sqrt(np.einsum("ij,ij->i", block, block))
    ids = np.array([row[0] for row in full], np.int64)
    scales = (1 / np.maximum(lengths, 1)).astype(np.float32)
    return _Table(state, ids, codes, scales)


def _nearest(table: _Table, queries: Matrix, limit: int, at_least: float) -> list[list[Neighbour]]:
    if not len(table.ids) or queries.shape[1] != table.codes.shape[1]:
        return [[] for _ in queries]
    transposed = np.ascontiguousarray(queries.T)
    scores = np.empty((len(table.ids), len(queries)), np.float32)
    widened = np.empty((min(_BLOCK_ROWS, len(table.ids)), queries.shape[1]), np.float32)
    for start in range(0, len(table.ids), _BLOCK_ROWS):
        codes = table.codes[start : start + _BLOCK_ROWS]
        block = widened[: len(codes)]
        np.copyto(block, codes)
        np.matmul(block, transposed, out=scores[start : start + len(codes)])
    scores *= table.scales[:, None]
    return [_best(table.ids, column, limit, at_least) for column in scores.T]


def _best(
    ids: npt.NDArray[np.int64], scores: Matrix, limit: int, at_least: float
) -> list[Neighbour]:
    places = np.flatnonzero(scores >= at_least)
    if len(places) > limit:
        places = places[np.argpartition(scores[places], -limit)[-limit:]]
    order = np.lexsort((ids[places], -scores[places]))
    return [Neighbour(int(ids[at]), float(scores[at])) for at in places[order].tolist()]
