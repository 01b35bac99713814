"""Searching the store in Elasticsearch: one round trip a page, texts of a block along with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from itertools import chain
from typing import Any

import numpy as np
import orjson
from elasticsearch import ApiError, Elasticsearch

from paperless_fingerprint.errors import StoreError, UsageError
from paperless_fingerprint.fingerprints.shingles import Hashes
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.query.offers import is_near
from paperless_fingerprint.query.plan import SketchQuery, common_above, group_of
from paperless_fingerprint.query.searcher import (
    Found,
    Listed,
    Order,
    OrderBy,
    Place,
    Row,
    Scope,
    SearchTooLongError,
)
from paperless_fingerprint.query.tree import Node
from paperless_fingerprint.stores.elasticsearch import dsl, ordering, rows
from paperless_fingerprint.stores.elasticsearch.connection import Address, connect
from paperless_fingerprint.stores.elasticsearch.failures import Failures, reason_of
from paperless_fingerprint.stores.elasticsearch.history import STAMP, History
from paperless_fingerprint.stores.elasticsearch.layout import definitions
from paperless_fingerprint.stores.elasticsearch.refresh import unseen_at
from paperless_fingerprint.stores.elasticsearch.scan import Hit, Reader, documents_within, whole
from paperless_fingerprint.text.normalise import words

#: Hits in one answer.
_PAGE = 1000
#: Candidates in one answer with their texts, which are about to be verified.
_WITH_TEXTS = 256
_SHOWN = ["id", "uuid", "title", "created", "added", "page_count", "owner", "viewers"]
_TEXT = ["content", "content_zlib"]
#: What tells whether a candidate is one, and saves counting its shingles; the source, where it comes
#: along, tells the spec.
_FACTS = ["level", "shingles"]
#: So long a search waits for a node or an index that is being replaced: a person waits for it.
_PATIENCE_SECONDS = 5.0
#: Documents whose words are looked at where one was not found.
_RESEMBLING = 20

#: A query for those who may see all but these documents.
Without = Callable[[Collection[int]], dsl.Query]


class ElasticsearchSearcher:
    """See query.searcher.Searcher. Has connections of its own."""

    def __init__(self, address: Address) -> None:
        self._failures = Failures(address.shown)
        self._client = connect(address)
        self._reader = Reader(self._client, self._failures)
        self._patient = (-1.0, self._client)
        names = {kind: one.alias(address.prefix) for kind, one in definitions().items()}
        self._documents, self._groups = names["documents"], names["groups"]
        self._unseen = unseen_at(address.hosts)
        self._history = History(self._client, self._failures, self._groups, self._unseen)

    def close(self) -> None:
        self._client.close()

    def begin(self) -> None:
        """What this process wrote is seen; what others wrote, after a second at most (the server
        refreshes by itself), and all of it by a process that has just begun."""
        if self._unseen.has(self._documents):
            writes = self._unseen.writes(self._documents)
            with self._failures.explained():
                self._client.indices.refresh(index=self._documents)
            self._unseen.refreshed(self._documents, writes)

    def rows(self, ids: Collection[int], *, with_texts: bool = True) -> dict[int, Row]:
        if not ids:
            return {}
        documents = self._reader.patiently(
            lambda: documents_within(
                self._client.mget(
                    index=self._documents,
                    ids=[str(id) for id in ids],
                    source_includes=None if with_texts else _SHOWN,
                )
            ),
            _PATIENCE_SECONDS,
        )
        return {int(doc["_id"]): self._row(doc["_source"]) for doc in documents if doc.get("found")}

    def uncommon(self, hashes: Hashes, scope: Scope) -> Hashes:
        keys = rows.keys((hashes >> np.uint64(32)).astype(np.uint32))
        body = {
            "size": 0,
            "track_total_hits": True,
            "aggs": {
                "hashes": {"filters": {"filters": [{"term": {"sketch": key}} for key in keys]}}
            },
        }
        [answer] = self._search([(self._documents, body)], scope)
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
        more: dict[str, Any] = {"docvalue_fields": _FACTS if step else [*_FACTS, "spec"]}
        if until is not None:
            more["min_score"] = float(until.value) * (1 - 1e-6)
        order, least = Order(), _least_score(query)
        answers = self._answers(
            self._sketch_request(query, rest, scope), scope, order, after, None,
            # The whole source: the text is most of it, and to pick fields the server would have to
            # read it word by word.
            source=step is not None, page=step or _PAGE, **more,
        )  # fmt: skip
        for hit in chain.from_iterable(answer["hits"] for answer in answers):
            place = ordering.place_of(hit, order)
            if float(place.value) < least or (until is not None and place.is_behind(until)):
                return
            if _is_candidate(query, hit):
                yield self._found(hit, order)

    def page(
        self,
        node: Node,
        scope: Scope,
        order: Order,
        *,
        after: Place | None = None,
        excluding: Collection[int] = (),
        limit: int | None = None,
        counting: int = 0,
    ) -> Listed:
        asked = dsl.translated(node)

        def without(hidden: Collection[int]) -> dsl.Query:
            # Where nothing is scored nothing needs to be.
            return dsl.in_scope(
                asked, scope.restricted, sorted({*hidden, *excluding}),
                is_filter=order.by is not OrderBy.SCORE,
            )  # fmt: skip

        source = _SHOWN if limit is not None else False
        # What lies on other pages would not be counted with these.
        counted = counting if counting and after is None and not excluding else False
        found: list[Found] = []
        total = None
        for answer in self._answers(
            without, scope, order, after, limit, source=source, track_total_hits=counted
        ):
            if counted and total is None:
                total = min(counting, int(answer["total"]["value"]))
            found += [self._found(hit, order) for hit in answer["hits"]]
        return Listed(found, total)

    def count(self, node: Node, scope: Scope, at_most: int) -> int:
        asked = dsl.translated(node)
        answer = self._with_history(
            lambda hidden: dsl.in_scope(asked, scope.restricted, hidden, is_filter=True),
            {"size": 0, "track_total_hits": at_most},
            scope,
        )
        return min(at_most, int(answer["hits"]["total"]["value"]))

    def resembling(self, word: str, scope: Scope) -> list[str]:
        """From the documents themselves: the server lists no words, and so nothing hidden shows."""
        asked = dsl.resembling(word)
        answer = self._with_history(
            lambda hidden: dsl.in_scope(asked, scope.restricted, hidden),
            {"size": _RESEMBLING, "track_total_hits": False, "_source": [*_SHOWN, *_TEXT]},
            scope,
        )
        found: set[str] = set()
        for hit in answer["hits"]["hits"]:
            row = self._row(hit["_source"])
            found.update(words(row.title), words(row.text))
        return sorted(each for each in found if word in each or is_near(word, each))

    def explain(
        self, query: SketchQuery | None, rest: Node | None, scope: Scope, limit: int
    ) -> dict[str, Any]:
        hidden = () if scope.include_history else self._history.read().ids
        if query is not None:
            asked = self._sketch_request(query, rest, scope)(hidden)
        else:
            assert rest is not None
            asked = dsl.in_scope(dsl.translated(rest), scope.restricted, hidden)
        body = {
            "query": asked, "size": limit, "sort": ordering.sorting(Order()), "_source": _SHOWN,
            "timeout": _timeout(scope),
        }  # fmt: skip
        text = json.dumps(body, ensure_ascii=False)
        return {"request": f"GET {self._documents}/_search\n{text}", "dsl": body}

    # Inside --------------------------------------------------------------------------------

    def _sketch_request(self, query: SketchQuery, rest: Node | None, scope: Scope) -> Without:
        asked = dsl.sketch_clause(query)
        more = [] if rest is None else [dsl.translated(rest)]
        return lambda hidden: dsl.in_scope(asked, scope.restricted, hidden, *more)

    def _answers(
        self,
        without: Without,
        scope: Scope,
        order: Order,
        after: Place | None,
        limit: int | None,
        *,
        source: list[str] | bool,
        page: int = _PAGE,
        **more: Any,
    ) -> Iterator[dict[str, Any]]:
        """Page after page until there are enough."""
        body = {
            "track_total_hits": False, **more, "sort": ordering.sorting(order), "_source": source
        }  # fmt: skip
        if after is not None:
            body["search_after"] = ordering.after(after, order)
        left, had = limit, 0
        while left is None or left > 0:
            body["size"] = page if left is None else min(page, left)
            answer = self._with_history(without, body, scope)["hits"]
            yield answer
            hits = answer["hits"]
            if len(hits) < body["size"]:
                return
            left = None if left is None else left - len(hits)
            # Whoever wants more than was thought first wants about as many again.
            had += len(hits)
            page = min(had, _WITH_TEXTS if source else _PAGE)
            body["search_after"] = hits[-1]["sort"]
            body["track_total_hits"] = False  # once is enough

    def _with_history(self, without: Without, body: dict[str, Any], scope: Scope) -> Any:
        """Search without the superseded versions."""
        if scope.include_history:
            return self._search([(self._documents, {**body, "query": without(())})], scope)[0]
        while True:
            known = self._history.known
            search = (self._documents, {**body, "query": without(known.ids)})
            if self._history.is_good():
                return self._search([search], scope)[0]
            until = self._history.good_until
            stamp, answer = self._search([(self._groups, STAMP), search], scope)
            if self._history.is_current(known, stamp, until):
                return answer
            self._history.read()

    def _search(self, asked: list[tuple[str, dict[str, Any]]], scope: Scope) -> list[Any]:
        timeout = _timeout(scope)
        # The client would write each line with the standard library, far slower.
        searches: Any = []
        for index, body in asked:
            searches += [orjson.dumps({"index": index}), orjson.dumps({**body, "timeout": timeout})]
        client = self._client_for(scope.time_limit_seconds)

        def answers() -> list[Any]:
            found = list(client.msearch(searches=searches)["responses"])
            for one in found:
                # OpenSearch calls it an error where no shard was in time.
                if one.get("timed_out") or "time_exceeded_exception" in str(one.get("error", "")):
                    raise SearchTooLongError(scope.time_limit_seconds)
                whole(one)
            return found

        try:
            return self._reader.patiently(answers, _PATIENCE_SECONDS)
        except StoreError as error:
            raise _explained(error) from error.__cause__

    def _client_for(self, seconds: float) -> Elasticsearch:
        """With the patience that a search of so many seconds needs. To make one takes as long as
        half of a search, and there are few different limits."""
        known_for, client = self._patient
        if known_for != seconds:
            client = self._client.options(request_timeout=seconds + 20)
            self._patient = (seconds, client)
        return client

    def _found(self, hit: Hit, order: Order) -> Found:
        place = ordering.place_of(hit, order)
        source = hit.get("_source")
        return Found(
            place.id,
            place.value,
            score=float(place.value) if order.by is OrderBy.SCORE else None,
            row=self._row(source, hit.get("fields", {})) if source else None,
        )

    def _row(self, source: dict[str, Any], fields: dict[str, Any] | None = None) -> Row:
        shingles = (fields or {}).get("shingles")
        return Row(
            id=source["id"],
            uuid=source["uuid"],
            title=source.get("title", ""),
            is_latest=source["id"] not in self._history.known.members,
            text=rows.content_from(source),
            created=source.get("created"),
            added=source.get("added"),
            page_count=source.get("page_count"),
            owner=source.get("owner"),
            viewers=tuple(source.get("viewers", ())),
            shingles=int(shingles[0]) if shingles else None,
            spec=source.get("spec", ""),
        )


def _explained(error: StoreError) -> Exception:
    kind, reason = reason_of(error.__cause__) if isinstance(error.__cause__, ApiError) else ("", "")
    if "too_many" in kind or "too many" in reason.lower() or "clause" in reason.lower():
        return UsageError(
            _(
                "The query has more parts than this server takes (%(reason)s). Use fewer "
                "words, or a longer beginning before '*'.",
                reason=reason,
            )
        )
    return error


def _least_score(query: SketchQuery) -> float:
    """Of a candidate: what has fewer matches than any group asks for ends the list."""
    if query.per_shingle:
        return 0.0
    return min(group.minimum * group.weight for group in query.groups) * (1 - 1e-5)


def _is_candidate(query: SketchQuery, hit: Hit) -> bool:
    """What the server was not asked about: the spec, and the matches for that level."""
    fields = hit["fields"]
    group = group_of(query, int(fields.get("level", (-1,))[0]))
    spec = hit["_source"]["spec"] if "_source" in hit else fields["spec"][0]
    if group is None or spec != query.spec:
        return False
    return query.per_shingle or hit["sort"][0] >= group.minimum * group.weight * (1 - 1e-5)


def _timeout(scope: Scope) -> str:
    return f"{max(1, round(scope.time_limit_seconds * 1000))}ms"
