"""Who looks and decides, and what that person may see."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Protocol

from paperless_fingerprint.paperless.records import Holding
from paperless_fingerprint.query.searcher import Asker


class OwnedDocument(Protocol):
    """What has an owner and viewers: a document, or the little of it that is kept in memory."""

    @property
    def id(self) -> int: ...
    @property
    def owner(self) -> str | None: ...
    @property
    def viewers(self) -> Collection[str]: ...


@dataclass(frozen=True, slots=True)
class Person:
    #: The number that Paperless gives to the user, as text; empty for open mode.
    id: str
    name: str
    superuser: bool = False
    groups: tuple[str, ...] = ()
    #: Whether Paperless lets this person change documents at all.
    may_decide: bool = True
    #: Whether Paperless lets this person delete documents at all.
    may_delete: bool = True
    #: What Paperless itself lets this person see, asked not long ago; None where it could not be
    #: asked (then the library's own knowledge must do), and for superusers, who see everything.
    visible: frozenset[int] | None = field(default=None, repr=False)

    @property
    def asker(self) -> Asker:
        """For searches."""
        return Asker(self.id, self.groups, self.superuser, self.visible)

    def may_see(self, document: OwnedDocument) -> bool:
        """Both must say so: the library, and Paperless where it was asked."""
        return self.asker.may_view(document.id, document.owner, document.viewers)

    def may_change(self, held: Holding) -> bool:
        """As Paperless says it: to this person (`may_change`), or to us of everybody (`changers`)."""
        if self.superuser or held.changers is None:
            return self.superuser or (self.may_decide and bool(held.may_change))
        own = {self.id, *(f"group:{group}" for group in self.groups)}
        return self.may_decide and (
            held.owner in {None, self.id} or not own.isdisjoint(held.changers)
        )

    def may_trash(self, held: Holding) -> bool:
        """What belongs to somebody else may be changed by whom it is shared with, and not deleted."""
        return self.superuser or (
            self.may_delete and self.may_change(held) and held.owner in {None, self.id}
        )

    def surely_may_change(self, document: OwnedDocument) -> bool:
        """What can be told without Paperless; who was given the right by name must wait for it."""
        return self.superuser or (
            self.may_decide and self.may_see(document) and document.owner in {None, self.id}
        )


#: Whoever sits at this machine, where no sign-in is asked for.
OPEN_PERSON = Person("", "this machine", superuser=True)
#: The same where there is no Paperless: sees everything and changes nothing.
READER = replace(OPEN_PERSON, may_decide=False)
