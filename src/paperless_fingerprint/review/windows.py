"""Of two texts that are too long to be shown whole, the stretches that are compared: where the
shorter one stands in the longer, or where two that begin alike begin to differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from paperless_fingerprint.review.diff_cache import Segment

_WORD = re.compile(r"\w+")
#: Words that are looked for in the other text, and stand there once.
_RUN = 4
#: So many of the next ones must stand as far from there, give or take some characters.
_AGREEING, _NEXT, _GIVE_OR_TAKE = 3, 10, 200
#: Characters that stay before the place and after it.
_AROUND = 1_000


def starts(a: str, b: str, most: int) -> tuple[int, int]:
    """Where the two stretches begin, of `most` characters each. As early as can be."""
    if max(len(a), len(b)) <= most:
        return 0, 0
    if len(a) > len(b):
        second, first = starts(b, a, most)
        return first, second
    place = _place(a[:most], b)
    begin = min(place - _AROUND, place + min(len(a), most) + _AROUND - most)
    if begin > 0:
        return 0, _next_line(b, begin, place)
    alike = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    begin = min(alike - _AROUND, len(b) - most)
    begin = _next_line(a, begin, alike) if begin > 0 else 0
    return begin, begin


def _next_line(text: str, begin: int, before: int) -> int:
    end = text.find("\n", begin, before)
    return begin if end < 0 else end + 1


def _place(part: str, whole: str) -> int:
    """How much later the part's words stand in the whole; 0 where that cannot be told."""
    once: dict[tuple[str, ...], int] = {}
    for run, at in _runs(whole):
        once[run] = -1 if run in once else at
    found = [
        there - at for run, at in islice(_runs(part), 0, None, _RUN)
        if (there := once.get(run, -1)) >= 0
    ]  # fmt: skip
    for n, later in enumerate(found):
        agreeing = (abs(each - later) <= _GIVE_OR_TAKE for each in found[n + 1 : n + 1 + _NEXT])
        if sum(agreeing) >= _AGREEING:
            return max(later, 0)
    return 0


def _runs(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    words = [(match[0].lower(), match.start()) for match in _WORD.finditer(text)]
    for n in range(len(words) - _RUN + 1):
        yield tuple(word for word, _ in words[n : n + _RUN]), words[n][1]


def without_ends(segments: list[Segment], *, first: bool, last: bool) -> list[Segment]:
    """Without what one text alone seems to have before the first or after the last stretch that
    both have: where a text was cut, the other's may stand beyond."""
    shared = [n for n, s in enumerate(segments) if s.kind == "same" and len(s.a.split()) >= _RUN]
    if not shared:
        return segments
    return segments[shared[0] if first else 0 : shared[-1] + 1 if last else None]
