"""The shingles of a text (k words in a row), each hashed to 64 bits, and what two texts share of them.

Hashes are computed for a whole text at once, as differences of a running polynomial over its
bytes. That is what makes this a few times faster than hashing word by word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints import digest
from paperless_fingerprint.fingerprints.arrays import among, distinct

Hashes: TypeAlias = npt.NDArray[np.uint64]
Spans: TypeAlias = npt.NDArray[np.int64]

#: Named in every FingerprintSpec. Change it whenever a shingle may get another hash.
HASHING = "poly64-fmix-1"
#: Arbitrary odd numbers; a fingerprint depends on them, so they never change within a scheme.
BASE = 0x9E3779B97F4A7C15
_BASE_INVERSE = pow(BASE, -1, 2**64)
#: MurmurHash3's.
_MIXERS = (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53)
#: So many octets are hashed in one go.
BLOCK_BYTES = 1 << 16
#: Texts of so many octets together are hashed in one go: more do not fit into the processor's cache.
_TOGETHER_BYTES = 1 << 15


def shingle_hashes(normalised: str | bytes, shingle_words: int) -> Hashes:
    """The sorted distinct hashes of all shingles of a normalised text (words, single spaces).

    A text of fewer words than a shingle has is one shingle.
    """
    streams = list(map(distinct, shingle_stream(normalised, shingle_words)))
    if not streams:
        return np.empty(0, np.uint64)
    return streams[0] if len(streams) == 1 else distinct(np.concatenate(streams))


def shingle_stream(normalised: str | bytes, shingle_words: int) -> Iterator[Hashes]:
    """The hashes of all shingles as they come, unsorted and with those that come again.

    Block by block, so that a text of 50 MB needs neither tables nor arrays of its size.
    """
    data = normalised.encode() if isinstance(normalised, str) else normalised
    if not data:
        return
    for part in blocks(data, shingle_words):
        yield from Block([part]).shingle_hashes(shingle_words)


class Block:
    """Stretches of normalised text, ready to hash any run of their words at once."""

    def __init__(self, stretches: Sequence[bytes]) -> None:
        data = b" ".join(stretches)
        self.octets = np.frombuffer(data, np.uint8)
        spaces = np.flatnonzero(self.octets == 32)
        self.starts = np.empty(len(spaces) + 1, np.int64)
        self.starts[0] = 0
        np.add(spaces, 1, out=self.starts[1:])
        self.ends = np.append(spaces, len(data))
        #: How many words each stretch has, and which of all is its first one.
        self.words = [stretch.count(b" ") + 1 for stretch in stretches]
        self.firsts = list(accumulate(self.words[:-1], initial=0))
        powers, self._inverses = _powers(len(data))
        self._running = np.empty(len(data) + 1, np.uint64)
        self._running[0] = 0
        np.cumsum(self.octets * powers[: len(data)], out=self._running[1:])

    def shingle_hashes(self, shingle_words: int) -> list[Hashes]:
        """Of each stretch."""
        last = max(len(self.starts) - shingle_words + 1, 0)
        hashes = mixed(self._polynomials(self.starts[:last], self.ends[len(self.ends) - last :]))
        found = []
        for first, count in zip(self.firsts, self.words, strict=True):
            if count >= shingle_words:
                found.append(hashes[first : first + count - shingle_words + 1])
            else:
                whole = slice(first, first + 1), slice(first + count - 1, first + count)
                found.append(mixed(self._polynomials(self.starts[whole[0]], self.ends[whole[1]])))
        return found

    def fact_hashes(self) -> list[digest.FactHashes]:
        """Of each stretch."""
        # Less thoroughly mixed than shingles: their upper half is all that the digest takes.
        word_hashes = self._polynomials(self.starts, self.ends) * np.uint64(BASE)
        return digest.fact_hashes(self.octets, self.starts, self.ends, word_hashes, self.firsts)

    def _polynomials(self, starts: Spans, ends: Spans) -> Hashes:
        """For each span sum(octet[i] * base**(i - start)), modulo 2**64."""
        return (self._running[ends] - self._running[starts]) * self._inverses[starts]


def blocks(data: bytes, shingle_words: int) -> Iterator[bytes]:
    """Pieces of whole words; each begins with the last words of the one before."""
    start = 0
    while True:
        if len(data) - start <= BLOCK_BYTES:
            yield data[start:]
            return
        end = data.rindex(b" ", start, start + BLOCK_BYTES)
        yield data[start:end]
        start = end
        for _ in range(shingle_words - 1):
            start = data.rindex(b" ", 0, start)
        start += 1


def several(texts: Iterable[bytes]) -> Iterator[list[bytes]]:
    """As many texts as are hashed in one go, or a long one alone."""
    found: list[bytes] = []
    octets = 0
    for data in texts:
        if found and octets + len(data) > _TOGETHER_BYTES:
            yield found
            found, octets = [], 0
        found.append(data)
        octets += len(data)
    if found:
        yield found


_tables: tuple[Hashes, Hashes] = (np.empty(0, np.uint64), np.empty(0, np.uint64))


def _powers(size: int) -> tuple[Hashes, Hashes]:
    """base**i and base**-i for i below `size` at least."""
    global _tables  # noqa: PLW0603  (a cache that only grows, up to one block)
    if len(_tables[0]) < size:
        length = max(4096, 1 << (size - 1).bit_length())
        _tables = (_progression(BASE, length), _progression(_BASE_INVERSE, length))
    return _tables


def _progression(factor: int, length: int) -> Hashes:
    factors = np.full(length, factor, np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


def mixed(values: Hashes) -> Hashes:
    """Every bit of the result depends on every bit of the value (MurmurHash3's finaliser)."""
    values = values ^ (values >> np.uint64(33))
    values *= np.uint64(_MIXERS[0])
    values ^= values >> np.uint64(33)
    values *= np.uint64(_MIXERS[1])
    values ^= values >> np.uint64(33)
    return values


@dataclass(frozen=True, slots=True)
class Overlap:
    """Distinct shingles of two texts: how many are shared, and how many each has."""

    shared: int
    a: int
    b: int

    @property
    def jaccard(self) -> float:
        return self.shared / max(1, self.a + self.b - self.shared)

    @property
    def containment_ab(self) -> float:
        """The share of a's shingles found in b."""
        return self.shared / max(1, self.a)

    @property
    def containment_ba(self) -> float:
        return self.shared / max(1, self.b)

    @property
    def containment(self) -> float:
        """The higher of the two directions."""
        return self.shared / max(1, min(self.a, self.b))


def overlap(a: Hashes, b: Hashes) -> Overlap:
    """Exact, for the sorted distinct hashes of two whole texts (shingle_hashes)."""
    small, large = (a, b) if len(a) <= len(b) else (b, a)
    return Overlap(int(np.count_nonzero(among(small, large))), len(a), len(b))
