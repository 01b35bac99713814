"""Timing and reporting that the benchmarks share. CPU time, best of several rounds."""

from __future__ import annotations

import gc
import json
import os
import platform
import resource
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]


def cpu_seconds(work: Callable[[], object], *, rounds: int = 5, times: int = 1) -> float:
    """The least CPU time of one call, over some rounds of `times` calls."""
    best = float("inf")
    gc.collect()
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(times):
            work()
        best = min(best, (time.process_time() - start) / times)
    return best


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def machine() -> dict[str, str]:
    """What the figures depend on."""
    cpu = platform.processor() or platform.machine()
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                cpu = line.partition(":")[2].strip()
                break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return {
        "date": time.strftime("%Y-%m-%d"),
        "processor": cpu,
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GB",
        "others at work": f"{os.getloadavg()[0]:.0f}",
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
    }


def report(name: str, rows: list[Row], folder: Path | None, *, kept_by: Sequence[str] = ()) -> None:
    """A table for people on stdout, and the same as JSON in the folder (see left())."""
    rows = left(name, rows, folder, kept_by=kept_by)
    print(f"\n## {name}\n")
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = [[_shown(row.get(column, "")) for column in columns] for row in rows]
    widths = [max(len(c), *(len(row[i]) for row in cells)) for i, c in enumerate(columns)]
    for line in (columns, ["-" * width for width in widths], *cells):
        print("| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |")
    sys.stdout.flush()


def left(
    name: str, rows: list[Row], folder: Path | None, *, kept_by: Sequence[str] = ()
) -> list[Row]:
    """Writes the rows as JSON into the folder, and gives back all that now stand there.

    With `kept_by` rows of earlier runs stay, but for those of which these columns say the same:
    what takes an hour is measured by itself."""
    if folder is None:
        return rows
    path = folder / f"{name}.json"
    if kept_by and path.exists():
        both = [*json.loads(path.read_text()), *rows]
        known = {tuple(row.get(column, "") for column in kept_by): row for row in both}
        rows = [known[key] for key in sorted(known)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, indent=1) + "\n")
    return rows


def told(row: Row) -> None:
    """One line on stderr, so that whoever waits sees what is there already."""
    shown = ", ".join(f"{name} {_shown(value)}" for name, value in row.items())
    print(f"{time.strftime('%H:%M:%S')} {shown}", file=sys.stderr, flush=True)


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
