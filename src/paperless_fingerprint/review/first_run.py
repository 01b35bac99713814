"""Before anything is there: whether everything is connected, and the first sync."""

from __future__ import annotations

from dataclasses import dataclass

from paperless_fingerprint.checkup import library
from paperless_fingerprint.checkup.finding import Finding
from paperless_fingerprint.errors import FingerprintError, UsageError
from paperless_fingerprint.integration.feedback.asked import ask_for_all
from paperless_fingerprint.integration.sync import CURSOR_NOTE, begin, is_begun
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.review import preview
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.service import Review


@dataclass(frozen=True, slots=True)
class FirstRun:
    checks: tuple[Finding, ...]
    ok: bool
    #: Whether a first sync was ever started; until then it is offered.
    begun: bool
    #: Whether it has come to its end.
    synced: bool
    documents: int
    #: How many documents it would fetch; None where it has begun, or where that cannot be told.
    in_paperless: int | None
    may_start: bool


def look(review: Review, person: Person) -> FirstRun:
    """As `doctor` looks. What it finds names addresses and paths, so it is for superusers alone."""
    begun, synced = _state(review)
    if not person.superuser:
        return FirstRun((), synced, begun, synced, 0, None, False)
    found = library.examine(review.settings, thoroughly=False)
    checks = found.findings
    ok = all(check.ok for check in checks)
    expected = None if begun else _in_paperless(review)
    return FirstRun(
        checks, ok, begun, synced, len(review.mirror.catalogue.documents), expected, True
    )


def labels(review: Review) -> preview.LabelsView:
    return preview.of_all(review)


def write_all(review: Review, person: Person) -> None:
    """An act of its own: what somebody decides is written without it, and nothing else."""
    if not person.superuser:
        raise PermissionError(
            _("Only a Paperless superuser can write tags and links for the whole library.")
        )
    if not review.settings.paperless.write:
        raise UsageError(_("Writing to Paperless is switched off: [paperless] write is false."))
    ask_for_all(review.store)
    review.worker.write_all_soon()


def is_needed(review: Review) -> bool:
    """Whether the first page that somebody opens should be this one: cheap, for every sign-in."""
    return (
        bool(review.settings.paperless.url)
        and not review.mirror.catalogue.documents
        and not _state(review)[1]
    )


def _state(review: Review) -> tuple[bool, bool]:
    """Whether a first sync has begun, and whether it has come to its end."""
    try:
        return is_begun(review.store), CURSOR_NOTE in review.store.notes()
    except FingerprintError:
        return False, False


def _in_paperless(review: Review) -> int | None:
    try:
        return review.paperless.count()
    except FingerprintError:
        return None  # the checks say why


def start(review: Review, person: Person) -> None:
    """Sync now, and do not wait for the next time that is due, or for anybody else to begin."""
    if not person.superuser:
        raise PermissionError(_("Only a Paperless superuser can start a sync."))
    # Written down first: whatever dies now, the next start goes on.
    begin(review.store)
    review.worker.sync_soon()
