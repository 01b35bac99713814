"""What another threshold would change: from the stored scores, nothing is computed again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from paperless_fingerprint.grouping.groups import Decided
from paperless_fingerprint.library.as_json import pair_json
from paperless_fingerprint.library.decisions_that_hold import holding
from paperless_fingerprint.library.judging import KEPT_FROM
from paperless_fingerprint.model import GROUPING_RELATIONS, Pair, Relation
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store

LEVELS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Thresholds:
    similarity: float
    near: float
    version: float

    @classmethod
    def of(cls, settings: Settings) -> Thresholds:
        return cls(
            settings.similarity_threshold,
            settings.near.threshold,
            settings.version.threshold,
        )

    def keep(self, pair: Pair) -> bool:
        if pair.relation is Relation.EXACT:
            return True
        if pair.confidence < self.similarity:
            return False
        if pair.scores.facts is None and pair.scores.jaccard is not None:
            # Where facts are silent, the text alone must be convincing.
            if pair.relation is Relation.NEAR:
                return pair.scores.jaccard >= self.near
            if pair.relation is Relation.VERSION:
                return pair.scores.jaccard >= self.version
        return True


@dataclass(frozen=True, slots=True)
class Level:
    similarity_threshold: float
    pairs: int
    groups: int
    documents: int


@dataclass(frozen=True, slots=True)
class Tuning:
    now: Level
    then: Level
    added: tuple[Pair, ...]
    removed: tuple[Pair, ...]
    #: What each of some usual thresholds would give.
    levels: tuple[Level, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "now": asdict(self.now),
            "then": asdict(self.then),
            "added": [pair_json(pair) for pair in self.added],
            "removed": [pair_json(pair) for pair in self.removed],
            "levels": [asdict(level) for level in self.levels],
        }


def tune(store: Store, settings: Settings, then: Thresholds) -> Tuning:
    return tune_pairs(store.pairs(), holding(store), Thresholds.of(settings), then)


def tune_pairs(
    stored: Iterable[Pair],
    decided: Decided,
    now: Thresholds,
    then: Thresholds,
    *,
    levels: Sequence[float] = LEVELS,
) -> Tuning:
    """For whoever has the pairs at hand already."""
    pairs = [pair for pair in stored if not decided.dismissed(pair.a, pair.b, pair.relation)]
    # By their place: to compare pairs as values would take longer than all the rest.
    has = {place for place, pair in enumerate(pairs) if now.keep(pair)}
    would = {place for place, pair in enumerate(pairs) if then.keep(pair)}

    def order(found: set[int]) -> tuple[Pair, ...]:
        chosen = (pairs[place] for place in found)
        return tuple(sorted(chosen, key=lambda pair: (-pair.confidence, pair.a, pair.b)))

    return Tuning(
        now=_level(now.similarity, [pairs[place] for place in has], decided),
        then=_level(then.similarity, [pairs[place] for place in would], decided),
        added=order(would - has),
        removed=order(has - would),
        levels=tuple(
            _level(at, [p for p in pairs if Thresholds(at, now.near, now.version).keep(p)], decided)
            for at in levels
            if at >= KEPT_FROM
        ),
    )


def _level(at: float, pairs: Sequence[Pair], decided: Decided) -> Level:
    neighbours: defaultdict[int, set[int]] = defaultdict(set)
    for pair in pairs:
        if pair.relation in GROUPING_RELATIONS and not decided.kept_apart(pair.a, pair.b):
            neighbours[pair.a].add(pair.b)
            neighbours[pair.b].add(pair.a)
    groups = 0
    seen: set[int] = set()
    for start in neighbours:
        if start in seen:
            continue
        groups += 1
        frontier = {start}
        while frontier:
            seen |= frontier
            frontier = {other for id in frontier for other in neighbours[id]} - seen
    return Level(at, len(pairs), groups, len(seen))
