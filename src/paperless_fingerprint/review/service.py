"""What the review works with, opened once: the store, the catalogue, the book, the search.

Threads work behind it. One reads the library again when it has changed; one carries out what was
decided as soon as nobody else holds the library; one compares texts before somebody asks.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paperless_fingerprint.errors import FingerprintError, UsageError
from paperless_fingerprint.integration.context import owe
from paperless_fingerprint.library.lock import library_lock
from paperless_fingerprint.paperless.client import Limits, PaperlessClient
from paperless_fingerprint.paperless.opening import open_paperless
from paperless_fingerprint.review import catalogue as catalogues
from paperless_fingerprint.review.apply import carry_out
from paperless_fingerprint.review.catalogue import Brief, Catalogue, Change
from paperless_fingerprint.review.diff_cache import Prepared
from paperless_fingerprint.review.journal import Book, path_of_book
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.views import Card
from paperless_fingerprint.review.visible import Sight, sight_of
from paperless_fingerprint.service.live import LiveProgress
from paperless_fingerprint.service.worker import Worker
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import Revision, open_store, revision_of

if TYPE_CHECKING:
    from paperless_fingerprint.library.search import Answer, Request, Search

_LOOK_SECONDS = 1.0
#: Reading the whole library again may take this share of the time at most.
_SHARE_OF_TIME = 0.1
_SIGHTS_KEPT = 200
#: Who has not looked for so many decisions looks at everything anew.
_CHANGES_KEPT = 500
_END_SECONDS = 5.0
#: A page asks once; whoever looks at it can ask again.
PAGE_LIMITS = Limits(connect_seconds=3.0, read_seconds=15.0, total_seconds=30.0, attempts=1)


class Unknown(UsageError):  # noqa: N818  (an answer more than an error)
    """There is no such thing, or this person may not see it: nobody learns which of the two."""


class Desk:
    def __init__(
        self,
        settings: Settings,
        worker: Worker,
        live: LiveProgress,
        *,
        #: How long a decision is waited for before it is said to be on its way.
        patience_seconds: float = 1.0,
        #: What compares the pairs of the queue before somebody asks (review/pair.py).
        prepare: Callable[[Desk, Callable[[float], bool]], object] | None = None,
    ) -> None:
        self.settings = settings
        self._prepare = prepare
        self.worker = worker
        self.live = live
        self.patience_seconds = patience_seconds
        self.book = Book(path_of_book(settings))
        self.prepared = Prepared(settings)
        #: Held while a decision is compared with how things stand and written into the book.
        self.deciding = threading.Lock()
        self.trouble = ""
        self._catalogue = Catalogue()
        self._patched: list[Collection[int]] = []
        self._sights: dict[Any, Sight] = {}
        self._opening = threading.RLock()
        self._changing = threading.RLock()
        self._looking = threading.Lock()
        self._changes: deque[Change] = deque(maxlen=_CHANGES_KEPT)
        self._whole_from = 0
        self._threshold = float(settings.similarity_threshold)
        self._store: Store | None = None
        self._revision: Revision | None = None
        self._search: Search | None = None
        self._seen_revision = ""
        self._read_seconds = 0.0
        self._stack = ExitStack()
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._settled = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._paperless: PaperlessClient | None = None
        public = settings.paperless.public_url or settings.paperless.url or ""
        self._paperless_address = str(public).rstrip("/")

    def use(self, settings: Settings) -> None:
        """Thresholds that somebody has saved: from now on all is shown by these."""
        with self._changing:
            self.settings = settings
            self._threshold = float(settings.similarity_threshold)
            self._seen_revision = ""
        self.prepared.use(settings)
        self.worker.use(settings)

    def start(self) -> None:
        for work, name in (
            (self._keep_reading, "catalogue"),
            (self._keep_deciding, "decisions"),
            (self._keep_preparing, "differences"),
        ):
            # Not waited for at the end: it may be standing in line for the library's lock, and
            # what it has not done is in the book.
            thread = threading.Thread(target=work, name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        self._stop.set()
        self._wake.set()
        for thread in self._threads:
            thread.join(timeout=_END_SECONDS)
        if any(thread.is_alive() for thread in self._threads):
            return  # it has the store in its hands; both end with the process
        self._stack.close()
        self.book.close()
        self.prepared.close()

    # --- the library ----------------------------------------------------------------------------

    @property
    def store(self) -> Store:
        """Opened when it is first needed, because `serve` starts without it, too."""
        with self._opening:
            if self._store is None:
                with ExitStack() as opening:
                    store = open_store(self.settings)
                    opening.callback(store.close)
                    revision = revision_of(store)
                    opening.callback(revision.close)
                    self._store, self._revision = store, revision
                    self._stack.push(opening.pop_all())
            return self._store

    @property
    def paperless(self) -> PaperlessClient:
        """With the service's own rights; short of patience, because a person waits for the page."""
        with self._opening:
            if self._paperless is None:
                self._paperless = open_paperless(self.settings, PAGE_LIMITS)
                self._stack.callback(self._paperless.close)
            return self._paperless

    @property
    def catalogue(self) -> Catalogue:
        return self._catalogue

    def sight(self, person: Person) -> Sight:
        key = person.superuser or (person.id, person.groups, person.visible)
        found = self._sights.get(key)
        if found is not None and found.catalogue is self._catalogue:
            return found
        with self._looking:
            now, found = self._catalogue, self._sights.get(key)
            since = [] if found is None else self._changes_since(found.catalogue.number)
            if found is None or since is None:
                found = sight_of(now, person)
            else:
                found.change(now, [change for change in since if change.number <= now.number])
            if len(self._sights) >= _SIGHTS_KEPT:
                self._sights.clear()
            self._sights[key] = found
            return found

    def _changes_since(self, number: int) -> list[Change] | None:
        """None where that is too long ago, or where the whole library was read since."""
        changes = list(self._changes)
        if number < self._whole_from or (changes and changes[0].number > number + 1):
            return None
        return [change for change in changes if change.number > number]

    def refresh(self) -> None:
        """Read the library again, if it has changed since."""
        store = self.store
        assert self._revision is not None
        revision = self._revision.now()
        if self._catalogue.ready and revision == self._seen_revision:
            return
        with self._changing:
            self._patched.clear()
        started = time.monotonic()
        threshold = self._threshold
        found = catalogues.read(store, threshold, 0)
        self._read_seconds = time.monotonic() - started
        with self._changing:
            # What was patched meanwhile may have been read before it was changed.
            waiting = {id for ids in self._patched for id in ids}
            if waiting:
                found, _ = catalogues.patched(found, store, waiting, self._threshold, 0)
            self._whole_from = self._catalogue.number + 1
            self._changes.clear()
            self._catalogue = replace(found, number=self._whole_from)
            # Where the threshold has changed meanwhile it is read again.
            self._seen_revision = revision if threshold == self._threshold else ""

    def look_again(self, ids: Collection[int]) -> None:
        """At what hangs together with these: before a decision, and after it."""
        with self._changing:
            if not self._catalogue.ready:
                return
            self._patched.append(tuple(ids))
            number = self._catalogue.number + 1
            found, change = catalogues.patched(
                self._catalogue, self.store, ids, self._threshold, number
            )
            # First the change, then the catalogue that it leads to: whoever sees that finds it.
            self._changes.append(change)
            self._catalogue = found

    def _keep_reading(self) -> None:
        pause = 0.0
        while not self._stop.wait(pause):
            try:
                self.refresh()
                self.trouble = ""
            except FingerprintError as error:
                self.trouble = str(error)
            except Exception as error:
                # Outlives whatever it meets: the next look may find it mended.
                self.trouble = f"an unexpected {type(error).__name__}: {error}"
            pause = max(_LOOK_SECONDS, self._read_seconds / _SHARE_OF_TIME)

    def _keep_preparing(self) -> None:
        if self._prepare is None:
            return
        done = self._catalogue
        while not self._stop.wait(_LOOK_SECONDS):
            if self._catalogue is done:
                continue
            done = self._catalogue
            with contextlib.suppress(Exception):  # it is only for speed, and tried again
                self._prepare(self, self._stop.wait)

    # --- decisions ------------------------------------------------------------------------------

    def carry_out_soon(self, numbers: Collection[int]) -> None:
        """Returns when these acts of the book are settled, or when patience is at its end."""
        self._wake.set()
        with self._settled:
            self._settled.wait_for(
                lambda: not {entry.number for entry in self.book.waiting()} & set(numbers),
                self.patience_seconds,
            )

    def carry_out_waiting(self) -> None:
        """All that waits in the book, in its order. Waits for whoever holds the library."""
        if not self.book.waiting():
            return
        concerned: set[int] = set()
        with library_lock(self.settings).held():
            for entry in self.book.waiting():
                if self._stop.is_set():
                    break
                around = carry_out(self.store, self.settings, self.book, entry)
                concerned |= around
                self.look_again(around)
                if self.settings.paperless.url:
                    owe(self.settings, around)
                with self._settled:
                    self._settled.notify_all()
        self.live.changed()
        self.worker.wake()

    def _keep_deciding(self) -> None:
        while not self._stop.is_set():
            try:
                self.carry_out_waiting()
                pause = None
            except FingerprintError as error:
                self.trouble, pause = str(error), 5.0
            except Exception as error:
                self.trouble, pause = f"an unexpected {type(error).__name__}: {error}", 5.0
            self._wake.wait(pause)
            self._wake.clear()

    # --- search ---------------------------------------------------------------------------------

    def search(self, person: Person, request: Request) -> Answer:
        answer = self._searching().run(_asked_by(person, request))
        if person.visible is None:
            return answer
        # What the library knows of rights may be older than what Paperless has told.
        hits = tuple(hit for hit in answer.hits if hit.id in person.visible)
        return replace(answer, hits=hits)

    def explain(self, person: Person, request: Request) -> dict[str, Any]:
        return self._searching().explain(_asked_by(person, request))

    def _searching(self) -> Search:
        from paperless_fingerprint.library.search import Search
        from paperless_fingerprint.stores.opening import opened_searcher

        with self._opening:
            if self._search is None:
                store = self.store
                with ExitStack() as opening:
                    searcher = opening.enter_context(opened_searcher(store))
                    meanings = None
                    if self.settings.semantic.enabled:
                        from paperless_fingerprint.semantic.searching import opened_meanings

                        meanings = opening.enter_context(opened_meanings(store, self.settings))
                    self._search = Search(store, searcher, self.settings.spec(), meanings)
                    self._stack.push(opening.pop_all())
            return self._search

    @property
    def searching(self) -> Search:
        return self._searching()

    # --- documents ------------------------------------------------------------------------------

    def address_of(self, id: int) -> str:
        return (
            f"{self._paperless_address}/documents/{id}/details" if self._paperless_address else ""
        )

    def card(self, document: Brief, *, is_primary: bool = False) -> Card:
        return Card(
            document.id,
            document.title,
            document.correspondent,
            document.document_type,
            document.created,
            document.added,
            document.pages,
            document.bytes,
            is_primary,
            self.address_of(document.id),
        )

    def cards(self, person: Person, ids: Collection[int]) -> dict[int, Card]:
        found = self._catalogue.documents
        return {id: self.card(found[id]) for id in ids if id in found and person.may_see(found[id])}

    def seen(self, person: Person, id: int) -> Brief:
        document = self._catalogue.documents.get(id)
        if document is None or not person.may_see(document):
            raise Unknown(f"There is no document {id} that you may see.")
        return document

    def chains_of(self, person: Person, ids: Collection[int]) -> dict[int, tuple[int, ...]]:
        """Document → its version chain, oldest first, as far as this person may see it."""
        sight = self.sight(person)
        found = {id: sight.entry("versions", id) for id in ids}
        return {id: entry.members for id, entry in found.items() if entry is not None}


def _asked_by(person: Person, request: Request) -> Request:
    return replace(request, scope=replace(request.scope, asker=person.asker))
