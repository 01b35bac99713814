"""The list of what there is to decide about, and one item of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2s

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.model import MAX_DOCUMENT_ID, STORED_RELATIONS, Decision, Pair, Verdict
from paperless_fingerprint.review.catalogue import Catalogue, first_pair
from paperless_fingerprint.review.journal import ActsOf, JournalEntry
from paperless_fingerprint.review.mirror import Mirror
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.queue_entry import QueueEntry
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.review.sorting import SORTS
from paperless_fingerprint.review.views import Card
from paperless_fingerprint.review.views_queue import (
    STATES,
    Filters,
    Item,
    Queue,
    QueueNeighbours,
    Word,
)
from paperless_fingerprint.review.visible import Sight, Unknown

MOST_PER_PAGE = 200
#: Of one item; a family of ten thousand copies is no list.
_CARDS = 50
_PAIRS = 500
_ID = re.compile(r"(?:([gv])(\d{1,10})|p(\d{1,10})-(\d{1,10}))", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_KIND_OF = {"g": "group", "v": "versions"}
_SEEN_CHARACTERS = 16


@dataclass(frozen=True, slots=True)
class Stretch:
    """What stands on one page of the list, before anything is told of it."""

    sight: Sight
    entries: Sequence[QueueEntry]
    total: int
    pages: int
    trouble: str


def stretch(review: Review, person: Person, filters: Filters) -> Stretch:
    check(filters)
    sight = review.mirror.sight(person)
    found = sight.ordered(filters)
    start = (filters.page - 1) * filters.per_page
    return Stretch(
        sight,
        found[start : start + filters.per_page],
        len(found),
        max(1, -(-len(found) // filters.per_page)),
        _("The library cannot be read at the moment. This is how it was before.")
        if review.trouble
        else "",
    )


def listed(review: Review, person: Person, filters: Filters) -> Queue:
    found, waiting = stretch(review, person, filters), review.journal.waiting_about()
    sight = found.sight
    return Queue(
        tuple(item_of(review.mirror, sight, entry, waiting) for entry in found.entries),
        found.total,
        filters.page,
        found.pages,
        filters.per_page,
        sight.states,
        sight.relations,
        sight.correspondents,
        sight.document_types,
        sight.tags,
        sight.catalogue.ready,
        found.trouble,
    )


def _unknown(found: str, known: Iterable[str]) -> str:
    return _(
        "'%(found)s' is not known here; use %(known)s.", found=found[:20], known=", ".join(known)
    )


def check(filters: Filters) -> None:
    if filters.page < 1 or not 1 <= filters.per_page <= MOST_PER_PAGE:
        raise UsageError(
            _("page must be at least 1, and per_page between 1 and %(most)s.", most=MOST_PER_PAGE)
        )
    if filters.state and filters.state not in STATES:
        raise UsageError(_unknown(filters.state, STATES))
    names = sorted(relation.value for relation in STORED_RELATIONS)
    if filters.relation and filters.relation not in names:
        raise UsageError(_unknown(filters.relation, names))
    if filters.sort not in SORTS:
        raise UsageError(_unknown(filters.sort, SORTS))
    if not 0 <= filters.confidence_from <= 1 or not 0 <= filters.confidence_to <= 1:
        raise UsageError(_("A confidence must be between 0 and 1."))
    for day in (filters.since, filters.until):
        if day and not _DAY.fullmatch(day):
            raise UsageError(
                _("'%(found)s' is not a date; write it as 2024-03-31.", found=day[:20])
            )


def item(review: Review, person: Person, id: str) -> Item:
    sight = review.mirror.sight(person)
    return item_of(review.mirror, sight, entry_of(sight, id), review.journal.waiting_about())


def neighbours(review: Review, person: Person, id: str, filters: Filters) -> QueueNeighbours:
    """Also of an item that was decided a moment ago: then what follows in its place."""
    check(filters)
    sight = review.mirror.sight(person)
    entry = entry_of(sight, id)
    found = sight.ordered(filters)
    place = SORTS[filters.sort].place(sight.catalogue, found, entry)
    is_there = place < len(found) and found[place].id == entry.id
    following = place + 1 if is_there else place
    return QueueNeighbours(
        found[place - 1].id if place else None,
        found[following].id if following < len(found) else None,
        place + 1,
        len(found),
    )


def parsed(id: str) -> tuple[str, int, int]:
    """('g', 12, 0) or ('p', 12, 40)."""
    match = _ID.fullmatch(id)
    if match is None:
        raise Unknown(_("There is no entry '%(id)s'.", id=id[:40]))
    kind = match[1] or "p"
    a, b = int(match[2] or match[3]), int(match[4] or 0)
    if not 0 < a <= MAX_DOCUMENT_ID or (kind == "p" and not a < b <= MAX_DOCUMENT_ID):
        raise Unknown(_("There is no entry '%(id)s'.", id=id))
    return kind, a, b


def entry_of(sight: Sight, id: str) -> QueueEntry:
    """Any two documents that this person may see can be decided about."""
    kind, a, b = parsed(id)
    if kind != "p":
        entry = sight.entry(_KIND_OF[kind], a)
        if entry is None:
            raise Unknown(
                _(
                    "There is no entry '%(id)s' that you are allowed to see; it may have changed.",
                    id=id,
                )
            )
        return entry
    if not (sight.sees(a) and sight.sees(b)):
        raise Unknown(
            _("There are no documents %(a)s and %(b)s that you are allowed to see.", a=a, b=b)
        )
    return sight.pair_entry(a, b) or pair_alone(sight.catalogue, a, b)


def pair_alone(catalogue: Catalogue, a: int, b: int) -> QueueEntry:
    """Two documents of a group, or two that were never found to have anything in common."""
    pair = catalogue.pairs.get((a, b))
    words = {decision.verdict for decision in catalogue.said(a, b)}
    state = (
        "done"
        if Verdict.CONFIRMED in words
        else "dismissed"
        if Verdict.DISMISSED in words
        else "open"
    )
    return QueueEntry(
        "pair",
        pair.relation.value if pair else "",
        pair.confidence if pair else 0.0,
        (a, b),
        ((a, b),),
        pair.leader if pair else None,
        state,
    )


def item_of(
    mirror: Mirror, sight: Sight, entry: QueueEntry, waiting: ActsOf, *, cards: int = _CARDS
) -> Item:
    """`cards` is how many of its documents are told of at most."""
    documents = sight.catalogue.documents
    surest = first_pair(sight.catalogue, entry)
    pair = sight.catalogue.pairs.get(surest)
    said = words_about(sight.catalogue, entry)
    ours = concerning(waiting, entry)
    return Item(
        entry.id,
        entry.kind,
        entry.relation,
        round(entry.confidence, 4),
        tuple(map(str, _reasons(sight.catalogue, entry, pair))),
        _cards(mirror, sight, entry, cards),
        sum(1 for id in entry.members if id in documents),
        entry.primary,
        surest,
        _state(entry, ours),
        seen(entry, said, ours),
        tuple(
            [word(decision) for decision in said]
            + [
                replace(word, waiting=True)
                for act in ours
                for word in words_of(act)
                if word.a in entry.members and word.b in entry.members
            ]
        ),
        bool(ours),
    )


def _reasons(catalogue: Catalogue, entry: QueueEntry, surest: Pair | None) -> tuple[Reason, ...]:
    """What is said of a group holds for all of it: what its pairs have in common, or else what is
    known of the least sure one."""
    if surest is None or len(entry.pairs) < 2:
        return surest.reasons if surest else ()
    keys = entry.pairs[:_PAIRS]
    pairs = [catalogue.pairs[key] for key in keys if key in catalogue.pairs]
    common = set(surest.reasons).intersection(*(pair.reasons for pair in pairs))
    shared = tuple(reason for reason in surest.reasons if reason in common)
    return shared or min(pairs, key=lambda pair: pair.confidence, default=surest).reasons


def _cards(mirror: Mirror, sight: Sight, entry: QueueEntry, most: int) -> tuple[Card, ...]:
    documents = [
        sight.catalogue.documents[id] for id in entry.members if id in sight.catalogue.documents
    ]
    if entry.kind != "versions":
        documents.sort(key=lambda d: (d.id != entry.primary, d.added or d.created or "", d.id))
    else:
        documents = documents[-most:]
    return tuple(mirror.card(d, is_primary=d.id == entry.primary) for d in documents[:most])


def words_about(catalogue: Catalogue, entry: QueueEntry) -> list[Decision]:
    """What was said about its pairs and its primary, in order."""
    members = set(entry.members)
    found = {
        decision.key: decision
        for id in entry.members
        for decision in catalogue.decisions_of.get(id, ())
        if decision.a in members
        and decision.b in members
        and decision.verdict is not Verdict.SUCCEEDS
    }
    return sorted(found.values(), key=lambda decision: (decision.at, decision.key))


def concerning(waiting: ActsOf, entry: QueueEntry) -> list[JournalEntry]:
    """What waits to be carried out about it, in order."""
    if not waiting:
        return []
    members = set(entry.members)
    found = {act.number: act for id in entry.members for act in waiting.get(id, ())}
    return [
        act
        for _, act in sorted(found.items())
        if any(a in members and b in members for a, b in act.subjects)
    ]


def seen(entry: QueueEntry, said: Sequence[Decision], waiting: Sequence[JournalEntry]) -> str:
    """Another text as soon as anything has changed that a decision about it rests on."""
    told = [
        entry.kind,
        str(entry.members),
        str(entry.primary),
        *(f"{decision.key} {decision.verdict} {decision.at}" for decision in said),
        *(f"act {act.number}" for act in waiting),
    ]
    return blake2s("\n".join(told).encode()).hexdigest()[:_SEEN_CHARACTERS]


def word(decision: Decision) -> Word:
    return Word(decision.a, decision.b, decision.verdict.value, decision.at, decision.by)


_VERDICT_OF = {"confirm": "confirmed", "dismiss": "dismissed", "primary": "primary"}


def words_of(act: JournalEntry) -> list[Word]:
    return [
        Word(a, b, _VERDICT_OF.get(step.what, step.what), act.at, act.by)
        for step in act.steps
        for a, b in step.pairs
    ]


def _state(entry: QueueEntry, waiting: Sequence[JournalEntry]) -> str:
    """As it will be once what waits is carried out."""
    state = entry.state
    for act in waiting:
        if act.undoes is not None:
            state = "open"
        elif act.verdict in {"same", "different"}:
            state = "done" if act.verdict == "same" else "dismissed"
    return state
