"""Which shingles of one text stand in other texts: for a source that is compared with many.

What the others hold beside them does not matter, so their hashes are neither sorted nor made
distinct: a small table tells of nearly all of them at once that the source has no such shingle.
How many distinct shingles the other has is asked of the store, which counted them when it came.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints.shingles import Hashes, Overlap, shingle_stream

Places = npt.NDArray[np.bool_]

#: Places in the table for each hash of the source. More places mean fewer hashes that are looked
#: up in vain.
_ROOM = 16
_LEAST_BITS, _MOST_BITS = 12, 22


class Sought:
    """The sorted distinct hashes of a text, ready to be found in others."""

    def __init__(self, hashes: Hashes) -> None:
        self.hashes = hashes
        bits = (len(hashes) * _ROOM).bit_length()
        self._shift = np.uint64(64 - min(max(bits, _LEAST_BITS), _MOST_BITS))
        self._table = np.zeros(1 << (64 - int(self._shift)), np.bool_)
        self._table[(hashes >> self._shift).astype(np.intp)] = True

    def found_in(self, normalised: str, shingle_words: int) -> Places:
        """For each of the hashes whether it stands in this text."""
        found = np.zeros(len(self.hashes), np.bool_)
        if not len(self.hashes):
            return found
        for others in shingle_stream(normalised, shingle_words):
            likely = others[self._table[(others >> self._shift).astype(np.intp)]]
            places = np.searchsorted(self.hashes, likely)
            places[places == len(self.hashes)] = 0
            found[places[self.hashes[places] == likely]] = True
        return found

    def figures(self, found: Places, shingles: int) -> Overlap:
        """Exact, for a text with so many distinct shingles."""
        return Overlap(int(np.count_nonzero(found)), len(self.hashes), shingles)
