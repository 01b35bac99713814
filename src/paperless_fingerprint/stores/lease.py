"""Who may work on a library that several machines can reach: one place at a time.

A place is a data folder, and all processes that share it. Among themselves they have the library's
lock (library/lock.py); the lease is for other places.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from paperless_fingerprint.errors import StoreError


class ElsewhereError(StoreError):
    """Another place works on the library."""


class Lease(Protocol):
    def kept(self, *, wait: bool = True) -> AbstractContextManager[None]:
        """The library is this place's until that is left. ElsewhereError where another one has it;
        with `wait` not before that one has given a sign of life."""

    def tell(self) -> tuple[str, str]:
        """While it is kept: Paperless is told by this place from now on. In which turn it was told
        last, and which this one is; empty where there are none."""


class NoLease:
    """Of a library that lies on this machine: the lock is enough."""

    def kept(self, *, wait: bool = True) -> AbstractContextManager[None]:  # noqa: ARG002
        return nullcontext()

    def tell(self) -> tuple[str, str]:
        return "", ""
