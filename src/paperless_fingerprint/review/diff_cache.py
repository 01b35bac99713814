"""Differences that are ready before anybody asks for them.

To judge two texts and to say what differs takes milliseconds for letters and longer for books,
every time. So what the queue holds is compared behind the scenes, when nothing else is to be done,
and kept beside the library. Nothing in here is beyond repair: the file may be deleted.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from dataclasses import asdict, dataclass
from hashlib import blake2s
from pathlib import Path
from threading import Lock
from typing import Any

import orjson

import paperless_fingerprint
from paperless_fingerprint.files.sqlite import SqliteFile
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.library.judging import Judge
from paperless_fingerprint.library.lock import path_of
from paperless_fingerprint.model import Pair, PairScore, Relation
from paperless_fingerprint.settings.registry import Settings

#: In memory, of those that were asked for.
_KEPT = 200
_MOST_ROWS = 200_000
#: What is kept in another form is made anew.
_FORMAT = 3


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the two texts as they are; those of a side, one after the other, are its text."""

    #: 'same', 'removed' (in a alone), 'added' (in b alone), 'changed', 'moved' (the other text has
    #: it elsewhere).
    kind: str
    a: str
    b: str
    #: 'amount', 'date', 'name', 'number', 'word', 'added', 'spelling' (case and signs alone).
    about: str = ""
    #: Neither misread nor only written otherwise.
    matters: bool = False


@dataclass(frozen=True, slots=True)
class TextDifferences:
    """A comparison as it is kept: the judgement, the segments, and whether the texts were cut."""

    pair: Pair
    segments: tuple[Segment, ...]
    shortened: bool


class DiffCache:
    def __init__(self, settings: Settings) -> None:
        path = path_of(settings)
        self._file = SqliteFile(_path_beside(path))
        self._maker = ""
        self.use(settings)
        self._found: OrderedDict[tuple[int, int], tuple[str, TextDifferences]] = OrderedDict()
        self._lock = Lock()
        with self._file.making() as connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS difference (a INTEGER, b INTEGER, key TEXT NOT NULL, "
                "body BLOB NOT NULL, PRIMARY KEY (a, b)) WITHOUT ROWID"
            )

    def use(self, settings: Settings) -> None:
        """What was made by another version or with other settings is made anew."""
        judge = Judge.of(settings, believed_from=settings.similarity_threshold)
        told = f"{_FORMAT} {paperless_fingerprint.__version__} {judge}"
        self._maker = blake2s(told.encode()).hexdigest()[:16]

    def close(self) -> None:
        self._file.close()

    def key(self, text_a: str, text_b: str) -> str:
        return f"{self._maker} {text_a} {text_b}"

    def get(self, a: int, b: int, key: str) -> TextDifferences | None:
        with self._lock:
            known = self._found.get((a, b))
            if known is not None and known[0] == key:
                self._found.move_to_end((a, b))
                return known[1]
        with self._file.reading() as connection:
            row = connection.execute(
                "SELECT body FROM difference WHERE a = ? AND b = ? AND key = ?", (a, b, key)
            ).fetchone()
        if row is None:
            return None
        found = _unpacked(row[0])
        self.remember(a, b, key, found)
        return found

    def remember(self, a: int, b: int, key: str, found: TextDifferences) -> None:
        with self._lock:
            self._found[a, b] = (key, found)
            self._found.move_to_end((a, b))
            while len(self._found) > _KEPT:
                self._found.popitem(last=False)

    def missing(self, wanted: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
        """Those that are not kept yet, in their order."""
        query = "SELECT 1 FROM difference WHERE a = ? AND b = ? AND key = ?"
        with self._file.reading() as connection:
            return [one for one in wanted if connection.execute(query, one).fetchone() is None]

    def keep(self, rows: list[tuple[int, int, str, TextDifferences]]) -> None:
        with self._file.writing() as connection:
            count = connection.execute("SELECT count(*) FROM difference").fetchone()[0]
            if count > _MOST_ROWS:
                connection.execute("DELETE FROM difference")
            connection.executemany(
                "INSERT OR REPLACE INTO difference VALUES (?, ?, ?, ?)",
                [(a, b, key, _packed(found)) for a, b, key, found in rows],
            )


def _path_beside(path: Path) -> Path:
    return path.with_name(path.stem.removesuffix(".inbox") + ".differences.db")


def _packed(found: TextDifferences) -> bytes:
    told = {
        "pair": asdict(found.pair),
        "segments": [
            [s.kind, s.a, None if s.b == s.a else s.b, s.about, s.matters] for s in found.segments
        ],
        "shortened": found.shortened,
    }
    return zlib.compress(orjson.dumps(told), 3)


def _unpacked(body: bytes) -> TextDifferences:
    told = orjson.loads(zlib.decompress(body))
    return TextDifferences(
        _pair(told["pair"]),
        tuple(
            Segment(kind, a, a if b is None else b, about, matters)
            for kind, a, b, about, matters in told["segments"]
        ),
        told["shortened"],
    )


def _pair(told: dict[str, Any]) -> Pair:
    return Pair(
        told["a"], told["b"], Relation(told["relation"]), told["confidence"],
        PairScore(**told["scores"]), tuple(map(Reason.of, told["reasons"])), told["leader"],
    )  # fmt: skip
