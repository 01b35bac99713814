"""Exact search over vectors in memory, which stay octets until the very multiplication.

100,000 vectors of 512 dimensions take 50 MB so. Block by block they are widened to floats that
still fit into the processor's cache and multiplied with all queries at once; that is faster than
reading a matrix of floats from memory, and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.stores.vectors import Matrix, Neighbour

_BLOCK_ROWS = 2048
#: Scores of so many queries with the whole library are held at once.
_QUERIES = 64


@dataclass(frozen=True, slots=True, eq=False)
class VectorTable:
    ids: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int8]
    #: One divided by each row's length.
    scales: Matrix

    @classmethod
    def of(cls, rows: Iterable[tuple[int, bytes]], dimensions: int) -> VectorTable:
        """Rows without codes hold nothing to embed and are left out."""
        full = [row for row in rows if row[1]]
        codes = np.frombuffer(b"".join(row[1] for row in full), np.int8)
        codes = codes.reshape(len(full), max(dimensions, 1))
        lengths = np.empty(len(codes), np.float32)
        for start in range(0, len(codes), _BLOCK_ROWS):
            block = codes[start : start + _BLOCK_ROWS].astype(np.float32)
            lengths[start : start + _BLOCK_ROWS] = np.sqrt(np.einsum("ij,ij->i", block, block))
        scales = (1 / np.maximum(lengths, 1)).astype(np.float32)
        return cls(np.array([row[0] for row in full], np.int64), codes, scales)

    def __len__(self) -> int:
        return len(self.ids)

    def with_rows(self, rows: list[tuple[int, bytes]], dimensions: int) -> VectorTable:
        """What was written again is taken from the new rows, also where nothing is left of it."""
        fresh = VectorTable.of(rows, dimensions)
        kept = ~np.isin(self.ids, np.array([row[0] for row in rows], np.int64))
        if not kept.any():
            return fresh
        return VectorTable(
            np.concatenate((self.ids[kept], fresh.ids)),
            np.concatenate((self.codes[kept], fresh.codes)),
            np.concatenate((self.scales[kept], fresh.scales)),
        )

    def nearest(self, queries: Matrix, *, limit: int, at_least: float) -> list[list[Neighbour]]:
        if not len(self) or queries.shape[1] != self.codes.shape[1]:
            return [[] for _ in queries]
        found: list[list[Neighbour]] = []
        for start in range(0, len(queries), _QUERIES):
            scores = self._scores(queries[start : start + _QUERIES])
            found += [self._best(column, limit, at_least) for column in scores.T]
        return found

    def _scores(self, queries: Matrix) -> Matrix:
        transposed = np.ascontiguousarray(queries.T)
        scores = np.empty((len(self), len(queries)), np.float32)
        widened = np.empty((min(_BLOCK_ROWS, len(self)), queries.shape[1]), np.float32)
        for start in range(0, len(self), _BLOCK_ROWS):
            codes = self.codes[start : start + _BLOCK_ROWS]
            block = widened[: len(codes)]
            np.copyto(block, codes)
            np.matmul(block, transposed, out=scores[start : start + len(codes)])
        scores *= self.scales[:, None]
        return scores

    def _best(self, scores: Matrix, limit: int, at_least: float) -> list[Neighbour]:
        places = np.flatnonzero(scores >= at_least)
        if len(places) > limit:
            places = places[np.argpartition(scores[places], -limit)[-limit:]]
        order = np.lexsort((self.ids[places], -scores[places]))
        return [Neighbour(int(self.ids[at]), float(scores[at])) for at in places[order].tolist()]
