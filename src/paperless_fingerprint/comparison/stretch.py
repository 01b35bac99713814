"""Where a part lies in a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from paperless_fingerprint.comparison.alignment import Alignment
from paperless_fingerprint.text.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part lies in the whole: characters of the whole's text, and words."""

    start: int
    end: int
    first_word: int
    last_word: int
    of_words: int


#: A quotation may be broken by a few lines, but not by a page.
_BROKEN_BY = 60
#: What is so many times as long as the part is not its place alone: of two letters of one form in one
#: bundle each is matched with the form of both.
_SCATTERED = 1.3
#: Sums of shares differ in their last digits.
_ROUNDED = 1e-6


def place_of(alignment: Alignment, part: Tokens, whole: Tokens, *, in_a: bool) -> Place | None:
    """The stretch of the whole that holds the part."""
    matches = alignment.to_b if in_a else alignment.to_a
    found = [position for position, match in enumerate(matches) if match >= 0]
    if not found:
        return None
    clusters: list[list[int]] = [[found[0]]]
    for position in found[1:]:
        if position - clusters[-1][-1] > _BROKEN_BY:
            clusters.append([])
        clusters[-1].append(position)
    best = max(clusters, key=len)
    first, last = best[0], best[-1]
    if last - first > _SCATTERED * len(part.keys):
        first, last = _most_alike(part.keys, whole.keys)
    spans = whole.spans()
    return Place(spans[first][0], spans[last][1], first + 1, last + 1, len(spans))


def _most_alike(part: Sequence[str], whole: Sequence[str]) -> tuple[int, int]:
    """First and last of as many tokens in a row as the part has, which have most in common with it;
    what the whole has in several places says the less."""
    missing, common = Counter(part), Counter(whole)
    held = most = 0.0
    end = 0
    for at, key in enumerate(whole):
        held += (missing[key] > 0) / common[key]
        missing[key] -= 1
        if at >= len(part):
            gone = whole[at - len(part)]
            missing[gone] += 1
            held -= (missing[gone] > 0) / common[gone]
        if held > most + _ROUNDED:
            most, end = held, at
    return max(0, end - len(part) + 1), end
