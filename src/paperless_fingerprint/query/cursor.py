"""Where a page ended, as a short word that a caller hands back to get the next one."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import dataclass
from typing import Any

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.query.searcher import Place

#: Hits of words that can be paged through by score; a score is no place that lasts.
MAX_SEEN = 2000


@dataclass(frozen=True, slots=True)
class Cursor:
    #: The block of candidates that the page ended in: behind `start`, up to and with `end`.
    start: Place | None = None
    end: Place | None = None
    #: The last hit shown.
    last: Place | None = None
    #: Candidates verified and hits counted before that block.
    examined: int = 0
    hits: int = 0
    #: Nothing was found behind that block.
    final: bool = False
    #: All hits shown so far, where they are ordered by the score of words.
    seen: frozenset[int] = frozenset()

    def token(self, query: str, sort: str) -> str:
        if len(self.seen) > MAX_SEEN:
            return ""
        steps, before = [], 0
        for id in sorted(self.seen):
            steps.append(id - before)
            before = id
        content = [
            _check(query, sort), _plain(self.start), _plain(self.end), _plain(self.last),
            self.examined, self.hits, int(self.final), steps,
        ]  # fmt: skip
        packed = zlib.compress(json.dumps(content, separators=(",", ":")).encode(), 9)
        return base64.urlsafe_b64encode(packed).decode().rstrip("=")

    @staticmethod
    def read(token: str, query: str, sort: str) -> Cursor:
        if not token:
            return Cursor()
        try:
            packed = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
            unpacker = zlib.decompressobj()
            unpacked = unpacker.decompress(packed, 100_000)
            content = json.loads(unpacked if unpacker.eof else b"")
            check, start, end, last, examined, hits, final, steps = content
            seen, id = set(), 0
            for step in steps:
                id += int(step)
                seen.add(id)
            cursor = Cursor(
                _place(start), _place(end), _place(last),
                int(examined), int(hits), bool(final), frozenset(seen),
            )  # fmt: skip
        except (ValueError, TypeError, binascii.Error, zlib.error) as error:
            raise UsageError(
                "'after' is not what an earlier page gave as 'next'. Start again without it."
            ) from error
        if check != _check(query, sort):
            raise UsageError("'after' belongs to another query or order. Start again without it.")
        return cursor


def _check(query: str, sort: str) -> int:
    return zlib.crc32(f"{sort} {query}".encode())


def _plain(place: Place | None) -> list[Any] | None:
    return None if place is None else [place.value, place.id]


def _place(plain: Any) -> Place | None:
    if plain is None:
        return None
    value, id = plain
    if not isinstance(value, int | float | str) or not isinstance(id, int):
        raise TypeError
    return Place(value, id)
