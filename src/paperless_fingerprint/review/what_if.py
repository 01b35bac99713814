"""A library as it would be: reads come from the store, writes stay in memory.

So a preview runs the same code that the decision itself will run, and cannot say anything else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from paperless_fingerprint.model import Decision, Group, Link, Pair, Relation, VersionChain
from paperless_fingerprint.stores.base import Connections, Store

#: What decisions change nothing of.
_OF_DOCUMENTS = frozenset(
    {"namespace", "notes", "get", "metadata", "texts", "text_hashes", "ids", "candidates",
     "document_frequencies"}
)  # fmt: skip


class WhatIf:
    """A Store for the few methods that decisions use; what they read of documents is the real one's."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pairs: dict[tuple[int, int], Pair | None] = {}
        self._decisions: dict[str, Decision | None] = {}
        self._groups: dict[str, Group | None] = {}
        self._chains: dict[str, VersionChain | None] = {}

    def __getattr__(self, name: str) -> Any:
        if name not in _OF_DOCUMENTS:
            # Anything else might tell of pairs or groups as they are, or write.
            raise AttributeError(f"a library that is only imagined has no '{name}'")
        return getattr(self._store, name)

    def connections(self, ids: Collection[int], *, at_least: float = 0.0) -> Connections:
        return Connections(
            tuple(self.links(ids=ids, at_least=at_least)),
            tuple(self.groups(ids=ids)),
            tuple(self.chains(ids)),
            tuple(self.decisions(ids)),
        )

    def put_decision(self, decision: Decision) -> None:
        self._decisions[decision.key] = decision

    def remove_decision(self, key: str) -> bool:
        self._decisions[key] = None
        return True

    def decisions(self, ids: Collection[int] | None = None) -> list[Decision]:
        found = {d.key: d for d in self._store.decisions(ids)}
        for key, decision in self._decisions.items():
            found.pop(key, None)
            if decision is not None and (
                ids is None or not {decision.a, decision.b}.isdisjoint(ids)
            ):
                found[key] = decision
        return sorted(found.values(), key=lambda d: (d.a, d.b, d.key))

    def write_pairs(
        self, pairs: Sequence[Pair], *, removing: Collection[tuple[int, int]] = ()
    ) -> None:
        self._pairs.update(dict.fromkeys(removing))
        self._pairs.update({(pair.a, pair.b): pair for pair in pairs})

    def pairs(
        self,
        *,
        ids: Collection[int] | None = None,
        relation: Relation | None = None,
        at_least: float = 0.0,
        limit: int | None = None,
    ) -> Iterator[Pair]:
        found = {(pair.a, pair.b): pair for pair in self._store.pairs(ids=ids)}
        for key, pair in self._pairs.items():
            found.pop(key, None)
            if pair is not None and (ids is None or not set(key).isdisjoint(ids)):
                found[key] = pair
        wanted = [
            pair
            for pair in found.values()
            if pair.confidence >= at_least and relation in {None, pair.relation}
        ]
        wanted.sort(key=lambda pair: (-pair.confidence, -pair.scores.score, pair.a, pair.b))
        return iter(wanted[:limit])

    def links(self, *, ids: Collection[int] | None = None, at_least: float = 0.0) -> Iterator[Link]:
        return (pair.link for pair in self.pairs(ids=ids, at_least=at_least))

    def replace_groups(self, members: Collection[int], groups: Sequence[Group]) -> None:
        affected = {*members, *(id for group in groups for id in group.members)}
        self._groups.update({group.id: None for group in self.groups(ids=affected)})
        self._groups.update({group.id: group for group in groups})

    def groups(
        self,
        *,
        ids: Collection[int] | None = None,
        relation: Relation | None = None,
        limit: int | None = None,
    ) -> Iterator[Group]:
        found = {group.id: group for group in self._store.groups(ids=ids)}
        for key, group in self._groups.items():
            found.pop(key, None)
            if group is not None and (ids is None or not set(group.members).isdisjoint(ids)):
                found[key] = group
        wanted = [group for group in found.values() if relation in {None, group.relation}]
        wanted.sort(key=lambda group: (-group.confidence, group.members[0]))
        return iter(wanted[:limit])

    def replace_chains(self, members: Collection[int], chains: Sequence[VersionChain]) -> None:
        affected = {*members, *(id for chain in chains for id in chain.members)}
        self._chains.update({chain.id: None for chain in self.chains(affected)})
        self._chains.update({chain.id: chain for chain in chains})

    def chains(self, ids: Collection[int] | None = None) -> list[VersionChain]:
        found = {chain.id: chain for chain in self._store.chains(ids)}
        for key, chain in self._chains.items():
            found.pop(key, None)
            if chain is not None and (ids is None or not set(chain.members).isdisjoint(ids)):
                found[key] = chain
        return sorted(found.values(), key=lambda chain: min(chain.members))
