"""Pages as they would be printed: where each line of a text stands on A4.

`letters.npz` holds the letters of Liberation Sans: how wide each is, in thousandths of its size,
and how it looks 8.4 pixels high in sixteen greys, which is what a thumbnail is made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np

WIDTH, HEIGHT = 595, 842
_MARGIN = 52
_SIZE, _LEADING, _HEADING = 10.0, 13.0, 13.0
_FIXED_SIZE, _FIXED_WIDTH = 8.0, 600
_SMALLEST = 0.55
_MOST_PAGES = 60
#: 'Page 2', 'DOCUMENT 3': where the text itself says that another page begins.
_PAGE_BEGINS = re.compile(r"(?:document|page|seite|blatt|pagina|página) \d{1,3}", re.IGNORECASE)
#: A table, which would fall apart in letters of different widths.
_COLUMNS = re.compile(r"\S {3,}\S|^ {6,}\S")


@dataclass(frozen=True, slots=True)
class Line:
    """In points from the top left; `y` is where the letters stand."""

    x: float
    y: float
    size: float
    text: str
    is_fixed: bool = False


@cache
def letters() -> dict[str, Any]:
    with (files(__package__) / "letters.npz").open("rb") as file, np.load(file) as found:
        return {
            chr(int(code)): (int(width), shape)
            for code, width, shape in zip(
                found["characters"], found["widths"], found["shapes"], strict=True
            )
        }


def width_of(character: str, *, is_fixed: bool = False) -> int:
    """In thousandths of the size."""
    if is_east_asian(character):
        return 1000
    if is_fixed:
        return _FIXED_WIDTH
    known = letters().get(character)
    return 278 if character == " " else known[0] if known else 556


def is_east_asian(character: str) -> bool:
    return "\u2e80" <= character <= "\ufaff" or "\uff00" <= character <= "\uffef"


def pages_of(text: str, count: int | None = None) -> list[list[Line]]:
    """As many pages as Paperless says that there are, where the text fits on them."""
    told: list[Sequence[str]] = [part.expandtabs().splitlines() for part in text.split("\f")]
    if len(told) == 1:
        told = _parted(told[0], max(1, min(count or 1, _MOST_PAGES)))
    elif not any(told[-1]):
        told.pop()
    is_first = True
    pages: list[list[Line]] = []
    for lines in told:
        for page in _printed(lines, is_first=is_first):
            pages.append(page)
            is_first = False
    return pages


def _parted(lines: Sequence[str], count: int) -> list[Sequence[str]]:
    """Where the text says so, or else at the empty lines nearest to equal parts."""
    begins = [i for i, line in enumerate(lines) if i and _PAGE_BEGINS.fullmatch(line.strip())]
    if len(begins) + 1 != count:
        empty = [i + 1 for i, line in enumerate(lines) if not line.strip()] or range(len(lines))
        begins = sorted(
            {
                min(empty, key=lambda i, wanted=wanted: abs(i - wanted), default=0)
                for wanted in (round(n * len(lines) / count) for n in range(1, count))
            }
        )
    parts = [lines[start:end] for start, end in pairwise([0, *begins, len(lines)])]
    return parts + [[]] * (count - len(parts))


def _printed(lines: Sequence[str], *, is_first: bool) -> Iterator[list[Line]]:
    """Smaller letters where there is much, and another page where they would be too small."""
    room = HEIGHT - 2 * _MARGIN
    scale = 1.0
    while True:
        folded = [piece for line in lines for piece in _folded(line, scale)]
        if len(folded) * _LEADING * scale <= room or scale <= _SMALLEST:
            break
        scale = max(_SMALLEST, scale - 0.05)
    most = int(room / (_LEADING * scale))
    heading = next((i for i, line in enumerate(folded) if line[0].strip()), -1)
    for start in range(0, max(1, len(folded)), most):
        page = []
        for row, (text, is_fixed) in enumerate(folded[start : start + most]):
            size = _FIXED_SIZE if is_fixed else _SIZE
            if is_first and start + row == heading and not is_fixed and len(text) <= 60:
                size = _HEADING
            if text.strip():
                y = _MARGIN + (row + 1) * _LEADING * scale
                page.append(Line(_MARGIN, round(y, 1), round(size * scale, 2), text, is_fixed))
        yield page


def _folded(line: str, scale: float) -> Iterator[tuple[str, bool]]:
    """What is too long for one line goes on in the next."""
    is_fixed = bool(_COLUMNS.search(line))
    room = (WIDTH - 2 * _MARGIN) * 1000 / ((_FIXED_SIZE if is_fixed else _SIZE) * scale)
    start, used, gap = 0, 0, 0
    for at, character in enumerate(line):
        used += width_of(character, is_fixed=is_fixed)
        if character == " ":
            gap = at + 1
        if used > room and at > start:
            end = gap if gap > start else at
            yield line[start:end].rstrip(), is_fixed
            start = end
            used = sum(width_of(c, is_fixed=is_fixed) for c in line[start : at + 1])
    yield line[start:].rstrip(), is_fixed
