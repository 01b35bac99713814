"""The indices that hold vectors: one for each space, found by what its mapping says of itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from elasticsearch import Elasticsearch

from paperless_fingerprint.stores.elasticsearch.bulk import Operation
from paperless_fingerprint.stores.elasticsearch.failures import Failures
from paperless_fingerprint.stores.elasticsearch.layout import PROGRAM

KIND = "vectors"


@dataclass(frozen=True, slots=True)
class VectorIndex:
    name: str
    space: str
    dimensions: int


def vector_indices(client: Elasticsearch, failures: Failures, prefix: str) -> list[VectorIndex]:
    with failures.explained():
        answer = client.indices.get_mapping(
            index=f"{prefix}-{KIND}-*", allow_no_indices=True, ignore_unavailable=True
        )
    found = []
    for name in sorted(answer):
        mappings = answer[name]["mappings"]
        meta = mappings.get("_meta", {})
        if meta.get("program") == PROGRAM and meta.get("kind") == KIND:
            dimensions = int(mappings["properties"]["vector"].get("dims", 0))
            found.append(VectorIndex(name, str(meta["space"]), dimensions))
    return found


def deletions(indices: Collection[VectorIndex], ids: Collection[int]) -> Iterator[Operation]:
    """What makes these documents leave no vector."""
    for index in indices:
        for id in ids:
            yield Operation("delete", index.name, str(id), alias_only=False)
