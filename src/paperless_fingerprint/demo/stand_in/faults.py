"""Switches with which a test makes the stand-in misbehave, for the next requests or by chance."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass
from enum import StrEnum

from paperless_fingerprint.demo.stand_in.answers import SERVER_ERROR_PAGE, Answer


class Fault(StrEnum):
    SERVER_ERROR = "server error"
    BAD_GATEWAY = "bad gateway"
    UNAVAILABLE = "unavailable"
    THROTTLED = "throttled"
    #: Answers, after `seconds`.
    SLOW = "slow"
    #: A page where JSON was expected, with status 200: a proxy, a login, some other program.
    HTML = "html"
    #: The connection ends in the middle of the body.
    CUT_OFF = "cut off"
    #: The connection ends before any answer; the change has not been made.
    DROPPED = "dropped"
    #: The change has been made, and the connection ends before the answer.
    LOST_ANSWER = "lost answer"
    REDIRECT = "redirect"


@dataclass(slots=True)
class _Planned:
    fault: Fault
    left: int
    path: str
    method: str


class Faults:
    def __init__(self) -> None:
        self.retry_after_seconds = 1
        self.slow_seconds = 0.2
        self.redirect_to = "http://elsewhere.invalid/"
        self.count = 0
        self._lock = threading.Lock()
        self._planned: list[_Planned] = []
        self._chance = 0.0
        self._choices: tuple[Fault, ...] = ()
        self._random = random.Random(0)

    def next(self, fault: Fault, times: int = 1, *, path: str = "", method: str = "") -> None:
        """The next `times` requests (whose path contains `path`) meet the fault."""
        with self._lock:
            self._planned.append(_Planned(fault, times, path, method))

    def by_chance(self, probability: float, *faults: Fault, seed: int = 0) -> None:
        with self._lock:
            self._chance, self._choices = probability, faults
            self._random = random.Random(seed)

    def clear(self) -> None:
        with self._lock:
            self._planned.clear()
            self._chance = 0.0

    def draw(self, method: str, path: str) -> Fault | None:
        """Which fault this request meets."""
        with self._lock:
            found: Fault | None = None
            for planned in self._planned:
                if planned.path in path and planned.method in {"", method}:
                    planned.left -= 1
                    found = planned.fault
                    break
            self._planned = [planned for planned in self._planned if planned.left > 0]
            if found is None and self._choices and self._random.random() < self._chance:
                found = self._random.choice(self._choices)
            if found is not None:
                self.count += 1
            return found

    def answer(self, fault: Fault) -> Answer | None:
        """An answer in place of the real one; None where the real one is given (or mangled)."""
        if fault is Fault.SLOW:
            time.sleep(self.slow_seconds)
            return None
        if fault is Fault.THROTTLED:
            seconds = self.retry_after_seconds
            detail = f"Request was throttled. Expected available in {seconds} seconds."
            return Answer(429, {"detail": detail}, headers={"Retry-After": str(seconds)})
        if fault is Fault.REDIRECT:
            return Answer(302, text="", headers={"Location": self.redirect_to})
        pages = {
            Fault.SERVER_ERROR: (500, SERVER_ERROR_PAGE),
            Fault.BAD_GATEWAY: (502, "<html><h1>502 Bad Gateway</h1></html>"),
            Fault.UNAVAILABLE: (503, "<html><h1>503 Service Unavailable</h1></html>"),
            Fault.HTML: (200, "<!DOCTYPE html><html><body>Welcome to nginx!</body></html>"),
        }
        if fault in pages:
            status, page = pages[fault]
            return Answer(status, text=page)
        return None
