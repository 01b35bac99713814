"""Which documents something has changed about: so that who keeps a library in memory reads no more of
it than that.

A note of the documents that writes are about goes before them; its sequence number is its place.
Nothing makes both visible in one step: what a note tells of may be written, and a note with a lower
number may show, a moment after it. So what was told in the last seconds is told again, as long as
something changes; and what is written within these seconds about the same document needs no note.
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Collection, Iterable
from uuid import uuid4

import orjson
from elasticsearch import ApiError, Elasticsearch, TransportError

from paperless_fingerprint.stores.elasticsearch.failures import Failures

#: Where more change together, all is read anew.
_FEW = 500
_ALL = 0
#: So many notes are kept, and so many more before somebody clears up.
_KEPT = 4_000
_CLEARED_EVERY = 500
#: How long after a note what it tells of may come.
_IN_FLIGHT_SECONDS = 10.0
#: So long a note is good for more writes; of a request that has taken longer there is another.
GOOD_SECONDS = _IN_FLIGHT_SECONDS / 2
#: Writes of notes and marks that may have been in flight when somebody looked for the first time.
_IN_FLIGHT = 200
_PREFIX = "change-"
_NOTES = {"term": {"kind": "change"}}
_AT_ONCE = 1_000
_REMEMBERED = 10_000


def note_id() -> str:
    return f"{_PREFIX}{uuid4().hex}"


def is_note(id: str) -> bool:
    return id.startswith(_PREFIX)


class Notes:
    """Of one who writes."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        #: Document → when it was told.
        self._told: dict[int, float] = {}

    def needed(self, about: Iterable[Collection[int]]) -> bytes | None:
        """The note for writes that are each about these documents. Of those that hang together
        one is enough: who looks at it finds the others."""
        now = time.monotonic()
        with self._guard:
            if len(self._told) > _REMEMBERED:
                self._told.clear()
            good = now - GOOD_SECONDS
            ids: set[int] = set()
            for some in about:
                if some and not any(id in ids or self._told.get(id, 0.0) > good for id in some):
                    ids.update(some)
            self._told.update(dict.fromkeys(ids, now))
        return body(ids) if ids else None


def body(ids: Collection[int]) -> bytes:
    told = sorted(ids) if len(ids) <= _FEW else [_ALL]
    return orjson.dumps({"kind": "change", "ids": told})


def clear_up(client: Elasticsearch, index: str) -> None:
    """Now and then, by whoever writes."""
    if random.randrange(_CLEARED_EVERY):
        return
    try:
        newest = client.search(
            index=index, query=_NOTES, sort=[{"_seq_no": "desc"}], from_=_KEPT, size=1, source=False
        )["hits"]["hits"]
        if not newest:
            return
        old = {"bool": {"filter": [_NOTES, {"range": {"_seq_no": {"lte": newest[0]["sort"][0]}}}]}}
        # The oldest first: whoever still finds the last one that he knows has missed none.
        hits = client.search(
            index=index, query=old, sort=[{"_seq_no": "asc"}], size=2 * _CLEARED_EVERY, source=False
        )["hits"]["hits"]
        client.bulk(index=index, operations=[{"delete": {"_id": hit["_id"]}} for hit in hits])
    except (ApiError, TransportError):
        return  # the next one will


class Changes:
    """For one who follows a library."""

    def __init__(self, client: Elasticsearch, failures: Failures, index: str) -> None:
        self._client, self._failures, self._index = client, failures, index
        self._asking = threading.Lock()
        #: When he looked, and the number that he was told.
        self._told: deque[tuple[float, int]] = deque()
        #: The note before that number, and the index that it stands in.
        self._last: tuple[str, str] | None = None

    def since(self, number: int | None) -> tuple[int, frozenset[int] | None]:
        """As stores.opening.Revision says. Whoever names another number than the last begins anew."""
        now = time.monotonic()
        with self._asking, self._failures.explained():
            self._client.indices.refresh(index=self._index)
            if number is None or not self._told or self._told[-1][1] != number:
                return self._begin(now), None
            while len(self._told) > 1 and self._told[1][0] <= now - _IN_FLIGHT_SECONDS:
                self._told.popleft()
            first = self._told[0][1]
            hits = self._client.search(
                index=self._index, size=_AT_ONCE, sort=[{"_seq_no": "asc"}],
                query={"bool": {"filter": [_NOTES, {"range": {"_seq_no": {"gte": first - 1}}}]}},
                track_total_hits=False,
            )["hits"]["hits"]  # fmt: skip
            # As long as the last one is there, none after it is gone, and the index is the same.
            is_whole = not self._last or self._last in {(h["_index"], h["_id"]) for h in hits}
            if len(hits) == _AT_ONCE or not is_whole:
                return self._begin(now), None
            if hits:
                self._last = hits[-1]["_index"], hits[-1]["_id"]
                number = max(number, int(hits[-1]["sort"][0]) + 1)
            self._told.append((now, number))
        told = [hit["_source"]["ids"] for hit in hits if hit["sort"][0] >= first]
        ids = frozenset(id for some in told for id in some)
        # Where nothing is told, an earlier version of this program may have written.
        return number, ids if ids and _ALL not in ids and len(ids) <= _FEW else None

    def _begin(self, now: float) -> int:
        hits = self._client.search(
            index=self._index, query=_NOTES, sort=[{"_seq_no": "desc"}], size=1, source=False,
            track_total_hits=False,
        )["hits"]["hits"]  # fmt: skip
        number = int(hits[0]["sort"][0]) + 1 if hits else 0
        self._last = (hits[0]["_index"], hits[0]["_id"]) if hits else None
        self._told = deque([(now, max(0, number - _IN_FLIGHT)), (now, number)])
        return number
