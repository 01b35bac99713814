"""What `serve` does in the background: the inbox, the periodic sync, reconciliation.

One thread does it all, one small step after the other, so that a new document never waits for a
sync that is under way. What is away (Paperless, the store) is tried again and again, later and
later, and at once when something happens; what waits is in the inbox meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paperless_fingerprint.errors import (
    ConfigurationError,
    FingerprintError,
    NoPaperlessError,
    unexpected,
)
from paperless_fingerprint.files.lock import FileLock
from paperless_fingerprint.files.memory import give_back
from paperless_fingerprint.integration.consume import drain
from paperless_fingerprint.integration.context import (
    Workplace,
    open_inbox,
    open_spool,
    open_workplace,
)
from paperless_fingerprint.integration.feedback.tell import at_pace, tell, tell_rest
from paperless_fingerprint.integration.inbox import Inbox
from paperless_fingerprint.integration.sync import follow_up, is_begun, is_first, steps
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.library import outdated
from paperless_fingerprint.library.analysis import analyse
from paperless_fingerprint.library.lock import library_lock
from paperless_fingerprint.library.settled import state_of
from paperless_fingerprint.progress import Progress, Silent
from paperless_fingerprint.service.notifier import Notifier
from paperless_fingerprint.settings.registry import Settings

if TYPE_CHECKING:
    from paperless_fingerprint.service.semantic_worker import MeaningWorker

#: How soon a file in the spool is noticed when nobody calls.
_SPOOL_SECONDS = 1.0
#: So long after all pairs were judged together, and so many times as long as that took, a few new
#: documents are worth it again; and so many times as long after it was broken off.
_QUIET_SECONDS = 600.0
_RARELY = 1000
_AGAIN = 10
#: So often what is kept in memory for speed is given back.
_RESTING_SECONDS = 30.0
_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 60.0
_OFFER = (
    "The first sync waits for somebody to start it: on the page, under First steps, or with "
    "'paperless-fingerprint sync'. 'serve --sync' starts it by itself. Documents that Paperless "
    "announces are done all the same."
)


@dataclass(slots=True)
class Vitals:
    """What /healthz, /metrics and the page tell; written by the worker's thread, but for the offer,
    which ends when somebody takes it."""

    last_sign_at: float = 0.0
    last_sync_at: float = 0.0
    documents_done: int = 0
    documents_gone: int = 0
    documents_failed: int = 0
    syncs: int = 0
    outages: int = 0
    #: Nobody has started the first sync yet.
    first_sync_waits: bool = False
    #: Whether the order in which documents came does not count any more; None where nobody looked.
    is_settled: bool | None = None
    #: Why nothing works at the moment; None where all is well.
    trouble: Reason | None = None


class Worker:
    def __init__(self, settings: Settings, progress: Progress | None = None) -> None:
        self._settings = settings
        self._progress = progress or Silent()
        self._file, self.inbox = open_inbox(settings)
        self.vitals = Vitals()
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._sync_wanted = threading.Event()
        self._all_wanted = threading.Event()
        self._thread: threading.Thread | None = None
        #: Whether something was written since the store was last put in order.
        self._untidy = True
        #: Whether something has come, changed or gone since it was last looked whether to settle.
        self._unsettled = True
        self._next_settling = time.monotonic() + _QUIET_SECONDS
        self._settling_again = time.monotonic()
        self._next_rest = time.monotonic()
        self._notifier = Notifier(settings, self._progress)
        #: How many wait for the library's lock.
        self._wanting = 0
        self._guard = threading.Lock()
        self._meanings: MeaningWorker | None = None
        if settings.semantic.enabled:
            from paperless_fingerprint.service.semantic_worker import MeaningWorker

            self._meanings = MeaningWorker(
                settings, self._progress, is_busy=self._has_work, owing=self._wake.set
            )

    # --- from outside ---------------------------------------------------------------------------

    def start(self) -> None:
        alone = not self._settings.paperless.url
        # Without Paperless the library stays as it is.
        work = self._stop.wait if alone else self._run
        self._thread = threading.Thread(target=work, name="worker")
        self._thread.start()
        if not alone:
            self._notifier.start()
            if self._meanings is not None:
                self._meanings.start()

    def stop(self) -> None:
        """What is under way is finished: one document, or one batch of a sync."""
        self._stop.set()
        self._wake.set()
        self._notifier.stop()
        if self._meanings is not None:
            self._meanings.stop()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._file.close()

    def announce(self, document_id: int) -> None:
        """Durable when this returns."""
        if not self._settings.paperless.url:
            raise NoPaperlessError
        self.inbox.add([document_id])
        self._wake.set()

    def use(self, settings: Settings) -> None:
        """From now on with these. What is under way comes to an end of its own first."""
        self._settings = settings
        self._notifier.use(settings)
        if self._meanings is not None:
            self._meanings.use(settings)
        self._wake.set()

    def wake(self) -> None:
        """Something is due now that was not when the worker looked last."""
        self._wake.set()

    def sync_soon(self) -> None:
        """Look for changes now, and not when the next look is due; also for the first time."""
        self.vitals.first_sync_waits = False
        self._sync_wanted.set()
        self._wake.set()

    def write_all_soon(self) -> None:
        """Somebody has just asked for it (see ask_for_all): do not wait for the next time."""
        self._all_wanted.set()
        self.sync_soon()

    @contextmanager
    def wanting_the_library(self) -> Iterator[None]:
        """For whoever waits for its lock: what can be left off in the middle is, as long as this
        lasts."""
        with self._guard:
            self._wanting += 1
        try:
            yield
        finally:
            with self._guard:
                self._wanting -= 1

    @property
    def is_waited_for(self) -> bool:
        return self._wanting > 0

    @property
    def is_alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    # --- the thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        pause = _FIRST_PAUSE_SECONDS
        while not self._stop.is_set():
            try:
                with open_workplace(self._settings, self._progress, wait=False) as place:
                    pause = _FIRST_PAUSE_SECONDS
                    self._work(place)
            except FingerprintError as error:
                self._in_trouble(Reason.of_error(error))
            except Exception as error:
                # The worker outlives whatever it meets; what it was working on is still in the inbox.
                secrets = self._settings.secrets()
                known = str(self.vitals.trouble or "")
                self._in_trouble(Reason.of(unexpected(error, secrets, known=known)))
            if not self._stop.is_set():
                self._spool_into_inbox()
                self._wait(pause)
                pause = min(_LONGEST_PAUSE_SECONDS, pause * 2)

    def _work(self, place: Workplace) -> None:
        """Until somebody stops us; an error that concerns everything ends it, too."""
        next_sync = time.monotonic()
        next_reconciliation = time.monotonic()
        pause = _FIRST_PAUSE_SECONDS
        self._follow_thresholds(place)
        # After an import, or whatever else was done while nobody ran.
        self._untidy = True
        while not self._is_to_end(place):
            self._sign()
            outage = self._drain(place)
            if self._all_wanted.is_set():
                self._all_wanted.clear()
                next_reconciliation = time.monotonic()
            if self._sync_wanted.is_set():
                self._sync_wanted.clear()
                next_sync = time.monotonic()
            elif time.monotonic() >= next_sync and not outage and self._is_offered(place):
                next_sync = time.monotonic() + self._settings.paperless.sync_seconds
            if not outage and time.monotonic() >= next_sync:
                self.vitals.first_sync_waits = False
                reconcile = time.monotonic() >= next_reconciliation
                outage = self._sync(place, reconcile=reconcile)
                self._progress.begin("")  # nothing long is going on any more
                if not outage:
                    next_sync = time.monotonic() + self._settings.paperless.sync_seconds
                    if reconcile:
                        seconds = self._settings.paperless.reconcile_seconds
                        next_reconciliation = time.monotonic() + seconds
            if outage:
                self._in_trouble(outage)
                self._wait(pause)
                pause = min(_LONGEST_PAUSE_SECONDS, pause * 2)
                place.store.notes()  # a store that is away is opened anew
                continue
            pause = _FIRST_PAUSE_SECONDS
            self.vitals.trouble = None
            self._tidy(place)
            self._settle(place)
            self._wait(_SPOOL_SECONDS)

    def _tidy(self, place: Workplace) -> None:
        """While nothing else is to be done."""
        if self._untidy:
            self._untidy = not _tidied(place, lambda: self._is_called_away(place))
            if self._untidy:
                self._wake.set()

    def _settle(self, place: Workplace) -> None:
        """Judge all pairs together again, while nothing else is to be done.

        At once where much has changed, else so seldom that it takes a thousandth of the time.
        """
        now = time.monotonic()
        due = now >= self._next_settling
        if self._untidy or not (due or (self._unsettled and now >= self._settling_again)):
            return
        state = state_of(place.store)
        self._unsettled, self.vitals.is_settled = False, not state
        if not state or not (due or state.is_much(place.store.report().counts.documents)):
            return
        with place.lock.held():
            report = analyse(
                place.store,
                place.settings,
                self._progress,
                settle=True,
                is_called_away=lambda: self._is_called_away(place) or self._has_work(),
                let_go=place.lock.let_go,
            )
        self._progress.begin("")
        spent = time.monotonic() - now
        self._settling_again = time.monotonic() + _AGAIN * spent
        self._unsettled = bool(state_of(place.store))
        if not self._unsettled:
            self._next_settling = time.monotonic() + max(_QUIET_SECONDS, _RARELY * spent)
            self.vitals.is_settled = True
            self._progress.say(f"{report.in_words()} All pairs were judged together.")

    def _is_called_away(self, place: Workplace) -> bool:
        self._sign()
        return self._wake.is_set() or self.is_waited_for or self._is_to_end(place)

    def _is_to_end(self, place: Workplace) -> bool:
        return self._stop.is_set() or place.settings is not self._settings

    def _follow_thresholds(self, place: Workplace) -> None:
        """Judge and group anew what other thresholds have made stale; a sync tells Paperless."""
        outdated.remember(place.store, place.settings)
        what = outdated.due(place.store.notes(), place.settings)
        if what is outdated.Due.NOTHING:
            return
        self._sign()
        if self._meanings is not None and what is outdated.Due.PAIRS:
            self._meanings.expect_all(place.store)
        with place.lock.held():
            report = analyse(place.store, place.settings, self._progress, let_go=place.lock.let_go)
        self._progress.say(report.in_words() if report.documents else "Groups were made anew.")
        self._progress.begin("")
        if self._meanings is not None:
            self._meanings.wake()

    def _drain(self, place: Workplace) -> Reason | None:
        self._wake.clear()
        report = drain(place, self._stop)
        if report.done + report.gone > 0:
            self._untidy = self._unsettled = True
            self.vitals.is_settled = None
        self.vitals.documents_done += report.done
        self.vitals.documents_gone += report.gone
        self.vitals.documents_failed += report.tried
        if self._meanings is not None and report.ids:
            self._meanings.wake(report.ids)
        if not report.outage and place.ledger.owed():
            # What a run that died has left, or what somebody decided on the command line.
            with place.lock.held():
                tell(place, widely=True)
        return report.outage

    def _is_offered(self, place: Workplace) -> bool:
        """Whether the first sync waits for a person. Somebody may start it elsewhere meanwhile."""
        if self._settings.service.first_sync == "start" or is_begun(place.store):
            return False
        if not self.vitals.first_sync_waits:
            self._progress.say(_OFFER)
        self.vitals.first_sync_waits = True
        return True

    def _sync(self, place: Workplace, *, reconcile: bool) -> Reason | None:
        try:
            first = is_first(place)
            fetched = 0
            for report in steps(place, reconcile=reconcile):
                fetched = report.fetched
                if fetched:
                    self._untidy = self._unsettled = True
                if self._between(place):
                    return self.vitals.trouble
            for _ in follow_up(place, first=first):
                if self._between(place):
                    return self.vitals.trouble
            if reconcile:
                pace = at_pace(self._settings.paperless.writes_per_second)

                def pause() -> None:
                    self._sign()
                    pace()

                with place.lock.held():
                    tell_rest(place, pause)
        except FingerprintError as error:
            return Reason.of_error(error)
        if self._meanings is not None and fetched:
            self._meanings.wake(first=first)
        self.vitals.syncs += 1
        self.vitals.last_sync_at = time.time()
        return None

    def _between(self, place: Workplace) -> bool:
        """New documents go first. Say whether to leave off."""
        self._sign()
        outage = self._drain(place)
        if outage:
            self.vitals.trouble = outage
        return bool(outage) or self._is_to_end(place)

    def _spool_into_inbox(self) -> None:
        """Even while Paperless or the store is away, events are taken to where they are safe."""
        try:
            self.inbox.take_from(open_spool(self._settings))
        except FingerprintError as error:
            self._progress.say(str(error))

    def _has_work(self) -> bool:
        """Whether an event is due; asked by the thread that embeds."""
        try:
            seconds = self.inbox.seconds_to_next()
        except FingerprintError:
            return False
        return seconds is not None and seconds <= 0

    def _wait(self, seconds: float) -> None:
        if time.monotonic() >= self._next_rest:
            self._next_rest = time.monotonic() + _RESTING_SECONDS
            give_back()
        self._wake.wait(seconds)

    def _sign(self) -> None:
        self.vitals.last_sign_at = time.time()

    def _in_trouble(self, why: Reason) -> None:
        if self.vitals.trouble != why:
            self._progress.say(f"{why} It is tried again; what waits is kept.")
            self.vitals.outages += 1
        self.vitals.trouble = why


def drain_once(settings: Settings, progress: Progress) -> tuple[int, int, str]:
    """`consume --inbox`: (done, still waiting, why). Waits a while for what is away.

    Each upload may start one of these: one works, one waits to be next, and the others may go,
    because the one that waits has not looked into the spool yet and will find what they came for.
    """
    lock = library_lock(settings).path
    with ExitStack() as turn:
        with FileLock(lock.with_name(lock.name + ".next")).tried() as is_next:
            if not is_next:
                return 0, 0, ""
            turn.enter_context(FileLock(lock.with_name(lock.name + ".drain")).held())
        found = _drain_patiently(settings, progress)
    try:
        # Where no `serve` runs, whoever comes by takes along what waits.
        Notifier(settings, progress).step(last=True)
    except FingerprintError as error:
        progress.say(str(error))
    return found


def _drain_patiently(settings: Settings, progress: Progress) -> tuple[int, int, str]:
    deadline = time.monotonic() + settings.inbox.patience_seconds
    pause = _FIRST_PAUSE_SECONDS
    done = 0
    while True:
        try:
            with open_workplace(settings, progress) as place:
                report = drain(place)
                done += report.done + report.gone
                why = str(report.outage or "")
                if not why and place.ledger.owed():
                    with place.lock.held():
                        tell(place, widely=True)
                if not why and not _is_due_soon(place.inbox, deadline):
                    if _tidied(place):
                        return done, place.inbox.counts()["waiting"], ""
                    continue
        except ConfigurationError:
            raise
        except FingerprintError as error:
            why = str(error)
        left = deadline - time.monotonic()
        if left <= 0:
            return done, _saved(settings), why
        time.sleep(min(pause, left))
        pause = min(_LONGEST_PAUSE_SECONDS, pause * 2)


def _tidied(place: Workplace, is_called_away: Callable[[], bool] = lambda: False) -> bool:
    """Whether the store is in order; what comes meanwhile goes first."""
    while place.store.tidy():
        place.inbox.take_from(place.spool)
        if is_called_away() or place.inbox.next_due() is not None:
            return False
    return True


def _saved(settings: Settings) -> int:
    """How many events wait, once those in the spool are safe, too."""
    file, inbox = open_inbox(settings)
    with closing(file):
        inbox.take_from(open_spool(settings))
        return inbox.counts()["waiting"]


def _is_due_soon(inbox: Inbox, deadline: float) -> bool:
    seconds = inbox.seconds_to_next()
    return seconds is not None and time.monotonic() + seconds < deadline
