"""The library in figures: what there is, what could be freed, where the thresholds stand."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.grouping.groups import Decided
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import locale
from paperless_fingerprint.library.thresholds import Level, Thresholds, tune_pairs
from paperless_fingerprint.model import Pair
from paperless_fingerprint.review import save_thresholds
from paperless_fingerprint.review.catalogue import Catalogue
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.save_thresholds import SavedThresholds
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.review.views import Card, Count
from paperless_fingerprint.review.visible import Sight
from paperless_fingerprint.settings.registry import Settings

_BARS = 20
_POINTS = 50
_SHOWN = 20
#: Figures may be so old, and older where it takes long to count: they are no decisions.
_OLD_SECONDS = 2.0
_SHARE_OF_TIME = 0.05


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of the histogram: pairs of a confidence from `low` to below `high`."""

    low: float
    high: float
    #: Relation → how many.
    counts: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class Point:
    jaccard: float
    #: With which probability a pair of this jaccard becomes a candidate.
    found: float


@dataclass(frozen=True, slots=True)
class LibraryView:
    documents: int
    groups: int
    pairs: tuple[Count, ...]
    #: What would go if of each group only the primary stayed.
    pages_to_free: int
    bytes_to_free: int
    #: How many of those documents have no size in the library: the figure is an 'at least'.
    without_size: int
    pages: int
    bytes: int
    histogram: tuple[Bar, ...]
    curve: tuple[Point, ...]
    similarity_threshold: float
    near_threshold: float
    version_threshold: float
    #: Only a superuser can save thresholds.
    may_save: bool
    #: The last time that somebody saved others, for superusers, while those still count.
    saved: SavedThresholds | None
    #: These figures are about what this person may see, and not about the whole library.
    is_part: bool
    ready: bool = True
    #: Whether the order in which documents came does not count any more (see library/settled.py);
    #: null until the worker has looked.
    settled: bool | None = None


@dataclass(frozen=True, slots=True)
class ThresholdPair:
    a: Card
    b: Card
    relation: str
    confidence: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ThresholdPreview:
    """What other thresholds would add and remove; nothing is saved by asking."""

    now: Level
    then: Level
    added: int
    removed: int
    #: The surest 20 of each.
    added_pairs: tuple[ThresholdPair, ...]
    removed_pairs: tuple[ThresholdPair, ...]
    #: Why no settings can be so, and why these cannot be saved from here; empty where all is well.
    wrong: str = ""
    cannot_save: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """With when they were counted, and how long that took."""

    catalogue: Catalogue
    at: float
    seconds: float
    view: LibraryView

    def is_fresh(self, now: Catalogue, moment: float) -> bool:
        age = moment - self.at
        return self.catalogue is now or age < max(_OLD_SECONDS, self.seconds / _SHARE_OF_TIME)


def view(review: Review, person: Person) -> LibraryView:
    """Of what this person may see: without superuser these are no figures of the whole library."""
    catalogue = review.mirror.catalogue
    now = Thresholds.of(review.settings)
    key = (person.superuser or person, now)
    kept = review.figures.get(key)
    began = time.monotonic()
    if kept is None or not kept.is_fresh(catalogue, began):
        found = _view(catalogue, review.mirror.sight(person), person, review.settings)
        seconds = time.monotonic() - began
        kept = review.figures.put(key, Figures(catalogue, began, seconds, found))
    saved = save_thresholds.saved(review, person)
    settled = review.worker.vitals.is_settled
    return replace(kept.view, may_save=person.superuser, saved=saved, settled=settled)


def _view(catalogue: Catalogue, sight: Sight, person: Person, settings: Settings) -> LibraryView:
    documents = [d for d in list(catalogue.documents.values()) if person.may_see(d)]
    pairs = _pairs(catalogue, sight)
    threshold = settings.similarity_threshold
    spare = [
        catalogue.documents[id]
        for entry in sight.entries
        if entry.kind == "group"
        for id in _spare(entry.members, entry.primary)
        if id in catalogue.documents
    ]
    relations = Counter(p.relation.value for p in pairs if p.confidence >= threshold)
    return LibraryView(
        len(documents),
        sum(1 for entry in sight.entries if entry.kind == "group"),
        tuple(Count(name, count) for name, count in relations.most_common()),
        sum(d.pages or 0 for d in spare),
        sum(d.bytes or 0 for d in spare),
        sum(1 for d in spare if d.bytes is None),
        sum(d.pages or 0 for d in documents),
        sum(d.bytes or 0 for d in documents),
        _histogram(pairs),
        curve(settings.fingerprint.bands, settings.fingerprint.permutations),
        threshold,
        settings.near.threshold,
        settings.version.threshold,
        False,
        None,
        not person.superuser,
        catalogue.ready,
    )


def _spare(members: Collection[int], primary: int | None) -> Iterable[int]:
    kept = primary if primary is not None else min(members)
    return (id for id in members if id != kept)


def _pairs(catalogue: Catalogue, sight: Sight) -> list[Pair]:
    if sight.person.superuser:
        return list(catalogue.pairs.values())
    pairs = list(catalogue.pairs.values())
    seen = {id: sight.sees(id) for pair in pairs for id in (pair.a, pair.b)}
    return [pair for pair in pairs if seen[pair.a] and seen[pair.b]]


def _histogram(pairs: Iterable[Pair]) -> tuple[Bar, ...]:
    counts: list[Counter[str]] = [Counter() for _ in range(_BARS)]
    for pair in pairs:
        counts[min(_BARS - 1, int(pair.confidence * _BARS))][pair.relation.value] += 1
    return tuple(
        Bar(
            place / _BARS,
            (place + 1) / _BARS,
            tuple(Count(name, count) for name, count in sorted(found.items())),
        )
        for place, found in enumerate(counts)
    )


@lru_cache(maxsize=8)
def curve(bands: int, permutations: int) -> tuple[Point, ...]:
    """With which probability two documents share at least one band."""
    spec = FingerprintSpec(bands=bands, permutations=permutations)
    shares = (place / _POINTS for place in range(_POINTS + 1))
    return tuple(Point(share, round(spec.chance_of_a_shared_band(share), 6)) for share in shares)


def preview(
    review: Review,
    person: Person,
    *,
    similarity: float | None = None,
    near: float | None = None,
    version: float | None = None,
) -> ThresholdPreview:
    """What these thresholds would add and remove; those that are left out stay as they are."""
    now = Thresholds.of(review.settings)
    then = Thresholds(
        now.similarity if similarity is None else similarity,
        now.near if near is None else near,
        now.version if version is None else version,
    )
    for value in (then.similarity, then.near, then.version):
        if not 0 <= value <= 1:
            raise UsageError(_("A threshold must be between 0 and 1."))
    sight = review.mirror.sight(person)
    key = (person.superuser or person, now, then, locale())
    catalogue = review.mirror.catalogue
    kept = review.previews.get(key)
    if kept is None or kept[0] is not catalogue:
        kept = review.previews.put(key, (catalogue, _preview(review, sight, now, then)))
    wrong, cannot_save = save_thresholds.obstacles(review, person, then)
    return replace(kept[1], wrong=wrong, cannot_save=cannot_save)


def _preview(review: Review, sight: Sight, now: Thresholds, then: Thresholds) -> ThresholdPreview:
    catalogue = sight.catalogue
    decided = Decided(catalogue.decisions)
    found = tune_pairs(_pairs(catalogue, sight), decided, now, then, levels=())

    def shown(pairs: Iterable[Pair]) -> tuple[ThresholdPair, ...]:
        return tuple(
            ThresholdPair(
                review.mirror.card(catalogue.documents[pair.a]),
                review.mirror.card(catalogue.documents[pair.b]),
                pair.relation.value,
                round(pair.confidence, 4),
                tuple(map(str, pair.reasons)),
            )
            for pair in list(pairs)[:_SHOWN]
            if pair.a in catalogue.documents and pair.b in catalogue.documents
        )

    return ThresholdPreview(
        found.now,
        found.then,
        len(found.added),
        len(found.removed),
        shown(found.added),
        # Those that were surest until now are missed first.
        shown(found.removed),
    )
