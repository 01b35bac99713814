"""Whose token it is, and what that person may see: asked of Paperless, and remembered briefly.

What Paperless lets a person see is one list of ids. It is asked for at sign-in and again after a
minute, behind the back of the request that notices: a right that was taken away is gone with the
next request after that. While Paperless is away, what it said last counts.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from weakref import WeakValueDictionary

from paperless_fingerprint.errors import PaperlessError
from paperless_fingerprint.paperless.client import PaperlessClient
from paperless_fingerprint.paperless.refusals import DeniedError
from paperless_fingerprint.review.person import Person

REMEMBERED_SECONDS = 60.0
#: Older than this, a request waits for the answer instead of trusting what was said.
_TRUSTED_SECONDS = 600.0
_MOST = 1_000


@dataclass(slots=True)
class _KnownPerson:
    person: Person
    #: Kept, because it has asked for the version of the API already.
    client: PaperlessClient
    at: float
    asking: bool = False


class Persons:
    def __init__(
        self,
        paperless: Callable[[], PaperlessClient],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._paperless = paperless
        self._clock = clock
        self._lock = threading.Lock()
        self._known: OrderedDict[str, _KnownPerson] = OrderedDict()
        self._lists: WeakValueDictionary[int, frozenset[int]] = WeakValueDictionary()
        # One after the other: a list of 100,000 ids is work that pages would notice.
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="persons")

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def client_of(self, token: str) -> PaperlessClient:
        with self._lock:
            known = self._known.get(_key(token))
        return known.client if known is not None else self._paperless().as_person(token)

    def of(self, token: str) -> Person:
        """Raises DeniedError where Paperless does not know the token, and other PaperlessErrors
        where nobody knows whose it is."""
        key = _key(token)
        with self._lock:
            known = self._known.get(key)
        if known is None:
            return self._ask(key, token)
        age = self._clock() - known.at
        if age > _TRUSTED_SECONDS:
            try:
                return self._ask(key, token)
            except DeniedError:
                self.forget(token)
                raise
            except PaperlessError:
                known.at = self._clock()  # away: not asked again with every request
                return known.person
        if age > REMEMBERED_SECONDS and not known.asking:
            known.asking = True
            self._pool.submit(self._ask_again, key, token, known)
        return known.person

    def now(self, token: str, *, anew: bool = False) -> Person:
        """With what Paperless lets them see at this moment. Their list is asked for again where it
        has grown or shrunk since; `anew`: in any case."""
        person = self.of(token)
        if person.visible is None:
            return person
        if not anew and self.client_of(token).count() == len(person.visible):
            return person
        return self._ask(_key(token), token)

    def knows(self, token: str) -> bool:
        """Whether it was found to be right not long ago."""
        key = _key(token)
        with self._lock:
            return key in self._known

    def forget(self, token: str) -> None:
        key = _key(token)
        with self._lock:
            self._known.pop(key, None)

    def _ask_again(self, key: str, token: str, known: _KnownPerson) -> None:
        try:
            self._ask(key, token)
        except DeniedError:
            with self._lock:
                self._known.pop(key, None)  # the next request asks, and is turned away
        except PaperlessError:
            known.at = self._clock()
        finally:
            known.asking = False

    def _shared(self, ids: frozenset[int]) -> frozenset[int]:
        """The very same list where somebody has an equal one: what was computed for it still holds
        and is found at once, and of 100,000 ids there is one list for all who see them."""
        with self._lock:
            known = self._lists.setdefault(hash(ids), ids)
        return known if known == ids else ids

    def _ask(self, key: str, token: str) -> Person:
        client = self.client_of(token)
        told = client.person()
        visible = None
        if not told.is_superuser:
            visible = self._shared(frozenset(client.document_ids()))
        person = Person(
            "" if told.id is None else str(told.id),
            told.username or "somebody",
            told.is_superuser,
            tuple(map(str, told.groups)),
            # Of somebody without a number nobody could say later who it was.
            told.id is not None and told.may("change_document") is not False,
            told.may("delete_document") is not False,
            visible,
        )
        with self._lock:
            self._known[key] = _KnownPerson(person, client, self._clock())
            self._known.move_to_end(key)
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return person


def _key(token: str) -> str:
    return sha256(token.encode(errors="replace")).hexdigest()
