"""The same decision about all that match, or about those that were named; after a preview of it."""

from __future__ import annotations

from dataclasses import dataclass

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.review.decide import Changeable, DecisionOutcome, decide
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.preview import Preview, preview
from paperless_fingerprint.review.queue import item
from paperless_fingerprint.review.selection import Selection, chosen, digest, orders
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.review.views_queue import Item

#: What is said of more than that takes longer than to do it.
_EXAMPLES = 20
MANY_VERDICTS = ("same", "different")


@dataclass(frozen=True, slots=True)
class ManyDecision:
    """One decision about many items."""

    #: Ids such as 'g12'; with `filters`: all that match but these.
    selection: Selection
    #: 'same' or 'different'.
    verdict: str
    #: The `seen` of the preview.
    seen: str = ""


@dataclass(frozen=True, slots=True)
class ManyDecisionPreview:
    """What would be decided. Nothing has been."""

    items: int
    #: The first of them.
    examples: tuple[Item, ...]
    #: What Paperless would be told of the examples.
    changes: Preview
    seen: str


def look(review: Review, person: Person, order: ManyDecision) -> ManyDecisionPreview:
    _check(order)
    found = chosen(review, person, order.selection)
    some = Selection(tuple(entry.id for entry in found[:_EXAMPLES]))
    told = orders(review, person, some, order.verdict)
    return ManyDecisionPreview(
        len(found),
        tuple(item(review, person, each.item) for each in told),
        preview(review, person, told) if told else Preview(0, ()),
        digest(found),
    )


def decide_many(
    review: Review, person: Person, order: ManyDecision, *, changeable: Changeable
) -> DecisionOutcome | None:
    """All of it or nothing; None where the list has changed since the preview."""
    _check(order)
    if digest(chosen(review, person, order.selection)) != order.seen:
        return None
    told = orders(review, person, order.selection, order.verdict)
    return decide(review, person, told, changeable=changeable)


def _check(order: ManyDecision) -> None:
    if order.verdict not in MANY_VERDICTS:
        raise UsageError(
            _(
                "'%(told)s' is not a decision; use %(known)s.",
                told=order.verdict[:20],
                known=", ".join(MANY_VERDICTS),
            )
        )
