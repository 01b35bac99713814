"""Rounds of work on what stands in the journal, begun by whoever adds to it; what failed is tried
again."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager

from paperless_fingerprint.errors import FingerprintError, unexpected
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.review.journal import Journal
from paperless_fingerprint.review.mirror import Mirror
from paperless_fingerprint.settings.registry import Settings

_AGAIN_SECONDS = 5.0


class JournalRunner(ABC):
    def __init__(
        self,
        settings: Settings,
        mirror: Mirror,
        journal: Journal,
        #: Held while the library is waited for.
        wanting: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._settings = settings
        self._mirror = mirror
        self._journal = journal
        self._wanting = wanting
        #: Why the last round did not come to its end.
        self.trouble: Reason | None = None
        self._wake = threading.Event()
        self._some_settled = threading.Condition()

    @abstractmethod
    def _carry_out_waiting(self, stop: threading.Event) -> None:
        """Carry out what waits."""

    def use(self, settings: Settings) -> None:
        self._settings = settings

    def wake(self) -> None:
        self._wake.set()

    def wait_until_settled(self, numbers: Collection[int], seconds: float) -> None:
        """Returns when these acts of the journal are settled, or when the time is up."""
        self._wake.set()
        with self._some_settled:
            self._some_settled.wait_for(
                lambda: not {entry.number for entry in self._journal.waiting()} & set(numbers),
                seconds,
            )

    def _tell_waiting(self) -> None:
        with self._some_settled:
            self._some_settled.notify_all()

    def keep_running(self, stop: threading.Event) -> None:
        while not stop.is_set():
            pause = None
            try:
                self._carry_out_waiting(stop)
                self.trouble = None
            except FingerprintError as error:
                self.trouble, pause = Reason.of_error(error), _AGAIN_SECONDS
            except Exception as error:
                secrets, known = self._settings.secrets(), str(self.trouble or "")
                self.trouble = Reason.of(unexpected(error, secrets, known=known))
                pause = _AGAIN_SECONDS
            self._wake.wait(pause)
            self._wake.clear()
