"""What an analysis found, and what people decided, in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from paperless_fingerprint.files.sqlite import SqliteFile
from paperless_fingerprint.model import (
    Decision,
    Group,
    Link,
    Pair,
    Relation,
    VersionChain,
)
from paperless_fingerprint.stores.base import (
    Connections,
)
from paperless_fingerprint.stores.sqlite import changes, rows

#: Read at once; more would only take memory.
_SCAN_ROWS = 256


class Results(SqliteFile):
    """The part of stores.base.Store that is about pairs, groups, chains and decisions."""

    def write_pairs(
        self, pairs: Sequence[Pair], *, removing: Collection[tuple[int, int]] = ()
    ) -> None:
        with self.writing() as connection:
            connection.executemany("DELETE FROM pair WHERE a = ? AND b = ?", removing)
            connection.executemany(
                "INSERT OR REPLACE INTO pair VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [rows.pair_row(pair) for pair in pairs],
            )
            changes.note(
                connection,
                {
                    *(id for key in removing for id in key),
                    *(id for p in pairs for id in (p.a, p.b)),
                },
            )

    def pairs(
        self,
        *,
        ids: Collection[int] | None = None,
        relation: Relation | None = None,
        at_least: float = 0.0,
        limit: int | None = None,
    ) -> Iterator[Pair]:
        conditions, values = rows.where(ids, relation, "a IN {0} OR b IN {0}", at_least)
        with self.reading() as connection:
            cursor = connection.execute(
                f"SELECT * FROM pair {conditions} "
                "ORDER BY confidence DESC, score DESC, a, b LIMIT :limit",
                {**values, "limit": -1 if limit is None else limit},
            )
            yield from _in_blocks(cursor, rows.pair_from)

    def links(self, *, ids: Collection[int] | None = None, at_least: float = 0.0) -> Iterator[Link]:
        conditions, values = rows.where(ids, None, "a IN {0} OR b IN {0}", at_least)
        with self.reading() as connection:
            cursor = connection.execute(
                "SELECT a, b, relation, confidence, leader, json_extract(scores, '$.alone'), "
                "json_extract(scores, '$.first_word'), json_extract(scores, '$.last_word') "
                f"FROM pair {conditions}",
                values,
            )
            yield from _in_blocks(cursor, rows.link_from)

    def connections(self, ids: Collection[int], *, at_least: float = 0.0) -> Connections:
        return Connections(
            tuple(self.links(ids=ids, at_least=at_least)),
            tuple(self.groups(ids=ids)),
            tuple(self.chains(ids)),
            tuple(self.decisions(ids)),
        )

    def replace_groups(self, members: Collection[int], groups: Sequence[Group]) -> None:
        with self.writing() as connection:
            affected = {*members, *(id for group in groups for id in group.members)}
            drop_groups(connection, affected)
            connection.executemany(
                "INSERT INTO grouping VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [rows.group_row(group) for group in groups],
            )
            connection.executemany(
                "INSERT INTO grouping_member VALUES (?, ?)",
                [(id, group.id) for group in groups for id in group.members],
            )
            changes.note(connection, affected)

    def groups(
        self,
        *,
        ids: Collection[int] | None = None,
        relation: Relation | None = None,
        limit: int | None = None,
    ) -> Iterator[Group]:
        conditions, values = rows.where(
            ids, relation, "id IN (SELECT grouping FROM grouping_member WHERE id IN {0})"
        )
        with self.reading() as connection:
            cursor = connection.execute(
                f"SELECT * FROM grouping {conditions} ORDER BY confidence DESC, lowest LIMIT :limit",
                {**values, "limit": -1 if limit is None else limit},
            )
            yield from _in_blocks(cursor, rows.group_from)

    def replace_chains(self, members: Collection[int], chains: Sequence[VersionChain]) -> None:
        with self.writing() as connection:
            affected = {*members, *(id for chain in chains for id in chain.members)}
            drop_chains(connection, affected)
            connection.executemany(
                "INSERT INTO chain VALUES (?, ?, ?, ?)",
                [
                    (id, chain.id, position, id == chain.latest)
                    for chain in chains
                    for position, id in enumerate(chain.members)
                ],
            )
            changes.note(connection, affected)

    def chains(self, ids: Collection[int] | None = None) -> list[VersionChain]:
        conditions, values = rows.where(
            ids, None, "chain IN (SELECT chain FROM chain WHERE id IN {0})"
        )
        members: dict[str, list[int]] = {}
        with self.reading() as connection:
            for id, chain in connection.execute(
                f"SELECT id, chain FROM chain {conditions} ORDER BY chain, position", values
            ):
                members.setdefault(chain, []).append(id)
        return sorted(
            (VersionChain(chain, tuple(ids)) for chain, ids in members.items()),
            key=lambda chain: min(chain.members),
        )

    def put_decision(self, decision: Decision) -> None:
        with self.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO decision VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows.decision_row(decision),
            )
            changes.note(connection, {decision.a, decision.b})

    def remove_decision(self, key: str) -> bool:
        with self.writing() as connection:
            gone = connection.execute(
                "DELETE FROM decision WHERE key = ? RETURNING a, b", (key,)
            ).fetchall()
            changes.note(connection, {id for about in gone for id in about})
        return bool(gone)

    def decisions(self, ids: Collection[int] | None = None) -> list[Decision]:
        conditions, values = rows.where(ids, None, "a IN {0} OR b IN {0}")
        with self.reading() as connection:
            found = connection.execute(
                f"SELECT * FROM decision {conditions} ORDER BY a, b, key", values
            ).fetchall()
        return [rows.decision_from(row) for row in found]


def drop_groups(connection: sqlite3.Connection, members: Collection[int]) -> None:
    names = rows.to_json(
        [
            name
            for (name,) in connection.execute(
                "SELECT DISTINCT grouping FROM grouping_member "
                "WHERE id IN (SELECT value FROM json_each(?))",
                (rows.id_list(members),),
            )
        ]
    )
    for statement in (
        "DELETE FROM grouping WHERE id IN (SELECT value FROM json_each(?))",
        "DELETE FROM grouping_member WHERE grouping IN (SELECT value FROM json_each(?))",
    ):
        connection.execute(statement, (names,))


def drop_chains(connection: sqlite3.Connection, members: Collection[int]) -> None:
    connection.execute(
        "DELETE FROM chain WHERE chain IN (SELECT chain FROM chain "
        "WHERE id IN (SELECT value FROM json_each(?)))",
        (rows.id_list(members),),
    )


def _in_blocks(cursor: sqlite3.Cursor, value_from: Any) -> Iterator[Any]:
    while block := cursor.fetchmany(_SCAN_ROWS):
        for row in block:
            yield value_from(row)
