"""Errors in one form: problem details (RFC 9457) for programs, a page for people.

Every error goes through here, also those of the framework (404, 405) and those that nobody
expected (500). What the store says names paths and addresses; that is for the log, not for strangers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from http import HTTPStatus
from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from paperless_fingerprint.errors import (
    ConfigurationError,
    FingerprintError,
    NoPaperlessError,
    PaperlessError,
    StoreError,
    unexpected,
)
from paperless_fingerprint.languages import ENGLISH, mark, speaking
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.paperless.refusals import DeniedError, MissingError
from paperless_fingerprint.query.language import QueryError
from paperless_fingerprint.query.searcher import SearchTooLongError
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.review.visible import Unknown
from paperless_fingerprint.settings.editing import CannotChangeError

MEDIA_TYPE = "application/problem+json"
_FOR_PROGRAMS = ("/api", "/thumb/", "/preview/", "/healthz", "/metrics")
_log = logging.getLogger("paperless_fingerprint.web")

_WORDS = {
    404: mark("There is nothing at this address."),
    405: mark("This address does not take this method."),
}


class Problem(Exception):  # noqa: N818  (the word of RFC 9457)
    def __init__(
        self,
        status: int,
        title: str,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.title = title
        self.detail = detail
        self.headers = dict(headers or {})
        self.more = more


#: Makes the page of an error; the pages put theirs into app.state.render_problem.
RenderProblem = Callable[[Request, Problem], Response]


def problem_of(error: Exception, secrets: Collection[str] = ()) -> Problem:
    """What is told of an error; never more than its reader may know. The log gets the rest, without
    these secrets."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, ClientDisconnect):
        return Problem(400, "Cut off", _("The request ended before it was complete."))
    if isinstance(error, HTTPException):
        title = HTTPStatus(error.status_code).phrase
        known = _WORDS.get(error.status_code)
        detail = _(known) if known else str(error.detail)
        return Problem(error.status_code, title, detail, headers=error.headers)
    if isinstance(error, Unknown):
        return Problem(404, "Not found", str(error))
    if isinstance(error, QueryError):
        return Problem(400, "The query is not understood", error.reason, position=error.position)
    if isinstance(error, SearchTooLongError):
        return Problem(503, "The search took too long", str(error))
    if isinstance(error, StoreError):
        _to_the_log(error)
        return Problem(
            503, "The library is not available",
            _("The library cannot be read at the moment. Nothing is lost; try again in a moment."),
        )  # fmt: skip
    if isinstance(error, MissingError):
        return Problem(
            404, "Not found", _("Paperless has no such document that you are allowed to see.")
        )
    if isinstance(error, DeniedError):
        return Problem(403, "Not allowed", _("Paperless does not allow you to do this."))
    if isinstance(error, NoPaperlessError):
        return Problem(
            409, "Read only",
            _("No Paperless stands beside this library, so it is only shown here. On the command "
              "line “confirm” and “dismiss” decide; with the address of Paperless and a token in "
              "the settings, everything works."),
        )  # fmt: skip
    if isinstance(error, PaperlessError):
        _to_the_log(error)
        return Problem(
            503, "Paperless is not available",
            _("Paperless does not answer at the moment. You can still look at everything, and "
              "decisions are saved."),
        )  # fmt: skip
    if isinstance(error, CannotChangeError):
        return Problem(409, "The settings file cannot be changed", str(error))
    if isinstance(error, ConfigurationError):
        _to_the_log(error)
        return Problem(
            500, "A setting is wrong", _("Run `paperless-fingerprint doctor` to see which one.")
        )
    if isinstance(error, FingerprintError):
        return Problem(400, "The request is not understood", str(error))
    if isinstance(error, PermissionError):
        return Problem(403, "Not allowed", str(error) or _("You are not allowed to do this."))
    with speaking(ENGLISH):
        unexpected(error, secrets)
    return Problem(
        500, "Something is broken here",
        _("This should not have happened; the log of `serve` has the details. Nothing was done halfway."),
    )  # fmt: skip


def _to_the_log(error: FingerprintError) -> None:
    """In English, whoever asked."""
    with speaking(ENGLISH):
        _log.warning("%s", error)


def response_of(request: Request, error: Exception) -> Response:
    review: Review | None = getattr(request.app.state, "review", None)
    problem = problem_of(error, review.settings.secrets() if review else ())
    path = request.url.path.removeprefix(str(request.scope.get("root_path", "")))
    render: RenderProblem | None = getattr(request.app.state, "render_problem", None)
    accepts = "text/html" in request.headers.get("accept", "")
    if render is not None and accepts and not path.startswith(_FOR_PROGRAMS):
        response = render(request, problem)
    else:
        response = as_json(problem)
    response.headers.update(problem.headers)
    return response


def as_json(problem: Problem) -> Response:
    body = {
        "type": "about:blank",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        **problem.more,
    }
    return Response(orjson.dumps(body), problem.status, media_type=MEDIA_TYPE)
