"""Differences marked with what they are about, and how improbable each is as noise of its pair."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from math import ceil, lgamma, log

from rapidfuzz.distance import Levenshtein

from paperless_fingerprint.differences import Difference
from paperless_fingerprint.known_words import (
    AMBIGUOUS_MONTHS,
    MONTHS,
    SHORT_MONTHS,
    Vocabulary,
    common_words,
)
from paperless_fingerprint.text import words as words_of
from paperless_fingerprint.tokens import AMOUNT, CAPITAL, CJK, DIGIT, NUMBER, Tokens, notes_of

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


@dataclass(frozen=True, slots=True)
class Side:
    """One text as the evidence needs it."""

    tokens: Tokens
    words: frozenset[str]
    #: Where numbers and words with a capital stand, with their notes; amounts left out.
    facts: tuple[tuple[int, int], ...]
    #: How many tokens hold digits: where there are none, the facts are silent.
    numbers: int


def side_of(tokens: Tokens, words: Iterable[str]) -> Side:
    facts = []
    for i, spelling in enumerate(tokens.spellings):
        if not spelling.islower() and len(spelling) > 1:
            notes = notes_of(spelling)
            if notes & (DIGIT | CAPITAL) and not notes & AMOUNT:
                facts.append((i, notes))
    numbers = sum(1 for key in tokens.keys if len(key) > 1 and not key.isalpha())
    return Side(tokens, frozenset(words), tuple(facts), numbers)


class Weighing:
    """Looks words up for one pair, each once."""

    def __init__(self, a: Side, b: Side, vocabulary: Vocabulary) -> None:
        self.a, self.b = a, b
        self._lookup = vocabulary.document_frequency
        self._seen: dict[str, int] = {}
        self.common = common_words()

    def elsewhere(self, word: str) -> int:
        """In how many documents besides these two the word stands."""
        count = self._seen.get(word)
        if count is None:
            own = (word in self.a.words) + (word in self.b.words)
            count = self._seen[word] = max(0, self._lookup(word) - own)
        return count

    def known(self, key: str) -> bool:
        return key in self.common or (len(key) > 1 and self.elsewhere(key) >= 2)

    def rare(self, key: str) -> bool:
        return key not in self.common and self.elsewhere(key) <= 20

    def weight(self, key: str, spelling: str, notes: int) -> float:
        """A fact that stands in every letter of this sender says little about this one."""
        if notes & DIGIT:
            pieces = words_of(spelling)
            count = min(map(self.elsewhere, pieces)) if pieces else 0
            return min(len(key), 6) / 6 * (1 + count) ** -0.5
        return (1 + self.elsewhere(key)) ** -0.5


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
    months_a, months_b = _months(a, item.start_a, item.end_a), _months(b, item.start_b, item.end_b)
    if months_a or months_b:
        read_a, read_b = (
            months_a or _read_months(keys_a, weighing),
            months_b or _read_months(keys_b, weighing),
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
    if mark.kind is Kind.NAME and len(keys_a) + len(keys_b) <= 10:
        # A firm has more words in its name than a person.
        balance = 1.0
    severity = max(0.0, mark.severity * balance - chances)
    return mark if severity == mark.severity else Mark(item, mark.kind, severity)


def _months(side: Side, start: int, end: int) -> dict[str, int]:
    """The month names there. 'may' is a month beside a number or with a capital, 'sie' beside one."""
    found = {}
    keys, spellings = side.tokens.keys, side.tokens.spellings
    for i in range(start, end):
        month = MONTHS.get(keys[i])
        if month and (
            keys[i] not in AMBIGUOUS_MONTHS
            or (spellings[i][0].isupper() and keys[i] in SHORT_MONTHS)
            or (i and keys[i - 1][0].isdigit())
            or (i + 1 < len(keys) and keys[i + 1][0].isdigit())
        ):
            found[keys[i]] = month
    return found


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


def _read_months(keys: tuple[str, ...], weighing: Weighing) -> dict[str, int]:
    return {
        key: month for key in keys if (month := _misread_month(key)) and not weighing.known(key)
    }


@lru_cache(maxsize=4096)
def _misread_month(key: str) -> int | None:
    """The month that this is a misreading of, when there is only one."""
    key = "".join([c for c in key if c.isalpha()])
    if not 4 <= len(key) <= 15:
        return None
    most = 1 if len(key) < 7 else 2
    months = {
        number
        for name, number in MONTHS.items()
        if len(name) >= 4 and Levenshtein.distance(key, name, score_cutoff=most) <= most
    }
    return months.pop() if len(months) == 1 else None


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
    if item.edits == 0:
        return Mark(item, Kind.WORD, 0.0)
    length = max(len(one), len(other))
    if one.isalpha() and other.isalpha():
        known_a, known_b = weighing.known(one), weighing.known(other)
        found = _improbable(item.edits, length, noise)
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
    found = _improbable(item.edits, length, digit_noise)
    years = len(one) == len(other) == 4 and one[:2] in _CENTURIES and other[:2] in _CENTURIES
    if years or (_is_date(one) and _is_date(other)):
        found += _VALID_YEARS
    found = min(_clip(found), SEVEREST_NUMBER)
    notes_a, notes_b = notes_of("".join(spelled_a)), notes_of("".join(spelled_b))
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
        run = min(sum(n & CJK for n in notes_a), sum(n & CJK for n in notes_b)) // CJK
        # Each character is a token, so neighbours are misread together more often than letters
        # of one word are.
        found = _clip(_improbable(run, run, noise) - _INNOCENT) if run > 1 else 0.3
        return Mark(item, Kind.NAME if run <= 4 else Kind.WORD, found)
    # Where numbers lose their edges by the dozen, one that is quite different is damage, too.
    clarity = max(0.25, 1 - 8 * max(0.0, digit_noise - DIGIT_NOISE_FLOOR))
    numbers_a = [k for k, n in zip(keys_a, notes_a, strict=True) if n & NUMBER]
    numbers_b = [k for k, n in zip(keys_b, notes_b, strict=True) if n & NUMBER]
    if numbers_a and numbers_b:
        amounts = any(n & AMOUNT for n in notes_a) and any(n & AMOUNT for n in notes_b)
        fitting = any(len(x) == len(y) for x in numbers_a for y in numbers_b)
        one_kind = amounts == (any(n & AMOUNT for n in notes_a) or any(n & AMOUNT for n in notes_b))
        longest = max(map(len, numbers_a + numbers_b))
        fitting |= len(keys_a) <= 2 and len(keys_b) <= 2
        trust = clarity if amounts or (fitting and one_kind) else 0.4 * clarity
        severity = SEVEREST_NUMBER * trust * _WEIGHT_BY_DIGITS[min(longest, 4)]
        return Mark(item, Kind.AMOUNT if amounts else Kind.FACT, severity)
    marked_a = [k for k, n in zip(keys_a, notes_a, strict=True) if n & DIGIT and len(k) >= 4]
    if marked_a:
        marked_b = [k for k, n in zip(keys_b, notes_b, strict=True) if n & DIGIT and len(k) >= 4]
        patterns = {_pattern(k) for k in marked_a}
        if any(_pattern(k) in patterns for k in marked_b):
            return Mark(item, Kind.FACT, SEVEREST * clarity)
    clean_a = [k for k in keys_a if len(k) > 2 and k.isalpha() and weighing.known(k)]
    clean_b = [k for k in keys_b if len(k) > 2 and k.isalpha() and weighing.known(k)]
    names_a, names_b = (
        _names(item.start_a, item.end_a, a, weighing),
        _names(item.start_b, item.end_b, b, weighing),
    )
    if names_a and names_b:
        familiar = any(map(weighing.elsewhere, names_a)) + any(map(weighing.elsewhere, names_b))
        # A name that nobody has heard of may be what is left of the same name, but then some of
        # its letters are left.
        trust = (0.8 * max(0.5, 1 - 20 * noise), 0.9 * max(0.7, 1 - 10 * noise), 1.0)[familiar]
        apart = Levenshtein.normalized_distance("".join(names_a), "".join(names_b))
        return Mark(item, Kind.NAME, SEVEREST * trust * min(1.0, max(0.0, (apart - 0.4) / 0.3)))
    if clean_a and clean_b:
        letters = min(sum(map(len, clean_a)), sum(map(len, clean_b)))
        number = min(len(clean_a), len(clean_b))
        return Mark(item, Kind.WORD, min(SEVEREST * number, 0.8 * letters))
    return Mark(item, Kind.WORD, 0.3)


def _names(start: int, end: int, side: Side, weighing: Weighing) -> list[str]:
    """What looks like somebody's name: rare, or common but beside another such word.

    The owner's own name stands in most documents of a library, and in German every noun has a
    capital; a first name and a family name stand side by side.
    """
    candidates = [i for i in range(start, end) if _is_title(side, i, weighing)]
    return [
        side.tokens.keys[i]
        for i in candidates
        if weighing.rare(side.tokens.keys[i])
        or (i > 0 and _is_title(side, i - 1, weighing))
        or (i + 1 < len(side.tokens) and _is_title(side, i + 1, weighing))
    ]


def _is_title(side: Side, i: int, weighing: Weighing) -> bool:
    key, spelling = side.tokens.keys[i], side.tokens.spellings[i]
    return (
        spelling.isalpha()
        # 'FouPAGGENWED' is a stamp across a word, not somebody's name.
        and (len(key) >= 3 if spelling.istitle() else len(key) >= 4 and spelling.isupper())
        and key not in weighing.common
    )
