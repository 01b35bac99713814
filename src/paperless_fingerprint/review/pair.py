"""Two documents side by side: how alike they are, why, and where their texts differ."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

from paperless_fingerprint.judging import Judge
from paperless_fingerprint.model import Document, Pair, PairScore
from paperless_fingerprint.relations import Change, compare
from paperless_fingerprint.relations import read as reading
from paperless_fingerprint.review.desk import Desk, Unknown
from paperless_fingerprint.review.people import Person
from paperless_fingerprint.review.queue import entry_of, item_of, pair_alone
from paperless_fingerprint.review.shapes import Count, Dimension, PairView, Segment
from paperless_fingerprint.vocabulary import StoredVocabulary

#: Of each text; a book is compared by its beginning here, and wholly by the analysis.
MOST_CHARACTERS = 60_000
#: A shared stretch longer than this is cut in its middle.
_LONGEST_SAME = 60
_KEPT_AT_ENDS = 20
MOST_SEGMENTS = 2_000
_KEPT = 500

_found: OrderedDict[tuple[Any, ...], tuple[Pair, tuple[Segment, ...], bool]] = OrderedDict()
_guard = Lock()


def side_by_side(desk: Desk, person: Person, a: int, b: int) -> PairView:
    """Raises Unknown where the person may not see one of them."""
    if a == b:
        raise Unknown(f"{a} and {b} are one document.")
    a, b = sorted((a, b))
    left, right = desk.seen(person, a), desk.seen(person, b)
    pair, segments, shortened = differences(desk, a, b)
    sight = desk.sight(person)
    entry = entry_of(sight, f"p{a}-{b}")
    if entry.kind == "pair" and not entry.relation:
        entry = replace(pair_alone(desk.catalogue, a, b), state=entry.state)
    item = item_of(desk, sight, entry, desk.book.waiting())
    stored = desk.catalogue.pairs.get((a, b))
    shown = stored or pair
    holding = [
        each.id
        for kind in ("group", "versions")
        if (each := sight.entry(kind, a)) is not None and b in each.members
    ]
    about = Counter(s.about for s in segments if s.matters and s.about)
    return PairView(
        f"p{a}-{b}",
        desk.card(left, is_primary=_is_primary(sight.entry("group", a), a)),
        desk.card(right, is_primary=_is_primary(sight.entry("group", b), b)),
        shown.relation.value,
        round(shown.confidence, 4),
        _dimensions(shown),
        shown.reasons,
        segments,
        shortened,
        item.words,
        item.state,
        item.seen,
        item.waiting,
        tuple(holding),
        tuple(Count(name, count) for name, count in about.most_common()),
    )


def _is_primary(entry: Any, id: int) -> bool:
    return entry is not None and entry.primary == id


def differences(desk: Desk, a: int, b: int) -> tuple[Pair, tuple[Segment, ...], bool]:
    """The judgement and the word diff; remembered until one of the texts changes."""
    hashes = desk.store.text_hashes([a, b])
    if len(hashes) < 2:
        raise Unknown(f"The documents {a} and {b} are not both in the library any more.")
    key = (id(desk), a, b, hashes[a], hashes[b])
    with _guard:
        if key in _found:
            _found.move_to_end(key)
            return _found[key]
    found = _compared(desk, a, b)
    with _guard:
        _found[key] = found
        while len(_found) > _KEPT:
            _found.popitem(last=False)
    return found


def _compared(desk: Desk, a: int, b: int) -> tuple[Pair, tuple[Segment, ...], bool]:
    stored = desk.store.get([a, b])
    if len(stored) < 2:
        raise Unknown(f"The documents {a} and {b} are not both in the library any more.")
    first, cut_first = _beginning(stored[a].document)
    second, cut_second = _beginning(stored[b].document)
    judge = Judge.of(desk.settings, believed_from=desk.settings["similarity_threshold"])
    comparison = compare(
        reading(first, judge.shingle_words),
        reading(second, judge.shingle_words),
        vocabulary=StoredVocabulary(desk.store),
        thresholds=judge.thresholds,
        weights=judge.weights,
        fuzzy_sample_size=judge.fuzzy_sample_size,
    )
    segments = segments_of(comparison.changes)
    shortened = cut_first or cut_second or len(segments) > MOST_SEGMENTS
    return comparison.pair, tuple(segments[:MOST_SEGMENTS]), shortened


def _beginning(document: Document) -> tuple[Document, bool]:
    if len(document.content) <= MOST_CHARACTERS:
        return document, False
    return replace(document, content=document.content[:MOST_CHARACTERS]), True


def segments_of(changes: Iterable[Change]) -> list[Segment]:
    found: list[Segment] = []
    for change in changes:
        if change.same:
            found += _same(change.a.split(" "))
        else:
            kind = "changed" if change.a and change.b else "removed" if change.a else "added"
            found.append(Segment(kind, change.a, change.b, change.about, change.matters))
    return found


def _same(words: Sequence[str]) -> list[Segment]:
    def segment(some: Sequence[str]) -> Segment:
        text = " ".join(some)
        return Segment("same", text, text)

    if len(words) <= _LONGEST_SAME:
        return [segment(words)]
    left_out = len(words) - 2 * _KEPT_AT_ENDS
    return [
        segment(words[:_KEPT_AT_ENDS]),
        Segment("cut", f"{left_out:,} words that both have", ""),
        segment(words[-_KEPT_AT_ENDS:]),
    ]


_NAMES = ("jaccard", "containment_ab", "containment_ba", "fuzzy", "metadata", "title", "facts",
          "semantic", "score")  # fmt: skip


def _dimensions(pair: Pair) -> tuple[Dimension, ...]:
    scores: PairScore = pair.scores
    found = [Dimension(name, getattr(scores, name)) for name in _NAMES]
    return (*found, Dimension("confidence", pair.confidence))
