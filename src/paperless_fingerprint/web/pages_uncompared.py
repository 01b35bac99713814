"""What could not be compared: why, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import mark, ngettext
from paperless_fingerprint.review import uncompared
from paperless_fingerprint.web.pages import changing, go, number_of, page, shown
from paperless_fingerprint.web.pages_review import Notice
from paperless_fingerprint.web.rendering import query_string
from paperless_fingerprint.web.sign_in import Visit

_REASONS = {
    "unreadable": mark("Could not be read from Paperless"),
    "encrypted": mark("The file is encrypted"),
    "no_text": mark("No text was recognized"),
    "too_short": mark("Too few words"),
}
_ADVICE = {
    "unreadable": mark(
        "Open it in Paperless, and look at the log of Paperless. The next sync tries it again."
    ),
    "encrypted": mark(
        "Remove the password in Paperless (Actions, Remove password), or upload the file without "
        "one."
    ),
    "no_text": mark(
        "Have Paperless recognize the text again. Photos and handwriting often have none."
    ),
    "too_short": mark(
        "Only an identical file or text is found for it. If the page has more text than that, "
        "have Paperless recognize it again."
    ),
}


def routes() -> Sequence[Route]:
    return [
        Route("/uncompared", shown(_listed), methods=["GET"]),
        Route("/uncompared/reprocess", changing(_reprocess), methods=["POST"]),
    ]


def _listed(request: Request, visit: Visit) -> Response:
    given = _given(request.query_params)
    found = uncompared.listed(
        visit.review, visit.person, given["reason"], given["text"],
        max(1, number_of(request.query_params.get("page")) or 1),
    )  # fmt: skip
    return page(
        request, visit, "uncompared.html", "library",
        found=found, given=given, given_query=query_string(given), said=_said(request),
        reasons={name: _(text) for name, text in _REASONS.items()},
        advice={each.name: _(_ADVICE[each.name]) for each in found.reasons},
        may_reprocess=visit.person.may_decide,
    )  # fmt: skip


def _given(told: Mapping[str, Any]) -> dict[str, str]:
    """What the list is filtered by; an unknown reason is none."""
    reason, text = str(told.get("reason") or ""), str(told.get("text") or "")[:200].strip()
    return {"reason": reason if reason in uncompared.REASONS else "", "text": text}


def _reprocess(request: Request, visit: Visit, form: FormData) -> Response:
    ids = [number for told in form.getlist("id") if (number := number_of(str(told)))]
    done = uncompared.reprocess(visit.review, visit.person, visit.paperless, ids)
    told = query_string(_given(form), started=len(done.started), refused=len(done.refused) or None)
    return go(request, f"/uncompared?{told}")


def _said(request: Request) -> Notice | None:
    started = number_of(request.query_params.get("started"))
    refused = number_of(request.query_params.get("refused"))
    if started is None:
        return None
    text = ngettext(
        "Paperless is recognizing the text of %(num)s document again. What comes of it is compared "
        "with the next sync.",
        "Paperless is recognizing the text of %(num)s documents again. What comes of it is "
        "compared with the next sync.",
        started,
    )
    if refused:
        not_allowed = ngettext(
            "You are not allowed to change %(num)s document.",
            "You are not allowed to change %(num)s documents.",
            refused,
        )
        text = f"{text} {not_allowed}" if started else not_allowed
    return Notice(text)
