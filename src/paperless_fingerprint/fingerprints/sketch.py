"""What is kept of the hashes of a text so that others like it can be found.

- The sketch: all hashes that lie below 2**(64 - level), the level being raised while many are left,
  so that short documents keep every shingle and long ones a fair sample. Two sketches are compared
  at the higher of their levels, which estimates jaccard and containment without bias whatever the
  sizes.
- The band keys of a MinHash signature: two documents with one band in common are candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints.shingles import BASE, Hashes, mixed
from paperless_fingerprint.model import Fingerprint

#: Named in every FingerprintSpec. Change it whenever a sketch may hold other hashes.
SKETCH = "levelled"
_PERMUTATION_SEED = 0x5EED


def levels(hashes: Hashes, least: int, highest: int) -> tuple[int, tuple[int, ...]]:
    """The level of the sketch, and how many hashes lie below the limit of each level there is.

    Counts of levels above the document's own are kept too: against a longer document it is
    compared at that one's level.
    """
    level = level_of(len(hashes), least, highest)
    limits = _level_limits(highest)
    return level, tuple(hashes.searchsorted(limits, side="right").tolist())


def level_of(shingles: int, least: int, highest: int) -> int:
    """The level of a sketch of so many distinct ones."""
    level = 0
    while level < highest and shingles / 2 ** (level + 1) >= least:
        level += 1
    return level


@lru_cache(maxsize=8)
def _level_limits(highest: int) -> Hashes:
    return np.array([level_limit(level) for level in range(highest + 1)], np.uint64)


def level_limit(level: int) -> int:
    """The highest hash that a sketch of this level keeps."""
    return (1 << (64 - level)) - 1


@lru_cache(maxsize=8)
def _odd_numbers(count: int) -> Hashes:
    """Drawn by mixing and not from a library's generator, whose stream may change."""
    steps = np.arange(1, count + 1, dtype=np.uint64)
    return mixed(steps * np.uint64(BASE) + np.uint64(_PERMUTATION_SEED)) | np.uint64(1)


@lru_cache(maxsize=8)
def _factors(permutations: int) -> npt.NDArray[np.uint32]:
    return (_odd_numbers(permutations) & np.uint64(0xFFFFFFFF)).astype(np.uint32)[:, None]


_ROWS = 192
_BLOCK_VALUES = 1 << 17


def minhash(hashes: Hashes, permutations: int) -> npt.NDArray[np.uint32]:
    """The MinHash signature: the least image of the hashes under each permutation.

    A permutation is x -> a*x modulo 2**32 with an odd a. The usual summand would cost a third
    more and, as the hashes are well mixed already, buys nothing (tests/properties compare the
    error with theory and with datasketch).
    """
    factors = _factors(permutations)
    values = (hashes >> np.uint64(32)).astype(np.uint32)
    signature = np.full(permutations, 0xFFFFFFFF, np.uint32)
    step = _BLOCK_VALUES // _ROWS
    images = np.empty((_ROWS, min(step, len(values))), np.uint32)
    # Small blocks, so that the images stay in the processor's cache.
    for column in range(0, len(values), step):
        part = values[column : column + step]
        for row in range(0, permutations, _ROWS):
            some = factors[row : row + _ROWS]
            block = images[: len(some), : len(part)]
            np.multiply(some, part, out=block)
            low = signature[row : row + _ROWS]
            np.minimum(low, block.min(axis=1), out=low)
    return signature


def bands_of(documents: Sequence[Hashes], permutations: int, bands: int) -> list[bytes]:
    """Of each document."""
    if not documents:
        return []
    count = permutations // bands
    signatures = np.stack([minhash(hashes, permutations) for hashes in documents])
    rows = signatures.reshape(-1, bands, count)
    keys = rows @ _odd_numbers(count + 1)[1:] + _band_numbers(bands)
    found = (mixed(keys) >> np.uint64(32)).astype("<u4")
    return [each.tobytes() for each in found]


@lru_cache(maxsize=8)
def _band_numbers(bands: int) -> Hashes:
    """So that the same rows in two bands are two keys."""
    return np.arange(1, bands + 1, dtype=np.uint64) * np.uint64(BASE)


def sketch_hashes(fingerprint: Fingerprint) -> Hashes:
    return np.frombuffer(fingerprint.sketch, "<u8")


def band_keys(fingerprint: Fingerprint) -> npt.NDArray[np.uint32]:
    return np.frombuffer(fingerprint.bands, "<u4")
