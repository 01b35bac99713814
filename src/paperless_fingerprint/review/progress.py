"""What is going on, for people: the worker, the inbox, and what has failed."""

from __future__ import annotations

from dataclasses import dataclass

from paperless_fingerprint.errors import FingerprintError
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.library.clock import text_of
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.service.live import STEPS

_FAILURES = 100


@dataclass(frozen=True, slots=True)
class FailedDocument:
    document: int
    title: str
    error: str
    tries: int
    #: 'waiting' (is tried again by itself) or 'failed' (rests until somebody retries it).
    state: str
    noticed: str


@dataclass(frozen=True, slots=True)
class ProgressView:
    """What is being done now; changes of it come through /api/events."""

    #: 'ok', 'waiting' (something is away) or 'down'.
    status: str
    #: Why; empty where all is well. For people without superuser only that something is away.
    trouble: str
    #: 'fetch documents', 'compare pairs' …; empty where nothing long is going on.
    doing: str
    done: int
    total: int | None
    #: Estimated from the pace so far; None where it cannot be told.
    seconds_left: float | None
    #: None for people without superuser: what others have sent in is not their business.
    inbox_waiting: int | None
    inbox_failed: int | None
    decisions_waiting: int
    last_sync_at: str | None
    #: Nothing was ever fetched from Paperless: somebody has to start that.
    first_sync_waits: bool = False
    failures: tuple[FailedDocument, ...] = ()
    #: The last lines of the worker's log, newest last; superusers only.
    log: tuple[str, ...] = ()
    #: Grows with every change.
    version: int = 0
    #: Which step of a sync this is, counted from 1, and of how many; None outside of a sync.
    step: int | None = None
    steps: int | None = None


def now(review: Review, person: Person) -> ProgressView:
    worker, live = review.worker, review.live
    # Before all else: what changes while we look has a later version, and is looked at once more.
    version = live.version
    vitals, doing = worker.vitals, live.doing
    # A stretch that has come to its end stays as the last one told until the next begins.
    busy = bool(doing.what) and (doing.total is None or doing.done < doing.total)
    counts: dict[str, int] = {}
    trouble = str(vitals.trouble or review.trouble or "")
    try:
        counts = worker.inbox.counts()
        failures = _failures(review, person)
    except FingerprintError as error:
        trouble, failures = str(error), ()
    if trouble and not person.superuser:
        trouble = _(
            "Paperless or the library cannot be reached. What is waiting is saved and done later."
        )
    everything = person.superuser
    return ProgressView(
        "down" if not worker.is_alive else "waiting" if trouble else "ok",
        trouble,
        doing.what if busy else "",
        doing.done if busy else 0,
        doing.total if busy else None,
        live.seconds_left() if busy else None,
        counts.get("waiting") if everything else None,
        counts.get("failed") if everything else None,
        len(review.journal.waiting()) if everything else 0,
        _moment(vitals.last_sync_at),
        vitals.first_sync_waits,
        failures,
        tuple(live.lines) if everything else (),
        version,
        doing.step if busy else None,
        len(STEPS) if busy and doing.step else None,
    )


def to_review(review: Review, person: Person) -> int | None:
    """How many entries wait for somebody; None where nothing was ever read."""
    if not review.mirror.catalogue.ready:
        return None
    counts = {each.name: each.count for each in review.mirror.sight(person).states}
    return counts.get("open", 0)


def _moment(seconds: float) -> str | None:
    return text_of(seconds) if seconds else None


def _failures(review: Review, person: Person) -> tuple[FailedDocument, ...]:
    found = []
    for event in review.worker.inbox.failures(_FAILURES):
        document = review.mirror.catalogue.documents.get(event.document_id)
        if person.superuser or (document is not None and person.may_see(document)):
            found.append(
                FailedDocument(
                    event.document_id,
                    document.title if document else "",
                    # Errors may name other documents, paths and addresses.
                    event.error if person.superuser else _("It could not be processed."),
                    event.tries,
                    event.state,
                    event.noticed,
                )
            )
    return tuple(found)


def retry(review: Review, person: Person, ids: list[int] | None = None) -> int:
    """Try failures again now; all of them where none is named. Says how many."""
    if not person.superuser:
        raise PermissionError(_("Only a Paperless superuser can retry failed documents."))
    count = review.worker.inbox.retry(ids)
    review.worker.wake()
    return count
