"""Searching and explaining, for one person."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paperless_fingerprint.review.opened import Opened
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.settings.registry import Settings

if TYPE_CHECKING:
    from paperless_fingerprint.library.search import Answer, Look, Request, Search


class PersonsSearch:
    def __init__(self, settings: Settings, opened: Opened) -> None:
        self._settings = settings
        self._opened = opened
        self._opening = threading.Lock()
        self._stack = ExitStack()
        self._search: Search | None = None

    def close(self) -> None:
        self._stack.close()

    def run(self, person: Person, request: Request) -> Answer:
        return self.whole.run(_asked_by(person, request))

    def look(self, person: Person, request: Request) -> Look:
        return self.whole.look(_asked_by(person, request))

    def explain(self, person: Person, request: Request) -> dict[str, Any]:
        return self.whole.explain(_asked_by(person, request))

    @property
    def whole(self) -> Search:
        """Of the whole library; who asks must be named in the request."""
        from paperless_fingerprint.library.search import opened_search

        with self._opening:
            if self._search is None:
                opened = opened_search(self._opened.store, self._settings)
                self._search = self._stack.enter_context(opened)
            return self._search


def _asked_by(person: Person, request: Request) -> Request:
    return replace(request, scope=replace(request.scope, asker=person.asker))
