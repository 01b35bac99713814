"""Fixtures for the tests that break things on purpose."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# Tests are no package; what those of Paperless share is used here, too.
sys.path.insert(0, str(Path(__file__).parents[1] / "integration"))
sys.path.insert(0, str(Path(__file__).parent))

from breaking import Report, fast_folder
from paperless_fixtures import stand_in  # noqa: F401


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with fast_folder(tmp_path) as found:
        yield found


@pytest.fixture
def report(record_property: Callable[[str, object], None]) -> Report:
    def put(**figures: int) -> None:
        told = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in figures.items())
        record_property("figures", told)

    return put


def pytest_terminal_summary(terminalreporter) -> None:
    """For the long faults: what each did, and how it ended."""
    rows = [
        (
            report.nodeid.rpartition("::")[2],
            report.outcome,
            report.duration,
            dict(report.user_properties),
        )
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, ())
        if report.when == "call" and "/long_" in report.nodeid
    ]
    if not rows:
        return
    terminalreporter.section("faults")
    for name, outcome, seconds, told in rows:
        end = "equal to a fresh library" if outcome == "passed" else "FAILED"
        what = name.removeprefix("test_").replace("_", " ")
        terminalreporter.line(f"{what}: {told.get('figures', '')}; {end} ({seconds:.0f} s)")
