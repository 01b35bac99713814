"""What of the list somebody has chosen to do something with, also where nobody could tick it all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from paperless_fingerprint.review.orders import DecisionOrder
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.queue import check, concerning, entry_of, seen, words_about
from paperless_fingerprint.review.queue_entry import QueueEntry
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.review.views_queue import Filters


@dataclass(frozen=True, slots=True)
class Selection:
    """These items, or all that match the filters except these."""

    #: Ids such as 'g12'.
    items: tuple[str, ...] = ()
    #: Where they are given: all that match. On which page somebody stood is of no account.
    filters: Filters | None = None


def chosen(review: Review, person: Person, selection: Selection) -> Sequence[QueueEntry]:
    """As this person sees the list now, in its order."""
    sight = review.mirror.sight(person)
    if selection.filters is None:
        return [entry_of(sight, id) for id in selection.items]
    check(selection.filters)
    left_out = set(selection.items)
    found = sight.ordered(selection.filters)
    return [entry for entry in found if entry.id not in left_out] if left_out else found


def orders(
    review: Review, person: Person, selection: Selection, verdict: str
) -> list[DecisionOrder]:
    """The same decision about each, on what stands there now."""
    catalogue, waiting = review.mirror.catalogue, review.journal.waiting_about()
    return [
        DecisionOrder(
            entry.id, verdict,
            seen(entry, words_about(catalogue, entry), concerning(waiting, entry)),
        )
        for entry in chosen(review, person, selection)
    ]  # fmt: skip


def digest(entries: Sequence[QueueEntry]) -> str:
    """Another text as soon as anything has changed in what somebody is about to decide; and after
    a start of the service, after which one looks again."""
    return f"{hash(tuple(map(attrgetter('hashed'), entries))):x}"
