"""Where two texts say the same: equal tokens in order, then blocks that stand elsewhere.

Every step is bounded. Token against token costs a machine word for 64 cells; beyond
MOST_CELLS the texts are cut at runs of four tokens that occur once in each.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import LCSseq

#: Token pairs that are aligned in one go; the bit matrix of 10^8 takes 12 MB.
MOST_CELLS = 10**8
#: Between two anchors, and where the texts have none in common.
_CELLS_BETWEEN_ANCHORS = 4 * 10**6
#: A block must be this long to be believed when it stands in another order.
MOVED_RUN = 4
#: Passes over what is left, for moved pages too noisy to have runs of equal tokens.
_PASSES = 3
_LEFT_OVER = 8
#: A match of one or two tokens counts for nothing when so many unmatched ones surround it.
_LONELY_WITHIN = 12


@dataclass(frozen=True)
class Alignment:
    """For each token of a the token of b that it equals, or -1; and the other way round."""

    to_b: list[int]
    to_a: list[int]
    #: How many of the matched tokens stand in another order.
    moved: int

    @cached_property
    def only_a(self) -> list[tuple[int, int]]:
        """The stretches of a without a match."""
        return unmatched_runs(self.to_b)

    @cached_property
    def only_b(self) -> list[tuple[int, int]]:
        return unmatched_runs(self.to_a)


def equal_tokens(a: Sequence[str], b: Sequence[str]) -> int:
    """How many tokens match in order at most: the cheap gate before everything else."""
    return LCSseq.similarity(a, b) if len(a) * len(b) <= MOST_CELLS else min(len(a), len(b))


def align(a: Sequence[str], b: Sequence[str]) -> Alignment:
    to_b, to_a = [-1] * len(a), [-1] * len(b)
    for start_a, start_b, size in _without_lonely(_blocks(a, b), len(a), len(b)):
        to_b[start_a : start_a + size] = range(start_b, start_b + size)
        to_a[start_b : start_b + size] = range(start_a, start_a + size)
    moved = _match_moved(a, b, to_b, to_a)
    for _ in range(_PASSES):
        found = _match_left_over(a, b, to_b, to_a)
        moved += found
        if found < MOVED_RUN:
            break
    return Alignment(to_b, to_a, moved)


def unmatched_runs(matches: Sequence[int]) -> list[tuple[int, int]]:
    """The longest stretches without a match, as (start, end)."""
    free = bytes([match < 0 for match in matches])
    runs = []
    start = free.find(1)
    while start >= 0:
        end = free.find(0, start)
        if end < 0:
            end = len(free)
        runs.append((start, end))
        start = free.find(1, end)
    return runs


def _blocks(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int, int]]:
    if len(a) * len(b) <= MOST_CELLS:
        return [
            (block.a, block.b, block.size)
            for block in LCSseq.opcodes(a, b).as_matching_blocks()
            if block.size
        ]
    blocks: list[tuple[int, int, int]] = []
    done_a = done_b = 0
    for at_a, at_b in [*_anchors(a, b), (len(a), len(b))]:
        if at_a < done_a or at_b < done_b:
            continue
        rows, columns = at_a - done_a, at_b - done_b
        if rows and columns and rows * columns <= _CELLS_BETWEEN_ANCHORS:
            between = LCSseq.opcodes(a[done_a:at_a], b[done_b:at_b]).as_matching_blocks()
            blocks += [(x.a + done_a, x.b + done_b, x.size) for x in between if x.size]
        size = 0
        while at_a + size < len(a) and at_b + size < len(b) and a[at_a + size] == b[at_b + size]:
            size += 1
        if size:
            blocks.append((at_a, at_b, size))
        done_a, done_b = at_a + size, at_b + size
    return blocks


def _anchors(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Where runs of four tokens stand that occur once in each text, in an order both share."""
    once_a, once_b = _single_runs(a), _single_runs(b)
    pairs = sorted((at, once_b[run]) for run, at in once_a.items() if run in once_b)
    # Longest increasing subsequence over the positions in b.
    tails: list[int] = []
    tail_of: list[int] = []
    before = [-1] * len(pairs)
    for index, (_, at_b) in enumerate(pairs):
        place = bisect_left(tails, at_b)
        if place == len(tails):
            tails.append(at_b)
            tail_of.append(index)
        else:
            tails[place] = at_b
            tail_of[place] = index
        before[index] = tail_of[place - 1] if place else -1
    chain = []
    index = tail_of[-1] if tail_of else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


def _single_runs(tokens: Sequence[str]) -> dict[tuple[str, ...], int]:
    seen: dict[tuple[str, ...], int] = {}
    quadruples = zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False)
    for position, run in enumerate(quadruples):
        seen[run] = -1 if run in seen else position
    return {run: position for run, position in seen.items() if position >= 0}


def _without_lonely(
    blocks: list[tuple[int, int, int]], length_a: int, length_b: int
) -> list[tuple[int, int, int]]:
    """Drops matches of a token or two inside large gaps: 'the' is in every text."""
    kept: list[tuple[int, int, int]] = []
    end_a = end_b = 0
    for index, (start_a, start_b, size) in enumerate(blocks):
        if size <= 2:
            before = start_a - end_a + start_b - end_b
            if before >= _LONELY_WITHIN * size:
                next_a, next_b = (
                    blocks[index + 1][:2] if index + 1 < len(blocks) else (length_a, length_b)
                )
                if next_a - start_a + next_b - start_b - 2 * size >= _LONELY_WITHIN * size:
                    continue
        kept.append((start_a, start_b, size))
        end_a, end_b = start_a + size, start_b + size
    return kept


def _match_moved(a: Sequence[str], b: Sequence[str], to_b: list[int], to_a: list[int]) -> int:
    """Matches what is left in runs of MOVED_RUN tokens and more, wherever they stand."""
    runs_a = [run for run in unmatched_runs(to_b) if run[1] - run[0] >= MOVED_RUN]
    runs_b = [run for run in unmatched_runs(to_a) if run[1] - run[0] >= MOVED_RUN]
    if not runs_a or not runs_b:
        return 0
    places: dict[tuple[str, ...], int] = {}
    for start, end in runs_b:
        for at in range(start, end - MOVED_RUN + 1):
            places.setdefault(tuple(b[at : at + MOVED_RUN]), at)
    moved = 0
    for start, end in runs_a:
        at = start
        while at + MOVED_RUN <= end:
            there = places.get(tuple(a[at : at + MOVED_RUN]), -1)
            if there < 0 or to_a[there] >= 0:
                at += 1
                continue
            # Backwards over what did not start a run of four, then forwards.
            while at > start and there > 0 and to_b[at - 1] < 0 and to_a[there - 1] < 0:
                if a[at - 1] != b[there - 1]:
                    break
                at, there = at - 1, there - 1
            while at < end and there < len(b) and to_a[there] < 0 and a[at] == b[there]:
                to_b[at], to_a[there] = there, at
                at, there, moved = at + 1, there + 1, moved + 1
    return moved


def _match_left_over(a: Sequence[str], b: Sequence[str], to_b: list[int], to_a: list[int]) -> int:
    """Aligns the long stretches that are left on both sides, read one after the other."""
    runs_a = [run for run in unmatched_runs(to_b) if run[1] - run[0] >= _LEFT_OVER]
    runs_b = [run for run in unmatched_runs(to_a) if run[1] - run[0] >= _LEFT_OVER]
    if not runs_a or not runs_b:
        return 0
    left_a = [i for start, end in runs_a for i in range(start, end)]
    left_b = [i for start, end in runs_b for i in range(start, end)]
    if len(left_a) * len(left_b) > _CELLS_BETWEEN_ANCHORS:
        return 0
    blocks = _blocks([a[i] for i in left_a], [b[i] for i in left_b])
    found = 0
    for start_a, start_b, size in _without_lonely(blocks, len(left_a), len(left_b)):
        for step in range(size):
            to_b[left_a[start_a + step]] = left_b[start_b + step]
            to_a[left_b[start_b + step]] = left_a[start_a + step]
        found += size
    return found
