"""Two documents side by side: how alike they are, why, and where their texts differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice

from paperless_fingerprint.grouping.rivals import Claims
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.model import Pair, PairScore, Relation
from paperless_fingerprint.review.catalogue import Catalogue
from paperless_fingerprint.review.diff_cache import Segment
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.queue import entry_of, item_of, pair_alone
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.review.views import Card, Count
from paperless_fingerprint.review.views_queue import Word
from paperless_fingerprint.review.visible import Unknown


@dataclass(frozen=True, slots=True)
class Dimension:
    #: 'jaccard', 'containment_ab', 'containment_ba', 'fuzzy', 'metadata', 'title', 'facts',
    #: 'semantic', 'score', 'confidence'.
    name: str
    #: None where the dimension is absent.
    value: float | None


@dataclass(frozen=True, slots=True)
class PairView:
    """Two documents side by side; a < b."""

    #: 'p12-40'; also what a decision about the two is handed back with.
    id: str
    a: Card
    b: Card
    relation: str
    confidence: float
    dimensions: tuple[Dimension, ...]
    reasons: tuple[str, ...]
    segments: tuple[Segment, ...]
    #: The texts are longer than what is compared here: the rest is not shown.
    shortened: bool
    #: All of them says the same.
    same_text: bool
    words: tuple[Word, ...]
    state: str
    seen: str
    waiting: bool
    #: The items of the queue that these two stand in, such as 'g12'.
    items: tuple[str, ...]
    #: How often each kind of difference that matters occurs: ('amount', 2).
    differences: tuple[Count, ...] = ()
    #: Of a part and its whole, the whole.
    whole: int | None = None


def side_by_side(review: Review, person: Person, a: int, b: int) -> PairView:
    """Raises Unknown where the person may not see one of them."""
    if a == b:
        raise Unknown(_("%(a)s and %(b)s are the same document.", a=a, b=b))
    a, b = sorted((a, b))
    left, right = review.mirror.seen(person, a), review.mirror.seen(person, b)
    found = review.differences.between(a, b)
    segments = found.segments
    sight = review.mirror.sight(person)
    entry = entry_of(sight, f"p{a}-{b}")
    if entry.kind == "pair" and not entry.relation:
        entry = replace(pair_alone(review.mirror.catalogue, a, b), state=entry.state)
    item = item_of(review.mirror, sight, entry, review.journal.waiting_about())
    stored = review.mirror.catalogue.pairs.get((a, b))
    shown = stored or found.pair
    holding = [
        each
        for kind in ("group", "versions")
        if (each := sight.entry(kind, a)) is not None and b in each.members
    ]
    # What each of them is in a group without the other says nothing about the two.
    primary = holding[0].primary if holding else entry.primary
    about = Counter(s.about for s in segments if s.matters and s.about)
    return PairView(
        f"p{a}-{b}",
        review.mirror.card(left, is_primary=a == primary),
        review.mirror.card(right, is_primary=b == primary),
        shown.relation.value,
        round(shown.confidence, 4),
        _dimensions(shown),
        tuple(map(str, (*_contested(review.mirror.catalogue, person, shown), *shown.reasons))),
        segments,
        found.shortened,
        left.text == right.text
        or not (found.shortened or any(segment.kind != "same" for segment in segments)),
        item.words,
        item.state,
        item.seen,
        item.waiting,
        tuple(each.id for each in holding),
        tuple(Count(name, count) for name, count in about.most_common()),
        shown.leader if shown.relation is Relation.CONTAINS else None,
    )


def _contested(catalogue: Catalogue, person: Person, pair: Pair) -> tuple[Reason, ...]:
    """Who else claims one of the two, where the person may see that document."""
    if pair.scores.alone is None:
        return ()
    pairs, partners = catalogue.pairs, catalogue.partners
    near = {pair.a, pair.b, *partners.get(pair.a, ()), *partners.get(pair.b, ())}
    keys = {(min(id, other), max(id, other)) for id in near for other in partners.get(id, ())}
    claims = Claims(pairs[key].link for key in keys if key in pairs)
    visible = (r.reason for r in claims.rivals(pair.link) if _sees(catalogue, person, r.other))
    return tuple(islice(visible, 1))


def _sees(catalogue: Catalogue, person: Person, id: int) -> bool:
    brief = catalogue.documents.get(id)
    return brief is not None and person.may_see(brief)


_NAMES = ("jaccard", "containment_ab", "containment_ba", "fuzzy", "metadata", "title", "facts",
          "semantic", "score")  # fmt: skip


def _dimensions(pair: Pair) -> tuple[Dimension, ...]:
    scores: PairScore = pair.scores
    found = [Dimension(name, getattr(scores, name)) for name in _NAMES]
    return (*found, Dimension("confidence", pair.confidence))
