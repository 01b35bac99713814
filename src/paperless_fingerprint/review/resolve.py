"""One item brought to its end: some are kept, the first of them gets what people gave to the others,
and those go to Paperless's trash.

Looked at with the rights of the person who asks, in Paperless itself; carried out by the service
(merge_runner.py), which looks at those rights again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.integration.feedback.labels import Labels, OwnLabels
from paperless_fingerprint.integration.feedback.plan import NOTE_BEGINS
from paperless_fingerprint.integration.feedback.plan_in_words import Write
from paperless_fingerprint.integration.merging.losing_sight import LosingSight, losing_sight
from paperless_fingerprint.integration.merging.plan import (
    NOTES,
    TAGS,
    Choice,
    MergePlan,
    Stay,
    Taken,
    field_key,
    field_of,
)
from paperless_fingerprint.integration.merging.read import differing, planned
from paperless_fingerprint.integration.merging.words import Names
from paperless_fingerprint.languages import figures, locale, mark, ngettext
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.library.clock import now_text
from paperless_fingerprint.paperless.client import PaperlessClient
from paperless_fingerprint.paperless.records import HELD_VALUES, Holding
from paperless_fingerprint.review import journal as journals
from paperless_fingerprint.review.decide import (
    Conflict,
    DecisionOutcome,
    Forbidden,
    act_of,
    look_again,
)
from paperless_fingerprint.review.differences import about_to_compare
from paperless_fingerprint.review.merge_orders import MergeOrder, why_not
from paperless_fingerprint.review.orders import DecisionOrder
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.preview import labels_if
from paperless_fingerprint.review.queue import entry_of, item_of, parsed
from paperless_fingerprint.review.queue_entry import QueueEntry
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.review.views_queue import Item

VERDICT = "resolve"
#: Shown beside what can be chosen.
FILE = "file"
_NAMED = {
    "title": mark("Title"), "correspondent": mark("Correspondent"),
    "document_type": mark("Document type"), "storage_path": mark("Storage path"),
    "created": mark("Date"), "archive_serial_number": mark("Archive serial number"),
    "owner": mark("Owner"),
}  # fmt: skip
#: Looked at side by side; more of them are a matter for many at once.
MOST_MEMBERS = 100


@dataclass(frozen=True, slots=True)
class ResolveOrder:
    """What to keep of one item, and what it gets."""

    item: str
    #: The first gets what the others have; none is the one to keep. All others go to the trash.
    keep: tuple[int, ...] = ()
    #: Whose value it gets, where that shall not be the fuller one, or the union of tags and notes.
    take: tuple[Taken, ...] = ()
    #: These go although well read texts say different things.
    despite: tuple[int, ...] = ()
    #: The `seen` of the preview, so that nobody decides on what is no longer so.
    seen: str = ""


@dataclass(frozen=True, slots=True)
class FieldValue:
    document: int
    #: As people read it; empty where there is none.
    value: str


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One thing that the documents have, side by side."""

    #: 'title' and the like, 'field:3', 'tags', 'notes'; 'file', of which nothing can be chosen.
    key: str
    #: The name of a custom field; else the key.
    name: str
    values: tuple[FieldValue, ...]
    differs: bool
    #: What the kept one has afterwards.
    becomes: str
    #: Whose value that is; None is all of them together.
    source: int | None
    #: Whether the values are dates, 'YYYY-MM-DD'.
    is_date: bool = False


@dataclass(frozen=True, slots=True)
class LostValue:
    document: int
    key: str
    name: str
    value: str
    is_date: bool = False


@dataclass(frozen=True, slots=True)
class Resolution:
    """What would happen to one item. Nothing has."""

    item: Item
    keep: tuple[int, ...]
    trash: tuple[int, ...]
    #: What differs first.
    rows: tuple[FieldRow, ...]
    #: Documents that stay although they were to go, and why.
    stay: tuple[Stay, ...]
    lost: tuple[LostValue, ...]
    #: Exactly what Paperless would be told.
    writes: tuple[Write, ...]
    #: Who could see none of it any more.
    losing_sight: tuple[LosingSight, ...]
    #: Why this person may not do it; empty where it may be done.
    may_not: str
    #: Hand this back to do it.
    seen: str


@dataclass(frozen=True, slots=True)
class _Found:
    entry: QueueEntry
    item: Item
    choice: Choice
    held: Mapping[int, Holding]
    labels: Labels
    plan: MergePlan

    @property
    def seen(self) -> str:
        return f"{self.item.seen}-{self.plan.seen}"


def look(
    review: Review, person: Person, paperless: PaperlessClient, order: ResolveOrder
) -> Resolution:
    """`paperless` has the person's own rights."""
    found = _found(review, person, paperless, order)
    plan, names = found.plan, Names(paperless)
    rows = sorted(_rows(found, names), key=lambda row: not row.differs)
    lost = tuple(
        LostValue(
            loss.document, loss.key, names.of_key(loss.key),
            _read(names, loss.key, loss.value if loss.key != NOTES else [loss.value]),
            names.is_date(loss.key),
        )
        for loss in plan.losses
    )  # fmt: skip
    writes = tuple(_writes(review, person, found, names))
    why = why_not(person, found.held, plan)
    # Who else sees a document is the business of those who may give it away.
    hidden = () if why else losing_sight(plan, review.mirror.catalogue.documents, names)
    return Resolution(
        found.item, plan.keep, plan.trash, tuple(rows), plan.stay, lost, writes, tuple(hidden),
        str(why or ""), found.seen,
    )  # fmt: skip


def resolve(
    review: Review, person: Person, paperless: PaperlessClient, order: ResolveOrder
) -> DecisionOutcome:
    """Kept when this returns; carried out mostly."""
    if not review.settings.paperless.write:
        raise UsageError(_("Writing to Paperless is switched off in the settings."))
    look_again(review.mirror, [id for id in parsed(order.item)[1:] if id])
    found = _found(review, person, paperless, order)
    why = why_not(person, found.held, found.plan)
    if why:
        raise Forbidden(str(why))
    with review.deciding:
        sight = review.mirror.sight(person)
        waiting = review.journal.waiting_about()
        now = item_of(review.mirror, sight, entry_of(sight, order.item), waiting)
        if order.seen != found.seen or now.seen != found.item.seen:
            happened = _(
                "The documents have changed in Paperless since you looked, or somebody has decided "
                "about them. Nothing was done. Look again before you decide."
            )
            told = DecisionOrder(order.item, VERDICT, order.seen)
            return DecisionOutcome(conflicts=(Conflict(told, happened, now),))
        if not found.plan.trash:
            raise UsageError(
                _("Nothing would go to the trash: all documents stay. To keep all, confirm them.")
            )
        act = journals.JournalEntry(
            0, now_text(), person.id, person.name, VERDICT, order.item,
            (*found.plan.keep, *found.plan.trash), steps_of(found.plan),
            ordered=MergeOrder(person, found.choice, found.plan.seen).as_text(),
        )  # fmt: skip
        [kept] = review.journal.add([act])
    review.merges.carry_out_soon([kept.number])
    return DecisionOutcome((act_of(person, review.journal.get(kept.number) or kept),))


def steps_of(plan: MergePlan) -> tuple[journals.DecisionStep, ...]:
    """What is kept beside the first is not asked about again."""
    trash = journals.DecisionStep(journals.TRASH, plan.gets, plan.trash)
    others = plan.keep[1:]
    return (trash, journals.DecisionStep("confirm", plan.gets, others)) if others else (trash,)


def _found(
    review: Review, person: Person, paperless: PaperlessClient, order: ResolveOrder
) -> _Found:
    sight = review.mirror.sight(person)
    entry = entry_of(sight, order.item)
    item = item_of(review.mirror, sight, entry, review.journal.waiting_about())
    if len(entry.members) > MOST_MEMBERS:
        raise UsageError(
            ngettext(
                "An entry of %(size)s documents cannot be shown side by side; at most %(num)s can.",
                "An entry of %(size)s documents cannot be shown side by side; at most %(num)s can.",
                MOST_MEMBERS,
                size=len(entry.members),
            )
        )
    keep = order.keep or (entry.primary or entry.members[0],)
    strangers = set(keep) - set(entry.members)
    if strangers:
        raise UsageError(_("Document %(id)s is not in this entry.", id=min(strangers)))
    trash = tuple(id for id in entry.members if id not in keep)
    choice = Choice(tuple(keep), trash, order.take, order.despite)
    held = paperless.holdings(entry.members)
    missing = [id for id in entry.members if id not in held]
    if missing:
        raise UsageError(
            _(
                "Document %(id)s cannot be seen in Paperless any more: somebody has moved it to the "
                "trash, or taken the right to see it from you. Nothing was done.",
                id=missing[0],
            )
        )
    if differing(choice, {id: each.content for id, each in held.items()}):
        about_to_compare()
    labels = OwnLabels(review.paperless, review.store, review.settings).get(create=False)
    plan = planned(review.store, review.settings, review.paperless, labels, held, choice)
    return _Found(entry, item, choice, held, labels, plan)


# --- side by side ---------------------------------------------------------------------------------


def _rows(found: _Found, names: Names) -> list[FieldRow]:
    held, plan, own = found.held, found.plan, found.labels
    shown = [*plan.keep, *(id for id in held if id not in plan.keep)]
    fields = dict.fromkeys(n for id in shown for n in held[id].fields if n not in own.own_fields)
    rows = []
    for key in (*HELD_VALUES, *map(field_key, fields), TAGS, NOTES):
        values = tuple(
            FieldValue(id, _read(names, key, _value(held[id], key, own))) for id in shown
        )
        becomes, source = _becomes(found, key)
        rows.append(
            FieldRow(
                key, names.of_key(key), values, len({each.value for each in values}) > 1,
                _read(names, key, becomes), source, names.is_date(key),
            )
        )  # fmt: skip
    files = tuple(FieldValue(id, held[id].file) for id in shown)
    differ = len({each.value for each in files}) > 1
    rows.append(FieldRow(FILE, FILE, files, differ, held[plan.gets].file, plan.gets))
    return [row for row in rows if any(each.value for each in row.values)]


def _becomes(found: _Found, key: str) -> tuple[Any, int | None]:
    plan = found.plan
    value = _value(found.held[plan.gets], key, found.labels)
    if key == TAGS:
        return (*value, *plan.tags), None if plan.tags else plan.gets
    if key == NOTES:
        return (*value, *plan.notes), None if plan.notes else plan.gets
    change = plan.changed(key)
    return (value, plan.gets) if change is None else (change.becomes, change.source)


def _value(held: Holding, key: str, own: Labels) -> Any:
    if key == TAGS:
        return tuple(tag for tag in held.tags if tag not in own.own_tags)
    if key == NOTES:
        return tuple(text for text in held.notes if not text.startswith(NOTE_BEGINS))
    number = field_of(key)
    return held.values.get(key) if number is None else held.fields.get(number)


def _read(names: Names, key: str, value: Any) -> str:
    return "\n".join(value) if key == NOTES else names.shown(key, value)


def _told(names: Names, key: str, value: Any) -> str:
    """In a sentence."""
    told = names.shown(key, value)
    return figures.day(told, locale()) if names.is_date(key) else told


def _writes(review: Review, person: Person, found: _Found, names: Names) -> Iterator[Write]:
    """What is carried over, and what becomes of our own labels."""
    plan = found.plan
    partners = {id: _partners(review, id) for id in plan.trash}
    steps = [journals.DecisionStep("dismiss", id, to) for id, to in partners.items() if to]
    told = labels_if(review, person, found.entry.members, steps, leaving=plan.trash)
    ours = {write.document: write for write in told} if plan.trash else {}
    add = [_("tag “%(name)s”", name=names.tags.get(tag, tag)) for tag in plan.tags]
    remove = []
    for change in plan.changes:
        name = _(_NAMED[change.key]) if change.key in _NAMED else names.of_key(change.key)
        becomes, was = (_told(names, change.key, each) for each in (change.becomes, change.was))
        add.append(f"{name}: {becomes}")
        remove += [f"{name}: {was}"] if was else []
    add += [_("note: %(text)s", text=text) for text in plan.notes]
    label = ours.pop(plan.gets, Write(plan.gets, found.held[plan.gets].title, (), ()))
    yield replace(label, add=(*add, *label.add), remove=(*remove, *label.remove))
    for id in plan.trash:
        yield Write(id, found.held[id].title, (_("moved to the trash"),), ())
    yield from ours.values()


def _partners(review: Review, id: int) -> tuple[int, ...]:
    return tuple(review.store.connections([id]).ids - {id})
