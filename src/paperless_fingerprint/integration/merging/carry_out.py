"""Doing what a plan says, step by step, and taking it back.

The whole plan is in the audit log before the first step, with all that is needed to take it back;
each step may be made twice. So a run that dies at any line is gone on with by whoever comes next
(`finish`), or taken back. The caller holds the library's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from paperless_fingerprint.errors import FingerprintError, PaperlessError, UsageError
from paperless_fingerprint.integration.audit import Act
from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.feedback import dead_links
from paperless_fingerprint.integration.feedback.dead_links import link_fields, numbers_of
from paperless_fingerprint.integration.feedback.tell import tell
from paperless_fingerprint.integration.merging.plan import (
    SERIAL,
    Change,
    Choice,
    MergePlan,
    field_of,
)
from paperless_fingerprint.integration.merging.read import planned
from paperless_fingerprint.integration.merging.why import (
    NotCarriedOverError,
    Why,
    of_error,
    of_refusal,
    sentences,
)
from paperless_fingerprint.integration.renewal import renew
from paperless_fingerprint.integration.updates import analyse_waiting, remove
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.library.clock import now_text
from paperless_fingerprint.paperless.client import BulkResult
from paperless_fingerprint.paperless.records import Holding
from paperless_fingerprint.paperless.refusals import UnavailableError

Pause = Callable[[], None]


@dataclass(frozen=True, slots=True)
class MergeReport:
    plan: MergePlan
    trashed: tuple[int, ...] = ()
    #: Why those that are missing there were not moved to the trash.
    refused: Why = ()
    #: Of the act in the audit log.
    number: int = 0


def preview(place: Workplace, keep: Collection[int], copies: Collection[int]) -> MergePlan:
    """Reads from Paperless and writes nothing."""
    choice = Choice(tuple(keep), tuple(sorted(set(copies) - set(keep))))
    held = place.paperless.holdings([*choice.keep, *choice.trash])
    missing = [id for id in (*choice.keep, *choice.trash) if id not in held]
    if missing or not choice.trash:
        named = ", ".join(map(str, missing)) or "no copy at all"
        raise UsageError(
            f"There is nothing to merge: {named} cannot be seen in Paperless. Nothing was changed."
        )
    return of(place, held, choice)


def of(place: Workplace, held: Mapping[int, Holding], choice: Choice) -> MergePlan:
    labels = place.labels.get(create=False)
    return planned(place.store, place.settings, place.paperless, labels, held, choice)


def merge(
    place: Workplace,
    plan: MergePlan,
    by: str,
    *,
    key: str = "",
    batch: int | str = 0,
    pause: Pause = lambda: None,
) -> MergeReport:
    """`key` names this merge to whoever ordered it; `batch` is the number of the act that it
    belongs to and is undone with, or the name of many that were ordered at once."""
    if not plan.trash:
        return MergeReport(plan)
    begun = (a for a in place.audit.unfinished() if a.document_id == plan.gets)
    for act in begun:  # by a run that died
        return _carried_out(place, act, pause)
    links = {id: dead_links.links_of(place, id) for id in plan.trash}
    titles = place.store.metadata(plan.trash)
    act = place.audit.write(
        now_text(), "merge", plan.gets, by, plan=plan.as_json(), key=key, batch=batch,
        titles={str(id): found.title for id, found in titles.items()},
        links={str(id): dead_links.of_people(place, id, own) for id, own in links.items()},
        linked={str(id): sorted({n for to in own.values() for n in to}) for id, own in links.items()},
    )  # fmt: skip
    return _carried_out(place, act, pause)


def finish(place: Workplace, pause: Pause = lambda: None) -> list[MergeReport]:
    """What a run that died has begun."""
    return [_carried_out(place, act, pause) for act in place.audit.unfinished()]


def report_of(place: Workplace, act: Act) -> MergeReport:
    """Of an act that has ended."""
    end = place.audit.end_of(act.number)
    told = {} if end is None else end.details
    # Earlier versions wrote the document before the sentence.
    refused = tuple(
        Reason.of(why[1] if isinstance(why, list) else why) for why in told.get("refused", ())
    )
    plan = MergePlan.of_json(act.details["plan"])
    return MergeReport(plan, tuple(told.get("trashed", ())), refused, act.number)


def _carried_out(place: Workplace, act: Act, pause: Pause) -> MergeReport:
    plan = MergePlan.of_json(act.details["plan"])
    try:
        _give(place, plan, pause)
    except PaperlessError as error:
        if _may_pass(error):
            raise
        place.labels.forget()  # perhaps one of them is gone since it was seen
        why = (Reason("not_carried_over", {"document": plan.gets}), *of_error(error))
        _give_up(place, plan, act, why, pause)
        raise NotCarriedOverError(why) from error
    trashed: list[int] = []
    refused: list[Reason] = []
    for id in plan.trash:
        left = _trash(place, plan, id, act, pause)
        refused += left
        if not left:
            trashed.append(id)
    if not trashed:
        _give_up(place, plan, act, refused, pause)
    _follow(place, plan, trashed)
    if trashed:
        # Last of all: until then whoever comes next does it again.
        place.audit.write(
            now_text(), "merged", plan.gets, act.by, act=act.number, trashed=trashed,
            refused=[why.as_json() for why in refused],
        )  # fmt: skip
    return MergeReport(plan, tuple(trashed), tuple(refused), act.number)


def _may_pass(error: PaperlessError) -> bool:
    """Whether the same step may succeed later; it is then made again."""
    return isinstance(error, UnavailableError) or getattr(error, "status", None) == 401


def _give_up(
    place: Workplace, plan: MergePlan, act: Act, why: Collection[Reason], pause: Pause
) -> None:
    for id in plan.trash:
        _give_back(place, plan, id, act)
    _take_gifts_back(place, plan, pause)
    place.audit.write(now_text(), "undone", plan.gets, act.by, act=act.number, why=sentences(why))


def _follow(place: Workplace, plan: MergePlan, trashed: Collection[int]) -> None:
    """The library, and the labels of what is left."""
    analyse_waiting(place, remove(place, trashed))
    _look_again(place, [plan.gets] if plan.gives and trashed else [])
    tell(place)


def _look_again(place: Workplace, ids: Iterable[int]) -> None:
    """As the library keeps them is no longer how they are; that is nothing new to tell about."""
    for id in ids:
        try:
            renew(place, id, is_news=False)
        except FingerprintError:
            place.inbox.add([id])


# --- giving ------------------------------------------------------------------------------------


def _give(place: Workplace, plan: MergePlan, pause: Pause) -> None:
    paperless, to = place.paperless, plan.gets
    serial = plan.changed(SERIAL)
    if serial is not None and serial.source in plan.trash:
        # A number is one document's, also one's that lies in the trash.
        _set_serial(place, serial.source, None, was=serial.becomes)
        pause()
    values = {c.key: c.becomes for c in plan.changes if field_of(c.key) is None}
    if values:
        paperless.change_document(to, **values)
        pause()
    if plan.tags:
        _all_done(paperless.modify_tags([to], add=plan.tags))
        pause()
    fields = {n: change.becomes for n, change in _of_fields(plan)}
    if fields:
        _set_fields(place, to, fields, plan.trash)
        pause()
    there = {note.text for note in paperless.notes(to)} if plan.notes else set()
    for text in plan.notes:
        if text not in there:
            paperless.add_note(to, text)
            pause()


def _set_serial(place: Workplace, id: int, number: int | None, *, was: int | None) -> None:
    """Only where it is what it was: somebody may have given it another one since."""
    held = place.paperless.holdings([id]).get(id)
    if held is not None and held.values[SERIAL] == was:
        place.paperless.change_document(id, **{SERIAL: number})


def _of_fields(plan: MergePlan) -> list[tuple[int, Change]]:
    return [(n, c) for c in plan.changes for n in [field_of(c.key)] if n is not None]


def _set_fields(
    place: Workplace, id: int, values: Mapping[int, Any], going: Collection[int] = ()
) -> None:
    _, now = place.paperless.tags_and_fields([id]).get(id, ((), {}))
    links = link_fields(place.paperless, {*values, *now})
    # A link that is merely written over leaves its back link behind: it is taken off first.
    off = [n for n, value in values.items() if n in links
           and not set(numbers_of(now.get(n))) <= {*numbers_of(value), *going}]  # fmt: skip
    if off:
        _all_done(place.paperless.modify_custom_fields([id], remove=off))
    _all_done(place.paperless.modify_custom_fields([id], values=values))


def _all_done(result: BulkResult) -> None:
    for refusal in result.refused:
        raise NotCarriedOverError((of_refusal(refusal),))


def _trash(place: Workplace, plan: MergePlan, id: int, act: Act, pause: Pause) -> Why:
    """Why Paperless does not take it; nothing where it lies in the trash."""
    try:
        links = dead_links.links_of(place, id)
        dead_links.take_off(place, id, links)
        if links:
            pause()
        else:  # a run that died may have taken them off, and left empty fields behind
            dead_links.clear_ends(place, act.details["linked"][str(id)])
        result = place.paperless.move_to_trash([id])
        pause()
    except PaperlessError as error:
        if _may_pass(error):
            raise
        why = of_error(error)
    else:
        if result.done:
            return ()
        why = (of_refusal(result.refused[0]),)
    _give_back(place, plan, id, act)
    return why


# --- taking back -------------------------------------------------------------------------------


def take_back(
    place: Workplace, act: Act, by: str, pause: Pause = lambda: None
) -> tuple[tuple[int, ...], Why]:
    """Each tag, field, note and link as it was, but for what somebody has changed since: what is out
    of the trash, and what is not as it was. May be done twice."""
    plan = MergePlan.of_json(act.details["plan"])
    unseen = _take_gifts_back(place, plan, pause)
    end = place.audit.end_of(act.number)
    trashed = plan.trash if end is None else tuple(end.details.get("trashed", plan.trash))
    result = place.paperless.restore(trashed)
    pause()
    for id in result.done:
        _give_back(place, plan, id, act)
        pause()
    problems = (*unseen, *map(of_refusal, result.refused))
    # Links of ours are written anew, also where this dies before it has looked again.
    place.ledger.owe([plan.gets, *result.done])
    place.audit.write(now_text(), "undone", plan.gets, by, act=act.number, why=sentences(problems))
    _look_again(place, [*result.done, *([plan.gets] if plan.gives and not unseen else [])])
    tell(place)
    return result.done, problems


def _give_back(place: Workplace, plan: MergePlan, id: int, act: Act) -> None:
    """What was taken off a copy before it went to the trash."""
    serial = plan.changed(SERIAL)
    if serial is not None and serial.source == id:
        _set_serial(place, plan.gets, serial.was, was=serial.becomes)
        _set_serial(place, id, serial.becomes, was=None)
    dead_links.put_back(place, id, act.details.get("links", {}).get(str(id)) or {})


def _take_gifts_back(place: Workplace, plan: MergePlan, pause: Pause) -> Why:
    """Only what is still as we made it."""
    paperless, id = place.paperless, plan.gets
    held = paperless.holdings([id]).get(id)
    if held is None:
        return (Reason("unseen", {"document": id}),)
    if not plan.gives:
        return ()
    values = {
        change.key: change.was
        for change in plan.changes
        if field_of(change.key) is None and held.values.get(change.key) == change.becomes
    }
    if values:
        paperless.change_document(id, **values)
        pause()
    tags = _without_parents(place, held, plan.tags)
    if tags:
        paperless.modify_tags([id], remove=tags)
        pause()
    same = [(n, c) for n, c in _of_fields(plan) if _alike(held.fields.get(n), c.becomes)]
    off = [n for n, change in same if not change.had]
    if off:
        paperless.modify_custom_fields([id], remove=off)
        pause()
    back = {number: change.was for number, change in same if change.had}
    if back:
        _set_fields(place, id, back)
        pause()
    left = list(plan.notes)
    for note in paperless.notes(id) if left else ():
        if note.text in left:
            left.remove(note.text)
            paperless.delete_note(id, note.id)
            pause()
    return ()


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return sorted(one) == sorted(other)
    return bool(one == other)


def _without_parents(place: Workplace, held: Holding, given: Collection[int]) -> list[int]:
    """Those of the tags that can go: a parent would take along what somebody has put below it since."""
    going = set(given).intersection(held.tags)
    parent_of = {tag.id: tag.parent for tag in place.paperless.tags()} if going else {}
    staying = [tag for tag in held.tags if tag not in going]
    while staying:
        parent = parent_of.get(staying.pop())
        if parent is not None:
            going.discard(parent)
            staying.append(parent)
    return sorted(going)
