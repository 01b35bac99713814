"""Comparisons wait for each other in a lane of their own: nobody who only reads waits for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from paperless_fingerprint.review.differences import NotReady, only_what_is_ready

T = TypeVar("T")


async def read(work: Callable[[], T], lane: CapacityLimiter) -> T:
    """What changes nothing: it is begun again where a comparison turns out to be missing."""
    try:
        with only_what_is_ready():
            return await to_thread.run_sync(work)
    except NotReady:
        return await to_thread.run_sync(work, limiter=lane)
