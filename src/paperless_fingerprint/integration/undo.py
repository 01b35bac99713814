"""Taking back what the audit log says, the latest first."""

from __future__ import annotations

from paperless_fingerprint.integration.audit import Act
from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.merging.carry_out import take_back
from paperless_fingerprint.library import regroup
from paperless_fingerprint.library.clock import now_text


def last_acts(place: Workplace) -> list[Act]:
    """What one undo takes back: the latest act, and those that were made together with it."""
    standing = place.audit.standing()
    if not standing:
        return []
    batch = _batch(standing[0])
    return [act for act in standing if _batch(act) == batch]


def _batch(act: Act) -> str:
    return str(act.details.get("batch") or act.number)


def undo_last(place: Workplace, by: str = "command line") -> list[str]:
    """What was taken back, and what could not be; nothing where there is nothing to undo. Takes the
    library's lock."""
    said = []
    with place.lock.held():
        for act in last_acts(place):
            said += _taken_back(place, act, by)
    return said


def _taken_back(place: Workplace, act: Act, by: str) -> list[str]:
    if act.what == "merge":
        restored, problems = take_back(place, act, by)
        return [f"Document {id} was taken out of the trash." for id in restored] + [
            str(problem) for problem in problems
        ]
    if act.what == "primary":
        _unchoose(place, act)
        said = f"Document {act.document_id} is no longer chosen as the one to keep."
    else:
        said = f"Document {act.document_id}: '{act.what}' was done by an older version; undo it in Paperless."
    place.audit.write(now_text(), "undone", act.document_id, by, act=act.number)
    return [said]


def _unchoose(place: Workplace, act: Act) -> None:
    place.store.remove_decision(str(act.details.get("key", "")))
    members = {id for group in place.store.groups(ids=[act.document_id]) for id in group.members}
    if members:
        place.ledger.owe(members)
        regroup.refresh(place.store, place.settings, members)
