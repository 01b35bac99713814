"""From what somebody wants to say about an item to what is written down about pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.review.journal import DecisionStep
from paperless_fingerprint.review.queue_entry import QueueEntry

VERDICTS = ("same", "different", "primary")
#: To be made at once, and to be previewed at once, which imagines each.
MOST_ORDERS = 20_000
MOST_PREVIEWED = 200
#: To tell all members of a group from one another is a decision about each pair of them.
MOST_MEMBERS = 60


@dataclass(frozen=True, slots=True)
class DecisionOrder:
    """One decision that somebody wants to make."""

    #: An item's id: 'g12', 'v12', 'p12-40'.
    item: str
    #: 'same', 'different' or 'primary'.
    verdict: str
    #: The item's `seen`, so that nobody decides on what is no longer so.
    seen: str
    #: For 'primary': which one to keep. For 'different' in a group: only this document is none of
    #: the group; None means that all of them differ from one another.
    document: int | None = None


def check_orders(orders: Sequence[DecisionOrder], most: int = MOST_ORDERS) -> None:
    if not 0 < len(orders) <= most:
        raise UsageError(
            _(
                "You can save 1 to %(most)s decisions at once, not %(count)s.",
                most=most,
                count=len(orders),
            )
        )
    if len({order.item for order in orders}) < len(orders):
        raise UsageError(_("One entry is listed twice. Decide about each entry once."))
    for order in orders:
        if order.verdict not in VERDICTS:
            raise UsageError(
                _(
                    "'%(told)s' is not a decision; use %(known)s.",
                    told=order.verdict[:20],
                    known=", ".join(VERDICTS),
                )
            )


def steps_of(order: DecisionOrder, entry: QueueEntry) -> tuple[DecisionStep, ...]:
    members = sorted(entry.members)
    if order.verdict == "primary":
        if entry.kind != "group":
            raise UsageError(_("You can choose which document to keep only in a group."))
        if order.document not in members:
            raise UsageError(
                _("Document %(id)s is not in %(item)s.", id=order.document, item=order.item)
            )
        return (DecisionStep("primary", order.document),)
    if order.verdict == "same":
        return tuple(DecisionStep("confirm", a, (b,)) for a, b in entry.pairs)
    if entry.kind == "versions":
        # Two copies of one version are still copies when the versions are told apart.
        return tuple(DecisionStep("dismiss", a, (b,)) for a, b in entry.pairs)
    if order.document is not None:
        if order.document not in members:
            raise UsageError(
                _("Document %(id)s is not in %(item)s.", id=order.document, item=order.item)
            )
        others = tuple(id for id in members if id != order.document)
        return (DecisionStep("dismiss", order.document, others),)
    if len(members) > MOST_MEMBERS:
        raise UsageError(
            _(
                "%(item)s has %(count)s documents. More than %(most)s cannot be marked as all "
                "different at once; decide about single documents or pairs.",
                item=order.item,
                count=len(members),
                most=MOST_MEMBERS,
            )
        )
    return tuple(
        DecisionStep("dismiss", id, tuple(members[place + 1 :]))
        for place, id in enumerate(members[:-1])
    )
