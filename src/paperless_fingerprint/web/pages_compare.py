"""Where links from outside lead: to whatever a document is compared with now, never to nothing."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from paperless_fingerprint.review.belonging import entry_with
from paperless_fingerprint.web.pages import go, shown
from paperless_fingerprint.web.sign_in import Visit


def routes() -> Sequence[Route]:
    return [Route("/compare/{id:int}", shown(_compare), methods=["GET"])]


def _compare(request: Request, visit: Visit) -> Response:
    id = request.path_params["id"]
    entry = entry_with(visit.review, visit.person, id)
    if entry is None:
        return go(request, f"/documents/{id}")
    return go(request, f"/review/{entry.id}?with={id}")
