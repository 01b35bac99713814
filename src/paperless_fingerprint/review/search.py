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
        from paperless_fingerprint.library.search import Search
        from paperless_fingerprint.stores.opening import opened_searcher

        with self._opening:
            if self._search is None:
                store = self._opened.store
                with ExitStack() as opening:
                    searcher = opening.enter_context(opened_searcher(store))
                    meanings = None
                    if self._settings.semantic.enabled:
                        from paperless_fingerprint.semantic.searching import opened_meanings

                        meanings = opening.enter_context(opened_meanings(store, self._settings))
                    self._search = Search(store, searcher, self._settings.spec(), meanings)
                    self._stack.push(opening.pop_all())
            return self._search


def _asked_by(person: Person, request: Request) -> Request:
    return replace(request, scope=replace(request.scope, asker=person.asker))
