"""Interrupts searches that have run for too long.

One thread watches over all connections, because a search by words takes hardly longer than it takes
to start a thread.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

#: A search of many statements may have been between two of them when it was interrupted.
_AGAIN_SECONDS = 0.05


@dataclass(eq=False, slots=True)
class _Running:
    connection: sqlite3.Connection
    deadline: float


class TimeLimit:
    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running: set[_Running] = set()
        #: When the thread looks next; None while it has nothing to look for.
        self._next_look: float | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    @contextmanager
    def watching(self, connection: sqlite3.Connection, deadline: float) -> Iterator[None]:
        """Interrupts what runs on the connection at that moment of time.monotonic()."""
        one = _Running(connection, deadline)
        with self._changed:
            self._running.add(one)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="limit", daemon=True)
                self._thread.start()
            if self._next_look is None or deadline < self._next_look:
                self._changed.notify()
        try:
            yield
        finally:
            # Under the lock: nothing is interrupted that comes later on this connection.
            with self._changed:
                self._running.discard(one)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._closed:
                now = time.monotonic()
                for one in self._running:
                    if one.deadline <= now:
                        one.connection.interrupt()
                        one.deadline = now + _AGAIN_SECONDS
                # A look that turns out to be needless, because that search has ended, costs
                # less than telling the thread of every search.
                self._next_look = min((one.deadline for one in self._running), default=None)
                self._changed.wait(None if self._next_look is None else self._next_look - now)
