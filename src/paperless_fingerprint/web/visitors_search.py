"""GET /api/search in the service: whoever asks finds what that person may see."""

from __future__ import annotations

import threading
from typing import Any, cast

from starlette.requests import Request as HttpRequest
from starlette.routing import BaseRoute

from paperless_fingerprint.library.search import Answer, Look, Request, Search
from paperless_fingerprint.query.searcher import Asker
from paperless_fingerprint.web.search_api import search_route
from paperless_fingerprint.web.sign_in import Visit, Visits


class VisitorsSearch:
    """The search of whoever makes the request that is answered in this thread."""

    def __init__(self, visits: Visits) -> None:
        self._visits = visits
        self._asking = threading.local()

    def asker_of(self, http: HttpRequest) -> Asker:
        visit: Visit = self._visits.of(http)
        self._asking.visit = visit
        return visit.person.asker

    def run(self, request: Request) -> Answer:
        return cast("Visit", self._asking.visit).search(request)

    def look(self, request: Request) -> Look:
        return cast("Visit", self._asking.visit).look(request)

    def explain(self, request: Request) -> dict[str, Any]:
        return cast("Visit", self._asking.visit).explain(request)


def searching_route(visits: Visits) -> BaseRoute:
    search = VisitorsSearch(visits)
    return search_route(cast("Search", search), search.asker_of)
