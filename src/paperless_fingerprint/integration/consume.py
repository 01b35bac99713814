"""What happens for one document: fetched, taken in, compared, and Paperless told.

Every step may be done twice, and each is durable before the next one begins: a run that dies at any
line is repaired by doing the document again, which the inbox sees to.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from paperless_fingerprint.errors import FingerprintError, PaperlessError, StoreError, unexpected
from paperless_fingerprint.integration import replace as policies
from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.feedback.tell import tell
from paperless_fingerprint.integration.inbox import Event
from paperless_fingerprint.integration.renewal import renew
from paperless_fingerprint.integration.updates import analyse_waiting, remove
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.library.intake import SPEC_NOTE
from paperless_fingerprint.paperless.records import Stamp
from paperless_fingerprint.paperless.refusals import MissingError


class OutageError(PaperlessError):
    """Paperless or the store is away: nobody's fault, and everything waits."""


@dataclass(frozen=True, slots=True)
class Outcome:
    document_id: int
    #: 'done', or 'gone' where it does not exist, lies in the trash, or may not be seen.
    state: str
    #: How many documents it is connected with.
    connected: int = 0
    problems: tuple[str, ...] = ()


def consume(place: Workplace, document_id: int) -> Outcome:
    """One document as it is now. The caller holds the library's lock."""
    try:
        found, connected = renew(place, document_id, is_news=True)
    except MissingError:
        # Those that were connected with it are looked at anew.
        analyse_waiting(place, remove(place, [document_id]))
        return Outcome(document_id, "gone", 0, tell(place).problems)
    policies.after_consumption(place, found.id)
    told = tell(place)
    place.ledger.saw([Stamp(found.id, found.document.modified or "")])
    return Outcome(found.id, "done", connected, told.problems)


def found(place: Workplace, document_id: int) -> Outcome:
    """As it stands in the library, by whomever it was done."""
    around = place.store.connections([document_id])
    state = "done" if place.store.metadata([document_id]) else "gone"
    return Outcome(document_id, state, len(around.ids - {document_id}))


@dataclass(slots=True)
class DrainReport:
    done: int = 0
    ids: list[int] = field(default_factory=list)
    gone: int = 0
    tried: int = 0
    #: Why the work has stopped although documents wait.
    outage: Reason | None = None


def drain(place: Workplace, stop: threading.Event | None = None) -> DrainReport:
    """All events whose time has come, in their order. Ends at the first sign of an outage."""
    report = DrainReport()
    named = False
    while not (stop and stop.is_set()):
        try:
            place.inbox.take_from(place.spool)
        except FingerprintError as error:
            place.say(str(error))  # what is in the inbox already can be done
        with place.turn.held(), place.lock.held():
            event = place.inbox.next_due()
            if event is None:
                break
            try:
                if not named:
                    _name_spec(place, event)
                    named = True
                outcome = do_event(place, event)
            except OutageError as error:
                report.outage = Reason.of_error(error)
                break
        if outcome is None:
            report.tried += 1
        elif outcome.state == "gone":
            report.gone += 1
        else:
            report.done += 1
            report.ids.append(outcome.document_id)
    return report


def _name_spec(place: Workplace, event: Event) -> None:
    """A library that begins with an event says, as any other, how its fingerprints are taken."""
    try:
        if SPEC_NOTE not in place.store.notes():
            place.store.put_notes({SPEC_NOTE: place.settings.spec().id})
    except StoreError as error:
        place.inbox.held_up(event, str(error))
        raise OutageError(Reason.of_error(error)) from error


def do_event(place: Workplace, event: Event) -> Outcome | None:
    """None where the document failed, which is written down; OutageError where nothing works."""
    try:
        outcome = consume(place, event.document_id)
    except Exception as error:
        # Whatever one document does, the others are done. What it was is kept beside the event.
        is_ours = isinstance(error, FingerprintError)
        secrets = place.settings.secrets()
        why = str(error) if is_ours else unexpected(error, secrets, known=event.error)
        if isinstance(error, StoreError | PaperlessError) and _is_outage(place, event):
            place.inbox.held_up(event, why)
            raise OutageError(Reason.of_error(error)) from error
        last = place.inbox.failed(event, why)
        tail = " That was the last try; 'paperless-fingerprint inbox retry' tries again."
        place.say(f"Document {event.document_id} failed: {why}{tail if last else ''}")
        return None
    place.inbox.done(event)
    for problem in outcome.problems:
        place.say(problem)
    return outcome


def _is_outage(place: Workplace, event: Event) -> bool:
    """Whether anything works at all; one ill document must not hold up the others."""
    try:
        place.store.notes()
        place.paperless.visible_ids([event.document_id])
    except FingerprintError:
        return True
    return False
