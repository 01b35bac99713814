"""Differences marked with what they are about, and how improbable each is as noise of its pair."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import ceil, lgamma, log

from rapidfuzz.distance import Levenshtein

from paperless_fingerprint.differences import Difference
from paperless_fingerprint.months import misread_months, months_in
from paperless_fingerprint.tokens import AMOUNT, CJK, DIGIT, NUMBER, notes_of
from paperless_fingerprint.weighing import Side, Weighing, legible

#: One difference can accuse this much at most, so that a single misread number decides nothing.
SEVEREST = 6.0
#: Numbers are misread on the cleanest page, whole columns of them; letters are not.
SEVEREST_NUMBER = 4.5
#: A difference is more often noise than a change, before it is looked at (as a logarithm).
_INNOCENT = 2.5
#: Noise hits a letter, but seldom so that another real word comes out.
_REAL_WORD = 2.5
# A day or a quantity weighs less than a number of an invoice.
_WEIGHT_BY_DIGITS = (0.0, 0.15, 0.4, 0.75, 1.0)
#: Both readings are possible years, or dates: noise seldom ends there.
_VALID_YEARS = 1.2
_CENTURIES = frozenset({"19", "20"})
# Digits are misread on clean pages, too.
DIGIT_NOISE_FLOOR = 0.004
_DIGIT_LOOKS = str.maketrans("olisbzgq", "01158299")


class Kind(IntEnum):
    """What a difference is about."""

    WORD = 0
    FACT = 1
    AMOUNT = 2
    MONTH = 3
    NAME = 4
    ADDED = 5


@dataclass(frozen=True, slots=True)
class Mark:
    """A difference, what it is about, and how improbable it is as noise (0 to SEVEREST)."""

    difference: Difference
    kind: Kind
    severity: float


def mark_of(
    item: Difference,
    a: Side,
    b: Side,
    noise: float,
    digit_noise: float,
    chances: float,
    weighing: Weighing,
) -> Mark:
    if item.added:
        return Mark(item, Kind.ADDED, 0.0)
    keys_a = a.tokens.keys[item.start_a : item.end_a]
    keys_b = b.tokens.keys[item.start_b : item.end_b]
    # Five tokens for one are no change, but something lost beside something misread.
    balance = 1.0
    if item.edits is None and len(keys_a) + len(keys_b) > 6 and len(keys_a[0] + keys_b[0]) > 2:
        balance = min(len(keys_a), len(keys_b)) / max(len(keys_a), len(keys_b))
    months_a = months_in(a, item.start_a, item.end_a)
    months_b = months_in(b, item.start_b, item.end_b)
    if months_a or months_b:
        read_a, read_b = (
            months_a or misread_months(keys_a, weighing),
            months_b or misread_months(keys_b, weighing),
        )
        if read_a and read_b:
            trust = balance if months_a and months_b else 0.8 * balance
            return _mark_months(item, read_a, read_b, noise, trust)
    spelled_a = a.tokens.spellings[item.start_a : item.end_a]
    spelled_b = b.tokens.spellings[item.start_b : item.end_b]
    if item.edits is None:
        mark = _mark_replaced(
            item, a, b, keys_a, keys_b, spelled_a, spelled_b, noise, digit_noise, weighing
        )
    else:
        mark = _mark_look_alike(
            item, keys_a, keys_b, spelled_a, spelled_b, noise, digit_noise, weighing
        )
    if mark.kind is Kind.FACT and (
        _stands_elsewhere(keys_a, a, b) or _stands_elsewhere(keys_b, b, a)
    ):
        # A number that changed has changed everywhere; this one was misread here.
        mark = Mark(item, mark.kind, 0.35 * mark.severity)
    if mark.kind is Kind.NAME and len(keys_a) + len(keys_b) <= 10:
        # A firm has more words in its name than a person.
        balance = 1.0
    severity = max(0.0, mark.severity * balance - chances)
    return mark if severity == mark.severity else Mark(item, mark.kind, severity)


def _mark_months(
    item: Difference,
    months_a: dict[str, int],
    months_b: dict[str, int],
    noise: float,
    trust: float,
) -> Mark:
    if not set(months_a.values()).isdisjoint(months_b.values()):
        return Mark(item, Kind.WORD, 0.0)
    if item.edits is None:
        return Mark(item, Kind.MONTH, trust * SEVEREST)
    length = max(map(len, months_a))
    found = _improbable(max(1.0, item.edits), length, noise) + 2 * _REAL_WORD
    return Mark(item, Kind.MONTH, trust * _clip(found))


def _improbable(edits: float, length: int, noise: float) -> float:
    """How much less likely so many edits are as noise than as a change, as a logarithm."""
    if edits <= 0:
        return 0.0
    hits = min(length, ceil(edits))
    ways = lgamma(length + 1) - lgamma(hits + 1) - lgamma(length - hits + 1)
    return edits * log(1 / noise) - ways - _INNOCENT


def _clip(severity: float) -> float:
    return 0.0 if severity <= 0 else min(severity, SEVEREST)


def _mark_look_alike(
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
    if not (one.isdigit() and other.isdigit()) and _as_number(one) and _as_number(other):
        # 'l3.07.2016' is a date too, and another one than 10.07.2016.
        one, other = _as_number(one), _as_number(other)
        repaired = True
        edits = float(Levenshtein.distance(one, other))
        if edits == 0:
            return Mark(item, Kind.WORD, 0.0)
    if one.isalpha() and other.isalpha():
        known_a, known_b = weighing.known(one), weighing.known(other)
        found = _improbable(edits, length, noise)
        capital = spelled_a[0][:1].isupper() and spelled_b[0][:1].isupper()
        name = capital and length >= 4 and weighing.rare(one) and weighing.rare(other)
        kind = Kind.NAME if name else Kind.WORD
        if known_a and known_b:
            # What only the library knows may be its most frequent misreading.
            trust = 0.8 if one in weighing.common and other in weighing.common else 0.4
            # Between short words a misread letter often leads to another word.
            real = min(_REAL_WORD, 0.6 * (length - 1))
            return Mark(item, kind, trust * min(1.0, length / 4) * _clip(found + real))
        if one.startswith(other) or other.startswith(one):
            found *= 0.3
        return Mark(item, kind, (0.3 if name else 0.15) * _clip(found))
    found = _improbable(edits, length, digit_noise)
    years = len(one) == len(other) == 4 and one[:2] in _CENTURIES and other[:2] in _CENTURIES
    if years or (_is_date(one) and _is_date(other)):
        found += _VALID_YEARS
    found = min(_clip(found), SEVEREST_NUMBER)
    notes_a, notes_b = notes_of("".join(spelled_a)), notes_of("".join(spelled_b))
    if repaired:
        kind = Kind.AMOUNT if (notes_a | notes_b) & AMOUNT else Kind.FACT
        trust = 0.6 if len(one) == len(other) else 0.15
        return Mark(item, kind, trust * found)
    if notes_a & notes_b & NUMBER:
        kind = Kind.AMOUNT if (notes_a | notes_b) & AMOUNT else Kind.FACT
        trust = 1.0 if len(one) == len(other) else 0.5
        if len(one) != len(other) and (one in other or other in one):
            # The edge of a number is lost, or a speck was added: hardly ever another number.
            trust = 0.15
        return Mark(item, kind, trust * found * _WEIGHT_BY_DIGITS[min(length, 4)] ** 0.5)
    if notes_a & notes_b & DIGIT and _pattern(one) == _pattern(other):
        return Mark(item, Kind.FACT, 0.9 * found)
    # Letters among digits: hardly anything that somebody wrote.
    return Mark(item, Kind.WORD, 0.1 * found)


def _pattern(key: str) -> str:
    """'99a999': two numbers of an invoice have the same, also when a 5 was read as an S."""
    if 2 * sum(map(str.isdigit, key)) > len(key):
        key = key[:2] + key[2:].translate(_DIGIT_LOOKS)
    return "".join(["9" if c.isdigit() else "a" for c in key])


def _as_number(key: str) -> str:
    """The digits that a number with letters in it stands for, or nothing."""
    if key.isdigit():
        return key
    digits = sum(map(str.isdigit, key))
    return (
        key.translate(_DIGIT_LOOKS)
        if len(key) >= 4 and 3 * digits >= 2 * len(key) and key.translate(_DIGIT_LOOKS).isdigit()
        else ""
    )


def _stands_elsewhere(keys: tuple[str, ...], own: Side, other: Side) -> bool:
    """Whether all the numbers here stand a second time in their text, and in the other text."""
    numbers = [key for key in keys if len(key) >= 4 and not key.isalpha()]
    return bool(numbers) and all(
        key in other.distinct and own.tokens.keys.count(key) > 1 for key in numbers
    )


def _is_date(key: str) -> bool:
    return (
        len(key) == 8
        and key.isdigit()
        and key[:2] <= "31"
        and key[2:4] <= "12"
        and key[4:6] in _CENTURIES
    )


def _mark_replaced(
    item: Difference,
    a: Side,
    b: Side,
    keys_a: tuple[str, ...],
    keys_b: tuple[str, ...],
    spelled_a: tuple[str, ...],
    spelled_b: tuple[str, ...],
    noise: float,
    digit_noise: float,
    weighing: Weighing,
) -> Mark:
    notes_a = [notes_of(x) for x in spelled_a]
    notes_b = [notes_of(x) for x in spelled_b]
    if notes_a[0] & CJK and notes_b[0] & CJK:
        return _mark_characters(item, keys_a, keys_b, noise)
    # Where a side is rubbish, it says nothing about what stood there.
    sense = min(legible(keys_a, spelled_a, weighing), legible(keys_b, spelled_b, weighing))
    sense = min(1.0, max(0.0, (sense - 0.35) / 0.4))
    # Where numbers lose their edges by the dozen, one that is quite different is damage, too.
    clarity = sense * max(0.25, 1 - 8 * max(0.0, digit_noise - DIGIT_NOISE_FLOOR))
    numbers_a = [k for k, n in zip(keys_a, notes_a, strict=True) if n & NUMBER]
    numbers_b = [k for k, n in zip(keys_b, notes_b, strict=True) if n & NUMBER]
    if numbers_a and numbers_b:
        amounts = any(n & AMOUNT for n in notes_a) and any(n & AMOUNT for n in notes_b)
        fitting = any(len(x) == len(y) for x in numbers_a for y in numbers_b)
        one_kind = amounts == (any(n & AMOUNT for n in notes_a) or any(n & AMOUNT for n in notes_b))
        longest, shortest = (
            max(map(len, numbers_a + numbers_b)),
            min(max(map(len, numbers_a)), max(map(len, numbers_b))),
        )
        fitting |= len(keys_a) <= 2 and len(keys_b) <= 2 and 2 * shortest >= longest
        trust = clarity if amounts or (fitting and one_kind) else 0.4 * clarity
        severity = SEVEREST_NUMBER * trust * _WEIGHT_BY_DIGITS[min(longest, 4)]
        return Mark(item, Kind.AMOUNT if amounts else Kind.FACT, severity)
    marked_a = [k for k, n in zip(keys_a, notes_a, strict=True) if n & DIGIT and len(k) >= 4]
    if marked_a:
        marked_b = [k for k, n in zip(keys_b, notes_b, strict=True) if n & DIGIT and len(k) >= 4]
        patterns = {_pattern(k) for k in marked_a}
        if any(_pattern(k) in patterns for k in marked_b):
            return Mark(item, Kind.FACT, SEVEREST * clarity)
    names_a = weighing.names(item.start_a, item.end_a, a)
    names_b = weighing.names(item.start_b, item.end_b, b)
    if (
        names_a
        and names_b
        # Nouns of a clause that was rewritten are no names, whatever their first letter.
        and _LEAST_NAMES * sum(map(len, keys_a)) <= sum(map(len, names_a))
        and _LEAST_NAMES * sum(map(len, keys_b)) <= sum(map(len, names_b))
    ):
        # What stands elsewhere in the other text has perhaps only moved.
        new_a = [name for name in names_a if not b.holds_like(name)]
        new_b = [name for name in names_b if not a.holds_like(name)]
        sense *= (0.3, 0.6, 1.0)[bool(new_a) + bool(new_b)]
        return _mark_names(item, new_a or names_a, new_b or names_b, noise, sense, weighing)
    clean_a = _clean_words(keys_a, spelled_a, weighing)
    clean_b = _clean_words(keys_b, spelled_b, weighing)
    if clean_a and clean_b:
        letters = min(sum(map(len, clean_a)), sum(map(len, clean_b)))
        number = min(len(clean_a), len(clean_b))
        return Mark(item, Kind.WORD, sense * min(SEVEREST * number, 0.8 * letters))
    return Mark(item, Kind.WORD, 0.3)


def _clean_words(
    keys: tuple[str, ...], spellings: tuple[str, ...], weighing: Weighing
) -> list[str]:
    """Known words; in capitals alone they are a stamp across the line."""
    return [
        key
        for key, spelling in zip(keys, spellings, strict=True)
        if len(key) > 2 and key.isalpha() and not spelling.isupper() and weighing.known(key)
    ]


def _mark_names(
    item: Difference,
    names_a: list[str],
    names_b: list[str],
    noise: float,
    sense: float,
    weighing: Weighing,
) -> Mark:
    familiar = any(map(weighing.elsewhere, names_a)) + any(map(weighing.elsewhere, names_b))
    # A name that nobody has heard of may be what is left of the same name, but then some of its
    # letters are left.
    trust = (max(0.5, 1 - 10 * noise), max(0.7, 1 - 6 * noise), 1.0)[familiar] * sense
    apart = Levenshtein.normalized_distance("".join(names_a), "".join(names_b))
    return Mark(item, Kind.NAME, SEVEREST * trust * min(1.0, max(0.0, (apart - 0.4) / 0.3)))


#: A run of words is about somebody where so many of its letters belong to names.
_LEAST_NAMES = 0.4
# Characters of one radical stand side by side in Unicode, and those are what is misread.
_LOOK_ALIKE_CODES = 64


def _mark_characters(
    item: Difference, keys_a: tuple[str, ...], keys_b: tuple[str, ...], noise: float
) -> Mark:
    run = min(sum(len(k) == 1 for k in keys_a), sum(len(k) == 1 for k in keys_b))
    unlike = run
    if len(keys_a) == len(keys_b):
        unlike = sum(
            x != y and abs(ord(x[0]) - ord(y[0])) > _LOOK_ALIKE_CODES
            for x, y in zip(keys_a, keys_b, strict=True)
        )
    if unlike < 1 or run < 2:
        return Mark(item, Kind.NAME, 0.3)
    # Each character is a token, so neighbours are misread together more often than letters of
    # one word are.
    found = _clip(_improbable(unlike, run, noise) - (_INNOCENT if unlike < 3 else 0.0))
    return Mark(item, Kind.NAME if run <= 4 else Kind.WORD, found)
