"""Differences that belong together though they were found apart, as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from paperless_fingerprint.comparison.alignment import Alignment
from paperless_fingerprint.comparison.differences import Difference, Differences
from paperless_fingerprint.text.letters import is_character
from paperless_fingerprint.text.lexicon import MONTHS
from paperless_fingerprint.text.tokens import AMOUNT, Tokens, notes_of

#: A shorter word may begin another one, and fewer letters are no month.
_GLUED_TO = 4
_SHORTEST_REST = 3


def with_joined_characters(
    differences: Differences, a: Sequence[str], alignment: Alignment
) -> Differences:
    """Differences with one equal Chinese character between them as one: two names may have a part
    in common."""
    to_b, items = alignment.to_b, differences.items
    kept: dict[int, Difference] = {}
    by_end: dict[tuple[int, int], int] = {}
    placed = [_placed(item, alignment) for item in items]
    for place in sorted(range(len(items)), key=placed.__getitem__):
        start_a, end_a, start_b, end_b = placed[place]
        kept[place] = items[place]
        if items[place].edits is not None:
            continue
        between = start_a - 1, start_b - 1
        before = by_end.pop(between, -1)
        if before >= 0 and is_character(a[between[0]]) and to_b[between[0]] == between[1]:
            del kept[before]
            placed[place] = placed[before][0], end_a, placed[before][2], end_b
            kept[place] = Difference(*placed[place], None)
        by_end[end_a, end_b] = place
    return replace(differences, items=[kept[place] for place in sorted(kept)])


def _placed(item: Difference, alignment: Alignment) -> tuple[int, int, int, int]:
    """What one text alone has, with the place in the other text where it would stand."""
    start_a, end_a, start_b, end_b = item.start_a, item.end_a, item.start_b, item.end_b
    if start_a == end_a:
        start_a = end_a = alignment.to_a[start_b - 1] + 1 if start_b else 0
    elif start_b == end_b:
        start_b = end_b = alignment.to_b[start_a - 1] + 1 if start_a else 0
    return start_a, end_a, start_b, end_b


def with_glued_months(differences: Differences, a: Tokens, b: Tokens) -> Differences:
    """'ZeitraumlJuni' and 'Zeitraum Mai' as one difference: a speck has glued a month to the word
    before it, and only that word looks like it."""
    items = differences.items
    lone_a = {
        i.start_a: i
        for i in items
        if i.start_b == i.end_b and _is_month(a.keys, i.start_a, i.end_a)
    }
    lone_b = {
        i.start_b: i
        for i in items
        if i.start_a == i.end_a and _is_month(b.keys, i.start_b, i.end_b)
    }
    if not lone_a and not lone_b:
        return differences
    changed: dict[Difference, Difference | None] = {}
    for item in items:
        if item.edits is None:
            continue
        one, other = a.keys[item.start_a : item.end_a], b.keys[item.start_b : item.end_b]
        if item.end_a in lone_a and without_glued(other, one):
            changed[lone_a[item.end_a]] = None
            changed[item] = item._replace(end_a=item.end_a + 1, edits=None)
        elif item.end_b in lone_b and without_glued(one, other):
            changed[lone_b[item.end_b]] = None
            changed[item] = item._replace(end_b=item.end_b + 1, edits=None)
    kept = [changed.get(item, item) for item in items]
    return replace(differences, items=[item for item in kept if item is not None])


def _is_month(keys: Sequence[str], start: int, end: int) -> bool:
    return end == start + 1 and keys[start] in MONTHS


def without_glued(words: Sequence[str], others: Sequence[str]) -> str:
    """What is left of one word that begins or ends with one of the others; '' where nothing is."""
    if len(words) == 1:
        [word] = words
        for other in others:
            if len(other) >= _GLUED_TO and len(word) >= len(other) + _SHORTEST_REST:
                if word.startswith(other):
                    return word[len(other) :]
                if word.endswith(other):
                    return word[: -len(other)]
    return ""


def with_lone_amounts(differences: Differences, a: Tokens, b: Tokens) -> Differences:
    """Where the amounts of a column stand alone, those that one text has are those that the other
    one has not: they were corrected."""
    lone: tuple[list[int], list[int]] = ([], [])
    rest: list[Difference] = []
    for item in differences.items:
        in_a, in_b = range(item.start_a, item.end_a), range(item.start_b, item.end_b)
        spelled = [a.spellings[i] for i in in_a] or [b.spellings[i] for i in in_b]
        if item.added and all(notes_of(word) & AMOUNT for word in spelled):
            lone[0].extend(in_a)
            lone[1].extend(in_b)
        else:
            rest.append(item)
    if not lone[0] or not lone[1]:
        return differences
    paired = min(len(lone[0]), len(lone[1]))
    rest += [Difference(x, x + 1, y, y + 1, None) for x, y in zip(*lone, strict=False)]
    rest += [Difference(x, x + 1, 0, 0, None) for x in lone[0][paired:]]
    rest += [Difference(0, 0, y, y + 1, None) for y in lone[1][paired:]]
    return replace(differences, items=rest)
