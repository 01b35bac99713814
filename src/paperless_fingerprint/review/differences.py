"""What two documents differ in: compared when somebody asks, and behind the scenes before that."""

from __future__ import annotations

import contextlib
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import replace
from itertools import chain, islice
from typing import TypeAlias

from paperless_fingerprint.comparison.diff import compare
from paperless_fingerprint.comparison.relation import read as reading
from paperless_fingerprint.comparison.wording import Change
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.library.judging import Judge
from paperless_fingerprint.library.vocabulary import Rarity, StoredVocabulary
from paperless_fingerprint.model import Document
from paperless_fingerprint.review.catalogue import Catalogue, first_pair
from paperless_fingerprint.review.diff_cache import DiffCache, Segment, TextDifferences
from paperless_fingerprint.review.mirror import LOOK_SECONDS, Mirror
from paperless_fingerprint.review.opened import Opened
from paperless_fingerprint.review.queue_entry import QueueEntry
from paperless_fingerprint.review.visible import Unknown
from paperless_fingerprint.review.windows import starts, without_ends
from paperless_fingerprint.settings.registry import Settings

#: Of each text; of a book a stretch is compared here, and all of it by the analysis.
MOST_CHARACTERS = 60_000
MOST_SEGMENTS = 4_000
_KEPT_AT_ONCE = 50
#: Of one item; of a large family the others are compared when somebody asks.
_PREPARED_PAIRS = 8
#: Of what is open: where a queue begins, and after an item that somebody has looked at.
_PREPARED_ITEMS = 20
#: So many people may be at different places of it.
_PLACES = 10
#: Of the time that a comparison takes, the rest after it.
_PAUSE_SHARE = 4.0


#: In the order of the queue.
Place: TypeAlias = tuple[float, int, str]

_only_ready: ContextVar[bool] = ContextVar("only_ready", default=False)


class NotReady(Exception):  # noqa: N818  (a state more than an error)
    """The texts would have to be compared first."""


@contextlib.contextmanager
def only_what_is_ready() -> Iterator[None]:
    """Within it nothing is compared: NotReady says that it must be."""
    token = _only_ready.set(True)
    try:
        yield
    finally:
        _only_ready.reset(token)


def about_to_compare() -> None:
    """Before texts are compared otherwise than by a DifferenceFinder: raises NotReady where that
    has to wait for its lane."""
    if _only_ready.get():
        raise NotReady


class DifferenceFinder:
    def __init__(
        self, settings: Settings, opened: Opened, mirror: Mirror, cache: DiffCache
    ) -> None:
        self._settings = settings
        self._opened = opened
        self._mirror = mirror
        self._cache = cache
        #: Where people have looked, the last one first.
        self._places: tuple[Place, ...] = ()
        #: For so many documents.
        self._words: tuple[int, StoredVocabulary] | None = None

    def use(self, settings: Settings) -> None:
        self._settings = settings
        self._cache.use(settings)

    def between(self, a: int, b: int) -> TextDifferences:
        """The judgement and the differences, made anew only when one of the texts has changed."""
        left, right = (self._mirror.catalogue.documents.get(id) for id in (a, b))
        if left is None or right is None:
            raise _gone(a, b)
        self._remember_place(a, b)
        key = self._cache.key(left.text, right.text)
        found = self._cache.get(a, b, key)
        if found is None:
            if _only_ready.get():
                raise NotReady
            found = self._compared(a, b)
            self._cache.remember(a, b, key, found)
        return found

    def keep_preparing(self, stop: threading.Event) -> None:
        catalogue, places = self._mirror.catalogue, self._places
        while not stop.wait(LOOK_SECONDS):
            if self._mirror.catalogue is catalogue and self._places is places:
                continue
            catalogue, places = self._mirror.catalogue, self._places
            with contextlib.suppress(Exception):  # it is only for speed, and tried again
                self.prepare(stop.wait)

    def prepare(self, stop: Callable[[float], bool]) -> None:
        """Compare what somebody may look at next and nobody has compared yet.

        To compare all that waits would take a large library an hour, and be done for nothing once
        somebody has changed a threshold.

        `stop` waits so many seconds and says whether to leave off: this takes a fifth of the time,
        so that whoever looks at a page does not notice.
        """
        catalogue, places = self._mirror.catalogue, self._places
        documents = catalogue.documents
        wanted = [
            (a, b, self._cache.key(left.text, right.text))
            for entry in _coming(catalogue, places)
            for a, b in dict.fromkeys(
                [first_pair(catalogue, entry), *entry.pairs[:_PREPARED_PAIRS]]
            )
            for left, right in [(documents.get(a), documents.get(b))]
            if left is not None and right is not None
        ]
        done: list[tuple[int, int, str, TextDifferences]] = []
        for a, b, key in self._cache.missing(wanted):
            if self._mirror.catalogue is not catalogue or self._places is not places:
                break  # what comes now may be more urgent
            began = time.monotonic()
            try:
                done.append((a, b, key, self._compared(a, b)))
            except Unknown:
                continue
            if len(done) >= _KEPT_AT_ONCE:
                self._cache.keep(done)
                done = []
            if stop((time.monotonic() - began) * _PAUSE_SHARE):
                break
        self._cache.keep(done)

    def _remember_place(self, a: int, b: int) -> None:
        for entry in self._mirror.catalogue.entries_of.get(a, ()):
            if b in entry.members:
                places = dict.fromkeys((entry.order, *self._places))
                self._places = tuple(places)[:_PLACES]
                return

    def _vocabulary(self) -> StoredVocabulary:
        """Two letters have most of their words in common with all others; how many hold a word is
        counted anew when documents have come or gone."""
        size = len(self._mirror.catalogue.documents)
        if self._words is None or self._words[0] != size:
            self._words = size, StoredVocabulary(self._opened.store)
        return self._words[1]

    def _compared(self, a: int, b: int) -> TextDifferences:
        store = self._opened.store
        stored = store.get([a, b])
        if len(stored) < 2:
            raise _gone(a, b)
        whole = stored[a].document, stored[b].document
        begin = starts(whole[0].content, whole[1].content, MOST_CHARACTERS)
        first, second = map(_stretch, whole, begin)
        judge = Judge.of(self._settings, believed_from=self._settings.similarity_threshold)
        comparison = compare(
            reading(first, judge.shingle_words),
            reading(second, judge.shingle_words),
            judge.judging(Rarity.around(store, list(stored.values()), self._vocabulary())),
        )
        is_cut = any(
            at + len(part.content) < len(all_.content)
            for all_, part, at in zip(whole, (first, second), begin, strict=True)
        )
        segments = without_ends(segments_of(comparison.changes), first=any(begin), last=is_cut)
        shortened = any(begin) or is_cut or len(segments) > MOST_SEGMENTS
        return TextDifferences(comparison.pair, tuple(segments[:MOST_SEGMENTS]), shortened)


def _coming(catalogue: Catalogue, places: Sequence[Place]) -> list[QueueEntry]:
    """After the latest place first: there is somebody now."""
    entries = catalogue.entries
    starts = [bisect_right(entries, place, key=lambda e: e.order) for place in places]
    coming = (
        islice((e for e in islice(entries, start, None) if e.state == "open"), _PREPARED_ITEMS)
        for start in (*starts, 0)
    )
    return list(dict.fromkeys(chain.from_iterable(coming)))


def _gone(a: int, b: int) -> Unknown:
    return Unknown(_("Documents %(a)s and %(b)s are no longer both in the library.", a=a, b=b))


def _stretch(document: Document, begin: int) -> Document:
    return replace(document, content=document.content[begin : begin + MOST_CHARACTERS])


def segments_of(changes: Iterable[Change]) -> list[Segment]:
    found = []
    for change in changes:
        if change.same:
            # One string for both sides, where they write it alike: most of a text.
            found.append(Segment("same", change.a, change.a if change.a == change.b else change.b))
            continue
        kind = "changed" if change.a and change.b else "removed" if change.a else "added"
        kind = "moved" if change.about == "moved" else kind
        found.append(Segment(kind, change.a, change.b, change.about, change.matters))
    return found
