"""The library in memory, as little of it as lists and figures need.

Made from the store when the library has changed, and then only read: no page walks through the
store. One catalogue is a value; a decision makes the next one, with what hangs together with it
looked at anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from paperless_fingerprint.model import (
    GROUPING_RELATIONS,
    Decision,
    Document,
    Group,
    Pair,
    Relation,
    Verdict,
    VersionChain,
)
from paperless_fingerprint.stores.base import Store

Key: TypeAlias = tuple[int, int]
_TITLE_CHARACTERS = 300
_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class Brief:
    """What is kept of a document."""

    id: int
    title: str
    correspondent: str | None
    document_type: str | None
    created: str | None
    added: str | None
    pages: int | None
    bytes: int | None
    owner: str | None
    viewers: tuple[str, ...]
    #: Hash of its text; tells whether that has changed.
    text: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """What an item of the queue is made of, before anybody's rights are looked at."""

    kind: str
    relation: str
    confidence: float
    #: Ascending; of a version chain oldest first.
    members: tuple[int, ...]
    #: The stored pairs that hold it together.
    pairs: tuple[Key, ...]
    primary: int | None
    state: str = "open"

    @property
    def id(self) -> str:
        if self.kind == "group":
            return f"g{min(self.members)}"
        if self.kind == "versions":
            return f"v{min(self.members)}"
        return "p{}-{}".format(*self.pairs[0])

    @property
    def order(self) -> tuple[float, int, str]:
        return (-self.confidence, min(self.members), self.id)


@dataclass(frozen=True, slots=True)
class Catalogue:
    #: Grows with every catalogue that one process makes.
    number: int = 0
    ready: bool = False
    documents: Mapping[int, Brief] = field(default_factory=dict)
    #: Every stored pair, also those below the threshold.
    pairs: Mapping[Key, Pair] = field(default_factory=dict)
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    #: Surest first.
    entries: tuple[Entry, ...] = ()
    entries_of: Mapping[int, tuple[Entry, ...]] = field(default_factory=dict)
    decisions_of: Mapping[int, tuple[Decision, ...]] = field(default_factory=dict)
    partners: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def said(self, a: int, b: int) -> list[Decision]:
        """About the two, or (a == b) that the document is a primary; the latest last."""
        found = [d for d in self.decisions_of.get(a, ()) if (d.a, d.b) == (a, b)]
        return sorted(found, key=lambda decision: (decision.at, decision.key))


def brief(document: Document, strings: dict[str | None, str | None], text: str) -> Brief:
    """`strings` makes one value of equal ones: a library has few correspondents and many letters."""

    def one(text: str | None) -> str | None:
        return strings.setdefault(text, text)

    return Brief(
        document.id,
        document.title[:_TITLE_CHARACTERS],
        one(document.correspondent),
        one(document.document_type),
        document.created,
        document.added,
        document.page_count,
        document.file_size,
        one(document.owner),
        document.viewers,
        text,
    )


def read(store: Store, threshold: float, number: int) -> Catalogue:
    """The whole library. Takes seconds where it is large."""
    strings: dict[str | None, str | None] = {}
    ids = store.ids()
    documents: dict[int, Brief] = {}
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        texts = store.text_hashes(some)
        for id, document in store.metadata(some).items():
            documents[id] = brief(document, strings, texts.get(id, ("", ""))[1])
    pairs = {(pair.a, pair.b): pair for pair in store.pairs()}
    decisions = {decision.key: decision for decision in store.decisions()}
    entries = _entries(
        store.groups(), store.chains(), pairs, decisions.values(), documents, threshold
    )
    return _indexed(number, documents, pairs, decisions, entries)


def patched(
    old: Catalogue, store: Store, ids: Collection[int], threshold: float, number: int
) -> Catalogue:
    """`old` with all that hangs together with `ids`, then or now, looked at anew."""
    around = set(ids)
    for id in ids:
        around |= {other for entry in old.entries_of.get(id, ()) for other in entry.members}
        around.update(old.partners.get(id, ()))
    for group in store.groups(ids=around):
        around |= set(group.members)
    for chain in store.chains(around):
        around |= set(chain.members)
    groups, chains = list(store.groups(ids=around)), store.chains(around)
    fresh = {(pair.a, pair.b): pair for pair in store.pairs(ids=around)}
    said = {decision.key: decision for decision in store.decisions(around)}
    touched = around | {id for key in fresh for id in key}
    present = store.metadata(touched)
    strings: dict[str | None, str | None] = {}
    documents = dict(old.documents)
    for id in touched:
        documents.pop(id, None)
    texts = store.text_hashes(present)
    documents.update(
        {
            id: brief(document, strings, texts.get(id, ("", ""))[1])
            for id, document in present.items()
        }
    )
    pairs = dict(old.pairs)
    decisions = dict(old.decisions)
    for id in around:
        for other in old.partners.get(id, ()):
            pairs.pop((min(id, other), max(id, other)), None)
        for decision in old.decisions_of.get(id, ()):
            decisions.pop(decision.key, None)
    pairs.update(fresh)
    decisions.update(said)
    kept = [entry for entry in old.entries if around.isdisjoint(entry.members)]
    made = _entries(groups, chains, fresh, said.values(), documents, threshold)
    return _indexed(number, documents, pairs, decisions, [*kept, *made])


def _indexed(
    number: int,
    documents: Mapping[int, Brief],
    pairs: Mapping[Key, Pair],
    decisions: Mapping[str, Decision],
    entries: Iterable[Entry],
) -> Catalogue:
    ordered = tuple(sorted(entries, key=lambda entry: entry.order))
    entries_of: defaultdict[int, list[Entry]] = defaultdict(list)
    for entry in ordered:
        for id in entry.members:
            entries_of[id].append(entry)
    decisions_of: defaultdict[int, list[Decision]] = defaultdict(list)
    for decision in decisions.values():
        for id in {decision.a, decision.b}:
            decisions_of[id].append(decision)
    partners: defaultdict[int, list[int]] = defaultdict(list)
    for a, b in pairs:
        partners[a].append(b)
        partners[b].append(a)
    return Catalogue(
        number,
        True,
        documents,
        pairs,
        decisions,
        ordered,
        {id: tuple(found) for id, found in entries_of.items()},
        {id: tuple(found) for id, found in decisions_of.items()},
        {id: tuple(found) for id, found in partners.items()},
    )


def _entries(
    groups: Iterable[Group],
    chains: Iterable[VersionChain],
    pairs: Mapping[Key, Pair],
    decisions: Iterable[Decision],
    documents: Collection[int],
    threshold: float,
) -> Iterator[Entry]:
    confirmed = {(d.a, d.b) for d in decisions if d.verdict is Verdict.CONFIRMED}
    covered: set[Key] = set()
    for group in groups:
        covered.update(group.pairs)
        yield with_state(
            Entry(
                "group",
                group.relation.value,
                group.confidence,
                group.members,
                group.pairs,
                group.primary,
            ),
            confirmed,
        )
    of_version: defaultdict[int, set[Key]] = defaultdict(set)
    for key, pair in pairs.items():
        if pair.relation is Relation.VERSION and pair.confidence >= threshold:
            for id in key:
                of_version[id].add(key)
    for chain in chains:
        members = set(chain.members)
        own = sorted({k for id in members for k in of_version.get(id, ()) if members.issuperset(k)})
        if own:
            covered.update(own)
            confidence = max(pairs[key].confidence for key in own)
            yield with_state(
                Entry("versions", "version", confidence, chain.members, tuple(own), chain.latest),
                confirmed,
            )
    for key, pair in pairs.items():
        if key in covered or pair.confidence < threshold or pair.relation in GROUPING_RELATIONS:
            continue
        kind = pair.relation.value if pair.relation is not Relation.VERSION else "pair"
        entry = Entry(kind, pair.relation.value, pair.confidence, key, (key,), pair.leader)
        yield with_state(entry, confirmed)
    for decision in decisions:
        key = (decision.a, decision.b)
        if (
            decision.verdict is Verdict.DISMISSED
            and decision.a in documents
            and decision.b in documents
            and not (key in pairs and pairs[key].confidence >= threshold)
        ):
            relation = decision.relation.value if decision.relation else ""
            yield Entry("pair", relation, 0.0, key, (key,), None, "dismissed")


def with_state(entry: Entry, confirmed: Collection[Key]) -> Entry:
    """Done, where people have confirmed so many of its pairs that they hold it together."""
    said = [key for key in entry.pairs if key in confirmed]
    parts = components(entry.members, said)
    return replace(entry, state="done" if len(parts) == 1 else "open")


def components(members: Iterable[int], pairs: Iterable[Key]) -> list[list[int]]:
    """What the pairs hold together, each part in the order of `members`."""
    root = {id: id for id in members}

    def find(id: int) -> int:
        while root[id] != id:
            root[id] = root[root[id]]
            id = root[id]
        return id

    for a, b in pairs:
        if a in root and b in root:
            root[find(a)] = find(b)
    found: defaultdict[int, list[int]] = defaultdict(list)
    for id in root:
        found[find(id)].append(id)
    return list(found.values())
