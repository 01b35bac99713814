"""What Paperless would be told if decisions were made, before they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from paperless_fingerprint.errors import PaperlessError
from paperless_fingerprint.integration.context import open_inbox
from paperless_fingerprint.integration.feedback.asked import among, is_applied
from paperless_fingerprint.integration.feedback.labels import (
    Labels,
    OwnLabels,
    Role,
    as_if_made,
    is_taken_back,
)
from paperless_fingerprint.integration.feedback.ledger import Ledger, Rows
from paperless_fingerprint.integration.feedback.plan import (
    PLAIN_FIELDS,
    Plan,
    as_report,
    difference,
    marks_of,
)
from paperless_fingerprint.integration.feedback.plan_in_words import Write, writes_of
from paperless_fingerprint.integration.feedback.wanted import wishes
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.library.reach import reach
from paperless_fingerprint.review.apply import do
from paperless_fingerprint.review.journal import DecisionStep
from paperless_fingerprint.review.orders import (
    MOST_PREVIEWED,
    DecisionOrder,
    check_orders,
    steps_of,
)
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.queue import entry_of
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.review.views import Count
from paperless_fingerprint.review.what_if import WhatIf
from paperless_fingerprint.stores.base import Store


@dataclass(frozen=True, slots=True)
class Preview:
    """Exactly what Paperless would be told if these decisions were made."""

    decisions: int
    writes: tuple[Write, ...]
    #: Sentences: that writing is switched off, that Paperless is away, that more is affected.
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelsView:
    """Of the tags, links and figures that are written to Paperless."""

    #: 'asked for': only about what has come since, or was confirmed; 'written': about everything;
    #: 'taken back': none until somebody asks for them.
    state: str
    #: What would be added if all were written: ('tag:near', 12).
    would_add: tuple[Count, ...]
    notes: tuple[str, ...]


def preview(review: Review, person: Person, orders: Sequence[DecisionOrder]) -> Preview:
    """The same code as the decisions themselves, on a library that is only imagined."""
    check_orders(orders, MOST_PREVIEWED)
    sight = review.mirror.sight(person)
    entries = [entry_of(sight, order.item) for order in orders]
    notes: list[str] = []
    if not review.settings.paperless.write:
        return Preview(
            len(orders), (), (_("Writing to Paperless is switched off in the settings."),)
        )
    if is_taken_back(review.store):
        note = _(
            "All tags and links were removed from Paperless. None are written until you ask for them in First steps."
        )
        return Preview(len(orders), (), (note,))
    members = {id for entry in entries for id in entry.members}
    steps = [
        step
        for order, entry in zip(orders, entries, strict=True)
        for step in steps_of(order, entry)
    ]
    writes = tuple(labels_if(review, person, members, steps, problems=notes))
    return Preview(len(orders), writes, tuple(notes))


def labels_if(
    review: Review,
    person: Person,
    members: Collection[int],
    steps: Iterable[DecisionStep],
    *,
    leaving: Collection[int] = (),
    problems: list[str] | None = None,
) -> Iterator[Write]:
    """What becomes of our own labels. Of what is `leaving` for the trash nothing is said."""
    imagined = cast("Store", WhatIf(review.store))
    # To look at meanings anew would take the real store's vectors, and changes no tag of these two.
    settings = review.settings.having({"semantic.enabled": False})
    around = reach(review.store, members)
    for step in steps:
        do(imagined, settings, step, person.name)
    around = (around | reach(imagined, members)).difference(leaving)
    file = open_inbox(review.settings)[0]
    try:
        ledger = Ledger(file)
        rows = ledger.rows(around)
        asked = among(imagined, ledger, review.settings, around)
    finally:
        file.close()
    labels, found = _labels(review, rows)
    if problems is not None:
        problems += found
    plan = _plan(review, imagined, asked, labels, rows)
    documents = review.mirror.catalogue.documents
    hidden = {id for id in around if id not in documents or not person.may_see(documents[id])}
    titles = {id: documents[id].title for id in around if id in documents}
    yield from writes_of(plan, review.settings, titles, hidden)


def of_all(review: Review) -> LabelsView:
    """What writing about the whole library would add, as `apply --dry-run` says it."""
    state = "taken back" if is_taken_back(review.store) else "asked for"
    if state == "asked for" and is_applied(review.store):
        return LabelsView("written", (), ())
    file = open_inbox(review.settings)[0]
    try:
        rows = Ledger(file).rows()
    finally:
        file.close()
    labels, problems = _labels(review, rows)
    report = as_report(_plan(review, review.store, None, labels, rows))
    added = tuple(Count(kind, count) for kind, count in report.added.items())
    return LabelsView(state, added, tuple(problems))


def _plan(
    review: Review, store: Store, ids: Collection[int] | None, labels: Labels, rows: Rows
) -> Plan:
    wanted = wishes(store, review.settings, ids)
    marks = {id: marks_of(id, wish, labels, review.settings) for id, wish in wanted.items()}
    return difference(marks, rows, again=False)


def _labels(review: Review, rows: Rows) -> tuple[Labels, list[str]]:
    """As they are in Paperless; what is not there yet will be made, and has a number below zero."""
    notes: list[str] = []
    try:
        found = OwnLabels(review.paperless, review.store, review.settings).get(create=False)
    except PaperlessError:
        found = Labels()
        notes.append(
            _("Paperless does not answer. What is written there now comes from our own records.")
        )
    tags, fields = dict(found.tags), dict(found.fields)
    for kinds in rows.values():
        for kind, written in kinds.items():
            name, rest = kind.partition(":")[::2]
            if name == "tag" and rest in list(Role):
                tags.setdefault(Role(rest), written.mark.number)
            elif name == "link":
                fields.setdefault(rest, written.mark.number)
            elif kind in PLAIN_FIELDS:
                fields.setdefault(kind, written.mark.number)
    known = replace(found, tags=tags, fields=fields)
    return as_if_made(known, review.settings), [*notes, *found.problems]
