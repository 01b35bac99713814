"""The library as the page sees it: read again when it has changed, and as each person may see it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from paperless_fingerprint.errors import FingerprintError, unexpected
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.review import catalogue as catalogues
from paperless_fingerprint.review.catalogue import Brief, Catalogue, CatalogueChange
from paperless_fingerprint.review.opened import Opened
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.views import Card
from paperless_fingerprint.review.visible import Sight, Unknown, sight_of
from paperless_fingerprint.settings.registry import Settings

LOOK_SECONDS = 1.0
#: Reading the whole library again may take this share of the time at most.
_SHARE_OF_TIME = 0.1
_SIGHTS_KEPT = 200
#: Who has not looked for so many decisions looks at everything anew.
_CHANGES_KEPT = 500


class Mirror:
    def __init__(
        self, settings: Settings, opened: Opened, tell: Callable[[], None] = lambda: None
    ) -> None:
        """`tell` is called when the library was read again."""
        self._opened = opened
        self._tell = tell
        self._secrets = settings.secrets()
        #: Why it may be old; None where all is well.
        self.trouble: Reason | None = None
        self._catalogue = Catalogue()
        #: While the whole library is read: what was looked at again meanwhile.
        self._patched: list[Collection[int]] | None = None
        self._sights: dict[Any, Sight] = {}
        self._changing = threading.RLock()
        self._looking = threading.Lock()
        self._changes: deque[CatalogueChange] = deque(maxlen=_CHANGES_KEPT)
        self._whole_from = 0
        self._threshold = float(settings.similarity_threshold)
        self._seen_revision = ""
        self._seen_change: int | None = None
        self._read_seconds = 0.0
        public = settings.paperless.public_url or settings.paperless.url or ""
        self._paperless_address = str(public).rstrip("/")

    def use(self, settings: Settings) -> None:
        with self._changing:
            self._threshold = float(settings.similarity_threshold)
            self._seen_revision = ""

    @property
    def catalogue(self) -> Catalogue:
        return self._catalogue

    # --- following the library ------------------------------------------------------------------

    def keep_reading(self, stop: threading.Event) -> None:
        pause = 0.0
        while not stop.wait(pause):
            try:
                self.refresh()
                self.trouble = None
            except FingerprintError as error:
                self.trouble = Reason.of_error(error)
            except Exception as error:
                # Outlives whatever it meets: the next look may find it mended.
                known = str(self.trouble or "")
                self.trouble = Reason.of(unexpected(error, self._secrets, known=known))
            pause = max(LOOK_SECONDS, self._read_seconds / _SHARE_OF_TIME)

    def refresh(self) -> None:
        """Read the library again, if it has changed since: what has changed, where that is known."""
        store = self._opened.store
        revision = self._opened.revision.now()
        if self._catalogue.ready and revision == self._seen_revision:
            return
        change, ids = self._opened.revision.changes(self._seen_change)
        if self._catalogue.ready and self._seen_revision and ids is not None:
            if ids:
                self.look_again(ids)
                self._tell()
            self._seen_change = change
            with self._changing:
                # Where the threshold has changed meanwhile, all of it is read.
                self._seen_revision = revision if self._seen_revision else ""
            return
        with self._changing:
            self._patched = []
        started = time.monotonic()
        threshold = self._threshold
        found = catalogues.read(store, threshold, 0)
        self._read_seconds = time.monotonic() - started
        with self._changing:
            # What was patched meanwhile may have been read before it was changed.
            waiting = {id for some in self._patched or () for id in some}
            self._patched = None
            self._seen_change = change
            if waiting:
                found, _ = catalogues.patched(found, store, waiting, self._threshold, 0)
            self._whole_from = self._catalogue.number + 1
            self._changes.clear()
            self._catalogue = replace(found, number=self._whole_from)
            # Where the threshold has changed meanwhile it is read again.
            self._seen_revision = revision if threshold == self._threshold else ""
        self._tell()

    def look_again(self, ids: Collection[int]) -> None:
        """At what hangs together with these: before a decision, and after it."""
        with self._changing:
            if not self._catalogue.ready:
                return
            if self._patched is not None:
                self._patched.append(tuple(ids))
            number = self._catalogue.number + 1
            found, change = catalogues.patched(
                self._catalogue, self._opened.store, ids, self._threshold, number
            )
            # First the change, then the catalogue that it leads to: whoever sees that finds it.
            self._changes.append(change)
            self._catalogue = found

    # --- as one person may see it ---------------------------------------------------------------

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
            self._let_go(person, key)
            self._sights[key] = found
            return found

    def _let_go(self, person: Person, key: Any) -> None:
        """Each document that comes makes what a person may see another. One more is kept: two tokens
        of that person may be asked for at other moments."""
        if len(self._sights) >= _SIGHTS_KEPT:
            self._sights.clear()
        others = [k for k, sight in self._sights.items()
                  if sight.person.id == person.id != "" and k != key]  # fmt: skip
        for old in others[:-1]:
            del self._sights[old]

    def _changes_since(self, number: int) -> list[CatalogueChange] | None:
        """None where that is too long ago, or where the whole library was read since."""
        changes = list(self._changes)
        if number < self._whole_from or (changes and changes[0].number > number + 1):
            return None
        return [change for change in changes if change.number > number]

    def seen(self, person: Person, id: int) -> Brief:
        document = self._catalogue.documents.get(id)
        if document is None or not person.may_see(document):
            raise Unknown(_("There is no document %(id)s that you are allowed to see.", id=id))
        return document

    def chains_of(self, person: Person, ids: Collection[int]) -> dict[int, tuple[int, ...]]:
        """Document → its version chain, oldest first, as far as this person may see it."""
        sight = self.sight(person)
        found = {id: sight.entry("versions", id) for id in ids}
        return {id: entry.members for id, entry in found.items() if entry is not None}

    def cards(self, person: Person, ids: Collection[int]) -> dict[int, Card]:
        found = self._catalogue.documents
        return {id: self.card(found[id]) for id in ids if id in found and person.may_see(found[id])}

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

    def address_of(self, id: int) -> str:
        return (
            f"{self._paperless_address}/documents/{id}/details" if self._paperless_address else ""
        )
