"""Reading many documents: a point in time, page after page, closed whatever happens."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
from elasticsearch import (
    ApiError,
    BadRequestError,
    Elasticsearch,
    NotFoundError,
    TransportError,
    UnsupportedProductError,
)

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.stores.elasticsearch.failures import Failures, reason_of
from paperless_fingerprint.stores.elasticsearch.refresh import Unseen

_KEEP_ALIVE = "2m"
_PAGE = 1_000
_GET_AT_ONCE = 500
#: How often one scan may lose its point in time.
_LOSSES = 5
#: How long a node may take to be replaced by another.
PATIENCE_SECONDS = 20.0
#: How long it may be too busy to answer: a minute, and some more.
BUSY_SECONDS = 90.0

Hit = dict[str, Any]
Answer = TypeVar("Answer")

#: What was asked for does not fit into the server's memory.
_TOO_MUCH = "circuit_breaking_exception"
#: The status that an answer would have had for these errors of one document.
_STATUS_WITHIN = {
    "index_not_found_exception": 404,
    "no_shard_available_action_exception": 503,
    "es_rejected_execution_exception": 429,
}


class Reader:
    """Searches that see all that was acknowledged before they began, whoever wrote it.

    For that a search follows a refresh, but for the indices of `seen_at_once`, where the write
    itself has seen to it. With `own` it is enough that it sees what this process wrote.
    """

    def __init__(
        self,
        client: Elasticsearch,
        failures: Failures,
        *,
        behind_alias: bool = True,
        unseen: Unseen | None = None,
        seen_at_once: Collection[str] = (),
    ) -> None:
        self._client = client
        self._failures = failures
        self._behind_alias = behind_alias
        self._unseen = unseen or Unseen()
        self._seen_at_once = frozenset(seen_at_once)

    def patiently(self, ask: Callable[[], Answer], at_most: float = math.inf) -> Answer:
        """The answer; asked again while a node is being replaced or is too busy, or an index is
        being moved; for so many seconds."""
        started = time.monotonic()
        pause = 0.05
        while True:
            try:
                return ask()
            except (ApiError, TransportError, UnsupportedProductError) as error:
                if time.monotonic() + pause > started + min(self._patience(error), at_most):
                    raise self._failures.of(error) from error
            time.sleep(pause)
            pause = min(2 * pause, 1.0)

    def refresh(self, index: str, *, own: bool = False) -> None:
        if index in self._seen_at_once or (own and not self._unseen.has(index)):
            return
        writes = self._unseen.writes(index)
        self.patiently(lambda: self._client.indices.refresh(index=index))
        self._unseen.refreshed(index, writes)

    def search(self, index: str, *, own: bool = False, **request: Any) -> Any:
        self.refresh(index, own=own)
        return self.patiently(lambda: whole(self._client.search(index=index, **request)))

    def search_many(
        self, requests: Sequence[tuple[str, dict[str, Any]]], *, own: bool = False
    ) -> list[Any]:
        """Several searches in one round trip."""
        for index in dict.fromkeys(index for index, _ in requests):
            self.refresh(index, own=own)
        # The client would write each line with the standard library, far slower.
        searches: Any = [
            orjson.dumps(line)
            for index, request in requests
            for line in ({"index": index}, request)
        ]
        return self.patiently(
            lambda: [*map(whole, self._client.msearch(searches=searches)["responses"])]
        )

    def count(self, index: str, query: dict[str, Any] | None = None) -> int:
        self.refresh(index)
        answer = self.patiently(lambda: whole(self._client.count(index=index, query=query)))
        return int(answer["count"])

    def scan(
        self,
        index: str,
        *,
        query: dict[str, Any] | None = None,
        sort: Sequence[dict[str, str]],
        limit: int | None = None,
        page: int = _PAGE,
        own: bool = False,
        **request: Any,
    ) -> Iterator[Hit]:
        """Hits in the order of `sort`, which must name each document uniquely.

        Where the point in time is lost with its node, the scan goes on from a new one.
        """
        asked = {
            "query": query,
            "sort": list(sort),
            "track_total_hits": False,
            **request,
        }
        size = page if limit is None else min(page, limit)
        if size == 0:
            return
        # Most answers fit on one page, and need no point in time.
        first = self.search(index, own=own, size=size, **asked)["hits"]["hits"]
        if len(first) < size or size == limit:
            yield from first
            return
        del first
        yield from self._pages(index, asked, limit, page)

    def _pages(
        self, index: str, asked: dict[str, Any], limit: int | None, page: int
    ) -> Iterator[Hit]:
        left = limit
        after: list[Any] | None = None
        point: str | None = None
        losses = 0
        try:
            while left != 0:
                size = page if left is None else min(page, left)
                if point is None:
                    point = self._open(index)
                try:
                    answer = whole(
                        self._client.search(
                            pit={"id": point, "keep_alive": _KEEP_ALIVE},
                            search_after=after,
                            size=size,
                            **asked,
                        )
                    )
                except (ApiError, TransportError) as error:
                    losses += 1
                    is_lost = isinstance(error, ApiError) and error.status_code in {404, 503}
                    if not is_lost or losses > _LOSSES:
                        raise self._failures.of(error) from error
                    self._close(point)
                    point = None
                    continue
                point = answer.get("pit_id", point)
                hits = answer["hits"]["hits"]
                yield from hits
                if left is not None:
                    left -= len(hits)
                if len(hits) < size:
                    return
                after = hits[-1]["sort"]
        finally:
            if point is not None:
                self._close(point)

    def _open(self, index: str) -> str:
        self.refresh(index)
        answer = self.patiently(
            lambda: self._client.open_point_in_time(index=index, keep_alive=_KEEP_ALIVE)
        )
        return str(answer["id"])

    def _close(self, point: str) -> None:
        try:
            self._client.close_point_in_time(id=point)
        except (ApiError, TransportError):
            # It closes by itself in two minutes. The error to report is the one that broke the scan.
            return

    def get(
        self, index: str, ids: Sequence[str], *, fields: Sequence[str] | None = None
    ) -> Iterator[Hit]:
        """Those that are there, as they are now, searched or not."""
        for start in range(0, len(ids), _GET_AT_ONCE):
            yield from self._get(index, ids[start : start + _GET_AT_ONCE], fields)

    def _get(self, index: str, ids: Sequence[str], fields: Sequence[str] | None) -> Iterator[Hit]:
        try:
            documents = self.patiently(
                lambda: documents_within(
                    self._client.mget(
                        index=index,
                        ids=list(ids),
                        source_includes=list(fields) if fields else None,
                    )
                )
            )
        except StoreError as error:
            # Too much at once for the server's memory: these texts are long.
            cause = error.__cause__
            if isinstance(cause, ApiError) and reason_of(cause)[0] == _TOO_MUCH and len(ids) > 1:
                for half in (ids[: len(ids) // 2], ids[len(ids) // 2 :]):
                    yield from self._get(index, half, fields)
                return
            raise
        for document in documents:
            if document.get("found"):
                yield document
            elif "error" in document:
                reason = document["error"].get("reason", "")
                raise self._failures.store_error("unreadable", said=reason)

    def _patience(self, error: Exception) -> float:
        """For how many seconds this may pass."""
        if not isinstance(error, ApiError):
            return 0.0
        kind, reason = reason_of(error)
        if error.status_code == 429 and kind != _TOO_MUCH:
            return BUSY_SECONDS
        # What is behind an alias changes in one step, but a request may be on its way just then.
        is_gone = kind == "index_not_found_exception" and re.search(r"-v\d+-\d{6}\]", reason)
        if error.status_code in {502, 503, 504} or (self._behind_alias and is_gone):
            return PATIENCE_SECONDS
        return 0.0


@dataclass(frozen=True, slots=True)
class _Meta:
    """What ApiError wants to know of an answer within an answer."""

    status: int


def documents_within(answer: Any) -> list[dict[str, Any]]:
    """The documents of an mget, those that were found and those that were not. That a shard or the
    whole index has just gone is told of each document alone, in an answer that is no error."""
    documents: list[dict[str, Any]] = answer["docs"]
    for document in documents:
        error = document.get("error", {})
        if status := _STATUS_WITHIN.get(error.get("type")):
            raise failed_within({"error": error, "status": status})
    return documents


def whole(answer: Any) -> Any:
    """The answer to a search. Where a part of the index did not answer, the server calls it none the
    less a success: what that part holds would be missed, and nobody would know."""
    if "error" in answer:
        raise failed_within(answer)
    shards = answer["_shards"]
    if shards["failed"]:
        told = shards.get("failures") or [{"reason": {"type": "", "reason": "a part is missing"}}]
        error = told[0]["reason"]
        raise failed_within({"error": error, "status": _STATUS_WITHIN.get(error["type"], 503)})
    return answer


def failed_within(answer: dict[str, Any]) -> ApiError:
    """The error of one of several searches or documents, as if it had been asked for alone."""
    kind = {400: BadRequestError, 404: NotFoundError}.get(answer["status"], ApiError)
    return kind(str(answer["error"].get("type")), _Meta(answer["status"]), answer)  # type: ignore[arg-type]
