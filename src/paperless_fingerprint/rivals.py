"""Rivals: what else claims the documents of a pair.

A judgement sees two documents. But a bad scan resembles several letters of its form, and at most
one of them is its original; only the whole library shows that. So the odds of a pair are divided
by one plus the odds of all that contradicts it: of every third document that claims one of the
two and is not the same as the other. Both may lose, where neither is likelier than the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from math import fsum

from paperless_fingerprint.model import Link, Pair, Relation

#: A part may lie in several wholes, and identical texts are judged alike against everything.
CLAIMING = frozenset({Relation.NEAR, Relation.VERSION})
_SAME = CLAIMING | {Relation.EXACT}
#: The odds that a pair of misread texts starts with (see relations.py): a claim counts by what it
#: says beyond them.
STARTING_ODDS = 9.0
#: From these odds on two documents are taken for the same, and are no rivals.
_SAME_FROM = 1.0
#: A version's claim counts for no more. A draft between two others is claimed by both, which have
#: less in common with each other; certainty against certainty, the chain would fall apart.
_MOST_ODDS_OF_VERSION = 10.0
_SUREST = 1 - 1e-6


@dataclass(frozen=True, slots=True)
class Rival:
    """`other` claims `document`, which is one of a pair."""

    odds: float
    document: int
    other: int

    @property
    def reason(self) -> str:
        return (
            f"document {self.document} resembles document {self.other} too, and can be a copy of "
            "one of them only"
        )


class Claims:
    """All that these links say of who is whose copy."""

    def __init__(self, links: Iterable[Link]) -> None:
        self._odds: defaultdict[int, dict[int, float]] = defaultdict(dict)
        self._same: defaultdict[int, set[int]] = defaultdict(set)
        for link in links:
            if link.relation not in _SAME:
                continue
            odds = _odds(alone(link)) / STARTING_ODDS
            if link.relation is Relation.EXACT or odds >= _SAME_FROM:
                self._same[link.a].add(link.b)
                self._same[link.b].add(link.a)
            if link.relation in CLAIMING:
                if link.relation is Relation.VERSION:
                    odds = min(odds, _MOST_ODDS_OF_VERSION)
                self._odds[link.a][link.b] = self._odds[link.b][link.a] = odds

    def rivals(self, a: int, b: int) -> list[Rival]:
        """The strongest first."""
        found = [
            Rival(odds, document, other)
            for document, partner in ((a, b), (b, a))
            for other, odds in self._odds[document].items()
            if other != partner and other not in self._same[partner]
        ]
        return sorted(found, key=lambda rival: (-rival.odds, rival.document, rival.other))

    def confidence(self, link: Link) -> float:
        """How sure the link is among all that claims its documents."""
        by_itself = alone(link)
        if link.relation not in CLAIMING or by_itself >= 1:
            return by_itself
        against = fsum(rival.odds for rival in self.rivals(link.a, link.b))
        if not against:
            return by_itself
        odds = _odds(by_itself) / (1 + against)
        return round(odds / (1 + odds), 4)

    def changed(self, links: Collection[Link]) -> dict[tuple[int, int], float]:
        """The confidence of those that another one is stored of."""
        settled = {(link.a, link.b): self.confidence(link) for link in links}
        return {
            (link.a, link.b): settled[link.a, link.b]
            for link in links
            if settled[link.a, link.b] != link.confidence
        }


def alone(link: Link) -> float:
    """How sure the link is by the two documents alone."""
    return link.confidence if link.alone is None else link.alone


def with_confidence(pair: Pair, confidence: float) -> Pair:
    """The pair among its rivals; what it was by itself stays known."""
    by_itself = alone(pair.link)
    scores = replace(pair.scores, alone=None if confidence == by_itself else by_itself)
    return replace(pair, confidence=confidence, scores=scores)


def as_before(pairs: Iterable[Pair], links: Iterable[Link]) -> list[Pair]:
    """Pairs just judged, with what their rivals have left of them where nothing else has changed.

    Their rivals are heard again soon; until then nobody shall read that all of them are believed.
    """
    known = {(link.a, link.b): link for link in links if link.alone is not None}

    def settled(pair: Pair) -> Pair:
        link = known.get((pair.a, pair.b))
        if link is None or (link.relation, link.alone) != (pair.relation, pair.confidence):
            return pair
        return with_confidence(pair, link.confidence)

    return [settled(pair) for pair in pairs]


def _odds(confidence: float) -> float:
    confidence = min(confidence, _SUREST)
    return confidence / (1 - confidence)
