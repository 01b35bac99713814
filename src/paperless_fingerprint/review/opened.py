"""The store and Paperless, opened when they are first needed: `serve` starts without them, too."""

from __future__ import annotations

import threading
from contextlib import ExitStack

from paperless_fingerprint.errors import NoPaperlessError
from paperless_fingerprint.paperless.client import Limits, PaperlessClient
from paperless_fingerprint.paperless.opening import open_paperless
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import Revision, open_store, revision_of

#: A page asks once; whoever looks at it can ask again.
PAGE_LIMITS = Limits(connect_seconds=3.0, read_seconds=15.0, total_seconds=30.0, attempts=1)


class Opened:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._opening = threading.RLock()
        self._stack = ExitStack()
        self._library: tuple[Store, Revision] | None = None
        self._paperless: PaperlessClient | None = None

    def close(self) -> None:
        self._stack.close()

    @property
    def store(self) -> Store:
        return self._library_opened()[0]

    @property
    def revision(self) -> Revision:
        return self._library_opened()[1]

    def _library_opened(self) -> tuple[Store, Revision]:
        with self._opening:
            if self._library is None:
                with ExitStack() as opening:
                    store = open_store(self._settings)
                    opening.callback(store.close)
                    revision = revision_of(store)
                    opening.callback(revision.close)
                    self._library = store, revision
                    self._stack.push(opening.pop_all())
            return self._library

    @property
    def paperless(self) -> PaperlessClient:
        """With the service's own rights; short of patience, because a person waits for the page."""
        with self._opening:
            if not self._settings.paperless.url:
                raise NoPaperlessError
            if self._paperless is None:
                self._paperless = open_paperless(self._settings, PAGE_LIMITS)
                self._stack.callback(self._paperless.close)
            return self._paperless
