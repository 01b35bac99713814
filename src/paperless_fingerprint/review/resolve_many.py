"""Keeping one of each of many groups of identical documents, by rules, after a preview in figures.

Only what is beyond doubt: groups that are identical throughout, at least as sure as the settings ask
for before anything goes to the trash, with the same text and for the same people. All else is listed
with its reason and left to a person. Looked at in memory, so that thousands of groups take no longer
than a page; each group is looked at once more, in Paperless, when it is carried out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2s

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.grouping.groups import best_text
from paperless_fingerprint.integration.merging.plan import Choice
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import mark
from paperless_fingerprint.library.clock import now_text
from paperless_fingerprint.paperless.client import PaperlessClient
from paperless_fingerprint.review import journal as journals
from paperless_fingerprint.review.catalogue import Brief, Catalogue
from paperless_fingerprint.review.decide import Forbidden, shown_to
from paperless_fingerprint.review.merge_orders import Identical, MergeOrder
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.queue import concerning
from paperless_fingerprint.review.queue_entry import QueueEntry
from paperless_fingerprint.review.resolve import VERDICT
from paperless_fingerprint.review.selection import Selection, chosen
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.review.views import Count

RULES = ("primary", "oldest", "newest", "serial", "pages", "text", "largest", "path")
MOST_GROUPS = 20_000
_EXAMPLES = 10
_LISTED = 500
_MOST_RULES = 5
#: Requests that change something, for one group: about so many.
_WRITES_EACH = 6
WHY_NOT: Mapping[str, str] = {
    "none": mark("no group of duplicates"),
    "alike": mark("alike, not identical: compare them and decide one by one"),
    "unsure": mark("less sure than the settings ask for before anything goes to the trash"),
    "text": mark("the texts differ: perhaps one was corrected"),
    "people": mark("not for the same people"),
    "rights": mark("you may not delete the copies in Paperless"),
    "waiting": mark("a decision about it is being carried out"),
    "protected": mark("all copies are protected"),
    "large": mark("too many documents"),
}
#: Of one group; more than that is a matter for a person.
_MOST_MEMBERS = 200


@dataclass(frozen=True, slots=True)
class ManyOrder:
    """Which groups, which document is kept of each, and what never goes to the trash."""

    #: Ids such as 'g12'; with `filters`: all that match but these.
    selection: Selection
    #: Of RULES; the first that tells documents apart decides. 'primary' is the one to keep as it
    #: is shown.
    rules: tuple[str, ...] = ("primary",)
    #: For the rule 'path': the storage path's id in Paperless.
    path: int | None = None
    #: Names of tags whose documents never go to the trash.
    protected_tags: tuple[str, ...] = ()
    #: A storage path whose documents never do.
    protected_path: int | None = None
    #: Documents that never do.
    protected: tuple[int, ...] = ()
    #: The `seen` of the preview.
    seen: str = ""


@dataclass(frozen=True, slots=True)
class ManyDocument:
    id: int
    title: str


@dataclass(frozen=True, slots=True)
class ManyExample:
    item: str
    keep: tuple[ManyDocument, ...]
    trash: tuple[ManyDocument, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    item: str
    title: str
    #: Of WHY_NOT.
    why: str


@dataclass(frozen=True, slots=True)
class ManyPreview:
    """What would happen to many groups. Nothing has."""

    groups: int
    documents: int
    #: Of the files that would go to the trash, where that is known.
    bytes: int
    examples: tuple[ManyExample, ...]
    #: Reason → how many groups are left out for it.
    exceptions: tuple[Count, ...]
    #: The first of them.
    left_out: tuple[LeftOut, ...]
    #: About, at the pace that the settings allow.
    seconds: float
    may_not: str
    seen: str


@dataclass(frozen=True, slots=True)
class BatchStarted:
    #: Of the first act; what GET /api/review/batches/{number} and undo take. 0: nothing was done,
    #: because what would happen has changed since the preview.
    number: int
    groups: int


@dataclass(frozen=True, slots=True)
class _Planned:
    entry: QueueEntry
    choice: Choice


@dataclass(frozen=True, slots=True)
class _Plan:
    planned: Sequence[_Planned]
    left_out: Sequence[LeftOut]
    #: Of what is planned, in a few letters.
    seen: str


def look(
    review: Review, person: Person, paperless: PaperlessClient, order: ManyOrder
) -> ManyPreview:
    plan = _plan(review, person, paperless, order)
    planned, left_out = plan.planned, plan.left_out
    documents = review.mirror.catalogue.documents
    going = [id for each in planned for id in each.choice.trash]

    def named(ids: Sequence[int]) -> tuple[ManyDocument, ...]:
        return tuple(ManyDocument(id, documents[id].title) for id in ids if id in documents)

    may_not = ""
    if not review.settings.paperless.write:
        may_not = _("Writing to Paperless is switched off in the settings.")
    elif not (person.may_decide and person.may_delete):
        may_not = _("Your account may not delete documents in Paperless.")
    pace = float(review.settings.paperless.writes_per_second)
    reasons = Counter(each.why for each in left_out)
    return ManyPreview(
        len(planned), len(going),
        sum(documents[id].bytes or 0 for id in going if id in documents),
        tuple(
            ManyExample(each.entry.id, named(each.choice.keep), named(each.choice.trash))
            for each in planned[:_EXAMPLES]
        ),
        tuple(Count(why, count) for why, count in reasons.most_common()),
        tuple(left_out[:_LISTED]), len(planned) * _WRITES_EACH / pace, may_not, plan.seen,
    )  # fmt: skip


def resolve(
    review: Review, person: Person, paperless: PaperlessClient, order: ManyOrder
) -> BatchStarted:
    """Kept when this returns, and carried out behind it at the pace that the settings allow."""
    if not review.settings.paperless.write:
        raise UsageError(_("Writing to Paperless is switched off in the settings."))
    if not (person.may_decide and person.may_delete):
        raise Forbidden(_("Your account may not delete documents in Paperless."))
    plan = _plan(review, person, paperless, order)
    if not plan.planned:
        raise UsageError(_("None of these groups can be resolved at once."))
    with review.deciding:
        if plan.seen != order.seen:
            return BatchStarted(0, len(plan.planned))
        at = now_text()
        identical = Identical(
            _floor(review), order.protected_tags, order.protected_path, order.protected
        )
        person = replace(person, visible=None)
        kept = review.journal.add([
            journals.JournalEntry(
                0, at, person.id, person.name, VERDICT, each.entry.id,
                (*each.choice.keep, *each.choice.trash),
                (journals.DecisionStep(journals.TRASH, each.choice.keep[0], each.choice.trash),),
                ordered=MergeOrder(person, each.choice, "", identical).as_text(),
            )
            for each in plan.planned
        ])  # fmt: skip
    review.merges.wake()
    return BatchStarted(kept[0].number, len(kept))


# --- how far it is --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BatchRow:
    act: int
    item: str
    documents: tuple[ManyDocument, ...]
    why: str


@dataclass(frozen=True, slots=True)
class BatchView:
    """One batch: how far it is, and what was not done."""

    number: int
    by: str
    at: str
    total: int
    waiting: int
    done: int
    refused: int
    undone: int
    #: Still to be taken back.
    undoing: int
    #: What was not done, or not wholly, and why; the first of it.
    problems: tuple[BatchRow, ...]
    may_undo: bool
    #: Why it does not go on at the moment: Paperless is away.
    trouble: str = ""


def batch(review: Review, person: Person, number: int) -> BatchView:
    first = shown_to(review, person, number)
    number = first.batch or first.number
    states = review.journal.states_of_batch(number)
    told = review.journal.problems_of_batch(number, _LISTED)
    documents, titles = review.mirror.catalogue.documents, review.merges.titles(told)

    def named(id: int) -> ManyDocument:
        known = documents.get(id)
        return ManyDocument(id, known.title if known else titles.get(id, ""))

    problems = [
        BatchRow(
            act.number, act.item, tuple(map(named, act.documents)), " ".join(map(str, act.why))
        )
        for act in told
    ]
    waiting, done = (states.get(state, 0) for state in (journals.WAITING, journals.DONE))
    own = person.superuser or first.person == person.id
    return BatchView(
        number, first.by, first.at, sum(states.values()), waiting, done,
        states.get(journals.REFUSED, 0), states.get(journals.UNDONE, 0),
        states.get("undoing", 0), tuple(problems),
        own and bool(waiting or done), str(review.merges.trouble or ""),
    )  # fmt: skip


# --- the plan -------------------------------------------------------------------------------------


def _plan(review: Review, person: Person, paperless: PaperlessClient, order: ManyOrder) -> _Plan:
    """Made once for all who ask the same of the same library, unless Paperless has to be asked."""
    _check(order)
    if order.path is not None or order.protected_path is not None:
        return _made(review, person, paperless, order)
    # Held, and not only named: what is gone gives its place to another.
    catalogue, waiting = review.mirror.catalogue, review.journal.waiting()
    who = person.superuser or (person.id, person.groups, person.visible)
    key = (who, _floor(review), replace(order, seen=""))
    kept = review.plans.get(key)
    if kept is None or kept[0] is not catalogue or kept[1] is not waiting:
        made = _made(review, person, paperless, order)
        kept = review.plans.put(key, (catalogue, waiting, made))
    found: _Plan = kept[2]
    return found


def _made(review: Review, person: Person, paperless: PaperlessClient, order: ManyOrder) -> _Plan:
    entries = chosen(review, person, order.selection)
    if len(entries) > MOST_GROUPS:
        raise UsageError(
            _("At most %(most)s groups can be resolved at once.", most=f"{MOST_GROUPS:,}")
        )
    catalogue = review.mirror.catalogue
    waiting = review.journal.waiting_about()
    protected = set(order.protected)
    if order.protected_path is not None:
        protected |= paperless.in_storage_path(order.protected_path)
    rank = _rank(review, paperless, order, entries)
    floor, tags = _floor(review), frozenset(order.protected_tags)
    planned: list[_Planned] = []
    left_out: list[LeftOut] = []
    for entry in entries:
        found = [catalogue.documents[id] for id in entry.members if id in catalogue.documents]
        if concerning(waiting, entry):
            why, choice = "waiting", None
        else:
            why, choice = _choice(catalogue, person, tags, entry, found, protected, rank, floor)
        if choice is None:
            left_out.append(LeftOut(entry.id, found[0].title if found else "", why))
        else:
            planned.append(_Planned(entry, choice))
    return _Plan(planned, left_out, _seen(planned))


Rank = Callable[[QueueEntry, Sequence[Brief]], list[int]]


def _choice(
    catalogue: Catalogue,
    person: Person,
    tags: frozenset[str],
    entry: QueueEntry,
    found: Sequence[Brief],
    protected: set[int],
    rank: Rank,
    floor: float,
) -> tuple[str, Choice | None]:
    """What is kept of one group; or why it is left to a person."""
    if entry.kind != "group" or len(found) < 2:
        return "none", None
    if entry.relation != "exact":
        return "alike", None
    if len(found) > _MOST_MEMBERS:
        return "large", None
    spared = [d for d in found if d.id in protected or not tags.isdisjoint(d.tags)]
    ids = rank(entry, spared or found)
    keep = (ids[0], *(d.id for d in spared if d.id != ids[0]))
    going = [d for d in found if d.id not in keep]
    if not going:
        return "protected", None
    first = next(d for d in found if d.id == keep[0])
    for document in going:
        key = (min(first.id, document.id), max(first.id, document.id))
        pair = catalogue.pairs.get(key)
        if pair is None or pair.relation.value != "exact":
            return "alike", None
        if pair.confidence < floor:
            return "unsure", None
        if document.text != first.text:
            return "text", None
        if document.owner != first.owner or {*document.viewers} != {*first.viewers}:
            return "people", None
        if not person.superuser and document.owner not in {None, person.id}:
            return "rights", None
    return "", Choice(keep, tuple(d.id for d in going))


def _rank(
    review: Review, paperless: PaperlessClient, order: ManyOrder, entries: Sequence[QueueEntry]
) -> Rank:
    """Members, the one to keep first."""
    members = {id for entry in entries for id in entry.members}
    serials = (
        {id: d.archive_serial_number for id, d in review.store.metadata(members).items()}
        if "serial" in order.rules
        else {}
    )
    inside = (
        paperless.in_storage_path(order.path)
        if "path" in order.rules and order.path is not None
        else frozenset()
    )
    best = _best_texts(review, entries) if "text" in order.rules else frozenset()

    def age(document: Brief) -> str:
        return document.added or document.created or "9999"

    told: Mapping[str, Callable[[QueueEntry, Brief], object]] = {
        "primary": lambda entry, document: document.id != entry.primary,
        "oldest": lambda _entry, document: age(document),
        "newest": lambda _entry, document: -int("".join(filter(str.isdecimal, age(document))) or 0),
        "serial": lambda _entry, document: serials.get(document.id) is None,
        "pages": lambda _entry, document: -(document.pages or 0),
        "largest": lambda _entry, document: -(document.bytes or 0),
        "text": lambda _entry, document: document.id not in best,
        "path": lambda _entry, document: document.id not in inside,
    }
    keys = [told[rule] for rule in order.rules]

    def ranked(entry: QueueEntry, found: Sequence[Brief]) -> list[int]:
        def key(document: Brief) -> tuple[object, ...]:
            return (*(each(entry, document) for each in keys), age(document), document.id)

        return [document.id for document in sorted(found, key=key)]

    return ranked


def _best_texts(review: Review, entries: Sequence[QueueEntry]) -> frozenset[int]:
    found = set()
    for entry in entries:
        if entry.kind == "group" and len(entry.members) <= _MOST_MEMBERS:
            stored = review.store.get(entry.members)
            if stored:
                found.add(best_text([each.document for each in stored.values()]))
    return frozenset(found)


def _check(order: ManyOrder) -> None:
    unknown = set(order.rules) - set(RULES)
    if unknown or not order.rules or len(order.rules) > _MOST_RULES:
        raise UsageError(
            _(
                "The rules for what to keep are %(rules)s; name 1 to %(most)s of them.",
                rules=", ".join(RULES),
                most=_MOST_RULES,
            )
        )
    if "path" in order.rules and order.path is None:
        raise UsageError(_("Choose the storage path whose documents are kept."))


def _floor(review: Review) -> float:
    settings = review.settings
    return max(float(settings.paperless.trash_confidence), float(settings.similarity_threshold))


def _seen(planned: Sequence[_Planned]) -> str:
    told = "\n".join(f"{p.entry.id} {p.choice.keep} {p.choice.trash}" for p in planned)
    return blake2s(told.encode()).hexdigest()[:16]
