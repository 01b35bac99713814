"""Searching the store in Elasticsearch: one request a page, texts of a block along with it."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from elasticsearch import ApiError, BadRequestError

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.fingerprint import Hashes
from paperless_fingerprint.query.plan import SketchQuery, common_above
from paperless_fingerprint.query.searcher import (
    Found,
    Order,
    OrderBy,
    Place,
    Row,
    Scope,
    SearchTooLongError,
)
from paperless_fingerprint.query.tree import Node
from paperless_fingerprint.stores.elasticsearch import dsl, rows
from paperless_fingerprint.stores.elasticsearch.connection import Address, connect
from paperless_fingerprint.stores.elasticsearch.failures import Failures, reason_of
from paperless_fingerprint.stores.elasticsearch.layout import definitions

#: Hits in one answer.
_PAGE = 1000
#: Candidates in one answer with their texts, which are about to be verified.
_WITH_TEXTS = 256
_SHOWN = ["id", "uuid", "title", "created", "added", "page_count", "owner", "viewers"]
_TEXT = ["content", "content_zlib"]
_ORDER = {
    OrderBy.ID: "id",
    OrderBy.CREATED: "created",
    OrderBy.ADDED: "added",
    OrderBy.PAGES: "page_count",
}
_CHAINS: dict[str, Any] = {"bool": {"filter": [{"term": {"kind": "chain"}}]}}


@dataclass(frozen=True, slots=True)
class _Superseded:
    """Documents of chains that are not the latest, and by what a change of them is noticed."""

    stamp: tuple[int, float]
    ids: list[int]
    members: frozenset[int]


class ElasticsearchSearcher:
    """See query.searcher.Searcher. Has connections of its own."""

    def __init__(self, address: Address) -> None:
        self._failures = Failures(address.shown)
        self._client = connect(address)
        names = {kind: one.alias(address.prefix) for kind, one in definitions().items()}
        self._documents, self._groups = names["documents"], names["groups"]
        self._guard = threading.Lock()
        self._superseded = _Superseded((-1, -1.0), [], frozenset())

    def close(self) -> None:
        self._client.close()

    def begin(self) -> None:
        with self._failures.explained():
            self._client.indices.refresh(index=f"{self._documents},{self._groups}")

    def rows(self, ids: Collection[int], *, with_texts: bool = True) -> dict[int, Row]:
        if not ids:
            return {}
        with self._failures.explained():
            answer = self._client.mget(
                index=self._documents,
                ids=[str(id) for id in ids],
                source_includes=[*_SHOWN, *(_TEXT if with_texts else [])],
            )
        return {
            int(doc["_id"]): self._row(doc["_source"]) for doc in answer["docs"] if doc.get("found")
        }

    def uncommon(self, hashes: Hashes, scope: Scope) -> Hashes:
        keys = rows.keys((hashes >> np.uint64(32)).astype(np.uint32))
        answer = self._search(
            {
                "size": 0,
                "track_total_hits": True,
                "aggs": {
                    "hashes": {"filters": {"filters": [{"term": {"sketch": key}} for key in keys]}}
                },
            },
            scope,
        )
        common = common_above(int(answer["hits"]["total"]["value"]))
        counts = [b["doc_count"] for b in answer["aggregations"]["hashes"]["buckets"]]
        return hashes[np.array(counts, np.int64) <= common]

    def candidates(
        self,
        query: SketchQuery,
        rest: Node | None,
        scope: Scope,
        *,
        after: Place | None = None,
        until: Place | None = None,
        step: int | None = None,
    ) -> Iterator[Found]:
        if query.finds_nothing:
            return
        for one in self._hits(
            lambda hidden: self._sketch_request(query, rest, scope, hidden),
            scope,
            Order(),
            after,
            None,
            page=step or _PAGE,
            source=[*_SHOWN, *_TEXT] if step else False,
            least=None if until is None else float(until.value),
        ):
            if until is not None and _behind(one.place, until):
                return
            yield one

    def page(
        self,
        node: Node,
        scope: Scope,
        order: Order,
        *,
        after: Place | None = None,
        excluding: Collection[int] = (),
        limit: int | None = None,
    ) -> list[Found]:
        # Where nothing is scored nothing needs to be.
        by_score = order.by is OrderBy.SCORE
        return list(
            self._hits(
                lambda hidden: dsl.in_scope(
                    dsl.translated(node), scope.restricted, sorted({*hidden, *excluding}),
                    is_filter=not by_score,
                ),
                scope, order, after, limit, source=_SHOWN if limit is not None else False,
            )
        )  # fmt: skip

    def count(self, node: Node, scope: Scope, at_most: int) -> int:
        answer = self._with_history(
            lambda hidden: {
                "query": dsl.in_scope(
                    dsl.translated(node), scope.restricted, hidden, is_filter=True
                ),
                "size": 0,
                "track_total_hits": at_most,
            },
            scope,
        )
        return min(at_most, int(answer["hits"]["total"]["value"]))

    def explain(
        self, query: SketchQuery | None, rest: Node | None, scope: Scope, limit: int
    ) -> dict[str, Any]:
        hidden = [] if scope.include_history else self._current().ids
        if query is not None:
            asked = self._sketch_request(query, rest, scope, hidden)
        else:
            assert rest is not None
            asked = dsl.in_scope(dsl.translated(rest), scope.restricted, hidden)
        body = {
            "query": asked, "size": limit, "sort": _sort(Order()), "_source": _SHOWN,
            "timeout": _timeout(scope),
        }  # fmt: skip
        text = json.dumps(body, ensure_ascii=False)
        return {"request": f"GET {self._documents}/_search\n{text}", "dsl": body}

    # Inside --------------------------------------------------------------------------------

    def _sketch_request(
        self, query: SketchQuery, rest: Node | None, scope: Scope, hidden: list[int]
    ) -> dsl.Query:
        more = [] if rest is None else [dsl.translated(rest)]
        return dsl.in_scope(dsl.sketch_clause(query), scope.restricted, hidden, *more)

    def _hits(
        self,
        query: Any,
        scope: Scope,
        order: Order,
        after: Place | None,
        limit: int | None,
        *,
        source: list[str] | bool,
        page: int = _PAGE,
        least: float | None = None,
    ) -> Iterator[Found]:
        """Page after page until there are enough."""
        place = None if after is None else [_sort_value(after.value, order), after.id]
        left = limit
        while left is None or left > 0:
            size = page if left is None else min(page, left)
            body: dict[str, Any] = {
                "size": size, "sort": _sort(order), "track_total_hits": False, "_source": source,
            }  # fmt: skip
            if place is not None:
                body["search_after"] = place
            if least is not None:
                body["min_score"] = least * (1 - 1e-6)
            answer = self._with_history(
                lambda hidden, body=body: {**body, "query": query(hidden)}, scope
            )
            hits = answer["hits"]["hits"]
            for hit in hits:
                value = hit["sort"][0]
                yield Found(
                    int(hit["sort"][1]),
                    _plain_value(value, order),
                    score=float(value) if order.by is OrderBy.SCORE else None,
                    row=self._row(hit["_source"]) if source else None,
                )
            if len(hits) < size:
                return
            left = None if left is None else left - len(hits)
            page = min(4 * page, _WITH_TEXTS if source else _PAGE)
            place = hits[-1]["sort"]

    def _with_history(self, request: Any, scope: Scope) -> Any:
        """Search without the superseded versions.

        Which these are is known from the last search, and asked again in the same request: only
        when it has changed the search is made once more.
        """
        if scope.include_history:
            return self._search(request([]), scope)
        while True:
            known = self._superseded
            stamp, answer = self._search_many(
                [(self._groups, _STAMP), (self._documents, request(known.ids))], scope
            )
            if _stamp_of(stamp) == known.stamp:
                return answer
            self._current()

    def _current(self) -> _Superseded:
        with self._guard:
            ids: set[int] = set()
            after: list[Any] | None = None
            with self._failures.explained():
                stamp = _stamp_of(self._client.search(index=self._groups, **_STAMP))
            while True:
                with self._failures.explained():
                    answer = self._client.search(
                        index=self._groups, query=_CHAINS, size=_PAGE, search_after=after,
                        sort=[{"lowest": "asc"}, {"_seq_no": "asc"}],
                        source_includes=["rest.members"], track_total_hits=False,
                    )  # fmt: skip
                hits = answer["hits"]["hits"]
                for hit in hits:
                    ids.update(hit["_source"]["rest"]["members"][:-1])
                if len(hits) < _PAGE:
                    break
                after = hits[-1]["sort"]
            self._superseded = _Superseded(stamp, sorted(ids), frozenset(ids))
            return self._superseded

    def _search(self, body: dict[str, Any], scope: Scope) -> Any:
        return self._search_many([(self._documents, body)], scope)[0]

    def _search_many(self, asked: list[tuple[str, dict[str, Any]]], scope: Scope) -> list[Any]:
        timeout = _timeout(scope)
        searches: list[dict[str, Any]] = []
        for index, body in asked:
            searches += [{"index": index}, {**body, "timeout": timeout}]
        client = self._client.options(request_timeout=scope.time_limit_seconds + 20)
        with self._failures.explained():
            answer = client.msearch(searches=searches)
        for one in answer["responses"]:
            if "error" in one:
                self._raise(one)
            if one["timed_out"]:
                raise SearchTooLongError(scope.time_limit_seconds)
        return list(answer["responses"])

    def _raise(self, answer: dict[str, Any]) -> None:
        error = ApiError(str(answer["error"].get("type")), _Meta(answer["status"]), answer)  # type: ignore[arg-type]
        kind, reason = reason_of(error)
        if "too_many" in kind or "too many" in reason.lower() or "clause" in reason.lower():
            raise UsageError(
                f"The query has more parts than this server takes ({reason}). Ask with fewer "
                "words, or a longer beginning before '*'."
            )
        raise self._failures.of(
            BadRequestError(kind, _Meta(answer["status"]), answer)  # type: ignore[arg-type]
        )

    def _row(self, source: dict[str, Any]) -> Row:
        return Row(
            id=source["id"],
            uuid=source["uuid"],
            title=source.get("title", ""),
            is_latest=source["id"] not in self._superseded.members,
            text=rows.content_from(source),
            created=source.get("created"),
            added=source.get("added"),
            page_count=source.get("page_count"),
            owner=source.get("owner"),
            viewers=tuple(source.get("viewers", ())),
        )


@dataclass(frozen=True, slots=True)
class _Meta:
    """What ApiError wants to know of an answer within an answer."""

    status: int


_STAMP: dict[str, Any] = {
    "size": 0,
    "query": _CHAINS,
    "track_total_hits": True,
    "aggs": {"newest": {"max": {"field": "_seq_no"}}},
}


def _stamp_of(answer: Any) -> tuple[int, float]:
    """Changes with every chain that is written, and with every one that is deleted."""
    newest = answer["aggregations"]["newest"]["value"]
    return int(answer["hits"]["total"]["value"]), -1.0 if newest is None else float(newest)


def _timeout(scope: Scope) -> str:
    return f"{max(1, round(scope.time_limit_seconds * 1000))}ms"


def _sort(order: Order) -> list[dict[str, Any]]:
    direction = "desc" if order.descending else "asc"
    if order.by is OrderBy.SCORE:
        return [{"_score": {"order": "desc"}}, {"id": {"order": "asc"}}]
    if order.by is OrderBy.ID:
        return [{"id": {"order": direction}}, {"id": {"order": "asc"}}]
    if order.by is OrderBy.PAGES:
        return [
            {"page_count": {"order": direction, "missing": 0}},
            {"id": {"order": "asc"}},
        ]
    missing = "_last" if order.descending else "_first"
    return [{_ORDER[order.by]: {"order": direction, "missing": missing}}, {"id": {"order": "asc"}}]


def _sort_value(value: float | str, order: Order) -> float | str | None:
    return None if order.by in {OrderBy.CREATED, OrderBy.ADDED} and value == "" else value


def _plain_value(value: Any, order: Order) -> float | str:
    if value is None:
        return "" if order.by in {OrderBy.CREATED, OrderBy.ADDED} else 0
    plain: float | str = value
    return plain


def _behind(place: Place, other: Place) -> bool:
    return (-float(place.value), place.id) > (-float(other.value), other.id)
