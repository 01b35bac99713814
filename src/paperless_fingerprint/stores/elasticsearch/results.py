"""What an analysis has found, and what people have said: pairs, groups, chains, decisions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from paperless_fingerprint.model import Decision, Group, Link, Pair, Relation, VersionChain
from paperless_fingerprint.stores.base import Connections
from paperless_fingerprint.stores.elasticsearch import rows
from paperless_fingerprint.stores.elasticsearch.base import MANY_IDS, Session
from paperless_fingerprint.stores.elasticsearch.bulk import Operation

_OF_LINKS = ["a", "b", "relation", "confidence", "leader", "scores.alone", "scores.first_word",
             "scores.last_word"]  # fmt: skip
#: Hits of one search in connections().
_AT_ONCE = 1_000


class Results(Session):
    """The part of the store that keeps results."""

    def write_pairs(
        self, pairs: Sequence[Pair], *, removing: Collection[tuple[int, int]] = ()
    ) -> None:
        index = self._names["pairs"]
        kept = {(pair.a, pair.b) for pair in pairs}
        self._writer.write_all(
            [
                *(
                    Operation(
                        "index",
                        index,
                        rows.pair_id(pair.a, pair.b),
                        rows.pair_body(pair),
                        about=(pair.a, pair.b),
                    )
                    for pair in pairs
                ),
                *(
                    Operation("delete", index, rows.pair_id(a, b), about=(a, b))
                    for a, b in removing
                    if (a, b) not in kept
                ),
            ]
        )

    def pairs(
        self,
        *,
        ids: Collection[int] | None = None,
        relation: Relation | None = None,
        at_least: float = 0.0,
        limit: int | None = None,
    ) -> Iterator[Pair]:
        hits = self._scan_with_ids(
            self._names["pairs"],
            ids,
            ("a", "b"),
            [*_relation(relation), *_confidence(at_least)],
            sort=[{"confidence": "desc"}, {"score": "desc"}, {"a": "asc"}, {"b": "asc"}],
            limit=limit,
        )
        for hit in hits:
            yield rows.pair_from(hit["_source"])

    def links(self, *, ids: Collection[int] | None = None, at_least: float = 0.0) -> Iterator[Link]:
        hits = self._scan_with_ids(
            self._names["pairs"],
            ids,
            ("a", "b"),
            _confidence(at_least),
            sort=[{"a": "asc"}, {"b": "asc"}],
            source_includes=_OF_LINKS,
        )
        for hit in hits:
            yield rows.link_from(hit["_source"])

    def connections(self, ids: Collection[int], *, at_least: float = 0.0) -> Connections:
        if len(ids) <= MANY_IDS:
            pairs, held, decisions = self._reader.search_many(
                [
                    (self._names["pairs"], _request(ids, ("a", "b"), _confidence(at_least))),
                    (self._names["groups"], _request(ids, ("members",))),
                    (self._names["decisions"], _request(ids, ("a", "b"))),
                ]
            )
            found = [
                [hit["_source"] for hit in a["hits"]["hits"]] for a in (pairs, held, decisions)
            ]
            if max(map(len, found)) < _AT_ONCE:
                return _connections(*found)
        # A thousand hits and more do not fit into one answer.
        return Connections(
            tuple(self.links(ids=ids, at_least=at_least)),
            tuple(self.groups(ids=ids)),
            tuple(self.chains(ids)),
            tuple(self.decisions(ids)),
        )

    def replace_groups(self, members: Collection[int], groups: Sequence[Group]) -> None:
        affected = {*members, *(id for group in groups for id in group.members)}
        self._write_groups([(one.id, rows.group_body(one), one.members) for one in groups])
        self._drop_groups("group", affected, keeping={group.id for group in groups})

    def groups(
        self,
        *,
        ids: Collection[int] | None = None,
        relation: Relation | None = None,
        limit: int | None = None,
    ) -> Iterator[Group]:
        hits = self._scan_with_ids(
            self._names["groups"],
            ids,
            ("members",),
            [{"term": {"kind": "group"}}, *_relation(relation)],
            sort=[{"confidence": "desc"}, {"lowest": "asc"}],
            limit=limit,
        )
        for hit in hits:
            yield rows.group_from(hit["_source"])

    def replace_chains(self, members: Collection[int], chains: Sequence[VersionChain]) -> None:
        affected = {*members, *(id for chain in chains for id in chain.members)}
        self._write_groups([(one.id, rows.chain_body(one), one.members) for one in chains])
        self._drop_groups("chain", affected, keeping={chain.id for chain in chains})

    def chains(self, ids: Collection[int] | None = None) -> list[VersionChain]:
        hits = self._scan_with_ids(
            self._names["groups"],
            ids,
            ("members",),
            [{"term": {"kind": "chain"}}],
            sort=[{"lowest": "asc"}],
        )
        return [rows.chain_from(hit["_source"]) for hit in hits]

    def put_decision(self, decision: Decision) -> None:
        index = self._names["decisions"]
        self._writer.write_all(
            [
                Operation(
                    "index", index, decision.key, rows.decision_body(decision),
                    about=(decision.a, decision.b),
                )
            ]
        )  # fmt: skip

    def remove_decision(self, key: str) -> bool:
        about = [int(part) for part in key.split("-")[1:3]]
        outcome = self._writer.write(
            [Operation("delete", self._names["decisions"], key, about=about)]
        )
        if outcome.failures:
            raise self._failures.store_error(outcome.failures[0].reason)
        return bool(outcome.done)

    def decisions(self, ids: Collection[int] | None = None) -> list[Decision]:
        hits = self._scan_with_ids(
            self._names["decisions"],
            ids,
            ("a", "b"),
            [],
            sort=[{"a": "asc"}, {"b": "asc"}, {"key": "asc"}],
        )
        return [rows.decision_from(hit["_source"]) for hit in hits]

    def _write_groups(self, bodies: Sequence[tuple[str, bytes, Collection[int]]]) -> None:
        index = self._names["groups"]
        self._writer.write_all(
            Operation("index", index, id, body, about=members) for id, body, members in bodies
        )

    def _drop_groups(
        self, kind: str, members: Collection[int], *, keeping: Collection[str]
    ) -> None:
        """After the new ones are there, so that no member is ever seen without its group."""
        index = self._names["groups"]
        hits = self._scan_with_ids(
            index, members, ("members",), [{"term": {"kind": kind}}], sort=[{"lowest": "asc"}]
        )
        self._writer.write_all(
            [
                Operation("delete", index, hit["_id"], about=hit["_source"]["members"])
                for hit in hits
                if hit["_id"] not in keeping
            ]
        )


def _request(
    ids: Collection[int], fields: Sequence[str], filters: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Everything that holds one of `ids` in one of the fields."""
    holds = {"bool": {"should": [rows.id_terms(field, ids) for field in fields]}}
    return {
        "query": {"bool": {"filter": [*filters, holds]}},
        "size": _AT_ONCE,
        "track_total_hits": False,
    }


def _connections(
    pairs: list[dict[str, Any]], held: list[dict[str, Any]], decisions: list[dict[str, Any]]
) -> Connections:
    """In the order of links(), groups(), chains() and decisions()."""
    held = sorted(held, key=lambda one: (-one.get("confidence", 0.0), one["lowest"]))
    return Connections(
        tuple(sorted(map(rows.link_from, pairs), key=lambda link: (link.a, link.b))),
        tuple(rows.group_from(one) for one in held if one["kind"] == "group"),
        tuple(rows.chain_from(one) for one in held if one["kind"] == "chain"),
        tuple(sorted(map(rows.decision_from, decisions), key=lambda one: (one.a, one.b, one.key))),
    )


def _relation(relation: Relation | None) -> list[dict[str, Any]]:
    return [{"term": {"relation": relation.value}}] if relation else []


def _confidence(at_least: float) -> list[dict[str, Any]]:
    return [{"range": {"confidence": {"gte": at_least}}}] if at_least > 0 else []
