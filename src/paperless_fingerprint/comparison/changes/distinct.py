"""The distinct changes of a pair: what was misread ten times the same way was misread once."""

from __future__ import annotations

from typing import TypeAlias

from paperless_fingerprint.comparison.changes.mark import SEVEREST, Kind, Mark
from paperless_fingerprint.comparison.changes.replacements import are_unlike_characters
from paperless_fingerprint.text.letters import is_character
from paperless_fingerprint.text.tokens import Tokens

#: How severe it is that one Chinese character stands for another again and again.
_OTHER_CHARACTER = 4.0
#: Letters of the shortest first name that is looked for, and the words of a full name.
_FIRST_NAME = 3
_WORDS_OF_A_NAME = 3
#: Characters of a Chinese or Japanese name.
_FEWEST_CHARACTERS = 2
_MOST_CHARACTERS = 6
#: What speaks for another document; what comes again there the same way is no misreading.
OTHER_DOCUMENT = frozenset({Kind.FACT, Kind.MONTH, Kind.NAME})

#: What stands in a, and what stands for it in b.
Change: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]


def distinct_severities(marks: list[Mark], a: Tokens, b: Tokens) -> dict[Kind, list[float]]:
    """The severities by kind, worst first.

    A word that is misread the same way ten times was misread once. But what has nothing in
    common with its counterpart and comes again with the same counterpart is no misreading.
    """
    changes: dict[Change, list[Mark]] = {}
    for mark in marks:
        if mark.severity > 0:
            changes.setdefault(_change(mark, a, b), []).append(mark)
    severities: dict[Kind, list[float]] = {kind: [] for kind in Kind}
    for change, found_marks in changes.items():
        worst = max(found_marks, key=lambda mark: mark.severity)
        severity = worst.severity
        edits = worst.difference.edits
        if len(found_marks) > 1 and worst.kind is Kind.WORD and _are_names(change, worst, a, b):
            severities[Kind.NAME].append(SEVEREST)
            continue
        if len(found_marks) > 1 and worst.kind in OTHER_DOCUMENT and (edits is None or edits >= 2):
            severity = min(1.5 * SEVEREST, 1.5 * severity)
            if worst.severity < _OTHER_CHARACTER and _is_other_character(*change):
                severity = _OTHER_CHARACTER
        severities[worst.kind].append(severity)
    for found in severities.values():
        found.sort(reverse=True)
    return severities


def _change(mark: Mark, a: Tokens, b: Tokens) -> Change:
    """What stands for what; a speck beside Chinese or Japanese characters is left out."""
    item = mark.difference
    change = a.keys[item.start_a : item.end_a], b.keys[item.start_b : item.end_b]
    one, other = (tuple(filter(is_character, keys)) for keys in change)
    return (one, other) if one and other else change


def _are_names(change: Change, mark: Mark, a: Tokens, b: Tokens) -> bool:
    """'Sem Bakker' and 'Daan Bakker', twice: a first name may be a common word, and stays one word.
    A sentence that was edited is not edited twice in the same way."""
    item = mark.difference
    if item.edits is not None:
        return False
    if all(keys and is_character(keys[0]) for keys in change):
        return all(_FEWEST_CHARACTERS <= len(keys) <= _MOST_CHARACTERS for keys in change)
    spelled = a.spellings[item.start_a : item.end_a], b.spellings[item.start_b : item.end_b]
    return all(
        len(words) <= _WORDS_OF_A_NAME
        and all(len(word) >= _FIRST_NAME and word.istitle() for word in words)
        for words in spelled
    )


def _is_other_character(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """The same character of a name twice read as the same other one, which looks unlike it."""
    return len(one) == len(other) == 1 and are_unlike_characters(one[0], other[0])
