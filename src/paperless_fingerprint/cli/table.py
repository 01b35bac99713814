"""A table on the terminal. A library for this would take longer to load than most commands take."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import combining, east_asian_width

#: Into a pipe or a file a table is as wide as it needs to be.
_WIDTH_ELSEWHERE = 140
_GAP = "   "


def table_lines(
    columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]], width: int | None = None
) -> Iterator[str]:
    """`columns` are (heading, 'left' or 'right'). Wide cells are folded, never cut."""
    cells = [list(row) for row in rows]
    table = [[heading for heading, _ in columns], *cells]
    wanted = [max(cell_width(row[place]) for row in table) for place in range(len(columns))]
    room = (width or _terminal_width()) - 2 - len(_GAP) * (len(columns) - 1)
    widths = fitted(wanted, room)
    yield ""
    for number, row in enumerate(table):
        folded = [fold(cell, most) for cell, most in zip(row, widths, strict=True)]
        for line in range(max(map(len, folded))):
            parts = [
                _aligned(cell[line] if line < len(cell) else "", most, side)
                for cell, most, (_, side) in zip(folded, widths, columns, strict=True)
            ]
            yield f" {_GAP.join(parts)}".rstrip()
        if number == 0:
            yield " " + "─" * (sum(widths) + len(_GAP) * (len(columns) - 1))
    yield ""


def _terminal_width() -> int:
    if sys.stdout.isatty() or os.environ.get("COLUMNS"):
        import shutil

        return shutil.get_terminal_size().columns
    return _WIDTH_ELSEWHERE


def fitted(wanted: Sequence[int], room: int) -> list[int]:
    """The widest give way until all fit; each keeps one place at least."""
    widths = [max(width, 1) for width in wanted]
    while sum(widths) > room and max(widths) > 1:
        widest = max(widths)
        places = [place for place, width in enumerate(widths) if width == widest]
        next_one = max((width for width in widths if width < widest), default=1)
        excess = sum(widths) - room
        less = min(widest - next_one, -(-excess // len(places)))
        for place in places:
            given = min(less, excess)
            widths[place] -= given
            excess -= given
    return widths


def cell_width(text: str) -> int:
    """How many places of the terminal it takes."""
    if text.isascii():
        return len(text)
    return sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def fold(text: str, width: int) -> list[str]:
    """In lines of that width, between words where that can be."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if cell_width(longer) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        line = word
        while cell_width(line) > width:
            taken = _as_fits(line, width)
            lines.append(line[:taken])
            line = line[taken:]
    return [*lines, line]


def _as_fits(text: str, width: int) -> int:
    used = 0
    for place, character in enumerate(text):
        used += _character_width(character)
        if used > width:
            return max(place, 1)
    return len(text)


def _aligned(text: str, width: int, side: str) -> str:
    space = " " * (width - cell_width(text))
    return space + text if side == "right" else text + space
