"""Carrying out what stands in the journal, as soon as nobody else holds the library."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext

from paperless_fingerprint.integration.context import owe
from paperless_fingerprint.library.lock import library_lock
from paperless_fingerprint.review.apply import carry_out, settle
from paperless_fingerprint.review.journal import Journal, JournalEntry
from paperless_fingerprint.review.journal_runner import JournalRunner
from paperless_fingerprint.review.mirror import Mirror
from paperless_fingerprint.review.opened import Opened
from paperless_fingerprint.settings.registry import Settings

#: How long the library is held at a time, and let go of in between.
_TURN_SECONDS, _BETWEEN_SECONDS = 2.0, 0.2


class DecisionRunner(JournalRunner):
    def __init__(
        self,
        settings: Settings,
        opened: Opened,
        mirror: Mirror,
        journal: Journal,
        *,
        #: How long a decision is waited for before it is said to be on its way.
        patience_seconds: float,
        #: Called when something was carried out.
        tell: Callable[[], None],
        wanting: Callable[[], AbstractContextManager[None]] = nullcontext,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(settings, mirror, journal, wanting)
        self._opened = opened
        self._patience_seconds = patience_seconds
        self._tell = tell
        self._clock = clock

    def carry_out_soon(self, numbers: Collection[int]) -> None:
        self.wait_until_settled(numbers, self._patience_seconds)

    def _waiting(self) -> list[JournalEntry]:
        """Merges go their own way: Paperless may be away."""
        return [entry for entry in self._journal.waiting() if not entry.merges]

    def _carry_out_waiting(self, stop: threading.Event) -> None:
        """All that waits, in its order. Waits for whoever holds the library, and lets go of it now
        and then: thousands may wait, and a new document shall not wait for all of them."""
        while self._waiting() and not stop.is_set():
            self._carry_out_some(stop)
            self._tell()
            stop.wait(_BETWEEN_SECONDS if self._waiting() else 0)

    def _carry_out_some(self, stop: threading.Event) -> None:
        with self._wanting(), library_lock(self._settings).held():
            end = self._clock() + _TURN_SECONDS
            # Asked again at its end: more is decided meanwhile, which need not wait for a turn.
            while waiting := self._waiting():
                for entry in waiting:
                    if stop.is_set() or self._clock() > end:
                        return
                    around, why = carry_out(
                        self._opened.store, self._settings, self._journal, entry
                    )
                    self._mirror.look_again(around)
                    if self._settings.paperless.url:
                        owe(self._settings, around)
                    # Last: whoever waits for it looks at the library next.
                    settle(self._journal, entry, why)
                    self._tell_waiting()
