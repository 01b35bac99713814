"""The documents that wait for their analysis, a million of them in a few megabytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints.arrays import Ints
from paperless_fingerprint.stores.base import Pending


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    #: Ascending.
    ids: Ints
    #: Their tokens one after the other, and where each ends.
    _tokens: bytes
    _ends: Ints

    @classmethod
    def of(cls, pending: Sequence[Pending]) -> Waiting:
        tokens = [item.token.encode() for item in pending]
        return cls(
            np.fromiter((item.id for item in pending), np.int64, len(pending)),
            b"".join(tokens),
            np.fromiter(accumulate(map(len, tokens), initial=0), np.int64, len(pending) + 1),
        )

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, id: int) -> bool:
        at = int(self.ids.searchsorted(id))
        return at < len(self.ids) and int(self.ids[at]) == id

    def at(self, numbers: npt.NDArray[np.int64]) -> list[Pending]:
        return [self._one(number) for number in numbers.tolist()]

    def of_ids(self, ids: Iterable[int]) -> list[Pending]:
        return self.at(self.ids.searchsorted(np.array(list(ids), np.int64)))

    def _one(self, number: int) -> Pending:
        begin, end = self._ends[number], self._ends[number + 1]
        return Pending(int(self.ids[number]), self._tokens[begin:end].decode())
