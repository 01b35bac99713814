"""Keeping some and moving the rest to the trash, for other programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from paperless_fingerprint.review import resolve, resolve_many
from paperless_fingerprint.review.decide import DecisionOutcome
from paperless_fingerprint.web.operations import ApiOperation, Call, id_parameter
from paperless_fingerprint.web.problems import Problem

#: Counts what was decided, and says of a conflict that there is one.
Told = Callable[[DecisionOutcome], DecisionOutcome]
_CONFLICT = {
    409: "Someone else has already decided this, or the documents have changed; `conflicts` says what."
}


def _look(call: Call) -> resolve.Resolution:
    visit = call.signed_in
    return resolve.look(visit.review, visit.person, visit.paperless, call.body)


def _look_at_many(call: Call) -> resolve_many.ManyPreview:
    visit = call.signed_in
    return resolve_many.look(visit.review, visit.person, visit.paperless, call.body)


def _resolve_many(call: Call) -> resolve_many.BatchStarted:
    visit = call.signed_in
    started = resolve_many.resolve(visit.review, visit.person, visit.paperless, call.body)
    if not started.number:
        raise Problem(
            409, "Changed", "What would happen has changed since the preview; nothing was done."
        )
    return started


def _batch(call: Call) -> resolve_many.BatchView:
    visit = call.signed_in
    return resolve_many.batch(visit.review, visit.person, call.values["number"])


def operations(told: Told) -> Sequence[ApiOperation]:
    def work(call: Call) -> DecisionOutcome:
        visit = call.signed_in
        return told(resolve.resolve(visit.review, visit.person, visit.paperless, call.body))

    return (
        ApiOperation("POST", "/api/review/resolve/preview",
                  "What would be carried over, what goes to the trash, and what Paperless is told.",
                  _look, resolve.Resolution, body=resolve.ResolveOrder),
        ApiOperation("POST", "/api/review/resolve",
                  "Keep some documents of an item and move the rest to Paperless's trash.",
                  work, DecisionOutcome, body=resolve.ResolveOrder, statuses=_CONFLICT),
        ApiOperation("POST", "/api/review/resolve-many/preview",
                  "What would happen to many groups: counts, examples, and what is left out.",
                  _look_at_many, resolve_many.ManyPreview, body=resolve_many.ManyOrder),
        ApiOperation("POST", "/api/review/resolve-many",
                  "Keep one of each of many identical groups; carried out in the background.",
                  _resolve_many, resolve_many.BatchStarted, body=resolve_many.ManyOrder,
                  statuses={409: "What would happen has changed since the preview."}),
        ApiOperation("GET", "/api/review/batches/{number}",
                  "How far a batch is, and what was not done.", _batch, resolve_many.BatchView,
                  (id_parameter("number", "Of its first act."),)),
    )  # fmt: skip
