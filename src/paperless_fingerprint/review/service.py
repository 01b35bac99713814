"""The review, opened once: its parts, and the four threads that work behind it.

One reads the library again when it has changed; one carries out what was decided as soon as nobody
else holds the library; one merges in Paperless what was ordered; one compares texts before somebody asks.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.library.lock import path_of_journal
from paperless_fingerprint.paperless.client import PaperlessClient
from paperless_fingerprint.review.decision_runner import DecisionRunner
from paperless_fingerprint.review.diff_cache import DiffCache
from paperless_fingerprint.review.differences import DifferenceFinder
from paperless_fingerprint.review.journal import Journal
from paperless_fingerprint.review.merge_runner import MergeRunner
from paperless_fingerprint.review.mirror import Mirror
from paperless_fingerprint.review.opened import Opened
from paperless_fingerprint.review.remembered import Remembered
from paperless_fingerprint.review.search import PersonsSearch
from paperless_fingerprint.service.live import LiveProgress
from paperless_fingerprint.service.worker import Worker
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store

if TYPE_CHECKING:
    from paperless_fingerprint.review.catalogue import Catalogue
    from paperless_fingerprint.review.library_view import Figures, ThresholdPreview
    from paperless_fingerprint.review.queue_entry import QueueEntry

_END_SECONDS = 5.0
#: Of about a kilobyte each.
_ROWS_KEPT = 30_000


class Review:
    def __init__(
        self,
        settings: Settings,
        worker: Worker,
        live: LiveProgress,
        *,
        #: How long a decision is waited for before it is said to be on its way.
        patience_seconds: float = 1.0,
    ) -> None:
        self.settings = settings
        self.worker = worker
        self.live = live
        #: Held while a decision is compared with how things stand and written into the journal.
        self.deciding = threading.Lock()
        self.journal = Journal(path_of_journal(settings))
        self._diff_cache = DiffCache(settings)
        self._opened = Opened(settings)
        self.mirror = Mirror(settings, self._opened, live.changed)
        self.search = PersonsSearch(settings, self._opened)
        self.figures: Remembered[Figures] = Remembered()
        self.previews: Remembered[tuple[Catalogue, ThresholdPreview]] = Remembered()
        #: What would become of many groups, with the catalogue and what waited at that time.
        self.plans: Remembered[tuple[Any, Any, Any]] = Remembered()
        #: Entries as the list writes them (web/entries.py says for how long).
        self.rows: Remembered[tuple[QueueEntry, str]] = Remembered(_ROWS_KEPT)
        self.differences = DifferenceFinder(settings, self._opened, self.mirror, self._diff_cache)
        self.decisions = DecisionRunner(
            settings, self._opened, self.mirror, self.journal,
            patience_seconds=patience_seconds, tell=self._carried_out,
            wanting=worker.wanting_the_library,
        )  # fmt: skip
        self.merges = MergeRunner(
            settings, self.mirror, self.journal, live, worker.wanting_the_library
        )
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def _carried_out(self) -> None:
        self.live.changed()
        self.worker.wake()

    def use(self, settings: Settings) -> None:
        """Thresholds that somebody has saved: from now on all is shown by these."""
        self.settings = settings
        self.mirror.use(settings)
        self.differences.use(settings)
        self.decisions.use(settings)
        self.merges.use(settings)
        self.worker.use(settings)

    def start(self) -> None:
        for work, name in (
            (self.mirror.keep_reading, "catalogue"),
            (self.decisions.keep_running, "decisions"),
            (self.merges.keep_running, "merges"),
            (self.differences.keep_preparing, "differences"),
        ):
            # Not waited for at the end: it may be standing in line for the library's lock, and
            # what it has not done is in the journal.
            thread = threading.Thread(target=work, args=[self._stop], name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        self._stop.set()
        self.decisions.wake()
        self.merges.wake()
        for thread in self._threads:
            thread.join(timeout=_END_SECONDS)
        if any(thread.is_alive() for thread in self._threads):
            return  # it has the store in its hands; both end with the process
        self.search.close()
        self._opened.close()
        self.journal.close()
        self._diff_cache.close()

    @property
    def store(self) -> Store:
        return self._opened.store

    @property
    def paperless(self) -> PaperlessClient:
        return self._opened.paperless

    @property
    def trouble(self) -> Reason | None:
        """Why what is shown may be old; None where all is well."""
        return self.mirror.trouble or self.decisions.trouble or self.merges.trouble
