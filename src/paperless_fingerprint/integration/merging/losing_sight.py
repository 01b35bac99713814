"""Who could see a copy that goes to the trash, and would see none of what is kept."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from paperless_fingerprint.integration.merging.plan import MergePlan
from paperless_fingerprint.integration.merging.words import Names
from paperless_fingerprint.languages import gettext as _


class Shown(Protocol):
    """A document as the library knows it."""

    @property
    def owner(self) -> str | None: ...
    @property
    def viewers(self) -> Collection[str]: ...


@dataclass(frozen=True, slots=True)
class LosingSight:
    #: What they see until now.
    document: int
    #: Names of users and groups; none where it belongs to nobody, and everybody may see it.
    people: tuple[str, ...]


def losing_sight(
    plan: MergePlan, documents: Mapping[int, Shown], names: Names
) -> Iterator[LosingSight]:
    """By what the library knows of owners and viewers. The document that gets an owner is left by
    those who saw it because it had none, or another one."""
    change = plan.changed("owner")
    kept = set[str]()
    for id in plan.keep:
        if id not in documents:
            return
        owner = documents[id].owner
        if change is not None and id == plan.gets:
            owner = None if change.becomes is None else str(change.becomes)
        if owner is None:
            return  # everybody sees it
        kept |= {owner, *documents[id].viewers}
    left = plan.keep[:1] if change is not None else ()
    for id in (*left, *plan.trash):
        document = documents.get(id)
        if document is None:
            continue
        if document.owner is None:
            yield LosingSight(id, ())
        elif losing := {document.owner, *document.viewers} - kept:
            yield LosingSight(id, tuple(sorted(_name(who, names) for who in losing)))


def in_words(plan: MergePlan, losing: LosingSight) -> str:
    """For the command line."""
    if losing.people:
        who = f"{', '.join(losing.people)} can see document {losing.document}, but not what is kept"
    else:
        who = (
            f"Document {losing.document} has no owner, so everybody can see it, but not everybody can "
            "see what is kept"
        )
    return f"{who}: share document {plan.gets} with them in Paperless, or keep both."


def _name(who: str, names: Names) -> str:
    kind, _colon, number = who.rpartition(":")
    if kind:
        return _("group %(id)s", id=number)
    return names.shown("owner", int(who)) if who.isdecimal() else who
