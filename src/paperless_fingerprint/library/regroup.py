"""Keeping groups, version chains and the say of rivals current: after one document, or after all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from paperless_fingerprint.grouping.groups import (
    PRIMARY_RULES,
    Decided,
    PrimaryRule,
    build_groups,
    root_of,
)
from paperless_fingerprint.grouping.rivals import CLAIMING, CROWD, Claims, Rival, with_confidence
from paperless_fingerprint.grouping.versions import build_chains
from paperless_fingerprint.library.decisions_that_hold import holding, those_that_hold
from paperless_fingerprint.model import (
    Decision,
    Document,
    Group,
    Key,
    Link,
    Pair,
    Relation,
    VersionChain,
)
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Connections, Store

_JOINING = frozenset({Relation.EXACT, Relation.NEAR, Relation.VERSION})
_BATCH_DOCUMENTS = 2_000


def refresh(
    store: Store, settings: Settings, ids: Collection[int] | None = None
) -> dict[Key, Pair]:
    """Make the groups and chains anew that hold one of `ids`, or all of them.

    `ids` must hold one document of each pair that was stored since, and both of each that was
    removed. Returns the pairs that became more or less sure through that (see grouping/rivals.py). The same
    pairs and decisions give the same groups, whichever way they are refreshed.
    """
    at_least = settings.similarity_threshold
    rule = settings.primary_rule
    if ids is None:
        every = list(store.links())
        changed = _settled(store, Claims(every).changed(every))
        decided = holding(store)
        now = (changed[key].link if (key := (old.a, old.b)) in changed else old for old in every)
        links = [link for link in now if link.confidence >= at_least]
        _drop_others(store, _refreshed_all(store, links, decided, rule))
        return changed
    around = store.connections(ids)
    changed = _hear_rivals(store, ids, around.links)
    # A pair that is more or less sure may stand in a group that none of `ids` is a member of.
    concerned = {*ids, *(id for key in changed for id in key)}
    members, links, decided = _closure(store, concerned, at_least, None if changed else around)
    groups, chains = _built(store, members, links, decided, rule)
    store.replace_groups(members, groups)
    store.replace_chains(members, chains)
    return changed


def _hear_rivals(store: Store, ids: Collection[int], own: Collection[Link]) -> dict[Key, Pair]:
    """Store how sure the pairs are among all others that claim one of their documents.

    `own` are the links of `ids`. A pair may change where one that shares a document with it has; and
    where one of that one's documents has come into a crowd or left it, pairs of its partners may.
    """
    known = {(link.a, link.b): link for link in own}
    around = {*ids, *_claimants(own)}
    known.update(_links_of(store, around - set(ids)))
    most = max(Counter(id for key in known for id in key).values(), default=0)
    if most + len(ids) >= CROWD:
        wider = _claimants(known.values()) - around
        known.update(_links_of(store, wider))
        around |= wider
    touched = [link for link in known.values() if link.a in around or link.b in around]
    known = _with_rivals(store, known, around)
    return _settled(store, Claims(known.values()).changed(touched))


def _with_rivals(store: Store, known: dict[Key, Link], around: Collection[int]) -> dict[Key, Link]:
    """`known`, the links of `around`, and all that tells how sure each of them is."""
    ends = {*around, *_claimants(known.values())}
    known = known | _links_of(store, ends - set(around))
    claims = Claims(known.values())
    if any(claims.in_crowd(id) for id in ends):
        known |= _links_of(store, _claimants(known.values()) - ends)
    return known


def _settled(store: Store, confidence: Mapping[Key, float]) -> dict[Key, Pair]:
    """The pairs of these keys, stored with that confidence."""
    changed: dict[Key, Pair] = {}
    keys = sorted(confidence)
    for low in range(0, len(keys), _BATCH_DOCUMENTS):
        found = store.pairs(ids={a for a, _ in keys[low : low + _BATCH_DOCUMENTS]})
        pairs = {
            (p.a, p.b): with_confidence(p, confidence[p.a, p.b])
            for p in found
            if (p.a, p.b) in confidence
        }
        store.write_pairs(list(pairs.values()))
        changed.update(pairs)
    return changed


def among_rivals(store: Store, pair: Pair) -> tuple[Pair, list[Rival]]:
    """A pair that was judged by itself, as sure as it is in this library, and who contests it."""
    if pair.relation not in CLAIMING:
        return pair, []
    own = {pair.a, pair.b}
    links = _with_rivals(store, _links_of(store, own), own)
    links[pair.a, pair.b] = pair.link
    claims = Claims(links.values())
    return with_confidence(pair, claims.confidence(pair.link)), claims.rivals(pair.link)


def _links_of(store: Store, ids: Collection[int]) -> dict[Key, Link]:
    return {(link.a, link.b): link for link in store.links(ids=ids)} if ids else {}


def _claimants(links: Iterable[Link]) -> set[int]:
    return {id for link in links if link.relation in CLAIMING for id in (link.a, link.b)}


def _closure(
    store: Store, ids: Collection[int], at_least: float, known: Connections | None
) -> tuple[set[int], list[Link], Decided]:
    """All documents that hang together with these, all links among them, what was said of them.

    `known` are the connections of `ids`, where they were asked for already.
    """
    members: set[int] = set()
    links: dict[tuple[int, int], Link] = {}
    decisions: dict[str, Decision] = {}
    frontier = set(ids)
    while frontier:
        members |= frontier
        around = known or store.connections(frontier, at_least=at_least)
        known = None
        sure = [link for link in around.links if link.confidence >= at_least]
        links.update(((link.a, link.b), link) for link in sure)
        decisions.update((decision.key, decision) for decision in around.decisions)
        # What a group or chain holds now may have to leave it.
        reached = around.members
        for link in sure:
            if link.relation in _JOINING:
                reached |= {link.a, link.b}
        neighbours = _by_decision(those_that_hold(store, around.decisions))
        for id in frontier:
            reached |= neighbours.get(id, set())
        frontier = reached - members
    # Those that only stand in a link that joins nothing (a part and its whole) stay outside.
    own = [link for link in links.values() if link.a in members and link.b in members]
    return members, own, those_that_hold(store, list(decisions.values()))


def _by_decision(decided: Decided) -> dict[int, set[int]]:
    neighbours: defaultdict[int, set[int]] = defaultdict(set)
    for a, b in (*decided.confirmed, *decided.successions):
        neighbours[a].add(b)
        neighbours[b].add(a)
    return neighbours


def _built(
    store: Store, members: Collection[int], links: list[Link], decided: Decided, rule: str
) -> tuple[list[Group], list[VersionChain]]:
    documents = _documents(store, members, rule)
    links = _with_decisions(links, decided, documents)
    primary_rule: PrimaryRule = PRIMARY_RULES[rule]
    groups = build_groups(links, decided, documents, primary_rule)
    return groups, build_chains(links, groups, decided, documents)


def _documents(store: Store, members: Collection[int], rule: str) -> dict[int, Document]:
    if rule == "text":
        return {id: record.document for id, record in store.get(members).items()}
    return store.metadata(members)


def _with_decisions(
    links: Iterable[Link], decided: Decided, documents: Collection[int]
) -> list[Link]:
    """Confirmed pairs join even where the stored pair is gone or says less; ghosts do not."""
    present = {
        (link.a, link.b): link for link in links if link.a in documents and link.b in documents
    }
    for (a, b), decision in decided.confirmed.items():
        if a in documents and b in documents:
            old = present.get((a, b))
            relation = old.relation if old else decision.relation or Relation.NEAR
            present[a, b] = Link(a, b, relation, 1.0, old.leader if old else None)
    return list(present.values())


def _refreshed_all(
    store: Store, links: list[Link], decided: Decided, rule: str
) -> Iterator[tuple[list[Group], list[VersionChain]]]:
    for members, own in _components(links, decided):
        groups, chains = _built(store, members, own, decided, rule)
        store.replace_groups(members, groups)
        store.replace_chains(members, chains)
        yield groups, chains


def _drop_others(store: Store, made: Iterator[tuple[list[Group], list[VersionChain]]]) -> None:
    """Groups and chains that are stored, but that nothing holds together any more."""
    kept: set[str] = set()
    for groups, chains in made:
        kept |= {group.id for group in groups} | {chain.id for chain in chains}
    lost = [group for group in store.groups() if group.id not in kept]
    for group in lost:
        store.replace_groups(group.members, [])
    for chain in store.chains():
        if chain.id not in kept:
            store.replace_chains(chain.members, [])


def _components(links: list[Link], decided: Decided) -> Iterator[tuple[list[int], list[Link]]]:
    """The parts of the library that hang together, many small ones at a time."""
    parents: dict[int, int] = {}

    def join(a: int, b: int) -> None:
        low, high = sorted((root_of(parents, a), root_of(parents, b)))
        parents[high] = low
        parents.setdefault(low, low)

    for link in links:
        if link.relation in _JOINING:
            join(link.a, link.b)
    for a, b in (*decided.confirmed, *decided.successions):
        join(a, b)
    members: defaultdict[int, list[int]] = defaultdict(list)
    for id in parents:
        members[root_of(parents, id)].append(id)
    own: defaultdict[int, list[Link]] = defaultdict(list)
    for link in links:
        if (
            link.a in parents
            and link.b in parents
            and root_of(parents, link.a) == root_of(parents, link.b)
        ):
            own[root_of(parents, link.a)].append(link)
    batch_members: list[int] = []
    batch_links: list[Link] = []
    for root, ids in members.items():
        batch_members += ids
        batch_links += own[root]
        if len(batch_members) >= _BATCH_DOCUMENTS:
            yield batch_members, batch_links
            batch_members, batch_links = [], []
    if batch_members:
        yield batch_members, batch_links
