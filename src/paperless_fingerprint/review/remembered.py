"""What takes long to count and is asked for again and again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

_MOST = 100

Value = TypeVar("Value")


class Remembered(Generic[Value]):
    """A hundred of them; whoever needs more is told anew."""

    def __init__(self) -> None:
        self._found: dict[Hashable, Value] = {}

    def get(self, key: Hashable) -> Value | None:
        return self._found.get(key)

    def put(self, key: Hashable, value: Value) -> Value:
        if len(self._found) >= _MOST:
            self._found.clear()
        self._found[key] = value
        return value
