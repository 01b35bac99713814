"""Where a part lies in a whole: everything else of the whole says nothing about the part.

A bundle of letters from one sender holds every name and every sentence somewhere. So the short
text is compared with the one stretch that it matches, and the rest of the bundle only counts as
what the part does not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from paperless_fingerprint.comparison.alignment import Alignment
from paperless_fingerprint.comparison.changes.mark import Mark
from paperless_fingerprint.comparison.side import Side

#: Three tokens in a row.
_Run: TypeAlias = tuple[str, str, str]

#: A text so many times as long as the other is looked at by the stretch that matches.
_LONGER = 1.5
#: The stretch is little longer than the part: pages may have been turned over, a stamp added.
_STRETCH = 1.3
_AROUND = 12
#: A stretch that has less than this of all runs in common is not where the part lies: its pages are
#: spread over the whole.
_IN_ONE_PLACE = 0.7
# A quotation is one block of its reply: most of the matches, with no longer gap than a line.
_BLOCK_GAP = 15
_MUCH_LONGER = 1.2
_BLOCK_SHARE = 0.75


def stretch_of_part(a: Sequence[str], b: Sequence[str]) -> tuple[int, int] | None:
    """The tokens of the longer text among which the shorter one lies; None where it is not so."""
    short, long = sorted((a, b), key=len)
    width = int(_STRETCH * len(short)) + _AROUND
    if len(long) < _LONGER * len(short) or width >= len(long):
        return None
    runs = set(_runs(short))
    # Only those of the whole that stand in the part, too: few of a bundle's.
    shared = [(at, run) for at, run in enumerate(_runs(long)) if run in runs]
    if not shared:
        return None
    held = _distinct_within(shared, width)
    best = max(range(len(shared)), key=held.__getitem__)
    if held[best] < _IN_ONE_PLACE * len({run for _, run in shared}):
        return None
    first = shared[best][0]
    last = max(at for at, _ in shared[best : best + width] if at <= first + width - 3)
    return max(0, first - _AROUND), min(len(long), last + 3 + _AROUND)


def _runs(tokens: Sequence[str]) -> Iterator[_Run]:
    return zip(tokens, tokens[1:], tokens[2:], strict=False)


def _distinct_within(shared: list[tuple[int, _Run]], width: int) -> list[int]:
    """For each place: how many different runs stand in the stretch that begins there."""
    counts: dict[_Run, int] = {}
    held = []
    end = 0
    for at, leaving in shared:
        while end < len(shared) and shared[end][0] <= at + width - 3:
            run = shared[end][1]
            counts[run] = counts.get(run, 0) + 1
            end += 1
        held.append(len(counts))
        counts[leaving] -= 1
        if not counts[leaving]:
            del counts[leaving]
    return held


def shifted(
    marks: tuple[Mark, ...], alignment: Alignment, start: int, length: int, *, in_a: bool
) -> tuple[tuple[Mark, ...], Alignment]:
    """What was found in a stretch of a (or b), as positions in the whole of it."""
    short = alignment.to_b if not in_a else alignment.to_a
    long = alignment.to_a if not in_a else alignment.to_b
    moved = [match + start if match >= 0 else -1 for match in short]
    whole = [-1] * start + long + [-1] * (length - start - len(long))
    found = []
    for mark in marks:
        item = mark.difference
        if in_a:
            item = item._replace(start_a=item.start_a + start, end_a=item.end_a + start)
        else:
            item = item._replace(start_b=item.start_b + start, end_b=item.end_b + start)
        found.append(mark._replace(difference=item))
    to_b, to_a = (whole, moved) if in_a else (moved, whole)
    return tuple(found), Alignment(to_b, to_a, alignment.moved)


def within_block(
    marks: list[Mark], alignment: Alignment, coverage_a: float, coverage_b: float
) -> list[Mark]:
    """Leaves out what lies outside the part of a much longer text that holds the shorter.

    The header of a reply aligns with the header of the letter that it quotes: the names agree,
    the dates do not, and neither says anything about the quotation.
    """
    in_a = coverage_a < coverage_b
    matches, others = alignment.to_b, alignment.to_a
    if not in_a:
        matches, others = others, matches
    # A column that was read apart from its rows tears a page in two; that makes no quotation.
    if min(coverage_a, coverage_b) > 0.85 or len(matches) < _MUCH_LONGER * len(others):
        return marks
    start = end = best_start = best_end = -1
    held = best = 0
    for position, match in enumerate(matches):
        if match < 0:
            continue
        if start < 0 or position - end > _BLOCK_GAP:
            start, held = position, 0
        end, held = position, held + 1
        if held > best:
            best, best_start, best_end = held, start, end
    if best < _BLOCK_SHARE * sum(match >= 0 for match in matches):
        return marks

    def inside(mark: Mark) -> bool:
        item = mark.difference
        first, last = (item.start_a, item.end_a) if in_a else (item.start_b, item.end_b)
        return first == last or (last > best_start - 4 and first <= best_end + 4)

    return [mark for mark in marks if inside(mark)]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part lies in the whole: characters of the whole's text, and words."""

    start: int
    end: int
    first_word: int
    last_word: int
    of_words: int


def place_of(alignment: Alignment, whole: Side, *, in_a: bool) -> Place | None:
    """The stretch of the whole that holds the part: from the densest matches outwards."""
    matches = alignment.to_b if in_a else alignment.to_a
    found = [position for position, match in enumerate(matches) if match >= 0]
    if not found:
        return None
    # A quotation may be broken by a few lines, but not by a page.
    clusters: list[list[int]] = [[found[0]]]
    for position in found[1:]:
        if position - clusters[-1][-1] > 60:
            clusters.append([])
        clusters[-1].append(position)
    best = max(clusters, key=len)
    spans = whole.spans
    first, last = best[0], best[-1]
    return Place(spans[first][0], spans[last][1], first + 1, last + 1, len(spans))
