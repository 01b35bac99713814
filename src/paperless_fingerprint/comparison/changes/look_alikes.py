"""Differences that look alike: a misread word or number, or another one."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein, Prefix

from paperless_fingerprint.comparison.changes.mark import (
    REAL_WORD,
    SEVEREST,
    SEVEREST_NUMBER,
    WEIGHT_BY_DIGITS,
    Kind,
    Mark,
    clip,
    improbable,
)
from paperless_fingerprint.comparison.differences import Difference
from paperless_fingerprint.comparison.side import Weighing
from paperless_fingerprint.text.letters import is_word
from paperless_fingerprint.text.tokens import (
    AMOUNT,
    DIGIT,
    DIGIT_LOOKS,
    NUMBER,
    as_number,
    digits_of,
    notes_of,
)

#: Both readings are possible years, or dates: noise seldom ends there.
_VALID_YEARS = 1.2
_DATE_DIGITS = 6
#: Digits in a row that two numbers have in common by chance once in hundreds of times.
_SAME_AGAIN = 4
#: Longer than a date, whose year may be the same.
_LONG_NUMBER = 10
_CENTURIES = frozenset({"19", "20"})


def mark_look_alike(
    item: Difference,
    keys_a: tuple[str, ...],
    keys_b: tuple[str, ...],
    spelled_a: tuple[str, ...],
    spelled_b: tuple[str, ...],
    noise: float,
    digit_noise: float,
    weighing: Weighing,
) -> Mark:
    assert item.edits is not None
    one, other = "".join(keys_a), "".join(keys_b)
    edits = item.edits
    if edits == 0:
        return Mark(item, Kind.WORD, 0.0)
    length = max(len(one), len(other))
    repaired = False
    if not (one.isdigit() and other.isdigit()) and as_number(one) and as_number(other):
        # 'l3.07.2016' is a date too, and another one than 10.07.2016.
        one, other = as_number(one), as_number(other)
        repaired = True
        edits = float(Levenshtein.distance(one, other))
        if edits == 0:
            return Mark(item, Kind.WORD, 0.0)
    if is_word(one) and is_word(other):
        known_a, known_b = weighing.known(one), weighing.known(other)
        found = improbable(edits, length, noise)
        capital = spelled_a[0][:1].isupper() and spelled_b[0][:1].isupper()
        name = capital and length >= 4 and weighing.rare(one) and weighing.rare(other)
        kind = Kind.NAME if name else Kind.WORD
        if known_a and known_b:
            # What only the library knows may be its most frequent misreading.
            trust = 0.8 if one in weighing.common and other in weighing.common else 0.4
            # Between short words a misread letter often leads to another word.
            real = min(REAL_WORD, 0.6 * (length - 1))
            return Mark(item, kind, trust * min(1.0, length / 4) * clip(found + real))
        if one.startswith(other) or other.startswith(one):
            found *= 0.3
        return Mark(item, kind, (0.3 if name else 0.15) * clip(found))
    found = improbable(edits, length, digit_noise)
    years = len(one) == len(other) == 4 and one[:2] in _CENTURIES and other[:2] in _CENTURIES
    dates = _is_date(one) and _is_date(other)
    if years or dates:
        found += _VALID_YEARS
    # Two digits misread, and again a date: that is another day.
    found = min(clip(found), SEVEREST if dates and edits >= 2 else SEVEREST_NUMBER)
    notes_a, notes_b = notes_of("".join(spelled_a)), notes_of("".join(spelled_b))
    if repaired:
        kind = Kind.AMOUNT if (notes_a | notes_b) & AMOUNT else Kind.FACT
        return Mark(item, kind, _trust_in_repaired(one, other, edits) * found)
    if notes_a & notes_b & NUMBER:
        kind = Kind.AMOUNT if (notes_a | notes_b) & AMOUNT else Kind.FACT
        trust = 1.0 if len(one) == len(other) else 0.5
        if len(one) != len(other) and (one in other or other in one):
            # The edge of a number is lost, or a speck was added: hardly ever another number.
            trust = 0.15
        return Mark(item, kind, trust * found * WEIGHT_BY_DIGITS[min(length, 4)] ** 0.5)
    if notes_a & notes_b & DIGIT and pattern(one) == pattern(other):
        return Mark(item, Kind.FACT, 0.9 * found)
    # Letters among digits are hardly anything that somebody wrote, but 'am08.10.2016' has a date.
    one, other = digits_of(one), digits_of(other)
    if min(len(one), len(other)) >= _DATE_DIGITS:
        edits = float(Levenshtein.distance(one, other))
        found = min(
            clip(improbable(edits, max(len(one), len(other)), digit_noise)), SEVEREST_NUMBER
        )
        return Mark(item, Kind.FACT, _trust_in_repaired(one, other, edits) * found)
    return Mark(item, Kind.WORD, 0.1 * found)


def _trust_in_repaired(one: str, other: str, edits: float) -> float:
    """A digit too many or too few may be a speck; several others are another number.

    But where a long one is the same again behind the first other digit, more of it was misread.
    """
    if min(len(one), len(other)) >= _LONG_NUMBER:
        begun = Prefix.similarity(one, other) + 1
        places = range(begun, len(one) - _SAME_AGAIN + 1)
        if any(one[i : i + _SAME_AGAIN] in other[begun:] for i in places):
            return 0.15
    if len(one) == len(other) or edits - abs(len(one) - len(other)) >= 2:
        return 0.6
    return 0.15


def _is_date(key: str) -> bool:
    """'03112023' or '20231103'."""
    if len(key) != 8 or not key.isdigit():
        return False
    if key[4:6] in _CENTURIES and "01" <= key[2:4] <= "12":
        return "01" <= key[:2] <= "31"
    return key[:2] in _CENTURIES and "01" <= key[4:6] <= "12" and "01" <= key[6:] <= "31"


def pattern(key: str) -> str:
    """'99a999': two numbers of an invoice have the same, also when a 5 was read as an S."""
    if 2 * sum(map(str.isdigit, key)) > len(key):
        key = key[:2] + key[2:].translate(DIGIT_LOOKS)
    return "".join(["9" if c.isdigit() else "a" for c in key])
