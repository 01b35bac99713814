"""A small digest of the numbers and words of a text: it tells the letters of one form apart.

A form may have ten thousand filled-in copies that share nine words in ten. Before two of them are
aligned, which takes milliseconds, their digests are compared, which takes microseconds. The words
tell how noisy the pair is; if the numbers then agree far less than that noise explains, the facts
are other ones and the pair is not worth a closer look.

Everything is done on arrays of a whole text at once, because this belongs to the hot loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import comb, sqrt
from statistics import NormalDist
from struct import Struct
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints import arrays
from paperless_fingerprint.fingerprints.arrays import Ints, among, distinct

#: Of each kind at most so many values are kept; more are thinned by powers of two.
MOST_KEPT = 64
_HEADER = 4
_HEADER_OCTETS = Struct("<4I")
_LONG_WORD_BYTES = 5
_NUMBER_DIGITS = 3
#: Numbers are misread more often than words, and in some versions they are what was edited.
_KEPT_AT_WORST = 0.65
#: A real pair is given up for being as unlikely as this.
_GIVEN_UP = 0.002
#: Fewer words than this in common say nothing about the noise.
FEWEST_WORDS = 6
FEWEST_NUMBERS = 5
#: Beyond so many, numbers of ways grow larger than a float can be.
_SUMMED_UP_TO = 1000
#: Of the digests of a stretch of documents about one in twenty cells is taken.
_TABLE_CELLS = 1 << 17


Values: TypeAlias = npt.NDArray[np.uint32]
#: Of a stretch of text: the hashes of its numbers, and those of its words.
FactHashes: TypeAlias = tuple[Values, Values]


def fact_hashes(
    octets: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    hashes: npt.NDArray[np.uint64],
    firsts: Sequence[int],
) -> list[FactHashes]:
    """Of stretches of normalised text, given where their words begin and end, the hashes of these,
    and which of them is the first of each stretch."""
    lengths = ends - starts
    digits = np.flatnonzero((octets - np.uint8(48)) < 10)
    has_digit = np.zeros(len(starts), np.bool_)
    has_digit[np.searchsorted(starts, digits, side="right") - 1] = True
    values = (hashes >> np.uint64(32)).astype("<u4")
    words = np.flatnonzero((lengths >= _LONG_WORD_BYTES) & ~has_digit)
    numeric = np.flatnonzero(has_digit)
    numbers = numeric[lengths[numeric] >= _NUMBER_DIGITS]
    # '97,35' is two words here; neighbours belong together, whatever stood between them.
    pairs = numeric[:-1][numeric[1:] - numeric[:-1] == 1]
    if len(firsts) > 1:
        is_first = np.zeros(len(starts) + 1, np.bool_)
        is_first[firsts] = True
        pairs = pairs[~is_first[pairs + 1]]
    joined = values[pairs] * np.uint32(0x9E3779B1) + values[pairs + 1]
    return [
        (np.concatenate((single, double)), long)
        for single, double, long in zip(
            _split(values[numbers], numbers, firsts),
            _split(joined, pairs, firsts),
            _split(values[words], words, firsts),
            strict=True,
        )
    ]


def _split(values: Values, places: Ints, firsts: Sequence[int]) -> list[Values]:
    """By the stretches in which their places lie."""
    bounds = [*np.searchsorted(places, firsts).tolist(), len(places)]
    return [values[begin:end] for begin, end in pairwise(bounds)]


def joined(stretches: Sequence[FactHashes]) -> FactHashes:
    """Of a text, from those of all its stretches."""
    numbers, words = zip(*stretches, strict=True)
    return np.concatenate(numbers), np.concatenate(words)


def pack(hashes: FactHashes) -> bytes:
    """The digest of a text."""
    (numbers_level, numbers), (words_level, words) = map(_thinned, hashes)
    header = _HEADER_OCTETS.pack(numbers_level, len(numbers), words_level, len(words))
    return header + numbers.tobytes() + words.tobytes()


def _thinned(values: Values) -> tuple[int, Values]:
    values = distinct(values.copy())
    if len(values) <= MOST_KEPT:
        return 0, values
    # The first that is too much is the limit, rounded down to a power of two.
    level = 33 - int(values[MOST_KEPT]).bit_length()
    return level, values[: int(np.searchsorted(values, np.uint32(1 << (32 - level))))]


@dataclass(frozen=True, slots=True, eq=False)
class Digests:
    """Many digests, ready to be compared at once: each step on arrays has a price of its own."""

    #: One after the other, without their headers: of each its numbers, then its words.
    values: Values
    starts: Ints
    #: Of each digest a row: of numbers, of words.
    sizes: npt.NDArray[np.integer[Any]]
    levels: npt.NDArray[np.integer[Any]]

    def __len__(self) -> int:
        return len(self.starts)

    @classmethod
    def of(cls, digests: Sequence[bytes]) -> Digests:
        return cls.joined(b"".join(digests), np.fromiter(map(len, digests), np.int64, len(digests)))

    @classmethod
    def joined(cls, digests: bytes | bytearray, octets: Ints) -> Digests:
        """From one after the other, each of so many octets; none where nothing is known."""
        values = np.frombuffer(digests, "<u4")
        lengths = octets // 4
        known = lengths >= _HEADER
        at = (np.cumsum(lengths) - lengths)[known][:, None] + np.arange(_HEADER)
        headers = np.zeros((len(lengths), _HEADER), np.int64)
        headers[known] = values[at]
        is_value = np.ones(len(values), np.bool_)
        is_value[at] = False
        return cls.of_sizes(values[is_value], headers[:, 1::2], headers[:, ::2])

    @classmethod
    def of_sizes(
        cls,
        values: Values,
        sizes: npt.NDArray[np.integer[Any]],
        levels: npt.NDArray[np.integer[Any]],
    ) -> Digests:
        """Of a whole library sizes and levels have one octet each."""
        held = sizes.sum(axis=1, dtype=np.int64)
        return cls(values, np.cumsum(held) - held, sizes, levels)

    def at(self, places: Ints) -> Digests:
        """Those at these places, which may come again."""
        sizes = self.sizes[places].astype(np.int64)
        taken = self.values[arrays.places(self.starts[places], sizes.sum(axis=1))]
        return Digests.of_sizes(taken, sizes, self.levels[places].astype(np.int64))


@dataclass(frozen=True, slots=True)
class Common:
    """What documents have in common with others, pair by pair: in rows of numbers and words."""

    shared_by_kind: Ints
    #: The number of values on the side that has fewer.
    fewest_by_kind: Ints

    @property
    def shared(self) -> Ints:
        """Numbers and words together."""
        both: Ints = self.shared_by_kind.sum(axis=1)
        return both

    @property
    def fewest(self) -> Ints:
        both: Ints = self.fewest_by_kind.sum(axis=1)
        return both

    def at(self, places: Ints) -> Common:
        return Common(self.shared_by_kind[places], self.fewest_by_kind[places])


def in_common(some: Digests, owners: Ints, others: Digests) -> Common:
    """Of each of the others with the one of `some` at the place that its owner names."""
    # What is thinned more is the measure for both.
    limits = np.int64(1) << (32 - np.maximum(some.levels[owners], others.levels))
    # To each document and kind a range of numbers of its own.
    above = (owners[:, None] * 2 + np.arange(2)) << 32
    values: Ints = np.repeat(above.ravel(), others.sizes.ravel())
    values += others.values
    inside = values < np.repeat((above + limits).ravel(), others.sizes.ravel())
    own: Ints = np.repeat(np.arange(2 * len(some)) << 32, some.sizes.ravel())
    own += some.values
    ends = np.cumsum(others.sizes.ravel())
    begins = ends - others.sizes.ravel()
    held = arrays.counts(inside, begins, ends).reshape(-1, 2)
    below = np.searchsorted(own, above + limits) - np.searchsorted(own, above)
    # Most are not among them, and a look at a small table tells that sooner than a search.
    taken = np.zeros(_TABLE_CELLS, np.bool_)
    taken[_cells(own)] = True
    likely = np.flatnonzero(taken[_cells(values)] & inside)
    found = np.zeros_like(inside)
    found[likely] = among(values[likely], own)
    return Common(arrays.counts(found, begins, ends).reshape(-1, 2), np.minimum(held, below))


def _cells(values: Ints) -> Ints:
    """Of each a place in a small table; its document and kind stand in its upper half."""
    return (values ^ (values >> 26)) & (_TABLE_CELLS - 1)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the facts of documents agree, pair by pair."""

    #: Which may be the same document, a version or a part; all where too little is known to tell.
    plausible: npt.NDArray[np.bool_]
    #: The share of numbers that agree; one half where too little is known.
    numbers: npt.NDArray[np.float64]

    @classmethod
    def of(cls, common: Common) -> Agreement:
        shared, fewest = common.shared_by_kind[:, 0], common.fewest_by_kind[:, 0]
        words, fewest_words = common.shared_by_kind[:, 1], common.fewest_by_kind[:, 1]
        enough = fewest >= FEWEST_NUMBERS
        plausible = np.ones(len(enough), np.bool_)
        told = np.flatnonzero(enough & (fewest_words >= FEWEST_WORDS))
        chances = chances_kept(words[told] / fewest_words[told])
        plausible[told] = shared[told] >= least_shared(fewest[told], chances, _GIVEN_UP)
        return cls(plausible, np.where(enough, shared / np.maximum(fewest, 1), 0.5))

    def at(self, begin: int, end: int) -> Agreement:
        return Agreement(self.plausible[begin:end], self.numbers[begin:end])


def compare(digest: bytes, others: Sequence[bytes]) -> Agreement:
    """One with each of the others."""
    nobody_else = np.zeros(len(others), np.int64)
    return Agreement.of(in_common(Digests.of([digest]), nobody_else, Digests.of(others)))


def least_shared(counts: Ints, chances: npt.NDArray[np.float64], given_up: float) -> Ints:
    """Of each count: how many at least are shared, each with its chance, unless something happens
    that is as unlikely as `given_up`."""
    asked = zip(counts.tolist(), chances.tolist(), strict=True)
    return np.array([_least_shared(count, chance, given_up) for count, chance in asked], np.int64)


@cache
def _least_shared(count: int, chance: float, given_up: float) -> int:
    if count > _SUMMED_UP_TO:
        spread = sqrt(count * chance * (1 - chance))
        return max(0, round(count * chance + NormalDist().inv_cdf(given_up) * spread))
    tail = 0.0
    for shared in range(count + 1):
        tail += comb(count, shared) * chance**shared * (1 - chance) ** (count - shared)
        if tail >= given_up:
            return shared
    return count


def chances_kept(words_kept: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """With which chance each number of a copy is there, where so many of its words are."""
    # Rounded, so that the same few questions come again.
    kept: npt.NDArray[np.float64] = _KEPT_AT_WORST * np.clip(np.round(words_kept, 2), 0, 1) ** 1.3
    return kept
