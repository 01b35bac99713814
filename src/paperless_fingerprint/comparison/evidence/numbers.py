"""What the numbers of two texts say together: dates, references and customers, amounts left out.

Each changed digit alone may be a misreading. But of a copy most numbers are kept whole, and those
that are not keep most of their digits; in the next letter of the same form one number after the
other is another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb, log

from rapidfuzz.distance import Levenshtein

from paperless_fingerprint.comparison.alignment import Alignment
from paperless_fingerprint.comparison.differences import Differences
from paperless_fingerprint.comparison.side import Side, Weighing
from paperless_fingerprint.text.tokens import AMOUNT, DIGIT, digits_of, notes_of

_FEWEST_DIGITS = 4
_FEWEST_NOISE = 0.01
#: A number is hidden by a stamp, or cut off, as often as this.
_DESTROYED = 0.04
#: In another letter the same number stands in its place as often as this, at least.
_SAME_BY_CHANCE = 0.05
#: One number says this much at most.
_MOST_AGAINST, _MOST_FOR = 3.0, 2.0


def numbers_against(
    a: Side,
    b: Side,
    alignment: Alignment,
    differences: Differences,
    digit_noise: float,
    weighing: Weighing,
) -> float:
    """Logarithm of the odds that these are the numbers of another document; not below zero."""
    total = 0.0
    for one, other in set(_changed(a, b, differences)):
        length = max(len(one), len(other))
        edits = Levenshtein.distance(one, other)
        noise = max(digit_noise, _FEWEST_NOISE)
        same = comb(length, edits) * noise**edits * (1 - noise) ** (length - edits)
        same = (1 - _DESTROYED) * same + _DESTROYED / length
        if edits:
            total += min(_MOST_AGAINST, max(-0.5, -log(same * length / (1 - _SAME_BY_CHANCE))))
    seen = set()
    for fact in a.facts:
        if alignment.to_b[fact.place] < 0 or fact.pieces is None or fact.spelling in seen:
            continue
        seen.add(fact.spelling)
        if len(digits_of(fact.spelling)) >= _FEWEST_DIGITS:
            count = weighing.number_elsewhere(fact.pieces)
            by_chance = max(_SAME_BY_CHANCE, count / (count + 1))
            total += max(-_MOST_FOR, log(by_chance))
    return max(0.0, total)


def _changed(a: Side, b: Side, differences: Differences) -> Iterator[tuple[str, str]]:
    for item in differences.items:
        if item.added:
            continue
        ones = _numbers(a, item.start_a, item.end_a)
        others = _numbers(b, item.start_b, item.end_b)
        if len(ones) == len(others):
            yield from zip(ones, others, strict=True)


def _numbers(side: Side, start: int, end: int) -> list[str]:
    found = []
    for spelling in side.tokens.spellings[start:end]:
        notes = notes_of(spelling)
        digits = digits_of(spelling) if notes & DIGIT and not notes & AMOUNT else ""
        if len(digits) >= _FEWEST_DIGITS:
            found.append(digits)
    return found
