"""Differences that do not look alike: numbers, names or words in place of others."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein, Postfix, Prefix

from paperless_fingerprint.comparison.changes.look_alikes import pattern
from paperless_fingerprint.comparison.changes.mark import (
    CLEAN,
    DIGIT_NOISE_FLOOR,
    INNOCENT,
    SEVEREST,
    SEVEREST_NUMBER,
    UNREADABLE,
    WEIGHT_BY_DIGITS,
    Kind,
    Mark,
    clip,
    improbable,
)
from paperless_fingerprint.comparison.differences import Difference
from paperless_fingerprint.comparison.side import Side, Weighing, legible
from paperless_fingerprint.text.letters import has_no_capital, is_word
from paperless_fingerprint.text.tokens import AMOUNT, CJK, DIGIT, NUMBER, as_number, notes_of

#: A run of words is about somebody where so many of its letters belong to names.
_LEAST_NAMES = 0.33
#: A name that nobody knows stands for one that is not more than twice as long.
_AS_LONG = 2.0
_MOST_WORDS = 3
#: So many letters are a word of some language, whatever they were.
_SHORT_WORD = 4
#: How much it says that of a number only the beginning is the same.
_TRUST_IN_CUT_OFF = 0.15
#: Where so many letters of the beginning or the end are kept the rest may have been misread.
_KEPT = 3
#: Names that are not further apart than this may be one name misread.
_HEARD_ALIKE = 0.2
_UNHEARD_ALIKE = 0.4
# Characters of one radical stand side by side in Unicode, and those are what is misread.
_LOOK_ALIKE_CODES = 64
# Of longer runs each is taken for another: they are passages, and no names.
_MOST_CELLS = 900


def mark_replaced(
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
    characters_a = tuple(k for k, n in zip(keys_a, notes_a, strict=True) if n & CJK)
    characters_b = tuple(k for k, n in zip(keys_b, notes_b, strict=True) if n & CJK)
    if characters_a and characters_b:
        return _mark_characters(item, characters_a, characters_b, noise)
    # Where a side is rubbish, it says nothing about what stood there.
    sense = min(legible(keys_a, spelled_a, weighing), legible(keys_b, spelled_b, weighing))
    sense = min(1.0, max(0.0, (sense - 0.35) / 0.4))
    # Where numbers lose their edges by the dozen, one that is quite different is damage, too.
    clarity = sense * max(0.25, 1 - 8 * max(0.0, digit_noise - DIGIT_NOISE_FLOOR))
    # A number and a name may have changed side by side.
    facts = (
        _mark_numbers(item, keys_a, keys_b, notes_a, notes_b, digit_noise, clarity),
        _mark_people(item, a, b, keys_a, keys_b, noise, sense, weighing),
    )
    found = [mark for mark in facts if mark is not None]
    if found:
        return max(found, key=lambda mark: mark.severity)
    read_well = noise <= CLEAN and _share_no_letters("".join(keys_a), "".join(keys_b))
    clean_a = _clean_words(keys_a, spelled_a, a, weighing, read_well=read_well)
    clean_b = _clean_words(keys_b, spelled_b, b, weighing, read_well=read_well)
    if clean_a and clean_b and not _are_remains("".join(keys_a), "".join(keys_b)):
        letters = min(sum(map(len, clean_a)), sum(map(len, clean_b)))
        number = min(len(clean_a), len(clean_b))
        return Mark(item, Kind.WORD, sense * min(SEVEREST * number, 0.8 * letters))
    return Mark(item, Kind.WORD, UNREADABLE)


def _mark_numbers(
    item: Difference,
    keys_a: tuple[str, ...],
    keys_b: tuple[str, ...],
    notes_a: list[int],
    notes_b: list[int],
    digit_noise: float,
    clarity: float,
) -> Mark | None:
    numbers_a = _numbers_among(keys_a, notes_a)
    numbers_b = _numbers_among(keys_b, notes_b)
    if numbers_a and numbers_b:
        one, other = "".join(numbers_a), "".join(numbers_b)
        edits = Levenshtein.distance(one, other)
        # Torn apart and misread it may still be the same number.
        found = improbable(edits, max(len(one), len(other)), digit_noise)
        amounts = any(n & AMOUNT for n in notes_a) and any(n & AMOUNT for n in notes_b)
        fitting = any(len(x) == len(y) for x in numbers_a for y in numbers_b)
        one_kind = amounts == (any(n & AMOUNT for n in notes_a) or any(n & AMOUNT for n in notes_b))
        longest, shortest = (
            max(map(len, numbers_a + numbers_b)),
            min(max(map(len, numbers_a)), max(map(len, numbers_b))),
        )
        fitting |= len(keys_a) <= 2 and len(keys_b) <= 2 and 2 * shortest >= longest
        trust = clarity if amounts or (fitting and one_kind) else 0.4 * clarity
        if one != other and (one.startswith(other) or other.startswith(one)):
            # '1.25' of '1.257,73 EUR': the rest of the line is lost.
            trust *= _TRUST_IN_CUT_OFF
        severity = min(SEVEREST_NUMBER, max(0.0, found)) * trust * WEIGHT_BY_DIGITS[min(longest, 4)]
        # '153733' in place of '3.158,33': its comma is lost.
        is_amount = amounts or (len(keys_a) == len(keys_b) == 1 and not one_kind)
        return Mark(item, Kind.AMOUNT if is_amount else Kind.FACT, severity)
    marked_a = [k for k, n in zip(keys_a, notes_a, strict=True) if n & DIGIT and len(k) >= 4]
    if marked_a:
        marked_b = [k for k, n in zip(keys_b, notes_b, strict=True) if n & DIGIT and len(k) >= 4]
        patterns = {pattern(k) for k in marked_a}
        if any(pattern(k) in patterns for k in marked_b):
            return Mark(item, Kind.FACT, SEVEREST * clarity)
    return None


def _mark_people(
    item: Difference,
    a: Side,
    b: Side,
    keys_a: tuple[str, ...],
    keys_b: tuple[str, ...],
    noise: float,
    sense: float,
    weighing: Weighing,
) -> Mark | None:
    names_a = weighing.names(item.start_a, item.end_a, a)
    names_b = weighing.names(item.start_b, item.end_b, b)
    if (
        not names_a
        or not names_b
        # Nouns of a clause that was rewritten are no names, whatever their first letter.
        or _LEAST_NAMES * sum(map(len, keys_a)) > sum(map(len, names_a))
        or _LEAST_NAMES * sum(map(len, keys_b)) > sum(map(len, names_b))
    ):
        return None
    # What the other text has as often has perhaps only moved.
    new_a = [name for name in names_a if b.count_like(name) < a.count_like(name)]
    new_b = [name for name in names_b if a.count_like(name) < b.count_like(name)]
    sense *= (0.3, 0.6, 1.0)[bool(new_a) + bool(new_b)]
    # In German every noun has a capital; two side by side are somebody.
    people = _has_full_name(item.start_a, item.end_a, a) + _has_full_name(
        item.start_b, item.end_b, b
    )
    sense *= (0.5, 0.75, 1.0)[people]
    return _mark_names(item, new_a or names_a, new_b or names_b, noise, sense, weighing)


def _numbers_among(keys: tuple[str, ...], notes: list[int]) -> list[str]:
    """The numbers, also those with a digit or two that were read as letters."""
    found = []
    for key, note in zip(keys, notes, strict=True):
        number = key if note & NUMBER else as_number(key) if note & DIGIT else ""
        if number:
            found.append(number)
    return found


def _clean_words(
    keys: tuple[str, ...],
    spellings: tuple[str, ...],
    side: Side,
    weighing: Weighing,
    *,
    read_well: bool,
) -> list[str]:
    """Known words, and where all else was read well those that nobody knows.

    In capitals alone they are a stamp across the line, and what is left of a word may be a short
    one of another language ('our' of 'heures').
    """
    return [
        key
        for key, spelling in zip(keys, spellings, strict=True)
        if len(key) > 2
        and is_word(key)
        and not spelling.isupper()
        and (weighing.known(key) or (read_well and has_no_capital(spelling)))
        and (len(key) > _SHORT_WORD or key not in weighing.common or key in side.own_words)
    ]


def _are_remains(one: str, other: str) -> bool:
    """'av elle' of 'avons prescrit une attelle', 'Nei' of 'Neither': a stamp lies over the rest."""
    kept = Prefix.similarity(one, other) + Postfix.similarity(one, other)
    return kept >= min(len(one), len(other))


def _share_no_letters(one: str, other: str) -> bool:
    """Whether one may not be the other with its middle lost: 'depositors', 'depo 5'."""
    return Prefix.similarity(one, other) < _KEPT and Postfix.similarity(one, other) < _KEPT


def _has_full_name(start: int, end: int, side: Side) -> bool:
    return any(side.is_name(i) and side.has_name_beside(i) for i in range(start, end))


def _mark_names(
    item: Difference,
    names_a: list[str],
    names_b: list[str],
    noise: float,
    sense: float,
    weighing: Weighing,
) -> Mark:
    unheard = [n for n in (names_a, names_b) if not any(map(weighing.elsewhere, n))]
    # A name that nobody has heard of may be what is left of the same name, but then some of its
    # letters are left.
    trust = (max(0.7, 1 - 6 * noise), max(0.85, 1 - 3 * noise), 1.0)[2 - len(unheard)] * sense
    one, other = "".join(names_a), "".join(names_b)
    apart = Levenshtein.normalized_distance(one, other)
    if unheard:
        # 'opie' in place of 'Rémi Garnier': what is left of a stamp that says 'Copie'.
        trust *= min(1.0, _AS_LONG * min(len(one), len(other)) / max(len(one), len(other)))
        # More words that nobody knows than a name has are what lies under that stamp.
        trust *= min(1.0, _MOST_WORDS / max(map(len, unheard)))
    # Two names that others bear, too, are both read well; of what nobody has heard of letters are
    # left by chance.
    alike = _HEARD_ALIKE if not unheard else _UNHEARD_ALIKE
    return Mark(item, Kind.NAME, SEVEREST * trust * min(1.0, max(0.0, (apart - alike) / 0.3)))


def are_unlike_characters(one: str, other: str) -> bool:
    return len(one) == len(other) == 1 and abs(ord(one) - ord(other)) > _LOOK_ALIKE_CODES


def _unlike(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many characters are others, added or gone at least; what looks alike counts as equal."""
    if len(one) * len(other) > _MOST_CELLS:
        return max(len(one), len(other))
    costs = list(range(len(other) + 1))
    for row, x in enumerate(one, 1):
        before, costs[0] = costs[0], row
        for column, y in enumerate(other, 1):
            replaced = before + (x != y and are_unlike_characters(x, y))
            before = costs[column]
            costs[column] = min(replaced, before + 1, costs[column - 1] + 1)
    return costs[-1]


def _mark_characters(
    item: Difference, keys_a: tuple[str, ...], keys_b: tuple[str, ...], noise: float
) -> Mark:
    run = min(sum(len(k) == 1 for k in keys_a), sum(len(k) == 1 for k in keys_b))
    unlike = min(run, _unlike(keys_a, keys_b))
    if unlike < 1 or run < 2:
        return Mark(item, Kind.NAME, UNREADABLE)
    # Each character is a token, so neighbours are misread together more often than letters of
    # one word are.
    found = clip(improbable(unlike, run, noise) - (INNOCENT if unlike < 3 else 0.0))
    return Mark(item, Kind.NAME if run <= 4 else Kind.WORD, found)
