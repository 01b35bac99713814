"""What stands between the equal tokens of two texts: misread words, changed words, additions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import add, or_
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from paperless_fingerprint.comparison.alignment import Alignment
from paperless_fingerprint.comparison.ocr import weighted_edits
from paperless_fingerprint.text.letters import is_word

# Gaps of more cells than this are matched near their diagonal only.
_MOST_CELLS = 900
# A gap of a page against a page holds other things, not the same misread.
_HOPELESS = 40_000
#: Beyond this many cells the fuzzy matching of one pair of documents stops: the rest counts as
#: replaced. A tenth of the letters wrong in both copies of five pages stays below it.
_MOST_WORK = 60_000
# Before a larger gap is matched token by token: texts that have nothing to do with each other
# share about a quarter of their letters in order.
_WORTH_A_LOOK = 4
_SOMETHING_IN_COMMON = 0.36
# The shorter one may lie in the longer, misread: so much is alike (in per cent) of a part that is
# no accident. Of more letters nobody asks: it would take the square of their number.
_PARTLY_ALIKE = 62
_LETTERS_OF_A_PART = range(6, 65)
_LONGER = 1.3
#: Left-over tokens a side that are looked at for a partner anywhere in the other text.
_MOST_STRAYS = 60
_SHORTEST_STRAY = 3
_AROUND = 25


class Difference(NamedTuple):
    """Tokens of a that stand where others stand in b; one of the ranges may be empty."""

    start_a: int
    end_a: int
    start_b: int
    end_b: int
    #: Weighted edits where the two look like one another; None where one replaces the other.
    edits: float | None

    @property
    def added(self) -> bool:
        return self.start_a == self.end_a or self.start_b == self.end_b


@dataclass(frozen=True, slots=True)
class Differences:
    items: list[Difference]
    #: Equal tokens that found each other only once order was given up (positions in a, in b).
    strays_a: frozenset[int]
    strays_b: frozenset[int]


def find_differences(a: Sequence[str], b: Sequence[str], alignment: Alignment) -> Differences:
    to_b = alignment.to_b
    free_b = dict(alignment.only_b)
    ends_b = {end: start for start, end in free_b.items()}
    gaps: list[tuple[int, int, int, int]] = []
    for start, end in alignment.only_a:
        there = to_b[start - 1] + 1 if start else 0
        if there not in free_b:
            # Nothing follows there; perhaps something stands before the next match.
            until = to_b[end] if end < len(a) else len(b)
            there = ends_b.get(until, -1)
        stop = free_b.pop(there, -1)
        if stop < 0:
            gaps.append((start, end, 0, 0))
        else:
            del ends_b[stop]
            gaps.append((start, end, there, stop))
    gaps += [(0, 0, start, end) for start, end in free_b.items()]

    items: list[Difference] = []
    work = 0
    for start_a, end_a, start_b, end_b in gaps:
        rows, columns = end_a - start_a, end_b - start_b
        if rows and columns and work <= _MOST_WORK:
            work += min(rows * columns, _MOST_CELLS)
            items += _match_gap(a, b, start_a, end_a, start_b, end_b)
        else:
            items.append(Difference(start_a, end_a, start_b, end_b, None))
    return _find_strays(
        a, b, items, _span(alignment.only_a, len(a)), _span(alignment.only_b, len(b))
    )


def _span(unmatched: Sequence[tuple[int, int]], length: int) -> tuple[int, int]:
    """From the first match to the last, with a little around: where a part lies in a whole."""
    first = unmatched[0][1] if unmatched and unmatched[0][0] == 0 else 0
    last = (unmatched[-1][0] if unmatched and unmatched[-1][1] == length else length) - 1
    return (first - _AROUND, last + _AROUND) if last >= first else (0, 0)


def _alike(first: str, second: str) -> float | None:
    """Weighted edits, where two spellings are close enough to be one word misread."""
    longest = max(len(first), len(second))
    most = longest // 2 if longest <= 4 else int(0.45 * longest)
    if abs(len(first) - len(second)) > most:
        return None
    edits = Levenshtein.distance(first, second, score_cutoff=most)
    return weighted_edits(first, second, edits) if edits <= most else None


def _match_gap(
    a: Sequence[str], b: Sequence[str], start_a: int, end_a: int, start_b: int, end_b: int
) -> list[Difference]:
    if end_a - start_a == 1 and end_b - start_b == 1:
        edits = _alike(a[start_a], b[start_b])
        return [Difference(start_a, end_a, start_b, end_b, edits)]
    rows, columns = end_a - start_a, end_b - start_b
    if rows * columns > _HOPELESS:
        return [Difference(start_a, end_a, start_b, end_b, None)]
    if rows * columns >= _WORTH_A_LOOK and rows <= 3 * columns and columns <= 3 * rows:
        one, other = " ".join(a[start_a:end_a]), " ".join(b[start_b:end_b])
        if not _have_much_in_common(one, other):
            return [Difference(start_a, end_a, start_b, end_b, None)]
    found: list[Difference] = []
    at_a, at_b = start_a, start_b
    for pair in _best_pairs(a[start_a:end_a], b[start_b:end_b]):
        row, rows, column, columns, edits = pair
        row, column = row + start_a, column + start_b
        if row > at_a or column > at_b:
            found.append(Difference(at_a, row, at_b, column, None))
        found.append(Difference(row, row + rows, column, column + columns, edits))
        at_a, at_b = row + rows, column + columns
    if at_a < end_a or at_b < end_b:
        found.append(Difference(at_a, end_a, at_b, end_b, None))
    return found


def _have_much_in_common(one: str, other: str) -> bool:
    if Levenshtein.normalized_similarity(one, other, score_cutoff=_SOMETHING_IN_COMMON):
        return True
    # A stamp beside a misread name: the longer passage has more than the shorter one.
    short, long = sorted((len(one), len(other)))
    return (
        short in _LETTERS_OF_A_PART
        and long >= _LONGER * short
        and fuzz.partial_ratio(one, other, score_cutoff=_PARTLY_ALIKE) > 0
    )


# Words that were split in two or three, or run together; one for one comes first.
_JOINS = ((1, 2), (2, 1), (1, 3), (3, 1))
#: Longer than any words: nothing is like it.
_BEYOND_THE_END = 1 << 30


@lru_cache(maxsize=1 << 14)
def _letters(word: str) -> int:
    """Which characters a word has, as bits: a quick no before any distance is computed."""
    bits = 0
    for character in word:
        bits |= 1 << (ord(character) & 63)
    return bits


class _Joined:
    """For each place how long the words from there on are if read as one, and which letters they
    have."""

    def __init__(self, words: Sequence[str]) -> None:
        single = [len(word) for word in words]
        double = [*map(add, single, single[1:]), _BEYOND_THE_END]
        triple = [*map(add, double[:-1], single[2:]), _BEYOND_THE_END, _BEYOND_THE_END]
        self.lengths = (single, double, triple)
        letters = [_letters(word) for word in words]
        twice = [*map(or_, letters, letters[1:])]
        self.letters = (letters, twice, [*map(or_, twice, letters[2:])])


def _best_pairs(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int, int, int, float]]:
    """The chain of look-alikes with most letters in common, as (row, rows, column, columns, edits)."""
    rows, columns = len(a), len(b)
    band = max(rows, columns) if rows * columns <= _MOST_CELLS else 8
    slope = columns / rows
    joined_a, joined_b = _Joined(a), _Joined(b)
    lengths_b, bits_b = joined_b.lengths[0], joined_b.letters[0]
    # gain[row][column]: the best that can be had from here to the end.
    gain = [[0.0] * (columns + 4) for _ in range(rows + 4)]
    choice: dict[tuple[int, int], tuple[int, int, float]] = {}
    for row in range(rows - 1, -1, -1):
        here, below = gain[row], gain[row + 1]
        middle = int(row * slope)
        first, last = max(0, middle - band), min(columns - 1, middle + band)
        if last < columns - 1:
            here[last + 1] = below[last + 1]
        long_a, in_a = joined_a.lengths[0][row], joined_a.letters[0][row]
        joins = [
            (
                down,
                right,
                joined_a.lengths[down - 1][row],
                gain[row + down],
                joined_b.lengths[right - 1],
            )
            for down, right in _JOINS
            if row + down <= rows and right <= columns
        ]
        best = here[last + 1]
        for column in range(last, first - 1, -1):
            best = max(best, below[column])
            picked = None
            long_b = lengths_b[column]
            rest = below[column + 1]
            # At best the shorter one stands in the longer.
            bound = 2 * long_a - long_b if long_a < long_b else 2 * long_b - long_a
            # Half of the characters must occur in both, or the words cannot be alike.
            if bound + rest > best and 2 * (in_a & bits_b[column]).bit_count() >= min(
                in_a.bit_count(), bits_b[column].bit_count()
            ):
                edits = _alike(a[row], b[column])
                if edits is not None:
                    found = max(long_a, long_b) - 2 * edits + rest
                    if found > best:
                        best, picked = found, (1, 1, edits)
            for down, right, one, after, others in joins:
                other = others[column]
                longest = max(other, one)
                # A space too many or too few hardly changes the length.
                if 3 * abs(one - other) > longest:
                    continue
                rest = after[column + right]
                if longest + rest <= best:
                    continue
                left, ours = joined_a.letters[down - 1][row], joined_b.letters[right - 1][column]
                if 3 * (left & ours).bit_count() < 2 * min(left.bit_count(), ours.bit_count()):
                    continue
                edits = _alike("".join(a[row : row + down]), "".join(b[column : column + right]))
                # Joining must explain more than taking the words one by one.
                if edits is not None:
                    found = longest - 2 * edits - (down + right - 2) + rest
                    if found > best:
                        best, picked = found, (down, right, edits)
            here[column] = best
            if picked:
                choice[row, column] = picked
    chain = []
    row = column = 0
    while row < rows and column < columns:
        step = choice.get((row, column))
        if step and gain[row][column] > max(gain[row + 1][column], gain[row][column + 1]):
            chain.append((row, step[0], column, step[1], step[2]))
            row, column = row + step[0], column + step[1]
        elif gain[row + 1][column] >= gain[row][column + 1]:
            row += 1
        else:
            column += 1
    return chain


def _find_strays(
    a: Sequence[str],
    b: Sequence[str],
    items: list[Difference],
    span_a: tuple[int, int],
    span_b: tuple[int, int],
) -> Differences:
    """Cancels equal left-overs whatever their order, then pairs those that look alike.

    OCR reads the columns of a table in another order; a price that stands elsewhere is neither
    missing nor added. Elsewhere in a bundle of 200 pages stands everything, so only what lies
    around the matches counts.
    """
    replaced = [item for item in items if item.edits is None]
    places_a = [i for item in replaced for i in _within(item.start_a, item.end_a, span_a)]
    places_b = [i for item in replaced for i in _within(item.start_b, item.end_b, span_b)]
    words_a, words_b = Counter(a[i] for i in places_a), Counter(b[i] for i in places_b)
    fixed = {
        place
        for item in replaced
        if item.end_a - item.start_a == item.end_b - item.start_b == 1
        for place in _not_moved(a, b, item, words_a, words_b)
    }
    places_a = [i for i in places_a if (0, i) not in fixed]
    places_b = [i for i in places_b if (1, i) not in fixed]
    both = Counter(a[i] for i in places_a) & Counter(b[i] for i in places_b)
    strays_a: set[int] = set()
    strays_b: set[int] = set()
    if both:
        for places, words, strays in ((places_a, a, strays_a), (places_b, b, strays_b)):
            taken = Counter(both)
            for i in places:
                if taken[words[i]] > 0:
                    taken[words[i]] -= 1
                    strays.add(i)
        items = _without_strays(items, strays_a, strays_b)
    return Differences(_pair_one_sided(a, b, items), frozenset(strays_a), frozenset(strays_b))


def _not_moved(
    a: Sequence[str],
    b: Sequence[str],
    item: Difference,
    words_a: Counter[str],
    words_b: Counter[str],
) -> Iterator[tuple[int, int]]:
    """A word in place of one other has not moved only because its like stands elsewhere: the month
    of a statement may stand in a sentence, too. (side, position)"""
    word_a, word_b = a[item.start_a], b[item.start_b]
    if word_a in words_b and word_b not in words_a and is_word(word_a):
        yield 0, item.start_a
    if word_b in words_a and word_a not in words_b and is_word(word_b):
        yield 1, item.start_b


def _within(start: int, end: int, span: tuple[int, int]) -> range:
    return range(max(start, span[0]), min(end, span[1]))


def _without_strays(
    items: list[Difference], strays_a: set[int], strays_b: set[int]
) -> list[Difference]:
    kept: list[Difference] = []
    for item in items:
        if item.edits is not None:
            kept.append(item)
            continue
        parts_a = _cut(item.start_a, item.end_a, strays_a)
        parts_b = _cut(item.start_b, item.end_b, strays_b)
        for index in range(max(len(parts_a), len(parts_b))):
            part_a = parts_a[index] if index < len(parts_a) else (item.end_a, item.end_a)
            part_b = parts_b[index] if index < len(parts_b) else (item.end_b, item.end_b)
            kept.append(Difference(*part_a, *part_b, None))
    return kept


def _cut(start: int, end: int, out: set[int]) -> list[tuple[int, int]]:
    parts = []
    at = start
    inside = (
        sorted(place for place in out if start <= place < end)
        if len(out) < end - start
        else [place for place in range(start, end) if place in out]
    )
    for position in inside:
        if position > at:
            parts.append((at, position))
        at = position + 1
    if end > at:
        parts.append((at, end))
    return parts


def _pair_one_sided(
    a: Sequence[str], b: Sequence[str], items: list[Difference]
) -> list[Difference]:
    """A lone token that only a has, and one like it that only b has elsewhere, belong together."""
    lone_a = [i for i in items if i.end_a - i.start_a == 1 and i.start_b == i.end_b]
    lone_b = [i for i in items if i.end_b - i.start_b == 1 and i.start_a == i.end_a]
    if not lone_a or not lone_b:
        return items
    by_length: dict[int, list[Difference]] = defaultdict(list)
    for item in lone_b[:_MOST_STRAYS]:
        by_length[len(b[item.start_b])].append(item)
    gone: set[Difference] = set()
    paired: list[Difference] = []
    for item in lone_a[:_MOST_STRAYS]:
        word = a[item.start_a]
        if len(word) < _SHORTEST_STRAY:
            continue
        best: tuple[float, Difference] | None = None
        for length in range(len(word) - 1, len(word) + 2):
            for other in by_length.get(length, ()):
                if other in gone:
                    continue
                edits = _alike(word, b[other.start_b])
                if edits is not None and (best is None or edits < best[0]):
                    best = edits, other
        if best:
            gone |= {item, best[1]}
            paired.append(
                Difference(item.start_a, item.end_a, best[1].start_b, best[1].end_b, best[0])
            )
    return [item for item in items if item not in gone] + paired if gone else items
