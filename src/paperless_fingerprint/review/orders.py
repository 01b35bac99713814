"""From what somebody wants to say about an item to what is written down about pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paperless_fingerprint.errors import UsageError
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
        raise UsageError(f"1 to {most:,} decisions can be made at once, not {len(orders):,}.")
    if len({order.item for order in orders}) < len(orders):
        raise UsageError("One item is named twice; decide about each once.")
    for order in orders:
        if order.verdict not in VERDICTS:
            raise UsageError(
                f"'{order.verdict[:20]}' is no decision; there are {', '.join(VERDICTS)}."
            )


def steps_of(order: DecisionOrder, entry: QueueEntry) -> tuple[DecisionStep, ...]:
    members = sorted(entry.members)
    if order.verdict == "primary":
        if entry.kind != "group":
            raise UsageError("Only of a group one document can be chosen as the one to keep.")
        if order.document not in members:
            raise UsageError(f"Document {order.document} is not in {order.item}.")
        return (DecisionStep("primary", order.document),)
    if order.verdict == "same":
        return tuple(DecisionStep("confirm", a, (b,)) for a, b in entry.pairs)
    if entry.kind == "versions":
        # Two copies of one version are still copies when the versions are told apart.
        return tuple(DecisionStep("dismiss", a, (b,)) for a, b in entry.pairs)
    if order.document is not None:
        if order.document not in members:
            raise UsageError(f"Document {order.document} is not in {order.item}.")
        others = tuple(id for id in members if id != order.document)
        return (DecisionStep("dismiss", order.document, others),)
    if len(members) > MOST_MEMBERS:
        raise UsageError(
            f"{order.item} has {len(members):,} documents; of more than {MOST_MEMBERS} it cannot be "
            "said at once that each differs from each. Decide about single documents or pairs."
        )
    return tuple(
        DecisionStep("dismiss", id, tuple(members[place + 1 :]))
        for place, id in enumerate(members[:-1])
    )
