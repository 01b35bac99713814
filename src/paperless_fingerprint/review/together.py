"""What was decided, the latest first: what was decided at once is one, and be it thousands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from paperless_fingerprint.review import journal as journals
from paperless_fingerprint.review.decide import ActView, act_of, heard, knows
from paperless_fingerprint.review.journal import JournalEntry
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.service import Review

_MOST = 50
#: Of one batch.
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Together:
    #: The first of them.
    acts: tuple[ActView, ...]
    count: int
    #: 'waiting' while one of them waits.
    state: str
    may_undo: bool
    #: Of the first document of each act, where it is still there.
    titles: Mapping[int, str]


def latest(review: Review, person: Person) -> list[Together]:
    """Only what this person may see; what is hidden is not counted either."""
    found = [
        Together(
            (act,), 1, act.state, may_undo=False, titles=_titles(review, person, act.documents[:1])
        )
        for act in heard(review, person)
    ]
    undoing = {act.undoes for act in review.journal.waiting()}
    told: list[Together] = []
    # Those who may not see most of it need more of them.
    for offset, limit in ((0, _MOST), (_MOST, 9 * _MOST)):
        if len(told) < _MOST:
            batches = review.journal.latest_batches(limit, offset)
            told += filter(None, (_one(review, person, first, undoing) for first in batches))
    found += told[:_MOST]
    return sorted(found, key=lambda each: each.acts[0].at, reverse=True)[:_MOST]


def _one(
    review: Review, person: Person, first: JournalEntry, undoing: Collection[int | None]
) -> Together | None:
    journal, number = review.journal, first.number
    own = person.superuser or first.person == person.id
    some = journal.of_batch(number, _SHOWN if own else -1) if first.batch else [first]
    some = [entry for entry in some if knows(review.mirror, person, [entry])]
    if not some:
        return None
    states: Mapping[str, int]
    if own and first.batch:
        states = journal.states_of_batch(number)
    else:
        states = Counter("undoing" if e.number in undoing else e.state for e in some)
    stand = first.verdict != "undo" and (journals.WAITING in states or journals.DONE in states)
    return Together(
        tuple(act_of(person, entry) for entry in some[:_SHOWN]),
        sum(states.values()),
        journals.WAITING if journals.WAITING in states else some[0].state,
        own and stand,
        _titles(review, person, [entry.documents[0] for entry in some[:_SHOWN]]),
    )


def _titles(review: Review, person: Person, ids: Collection[int]) -> dict[int, str]:
    return {id: card.title for id, card in review.mirror.cards(person, ids).items() if card.title}
