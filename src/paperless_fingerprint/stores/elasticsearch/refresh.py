"""What a search sees: when a refresh is needed, and when it can be spared.

A write is seen by searches after a refresh of its index, which costs a round trip and, where much is
written, the server's time. So
- pairs, groups and decisions, which are few and looked at with every document, are refreshed by
  the write itself: once it is acknowledged every process sees it, and no search has to ask;
- the documents and the waiting list are written by the thousand. Whoever must see what others wrote
  in the last second refreshes before the search; for the others it is enough that this process
  sees its own writes, and Unseen knows whether there are any.
"""

from __future__ import annotations

import threading
from collections import defaultdict

#: Kinds of index whose writes are seen by everybody once they are acknowledged.
SEEN_AT_ONCE = ("pairs", "groups", "decisions")


class Unseen:
    """Which indices this process has written to since it refreshed them last."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        # Never refreshed counts as unseen: another process may have written a moment ago.
        self._written: defaultdict[str, int] = defaultdict(lambda: 1)
        self._refreshed: defaultdict[str, int] = defaultdict(int)

    def written(self, index: str) -> None:
        """After the write: a refresh that has begun before may not have seen it."""
        with self._guard:
            self._written[index] += 1

    def writes(self, index: str) -> int:
        """To be asked before a refresh, and told to refreshed() after it."""
        with self._guard:
            return self._written[index]

    def refreshed(self, index: str, writes: int) -> None:
        with self._guard:
            self._refreshed[index] = max(self._refreshed[index], writes)

    def has(self, index: str) -> bool:
        with self._guard:
            return self._refreshed[index] < self._written[index]


_unseen: defaultdict[tuple[str, ...], Unseen] = defaultdict(Unseen)


def unseen_at(hosts: tuple[str, ...]) -> Unseen:
    """One for all connections of this process to the same servers."""
    return _unseen[hosts]
