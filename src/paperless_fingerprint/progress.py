"""How long work is shown: a protocol, so that the use cases know no terminal."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    def begin(self, what: str, total: int | None = None) -> None:
        """A new stretch of work; `total` in whatever unit advance() counts."""

    def advance(self, by: int = 1) -> None: ...

    def say(self, message: str) -> None:
        """A line for people, beside the bar."""


class Silent:
    def begin(self, what: str, total: int | None = None) -> None:
        pass

    def advance(self, by: int = 1) -> None:
        pass

    def say(self, message: str) -> None:
        pass
