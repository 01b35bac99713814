"""Where things stand in the pictures: numbers for the templates, which draw them as SVG.

Pure functions. Coordinates are those of the pictures' own boxes, so that a picture may be shown at
any width.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from paperless_fingerprint.languages import percent, whole
from paperless_fingerprint.review.neighbourhood import Edge, Node

GRAPH_WIDTH = 720
_RADIUS = 18
#: Of a title; letters of one kind are wider than those of another.
_LETTER = 8.0
#: From one row to the next; with few of them there is more room than is needed.
_LEAST_ROW, _MOST_ROW, _WANTED_HEIGHT = 36, 90, 420

CHART_WIDTH, CHART_HEIGHT = 640, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 50, CHART_WIDTH - 18, 28, CHART_HEIGHT - 30


@dataclass(frozen=True, slots=True)
class DrawnNode:
    id: int
    title: str
    x: float
    y: float
    #: How far it is from what it hangs from; None where that is not known.
    distance: float | None = None

    @property
    def is_left(self) -> bool:
        return self.x < GRAPH_WIDTH / 2

    @property
    def letters(self) -> int:
        """How much of its title there is room for, between it and the edge of the picture."""
        room = min(self.x, GRAPH_WIDTH - self.x) - _RADIUS - 8
        return int(room / _LETTER)


@dataclass(frozen=True, slots=True)
class Line:
    x1: float
    y1: float
    x2: float
    y2: float
    distance: float | None
    #: It holds the picture together; the others only say that these two have something in common.
    is_branch: bool


@dataclass(frozen=True, slots=True)
class GraphPicture:
    places: tuple[DrawnNode, ...]
    lines: tuple[Line, ...]
    height: float
    radius: int = _RADIUS

    @property
    def box(self) -> str:
        return f"0 0 {GRAPH_WIDTH} {self.height:g}"


def graph(nodes: Sequence[Node], edges: Sequence[Edge]) -> GraphPicture:
    """The centre first, then as one goes round: the order in which the keyboard walks."""
    rows = max(1, *Counter(node.x > 0.5 for node in nodes if node.via is not None).values(), 1)
    row = min(_MOST_ROW, max(_LEAST_ROW, _WANTED_HEIGHT / rows))
    # Whoever is alone on its side stands in the middle, where the name of the centre is.
    height = max(rows, 2) * row
    distances = {frozenset((edge.a, edge.b)): edge.distance for edge in edges}
    places = {
        node.id: DrawnNode(
            node.id,
            node.title,
            round(node.x * GRAPH_WIDTH, 1),
            round(height / 2 + (node.y - 0.5) * rows * row, 1),
            distances.get(frozenset((node.id, node.via or 0))),
        )
        for node in nodes
    }
    branches = {frozenset((node.id, node.via)) for node in nodes}
    lines = [
        Line(
            places[e.a].x, places[e.a].y, places[e.b].x, places[e.b].y, e.distance,
            frozenset((e.a, e.b)) in branches,
        )
        for e in edges
        if e.a in places and e.b in places
    ]  # fmt: skip
    # What matters is drawn last, and so above the others.
    return GraphPicture(
        tuple(places.values()), tuple(sorted(lines, key=lambda line: line.is_branch)), height
    )


@dataclass(frozen=True, slots=True)
class DrawnBar:
    x: float
    y: float
    width: float
    height: float
    #: Which series, from 0.
    series: int
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    bars: tuple[DrawnBar, ...] = ()
    points: str = ""
    width: int = CHART_WIDTH
    height: int = CHART_HEIGHT
    left: int = _LEFT
    right: int = _RIGHT
    top: int = _TOP
    bottom: int = _BOTTOM


def histogram(counts: Sequence[Sequence[int]], low: float, high: float) -> Chart:
    """Bars from `low` to `high`, one for each row of `counts`, a row's figures one on another."""
    top = _rounded_up(max((sum(row) for row in counts), default=0))
    rows = max(1, len(counts))
    width, step = (_RIGHT - _LEFT) / rows, (high - low) / rows
    bars = []
    for number, row in enumerate(counts):
        base = float(_BOTTOM)
        for series, count in enumerate(row):
            if not count:
                continue
            # A single pair among thousands is still to be seen.
            tall = max(2.0, (_BOTTOM - _TOP) * count / top)
            base -= tall
            bars.append(
                DrawnBar(
                    round(_LEFT + number * width + 1, 1), round(base, 1), round(width - 2, 1),
                    round(tall, 1), series, low + number * step, low + (number + 1) * step, count,
                )
            )  # fmt: skip
    shares = (0, 0.5, 1) if top % 2 == 0 else (0, 1)
    up = tuple(Tick(_up(share), whole(top * share)) for share in shares)
    return Chart(_ticks(low, high), up, bars=tuple(bars))


def curve(points: Sequence[tuple[float, float]]) -> Chart:
    drawn = " ".join(f"{across(x)},{_up(y)}" for x, y in points)
    up = tuple(Tick(_up(share), percent(share)) for share in (0, 0.5, 1))
    return Chart(_ticks(0.0, 1.0), up, points=drawn)


def across(value: float, low: float = 0.0, high: float = 1.0) -> float:
    share = (value - low) / (high - low) if high > low else 0.0
    return round(_LEFT + (_RIGHT - _LEFT) * min(1.0, max(0.0, share)), 1)


def _up(share: float) -> float:
    return round(_BOTTOM - (_BOTTOM - _TOP) * share, 1)


def _ticks(low: float, high: float) -> tuple[Tick, ...]:
    values = [low + (high - low) * number / 5 for number in range(6)]
    return tuple(Tick(across(value, low, high), percent(value)) for value in values)


def _rounded_up(most: int) -> int:
    """To a number that reads well on an axis."""
    if most <= 1:
        return 1
    unit = int(10 ** (len(str(most)) - 1))
    return next(n * unit for n in (1, 2, 3, 4, 5, 6, 8, 10) if n * unit >= most)
