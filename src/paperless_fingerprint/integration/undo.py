"""Taking back what the audit log says, the latest first."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from paperless_fingerprint.integration.audit import Act
from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.feedback import dead_links
from paperless_fingerprint.library import regroup
from paperless_fingerprint.library.clock import now_text


def last_acts(place: Workplace) -> list[Act]:
    """What one undo takes back: the latest act, and those that were made together with it."""
    standing = place.audit.standing()
    if not standing:
        return []
    batch = _batch(standing[0])
    return [act for act in standing if _batch(act) == batch]


def _batch(act: Act) -> int:
    return int(act.details.get("batch") or act.number)


def undo_last(place: Workplace, by: str = "command line") -> list[str]:
    """A sentence for each act; nothing where there is nothing to undo. Takes the library's lock."""
    said = []
    with place.lock.held():
        for act in last_acts(place):
            why = _UNDO[act.what](place, act) if act.what in _UNDO else ""
            place.audit.write(now_text(), "undone", act.document_id, by, act=act.number, why=why)
            said.append(why or _DONE[act.what].format(act.document_id))
    return said


def _untrash(place: Workplace, act: Act) -> str:
    result = place.paperless.restore([act.document_id])
    if act.document_id not in result.done:
        return f"Document {act.document_id} {result.refused[0].reason}."
    dead_links.put_back(place, act.document_id, act.details.get("links") or {})
    # It comes in as every other document does.
    place.inbox.add([act.document_id])
    return ""


def _unmerge(place: Workplace, act: Act) -> str:
    id = act.document_id
    found = {each.id: each for each in place.paperless.documents(ids=[id])}.get(id)
    if found is None:
        return f"Document {id} can no longer be seen in Paperless."
    parents = {tag.parent for tag in place.paperless.tags() if tag.id in found.tag_ids}
    # A parent tag would take along what somebody has put below it since.
    tags = [n for n in act.details.get("tags", ()) if n in found.tag_ids and n not in parents]
    if tags:
        place.paperless.modify_tags([id], remove=tags)
    now = {"correspondent": found.correspondent_id, "document_type": found.document_type_id}
    details: Mapping[str, int] = act.details.get("details", {})
    back = {what: None for what, number in details.items() if now.get(what) == number}
    if back:
        place.paperless.change_document(id, **back)
    fields = [n for n in act.details.get("fields", ()) if n in found.custom_fields]
    if fields:
        place.paperless.modify_custom_fields([id], remove=fields)
    texts = set(act.details.get("notes", ()))
    for note in place.paperless.notes(id) if texts else ():
        if note.text in texts:
            place.paperless.delete_note(id, note.id)
    place.inbox.add([id])
    return ""


def _unchoose(place: Workplace, act: Act) -> str:
    place.store.remove_decision(str(act.details.get("key", "")))
    members = {id for group in place.store.groups(ids=[act.document_id]) for id in group.members}
    if members:
        place.ledger.owe(members)
        regroup.refresh(place.store, place.settings, members)
    return ""


_UNDO: Mapping[str, Callable[[Workplace, Act], str]] = {
    "trash": _untrash, "merge": _unmerge, "primary": _unchoose
}  # fmt: skip
_DONE: Mapping[str, str] = {
    "trash": "Document {} was taken out of the trash.",
    "merge": "Document {} has lost what it got from its copies.",
    "primary": "Document {} is no longer chosen as the one to keep.",
}
