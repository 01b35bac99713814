"""Where embeddings are kept, apart from the documents that they were made of.

    VectorStore
    ├── SqliteVectors           exact search over a matrix of octets in memory
    └── ElasticsearchVectors    dense_vector in an index of its own, HNSW over octets

A vector is kept as signed octets, one a dimension: cosines move by 0.002 at most, a library of
100,000 documents takes 50 MB, and both stores compare the very same numbers. A space is a model
and the way documents are cut for it; vectors of two spaces never meet.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.errors import StoreError

Matrix: TypeAlias = npt.NDArray[np.float32]
_LARGEST = 127


class DimensionsError(StoreError):
    """Another model answers under the name of the one that made what is stored."""


@dataclass(frozen=True, slots=True)
class StoredVector:
    id: int
    #: Of the text that it was made of, as in the fingerprint: another one means that it is stale.
    text_hash: str
    #: ISO 639-1, empty where it could not be told.
    language: str
    #: One signed octet a dimension; empty where there was nothing that could be embedded.
    codes: bytes
    #: Digest of what the text states (semantic/agreement.py).
    facts: bytes = b""


@dataclass(frozen=True, slots=True)
class Neighbour:
    id: int
    cosine: float


@dataclass(frozen=True, slots=True)
class Space:
    name: str
    #: 0 until there is a vector.
    dimensions: int
    #: Documents that have one there, or were found to hold nothing to embed.
    documents: int


class Neighbours(Protocol):
    def nearest(
        self, space: str, queries: Matrix, *, limit: int, at_least: float
    ) -> list[list[Neighbour]]:
        """For each row of `queries` the documents whose cosine is `at_least` that, best first."""


class VectorStore(Neighbours, Protocol):
    @property
    def why_not(self) -> str:
        """Why no vectors can be kept there; empty where they can."""

    def put(self, space: str, vectors: Sequence[StoredVector]) -> None:
        """Write vectors, replacing those of the same documents. Durable when this returns.

        A document that is gone by now is left out. DimensionsError where the space has another
        number of them.
        """

    def get(self, space: str, ids: Collection[int]) -> dict[int, StoredVector]: ...

    def missing(self, space: str, ids: Collection[int] | None = None) -> list[int]:
        """Documents with a text that have no vector of it in this space, ascending."""

    def for_many(self, space: str) -> Neighbours:
        """The quickest way to thousands of nearest(): a copy of the space as it is now."""

    def spaces(self) -> list[Space]: ...

    def drop(self, space: str) -> None:
        """Forget a space with all its vectors."""

    def close(self) -> None: ...


def encoded(vector: npt.NDArray[np.float32]) -> bytes:
    """The largest number becomes 127. Cosines do not care about the factor."""
    largest = float(np.abs(vector).max(initial=0.0))
    if largest < 1e-12:
        return b""
    return np.round(vector * (_LARGEST / largest)).astype(np.int8).tobytes()


def decoded(codes: bytes) -> Matrix:
    """Of length one."""
    values = np.frombuffer(codes, np.int8).astype(np.float32)
    length = float(np.linalg.norm(values))
    return values / length if length else values


def dimensions_with(space: str, known: int, vectors: Sequence[StoredVector]) -> int:
    """The number of dimensions that the space has from now on."""
    for vector in vectors:
        if vector.codes:
            check_dimensions(space, known, len(vector.codes))
            known = len(vector.codes)
    return known


def check_dimensions(space: str, known: int, dimensions: int) -> None:
    if known and dimensions != known:
        raise DimensionsError(
            f"The embedder's vectors have {dimensions} dimensions, and those that are stored as "
            f"{space} have {known}: another model stands behind the same name. Give it another name "
            "in [semantic] model, and the library is embedded anew."
        )
