"""Version chains: documents that are versions of one another, in their order.

A chain has one place for each group of duplicates; the group's primary stands last of its place.
So the last of all is the one document that a search shows for the whole chain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from heapq import heapify, heappop, heappush
from typing import TypeAlias

from paperless_fingerprint.grouping.groups import Decided, root_of
from paperless_fingerprint.model import Document, Group, Link, Relation, VersionChain

Age: TypeAlias = tuple[str, str, int]


def build_chains(
    pairs: Iterable[Link],
    groups: Iterable[Group],
    decided: Decided,
    documents: Mapping[int, Document],
) -> list[VersionChain]:
    """The chains that the version pairs among these make; `documents` holds all they speak of."""
    primary_of: dict[int, int] = {}
    duplicates: dict[int, list[int]] = {}
    for group in groups:
        duplicates[group.primary] = [id for id in group.members if id != group.primary]
        primary_of.update(dict.fromkeys(group.members, group.primary))
    #: older primary -> newer primaries
    followers: defaultdict[int, set[int]] = defaultdict(set)
    nodes: set[int] = set()
    for older, newer in _successions(pairs, decided, documents):
        a, b = primary_of.get(older, older), primary_of.get(newer, newer)
        if a != b and a in documents and b in documents:
            followers[a].add(b)
            nodes |= {a, b}
    chains = []
    for component in _components(nodes, followers):
        ordered = _in_order(component, followers, documents)
        members = [
            id
            for primary in ordered
            for id in (
                *sorted(duplicates.get(primary, ()), key=lambda id: _age(documents[id])),
                primary,
            )
        ]
        chains.append(VersionChain(f"v{min(members)}", tuple(members)))
    return sorted(chains, key=lambda chain: min(chain.members))


def _successions(
    pairs: Iterable[Link], decided: Decided, documents: Mapping[int, Document]
) -> Iterable[tuple[int, int]]:
    """(older, newer), from the pairs and from what deleted versions left behind."""
    for pair in pairs:
        if pair.relation is not Relation.VERSION:
            continue
        if decided.dismissed(pair.a, pair.b, pair.relation):
            continue
        newer = pair.leader
        if newer is None:
            newer = max((pair.a, pair.b), key=lambda id: _age(documents[id]))
        yield (pair.a if newer == pair.b else pair.b), newer
    for older, newer in sorted(decided.successions):
        if not decided.dismissed(older, newer, Relation.VERSION):
            yield older, newer


def _age(document: Document) -> Age:
    return (document.created or "9999", document.added or "9999", document.id)


def _components(nodes: Collection[int], followers: Mapping[int, set[int]]) -> list[list[int]]:
    """What hangs together."""
    parents: dict[int, int] = {}
    for older, newer_ones in followers.items():
        for newer in newer_ones:
            parents[root_of(parents, newer)] = root_of(parents, older)
    found: defaultdict[int, list[int]] = defaultdict(list)
    for id in sorted(nodes):
        found[root_of(parents, id)].append(id)
    return list(found.values())


def _in_order(
    component: Collection[int],
    followers: Mapping[int, set[int]],
    documents: Mapping[int, Document],
) -> list[int]:
    """What precedes comes first, else the older; where judgements go in a circle, the older."""
    waits_for = dict.fromkeys(component, 0)
    for id in component:
        for newer in followers.get(id, ()):
            waits_for[newer] += 1
    ready = [(_age(documents[id]), id) for id in component if waits_for[id] == 0]
    heapify(ready)
    ordered: list[int] = []
    placed: set[int] = set()
    while len(ordered) < len(waits_for):
        if not ready:
            stuck = min((_age(documents[id]), id) for id in component if id not in placed)
            heappush(ready, stuck)
        _, id = heappop(ready)
        if id in placed:
            continue
        placed.add(id)
        ordered.append(id)
        for newer in followers.get(id, ()):
            waits_for[newer] -= 1
            if waits_for[newer] == 0 and newer not in placed:
                heappush(ready, (_age(documents[newer]), newer))
    return ordered
