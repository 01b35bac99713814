"""Who is signed in in a browser.

Sessions live in memory alone: with each goes a token of Paperless, and what is never written down
cannot be read from a disk or a backup. The price is that everybody signs in again after a restart.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

COOKIE = "paperless_fingerprint"
_MOST = 10_000


@dataclass(frozen=True, slots=True)
class BrowserSession:
    #: Goes into the cookie and nowhere else.
    secret: str = field(repr=False)
    #: Stands in every form of the page.
    csrf: str = field(repr=False)
    #: The person's token of Paperless; never leaves this process but to Paperless.
    token: str = field(repr=False)
    expires_at: float


class Sessions:
    def __init__(
        self, lifetime_seconds: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._lifetime = lifetime_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, BrowserSession] = OrderedDict()

    def begin(self, token: str) -> BrowserSession:
        """Always with a new secret: one that somebody has slipped in beforehand is worth nothing."""
        session = BrowserSession(
            secrets.token_urlsafe(32),
            secrets.token_urlsafe(32),
            token,
            self._clock() + self._lifetime,
        )
        with self._lock:
            self._sessions[_key(session.secret)] = session
            while len(self._sessions) > _MOST:
                self._sessions.popitem(last=False)
        return session

    def find(self, secret: str) -> BrowserSession | None:
        with self._lock:
            session = self._sessions.get(_key(secret))
            if session is None:
                return None
            if session.expires_at <= self._clock():
                del self._sessions[_key(secret)]
                return None
            return session

    def end(self, secret: str) -> None:
        with self._lock:
            self._sessions.pop(_key(secret), None)

    def __len__(self) -> int:
        return len(self._sessions)


def _key(secret: str) -> str:
    # A search by hash takes as long for a nearly right secret as for a wrong one.
    return sha256(secret.encode(errors="replace")).hexdigest()
