"""Same, different, this one is the one to keep; and back again.

Whoever decides hands back what was shown (`seen`). If something has changed since, nothing is
decided and the answer says what has happened: two people never overrule each other unawares.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.integration.feedback import listen
from paperless_fingerprint.languages import figures, locale, mark
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.library.clock import now_text
from paperless_fingerprint.model import Verdict
from paperless_fingerprint.review import journal as journals
from paperless_fingerprint.review.mirror import Mirror
from paperless_fingerprint.review.orders import DecisionOrder, check_orders, steps_of
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.preview import preview
from paperless_fingerprint.review.queue import (
    concerning,
    entry_of,
    item_of,
    parsed,
    seen,
    words_about,
    words_of,
)
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.review.views_queue import Item, Word
from paperless_fingerprint.review.visible import Unknown

__all__ = ["Changeable", "Forbidden", "act_of", "acts", "decide", "preview", "told", "undo"]

#: Ids → those that the person may change, as Paperless says it.
Changeable = Callable[[Collection[int]], Collection[int]]
_ITEMS_TOLD = 200
_SAID = {
    "confirmed": mark("%(who)s confirmed these, %(when)s UTC. Check again before you decide."),
    "dismissed": mark(
        "%(who)s marked these as not duplicates, %(when)s UTC. Check again before you decide."
    ),
    "primary": mark(
        "%(who)s chose which one to keep, %(when)s UTC. Check again before you decide."
    ),
    "undo": mark("%(who)s undid a decision, %(when)s UTC. Check again before you decide."),
}


@dataclass(frozen=True, slots=True)
class ActView:
    """One entry of the journal of decisions; one act may hold many decisions made at once."""

    number: int
    at: str
    by: str
    #: 'same', 'different', 'primary', 'resolve', 'undo'.
    verdict: str
    item: str
    documents: tuple[int, ...]
    #: 'waiting', 'done', 'undone', or 'refused' (it could no longer be carried out; see `why`).
    state: str
    why: str = ""
    #: Whether the person who asks may undo it.
    may_undo: bool = False
    #: The same number for what was decided at once and is taken back at once; 0: alone.
    batch: int = 0


@dataclass(frozen=True, slots=True)
class Conflict:
    """Somebody was faster, or the documents have changed."""

    order: DecisionOrder
    #: In words: 'Anna said 5 minutes ago that these are not duplicates.'
    happened: str
    #: How it stands now; None where there is nothing left to decide about.
    item: Item | None = None


@dataclass(frozen=True, slots=True)
class DecisionOutcome:
    """What became of decisions. Where there are conflicts, nothing at all was decided."""

    acts: tuple[ActView, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    #: What has become of the first 200 of them.
    items: tuple[Item, ...] = ()


class Forbidden(PermissionError):  # noqa: N818  (an answer more than an error)
    """The person may look, but not decide."""


def decide(
    review: Review, person: Person, orders: Sequence[DecisionOrder], *, changeable: Changeable
) -> DecisionOutcome:
    """All of them, or none where one is in conflict. Kept when this returns; carried out mostly."""
    check_orders(orders)
    try:
        return _decided(review, person, orders, changeable)
    except Unknown:
        gone = _gone(review, person, orders)
        if not gone:
            raise
        return DecisionOutcome(conflicts=gone)


def _decided(
    review: Review, person: Person, orders: Sequence[DecisionOrder], changeable: Changeable
) -> DecisionOutcome:
    ids = sorted({id for order in orders for id in parsed(order.item)[1:] if id})
    # Somebody may have decided on the command line since the library was read.
    look_again(review.mirror, ids)
    sight = review.mirror.sight(person)
    members = {id for order in orders for id in entry_of(sight, order.item).members}
    # Before the lock: Paperless may take its time, and nobody else shall wait for that.
    _may(person, members, changeable)
    with review.deciding:
        sight = review.mirror.sight(person)
        waiting = review.journal.waiting_about()
        entries = [entry_of(sight, order.item) for order in orders]
        if not members.issuperset(id for entry in entries for id in entry.members):
            raise Unknown(_("The documents have just changed. Check again."))
        conflicts = []
        for order, entry in zip(orders, entries, strict=True):
            ours = concerning(waiting, entry)
            said = words_about(sight.catalogue, entry)
            if seen(entry, said, ours) != order.seen:
                happened = _happened(
                    [Word(d.a, d.b, d.verdict.value, d.at, d.by) for d in said]
                    + [word for act in ours for word in words_of(act)]
                )
                now = item_of(review.mirror, sight, entry, waiting)
                conflicts.append(Conflict(order, happened, now))
        if conflicts:
            return DecisionOutcome(conflicts=tuple(conflicts))
        at = now_text()
        acts = [
            journals.JournalEntry(
                0, at, person.id, person.name, order.verdict, order.item,
                entry.members, steps_of(order, entry),
            )
            for order, entry in zip(orders, entries, strict=True)
        ]  # fmt: skip
        kept = review.journal.add(acts)
    return _outcome(review, person, kept)


def _gone(review: Review, person: Person, orders: Sequence[DecisionOrder]) -> tuple[Conflict, ...]:
    """What is no entry any more because somebody has just decided about it; nothing where one of
    them is gone without that, or without this person's knowing."""
    sight = review.mirror.sight(person)
    conflicts = []
    for order in orders:
        try:
            entry_of(sight, order.item)
        except Unknown:
            act = review.journal.latest_about(order.item)
            if act is None or not knows(review.mirror, person, [act]):
                return ()
            words, now = words_of(act), None
            with suppress(Unknown):  # of what lies in the trash there is nothing to show
                for word in words[:1]:
                    entry = entry_of(sight, f"p{word.a}-{word.b}")
                    now = item_of(review.mirror, sight, entry, review.journal.waiting_about())
            conflicts.append(Conflict(order, _happened(words), now))
    return tuple(conflicts)


def undo(
    review: Review, person: Person, number: int | None = None, *, changeable: Changeable
) -> DecisionOutcome:
    """This act with all that was decided at once with it, or the last of this person. What was
    there before is there again."""
    act = review.journal.last(person.id) if number is None else review.journal.get(number)
    together = [] if act is None else review.journal.of_batch(act.number)
    if act is None or not knows(review.mirror, person, together):
        raise Unknown(_("There is no decision to undo."))
    if act.person != person.id and not person.superuser:
        raise Forbidden(_("%(who)s decided this and can undo it.", who=act.by))
    # What lies in the trash can be changed by nobody; it comes back to whoever has put it there.
    _may(person, {id for each in together for id in {*each.documents} - each.trashed}, changeable)
    with review.deciding:
        standing = [each for each in review.journal.of_batch(act.number) if _stands(each)]
        if not standing:
            raise UsageError(_("This decision no longer applies, so it cannot be undone."))
        numbers = {each.number for each in standing}
        if any(each.undoes in numbers for each in review.journal.waiting()):
            raise UsageError(_("This decision is already being undone."))
        subjects = {subject for each in standing for subject in each.subjects}
        later = [
            each
            for each in review.journal.later(standing[0].number)
            if each.number not in numbers and not each.subjects.isdisjoint(subjects)
        ]
        if later:
            words = [word for each in later for word in words_of(each)]
            order = DecisionOrder(act.item, "undo", "")
            return DecisionOutcome(conflicts=(Conflict(order, _happened(words), None),))
        at = now_text()
        kept = review.journal.add([
            journals.JournalEntry(
                0, at, person.id, person.name, "undo", each.item, each.documents, each.steps,
                undoes=each.number,
            )
            for each in reversed(standing)
        ])  # fmt: skip
    return _outcome(review, person, kept)


def acts(
    review: Review, person: Person, *, limit: int = 50, before: int | None = None
) -> tuple[ActView, ...]:
    """The latest first; only about what this person may see, wholly. With the first of them comes
    what was heard in Paperless."""
    most = max(1, min(limit, 500))
    found = [
        act_of(person, entry)
        for entry in review.journal.latest(most, before)
        if knows(review.mirror, person, [entry])
    ]
    if before is None:
        found = sorted([*found, *heard(review, person)], key=lambda act: act.at, reverse=True)
    return tuple(found[:most])


def heard(review: Review, person: Person) -> list[ActView]:
    """Not in the journal: no act of the page, and taken back by saying something else."""
    said = {
        (d.a, d.b): d.at
        for d in sorted(review.store.decisions(), key=lambda decision: decision.at)
        if d.by == listen.BY and d.verdict is Verdict.DISMISSED
    }
    return [
        ActView(0, at, listen.BY, "different", f"p{a}-{b}", (a, b), journals.DONE)
        for (a, b), at in said.items()
        if _sees_all(review.mirror, person, (a, b))
    ]


def shown_to(review: Review, person: Person, number: int) -> journals.JournalEntry:
    """An act, to whoever may know of it."""
    found = review.journal.get(number)
    if found is None or not knows(review.mirror, person, [found]):
        raise Unknown(_("There is no such decision that you may see."))
    return found


def told(review: Review, person: Person, number: int) -> tuple[ActView, ...]:
    """This act and what was decided with it at once, where the person may see all of it."""
    found = review.journal.of_batch(number)
    if not knows(review.mirror, person, found):
        return ()
    return tuple(act_of(person, each) for each in found)


def act_of(person: Person, entry: journals.JournalEntry) -> ActView:
    may = person.superuser or entry.person == person.id
    return ActView(
        entry.number, entry.at, entry.by, entry.verdict, entry.item, entry.documents,
        entry.state, " ".join(map(str, entry.why)), may and _stands(entry), entry.batch,
    )  # fmt: skip


def _stands(entry: journals.JournalEntry) -> bool:
    return entry.state in {journals.WAITING, journals.DONE} and entry.verdict != "undo"


def look_again(mirror: Mirror, ids: Sequence[int]) -> None:
    if not mirror.catalogue.ready:
        raise UsageError(_("The library is loading. Try again in a moment."))
    mirror.look_again(ids)


def knows(mirror: Mirror, person: Person, acts: Sequence[journals.JournalEntry]) -> bool:
    """What somebody has put into the trash is seen by nobody, and known to that person."""
    others = (act for act in acts if not (act.trashed and act.person == person.id))
    return _sees_all(mirror, person, {id for act in others for id in act.documents})


def _sees_all(mirror: Mirror, person: Person, ids: Collection[int]) -> bool:
    documents = mirror.catalogue.documents
    # What is gone is nobody's secret for superusers, and everybody else's no business.
    return person.superuser or all(id in documents and person.may_see(documents[id]) for id in ids)


def _may(person: Person, ids: Collection[int], changeable: Changeable) -> None:
    if person.superuser:
        return
    refused = Forbidden(
        _(
            "You can view these documents in Paperless but not change all of them, so you cannot "
            "decide about them. Ask someone who may change them, or ask for the permission."
        )
    )
    if not person.may_decide or not set(ids) <= set(changeable(ids)):
        raise refused


def _outcome(
    review: Review, person: Person, kept: Sequence[journals.JournalEntry]
) -> DecisionOutcome:
    runner = review.merges if any(entry.trashed for entry in kept) else review.decisions
    runner.carry_out_soon([entry.number for entry in kept])
    settled = review.journal.of_batch(kept[0].number)
    return DecisionOutcome(
        tuple(act_of(person, entry) for entry in settled),
        items=tuple(_items_now(review, person, settled[:_ITEMS_TOLD])),
    )


def _items_now(review: Review, person: Person, acts: Sequence[journals.JournalEntry]) -> list[Item]:
    """What has become of the items; a group that was told apart is none any more."""
    sight, waiting = review.mirror.sight(person), review.journal.waiting_about()
    found = []
    for act in acts:
        try:
            found.append(item_of(review.mirror, sight, entry_of(sight, act.item), waiting))
        except Unknown:
            continue
    return found


def _happened(words: Sequence[Word]) -> str:
    if not words:
        return _("The documents have changed since you looked: one was added or removed.")
    last = max(words, key=lambda word: word.at)
    text = _SAID.get(last.verdict) or mark(
        "%(who)s decided something else, %(when)s UTC. Check again before you decide."
    )
    return _(text, who=last.by or _("Someone"), when=figures.minute(last.at, locale()))
