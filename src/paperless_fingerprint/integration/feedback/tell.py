"""Telling Paperless what was found, and taking back what is no longer so.

What should be there (`wishes`) is compared with what we wrote (`ledger`), and the difference is
written: merges only, in batches, so that a person's own tags and fields stay. A second run finds no
difference and writes nothing. Each write is announced in the ledger before it is made.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection

from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.feedback import dead_links
from paperless_fingerprint.integration.feedback.asked import (
    APPLIED_NOTE,
    among,
    ask_for_all,
    is_applied,
)
from paperless_fingerprint.integration.feedback.labels import (
    TAKEN_BACK_NOTE,
    Labels,
    Role,
    as_if_made,
    is_taken_back,
)
from paperless_fingerprint.integration.feedback.ledger import ON, Mark
from paperless_fingerprint.integration.feedback.plan import (
    FeedbackReport,
    Plan,
    as_report,
    difference,
    marks_of,
)
from paperless_fingerprint.integration.feedback.wanted import wishes
from paperless_fingerprint.integration.feedback.write import Writer
from paperless_fingerprint.integration.notify.finds import note_finds
from paperless_fingerprint.library.reach import reach
from paperless_fingerprint.paperless.refusals import RefusedError


def tell(place: Workplace, *, widely: bool = False) -> FeedbackReport:
    """What is owed since the last time. The caller holds the library's lock.

    `widely` where the debt was written down by somebody who did not look at what is connected.
    """
    owed = place.ledger.owed()
    if not owed:
        return FeedbackReport()
    report = FeedbackReport()
    if place.settings.paperless.write and not is_taken_back(place.store):
        report = write(place, reach(place.store, owed) if widely else list(owed))
    note_finds(place, owed)
    place.ledger.told(owed)
    return report


def tell_all(
    place: Workplace,
    *,
    dry_run: bool = False,
    pause: Callable[[], None] | None = None,
    again: bool = False,
) -> FeedbackReport:
    """The whole library. `again` tries once more what Paperless has refused."""
    if dry_run:
        labels = place.labels.get(create=False)
        imagined = as_if_made(labels, place.settings)
        return as_report(plan_for(place, None, imagined, again=again), labels.problems)
    owed = place.ledger.owed()
    ask_for_all(place.store)
    _adopt(place)
    report = write(place, None, pause=pause, again=again)
    note_finds(place, owed)
    place.ledger.told(owed)
    return report


def tell_rest(place: Workplace, pause: Callable[[], None] | None = None) -> FeedbackReport:
    """Now and then: whatever has changed the library without a word to us, such as a new
    threshold. Where nobody has let us write about the whole library, only what was asked for is
    kept right."""
    if not place.settings.paperless.write or is_taken_back(place.store):
        return FeedbackReport()
    if is_applied(place.store):
        return write(place, None, pause=pause)
    written = list(place.ledger.rows())
    return write(place, written) if written else FeedbackReport()


def take_back_all(place: Workplace, pause: Callable[[], None] | None = None) -> FeedbackReport:
    """Everything that we ever wrote: tags, links, figures, notes, then the labels themselves. It
    holds, whoever else is at work, until somebody asks for labels again (`tell_all`)."""
    place.store.put_notes({APPLIED_NOTE: "", TAKEN_BACK_NOTE: "yes"})
    labels = place.labels.get(create=False)
    rows = place.ledger.rows()
    plan = difference({}, rows, again=True)
    report = Writer(place, labels, pause).write(plan)
    dead_links.clear(place)
    left = place.labels.delete_all()
    place.ledger.drop((id, kind) for id, kinds in rows.items() for kind in kinds)
    place.ledger.told(place.ledger.owed())
    return FeedbackReport(report.added, report.removed, report.refused, (*report.problems, *left))


def write(
    place: Workplace,
    ids: Collection[int] | None,
    *,
    pause: Callable[[], None] | None = None,
    again: bool = False,
) -> FeedbackReport:
    labels = place.labels.get()
    plan = plan_for(place, ids, labels, again=again)
    if not plan:
        return FeedbackReport(problems=labels.problems)
    try:
        return Writer(place, labels, pause).write(plan)
    except RefusedError:
        # Somebody has deleted a tag or field of ours since we looked.
        place.labels.forget()
        labels = place.labels.get()
        return Writer(place, labels, pause).write(plan_for(place, ids, labels, again=again))


def plan_for(
    place: Workplace, ids: Collection[int] | None, labels: Labels, *, again: bool = False
) -> Plan:
    present = None if ids is None else place.store.metadata(ids)
    asked = ids if ids is None else among(place.store, place.ledger, place.settings, ids)
    wanted = wishes(place.store, place.settings, asked, present)
    there = set(place.store.ids()) if present is None else present.keys()
    # What lies in the trash keeps its tags, and is looked at again when it comes back.
    rows = {id: kinds for id, kinds in place.ledger.rows(ids).items() if id in there}
    marks = {id: marks_of(id, wish, labels, place.settings) for id, wish in wanted.items()}
    return difference(marks, rows, again=again)


def _adopt(place: Workplace) -> None:
    """The ledger was lost, or the library is a new one: what has our tags counts as written."""
    if not place.ledger.is_empty():
        return
    labels = place.labels.get()
    numbers = {number: role for role, number in labels.tags.items()}
    if not numbers:
        return
    found = [
        (id, f"tag:{numbers[tag].value}", Mark(tag), ON)
        for id, tags in place.paperless.tagged(numbers).items()
        for tag in tags
        if tag in numbers
    ]
    if labels.fields and found:
        for kind in ("duplicate", "version", "contains"):
            if kind in labels.fields:
                number = labels.fields[kind]
                tagged = {id for id, *_ in found}
                role = {"duplicate": {Role.EXACT, Role.NEAR}, "version": {Role.VERSION},
                        "contains": {Role.CONTAINS}}[kind]  # fmt: skip
                own = {id for id, k, *_ in list(found) if k in {f"tag:{r.value}" for r in role}}
                found += [
                    (id, f"link:{kind}", Mark(number, json.dumps(sorted(value))), ON)
                    for id, value in place.paperless.with_field(number).items()
                    if value and id in own & tagged
                ]
    place.ledger.put(found)


def at_pace(requests_per_second: float) -> Callable[[], None]:
    """A pause that keeps the writing bearable for Paperless and for whoever uses it meanwhile."""
    gap = 1.0 / requests_per_second
    last = [0.0]

    def pause() -> None:
        wait = last[0] + gap - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        last[0] = time.monotonic()

    return pause
