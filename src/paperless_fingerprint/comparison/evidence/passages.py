"""Whether what only one of two texts has is a passage that somebody wrote, or what a scan lost."""

from __future__ import annotations

from typing import NamedTuple

from paperless_fingerprint.comparison.differences import Difference, Differences
from paperless_fingerprint.comparison.side import Side, Weighing, legible
from paperless_fingerprint.text.letters import is_character
from paperless_fingerprint.text.tokens import Tokens

#: Runs that only one text has are read as sentences from this many tokens on.
_SENTENCE = 5
_FEWEST_KNOWN = 4
#: Rubbish in place of a sentence: as much of it, and half of it is nothing anybody writes.
_AS_MUCH = 0.4
_LEGIBLE = 0.5
#: What a run counts that is whole lines without being whole sentences: a scanner skipped them.
_LOST_LINE = 0.25
#: So few tokens are nothing that somebody wrote in place of a run.
_NOTHING_INSTEAD = 3
#: So near to a run the next equal token is looked for; misread ones may stand between.
_NEAR = 12
_END_OF_SENTENCE = frozenset(".!?:;。")


def one_sided(differences: Differences, side: int) -> list[tuple[int, int]]:
    """Runs that one text alone has, those that are torn apart by a stray token joined."""
    ranges = sorted(
        (item.start_b, item.end_b) if side else (item.start_a, item.end_a)
        for item in differences.items
        if item.edits is None
    )
    joined: list[tuple[int, int]] = []
    for start, end in ranges:
        if start == end:
            continue
        if joined and start - joined[-1][1] <= 2:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


class Smear(NamedTuple):
    """A difference in which one side is illegible: a stamp lies there, or the paper was torn."""

    item: Difference
    in_a: bool
    in_b: bool


def smears(differences: Differences, a: Side, b: Side, weighing: Weighing) -> list[Smear]:
    """Those with about as many letters on both sides: what is left of a line tells nothing of it."""
    found = []
    for item in differences.items:
        if item.edits is not None or item.added:
            continue
        one, other = slice(item.start_a, item.end_a), slice(item.start_b, item.end_b)
        keys_a, keys_b = a.tokens.keys[one], b.tokens.keys[other]
        letters_a, letters_b = sum(map(len, keys_a)), sum(map(len, keys_b))
        if min(letters_a, letters_b) < _AS_MUCH * max(letters_a, letters_b):
            continue
        in_a = legible(keys_a, a.tokens.spellings[one], weighing) < _LEGIBLE
        in_b = legible(keys_b, b.tokens.spellings[other], weighing) < _LEGIBLE
        if in_a or in_b:
            found.append(Smear(item, in_a, in_b))
    return found


def hidden_runs(found: list[Smear]) -> tuple[frozenset[int], frozenset[int]]:
    """Where runs of a (of b) begin that the other text has, too, but illegible."""
    hidden: tuple[set[int], set[int]] = (set(), set())
    for item, in_a, in_b in found:
        size_a, size_b = item.end_a - item.start_a, item.end_b - item.start_b
        if min(size_a, size_b) >= 2 and max(size_a, size_b) >= _SENTENCE:
            if in_b:
                hidden[0].add(item.start_a)
            if in_a:
                hidden[1].add(item.start_b)
    return frozenset(hidden[0]), frozenset(hidden[1])


def is_rubbish(start: int, end: int, side: Side, weighing: Weighing) -> bool:
    """Whether a run holds hardly anything that somebody may have written; of Chinese and Japanese
    nobody can tell."""
    keys, spellings = side.tokens.keys[start:end], side.tokens.spellings[start:end]
    if len(keys) < _SENTENCE or any(map(is_character, keys)):
        return False
    return legible(keys, spellings, weighing) < _LEGIBLE


def is_hidden(start: int, end: int, hidden: frozenset[int]) -> bool:
    """Whether rubbish lies over some of the run; a letter of it may be equal by chance."""
    return not hidden.isdisjoint(range(start, end))


def longest_sentence(
    runs: list[tuple[int, int]],
    hidden: frozenset[int],
    side: Side,
    other: Side,
    matches: list[int],
    weighing: Weighing,
) -> tuple[float, float]:
    """Most known words in small letters in one run, and in one that is a sentence by itself.

    A stamp has none, a new clause has many. A run from the start of a line to the end of one is
    what a scanner skips; it counts less. The lines may be those of the page that lost them.
    """
    lengths = []
    for start, end in runs:
        if end - start < _SENTENCE or is_hidden(start, end, hidden):
            continue
        known = words = 0
        for i in range(start, min(end, start + 200)):
            spelling = side.tokens.spellings[i]
            if len(spelling) > 1 and spelling.islower() and spelling.isalpha():
                known += weighing.known(side.tokens.keys[i])
                words += len(spelling) > 3
        # A small library knows few words, but rubbish has none at all beside them.
        known = max(known, min(words, 2 * known))
        if known >= _FEWEST_KNOWN:
            lengths.append((known, start, end))
    longest = clause = 0.0
    if not lengths:
        return longest, clause
    spans = side.spans
    for known, start, end in lengths:
        lines = _is_whole_lines(side.tokens, start, end)
        if _is_sentence(side.tokens.text, spans, start, end):
            clause = max(clause, 0.7 * known if lines else float(known))
        else:
            lines = lines or _is_between_lines(other.tokens, matches, start, end)
            longest = max(longest, known * _LOST_LINE if lines else float(known))
    return longest, clause


def _is_sentence(text: str, spans: list[tuple[int, int]], start: int, end: int) -> bool:
    """From the end of a sentence to the next, give or take a word that happens to be equal."""

    def ends_after(token: int) -> bool:
        return token < 0 or text[spans[token][1] : spans[token][1] + 1] in _END_OF_SENTENCE

    begins_line = text[: spans[start][0]].rstrip(" \t§0123456789.)").endswith("\n")
    first = begins_line and text[spans[start][0]].isupper()
    first = first or any(ends_after(i - 1) for i in (start - 1, start, start + 1))
    return first and any(ends_after(i - 1) for i in (end - 1, end, end + 1) if i <= len(spans))


def _is_whole_lines(tokens: Tokens, start: int, end: int) -> bool:
    return start in tokens.line_starts and (end == len(tokens) or end in tokens.line_starts)


def _is_between_lines(tokens: Tokens, matches: list[int], start: int, end: int) -> bool:
    """Whether the other text has a line's end, and hardly anything else, where the run would stand."""
    before = next(
        (match for match in matches[max(0, start - _NEAR) : start][::-1] if match >= 0), -1
    )
    after = next((match for match in matches[end : end + _NEAR] if match >= 0), -1)
    if not 0 <= before < after <= before + _NOTHING_INSTEAD:
        return False
    return any(place in tokens.line_starts for place in range(before + 1, after + 1))
