"""Differences marked with what they are about, and how improbable each is as noise of its pair."""

from __future__ import annotations

from paperless_fingerprint.comparison.changes.look_alikes import mark_look_alike
from paperless_fingerprint.comparison.changes.mark import (
    REAL_WORD,
    SEVEREST,
    Kind,
    Mark,
    clip,
    improbable,
)
from paperless_fingerprint.comparison.changes.months import misread_months, months_in
from paperless_fingerprint.comparison.changes.replacements import mark_replaced
from paperless_fingerprint.comparison.differences import Difference
from paperless_fingerprint.comparison.differences_joined import without_glued
from paperless_fingerprint.comparison.side import Side, Weighing
from paperless_fingerprint.text.letters import is_word


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
    if months_a or months_b or (item.edits is None and len(keys_a) == len(keys_b) == 1):
        mark = _mark_months(item, months_a, months_b, keys_a, keys_b, noise, balance, weighing)
        if mark is not None:
            return mark._replace(severity=max(0.0, mark.severity - chances))
    spelled_a = a.tokens.spellings[item.start_a : item.end_a]
    spelled_b = b.tokens.spellings[item.start_b : item.end_b]
    if item.edits is None:
        mark = mark_replaced(
            item, a, b, keys_a, keys_b, spelled_a, spelled_b, noise, digit_noise, weighing
        )
    else:
        mark = mark_look_alike(
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
    keys_a: tuple[str, ...],
    keys_b: tuple[str, ...],
    noise: float,
    trust: float,
    weighing: Weighing,
) -> Mark | None:
    """Where both texts have a month here, as it is or misread."""
    stated = [set(months_a.values()), set(months_b.values())]
    # 'ZeitraumlJuni' for 'Zeitraum Mai'.
    rest_a, rest_b = without_glued(keys_a, keys_b), without_glued(keys_b, keys_a)
    keys_a, keys_b = (rest_a,) if rest_a else keys_a, (rest_b,) if rest_b else keys_b
    # What stands here may be told only once it is known what stands there.
    for own, other, keys in ((0, 1, keys_a), (1, 0, keys_b), (0, 1, keys_a)):
        if not stated[own]:
            read = misread_months(keys, weighing, frozenset(stated[other])).values()
            stated[own] = {reading.month for reading in read}
            trust *= max((reading.trust for reading in read), default=1.0)
    if not all(stated):
        return None
    if not stated[0].isdisjoint(stated[1]):
        return Mark(item, Kind.WORD, 0.0)
    if item.edits is None:
        return Mark(item, Kind.MONTH, trust * SEVEREST)
    length = max(map(len, months_a or keys_a))
    found = improbable(max(1.0, item.edits), length, noise) + 2 * REAL_WORD
    return Mark(item, Kind.MONTH, trust * clip(found))


def _stands_elsewhere(keys: tuple[str, ...], own: Side, other: Side) -> bool:
    """Whether all the numbers here stand a second time in their text, and in the other text."""
    numbers = [key for key in keys if len(key) >= 4 and not is_word(key)]
    return bool(numbers) and all(
        key in other.distinct and own.tokens.keys.count(key) > 1 for key in numbers
    )
