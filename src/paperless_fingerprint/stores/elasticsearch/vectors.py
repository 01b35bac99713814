"""Vectors in Elasticsearch: an index for each space, apart from the documents.

The octets are indexed as they are (`element_type: byte`): a quarter of the memory that floats take
in the graph of neighbours (HNSW), no second copy beside it as `int8_hnsw` keeps one, and cosines
that are those of SQLite to the last digit. The search is approximate; it looks at several times as
many candidates as it gives back.
"""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from elasticsearch import Elasticsearch

from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.elasticsearch.bulk import BulkWriter, Operation
from paperless_fingerprint.stores.elasticsearch.connection import Address, connect
from paperless_fingerprint.stores.elasticsearch.failures import Failures
from paperless_fingerprint.stores.elasticsearch.layout import (
    IndexDefinition,
    create_index,
    mappings_folder,
)
from paperless_fingerprint.stores.elasticsearch.opensearch import NO_VECTORS, OPENSEARCH
from paperless_fingerprint.stores.elasticsearch.reindex import is_moving
from paperless_fingerprint.stores.elasticsearch.scan import Reader, whole
from paperless_fingerprint.stores.elasticsearch.store import ElasticsearchStore
from paperless_fingerprint.stores.elasticsearch.vector_indices import KIND, vector_indices
from paperless_fingerprint.stores.vector_table import VectorTable
from paperless_fingerprint.stores.vectors import (
    Matrix,
    Neighbour,
    Neighbours,
    Space,
    StoredVector,
    dimensions_with,
    encoded,
)

_VERSION = 1
#: Candidates of the graph for each neighbour that is wanted, and at least.
_CANDIDATES_EACH, _CANDIDATES_AT_LEAST, _CANDIDATES_AT_MOST = 2, 200, 10_000
_SEARCHES_AT_ONCE = 32
_IDS_AT_ONCE = 5_000
_FIELDS = ("id", "text_hash", "language", "rest")


class ElasticsearchVectors:
    """See stores.vectors.VectorStore. `documents` tells which documents there are."""

    def __init__(self, address: Address, documents: ElasticsearchStore) -> None:
        self._address = address
        self._documents = documents
        self._failures = Failures(address.shown)
        self._client: Elasticsearch = connect(address)
        self._reader = Reader(self._client, self._failures)
        self._writer = BulkWriter(
            self._client,
            self._failures,
            is_moving=lambda alias: is_moving(self._client, self._failures, alias),
        )
        self._ready: set[str] = set()

    @classmethod
    def beside(cls, store: Store) -> ElasticsearchVectors:
        assert isinstance(store, ElasticsearchStore)
        return cls(store.address, store)

    def close(self) -> None:
        self._client.close()

    @property
    def why_not(self) -> str:
        """Why no vectors can be kept there, if they cannot."""
        return NO_VECTORS if self._documents.server.name == OPENSEARCH else ""

    def put(self, space: str, vectors: Sequence[StoredVector]) -> None:
        if reason := self.why_not:
            raise self._failures.store_error(reason)
        alias = self._prepared(space)
        dimensions_with(space, self._dimensions(alias), vectors)
        there = self._present([vector.id for vector in vectors])
        self._writer.write_all(
            Operation("index", alias, str(vector.id), _body(vector))
            for vector in vectors
            if vector.id in there
        )

    def get(self, space: str, ids: Collection[int]) -> dict[int, StoredVector]:
        alias = self._found(space)
        if alias is None or not ids:
            return {}
        hits = self._reader.get(alias, [str(id) for id in self._present(ids)], fields=_FIELDS)
        return {vector.id: vector for vector in map(_vector_from, hits)}

    def missing(self, space: str, ids: Collection[int] | None = None) -> list[int]:
        alias = self._found(space)
        wanted = sorted(ids) if ids is not None else self._documents.ids()
        known: dict[int, str] = {}
        if alias is not None:
            known = dict(self._known_hashes(alias, None if ids is None else wanted))
        missing: list[int] = []
        there: set[int] = set()
        for start in range(0, len(wanted), _IDS_AT_ONCE):
            hashes = self._documents.text_hashes(wanted[start : start + _IDS_AT_ONCE])
            there.update(hashes)
            missing += [id for id, (_, hash) in hashes.items() if hash and known.get(id) != hash]
        gone = known.keys() - there
        if alias is not None and gone:
            # What was deleted since leaves no trace: nothing else looks at all of them.
            self._writer.write(Operation("delete", alias, str(id)) for id in gone)
        return sorted(missing)

    def nearest(
        self, space: str, queries: Matrix, *, limit: int, at_least: float
    ) -> list[list[Neighbour]]:
        alias = self._found(space)
        if alias is None or queries.shape[1] != self._dimensions(alias):
            return [[] for _ in queries]
        self._reader.refresh(alias)
        found: list[list[Neighbour]] = []
        for start in range(0, len(queries), _SEARCHES_AT_ONCE):
            found += self._searched(alias, queries[start : start + _SEARCHES_AT_ONCE], limit)
        there = self._present({one.id for some in found for one in some})
        return [
            [one for one in some if one.cosine >= at_least and one.id in there] for some in found
        ]

    def for_many(self, space: str) -> Neighbours:
        """A copy in memory: reading it costs what some hundred searches of the graph do."""
        alias = self._found(space)
        if alias is None:
            return _Copy(VectorTable.of([], 0))
        hits = self._reader.scan(alias, sort=[{"id": "asc"}], source_includes=["id", "rest.codes"])
        rows = ((hit["_source"]["id"], b64decode(hit["_source"]["rest"]["codes"])) for hit in hits)
        return _Copy(VectorTable.of(rows, self._dimensions(alias)))

    def spaces(self) -> list[Space]:
        found = vector_indices(self._client, self._failures, self._address.prefix)
        return [
            Space(index.space, index.dimensions, self._reader.count(index.name)) for index in found
        ]

    def drop(self, space: str) -> None:
        alias = self._alias(space)
        with self._failures.explained():
            names = list(self._client.indices.get(index=f"{alias}-*", allow_no_indices=True))
            for name in names:
                # By name, one by one: a production server refuses to delete by pattern.
                self._client.indices.delete(index=name, ignore_unavailable=True)
        self._ready.discard(alias)

    # Inside --------------------------------------------------------------------------------

    def _alias(self, space: str) -> str:
        """A space's name may hold what no index name may."""
        digest = hashlib.blake2b(space.encode(), digest_size=6).hexdigest()
        return f"{self._address.prefix}-{KIND}-{digest}"

    def _found(self, space: str) -> str | None:
        """The alias, where the space is there."""
        alias = self._alias(space)
        if alias not in self._ready:
            with self._failures.explained():
                if not self._client.indices.exists_alias(name=alias):
                    return None
            self._ready.add(alias)
        return alias

    def _prepared(self, space: str) -> str:
        alias = self._found(space)
        if alias is not None:
            return alias
        definition = _definition(space)
        alias = self._alias(space)
        with self._failures.explained():
            create_index(
                self._client,
                definition,
                self._address,
                f"{alias}-v{_VERSION}-000001",
                aliases={alias: {}},
            )
        self._ready.add(alias)
        return alias

    def _dimensions(self, alias: str) -> int:
        with self._failures.explained():
            answer = self._client.indices.get_mapping(index=alias)
        (index,) = answer.values()
        return int(index["mappings"]["properties"]["vector"].get("dims", 0))

    def _present(self, ids: Collection[int]) -> set[int]:
        return set(self._documents.text_hashes(ids)) if ids else set()

    def _known_hashes(self, alias: str, ids: Sequence[int] | None) -> Iterator[tuple[int, str]]:
        hits = (
            self._reader.get(alias, [str(id) for id in ids], fields=("id", "text_hash"))
            if ids is not None
            else self._reader.scan(alias, sort=[{"id": "asc"}], source_includes=["id", "text_hash"])
        )
        for hit in hits:
            yield hit["_source"]["id"], hit["_source"]["text_hash"]

    def _searched(self, alias: str, queries: Matrix, limit: int) -> list[list[Neighbour]]:
        candidates = min(max(_CANDIDATES_EACH * limit, _CANDIDATES_AT_LEAST), _CANDIDATES_AT_MOST)
        searches: list[dict[str, Any]] = []
        for query in queries:
            octets = np.frombuffer(encoded(query), np.int8).tolist()
            knn = {
                "field": "vector",
                "query_vector": octets,
                "k": min(limit, candidates),
                "num_candidates": candidates,
            }
            searches += [{}, {"knn": knn, "size": limit, "_source": False}]
        with self._failures.explained():
            answers = self._client.msearch(index=alias, searches=searches)["responses"]
            hits = [whole(answer)["hits"]["hits"] for answer in answers]
        return [
            sorted(
                # Its score is (1 + cosine) / 2.
                (Neighbour(int(hit["_id"]), 2 * hit["_score"] - 1) for hit in some),
                key=lambda one: (-one.cosine, one.id),
            )
            for some in hits
        ]


@dataclass(frozen=True, slots=True)
class _Copy:
    table: VectorTable

    def nearest(
        self,
        space: str,  # noqa: ARG002  (it holds one alone)
        queries: Matrix,
        *,
        limit: int,
        at_least: float,
    ) -> list[list[Neighbour]]:
        return self.table.nearest(queries, limit=limit, at_least=at_least)


def _definition(space: str) -> IndexDefinition:
    content = orjson.loads((mappings_folder() / f"{KIND}.v{_VERSION}.json").read_bytes())
    mappings = content["mappings"]
    mappings["_meta"]["space"] = space
    return IndexDefinition(KIND, _VERSION, content["settings"], mappings)


def _body(vector: StoredVector) -> bytes:
    body: dict[str, Any] = {
        "id": vector.id,
        "text_hash": vector.text_hash,
        "language": vector.language,
        "rest": {
            "codes": b64encode(vector.codes).decode(),
            "facts": b64encode(vector.facts).decode(),
        },
    }
    if vector.codes:
        body["vector"] = np.frombuffer(vector.codes, np.int8).tolist()
    return orjson.dumps(body)


def _vector_from(hit: dict[str, Any]) -> StoredVector:
    source = hit["_source"]
    return StoredVector(
        source["id"],
        source["text_hash"],
        source["language"],
        b64decode(source["rest"]["codes"]),
        b64decode(source["rest"]["facts"]),
    )
