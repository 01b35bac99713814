"""SECURITY.md says what is so: its tests are there, and its versions are kept."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SAID = (ROOT / "SECURITY.md").read_text()
#: package → the first version without a hole that is known
SOUND = dict(re.findall(r"^\| ([a-z0-9-]+) \| (\d[\d.]*) \|", SAID, re.MULTILINE))
PROMISES = SAID.partition("## Promises and their tests")[2].partition("## What we")[0]


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)))


def floors() -> dict[str, str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["web"]]
    return dict(re.findall(r"^([A-Za-z0-9-]+)>=([\d.]+)", "\n".join(wanted), re.MULTILINE))


def test_every_test_that_is_named_is_there() -> None:
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(), re.MULTILINE)
    }
    named = re.findall(r"`(test_\w+)`", PROMISES)
    assert len(named) > 30
    assert set(named) <= there


@pytest.mark.parametrize("package", sorted(SOUND))
def test_no_floor_and_no_lock_lies_below_a_known_hole(package: str) -> None:
    assert version(floors()[package]) >= version(SOUND[package])
    for lock in (ROOT / "deploy").glob("requirements*.lock"):
        locked = re.findall(rf"^{package}==([\d.]+)", lock.read_text(), re.MULTILINE)
        assert locked, f"{lock.name} has no {package}"
        assert all(version(found) >= version(SOUND[package]) for found in locked), lock.name
