"""How often something may be tried: so many times within a while, by address and by name."""

from __future__ import annotations

import ipaddress
import threading
import time
import unicodedata
from collections import OrderedDict, deque
from collections.abc import Callable

_MOST_KEYS = 20_000
_MOST_LETTERS = 200


class RateLimit:
    """A sliding window. Each attempt counts before it is made, so that many at once are no way
    around."""

    def __init__(
        self, times: int, seconds: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._times = times
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._tried: OrderedDict[str, deque[float]] = OrderedDict()

    def attempt(self, key: str) -> float:
        """Zero, and it counts; or how many seconds to wait, and it does not."""
        now = self._clock()
        with self._lock:
            tried = self._tried.setdefault(key, deque())
            self._tried.move_to_end(key)
            while tried and now - tried[0] >= self._seconds:
                tried.popleft()
            if len(tried) >= self._times:
                return max(1.0, tried[0] + self._seconds - now)
            tried.append(now)
            while len(self._tried) > _MOST_KEYS:
                self._tried.popitem(last=False)
            return 0.0

    def take_back(self, key: str) -> None:
        """The last attempt was right; those before it may have been another's."""
        with self._lock:
            if self._tried.get(key):
                self._tried[key].pop()

    def forgive(self, key: str) -> None:
        """All attempts: whoever tried now knows what they were about."""
        with self._lock:
            self._tried.pop(key, None)


def same_name(username: str) -> str:
    """One text for all spellings that Paperless, or its database, may take for one name: spaces
    around it fall away, and MariaDB looks past case, accents and what cannot be seen."""
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", username).casefold())
    return "".join(c for c in letters if unicodedata.category(c)[0] not in "MCZ")[:_MOST_LETTERS]


def network_of(address: str) -> str:
    """Somebody has a whole network of IPv6 addresses, and one of IPv4."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))
    return str(found)
