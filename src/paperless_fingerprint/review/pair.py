"""Two documents side by side: how alike they are, why, and where their texts differ."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from paperless_fingerprint.comparison.diff import Change, compare
from paperless_fingerprint.comparison.relation import read as reading
from paperless_fingerprint.grouping.rivals import Claims
from paperless_fingerprint.library.judging import Judge
from paperless_fingerprint.library.vocabulary import StoredVocabulary
from paperless_fingerprint.model import Document, Pair, PairScore
from paperless_fingerprint.review.diff_cache import Differences
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.queue import entry_of, first_pair, item_of, pair_alone
from paperless_fingerprint.review.service import Desk, Unknown
from paperless_fingerprint.review.views import Count, Dimension, PairView, Segment

#: Of each text; a book is compared by its beginning here, and wholly by the analysis.
MOST_CHARACTERS = 60_000
#: A shared stretch longer than this is cut in its middle.
_LONGEST_SAME = 60
_KEPT_AT_ENDS = 20
MOST_SEGMENTS = 2_000
_KEPT_AT_ONCE = 50
#: Of one item; of a large family the others are compared when somebody asks.
_PREPARED_PAIRS = 8


def side_by_side(desk: Desk, person: Person, a: int, b: int) -> PairView:
    """Raises Unknown where the person may not see one of them."""
    if a == b:
        raise Unknown(f"{a} and {b} are one document.")
    a, b = sorted((a, b))
    left, right = desk.seen(person, a), desk.seen(person, b)
    found = differences(desk, a, b)
    segments = found.segments
    sight = desk.sight(person)
    entry = entry_of(sight, f"p{a}-{b}")
    if entry.kind == "pair" and not entry.relation:
        entry = replace(pair_alone(desk.catalogue, a, b), state=entry.state)
    item = item_of(desk, sight, entry, desk.book.waiting())
    stored = desk.catalogue.pairs.get((a, b))
    shown = stored or found.pair
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
        (*_contested(desk, person, shown), *shown.reasons),
        segments,
        found.shortened,
        item.words,
        item.state,
        item.seen,
        item.waiting,
        tuple(holding),
        tuple(Count(name, count) for name, count in about.most_common()),
    )


def _contested(desk: Desk, person: Person, pair: Pair) -> tuple[str, ...]:
    """Who else claims one of the two, where the person may see that document."""
    if pair.scores.alone is None:
        return ()
    pairs, partners = desk.catalogue.pairs, desk.catalogue.partners
    near = {pair.a, pair.b, *partners.get(pair.a, ()), *partners.get(pair.b, ())}
    keys = {(min(id, other), max(id, other)) for id in near for other in partners.get(id, ())}
    claims = Claims(pairs[key].link for key in keys if key in pairs)
    visible = (r.reason for r in claims.rivals(pair.link) if _sees(desk, person, r.other))
    return tuple(islice(visible, 1))


def _sees(desk: Desk, person: Person, id: int) -> bool:
    brief = desk.catalogue.documents.get(id)
    return brief is not None and person.may_see(brief)


def _is_primary(entry: Any, id: int) -> bool:
    return entry is not None and entry.primary == id


def differences(desk: Desk, a: int, b: int) -> Differences:
    """The judgement and the word diff, made anew only when one of the texts has changed."""
    left, right = (desk.catalogue.documents.get(id) for id in (a, b))
    if left is None or right is None:
        raise Unknown(f"The documents {a} and {b} are not both in the library any more.")
    key = desk.prepared.key(left.text, right.text)
    found = desk.prepared.get(a, b, key)
    if found is None:
        found = _compared(desk, a, b)
        desk.prepared.remember(a, b, key, found)
    return found


def prepare(desk: Desk, stop: Callable[[float], bool], *, pause_share: float = 4.0) -> int:
    """Compare what the queue holds and nobody has compared yet; says how much that was.

    `stop` waits so many seconds and says whether to leave off: this takes a fifth of the time, so
    that whoever looks at a page does not notice.
    """
    catalogue = desk.catalogue
    documents = catalogue.documents
    wanted = [
        (a, b, desk.prepared.key(left.text, right.text))
        for entry in catalogue.entries
        for a, b in dict.fromkeys([first_pair(catalogue, entry), *entry.pairs[:_PREPARED_PAIRS]])
        for left, right in [(documents.get(a), documents.get(b))]
        if left is not None and right is not None
    ]
    missing = desk.prepared.missing(wanted)
    done: list[tuple[int, int, str, Differences]] = []
    count = 0
    for a, b, key in missing:
        if desk.catalogue is not catalogue:
            break  # the library has changed; what comes now may be more urgent
        began = time.monotonic()
        try:
            done.append((a, b, key, _compared(desk, a, b)))
        except Unknown:
            continue
        if len(done) >= _KEPT_AT_ONCE:
            desk.prepared.keep(done)
            count += len(done)
            done = []
        if stop((time.monotonic() - began) * pause_share):
            break
    desk.prepared.keep(done)
    return count + len(done)


def _compared(desk: Desk, a: int, b: int) -> Differences:
    stored = desk.store.get([a, b])
    if len(stored) < 2:
        raise Unknown(f"The documents {a} and {b} are not both in the library any more.")
    first, cut_first = _beginning(stored[a].document)
    second, cut_second = _beginning(stored[b].document)
    judge = Judge.of(desk.settings, believed_from=desk.settings.similarity_threshold)
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
    return Differences(comparison.pair, tuple(segments[:MOST_SEGMENTS]), shortened)


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
