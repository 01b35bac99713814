"""OpenSearch, spoken to by Elasticsearch's client.

The two share nearly all that this store asks for. What differs is translated here, below the
client, request by request: OpenSearch does not call itself Elasticsearch, calls JSON plainly JSON,
and has another address for a point in time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
from elastic_transport import HttpHeaders, Urllib3HttpNode
from elastic_transport.client_utils import DEFAULT

#: Elasticsearch says this of itself with each answer, since its version 7.14.
_PRODUCT = "x-elastic-product"
#: Put into what OpenSearch answers, for whoever asks `is_opensearch`.
_ELSE = "x-opensearch"
OPENSEARCH = "OpenSearch"
_POINTS = "_search/point_in_time"

NO_VECTORS = (
    "OpenSearch keeps vectors with a plugin of its own, which this program does not speak to. Keep "
    "the library in SQLite or Elasticsearch, or set [semantic] enabled to false"
)


def is_opensearch(answer: Any) -> bool:
    """Whether it was OpenSearch that answered (or an Elasticsearch before 7.14)."""
    return _ELSE in answer.meta.headers


class Node(Urllib3HttpNode):
    """A node of either of the two, in the words of Elasticsearch."""

    _is_opensearch: bool | None = None

    def perform_request(
        self, method: str, target: str, body: bytes | None = None,
        headers: HttpHeaders | None = None, request_timeout: Any = DEFAULT,
    ) -> Any:  # fmt: skip
        if not self._is_opensearch:
            answer = super().perform_request(method, target, body, headers, request_timeout)
            if self._is_opensearch is None and answer.meta.status not in {502, 503, 504}:
                self._is_opensearch = _PRODUCT not in answer.meta.headers
            if not self._is_opensearch:
                return answer
            if answer.meta.status != 406:  # OpenSearch takes no body of a type that it cannot spell
                return _answered(answer)
        plain = _plain(HttpHeaders(headers or {}))
        if "/_pit" in target:
            target = target.replace("_pit", _POINTS)
            if body:
                body = orjson.dumps({"pit_id": [orjson.loads(body)["id"]]})
        return _answered(super().perform_request(method, target, body, plain, request_timeout))


def _plain(headers: HttpHeaders) -> HttpHeaders:
    """`application/vnd.elasticsearch+json; compatible-with=8` is `application/json` there."""
    for name in ("accept", "content-type"):
        kind = str(headers.get(name, "")).partition(";")[0]
        if kind.startswith("application/vnd.elasticsearch+"):
            headers[name] = f"application/{kind.partition('+')[2]}"
    return headers


def _answered(answer: Any) -> Any:
    told = HttpHeaders(answer.meta.headers)
    told[_PRODUCT] = "Elasticsearch"
    told[_ELSE] = "yes"
    body = answer.body
    if answer.meta.status == 200 and body.startswith(b'{"pit_id"') and b'"hits"' not in body:
        body = orjson.dumps({"id": orjson.loads(body)["pit_id"]})
    return type(answer)(replace(answer.meta, headers=told), body)
