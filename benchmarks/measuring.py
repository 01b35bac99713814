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
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


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
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
    }


def report(
    name: str, rows: list[dict[str, object]], folder: Path | None, *, kept_by: str = ""
) -> None:
    """A table for people on stdout, and the same as JSON in the folder.

    With `kept_by` rows of earlier runs stay there, but for those of which this column says the same:
    what takes an hour is measured by itself."""
    path = folder / f"{name}.json" if folder else None
    if kept_by and path and path.exists():
        known = {row[kept_by]: row for row in [*json.loads(path.read_text()), *rows]}
        rows = [known[key] for key in sorted(known)]
    print(f"\n## {name}\n")
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = [[_shown(row.get(column, "")) for column in columns] for row in rows]
    widths = [max(len(c), *(len(row[i]) for row in cells)) for i, c in enumerate(columns)]
    for line in (columns, ["-" * width for width in widths], *cells):
        print("| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |")
    sys.stdout.flush()
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows, indent=1) + "\n")


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
