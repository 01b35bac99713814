"""What a person says in Paperless itself: a tag of ours taken off, or 'not a duplicate' put on.

Either becomes decisions, which outlive every re-analysis. That a tag is missing is believed only
where the ledger knows that it was there, where the tag itself still exists, and where a second look
finds it missing too: what was read a moment ago may be older than what we have written since.
Where our tag is young, or something else has changed as well, somebody may have saved a list that was
read before our tag came: it is put back once, and who takes it off again means it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.feedback.labels import Labels, Role
from paperless_fingerprint.integration.feedback.ledger import ADDING, ON, Mark, Written
from paperless_fingerprint.library.clock import text_at
from paperless_fingerprint.library.decisions import dismiss
from paperless_fingerprint.library.reach import circle, reach
from paperless_fingerprint.model import Relation
from paperless_fingerprint.stores.base import Store

BY = "Paperless"
_HEARD = "heard:not-duplicate"
_PUT_BACK = "heard:put-back"
#: For so long people may still save what they opened before our tag came.
_YOUNG = timedelta(minutes=10)
#: What people change along with the tags where they save a whole document.
_EDITED = ("title", "correspondent", "document_type", "created", "archive_serial_number", "owner")
_GROUPING = (Relation.EXACT, Relation.NEAR)
#: Which relations a tag speaks of.
RELATIONS_OF: dict[Role, tuple[Relation, ...]] = {
    Role.EXACT: _GROUPING,
    Role.NEAR: _GROUPING,
    Role.PRIMARY: _GROUPING,
    Role.VERSION: (Relation.VERSION,),
    Role.CONTAINS: (Relation.CONTAINS,),
    Role.SEMANTIC: (Relation.SEMANTIC,),
}


def hear(
    place: Workplace, tags_of: Mapping[int, Collection[int]], labels: Labels | None = None
) -> list[int]:
    """Which of these documents somebody has said something about; it is kept when this returns.

    `tags_of` is what Paperless has just told: document → its tags. Called before the documents are looked at anew, because it is about those that were their
    duplicates until now. The caller holds the library's lock.
    """
    if not tags_of:
        return []
    labels = labels or place.labels.get()
    rows = place.ledger.rows(tags_of.keys())
    heard = []
    for id, tags in tags_of.items():
        kinds = rows.get(id, {})
        missing = [
            role
            for role, number in labels.tags.items()
            if (written := kinds.get(f"tag:{role.value}")) is not None
            and written.state == ON
            and written.mark.number == number
            and number not in tags
        ]
        if missing:
            missing = _still_missing(place, id, missing, labels)
        gone = {f"tag:{role.value}": kinds[f"tag:{role.value}"] for role in missing}
        if gone and _PUT_BACK not in kinds and _may_be_unseen(place, id, gone, labels):
            _put_back(place, id, gone)
        elif missing:
            _dismiss_roles(place, id, missing)
            heard.append(id)
        if _hear_not_duplicate(place, id, tags, labels, known=_HEARD in kinds):
            heard.append(id)
    return heard


def hear_all(place: Workplace) -> list[int]:
    """Of the whole library: what somebody said since the last time."""
    labels = place.labels.get()
    numbers = {*labels.tags.values()} | ({labels.not_duplicate} if labels.not_duplicate else set())
    tagged = place.paperless.tagged(numbers)
    marked = {
        id
        for id, kinds in place.ledger.rows().items()
        if any(kind.startswith(("tag:", "heard:")) for kind in kinds)
    }
    there = place.store.metadata(marked | tagged.keys()).keys()
    return hear(place, {id: tagged.get(id, ()) for id in sorted(there)})


def _still_missing(place: Workplace, id: int, roles: Sequence[Role], labels: Labels) -> list[Role]:
    """A second look, now that nobody else writes; and the tag itself must not have been deleted."""
    there = place.paperless.tags_and_fields([id]).get(id)
    if there is None:
        return []
    known = {tag.id for tag in place.paperless.tags()}
    if not {labels.tags[role] for role in roles} <= known:
        place.say("A tag of ours was deleted in Paperless; nothing is concluded from that.")
        place.labels.forget()
    return [r for r in roles if labels.tags[r] not in there[0] and labels.tags[r] in known]


def _may_be_unseen(place: Workplace, id: int, gone: Mapping[str, Written], labels: Labels) -> bool:
    """Whether somebody may have saved what was read before these tags came."""
    if max(written.mark.value for written in gone.values()) > _before(_YOUNG):
        return True
    stored = place.store.metadata([id]).get(id)
    found = next(iter(place.paperless.documents(ids=[id])), None)
    if stored is None or found is None:
        return False
    names = {tag.id: tag.name for tag in place.paperless.tags()}
    known = {*labels.own_tags, labels.not_duplicate}
    now = {names.get(tag, "") for tag in found.tag_ids if tag not in known}
    return now != set(stored.tags) - {names.get(labels.not_duplicate or 0)} or any(
        getattr(found.document, name) != getattr(stored, name) for name in _EDITED
    )


def _before(age: timedelta) -> str:
    return text_at(datetime.now(UTC) - age)


def _put_back(place: Workplace, id: int, rows: Mapping[str, Written]) -> None:
    place.ledger.put(
        [(id, _PUT_BACK, Mark(0), ON)]
        + [(id, kind, written.mark, ADDING) for kind, written in rows.items()]
    )
    place.ledger.owe([id])
    place.say(
        f"Document {id}: our tag is gone again; whoever saved the document may not have seen it yet. "
        "It is put back once; whoever takes it off again is heard."
    )


def _dismiss_roles(place: Workplace, id: int, roles: Sequence[Role]) -> None:
    place.ledger.owe(reach(place.store, [id]))
    for relation, others in _present(place.store, id, roles).items():
        if others:
            dismiss(place.store, place.settings, id, *others, by=BY, relation=relation)
    names = ", ".join(role.value for role in roles)
    place.say(f"Document {id}: the tag ({names}) was taken off in Paperless, which is kept.")
    # Only now: whoever dies before does it all again.
    place.ledger.drop([(id, _PUT_BACK), *((id, f"tag:{role.value}") for role in roles)])


def _present(store: Store, id: int, roles: Sequence[Role]) -> dict[Relation, set[int]]:
    """Relation → the documents that it is dismissed with."""
    found: dict[Relation, set[int]] = {}
    for relation in {relation for role in roles for relation in RELATIONS_OF[role]}:
        others = found.setdefault(relation, set())
        for link in store.links(ids=[id]):
            if link.relation is relation:
                others |= {link.a, link.b}
        if relation in _GROUPING:
            for group in store.groups(ids=[id]):
                others |= set(group.members)
        if relation is Relation.VERSION:
            for chain in store.chains([id]):
                others |= set(chain.members)
        others.discard(id)
    return found


def _hear_not_duplicate(
    place: Workplace, id: int, tags: Collection[int], labels: Labels, *, known: bool
) -> bool:
    """Once each time that the tag is put on; with those that are its duplicates then."""
    tag = labels.not_duplicate
    said = tag is not None and tag in tags
    if said == known:
        return False
    if not said:
        place.ledger.drop([(id, _HEARD)])
        return False
    others = circle(place.store, [id]) - {id}
    if others:
        place.ledger.owe(reach(place.store, [id]))
        dismiss(place.store, place.settings, id, *others, by=BY)
        place.say(f"Document {id} is no duplicate, as its tag in Paperless says.")
    if not place.store.metadata([id]) or _waits(place.store, id):
        return bool(others)  # it has not been compared yet: what is found then is meant, too
    place.ledger.put([(id, _HEARD, Mark(tag or 0), ON)])
    return bool(others)


def _waits(store: Store, id: int) -> bool:
    return bool(store.pending(ids=[id]))
