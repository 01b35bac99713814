"""What an item of the queue is made of, before anybody's rights are looked at."""

from __future__ import annotations

from bisect import bisect_left, insort_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from paperless_fingerprint.grouping.groups import root_of
from paperless_fingerprint.model import (
    GROUPING_RELATIONS,
    Decision,
    Group,
    Key,
    Pair,
    Relation,
    Verdict,
    VersionChain,
)

#: From so many on sorting is quicker than to search for each.
_MANY = 500
Mark: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class QueueEntry:
    kind: str
    relation: str
    confidence: float
    #: Ascending; of a version chain oldest first.
    members: tuple[int, ...]
    #: The stored pairs that hold it together.
    pairs: tuple[Key, ...]
    primary: int | None
    state: str = "open"
    #: What one may look for: its documents' titles and the names that they bear, case-folded.
    text: str = field(default="", compare=False, repr=False)
    #: ('correspondent', name), ('document_type', name) or ('tag', name) that its documents have.
    marks: tuple[Mark, ...] = field(default=(), compare=False, repr=False)
    #: Kept, since each preview of many asks it of thousands.
    hashed: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        told = (self.kind, self.relation, self.confidence, self.members, self.pairs, self.primary)
        object.__setattr__(self, "hashed", hash((*told, self.state)))

    def __hash__(self) -> int:
        return self.hashed

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


def entries_from(
    groups: Iterable[Group],
    chains: Iterable[VersionChain],
    pairs: Mapping[Key, Pair],
    decisions: Iterable[Decision],
    documents: Collection[int],
    threshold: float,
) -> Iterator[QueueEntry]:
    confirmed = {(d.a, d.b) for d in decisions if d.verdict is Verdict.CONFIRMED}
    covered: set[Key] = set()
    for group in groups:
        covered.update(group.pairs)
        yield with_state(
            QueueEntry(
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
                QueueEntry(
                    "versions", "version", confidence, chain.members, tuple(own), chain.latest
                ),
                confirmed,
            )
    for key, pair in pairs.items():
        if key in covered or pair.confidence < threshold or pair.relation in GROUPING_RELATIONS:
            continue
        kind = pair.relation.value if pair.relation is not Relation.VERSION else "pair"
        entry = QueueEntry(kind, pair.relation.value, pair.confidence, key, (key,), pair.leader)
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
            yield QueueEntry("pair", relation, 0.0, key, (key,), None, "dismissed")


def with_state(entry: QueueEntry, confirmed: Collection[Key]) -> QueueEntry:
    """Done, where people have confirmed so many of its pairs that they hold it together."""
    said = [key for key in entry.pairs if key in confirmed]
    parts = components(entry.members, said)
    return replace(entry, state="done" if len(parts) == 1 else "open")


def components(members: Iterable[int], pairs: Iterable[Key]) -> list[list[int]]:
    """What the pairs hold together, each part in the order of `members`."""
    parents = {id: id for id in members}
    for a, b in pairs:
        if a in parents and b in parents:
            parents[root_of(parents, a)] = root_of(parents, b)
    found: defaultdict[int, list[int]] = defaultdict(list)
    for id in parents:
        found[root_of(parents, id)].append(id)
    return list(found.values())


def exchanged(
    entries: Sequence[QueueEntry], removed: Sequence[QueueEntry], made: Sequence[QueueEntry]
) -> list[QueueEntry]:
    """Another list in the same order: a copy and some searches, and where few change no sorting."""
    if len(removed) + len(made) > _MANY:
        gone = set(removed)
        kept = [entry for entry in entries if entry not in gone]
        return sorted([*kept, *made], key=lambda each: each.order)
    found = list(entries)
    for entry in removed:
        place = bisect_left(found, entry.order, key=lambda each: each.order)
        if place < len(found) and found[place].order == entry.order:
            del found[place]
    for entry in made:
        insort_left(found, entry, key=lambda each: each.order)
    return found
