"""GET /api/search in the service: who asks is whose Paperless token it is.

`Authorization: Token …`, as for Paperless's own API. What the library knows of owners and viewers
may be minutes old, so the hits are checked once more against Paperless, with that person's rights.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from starlette.requests import Request as HttpRequest
from starlette.routing import BaseRoute

from paperless_fingerprint.errors import PaperlessError
from paperless_fingerprint.paperless.client import PaperlessClient
from paperless_fingerprint.paperless.opening import open_paperless
from paperless_fingerprint.query.searcher import Asker
from paperless_fingerprint.settings import Settings
from paperless_fingerprint.web.search_api import search_route

if TYPE_CHECKING:
    from paperless_fingerprint.search import Answer, Request, Search

#: A right that was taken away shows within this time; the hits themselves are always checked.
_REMEMBERED_SECONDS = 60.0
_MOST_ASKERS = 1_000


class CheckedSearch:
    """Opens the store when it is first needed, because `serve` starts without it, too."""

    def __init__(self, settings: Settings, paperless: PaperlessClient) -> None:
        self._settings = settings
        self._paperless = paperless
        self._search: Search | None = None
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._asking = threading.local()
        self._askers: dict[str, tuple[float, Asker]] = {}

    def close(self) -> None:
        self._stack.close()
        self._paperless.close()

    def asker_of(self, http: HttpRequest) -> Asker:
        scheme, _, token = http.headers.get("authorization", "").partition(" ")
        token = token.strip()
        if scheme.lower() != "token" or not token:
            raise PermissionError("Send your token of Paperless: Authorization: Token <token>.")
        # Not the token itself: it must not lie about in memory for longer than the request.
        key = hashlib.sha256(token.encode()).hexdigest()
        self._asking.person = None
        at, asker = self._askers.get(key, (0.0, None))
        try:
            person = self._paperless.as_person(token)
            if asker is None or time.monotonic() - at > _REMEMBERED_SECONDS:
                known = person.person()
                asker = Asker(
                    "" if known.id is None else str(known.id),
                    tuple(map(str, known.groups)),
                    known.is_superuser,
                )
                if len(self._askers) >= _MOST_ASKERS:
                    self._askers.clear()
                self._askers[key] = (time.monotonic(), asker)
        except PaperlessError:
            raise PermissionError("Paperless does not know this token.") from None
        self._asking.person = person
        return asker

    def run(self, request: Request) -> Answer:
        answer = self._opened().run(request)
        try:
            seen = self._asking.person.visible_ids([hit.id for hit in answer.hits])
        except PaperlessError:
            raise PermissionError("Paperless does not let you see documents.") from None
        return replace(answer, hits=type(answer.hits)(h for h in answer.hits if h.id in seen))

    def explain(self, request: Request) -> dict[str, Any]:
        return self._opened().explain(request)

    def _opened(self) -> Search:
        from paperless_fingerprint.search import Search
        from paperless_fingerprint.stores.opening import open_store
        from paperless_fingerprint.stores.searching import opened_searcher

        with self._lock:
            if self._search is None:
                with ExitStack() as opening:
                    store = open_store(self._settings)
                    opening.callback(store.close)
                    searcher = opening.enter_context(opened_searcher(store))
                    self._search = Search(store, searcher, self._settings.spec())
                    self._stack.push(opening.pop_all())
            return self._search


def search_routes(settings: Settings) -> tuple[Sequence[BaseRoute], CheckedSearch]:
    search = CheckedSearch(settings, open_paperless(settings))
    return [search_route(cast("Search", search), search.asker_of)], search
