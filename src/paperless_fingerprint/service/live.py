"""What the worker is at: kept for whoever looks, and told to whoever listens."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from paperless_fingerprint.library.clock import text_of
from paperless_fingerprint.progress import Progress, Silent

_LINES = 50
#: Too little is done before to say how long the rest takes.
_SHARE_TO_ESTIMATE = 0.01
#: What a sync does one after the other.
STEPS = (
    ("fetch documents",),
    ("read the library", "find candidates"),
    ("learn the words", "compare", "analyse"),
    ("groups",),
)


@dataclass(frozen=True, slots=True)
class Doing:
    what: str = ""
    done: int = 0
    total: int | None = None
    since: float = 0.0
    #: Which of STEPS this is, counted from 1; None outside of a sync.
    step: int | None = None

    def seconds_left(self, now: float) -> float | None:
        if not self.total or self.done < self.total * _SHARE_TO_ESTIMATE or not self.done:
            return None
        left = max(0, self.total - self.done)
        return round((now - self.since) * left / self.done, 1)


class LiveProgress:
    """A Progress that remembers what it was told, and passes it on."""

    def __init__(
        self, inner: Progress | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._inner = inner or Silent()
        self._clock = clock
        self._lock = threading.Lock()
        self._listeners: list[Callable[[], None]] = []
        self.doing = Doing()
        self.lines: deque[str] = deque(maxlen=_LINES)
        self.version = 0

    def begin(self, what: str, total: int | None = None) -> None:
        self._inner.begin(what, total)
        step = next((n for n, names in enumerate(STEPS, 1) if what in names), None)
        if step != 1 and self.doing.step is None:
            step = None
        self.doing = Doing(what, 0, total, self._clock(), step)
        self.changed()

    def advance(self, by: int = 1) -> None:
        self._inner.advance(by)
        now = self.doing
        self.doing = replace(now, done=now.done + by)
        self.changed()

    def say(self, message: str) -> None:
        self._inner.say(message)
        self.lines.append(f"{text_of(time.time())} {message}")
        self.changed()

    def changed(self) -> None:
        with self._lock:
            self.version += 1
            listeners = list(self._listeners)
        for listener in listeners:
            listener()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Called after each change, from any thread; what it gives back ends that."""
        with self._lock:
            self._listeners.append(listener)

        def end() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return end

    def seconds_left(self) -> float | None:
        return self.doing.seconds_left(self._clock())
