"""Growth as a picture, from what analysis.py has left: python benchmarks/plots.py FOLDER [--out FILE]

Reads FOLDER/analysis.json and draws CPU, memory and disk against the number of documents, on scales
that grow tenfold, so that what grows as the library does is a line that rises as the grey one.
Drawn by hand, because a library for it would be a hundred times as large as what it draws.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT = 300, 250
_LEFT, _TOP, _RIGHT, _BOTTOM = 52, 34, 30, 40
_COLOURS = ("#0b6e4f", "#b5651d", "#4059ad")
_INK, _PALE = "#333333", "#dddddd"


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    #: (what, by number of documents).
    lines: tuple[tuple[str, dict[int, float]], ...]


def panels(rows: list[dict]) -> list[Panel]:
    def line(name: str, shown: str) -> tuple[str, dict[int, float]]:
        return shown, {row["documents"]: row[name] for row in rows if row.get(name)}

    return [
        Panel("CPU, seconds", (line("import, CPU s", "import"), line("analyze, CPU s", "analyze"))),
        Panel("Memory, MB", (line("import, MB", "import"), line("analyze, all processes, MB", "analyze, all processes"))),
        Panel("On the disk, MB", (line("disk, MB", "the library"),)),
        Panel("One document more, CPU ms", (line("one more, CPU ms", "taken in and analysed"),)),
    ]  # fmt: skip


def drawn(found: list[Panel], caption: str) -> str:
    width = _WIDTH * len(found)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT + 24}" '
            f'viewBox="0 0 {width} {_HEIGHT + 24}" font-family="sans-serif" font-size="11" role="img" '
            f'aria-label="{escape(", ".join(panel.title for panel in found))} by number of documents">'
        ),
        f'<rect width="{width}" height="{_HEIGHT + 24}" fill="white"/>',
    ]
    for number, panel in enumerate(found):
        parts.append(f'<g transform="translate({number * _WIDTH},0)">')
        parts += _panel(panel)
        parts.append("</g>")
    parts.append(_text(8, _HEIGHT + 14, caption, size=10))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(panel: Panel) -> list[str]:
    places = [x for _, line in panel.lines for x in line]
    values = [y for _, line in panel.lines for y in line.values()]
    if not values:
        return [_text(_LEFT, 18, panel.title, bold=True)]
    x_low, x_high = _decades(places)
    y_low, y_high = _decades(values)

    def x(value: float) -> float:
        share = (math.log10(value) - x_low) / (x_high - x_low)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        share = (math.log10(value) - y_low) / (y_high - y_low)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)

    parts = [_text(_LEFT, 18, panel.title, bold=True)]
    for power in range(x_low, x_high + 1):
        at = x(10**power)
        parts.append(_stroke([(at, y(10**y_low)), (at, y(10**y_high))], _PALE))
        parts.append(_text(at, _HEIGHT - _BOTTOM + 16, f"{10**power:,}", anchor="middle"))
    for power in range(y_low, y_high + 1):
        at = y(10**power)
        parts.append(_stroke([(x(10**x_low), at), (x(10**x_high), at)], _PALE))
        shown = f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"
        parts.append(_text(_LEFT - 6, at + 4, shown, anchor="end"))
    for number, (name, line) in enumerate(panel.lines):
        points = [(x(place), y(value)) for place, value in sorted(line.items())]
        if number == 0:
            parts.append(_as_the_library(line, x, y, y_high))
        parts.append(_stroke(points, _COLOURS[number], 2))
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{_COLOURS[number]}"/>' for a, b in points]  # fmt: skip
        parts.append(_text(_LEFT + 8, _TOP + 12 + 14 * number, name, colour=_COLOURS[number]))
    return parts


def _as_the_library(line: dict[int, float], x, y, y_high: int) -> str:
    """How it would grow in proportion, from the first point on."""
    first, last = min(line), max(line)
    end = min(last, first * 10**y_high / line[first])
    return _stroke([(x(first), y(line[first])), (x(end), y(line[first] * end / first))], "#999999", 1, "4 3")  # fmt: skip


def _decades(values: list[float]) -> tuple[int, int]:
    low = math.floor(math.log10(min(values)))
    return low, max(low + 1, math.ceil(math.log10(max(values))))


def _stroke(points: list[tuple[float, float]], colour: str, width: float = 1, dashes: str = "") -> str:  # fmt: skip
    told = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    more = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{told}" fill="none" stroke="{colour}" stroke-width="{width}"{more}/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start", colour: str = _INK,
          size: int = 11, bold: bool = False) -> str:  # fmt: skip
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" '
        f'font-size="{size}"{weight}>{escape(text)}</text>'
    )


def main(folder: Path, out: Path) -> None:
    rows = json.loads((folder / "analysis.json").read_text())
    about = folder / "machine.json"
    machine = json.loads(about.read_text()) if about.exists() else {}
    caption = ", ".join(f"{name} {value}" for name, value in machine.items())
    out.write_text(drawn(panels(rows), f"{caption}. Grey: in proportion to the library."))
    print(f"\nDrawn: {out}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    main(options.folder, options.out or options.folder / "growth.svg")
