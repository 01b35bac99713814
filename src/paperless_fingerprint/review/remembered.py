"""What takes long to make and is asked for again and again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Remembered(Generic[Value]):
    """So many of them; whoever needs more is told anew."""

    def __init__(self, most: int = 100) -> None:
        self._most = most
        self._found: dict[Hashable, Value] = {}

    def get(self, key: Hashable) -> Value | None:
        return self._found.get(key)

    def put(self, key: Hashable, value: Value) -> Value:
        if len(self._found) >= self._most:
            self._found.clear()
        self._found[key] = value
        return value
