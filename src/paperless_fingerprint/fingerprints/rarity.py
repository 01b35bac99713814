"""How many documents of the library hold a run of words: what is rare belongs to a letter, what is
common to its form.

Only runs that the sketches keep are counted, and never further than MOST_HELD: whether a form has six
members or six thousand makes no difference, and so the answer hardly depends on who came first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints.shingles import Hashes

#: No run is counted further.
MOST_HELD = 40

Counts = npt.NDArray[np.int64]


class Runs(Protocol):
    """How many documents hold runs of words, by their hashes."""

    def held_by(self, hashes: Hashes) -> Counts:
        """Of each how many documents of the library, at most MOST_HELD; 0 where nobody knows."""
        ...


class NoRuns:
    """Stands in where there is no library to ask."""

    def held_by(self, hashes: Hashes) -> Counts:
        return np.zeros(len(hashes), np.int64)


class RunTable:
    """Runs that more than one document holds; all others are held by one."""

    def __init__(
        self, hashes: Hashes, counts: npt.NDArray[np.uint8], dropped_bits: int = 0
    ) -> None:
        """`hashes` ascend; their lowest bits may have been dropped."""
        self._hashes, self._counts = hashes, counts
        self._dropped = np.uint64(dropped_bits)

    @classmethod
    def of(cls, sketches: Iterable[bytes]) -> RunTable:
        """Of the documents with these sketches."""
        pooled = np.sort(np.frombuffer(b"".join(sketches), "<u8"))
        if not len(pooled):
            return cls(np.empty(0, np.uint64), np.empty(0, np.uint8))
        firsts = np.flatnonzero(np.append(True, pooled[1:] != pooled[:-1]))
        counts = np.diff(np.append(firsts, len(pooled)))
        shared = counts > 1
        return cls(pooled[firsts[shared]], np.minimum(counts[shared], MOST_HELD).astype(np.uint8))

    def held_by(self, hashes: Hashes) -> Counts:
        found = np.ones(len(hashes), np.int64)
        if len(self._hashes):
            asked = hashes >> self._dropped
            places = self._hashes.searchsorted(asked)
            places[places == len(self._hashes)] = 0
            known = self._hashes[places] == asked
            found[known] = self._counts[places[known]]
        return found
