"""Figures for Prometheus: counters and a histogram of how long answers take, by route."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

_PREFIX = "paperless_fingerprint_"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

#: (name, kind, help, value); a figure whose value is None is left out.
Figure = tuple[str, str, str, float | None]


class Metrics:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: Counter[tuple[str, int]] = Counter()
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * len(BUCKETS))
        self._seconds: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._own: Counter[tuple[str, str]] = Counter()

    def count(self, route: str, status: int, seconds: float) -> None:
        with self._lock:
            self._answers[route, status] += 1
            self._counts[route] += 1
            self._seconds[route] += seconds  # type: ignore[assignment]
            buckets = self._buckets[route]
            for place, limit in enumerate(BUCKETS):
                if seconds <= limit:
                    buckets[place] += 1

    def decided(self, verdict: str, outcome: str, times: int = 1) -> None:
        with self._lock:
            self._own[verdict, outcome] += times

    def lines(self) -> list[str]:
        with self._lock:
            answers, own = dict(self._answers), dict(self._own)
            counts, seconds = dict(self._counts), dict(self._seconds)
            buckets = {route: list(found) for route, found in self._buckets.items()}
        lines = _head("http_answers_total", "counter", "Answers by route and status")
        lines += [
            f'{_PREFIX}http_answers_total{{route="{_escaped(route)}",status="{status}"}} {count}'
            for (route, status), count in sorted(answers.items())
        ]
        lines += _head("http_answer_seconds", "histogram", "How long answers take, by route")
        for route in sorted(counts):
            label = f'route="{_escaped(route)}"'
            name = f"{_PREFIX}http_answer_seconds"
            for limit, count in zip(BUCKETS, buckets[route], strict=True):
                lines.append(f'{name}_bucket{{{label},le="{limit:g}"}} {count}')
            lines.append(f'{name}_bucket{{{label},le="+Inf"}} {counts[route]}')
            lines.append(f"{name}_sum{{{label}}} {seconds[route]:.6f}")
            lines.append(f"{name}_count{{{label}}} {counts[route]}")
        lines += _head("decisions_total", "counter", "Decisions of people by what became of them")
        lines += [
            f'{_PREFIX}decisions_total{{verdict="{verdict}",outcome="{outcome}"}} {count}'
            for (verdict, outcome), count in sorted(own.items())
        ]
        return lines


def figures(found: Iterable[Figure]) -> list[str]:
    lines: list[str] = []
    for name, kind, help, value in found:
        if value is not None:
            lines += [*_head(name, kind, help), f"{_PREFIX}{name} {value}"]
    return lines


def text_of(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


def _head(name: str, kind: str, help: str) -> list[str]:
    return [f"# HELP {_PREFIX}{name} {help}.", f"# TYPE {_PREFIX}{name} {kind}"]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
