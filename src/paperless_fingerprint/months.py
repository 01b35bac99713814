"""The month names of a stretch of text, also those that were misread."""

from __future__ import annotations

from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from paperless_fingerprint.known_words import AMBIGUOUS_MONTHS, MONTHS, SHORT_MONTHS
from paperless_fingerprint.weighing import Side, Weighing


def months_in(side: Side, start: int, end: int) -> dict[str, int]:
    """'may' is a month beside a number or with a capital, 'sie' beside a number only."""
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


def misread_months(keys: tuple[str, ...], weighing: Weighing) -> dict[str, int]:
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
