"""Why something of a merge was not done, as reasons: kept as they are, worded when they are read."""

from __future__ import annotations

from collections.abc import Iterable

from paperless_fingerprint.errors import PaperlessError
from paperless_fingerprint.integration.merging.plan import MergePlan, Stay
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.paperless.client import Refusal
from paperless_fingerprint.paperless.refusals import DeniedError, MissingError, RefusedError
from paperless_fingerprint.paperless.writing import GONE, LOCKED, NOT_IN_TRASH

Why = tuple[Reason, ...]
_CODES = {GONE: "missing", LOCKED: "locked", NOT_IN_TRASH: "not_in_trash"}


class NotCarriedOverError(PaperlessError):
    """What the copies have cannot be given to the one to keep; so they stay."""

    def __init__(self, why: Why) -> None:
        super().__init__(sentences(why))
        self.why = why


def sentences(why: Iterable[Reason]) -> str:
    return " ".join(map(str, why))


def of_refusal(refusal: Refusal) -> Reason:
    code = _CODES.get(refusal.reason)
    if code is None:
        return Reason("paperless_refused", {"said": refusal.reason})
    return Reason(code, {"document": refusal.id})


def of_error(error: PaperlessError) -> Why:
    """Paperless's own words are told as they are."""
    if isinstance(error, NotCarriedOverError):
        return error.why
    if isinstance(error, (DeniedError, RefusedError, MissingError)):
        code = "paperless_denied" if isinstance(error, DeniedError) else "paperless_refused"
        return (Reason(code, {"said": error.said or f"HTTP {error.status}"}),)
    return (Reason.of_error(error),)


def of_stays(plan: MergePlan) -> Why:
    return tuple(_stays(plan, each) for each in plan.stay)


def _stays(plan: MergePlan, stay: Stay) -> Reason:
    if stay.why != "edited":
        return Reason("unread", {"document": stay.document})
    return Reason("edited", {"document": stay.document, "says": stay.says, "keeps": plan.gets,
                             "kept": stay.kept})  # fmt: skip
