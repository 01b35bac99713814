"""Keeping some and moving the rest to the trash, for other programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from paperless_fingerprint.review import resolve
from paperless_fingerprint.review.decide import DecisionOutcome
from paperless_fingerprint.web.operations import ApiOperation, Call

#: Counts what was decided, and says of a conflict that there is one.
Told = Callable[[DecisionOutcome], DecisionOutcome]
_CONFLICT = {409: "Somebody was faster, or the documents have changed; `conflicts` says what."}


def _look(call: Call) -> resolve.Resolution:
    visit = call.signed_in
    return resolve.look(visit.review, visit.person, visit.paperless, call.body)


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
    )  # fmt: skip
