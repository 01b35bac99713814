"""What each document gets and which go to the trash: made from what Paperless holds, and pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2s
from typing import Any

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.integration.feedback.dead_links import numbers_of
from paperless_fingerprint.integration.feedback.plan import NOTE_BEGINS
from paperless_fingerprint.paperless.records import HELD_VALUES, Holding

TAGS, NOTES = "tags", "notes"
SERIAL = "archive_serial_number"
_DIGEST_CHARACTERS = 16
#: To have none of these says something, too: to be everybody's.
_EMPTY_SAYS_SOMETHING = frozenset({"owner"})


def field_key(number: int) -> str:
    return f"field:{number}"


def field_of(key: str) -> int | None:
    """The custom field that a key of a plan is about."""
    kind, _, number = key.partition(":")
    return int(number) if kind == "field" and number.isascii() and number.isdigit() else None


@dataclass(frozen=True, slots=True)
class Taken:
    """Whose value the kept document gets, where it shall not be the fuller one."""

    #: 'title' and the like, 'field:3', 'tags' or 'notes'.
    key: str
    #: For tags and notes the one that gets: its own and no more.
    document: int


@dataclass(frozen=True, slots=True)
class Choice:
    #: The first of them gets what the others have.
    keep: tuple[int, ...]
    trash: tuple[int, ...]
    take: tuple[Taken, ...] = ()
    #: These go to the trash although well read texts say different things.
    despite: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a plan needs to know besides what the documents have."""

    #: Tags and fields of ours: nobody gave them to a document.
    own_tags: frozenset[int] = frozenset()
    own_fields: frozenset[int] = frozenset()
    link_fields: frozenset[int] = frozenset()
    #: What may be linked to: neither gone nor somebody else's.
    linkable: frozenset[int] = frozenset()
    #: Document → what the first one says where the two are well read, and what it says instead.
    edited: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    #: Whose text is no longer the one that was compared.
    unread: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Change:
    """One value of the document that is kept."""

    key: str
    was: Any
    becomes: Any
    #: Whose value it was.
    source: int
    #: Whether it had this custom field at all.
    had: bool = True


@dataclass(frozen=True, slots=True)
class Loss:
    """What goes to the trash with a document, because the one that is kept says something else."""

    document: int
    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class Stay:
    """A document that was to go and does not."""

    document: int
    #: 'edited': `kept` says one thing and `says` another where both are well read. 'unread': the
    #: text has changed since it was compared.
    why: str
    kept: str = ""
    says: str = ""


@dataclass(frozen=True, slots=True)
class MergePlan:
    keep: tuple[int, ...]
    trash: tuple[int, ...] = ()
    tags: tuple[int, ...] = ()
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = ()
    stay: tuple[Stay, ...] = ()
    #: Another text as soon as anything has changed that the plan rests on.
    seen: str = ""

    @property
    def gets(self) -> int:
        """The document that gets what the others have."""
        return self.keep[0]

    @property
    def gives(self) -> bool:
        return bool(self.tags or self.changes or self.notes)

    def changed(self, key: str) -> Change | None:
        return next((change for change in self.changes if change.key == key), None)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_json(cls, told: Mapping[str, Any]) -> MergePlan:
        return cls(
            tuple(told["keep"]),
            tuple(told["trash"]),
            tuple(told["tags"]),
            tuple(Change(**change) for change in told["changes"]),
            tuple(told["notes"]),
            tuple(Loss(**loss) for loss in told["losses"]),
            tuple(Stay(**stay) for stay in told["stay"]),
            told["seen"],
        )


def check(choice: Choice) -> None:
    if not choice.keep:
        raise UsageError("At least one document must be kept.")
    named = [*choice.keep, *choice.trash]
    if len(set(named)) < len(named):
        raise UsageError("A document is named twice: it is either kept or goes to the trash.")
    for taken in choice.take:
        known = taken.key in {*HELD_VALUES, TAGS, NOTES} or field_of(taken.key) is not None
        if not known:
            raise UsageError(f"'{taken.key[:40]}' is nothing that a document has.")
        if taken.document not in named:
            raise UsageError(f"Document {taken.document} is not among those that are merged.")
        if taken.key in {TAGS, NOTES} and taken.document != choice.keep[0]:
            raise UsageError(
                f"The {taken.key} are those of all, or those of document {choice.keep[0]} alone."
            )
    if len({taken.key for taken in choice.take}) < len(choice.take):
        raise UsageError("For one field two documents are named.")


def make(held: Mapping[int, Holding], choice: Choice, around: Surroundings) -> MergePlan:
    """`held` has all documents that `choice` names."""
    check(choice)
    to = held[choice.keep[0]]
    stay = tuple(_staying(choice, around))
    going = [held[id] for id in choice.trash if id not in {each.document for each in stay}]
    wanted = {taken.key: taken.document for taken in choice.take}
    tags = () if TAGS in wanted else _tags(to, going, around)
    changes = (*_values(held, to, going, wanted), *_fields(held, to, going, wanted, around))
    plan = MergePlan(
        choice.keep,
        tuple(each.id for each in going),
        tags,
        changes if going else (),
        () if NOTES in wanted else _notes(to, going),
        stay=stay,
        seen=digest(held.values(), around),
    )
    return replace(plan, losses=tuple(_losses(plan, to, going, around)))


def _staying(choice: Choice, around: Surroundings) -> Iterator[Stay]:
    for id in choice.trash:
        if id in choice.despite:
            continue
        if id in around.unread:
            yield Stay(id, "unread")
        elif id in around.edited:
            yield Stay(id, "edited", *around.edited[id])


def _tags(to: Holding, going: Iterable[Holding], around: Surroundings) -> tuple[int, ...]:
    there = around.own_tags.union(to.tags)
    return tuple(dict.fromkeys(tag for each in going for tag in each.tags if tag not in there))


def _notes(to: Holding, going: Iterable[Holding]) -> tuple[str, ...]:
    found = (text for each in going for text in each.notes)
    return tuple(
        dict.fromkeys(n for n in found if n not in to.notes and not n.startswith(NOTE_BEGINS))
    )


def _values(
    held: Mapping[int, Holding], to: Holding, going: list[Holding], wanted: Mapping[str, int]
) -> Iterator[Change]:
    for key in HELD_VALUES:
        own = to.values.get(key)
        source = held[wanted[key]] if key in wanted else to
        if key not in wanted and own in (None, "") and key not in _EMPTY_SAYS_SOMETHING:
            source = next((e for e in going if e.values.get(key) not in (None, "")), to)
        if key == SERIAL and source is not to and source not in going:
            continue  # a number is one document's, and this one keeps it
        value = source.values.get(key)
        if value != own:
            yield Change(key, own, value, source.id)


def _fields(
    held: Mapping[int, Holding],
    to: Holding,
    going: list[Holding],
    wanted: Mapping[str, int],
    around: Surroundings,
) -> Iterator[Change]:
    gone = {to.id, *(each.id for each in going)}

    def told(each: Holding, number: int) -> Any:
        value = each.fields.get(number)
        if number in around.link_fields:
            # Neither to what goes, nor to the document itself, nor to what is gone already.
            return [n for n in numbers_of(value) if n in around.linkable and n not in gone]
        return value

    sources = [to, *going, *(held[id] for id in wanted.values())]
    for number in dict.fromkeys(n for each in sources for n in each.fields):
        if number in around.own_fields:
            continue
        own, key, had = to.fields.get(number), field_key(number), number in to.fields
        if number in around.link_fields and own:
            # A link to what goes is taken off with it, and comes back with it.
            own = [n for n in numbers_of(own) if n not in gone]
            had = bool(own)
        source, becomes = to, own
        if key in wanted:
            source = held[wanted[key]]
            becomes = own if source is to else told(source, number)
        elif number in around.link_fields:
            for each in going:
                more = [n for n in told(each, number) if n not in (becomes or ())]
                if more:
                    source, becomes = each, [*(becomes or ()), *more]
        elif own in (None, ""):
            source = next((e for e in going if e.fields.get(number) not in (None, "")), to)
            becomes = source.fields.get(number)
        if becomes != own and (becomes or own):
            yield Change(key, own, becomes, source.id, had)


def _losses(
    plan: MergePlan, to: Holding, going: Iterable[Holding], around: Surroundings
) -> Iterator[Loss]:
    def finally_(key: str, own: Any) -> Any:
        change = plan.changed(key)
        return own if change is None else change.becomes

    gone = {to.id, *plan.trash}
    for each in going:
        for key in HELD_VALUES:
            value = each.values.get(key)
            if value not in (None, "") and value != finally_(key, to.values.get(key)):
                yield Loss(each.id, key, value)
        for number, value in each.fields.items():
            if number in around.own_fields or value in (None, "", []):
                continue
            kept = finally_(field_key(number), to.fields.get(number))
            if number in around.link_fields:
                lost = set(numbers_of(value)) - set(numbers_of(kept)) - gone
                if lost:
                    yield Loss(each.id, field_key(number), sorted(lost))
            elif value != kept:
                yield Loss(each.id, field_key(number), value)
        tags = set(each.tags) - around.own_tags.union(to.tags, plan.tags)
        if tags:
            yield Loss(each.id, TAGS, sorted(tags))
        for text in each.notes:
            if text not in (*to.notes, *plan.notes) and not text.startswith(NOTE_BEGINS):
                yield Loss(each.id, NOTES, text)


def digest(held: Iterable[Holding], around: Surroundings) -> str:
    """Of what people gave to the documents, and of their texts; not of what is ours."""
    told = [
        [
            each.id,
            sorted(each.values.items()),
            sorted(set(each.tags) - around.own_tags),
            sorted(
                (n, sorted(v) if n in around.link_fields and v else v)
                for n, v in each.fields.items()
                if n not in around.own_fields
            ),
            sorted(n for n in each.notes if not n.startswith(NOTE_BEGINS)),
            each.content,
        ]
        for each in sorted(held, key=lambda each: each.id)
    ]
    return blake2s(json.dumps(told).encode()).hexdigest()[:_DIGEST_CHARACTERS]
