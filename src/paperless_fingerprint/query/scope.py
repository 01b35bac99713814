"""Who asks, what they may see, and for how long they may search: the one place for all of it.

A store translates visible_to() as any other part of a query, so that a right means the same in all
stores; Asker.may_view() says the same of one document in hand.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.query.tree import (
    And,
    Attribute,
    Between,
    Ids,
    Node,
    Not,
    Or,
    SharedWith,
    Span,
)

TIME_LIMIT_SECONDS = 10.0


class SearchTooLongError(UsageError):
    """The time limit was reached. What was found by then is not shown: it would look complete."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            _(
                "The search was stopped after %(seconds)s seconds. Search for something narrower: a "
                "longer beginning before '*', a higher overlap, or a field such as created:2024.",
                seconds=f"{seconds:g}",
            )
        )


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, with the ids that Paperless gives to users and groups."""

    user: str = ""
    groups: tuple[str, ...] = ()
    superuser: bool = False
    #: What Paperless lets them see now: what the library knows of rights is older. None where it
    #: could not be asked.
    visible: frozenset[int] | None = field(default=None, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """As they stand in Document.viewers."""
        return (*([self.user] if self.user else []), *(f"group:{group}" for group in self.groups))

    def may_view(self, id: int, owner: str | None, viewers: Collection[str]) -> bool:
        if self.superuser:
            return True
        if self.visible is not None and id not in self.visible:
            return False
        return (
            owner is None
            or (bool(self.user) and owner == self.user)
            or not set(self.names).isdisjoint(viewers)
        )


@dataclass(frozen=True, slots=True)
class Scope:
    #: None is the command line, which sees everything.
    asker: Asker | None = None
    #: Documents of a version chain that are not its latest, too.
    include_history: bool = False
    time_limit_seconds: float = TIME_LIMIT_SECONDS

    @property
    def restricted(self) -> Asker | None:
        return None if self.asker is None or self.asker.superuser else self.asker


_NOWHERE = Span(0, 0)


def visible_to(asker: Asker) -> Node:
    """The documents that they may view, as a query; a superuser is not asked about."""
    parts: list[Node] = [Not(Between(Attribute.OWNER, None, None, _NOWHERE))]
    if asker.user:
        parts.append(Between(Attribute.OWNER, asker.user, asker.user + "\0", _NOWHERE))
    if asker.names:
        parts.append(SharedWith(asker.names, _NOWHERE))
    by_rights = Or(tuple(parts))
    if asker.visible is None:
        return by_rights
    return And((by_rights, Ids(asker.visible, _NOWHERE)))
