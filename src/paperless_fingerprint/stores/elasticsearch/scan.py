"""Reading many documents: a point in time, page after page, closed whatever happens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from elasticsearch import ApiError, Elasticsearch, TransportError

from paperless_fingerprint.stores.elasticsearch.failures import Failures

_KEEP_ALIVE = "2m"
_PAGE = 1_000

Hit = dict[str, Any]


class Reader:
    """Searches that see all that was acknowledged before they began.

    A search follows a refresh, always: on an index in which nothing has changed it costs a
    millisecond, and so nobody has to remember who has written what.
    """

    def __init__(self, client: Elasticsearch, failures: Failures) -> None:
        self._client = client
        self._failures = failures

    def refresh(self, index: str) -> None:
        with self._failures.explained():
            self._client.indices.refresh(index=index)

    def search(self, index: str, **request: Any) -> Any:
        self.refresh(index)
        with self._failures.explained():
            return self._client.search(index=index, **request)

    def count(self, index: str, query: dict[str, Any] | None = None) -> int:
        self.refresh(index)
        with self._failures.explained():
            return int(self._client.count(index=index, query=query)["count"])

    def scan(
        self,
        index: str,
        *,
        query: dict[str, Any] | None = None,
        sort: Sequence[dict[str, str]],
        limit: int | None = None,
        page: int = _PAGE,
        **request: Any,
    ) -> Iterator[Hit]:
        """Hits in the order of `sort`, which must name each document uniquely."""
        left = limit
        if left == 0:
            return
        self.refresh(index)
        with self._failures.explained():
            point = self._client.open_point_in_time(index=index, keep_alive=_KEEP_ALIVE)["id"]
        after: list[Any] | None = None
        try:
            while True:
                size = page if left is None else min(page, left)
                with self._failures.explained():
                    answer = self._client.search(
                        pit={"id": point, "keep_alive": _KEEP_ALIVE},
                        query=query,
                        sort=list(sort),
                        search_after=after,
                        size=size,
                        track_total_hits=False,
                        **request,
                    )
                point = answer.get("pit_id", point)
                hits = answer["hits"]["hits"]
                yield from hits
                if left is not None:
                    left -= len(hits)
                if len(hits) < size or left == 0:
                    return
                after = hits[-1]["sort"]
        finally:
            self._close(point)

    def _close(self, point: str) -> None:
        try:
            self._client.close_point_in_time(id=point)
        except (ApiError, TransportError):
            # It closes by itself in two minutes. What broke the scan is the error to be told.
            return

    def get(
        self, index: str, ids: Sequence[str], *, fields: Sequence[str] | None = None
    ) -> Iterator[Hit]:
        """Those that are there, as they are now, searched or not."""
        for start in range(0, len(ids), _GET_AT_ONCE):
            yield from self._get(index, ids[start : start + _GET_AT_ONCE], fields)

    def _get(self, index: str, ids: Sequence[str], fields: Sequence[str] | None) -> Iterator[Hit]:
        try:
            answer = self._client.mget(
                index=index, ids=list(ids), source_includes=list(fields) if fields else None
            )
        except (ApiError, TransportError) as error:
            # Too much at once for the server's memory: these texts are long.
            if isinstance(error, ApiError) and error.status_code == 429 and len(ids) > 1:
                for half in (ids[: len(ids) // 2], ids[len(ids) // 2 :]):
                    yield from self._get(index, half, fields)
                return
            raise self._failures.of(error) from error
        for document in answer["docs"]:
            if document.get("found"):
                yield document
            elif "error" in document:
                reason = document["error"].get("reason", "")
                raise self._failures.store_error(f"a document cannot be read ({reason})")


_GET_AT_ONCE = 500
