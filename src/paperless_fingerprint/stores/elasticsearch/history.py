"""Which documents are older versions, known without asking anew for every search.

A list of them is kept with a stamp that changes with every chain that is written or deleted. The
stamp is asked for in the same round trip as the search itself; only where it has changed the list is
read again and the search made once more. Where searches follow each other closely it is asked for
once a second, and after each write of this process: no search promises to see what others wrote in
the last second.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

from elasticsearch import Elasticsearch

from paperless_fingerprint.stores.elasticsearch.failures import Failures
from paperless_fingerprint.stores.elasticsearch.refresh import Unseen

_PAGE = 1000
_GOOD_SECONDS = 1.0
_CHAINS: dict[str, Any] = {"bool": {"filter": [{"term": {"kind": "chain"}}]}}

#: The search that tells the stamp.
STAMP: dict[str, Any] = {
    "size": 0,
    "query": _CHAINS,
    "track_total_hits": True,
    "aggs": {"newest": {"max": {"field": "_seq_no"}}},
}


@dataclass(frozen=True, slots=True)
class Superseded:
    """Documents of chains that are not the latest, and by what a change of them is noticed."""

    stamp: tuple[int, float] = (-1, -1.0)
    ids: tuple[int, ...] = ()
    members: frozenset[int] = frozenset()


class History:
    def __init__(
        self, client: Elasticsearch, failures: Failures, index: str, unseen: Unseen
    ) -> None:
        self._client, self._failures, self._index = client, failures, index
        self._unseen = unseen
        self._guard = threading.Lock()
        #: As it was read last.
        self.known = Superseded()
        #: Until when it need not be asked for, if this process has written so often and no more.
        self._good_until = (0.0, 0)

    @property
    def good_until(self) -> tuple[float, int]:
        """As it would be if the stamp were asked for now."""
        return time.monotonic() + _GOOD_SECONDS, self._unseen.writes(self._index)

    def is_good(self) -> bool:
        until, writes = self._good_until
        return time.monotonic() < until and writes == self._unseen.writes(self._index)

    def is_current(self, known: Superseded, answer: Any, good_until: tuple[float, int]) -> bool:
        """By the answer to STAMP."""
        if known.stamp != _stamp_of(answer):
            return False
        self._good_until = good_until
        return True

    def read(self) -> Superseded:
        with self._guard, self._failures.explained():
            ids: set[int] = set()
            after: list[Any] | None = None
            # The stamp first: what is written meanwhile makes it out of date, and nothing is missed.
            stamp = _stamp_of(self._client.search(index=self._index, **STAMP))
            while True:
                hits = self._client.search(
                    index=self._index, query=_CHAINS, size=_PAGE, search_after=after,
                    sort=[{"lowest": "asc"}, {"_seq_no": "asc"}],
                    source_includes=["rest.members"], track_total_hits=False,
                )["hits"]["hits"]  # fmt: skip
                for hit in hits:
                    ids.update(hit["_source"]["rest"]["members"][:-1])
                if len(hits) < _PAGE:
                    break
                after = hits[-1]["sort"]
            self.known = Superseded(stamp, tuple(sorted(ids)), frozenset(ids))
            return self.known


def _stamp_of(answer: Any) -> tuple[int, float]:
    newest = answer["aggregations"]["newest"]["value"]
    return int(answer["hits"]["total"]["value"]), -1.0 if newest is None else float(newest)
