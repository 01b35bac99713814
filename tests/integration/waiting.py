"""Waiting for another process: a condition, looked at again and again until a deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
#: Far more than anything needs; a test that runs into it has failed.
DEADLINE_SECONDS = 60.0


def until(
    condition: Callable[[], T], what: str = "the condition", *, seconds: float = DEADLINE_SECONDS
) -> T:
    deadline = time.monotonic() + seconds
    tick = threading.Event()
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come about: {found!r}")
        tick.wait(0.02)
