"""The month names of a stretch of text, also those that were misread."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from paperless_fingerprint.comparison.ocr import weighted_edits
from paperless_fingerprint.comparison.side import Side, Weighing
from paperless_fingerprint.text.lexicon import MONTHS, SHORT_MONTHS

#: Where the other text has a month a month is expected: so much of it may be misread, and the
#: next month that it may be must be this much further off.
_MISREAD = 0.34
_MARGIN = 0.5
#: A shorter name may end another word.
_LONG_NAME = 5
#: A name is torn into so many pieces at most.
_MOST_PIECES = 6
#: What is as far from a name as this is not that name misread.
_FAR = 4
#: So much of a word must be letters for its digits to be letters, too.
_MOSTLY = 0.6
#: How surely a misread month is another one than the other text's, and how much more surely for
#: each edit that it is further off.
_TRUST_IN_MISREAD = 0.8
_TRUST_BY_EDIT = 0.2
_NO_LETTERS = re.compile(r"[\W\d_]+")


def months_in(side: Side, start: int, end: int) -> dict[str, int]:
    """The names of months among these tokens, with their numbers."""
    months = side.months
    if not months:
        return {}
    keys = side.tokens.keys
    return {keys[i]: months[i] for i in range(start, end) if i in months}


class Reading(NamedTuple):
    """A word read as the name of a month."""

    month: int
    #: How surely it is none of those that were expected: one where it is far from their names.
    trust: float


def misread_months(
    keys: tuple[str, ...], weighing: Weighing, expected: frozenset[int] = frozenset()
) -> dict[str, Reading]:
    """What may stand for a month where the other text has one: joined, or torn apart, or misread.

    `expected` are the months of the other text: which one stands here matters less than whether it
    is one of those.
    """
    found = {}
    joined = ("".join(keys),) if len(keys) <= _MOST_PIECES else ()
    for key in dict.fromkeys((*keys, *joined)):
        # 'mei' is a month where the other text has one, 'sie' only beside a number.
        whole = len(key) > 3 or (expected and key in SHORT_MONTHS)
        month = MONTHS.get(key) if whole else None
        if month is not None:
            found[key] = Reading(month, 1.0 if expected else _TRUST_IN_MISREAD)
        elif not weighing.known(key) and (reading := _misread_month(key, expected)):
            found[key] = reading
    return found


@lru_cache(maxsize=4096)
def _misread_month(key: str, expected: frozenset[int]) -> Reading | None:
    """The month that this is a misreading of, when there is only one."""
    words = _NO_LETTERS.split(key)
    # 'au9ust': the digit is a letter that was misread.
    whole = [key] if len(words) > 1 and sum(map(len, words)) >= _MOSTLY * len(key) else []
    for word in (*whole, *words):
        if found := _nearest_month(word, expected):
            return found
    month = _month_at_end(words)
    return Reading(month, _TRUST_IN_MISREAD) if month else None


def _month_at_end(words: list[str]) -> int | None:
    """'duringgaugust': a speck has filled the space."""
    ends = {
        number
        for word in words
        for name, number in MONTHS.items()
        if len(name) >= _LONG_NAME and len(word) > len(name) + 1 and word.endswith(name)
    }
    return ends.pop() if len(ends) == 1 else None


def _nearest_month(word: str, expected: frozenset[int]) -> Reading | None:
    if len(word) >= 3:
        begun = {number for name, number in MONTHS.items() if name.startswith(word)}
        if len(begun) == 1:
            return Reading(begun.pop(), _TRUST_IN_MISREAD)
    if not 3 <= len(word) <= 15:
        return None
    most = _MISREAD * len(word)
    nearest: dict[int, float] = {}
    for name, number in MONTHS.items():
        # A short form is no name that a whole one turns into.
        if len(name) >= 4 or (expected and name in SHORT_MONTHS and len(word) <= len(name) + 1):
            apart = Levenshtein.distance(word, name, score_cutoff=_FAR)
            edits = weighted_edits(word, name, apart) if apart <= _FAR else _FAR + 1.0
            nearest[number] = min(edits, nearest.get(number, edits))
    edits, month = min((edits, number) for number, edits in nearest.items())
    if edits > most:
        return None
    rivals = {number for number, other in nearest.items() if other - edits < _MARGIN}
    if len(rivals) > 1 and (not expected or rivals & expected):
        return None
    further = min((nearest[number] for number in expected), default=0.0) - edits
    return Reading(month, min(1.0, _TRUST_IN_MISREAD + _TRUST_BY_EDIT * max(0.0, further - 1.0)))
