"""What a process keeps in memory for speed, given back where it rests."""

from __future__ import annotations

import ctypes
from contextlib import suppress

from paperless_fingerprint.files import sqlite


def give_back() -> None:
    """What is read again when it is needed, and what has been freed and is kept for the next time."""
    sqlite.give_back_caches()
    give_back_what_is_freed()


def give_back_what_is_freed() -> None:
    """To the system. It is glibc that keeps it; elsewhere there is nothing to do."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
