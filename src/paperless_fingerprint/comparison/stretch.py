"""Where a part lies in a whole."""

from __future__ import annotations

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


def place_of(alignment: Alignment, whole: Tokens, *, in_a: bool) -> Place | None:
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
    spans = whole.spans()
    first, last = best[0], best[-1]
    return Place(spans[first][0], spans[last][1], first + 1, last + 1, len(spans))
