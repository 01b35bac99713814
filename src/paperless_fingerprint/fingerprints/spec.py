"""What is kept of a text so that others like it can be found: hash, bands, sketch, facts.

Every distinct shingle (k words in a row) is hashed to 64 bits. Of these hashes are made
- the sketch: all of them that lie below 2**(64 - level), the level being raised while many are
  left, so that short documents keep every shingle and long ones a fair sample. Two sketches are
  compared at the higher of their levels, which estimates jaccard and containment without bias
  whatever the sizes;
- the band keys of a MinHash signature: two documents with one band in common are candidates.

Hashes are computed for a whole text at once, as differences of a running polynomial over its
bytes. That is what makes this a few times faster than hashing word by word.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.fingerprints import digest
from paperless_fingerprint.fingerprints.arrays import among, distinct
from paperless_fingerprint.model import Fingerprint
from paperless_fingerprint.text import normalise as texts

Hashes: TypeAlias = npt.NDArray[np.uint64]
Spans: TypeAlias = npt.NDArray[np.int64]

_HASHING = "poly64-fmix-1"
_SKETCH = "levelled"
# Arbitrary odd numbers; a fingerprint depends on them, so they never change within a scheme.
_BASE = 0x9E3779B97F4A7C15
_BASE_INVERSE = pow(_BASE, -1, 2**64)
_ALL_BITS = 2**64 - 1
#: MurmurHash3's.
_MIXERS = (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53)
_BLOCK_BYTES = 1 << 16
#: Texts of so many octets together are hashed in one go: more do not fit into the processor's cache.
_GROUP_BYTES = 1 << 15
_PERMUTATION_SEED = 0x5EED


@dataclass(frozen=True, slots=True)
class FingerprintSpec:
    """Every choice that shapes a fingerprint. Two specs are never compared."""

    shingle_words: int = 3
    min_words: int = 20
    permutations: int = 192
    bands: int = 48
    #: The level is raised while at least this many hashes are left ...
    sketch_hashes: int = 64
    #: ... and until this level: one shingle in 2**level is the least that is kept.
    sketch_max_level: int = 3

    def __post_init__(self) -> None:
        if self.shingle_words < 1:
            raise ConfigurationError(
                f"[fingerprint] shingle_words is {self.shingle_words}, but a shingle has at least "
                "1 word; 3 is the default."
            )
        if self.min_words < self.shingle_words:
            raise ConfigurationError(
                f"[fingerprint] min_words is {self.min_words}, less than one shingle of "
                f"{self.shingle_words} words; 20 is the default."
            )
        if self.permutations < 1 or self.bands < 1 or self.permutations % self.bands:
            works = _nearest_divisor(self.permutations, self.bands)
            raise ConfigurationError(
                f"[fingerprint] bands is {self.bands}, which does not divide the "
                f"{self.permutations} permutations; bands = {works} does."
            )
        if self.sketch_hashes < 8 or not 0 <= self.sketch_max_level <= 16:
            raise ConfigurationError(
                f"[fingerprint] sketch_hashes is {self.sketch_hashes} and sketch_max_level "
                f"{self.sketch_max_level}; at least 8 hashes and a level from 0 to 16 work, "
                "64 and 3 are the defaults."
            )

    @property
    def rows(self) -> int:
        return self.permutations // self.bands

    @property
    def id(self) -> str:
        """Short and stable; stored with every fingerprint."""
        return _spec_id(self)

    def chance_of_a_shared_band(self, jaccard: float) -> float:
        """The S-curve of the band layout."""
        return float(1 - (1 - jaccard**self.rows) ** self.bands)


@lru_cache(maxsize=64)
def _spec_id(spec: FingerprintSpec) -> str:
    choices = (
        texts.NORMALISATION, _HASHING, _SKETCH, spec.shingle_words, spec.min_words,
        spec.permutations, spec.bands, spec.sketch_hashes, spec.sketch_max_level,
    )  # fmt: skip
    return hashlib.blake2b(repr(choices).encode(), digest_size=5).hexdigest()


def fingerprint(text: str, spec: FingerprintSpec) -> Fingerprint:
    return fingerprints_of_normalised([texts.normalise(text)], spec)[0]


def fingerprints_of_normalised(
    normalised: Sequence[str], spec: FingerprintSpec
) -> list[Fingerprint]:
    """For whoever needs the normalised texts as well: making them is a sixth of the work.

    Letters are done several at a time, because each step on arrays has a price of its own.
    """
    groups = _groups(text.encode() for text in normalised if text)
    taken = chain.from_iterable(_of_group(group, spec) for group in groups)
    empty = Fingerprint(spec=spec.id, text_hash="", words=0, shingles=0)
    return [next(taken) if text else empty for text in normalised]


def _groups(texts: Iterable[bytes]) -> Iterator[list[bytes]]:
    group: list[bytes] = []
    octets = 0
    for data in texts:
        if group and octets + len(data) > _GROUP_BYTES:
            yield group
            group, octets = [], 0
        group.append(data)
        octets += len(data)
    if group:
        yield group


def _of_group(group: Sequence[bytes], spec: FingerprintSpec) -> Iterator[Fingerprint]:
    """Of texts that are not empty."""
    facts: list[digest.FactHashes]
    if len(group) == 1 and len(group[0]) > _BLOCK_BYTES:
        words = [group[0].count(b" ") + 1]
        hashes = [shingle_hashes(group[0], spec.shingle_words)]
        blocks = (_Block([part]).fact_hashes() for part in _blocks(group[0], 1))
        facts = [digest.joined(list(chain.from_iterable(blocks)))]
    else:
        block = _Block(group)
        words = block.words
        hashes = [distinct(each) for each in block.shingle_hashes(spec.shingle_words)]
        facts = block.fact_hashes()
    enough = [n for n, count in enumerate(words) if count >= spec.min_words]
    bands = dict(zip(enough, _band_keys([hashes[n] for n in enough], spec), strict=True))
    spec_id = spec.id
    for n, data in enumerate(group):
        text_hash = hashlib.blake2b(data, digest_size=16).hexdigest()
        if n not in bands:
            yield Fingerprint(spec_id, text_hash, words[n], len(hashes[n]))
            continue
        level, counts = _levels(hashes[n], spec)
        yield Fingerprint(
            spec=spec_id,
            text_hash=text_hash,
            words=words[n],
            shingles=len(hashes[n]),
            bands=bands[n],
            sketch=hashes[n][: counts[level]].astype("<u8", copy=False).tobytes(),
            level=level,
            level_counts=counts,
            facts=digest.pack(facts[n]),
        )


def shingle_hashes(normalised: str | bytes, shingle_words: int) -> Hashes:
    """The sorted distinct hashes of all shingles of a normalised text (words, single spaces).

    A text of fewer words than a shingle has is one shingle.
    """
    streams = list(map(distinct, shingle_stream(normalised, shingle_words)))
    if not streams:
        return np.empty(0, np.uint64)
    return streams[0] if len(streams) == 1 else distinct(np.concatenate(streams))


def word_hash(word: str) -> int:
    """The hash of one word, as shingle_hashes() has it, without arrays: they cost more than it."""
    value, factor = 0, 1
    for octet in word.encode():
        value += octet * factor
        factor = factor * _BASE & _ALL_BITS
    value &= _ALL_BITS
    value ^= value >> 33
    value = value * _MIXERS[0] & _ALL_BITS
    value ^= value >> 33
    value = value * _MIXERS[1] & _ALL_BITS
    return value ^ value >> 33


def shingle_stream(normalised: str | bytes, shingle_words: int) -> Iterator[Hashes]:
    """The hashes of all shingles as they come, unsorted and with those that come again.

    Block by block, so that a text of 50 MB needs neither tables nor arrays of its size.
    """
    data = normalised.encode() if isinstance(normalised, str) else normalised
    if not data:
        return
    for part in _blocks(data, shingle_words):
        yield from _Block([part]).shingle_hashes(shingle_words)


class _Block:
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
        hashes = _mixed(self._polynomials(self.starts[:last], self.ends[len(self.ends) - last :]))
        found = []
        for first, count in zip(self.firsts, self.words, strict=True):
            if count >= shingle_words:
                found.append(hashes[first : first + count - shingle_words + 1])
            else:
                whole = slice(first, first + 1), slice(first + count - 1, first + count)
                found.append(_mixed(self._polynomials(self.starts[whole[0]], self.ends[whole[1]])))
        return found

    def fact_hashes(self) -> list[digest.FactHashes]:
        """Of each stretch."""
        # Less thoroughly mixed than shingles: their upper half is all that the digest takes.
        word_hashes = self._polynomials(self.starts, self.ends) * np.uint64(_BASE)
        return digest.fact_hashes(self.octets, self.starts, self.ends, word_hashes, self.firsts)

    def _polynomials(self, starts: Spans, ends: Spans) -> Hashes:
        """For each span sum(octet[i] * base**(i - start)), modulo 2**64."""
        return (self._running[ends] - self._running[starts]) * self._inverses[starts]


def _blocks(data: bytes, shingle_words: int) -> Iterator[bytes]:
    """Pieces of whole words; each begins with the last words of the one before."""
    start = 0
    while True:
        if len(data) - start <= _BLOCK_BYTES:
            yield data[start:]
            return
        end = data.rindex(b" ", start, start + _BLOCK_BYTES)
        yield data[start:end]
        start = end
        for _ in range(shingle_words - 1):
            start = data.rindex(b" ", 0, start)
        start += 1


_tables: tuple[Hashes, Hashes] = (np.empty(0, np.uint64), np.empty(0, np.uint64))


def _powers(size: int) -> tuple[Hashes, Hashes]:
    """base**i and base**-i for i below `size` at least."""
    global _tables  # noqa: PLW0603  (a cache that only grows, up to one block)
    if len(_tables[0]) < size:
        length = max(4096, 1 << (size - 1).bit_length())
        _tables = (_progression(_BASE, length), _progression(_BASE_INVERSE, length))
    return _tables


def _progression(factor: int, length: int) -> Hashes:
    factors = np.full(length, factor, np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


def _mixed(values: Hashes) -> Hashes:
    """Every bit of the result depends on every bit of the value (MurmurHash3's finaliser)."""
    values = values ^ (values >> np.uint64(33))
    values *= np.uint64(_MIXERS[0])
    values ^= values >> np.uint64(33)
    values *= np.uint64(_MIXERS[1])
    values ^= values >> np.uint64(33)
    return values


def _levels(hashes: Hashes, spec: FingerprintSpec) -> tuple[int, tuple[int, ...]]:
    """The level of the sketch, and how many hashes lie below the limit of each level there is.

    Counts of levels above the document's own are kept too: against a longer document it is
    compared at that one's level.
    """
    total = len(hashes)
    level = 0
    while level < spec.sketch_max_level and total / 2 ** (level + 1) >= spec.sketch_hashes:
        level += 1
    limits = _level_limits(spec.sketch_max_level)
    return level, tuple(hashes.searchsorted(limits, side="right").tolist())


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
    return _mixed(steps * np.uint64(_BASE) + np.uint64(_PERMUTATION_SEED)) | np.uint64(1)


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


@dataclass(frozen=True, slots=True)
class Signature:
    """A MinHash signature for other programs; only those of one seed can be compared."""

    #: From all choices that shape a fingerprint; 32 bits are what datasketch takes.
    seed: int
    values: npt.NDArray[np.uint32]


def signature(text: str, spec: FingerprintSpec) -> Signature:
    """What the band keys of a fingerprint are made from; not kept with it."""
    hashes = shingle_hashes(texts.normalise(text), spec.shingle_words)
    return Signature(int(spec.id[:8], 16), minhash(hashes, spec.permutations))


def _band_keys(documents: Sequence[Hashes], spec: FingerprintSpec) -> list[bytes]:
    """Of each document."""
    if not documents:
        return []
    signatures = np.stack([minhash(hashes, spec.permutations) for hashes in documents])
    rows = signatures.reshape(-1, spec.bands, spec.rows)
    keys = rows @ _odd_numbers(spec.rows + 1)[1:] + _band_numbers(spec.bands)
    found = (_mixed(keys) >> np.uint64(32)).astype("<u4")
    return [each.tobytes() for each in found]


@lru_cache(maxsize=8)
def _band_numbers(bands: int) -> Hashes:
    """So that the same rows in two bands are two keys."""
    return np.arange(1, bands + 1, dtype=np.uint64) * np.uint64(_BASE)


def sketch_hashes(fingerprint: Fingerprint) -> Hashes:
    return np.frombuffer(fingerprint.sketch, "<u8")


def band_keys(fingerprint: Fingerprint) -> npt.NDArray[np.uint32]:
    return np.frombuffer(fingerprint.bands, "<u4")


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much two sets of shingles have in common."""

    shared: int
    jaccard: float
    #: The share of a's shingles found in b.
    containment_ab: float
    containment_ba: float


def overlap(a: Hashes, b: Hashes) -> Overlap:
    """Exact, for the sorted distinct hashes of two whole texts (shingle_hashes)."""
    if not len(a) or not len(b):
        return Overlap(0, 0.0, 0.0, 0.0)
    small, large = (a, b) if len(a) <= len(b) else (b, a)
    shared = int(np.count_nonzero(among(small, large)))
    return Overlap(shared, shared / (len(a) + len(b) - shared), shared / len(a), shared / len(b))


def _nearest_divisor(permutations: int, bands: int) -> int:
    divisors = [n for n in range(1, max(permutations, 1) + 1) if permutations % n == 0] or [1]
    return min(divisors, key=lambda n: abs(n - bands))
