"""Thumbnails: the first page as it is printed, half a thousand pixels wide, as Paperless makes them."""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache

import numpy as np

from paperless_fingerprint.demo.stand_in.paper import HEIGHT, WIDTH, letters, pages_of, width_of

_WIDE = 500
_SCALE = _WIDE / WIDTH
_HIGH = round(HEIGHT * _SCALE)
#: How far above the line a letter of letters.npz begins.
_ABOVE = 8
#: What is not among them, an East Asian character mostly: about as dark as one.
_OTHER = np.array([[9 if (x + y) % 2 else 4 for x in range(7)] for y in range(7)], np.uint8)


@lru_cache(maxsize=256)
def thumbnail(text: str, page_count: int | None = None) -> bytes:
    ink = np.zeros((_HIGH, _WIDE), np.uint8)
    known = letters()
    for line in pages_of(text, page_count)[0]:
        x, y = line.x * _SCALE, round(line.y * _SCALE)
        for character in line.text:
            step = width_of(character, is_fixed=line.is_fixed) / 1000 * line.size * _SCALE
            if character != " ":
                shape = known[character][1] if character in known else _OTHER
                top, left = y - (_ABOVE if character in known else len(shape)), round(x)
                there = ink[top : top + shape.shape[0], left : left + shape.shape[1]]
                np.maximum(there, shape[: there.shape[0], : there.shape[1]], out=there)
            x += step
    rows = np.zeros((_HIGH, _WIDE + 1), np.uint8)  # each row begins with the filter, none
    rows[:, 1:] = 255 - 17 * ink
    header = struct.pack(">IIBBBBB", _WIDE, _HIGH, 8, 0, 0, 0, 0)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(rows.tobytes())),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
