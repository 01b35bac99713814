"""People that only one of two texts names, wherever they stand in it."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TypeAlias

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from paperless_fingerprint.comparison.alignment import Alignment
from paperless_fingerprint.comparison.changes.mark import SEVEREST
from paperless_fingerprint.comparison.differences import Differences
from paperless_fingerprint.comparison.side import Side, Weighing
from paperless_fingerprint.text.lexicon import MONTHS
from paperless_fingerprint.text.tokens import CJK, notes_of

Runs: TypeAlias = list[tuple[int, int]]

#: What is covered less than this is more than the other text with a few additions.
_PART = 0.7
_MOST_NAMES = 6
#: A name that stands in so many other documents is somebody's; a misreading seldom comes twice.
_KNOWN_FROM = 2
#: Of a whole bundle's people so many are looked for in the other text.
_MOST_FULL_NAMES = 20
#: So much of a full name may be misread.
_MISREAD = 0.4
#: A Chinese or Japanese name has so many characters.
_CHARACTERS = range(2, 5)


def strangers(
    a: Side,
    b: Side,
    alignment: Alignment,
    differences: Differences,
    noise: float,
    coverage_a: float,
    coverage_b: float,
) -> float:
    """How much the names are others (0 to SEVEREST).

    Both texts must have names that the other has less often, unless one is a part: all names of a
    part stand in the whole.
    """
    only_a = _more_often(a, b, alignment.to_b, alignment.only_a, differences.strays_a)
    only_b = _more_often(b, a, alignment.to_a, alignment.only_b, differences.strays_b)
    if min(coverage_a, coverage_b) < _PART:
        part = only_a if coverage_a > coverage_b else only_b
        return SEVEREST * min(2, len(part)) / 2 * max(0.2, 0.9 - 10 * noise)
    # What is left of a name has some of its letters.
    apart = [
        name
        for name in only_a
        if all(Levenshtein.normalized_distance(name, other) > 0.5 for other in only_b)
    ]
    return SEVEREST * min(2, len(apart), len(only_b)) / 2 * max(0.3, 1 - 7 * noise)


def known_strangers(
    a: Side, b: Side, alignment: Alignment, differences: Differences, weighing: Weighing
) -> bool:
    """Whether each text names somebody in full whom the library knows and the other does not name.

    However much of a page is misread, no name becomes another that somebody bears.
    """
    return _names_somebody(
        a, b, alignment.only_a, differences.strays_a, weighing
    ) and _names_somebody(b, a, alignment.only_b, differences.strays_b, weighing)


def _names_somebody(
    side: Side, other: Side, unmatched: Runs, strays: frozenset[int], weighing: Weighing
) -> bool:
    keys = side.tokens.keys
    alone = {
        fact.place
        for fact in side.facts_within(unmatched)
        if fact.place not in strays
        and fact.spelling.istitle()
        and fact.key not in MONTHS
        and side.is_name(fact.place)
        and weighing.elsewhere(fact.key) >= _KNOWN_FROM
    }
    full = dict.fromkeys(keys[i] + keys[i + 1] for i in sorted(alone) if i + 1 in alone)
    if not full:
        return False
    theirs = other.tokens.keys
    written = {*theirs, *(first + last for first, last in pairwise(theirs))}
    return any(
        process.extractOne(
            name, written, scorer=Levenshtein.normalized_distance, score_cutoff=_MISREAD
        )
        is None
        for name in islice(full, _MOST_FULL_NAMES)
    )


def _more_often(
    side: Side, other: Side, matches: list[int], unmatched: Runs, strays: frozenset[int]
) -> list[str]:
    """Names that were not found in the other text here, and that it has less often."""
    found: list[str] = []
    # Facts stand in ascending order; a name is two words in a row, neither of them common.
    for fact in side.facts_within(unmatched):
        i, key = fact.place, fact.key
        if i in strays or len(fact.spelling) < 4 or fact.spelling.isupper():
            continue
        if not side.is_name(i) or not side.has_name_beside(i):
            continue
        if key not in found and other.count_like(key) < side.count_like(key):
            found.append(key)
            if len(found) >= _MOST_NAMES:
                return found
    if side.has_characters:
        found += _names_in_characters(side, other, matches, strays)[: _MOST_NAMES - len(found)]
    return found


def _names_in_characters(
    side: Side, other: Side, matches: list[int], strays: frozenset[int]
) -> list[str]:
    """Short runs of Chinese characters that stand nowhere in the other text."""
    spellings = side.tokens.spellings
    runs: list[str] = []
    run = ""
    for i, match in enumerate(matches):
        if match < 0 and i not in strays and notes_of(spellings[i]) & CJK:
            run += spellings[i]
            continue
        if len(run) in _CHARACTERS:
            runs.append(run)
        run = ""
    if len(run) in _CHARACTERS:
        runs.append(run)
    if not runs:
        return []
    text = "".join(other.tokens.keys)
    # Noise reads a character for another here and there; a name that comes again does not.
    return [
        run
        for run in dict.fromkeys(runs)
        if runs.count(run) > 1 and not any(character in text for character in run)
    ]
