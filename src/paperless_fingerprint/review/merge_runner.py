"""Merging what stands in the journal, group by group, at the pace that Paperless bears.

Each group is done once: what was begun is in the audit log under the number of its order, so that a
run which dies at any line is gone on with. Between two groups others may have the library.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager

from paperless_fingerprint.integration.context import Workplace, open_audit, open_workplace
from paperless_fingerprint.integration.feedback.tell import at_pace
from paperless_fingerprint.integration.merging import carry_out
from paperless_fingerprint.integration.merging.plan import Choice
from paperless_fingerprint.integration.merging.why import NotCarriedOverError, Why, of_stays
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.library.reach import reach
from paperless_fingerprint.model import Relation, Verdict
from paperless_fingerprint.paperless.records import Holding
from paperless_fingerprint.review.apply import carry_out as carry_out_decisions
from paperless_fingerprint.review.journal import (
    DONE,
    REFUSED,
    UNDONE,
    Journal,
    JournalEntry,
)
from paperless_fingerprint.review.journal_runner import JournalRunner
from paperless_fingerprint.review.merge_orders import Identical, MergeOrder, why_not
from paperless_fingerprint.review.mirror import Mirror
from paperless_fingerprint.service.live import LiveProgress
from paperless_fingerprint.settings.registry import Settings

#: How long one item is waited for before it is said to be on its way: some ten requests.
_PATIENCE_SECONDS = 10.0


class MergeRunner(JournalRunner):
    def __init__(
        self,
        settings: Settings,
        mirror: Mirror,
        journal: Journal,
        live: LiveProgress,
        wanting: Callable[[], AbstractContextManager[None]],
    ) -> None:
        super().__init__(settings, mirror, journal, wanting)
        self._live = live

    def carry_out_soon(self, numbers: Collection[int]) -> None:
        self.wait_until_settled(numbers, _PATIENCE_SECONDS if len(numbers) == 1 else 1.0)

    def titles(self, acts: Sequence[JournalEntry]) -> dict[int, str]:
        """Of what lies in the trash, and is in no library any more."""
        keys = {_key(act) for act in acts}
        found: dict[int, str] = {}
        for act in open_audit(self._settings).acts() if keys else ():
            if act.what == "merge" and act.details.get("key") in keys:
                found.update((int(id), title) for id, title in act.details["titles"].items())
        return found

    def _next(self) -> JournalEntry | None:
        """What is taken back goes first: it may be under way. Of thousands it is looked for after each."""
        waiting = self._journal.waiting()
        back = (entry for entry in waiting if entry.undoes is not None and entry.merges)
        return next(back, None) or next((entry for entry in waiting if entry.merges), None)

    def _carry_out_waiting(self, stop: threading.Event) -> None:
        while self._next() is not None:
            with open_workplace(self._settings) as place:
                pause = at_pace(place.settings.paperless.writes_per_second)
                # Looked at anew after each: somebody may have taken the rest back.
                while (act := self._next()) is not None and not stop.is_set():
                    work = self._merge if act.undoes is None else self._take_back
                    with self._wanting():
                        work(place, act, pause if act.batch else _at_once)
                    self._tell_waiting()
                    self._live.changed()
            if stop.is_set():
                return

    def _merge(self, place: Workplace, act: JournalEntry, pause: carry_out.Pause) -> None:
        order = MergeOrder.of_text(act.ordered)
        state, why = REFUSED, Why()
        with place.lock.held():
            around = reach(place.store, act.documents)
            done = place.audit.merge_of(_key(act))
            if done is None:
                why = _refusal(place, order, act, pause)
                done = place.audit.merge_of(_key(act))
            elif place.audit.end_of(done.number) is None:
                carry_out.finish(place, pause)
            if done is not None:
                report = carry_out.report_of(place, done)
                state, why = DONE, (*report.refused, *of_stays(report.plan))
                around |= self._decide(place, act, act)
        self._mirror.look_again(around)
        self._journal.settle(act.number, state, why)

    def _take_back(self, place: Workplace, act: JournalEntry, pause: carry_out.Pause) -> None:
        undone = self._journal.get(act.undoes or 0)
        assert undone is not None  # nothing is ever deleted there
        problems: Why = ()
        with place.lock.held():
            done = place.audit.merge_of(_key(undone))
            if done is not None:
                _, problems = carry_out.take_back(place, done, act.by, pause)
            around = self._decide(place, undone, act) | reach(place.store, act.documents)
        self._mirror.look_again(around)
        self._journal.settle(undone.number, UNDONE, undone.why)
        self._journal.settle(act.number, DONE, problems)

    def _decide(self, place: Workplace, about: JournalEntry, act: JournalEntry) -> set[int]:
        """What else was said: that those which are kept belong together."""
        if not about.decided:
            return set()
        around, _ = carry_out_decisions(place.store, place.settings, self._journal, act)
        place.ledger.owe(around)
        return around


def _at_once() -> None:
    """For one item, which somebody waits for."""


def _key(act: JournalEntry) -> str:
    """Under which the audit log knows it."""
    return f"review {act.number}"


def _refusal(place: Workplace, order: MergeOrder, act: JournalEntry, pause: carry_out.Pause) -> Why:
    """Merge; or say why not."""
    choice = order.choice
    ids = [*choice.keep, *choice.trash]
    held = place.paperless.holdings(ids, full_perms=True)
    for id in ids:
        if id not in held:
            return (Reason("gone", {"document": id}),)
    dismissed = next((d for d in place.store.decisions(ids) if d.verdict is Verdict.DISMISSED
                      and {d.a, d.b} <= set(ids)), None)  # fmt: skip
    if dismissed is not None:
        by = dismissed.by or ""
        return (Reason("said_different", {"by": by, "a": dismissed.a, "b": dismissed.b}),)
    if order.identical is not None:
        doubt = _doubt(place, order.identical, held, choice)
        if doubt is not None:
            return (doubt,)
    plan = carry_out.of(place, held, choice)
    if order.seen and plan.seen != order.seen:
        return (Reason("changed_since"),)
    why = why_not(order.person, held, plan)
    if why is not None or not plan.trash:
        return of_stays(plan) if why is None else (why,)
    try:
        report = carry_out.merge(
            place, plan, order.person.name, key=_key(act),
            batch=f"review {act.batch}" if act.batch else 0, pause=pause,
        )  # fmt: skip
    except NotCarriedOverError as error:
        return error.why
    return () if report.trashed else report.refused


def _doubt(
    place: Workplace, wanted: Identical, held: Mapping[int, Holding], choice: Choice
) -> Reason | None:
    """Why a group that was one of many is left to a person after all."""
    first = held[choice.keep[0]]
    pairs = {
        (pair.a, pair.b): pair
        for pair in place.store.pairs(
            ids=[first.id], relation=Relation.EXACT, at_least=wanted.floor
        )
    }
    names = place.paperless.names
    for id in choice.trash:
        copy = held[id]
        two = {"document": first.id, "copy": id}
        tags = copy.tags if wanted.protected_tags else ()
        if (min(id, first.id), max(id, first.id)) not in pairs:
            return Reason("unsure_now", two)
        if copy.content.split() != first.content.split():
            return Reason("text_now", two)
        if (copy.owner, copy.viewers) != (first.owner, first.viewers):
            return Reason("people_now", two)
        spared = (
            id in wanted.protected
            or copy.values["storage_path"] == wanted.protected_path is not None
            or any(names("tags", tag) in wanted.protected_tags for tag in tags)
        )
        if spared:
            return Reason("protected_now", {"document": id})
    return None
