"""Pictures of what the benchmarks have left: python benchmarks/plots.py FOLDER [--add LINE] [--out FOLDER]

growth.svg   CPU, memory and disk by the number of documents (analysis.json)
others.svg   duplicates found, and what that costs, beside what else there is (peers.json, fingerprints.json)
search.svg   what FINGERPRINT finds against what it costs, beside what people use instead (search.json)
levels.svg   duplicates found by how much two readings have in common (levels.json, of accuracy.py)
sure.svg     how sure the judgement is, and how often it is right (sure.json, of fit.py)

--add takes a row of analysis.json as a line of JSON, for what was measured elsewhere: "store"
("sqlite", or a version of Elasticsearch), "documents", and of the other columns those that there are.
Drawn by hand, because a library for it would be a hundred times as large as what it draws. The
colours follow the reader's: a picture brings its own ground, and both of them are in it.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any, TypeAlias
from xml.sax.saxutils import escape

from measuring import Row, left

_WIDTH, _HEIGHT = 420, 270
_LEFT, _TOP, _RIGHT, _BOTTOM = 56, 34, 26, 40
_ACROSS = 2
#: By name of a class: on white, on black.
_COLOURS = {
    "ground": ("#ffffff", "#0d1117"), "ink": ("#24292f", "#e6edf3"), "pale": ("#d8dee4", "#30363d"),
    "c0": ("#0b6e4f", "#3fb68b"), "c1": ("#9a4a10", "#f0a35e"), "c2": ("#3b52a5", "#8ea6ff"),
    "c3": ("#8250df", "#d2a8ff"), "quiet": ("#6e7781", "#8b949e"),
}  # fmt: skip

Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    colour: str
    points: list[Point]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Growth:
    """Lines on scales that grow tenfold; the grey one grows as the library does."""

    title: str
    lines: list[Line]

    def drawn(self) -> list[str]:
        lines = [line for line in self.lines if line.points]
        points = [point for line in lines for point in line.points]
        if not points:
            return []
        axes = _Axes([x for x, _ in points], [y for _, y in points])
        parts = axes.drawn()
        for number, line in enumerate(lines):
            if number == 0:
                parts.append(axes.in_proportion(line.points))
            placed = [(axes.x(x), axes.y(y)) for x, y in line.points]
            parts += [
                _stroke(pair, line.colour, 2, "5 3" if line.dashed else "")
                for pair in pairwise(placed)
            ]
            parts += [_dot(at, line.colour) for at in placed]
            place = _HEIGHT - _BOTTOM - 8 - 14 * (len(lines) - 1 - number)
            parts.append(_text(_WIDTH - _RIGHT - 6, place, line.name, line.colour, anchor="end"))
        return parts


@dataclass(frozen=True, slots=True)
class Bars:
    title: str
    #: (name, value, as it is shown).
    bars: list[tuple[str, float, str]]
    #: Whose bar is coloured.
    ours: str
    #: Tenfold steps, from the least on.
    logarithmic: bool = False

    def drawn(self) -> list[str]:
        room, start = _WIDTH - 250, 180
        most = max(value for _, value, _ in self.bars) or 1.0
        # What is too little to be measured has no logarithm.
        values = [max(value, most / 10_000) for _, value, _ in self.bars]
        low = math.floor(math.log10(min(values))) if self.logarithmic else 0.0
        whole = (math.log10(most) - low if self.logarithmic else most) or 1.0
        parts = []
        for number, ((name, _, shown), value) in enumerate(zip(self.bars, values, strict=True)):
            at = _TOP + 8 + number * min(34, (_HEIGHT - _TOP - 20) / len(self.bars))
            size = (math.log10(value) - low if self.logarithmic else value) / whole * room
            colour = "c0" if name.startswith(self.ours) else "quiet"
            parts.append(
                f'<rect x="{start}" y="{at:.1f}" width="{max(1, size):.1f}" height="16" class="{colour} f"/>'
            )
            parts.append(_text(start - 6, at + 12, name, anchor="end"))
            parts.append(_text(start + max(1, size) + 5, at + 12, shown))
        return parts


@dataclass(frozen=True, slots=True)
class Scatter:
    """Points with numbers: what is found against what it costs."""

    title: str
    points: list[tuple[str, Point, str]]

    def drawn(self) -> list[str]:
        axes = _Axes([x for _, (x, _), _ in self.points], [0.0, 1.0], linear=True)
        parts = axes.drawn()
        for number, (name, (x, y), colour) in enumerate(self.points, 1):
            at = axes.x(x), axes.y(y)
            parts.append(_dot(at, colour, 8))
            parts.append(_text(at[0], at[1] + 4, str(number), "ground", anchor="middle"))
            line = _HEIGHT - _BOTTOM - 8 - 14 * (len(self.points) - number)
            parts.append(_text(_LEFT + 8, line, f"{number}  {name}", colour))
        return parts


@dataclass(frozen=True, slots=True)
class Square:
    """Shares against shares, from nothing to all."""

    title: str
    lines: list[Line]
    #: Dotted where both are equal; otherwise the room is for the names, beside the lines.
    diagonal: bool = False

    def drawn(self) -> list[str]:
        names = 0 if self.diagonal else 110
        width, height = _WIDTH - _LEFT - _RIGHT - names, _HEIGHT - _TOP - _BOTTOM

        def at(point: Point) -> Point:
            return _LEFT + point[0] * width, _HEIGHT - _BOTTOM - point[1] * height

        parts = [_stroke([at((0, 0)), at((1, 1))], "quiet", 1, "2 3")] if self.diagonal else []
        for step in (n / 5 for n in range(6)):
            parts.append(_stroke([at((0, step)), at((1, step))], "pale"))
            parts.append(_text(_LEFT - 6, at((0, step))[1] + 4, f"{step:g}", anchor="end"))
            parts.append(_text(at((step, 0))[0], at((0, 0))[1] + 16, f"{step:g}", anchor="middle"))
        for number, line in enumerate(self.lines):
            placed = [at(point) for point in line.points]
            parts.append(_stroke(placed, line.colour, 2, "5 3" if line.dashed else ""))
            parts += [_dot(point, line.colour) for point in placed]
            place = _HEIGHT - _BOTTOM - 8 - 14 * (len(self.lines) - 1 - number)
            left, anchor = (at((1, 0))[0] + 10, "start") if names else (at((1, 0))[0] - 6, "end")
            parts.append(_text(left, place, line.name, line.colour, anchor=anchor))
        return parts


class _Axes:
    def __init__(self, xs: list[float], ys: list[float], *, linear: bool = False) -> None:
        self._xs = _decades(xs)
        self._ys = (0, 1) if linear else _decades(ys)
        self._linear = linear

    def x(self, value: float) -> float:
        low, high = self._xs
        return _LEFT + (math.log10(value) - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        low, high = self._ys
        share = (value if self._linear else math.log10(value)) - low
        return _HEIGHT - _BOTTOM - share / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    def drawn(self) -> list[str]:
        parts = []
        top, bottom = _TOP, _HEIGHT - _BOTTOM
        for power in range(self._xs[0], self._xs[1] + 1):
            at = self.x(10.0**power)
            parts.append(_stroke([(at, bottom), (at, top)], "pale"))
            parts.append(_text(at, bottom + 16, _power(power), anchor="middle"))
        steps = (
            [n / 5 for n in range(6)]
            if self._linear
            else [10.0**p for p in range(self._ys[0], self._ys[1] + 1)]
        )
        for value in steps:
            at = self.y(value)
            parts.append(_stroke([(_LEFT, at), (_WIDTH - _RIGHT, at)], "pale"))
            parts.append(_text(_LEFT - 6, at + 4, f"{value:,g}", anchor="end"))
        return parts

    def in_proportion(self, points: list[Point]) -> str:
        """How it would grow as the library does, from the first point on."""
        (x, y), (last, _) = points[0], points[-1]
        end = min(last, x * 10 ** self._ys[1] / y)
        return _stroke(
            [(self.x(x), self.y(y)), (self.x(end), self.y(y * end / x))], "quiet", 1, "2 3"
        )


Panel: TypeAlias = Growth | Bars | Scatter | Square


def growth(rows: list[Row]) -> list[Panel]:
    stores = {"SQLite": ("c0", "c1")} | {
        f"Elasticsearch {kind}": ("c2", "c3") for kind in _kinds(rows) if kind != "sqlite"
    }

    def lines(*columns: tuple[str, str]) -> list[Line]:
        found = []
        for shown, colours in stores.items():
            kind = shown.partition(" ")[2] or "sqlite"
            for number, (column, what) in enumerate(columns):
                points = sorted(
                    (row["documents"], row[column])
                    for row in rows
                    if row["store"] == kind and row.get(column)
                )
                found.append(
                    Line(
                        f"{shown}{what and ', '}{what}", colours[number], points, dashed=number == 1
                    )
                )
        return found

    return [
        Growth("CPU, seconds (a node's included)", lines(("import, CPU s", "import"), ("analyze, CPU s", "analysis"))),
        Growth("Memory, MB (without a node's)", lines(("import, MB", "import"), ("analyze, all processes, MB", "analysis"))),
        Growth("On the disk, MB", lines(("disk, MB", ""))),
        Growth("One document more, CPU ms", lines(("one more, CPU ms", ""))),
    ]  # fmt: skip


def others(peers: list[Row], speeds: list[Row]) -> list[Panel]:
    def bars(column: str) -> list[tuple[str, float, str]]:
        return [(row["way"], row[column], f"{row[column]:.2f}") for row in peers]

    count = (
        f"{peers[0]['duplicates']} duplicates among {peers[0]['documents']:,} letters"
        if peers
        else ""
    )
    ours = "paperless-fingerprint"
    found: list[Panel] = []
    if peers:
        found += [
            Bars(f"Found of {count}", bars("found"), ours),
            Bars("Right of those called duplicate", bars("right of those called duplicate"), ours),
            Bars(
                f"CPU seconds for {peers[0]['made documents']:,} documents, tenfold steps",
                [(n, v, f"{v:.3g}") for n, v, _ in bars("CPU s")],
                ours,
                logarithmic=True,
            ),
        ]
    if speeds:
        row = next(row for row in speeds if row["words"] == 350)
        names = {
            "all of it, of many at a time, ms": f"{ours}, all",
            "our signature alone, ms": f"{ours}, signature",
            "floor, ms": "tokenise, hash each shingle",
            "datasketch update loop, ms": "datasketch, update",
            "datasketch update_batch, ms": "datasketch, update_batch",
            "rensa, ms": "rensa, signature",
        }
        each = [(name, row[column], f"{row[column]:.2g}") for column, name in names.items()]
        found.append(
            Bars("Fingerprint of 350 words, CPU ms, tenfold steps", each, ours, logarithmic=True)
        )
    return found


def searches(rows: list[Row]) -> list[Panel]:
    found: list[Panel] = []
    for kind in _kinds(rows):
        points = []
        for row in rows:
            if row["store"] == kind and row.get("possible"):
                way = row["way"].removesuffix(", whole")
                is_ours = way.startswith("_")
                name = f"{'FINGERPRINT ' * is_ours}{way}: {row['wrong']} of those shown are wrong"
                at = row["p95 ms"], row["right"] / row["possible"]
                points.append((name, at, "c0" if is_ours else "c1"))
        plain = [row["p95 ms"] for row in rows if row["store"] == kind and row["way"] == "plain"]
        store = "SQLite" if kind == "sqlite" else f"Elasticsearch {kind}"
        if points:
            count = max(row["documents"] for row in rows if row["store"] == kind)
            title = f"{store}, {count:,} documents: CPU ms at p95 (plain {plain[0]:.1f})"
            found.append(Scatter(title, points))
    return found


def levels(rows: list[Row]) -> list[Panel]:
    ways = dict.fromkeys(row["by"] for row in rows)
    lines = [
        Line(way, colour, [(row["in common"], row["found"]) for row in rows if row["by"] == way])
        for way, colour in zip(ways, cycle(("c0", "c1", "c2", "c3", "quiet")), strict=False)
    ]
    return [Square("Duplicates found, by the share of runs in common", lines)] if rows else []


def sure(rows: list[Row]) -> list[Panel]:
    def line(said: str, column: str, name: str, colour: str) -> Line:
        points = [(row["on average"], row[column]) for row in rows if row["said"] == said]
        return Line(name, colour, points, dashed=colour == "c1")

    return [
        Square(
            f"Said to be a {said}: how sure (across), and how often so",
            [line(said, "related", "related indeed", "c0"), line(said, "so", "and in this way", "c1")],
            diagonal=True,
        )
        for said in dict.fromkeys(row["said"] for row in rows)
    ]  # fmt: skip


def _kinds(rows: list[Row]) -> list[str]:
    return list(
        dict.fromkeys(
            row["store"] for row in sorted(rows, key=lambda row: row["store"] != "sqlite")
        )
    )


def picture(panels: list[Panel], caption: list[str]) -> str:
    across = min(_ACROSS, len(panels))
    width = max(_WIDTH, across * _WIDTH)
    height = math.ceil(len(panels) / across) * _HEIGHT
    whole = height + 8 + 14 * len(caption)
    light, dark = (
        "".join(f".{name}{{--c:{pair[at]}}}" for name, pair in _COLOURS.items()) for at in (0, 1)
    )
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{whole}" viewBox="0 0 {width} {whole}" '
            f'font-family="sans-serif" font-size="11" role="img" aria-label="{escape("; ".join(p.title for p in panels))}">'
        ),
        f"<style>{light}.f{{fill:var(--c)}}.s{{stroke:var(--c);fill:none}}@media(prefers-color-scheme:dark){{{dark}}}</style>",
        f'<rect width="{width}" height="{whole}" class="ground f"/>',
    ]
    for number, panel in enumerate(panels):
        x, y = number % across * _WIDTH, number // across * _HEIGHT
        parts.append(f'<g transform="translate({x},{y})">')
        parts.append(_text(12, 18, panel.title, weight="bold"))
        parts += [*panel.drawn(), "</g>"]
    parts += [_text(8, height + 8 + 14 * n, line, size=10) for n, line in enumerate(caption)]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _decades(values: list[float]) -> tuple[int, int]:
    low = math.floor(math.log10(min(values)))
    return low, max(low + 1, math.ceil(math.log10(max(values))))


def _power(power: int) -> str:
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"


def _stroke(points: Any, colour: str, width: float = 1, dashes: str = "") -> str:
    told = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    more = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{told}" class="{colour} s" stroke-width="{width}"{more}/>'


def _dot(at: Point, colour: str, radius: float = 3) -> str:
    return f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius}" class="{colour} f"/>'


def _text(x: float, y: float, text: str, colour: str = "ink", *, anchor: str = "start",
          size: int = 11, weight: str = "normal") -> str:  # fmt: skip
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{colour} f" '
        f'font-size="{size}" font-weight="{weight}">{escape(text)}</text>'
    )


def main(folder: Path, out: Path, added: list[str]) -> None:
    def rows(name: str) -> list[Row]:
        path = folder / f"{name}.json"
        return json.loads(path.read_text()) if path.exists() else []

    if added:
        left(
            "analysis", [json.loads(line) for line in added], folder, kept_by=("store", "documents")
        )
    about = folder / "machine.json"
    machine = json.loads(about.read_text()) if about.exists() else {}
    caption = ", ".join(f"{name} {value}" for name, value in machine.items())
    drawings: dict[str, tuple[Callable[[], list[Panel]], str]] = {
        "growth": (lambda: growth(rows("analysis")), "Dotted: in proportion to the library."),
        "others": (lambda: others(rows("peers"), rows("fingerprints")), ""),
        "search": (
            lambda: searches(rows("search")),
            "Upwards the share found: of the documents that hold a fifth of a source, ten at most, among the ten shown.",
        ),
        "levels": (lambda: levels(rows("levels")), ""),
        "sure": (lambda: sure(rows("sure")), "Dotted: as sure as it is right."),
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, (draw, remark) in drawings.items():
        panels = [panel for panel in draw() if panel.drawn()]
        if panels:
            path = out / f"{name}.svg"
            path.write_text(picture(panels, [line for line in (caption, remark) if line]))
            print(f"Drawn: {path}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, help="another folder for the pictures")
    parser.add_argument("--add", action="append", default=[], metavar="LINE")
    options = parser.parse_args()
    main(options.folder, options.out or options.folder, options.add)
