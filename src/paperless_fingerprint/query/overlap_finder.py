"""Which shingles of one text stand in other texts: for a source that is compared with many.

What the others hold beside them does not matter, so their hashes are neither sorted nor made
distinct: a small table tells of nearly all of them at once that the source has no such shingle.
How many distinct shingles the other has is asked of the store, which counted them when it came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints.shingles import (
    Block,
    Hashes,
    Overlap,
    several,
    shingle_stream,
)

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

    def found_in(self, normalised: Iterable[str], shingle_words: int) -> Iterator[Places]:
        """For each text, which of the hashes stand in it.

        Letters are looked at several at a time, because each step on arrays has a price of its own.
        """
        for texts in several(text.encode() for text in normalised):
            found = np.zeros((len(texts), len(self.hashes)), np.bool_)
            if not len(self.hashes):
                pass
            elif len(texts) == 1:
                for others in shingle_stream(texts[0], shingle_words):
                    found[0, self._met(others)[1]] = True
            else:
                each = Block(texts).shingle_hashes(shingle_words)
                others = np.concatenate(each)
                which, places = self._met(others)
                ends = np.cumsum([len(hashes) for hashes in each])
                found[ends.searchsorted(which, side="right"), places] = True
                for row, text in enumerate(texts):
                    found[row] &= bool(text)  # no words are no shingle either
            yield from found

    def _met(self, others: Hashes) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Which of the others we have, and where."""
        likely = self._table[(others >> self._shift).astype(np.intp)].nonzero()[0]
        others = others[likely]
        places = self.hashes.searchsorted(others)
        places[places == len(self.hashes)] = 0
        same = self.hashes[places] == others
        return likely[same], places[same]

    def figures(self, found: Places, shingles: int) -> Overlap:
        """Exact, for a text with so many distinct shingles."""
        return Overlap(int(np.count_nonzero(found)), len(self.hashes), shingles)
