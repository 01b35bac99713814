"""Merging copies into the one to keep: what people gave them is carried over, then they go to the
trash. A preview says beforehand what would happen; the audit log says afterwards what did."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from paperless_fingerprint.errors import PaperlessError, UsageError
from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.feedback import dead_links
from paperless_fingerprint.integration.feedback.dead_links import numbers_of
from paperless_fingerprint.integration.feedback.plan import NOTE_BEGINS
from paperless_fingerprint.integration.feedback.tell import tell
from paperless_fingerprint.integration.updates import analyse_waiting, remove
from paperless_fingerprint.library.clock import now_text
from paperless_fingerprint.library.compare import what_was_edited
from paperless_fingerprint.paperless.client import BulkResult
from paperless_fingerprint.paperless.records import PaperlessDocument
from paperless_fingerprint.paperless.refusals import DeniedError


class NotCarriedOverError(PaperlessError):
    """What the copies have cannot be given to the one to keep; so they stay."""


@dataclass(frozen=True, slots=True)
class MergePreview:
    primary: int
    copies: tuple[int, ...]
    #: Tag id → name; what the primary lacks.
    tags: tuple[tuple[int, str], ...] = ()
    #: Name → new value, where the primary has none: correspondent, document_type (ids).
    details: tuple[tuple[str, int, str], ...] = ()
    #: Field id → value, where the primary has none.
    fields: tuple[tuple[int, Any], ...] = ()
    #: Texts that people wrote beside the copies, where the primary has none of that text.
    notes: tuple[str, ...] = ()
    #: What will be lost with a copy, because the primary says something else.
    conflicts: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "primary": self.primary,
            "to_trash": list(self.copies),
            "tags": [name for _, name in self.tags],
            "details": {name: shown for name, _, shown in self.details},
            "fields": {str(number): value for number, value in self.fields},
            "notes": list(self.notes),
            "conflicts": list(self.conflicts),
        }

    def in_words(self) -> list[str]:
        lines = [f"Document {self.primary} is kept."]
        if self.tags:
            lines.append(
                "It gets the tags " + ", ".join(f"'{name}'" for _, name in self.tags) + "."
            )
        lines += [f"It gets the {name} '{shown}'." for name, _, shown in self.details]
        if self.fields:
            lines.append(f"It gets {len(self.fields)} custom fields.")
        if self.notes:
            lines.append(f"It gets {len(self.notes)} notes, in the name of this token's user.")
        lines += self.conflicts
        lines += [f"Document {id} goes to the trash of Paperless." for id in self.copies]
        return lines


@dataclass(frozen=True, slots=True)
class MergeReport:
    preview: MergePreview
    trashed: tuple[int, ...] = ()
    refused: tuple[tuple[int, str], ...] = ()


def preview(place: Workplace, primary: int, copies: Collection[int]) -> MergePreview:
    """Reads from Paperless, where the truth is, and writes nothing."""
    wanted = sorted(set(copies) - {primary})
    found = {each.id: each for each in place.paperless.documents(ids=[primary, *wanted])}
    missing = [id for id in (primary, *wanted) if id not in found]
    if missing or not wanted:
        named = ", ".join(map(str, missing)) or "no copy at all"
        raise UsageError(
            f"There is nothing to merge: {named} cannot be seen in Paperless. Nothing was changed."
        )
    return compare(place, found[primary], [found[id] for id in wanted])


def compare(
    place: Workplace, primary: PaperlessDocument, copies: Sequence[PaperlessDocument]
) -> MergePreview:
    labels = place.labels.get()
    ours = {*labels.own_tags, *([labels.not_duplicate] if labels.not_duplicate else [])}
    tags: dict[int, str] = {}
    details: dict[str, tuple[int, str]] = {}
    fields: dict[int, Any] = {}
    conflicts: list[str] = []
    edited = {
        copy.id: what_was_edited(place.store, place.settings, primary.id, copy.id)
        for copy in copies
    }
    for id, changes in edited.items():
        for stays, goes in changes[:1]:
            conflicts.append(
                f"Document {id} stays: it says '{goes}' where document {primary.id} says '{stays}', "
                "and both can be read well."
            )
    copies = [copy for copy in copies if not edited[copy.id]]
    going = {copy.id for copy in copies}
    linkable = place.paperless.changeable_ids(
        n for copy in copies for value in copy.custom_fields.values() for n in numbers_of(value)
    )
    for copy in copies:
        named = zip(copy.tag_ids, copy.document.tags, strict=True)
        known = ours.union(primary.tag_ids)
        tags |= {number: name for number, name in named if number not in known}
        for what, own, other, shown in (
            ("correspondent", primary.correspondent_id, copy.correspondent_id,
             copy.document.correspondent),
            ("document_type", primary.document_type_id, copy.document_type_id,
             copy.document.document_type),
        ):  # fmt: skip
            if other is None or other == own:
                continue
            if own is None and details.get(what, (other, ""))[0] == other:
                details[what] = (other, shown or "")
            else:
                conflicts.append(
                    f"The {what.replace('_', ' ')} '{shown}' of document {copy.id} is not carried "
                    "over: the one that is kept has another."
                )
        for number, value in copy.custom_fields.items():
            if number in labels.own_fields or value is None:
                continue
            kept = value
            if isinstance(value, list):
                # Links to what goes, to the document itself, or to what is gone already.
                kept = [n for n in value if n in linkable and n not in going | {primary.id}]
            if primary.custom_fields.get(number) is None and fields.get(number, kept) == kept:
                if kept != []:
                    fields[number] = kept
            elif primary.custom_fields.get(number) != value:
                conflicts.append(
                    f"A custom field ({number}) of document {copy.id} is not carried over: the one "
                    "that is kept has another value."
                )
        serial = copy.document.archive_serial_number
        if serial is not None:
            conflicts.append(
                f"The archive serial number {serial} of document {copy.id} goes to the trash with "
                "it: Paperless gives a number to one document alone."
            )
    notes = _notes(place, primary.id, going, conflicts)
    return MergePreview(
        primary.id,
        tuple(sorted(going)),
        tuple(sorted(tags.items())),
        tuple((what, number, shown) for what, (number, shown) in sorted(details.items())),
        tuple(sorted(fields.items())),
        notes,
        tuple(conflicts),
    )


def _notes(
    place: Workplace, primary: int, going: Collection[int], conflicts: list[str]
) -> tuple[str, ...]:
    try:
        there = {note.text for note in place.paperless.notes(primary)}
        found = [note.text for id in sorted(going) for note in place.paperless.notes(id)]
    except DeniedError as error:
        if error.status != HTTPStatus.FORBIDDEN:
            raise
        conflicts.append(
            "Notes cannot be seen with this token: those of what goes to the trash go with it."
        )
        return ()
    return tuple(
        dict.fromkeys(n for n in found if n not in there and not n.startswith(NOTE_BEGINS))
    )


def merge(place: Workplace, planned: MergePreview, by: str, *, batch: int = 0) -> MergeReport:
    """Each step is in the audit log before it is made. The caller holds the library's lock.

    `batch` is the number of the act that this belongs to, and is undone with.
    """
    paperless, audit = place.paperless, place.audit
    if planned.tags or planned.details or planned.fields or planned.notes:
        act = audit.write(
            now_text(),
            "merge",
            planned.primary,
            by,
            tags=[number for number, _ in planned.tags],
            details={what: number for what, number, _ in planned.details},
            fields=[number for number, _ in planned.fields],
            notes=planned.notes,
            batch=batch,
        )
        batch = batch or act.number
        given = BulkResult()
        if planned.tags:
            given += paperless.modify_tags([planned.primary], add=[n for n, _ in planned.tags])
        if planned.details:
            told = {what: number for what, number, _ in planned.details}
            paperless.change_document(planned.primary, **told)
        if planned.fields:
            given += paperless.modify_custom_fields([planned.primary], values=dict(planned.fields))
        for refusal in given.refused:
            raise _not_carried_over(planned.primary, refusal.reason)
        try:
            for text in planned.notes:
                paperless.add_note(planned.primary, text)
        except DeniedError as error:
            if error.status != HTTPStatus.FORBIDDEN:
                raise
            raise _not_carried_over(planned.primary, "may get no notes with this token") from error
    trashed: list[int] = []
    refused: list[tuple[int, str]] = []
    titles = place.store.metadata(planned.copies)
    for id in planned.copies:
        title = titles[id].title if id in titles else ""
        links = dead_links.links_of(place, id)
        act = audit.write(
            now_text(), "trash", id, by, primary=planned.primary, title=title, batch=batch,
            links=dead_links.of_people(place, id, links),
        )  # fmt: skip
        batch = batch or act.number
        dead_links.take_off(place, id, links)
        result = paperless.move_to_trash([id])
        trashed += result.done
        for refusal in result.refused:
            dead_links.put_back(place, id, {str(field): value for field, value in links.items()})
            refused.append((refusal.id, refusal.reason))
            audit.write(now_text(), "undone", id, by, act=act.number, why=refusal.reason)
    analyse_waiting(place, remove(place, trashed))
    tell(place)
    return MergeReport(planned, tuple(trashed), tuple(refused))


def _not_carried_over(primary: int, why: str) -> NotCarriedOverError:
    return NotCarriedOverError(
        f"Document {primary} {why}, so that it cannot get what the others have. Nothing was moved to "
        "the trash."
    )
