"""Documents joined by exact and near pairs, and which of them is the one to keep.

build_groups() is a pure function of the pairs and of what people decided: the order in which
they are given plays no part, and a part of the library gives the same groups as the whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from paperless_fingerprint.model import (
    GROUPING_RELATIONS,
    Decision,
    Document,
    Group,
    Key,
    Link,
    Relation,
    Verdict,
)
from paperless_fingerprint.text.normalise import words

PrimaryRule: TypeAlias = Callable[[Sequence[Document]], int]


class Decided:
    """What people decided, ready to be asked."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self._dismissed: defaultdict[Key, set[Relation | None]] = defaultdict(set)
        self._enemies: defaultdict[int, set[int]] = defaultdict(set)
        self.confirmed: dict[Key, Decision] = {}
        self.primaries: dict[int, Decision] = {}
        self.successions: set[Key] = set()
        for decision in decisions:
            key = (decision.a, decision.b)
            if decision.verdict is Verdict.DISMISSED:
                self._dismissed[key].add(decision.relation)
                if decision.relation is None or decision.relation in GROUPING_RELATIONS:
                    self._enemies[decision.a].add(decision.b)
                    self._enemies[decision.b].add(decision.a)
            elif decision.verdict is Verdict.CONFIRMED:
                self.confirmed[key] = decision
            elif decision.verdict is Verdict.PRIMARY:
                self.primaries[decision.a] = decision
            elif decision.verdict is Verdict.SUCCEEDS:
                self.successions.add(key)

    def dismissed(self, a: int, b: int, relation: Relation) -> bool:
        said = self._dismissed.get((min(a, b), max(a, b)), ())
        return None in said or relation in said

    def kept_apart(self, a: int, b: int) -> bool:
        return b in self._enemies.get(a, ())

    def enemies(self, id: int) -> Collection[int]:
        return self._enemies.get(id, ())


def build_groups(
    pairs: Iterable[Link],
    decided: Decided,
    documents: Mapping[int, Document],
    primary_rule: PrimaryRule,
) -> list[Group]:
    """All groups that these pairs make. `documents` holds the ones that they speak of."""
    joining: list[Link] = []
    others: list[Link] = []
    for pair in pairs:
        if decided.dismissed(pair.a, pair.b, pair.relation):
            continue
        if pair.relation in GROUPING_RELATIONS:
            joining.append(pair)
        elif pair.relation is not Relation.SEMANTIC:
            # To say the same contradicts nothing; nor does it join.
            others.append(pair)
    # The surest first: where a dismissed pair stands between two halves of a group, it is the
    # weakest link that gives way.
    joining.sort(key=lambda pair: (-pair.confidence, pair.a, pair.b))
    union = _Union(decided)
    joined = [pair for pair in joining if union.join(pair.a, pair.b)]
    pairs_of: defaultdict[int, list[Link]] = defaultdict(list)
    for pair in joined:
        pairs_of[union.find(pair.a)].append(pair)
    contradicting: defaultdict[int, list[Key]] = defaultdict(list)
    for pair in others:
        if union.find(pair.a) == union.find(pair.b):
            contradicting[union.find(pair.a)].append((pair.a, pair.b))
    groups = []
    for root, own in pairs_of.items():
        members = sorted(union.members(root))
        chosen = [decided.primaries[id] for id in members if id in decided.primaries]
        if chosen:
            primary = max(chosen, key=lambda decision: (decision.at, decision.a)).a
        else:
            primary = primary_rule([documents[id] for id in members])
        is_exact = all(pair.relation is Relation.EXACT for pair in own)
        groups.append(
            Group(
                id=f"g{members[0]}",
                relation=Relation.EXACT if is_exact else Relation.NEAR,
                confidence=max(pair.confidence for pair in own),
                primary=primary,
                members=tuple(members),
                pairs=tuple(sorted((pair.a, pair.b) for pair in own)),
                contradictions=tuple(sorted(contradicting[root])),
            )
        )
    return sorted(groups, key=lambda group: group.members[0])


def root_of(parents: dict[int, int], id: int) -> int:
    """Who stands for all that hangs together with `id`; the way there is shortened."""
    root = id
    while (parent := parents.get(root, root)) != root:
        root = parent
    while id != root:
        parents[id], id = root, parents.get(id, id)
    return root


class _Union:
    """Union-find that refuses to bring together what a person told apart."""

    def __init__(self, decided: Decided) -> None:
        self._parents: dict[int, int] = {}
        self._members: dict[int, list[int]] = {}
        self._decided = decided

    def find(self, id: int) -> int:
        return root_of(self._parents, id)

    def members(self, root: int) -> list[int]:
        return self._members.get(root, [root])

    def join(self, a: int, b: int) -> bool:
        """Say whether the two are in one group now."""
        root, other = self.find(a), self.find(b)
        if root == other:
            return True
        large, small = sorted((root, other), key=lambda id: (-len(self.members(id)), id))
        if any(
            self.find(enemy) == large
            for id in self.members(small)
            for enemy in self._decided.enemies(id)
        ):
            return False
        self._members[large] = self.members(large) + self.members(small)
        self._members.pop(small, None)
        self._parents[small] = large
        return True


# The rules for the primary ------------------------------------------------------------------


def _age(document: Document) -> tuple[str, int]:
    return (document.added or document.created or "9999", document.id)


def oldest(members: Sequence[Document]) -> int:
    return min(members, key=_age).id


def most_pages(members: Sequence[Document]) -> int:
    return min(members, key=lambda document: (-(document.page_count or 0), _age(document))).id


def lowest_serial(members: Sequence[Document]) -> int:
    """With an archive serial number rather than without: somebody has the paper in a folder."""

    def rank(document: Document) -> tuple[bool, int, tuple[str, int]]:
        number = document.archive_serial_number
        return (number is None, number or 0, _age(document))

    return min(members, key=rank).id


def best_text(members: Sequence[Document]) -> int:
    """The one with the most words that another member has too, and the fewest that none has.

    A word that two scans agree on was read rightly; one that stands alone is most likely an
    error of the OCR.
    """
    held = {document.id: set(words(document.content)) for document in members}
    times: defaultdict[str, int] = defaultdict(int)
    for vocabulary in held.values():
        for word in vocabulary:
            times[word] += 1

    def rank(document: Document) -> tuple[int, tuple[str, int]]:
        agreed = sum(1 if times[word] > 1 else -1 for word in held[document.id])
        return (-agreed, _age(document))

    return min(members, key=rank).id


PRIMARY_RULES: Mapping[str, PrimaryRule] = {
    "oldest": oldest,
    "pages": most_pages,
    "text": best_text,
    "serial": lowest_serial,
}
