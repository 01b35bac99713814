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
from math import comb
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

#: Of each kind at most so many values are kept; more are thinned by powers of two.
MOST_KEPT = 64
_HEADER = 4
_LONG_WORD_BYTES = 5
_NUMBER_DIGITS = 3
#: Numbers are misread more often than words, and in some versions they are what was edited.
_KEPT_AT_WORST = 0.65
#: A real pair is given up for being as unlikely as this; among many of one form, where the true
#: copy stands out, as unlikely as that.
_GIVEN_UP = 0.002
_GIVEN_UP_IN_A_FAMILY = 0.02
#: Fewer words than this in common say nothing about the noise.
_FEWEST_WORDS = 6
_FEWEST_NUMBERS = 5
#: Among so many others, what more than this share of them has belongs to a form.
_MANY = 8
_FORM_SHARE = 0.3
_CELLS = np.uint32((1 << 16) - 1)
_ABOVE_NUMBERS = np.int64(1 << 32)


Values: TypeAlias = npt.NDArray[np.uint32]
#: Of a stretch of text: the hashes of its numbers, and those of its words.
FactHashes: TypeAlias = tuple[Values, Values]


def fact_hashes(
    octets: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    hashes: npt.NDArray[np.uint64],
) -> FactHashes:
    """Of a stretch of normalised text, given where its words begin and end, and their hashes."""
    lengths = ends - starts
    digits = np.flatnonzero((octets - np.uint8(48)) < 10)
    has_digit = np.zeros(len(starts), np.bool_)
    has_digit[np.searchsorted(starts, digits, side="right") - 1] = True
    values = (hashes >> np.uint64(32)).astype("<u4")
    words = values[(lengths >= _LONG_WORD_BYTES) & ~has_digit]
    numeric = np.flatnonzero(has_digit)
    # '97,35' is two words here; neighbours belong together, whatever stood between them.
    pairs = numeric[:-1][numeric[1:] - numeric[:-1] == 1]
    joined = values[pairs] * np.uint32(0x9E3779B1) + values[pairs + 1]
    return np.concatenate((values[numeric[lengths[numeric] >= _NUMBER_DIGITS]], joined)), words


def pack(stretches: Sequence[FactHashes]) -> bytes:
    """The digest of a text, from the fact hashes of all its stretches."""
    if len(stretches) == 1:
        numbers, words = stretches[0]
    else:
        numbers = np.concatenate([numbers for numbers, _ in stretches])
        words = np.concatenate([words for _, words in stretches])
    numbers_level, numbers = _thinned(numbers)
    words_level, words = _thinned(words)
    header = np.array([numbers_level, len(numbers), words_level, len(words)], "<u4")
    return header.tobytes() + numbers.tobytes() + words.tobytes()


def _thinned(values: Values) -> tuple[int, Values]:
    values = np.sort(values)
    fresh = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=fresh[1:])
    values = values[fresh]
    level = 0
    while len(values) > MOST_KEPT and level < 31:
        level += 1
        values = values[: int(np.searchsorted(values, np.uint32(1 << (32 - level))))]
    return level, values


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the facts of one document agree with those of many others."""

    #: Which of them may be the same document, a version or a part of it.
    plausible: npt.NDArray[np.bool_]
    #: The share of numbers that agree; one half where too little is known.
    numbers: npt.NDArray[np.float64]
    #: Where there are many others: which share what most of them share, the form, and no more.
    of_one_form: npt.NDArray[np.bool_]


def compare(digest: bytes, others: Sequence[bytes]) -> Agreement:
    """Where too little is known to tell, everything is plausible."""
    plausible = np.ones(len(others), np.bool_)
    agreement = np.full(len(others), 0.5)
    of_one_form = np.zeros(len(others), np.bool_)
    mine = np.frombuffer(digest, "<u4")
    known = [place for place, other in enumerate(others) if len(other) >= 4 * _HEADER]
    if len(mine) < _HEADER or not known:
        return Agreement(plausible, agreement, of_one_form)
    theirs = _joined([others[place] for place in known])
    numbers = _compared(mine, theirs, second=False)
    words = _compared(mine, theirs, second=True)
    kept = words.shared / np.maximum(words.fewest, 1)
    enough = numbers.fewest >= _FEWEST_NUMBERS
    shares = numbers.shared / np.maximum(numbers.fewest, 1)
    for at in np.flatnonzero(enough).tolist():
        agreement[known[at]] = shares[at]
        if words.fewest[at] >= _FEWEST_WORDS and numbers.shared[at] < _fewest_expected(
            int(numbers.fewest[at]), round(float(kept[at]), 2), _GIVEN_UP
        ):
            plausible[known[at]] = False
    if len(known) >= _MANY:
        of_one_form[known] = _of_one_form(numbers, words)
    return Agreement(plausible, agreement, of_one_form)


@dataclass(frozen=True, slots=True)
class Common:
    """What one document has in common with each of many others, numbers and words together."""

    shared: npt.NDArray[np.int64]
    #: The number of values on the side that has fewer.
    fewest: npt.NDArray[np.int64]


def in_common(digests: Sequence[bytes], owners: Sequence[int], others: Sequence[bytes]) -> Common:
    """Of each of the others with the digest at the place that its owner names.

    All at once: this is asked for every document of a library, and each step on arrays has a price
    of its own.
    """
    shared, fewest = np.zeros(len(others), np.int64), np.zeros(len(others), np.int64)
    known = [
        place
        for place, (owner, other) in enumerate(zip(owners, others, strict=True))
        if len(other) > 4 * _HEADER and len(digests[owner]) > 4 * _HEADER
    ]
    if not known:
        return Common(shared, fewest)
    mine = _kinds(digests)
    theirs = _kinds([others[place] for place in known])
    at = np.array(owners)[known]
    # What is thinned more is the measure for both.
    limits = np.int64(1) << (32 - np.maximum(mine.levels[at], theirs.levels))
    above = (at[:, None] << 33) + _ABOVE_NUMBERS * np.arange(2)
    limits += above
    values = theirs.values + np.repeat(above.ravel(), theirs.sizes.ravel())
    inside = values < np.repeat(limits.ravel(), theirs.sizes.ravel())
    own = mine.values + np.repeat(
        (np.arange(len(digests))[:, None] * 2 + np.arange(2)).ravel() << 32, mine.sizes.ravel()
    )
    places = np.searchsorted(own, values)
    places[places == len(own)] = 0
    ends = np.cumsum(theirs.sizes.ravel())
    begins = ends - theirs.sizes.ravel()
    below = np.searchsorted(own, limits) - np.searchsorted(own, above)
    held = _sums(inside, begins, ends).reshape(-1, 2)
    shared[known] = _sums((own[places] == values) & inside, begins[::2], ends[1::2])
    fewest[known] = np.minimum(held, below).sum(axis=1)
    return Common(shared, fewest)


@dataclass(frozen=True, slots=True)
class _Kinds:
    """Many digests, one after the other, without their headers: numbers, then words."""

    values: npt.NDArray[np.int64]
    #: Of each digest a row: numbers, words.
    sizes: npt.NDArray[np.int64]
    levels: npt.NDArray[np.int64]


def _kinds(digests: Sequence[bytes]) -> _Kinds:
    empty = bytes(4 * _HEADER)
    joined = _joined([digest or empty for digest in digests])
    at = joined.starts[:, None] + np.arange(_HEADER)
    headers = joined.values[at].astype(np.int64)
    is_value = np.ones(len(joined.values), np.bool_)
    is_value[at] = False
    return _Kinds(joined.values[is_value].astype(np.int64), headers[:, 1::2], headers[:, ::2])


def _of_one_form(numbers: _Compared, words: _Compared) -> npt.NDArray[np.bool_]:
    """What most of the others have is the form. A copy has the rest as well, as far as noise lets
    it, and how much noise there is can be seen from the form."""
    form = numbers.form_shared + words.form_shared
    kept = form / np.maximum(numbers.form_held + words.form_held, 1)
    shared = numbers.shared + words.shared - form
    fewest = numbers.rest_fewest + words.rest_fewest
    found = np.zeros(len(shared), np.bool_)
    for at in np.flatnonzero((fewest >= _FEWEST_NUMBERS) & (form >= _FEWEST_WORDS)).tolist():
        found[at] = shared[at] < _fewest_expected(
            int(fewest[at]), round(float(kept[at]), 2), _GIVEN_UP_IN_A_FAMILY
        )
    return found


@dataclass(frozen=True, slots=True)
class _Joined:
    """Many digests, one after the other."""

    values: Values
    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]


def _joined(digests: Sequence[bytes]) -> _Joined:
    lengths = np.array([len(digest) // 4 for digest in digests])
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)[:-1]))
    return _Joined(np.frombuffer(b"".join(digests), "<u4"), starts, lengths)


@dataclass(frozen=True, slots=True)
class _Compared:
    """Of one kind of values, for each of the others."""

    shared: npt.NDArray[np.int64]
    #: The number of values on the side that has fewer.
    fewest: npt.NDArray[np.int64]
    #: Of what the asker has in common with many: how much this one has, and how much there is.
    form_shared: npt.NDArray[np.int64]
    form_held: npt.NDArray[np.int64]
    #: The number of values without those, on the side that has fewer.
    rest_fewest: npt.NDArray[np.int64]


def _compared(mine: Values, theirs: _Joined, *, second: bool) -> _Compared:
    """Shared values of one kind, both sides thinned to the higher of their levels."""
    values, starts, lengths = theirs.values, theirs.starts, theirs.lengths
    numbers = int(mine[1])
    own = mine[_HEADER + numbers :] if second else mine[_HEADER : _HEADER + numbers]
    own_level, level_at = (int(mine[2]), 2) if second else (int(mine[0]), 0)
    levels = np.maximum(values[starts + level_at].astype(np.int64), own_level)
    limits = np.int64(1) << (32 - levels)
    counts = values[starts + 1].astype(np.int64)
    begins = starts + _HEADER + (counts if second else 0)
    ends = starts + (lengths if second else _HEADER + counts)
    inside = values < np.repeat(limits, lengths)
    held = _sums(inside, begins, ends)
    if not len(own):
        nothing = np.zeros(len(starts), np.int64)
        return _Compared(nothing, nothing, nothing, nothing, nothing)
    at = np.searchsorted(own, values)
    at[at == len(own)] = 0
    equal = (own[at] == values) & inside
    shared = _sums(equal, begins, ends)
    below = np.searchsorted(own.astype(np.int64), limits).astype(np.int64)
    fewest = np.minimum(held, below)
    if len(starts) < _MANY:
        return _Compared(shared, fewest, shared, fewest, fewest - shared)
    places = np.arange(len(values))
    inside &= (np.repeat(begins, lengths) <= places) & (places < np.repeat(ends, lengths))
    many = _FORM_SHARE * len(starts)
    form = np.bincount(at[equal & inside], minlength=len(own)) > many
    form_shared = _sums(equal & form[at], begins, ends)
    form_held = np.concatenate((np.zeros(1, np.int64), np.cumsum(form, dtype=np.int64)))[below]
    # What many of the others share among themselves is theirs, whether the asker has it or not.
    # A few values fall into one cell with others and count as common, too; that is the safe side.
    cells = values & _CELLS
    holders = np.bincount(cells[inside], minlength=int(_CELLS) + 1)[cells]
    rest = _sums(inside & (holders <= many), begins, ends)
    return _Compared(shared, fewest, form_shared, form_held, np.minimum(rest, below - form_held))


def _sums(
    flags: npt.NDArray[np.bool_], begins: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    sums = np.zeros(len(flags) + 1, np.int64)
    np.cumsum(flags, out=sums[1:])
    return sums[ends] - sums[begins]


@cache
def _fewest_expected(count: int, words_kept: float, given_up: float) -> int:
    """Of `count` numbers a real pair shares at least so many, but once in 1 / given_up times."""
    chance = _KEPT_AT_WORST * min(max(words_kept, 0.0), 1.0) ** 1.3
    tail = 0.0
    for shared in range(count + 1):
        tail += comb(count, shared) * chance**shared * (1 - chance) ** (count - shared)
        if tail >= given_up:
            return shared
    return count
