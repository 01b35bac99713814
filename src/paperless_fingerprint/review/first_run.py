"""Before anything is there: whether everything is connected, and the first sync."""

from __future__ import annotations

from paperless_fingerprint import checkup
from paperless_fingerprint.errors import FingerprintError
from paperless_fingerprint.review.desk import Desk
from paperless_fingerprint.review.people import Person
from paperless_fingerprint.review.shapes import Check, FirstRun
from paperless_fingerprint.sync import CURSOR_NOTE


def look(desk: Desk, person: Person) -> FirstRun:
    """As `doctor` looks. What it finds names addresses and paths, so it is for superusers alone."""
    synced, documents = _state(desk)
    if not person.superuser:
        return FirstRun((), synced, synced, 0, False)
    found = checkup.examine(desk.settings)
    checks = tuple(Check(each.part, each.ok, each.message) for each in found.findings)
    return FirstRun(checks, all(check.ok for check in checks), synced, documents, True)


def is_needed(desk: Desk) -> bool:
    """Whether the first page that somebody opens should be this one: cheap, for every sign-in."""
    return not desk.catalogue.documents and not _state(desk)[0]


def _state(desk: Desk) -> tuple[bool, int]:
    try:
        return CURSOR_NOTE in desk.store.notes(), len(desk.catalogue.documents)
    except FingerprintError:
        return False, 0


def start(desk: Desk, person: Person) -> None:
    """Sync now, and do not wait for the next time that is due."""
    if not person.superuser:
        raise PermissionError("Only a superuser of Paperless can start a sync.")
    desk.worker.sync_soon()
