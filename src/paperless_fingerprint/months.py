"""The month names of a stretch of text, also those that were misread."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from paperless_fingerprint.confusions import weighted_edits
from paperless_fingerprint.known_words import MONTHS
from paperless_fingerprint.weighing import Side, Weighing

#: Where the other text has a month a month is expected: so much of it may be misread, and the
#: next month that it may be must be this much further off.
_MISREAD = 0.34
_MARGIN = 0.5
#: A shorter name may end another word.
_LONG_NAME = 5


def months_in(side: Side, start: int, end: int) -> dict[str, int]:
    """The names of months among these tokens, with their numbers."""
    months = side.months
    if not months:
        return {}
    keys = side.tokens.keys
    return {keys[i]: months[i] for i in range(start, end) if i in months}


def misread_months(keys: tuple[str, ...], weighing: Weighing) -> dict[str, int]:
    """What may stand for a month where the other text has one: joined, or torn apart, or misread."""
    found = {}
    for key in dict.fromkeys((*keys, "".join(keys))):
        month = MONTHS.get(key) if len(key) > 3 else None
        if month is None and not weighing.known(key):
            month = _misread_month(key)
        if month:
            found[key] = month
    return found


@lru_cache(maxsize=4096)
def _misread_month(key: str) -> int | None:
    """The month that this is a misreading of, when there is only one."""
    letters = re.split(r"[^a-zäáâàçéèêíóôõúûüąćęłńóśźż]+", key)
    return next(filter(None, map(_nearest_month, letters)), None) or _month_at_end(letters)


def _month_at_end(words: list[str]) -> int | None:
    """'duringgaugust': a speck has filled the space."""
    ends = {
        number
        for word in words
        for name, number in MONTHS.items()
        if len(name) >= _LONG_NAME and len(word) > len(name) + 1 and word.endswith(name)
    }
    return ends.pop() if len(ends) == 1 else None


def _nearest_month(word: str) -> int | None:
    if len(word) >= 3:
        begun = {number for name, number in MONTHS.items() if name.startswith(word)}
        if len(begun) == 1:
            return begun.pop()
    if not 3 <= len(word) <= 15:
        return None
    most = _MISREAD * len(word)
    nearest: dict[int, float] = {}
    for name, number in MONTHS.items():
        apart = Levenshtein.distance(word, name, score_cutoff=4) if len(name) >= 4 else 5
        if apart <= 4:
            edits = weighted_edits(word, name, apart)
            if edits <= most:
                nearest[number] = min(edits, nearest.get(number, edits))
    ranked = sorted((edits, number) for number, edits in nearest.items())
    if not ranked or (len(ranked) > 1 and ranked[1][0] - ranked[0][0] < _MARGIN):
        return None
    return ranked[0][1]
