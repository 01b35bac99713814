"""Sends what waits in the outbox, in a thread of its own: the worker never waits for an address.

Each address is tried again, later and later, for three days; then the message is given up, and the
log says so.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from uuid import uuid4

from paperless_fingerprint.errors import FingerprintError, unexpected
from paperless_fingerprint.integration.notify.message import body_of
from paperless_fingerprint.integration.notify.outbox import Delivery, Outbox
from paperless_fingerprint.integration.notify.send import NotSent, send, targets_of
from paperless_fingerprint.library.clock import now_text, text_of
from paperless_fingerprint.library.lock import path_of_outbox
from paperless_fingerprint.progress import Progress
from paperless_fingerprint.settings.registry import Settings

#: 'At once' waits so long for more of the same: a stack of scans is one message.
GATHER_SECONDS = 20.0
FIRST_PAUSE_SECONDS = 30.0
LONGEST_PAUSE_SECONDS = 3600.0
GIVE_UP_SECONDS = 3 * 86_400.0
_LOOK_SECONDS = 5.0


class Notifier:
    def __init__(
        self,
        settings: Settings,
        progress: Progress,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._progress = progress
        self._clock = clock
        self._stop = threading.Event()
        #: A daemon: an address that does not answer is not waited for, and nothing is lost by that.
        self._thread = threading.Thread(target=self._run, name="notifications", daemon=True)
        self._trouble = ""

    def start(self) -> None:
        self._thread.start()

    def stop(self, patience_seconds: float = 5.0) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(patience_seconds)

    def use(self, settings: Settings) -> None:
        self._settings = settings

    def _run(self) -> None:
        while not self._stop.wait(_LOOK_SECONDS):
            try:
                self.step()
                self._trouble = ""
            except FingerprintError as error:
                self._say(str(error))
            except Exception as error:
                # Outlives whatever it meets: what waits is kept.
                self._say(unexpected(error, self._settings.secrets(), known=self._trouble))

    def _say(self, why: str) -> None:
        if why != self._trouble:
            self._progress.say(why)
        self._trouble = why

    def step(self, *, last: bool = False) -> None:
        """All that is due now, once; `last` where nobody waits for more of the same."""
        path, is_off = path_of_outbox(self._settings), self._settings.notify.when == "off"
        if is_off and not path.exists():
            return
        with closing(Outbox(path)) as outbox:
            if is_off:
                outbox.rest()
                return
            outbox.since(now_text())
            self._gather(outbox, last=last)
            for delivery in outbox.deliveries(self._clock()):
                if self._stop.is_set():
                    return
                self._deliver(outbox, delivery)

    def _gather(self, outbox: Outbox, *, last: bool) -> None:
        _, oldest = outbox.waiting()
        targets = list(targets_of(self._settings))
        if oldest is None or not targets:
            return
        at_once = last and self._settings.notify.when == "now"
        if not at_once and self._clock() < due_at(self._settings, oldest):
            return
        finds = outbox.finds()
        id, at = str(uuid4()), self._clock()
        body = body_of(self._settings, finds, id, text_of(at))
        outbox.make(id, at, body, [find.id for find in finds], targets)

    def _deliver(self, outbox: Outbox, delivery: Delivery) -> None:
        if delivery.target not in targets_of(self._settings):
            outbox.ended(delivery)  # somebody has taken the address out of the settings
            return
        try:
            send(self._settings, delivery.target, delivery.message, delivery.body)
        except NotSent as error:
            now = self._clock()
            if now - delivery.at >= GIVE_UP_SECONDS:
                outbox.ended(delivery)
                self._progress.say(
                    f"A notification was given up after three days: {error}. "
                    "'paperless-fingerprint notify --test' tries the addresses."
                )
                return
            if not delivery.tries:
                self._progress.say(f"A notification was not taken: {error}. It is tried again.")
            pause = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** min(delivery.tries, 20))
            outbox.failed(delivery, str(error), now + pause)
        else:
            outbox.ended(delivery)


def due_at(settings: Settings, oldest: float) -> float:
    """When a find that came then is to be told."""
    if settings.notify.when == "now":
        return oldest + GATHER_SECONDS
    came = datetime.fromtimestamp(oldest).astimezone()
    hour, minute = map(int, settings.notify.daily_at.split(":"))
    due = came.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if due <= came:
        due += timedelta(days=1)
    return due.timestamp()
