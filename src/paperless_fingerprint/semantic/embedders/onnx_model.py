"""A computation as the bytes that onnxruntime reads, written here: the package `onnx` would be
larger than all that we install otherwise, for the fifty lines of protocol buffers that it takes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_FLOAT, _INT64 = 1, 7
#: The set of operations that knows LayerNormalization, and the oldest format that may name it.
_OPERATIONS, _FORMAT = 17, 8


class Computation:
    """Steps that are written down one after the other; each gives the name of its result."""

    def __init__(self) -> None:
        self._steps: list[bytes] = []
        self._numbers: list[bytes] = []
        self._named = 0

    def number(self, values: npt.ArrayLike) -> str:
        """Numbers that are known beforehand: floats, or 64-bit integers."""
        array = np.ascontiguousarray(values)
        kind = _INT64 if array.dtype.kind == "i" else _FLOAT
        raw = array.astype("<i8" if kind == _INT64 else "<f4").tobytes()
        name = self._name()
        shape = [_whole(1, size) for size in np.shape(values)]
        self._numbers.append(_joined([*shape, _whole(2, kind), _text(8, name), _bytes(9, raw)]))
        return name

    def step(self, operation: str, *inputs: str, **options: float) -> str:
        name = self._name()
        self._steps.append(
            _joined([
                *(_text(1, given) for given in inputs), _text(2, name), _text(4, operation),
                *(_bytes(5, _option(*option)) for option in options.items()),
            ])
        )  # fmt: skip
        return name

    def model(self, inputs: Sequence[tuple[str, type[Any], int | None]], result: str) -> bytes:
        """`inputs`: name, kind and number of columns of each (None: any); the rows are as many as
        come."""
        graph = [
            *(_bytes(1, step) for step in self._steps), _text(2, "model"),
            *(_bytes(5, some) for some in self._numbers),
            *(_bytes(11, _matrix(name, kind, columns)) for name, kind, columns in inputs),
            _bytes(12, _matrix(result, float, None)),
        ]  # fmt: skip
        operations = _bytes(8, _text(1, "") + _whole(2, _OPERATIONS))
        return _whole(1, _FORMAT) + _bytes(7, _joined(graph)) + operations

    def _name(self) -> str:
        self._named += 1
        return str(self._named)


def _option(name: str, value: float) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _whole(3, value) + _whole(20, 2)
    return _text(1, name) + b"\x15" + struct.pack("<f", value) + _whole(20, 1)


def _matrix(name: str, kind: type[Any], columns: int | None) -> bytes:
    width = _text(2, f"columns of {name}") if columns is None else _whole(1, columns)
    shape = _bytes(1, _text(2, f"rows of {name}")) + _bytes(1, width)
    of = _whole(1, _INT64 if kind is int else _FLOAT) + _bytes(2, shape)
    return _text(1, name) + _bytes(2, _bytes(1, of))


def _whole(field: int, value: int) -> bytes:
    # A negative number is written as its complement of two.
    return _varint(field << 3) + _varint(value & (1 << 64) - 1)


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    octets = bytearray()
    while value > 0x7F:
        octets.append(value & 0x7F | 0x80)
        value >>= 7
    octets.append(value)
    return bytes(octets)


def _joined(parts: Iterable[bytes]) -> bytes:
    return b"".join(parts)
