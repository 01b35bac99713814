"""Rivals: what else claims the documents of a pair.

A judgement sees two documents. But a bad scan resembles several letters of its form, and at most
one of them is its original; only the whole library shows that. So the odds of a pair are divided
by one plus the odds of all that contradicts it: of every third document that claims one of the
two in the same way and is not the same as the other. Both may lose, where neither is likelier than
the other. A copy contradicts no version: most letters that were corrected have been copied, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from math import fsum

from paperless_fingerprint.candidates.rules import COMPARED_OF_A_FAMILY
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.model import Link, Pair, Relation

#: Identical texts are judged alike against everything, and a part may lie in several wholes; but in
#: one place of a whole lies one part.
CLAIMING = frozenset({Relation.NEAR, Relation.VERSION, Relation.CONTAINS})
_SAME = CLAIMING | {Relation.EXACT}
#: A claim counts by what it says beyond these odds.
STARTING_ODDS = 9.0
#: No claim counts for more. A draft between two others is claimed by both, and an original by all of
#: its bad scans; those have less in common with each other, and certainty against certainty, what
#: belongs together would fall apart.
_MOST_ODDS = {Relation.NEAR: 40.0, Relation.VERSION: 20.0}
#: From here on two are likelier the same than not.
_LIKELIER = 0.5
#: Nor do all claims together, however many scans an original has.
_MOST_AGAINST = 300.0
_SUREST = 1 - 1e-6
#: Who has so many claims may not have been compared with others who have (see candidates/rules.py): that
#: no pair of theirs is stored says nothing. Unless most are versions: so many has only a form.
CROWD = COMPARED_OF_A_FAMILY
#: Two parts are in one place where they have so much of the shorter in common.
_ONE_PLACE = 0.5


@dataclass(frozen=True, slots=True)
class Rival:
    """`other` claims `document`, which is one of a pair, or the place of the part in it."""

    odds: float
    document: int
    other: int
    of_place: bool = False

    @property
    def reason(self) -> Reason:
        code = "rival_of_place" if self.of_place else "rival"
        return Reason(code, {"document": self.document, "other": self.other})


@dataclass(frozen=True, slots=True)
class _Part:
    id: int
    first: int
    last: int
    odds: float

    def shares_place(self, other: _Part) -> bool:
        common = min(self.last, other.last) - max(self.first, other.first)
        return common > _ONE_PLACE * min(self.last - self.first, other.last - other.first)


class Claims:
    """All that these links say of who is whose copy, and what lies where in whom."""

    def __init__(self, links: Iterable[Link]) -> None:
        self._odds: dict[Relation, defaultdict[int, dict[int, float]]] = {
            relation: defaultdict(dict) for relation in _MOST_ODDS
        }
        self._same: defaultdict[int, set[int]] = defaultdict(set)
        self._parts: defaultdict[int, list[_Part]] = defaultdict(list)
        for link in links:
            odds = _odds(alone(link)) / STARTING_ODDS
            # Of two bad scans of one page hardly anybody can tell for sure that they are the same.
            if link.relation in _SAME and alone(link) >= _LIKELIER:
                self._same[link.a].add(link.b)
                self._same[link.b].add(link.a)
            if link.relation in _MOST_ODDS:
                odds = min(odds, _MOST_ODDS[link.relation])
                claims = self._odds[link.relation]
                claims[link.a][link.b] = claims[link.b][link.a] = odds
            elif part := _part(link, odds):
                self._parts[link.leader or 0].append(part)

    def rivals(self, link: Link) -> list[Rival]:
        """The strongest first."""
        if link.relation is Relation.CONTAINS:
            found = self._rivals_of_part(link)
        elif link.relation in CLAIMING:
            found = [
                Rival(odds, document, other)
                for document, partner in ((link.a, link.b), (link.b, link.a))
                for other, odds in self._odds[link.relation][document].items()
                if other != partner and self._differ(other, partner)
            ]
        else:
            found = []
        return sorted(found, key=lambda rival: (-rival.odds, rival.document, rival.other))

    def _rivals_of_part(self, link: Link) -> list[Rival]:
        own = _part(link, 0.0)
        if own is None or link.leader is None:
            return []
        return [
            Rival(other.odds, link.leader, other.id, of_place=True)
            for other in self._parts[link.leader]
            if other.id != own.id and other.shares_place(own) and self._differ(other.id, own.id)
        ]

    def _differ(self, a: int, b: int) -> bool:
        """Whether two documents are known not to be the same: of a crowd not all are compared."""
        return b not in self._same[a] and not (self.in_crowd(a) and self.in_crowd(b))

    def in_crowd(self, id: int) -> bool:
        copies, versions = (len(self._odds[relation][id]) for relation in _MOST_ODDS)
        return copies + versions >= CROWD and copies >= versions

    def confidence(self, link: Link) -> float:
        """How sure the link is among all that claims its documents."""
        by_itself = alone(link)
        if by_itself >= 1:
            return by_itself
        against = min(_MOST_AGAINST, fsum(rival.odds for rival in self.rivals(link)))
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


def _part(link: Link, odds: float) -> _Part | None:
    if link.relation is not Relation.CONTAINS or link.first_word is None or link.last_word is None:
        return None
    return _Part(link.a if link.leader == link.b else link.b, link.first_word, link.last_word, odds)


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
