"""Which documents are older versions, known without asking anew for every search.

A list of them is kept with a stamp that changes with every chain that is written or deleted. The
stamp is asked for in the same round trip as the search itself; only where it has changed the list is
read again and the search made once more.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from elasticsearch import Elasticsearch

from paperless_fingerprint.stores.elasticsearch.failures import Failures

_PAGE = 1000
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

    def is_current(self, answer: Any) -> bool:
        """By the answer to STAMP."""
        return self.stamp == _stamp_of(answer)


class History:
    def __init__(self, client: Elasticsearch, failures: Failures, index: str) -> None:
        self._client, self._failures, self._index = client, failures, index
        self._guard = threading.Lock()
        #: As it was read last.
        self.known = Superseded()

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
