"""Posting lists in SQLite: one integer a posting, read rarest list first."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import orjson

from paperless_fingerprint.candidates import (
    BUCKET,
    LIST_START,
    LISTS_READ_AT_LEAST,
    POSTINGS_READ,
    SHARED_HASHES_AT_LEAST,
    SHORTLIST,
)
from paperless_fingerprint.fingerprint import band_keys, sketch_hashes
from paperless_fingerprint.model import Fingerprint, StoredDocument

_ID_BITS = 32
_ID_MASK = (1 << _ID_BITS) - 1


def _sketch_prefixes(fingerprint: Fingerprint) -> npt.NDArray[np.int64]:
    """The upper 31 bits of each hash. Two hashes that fall together cost one needless look."""
    return np.unique(sketch_hashes(fingerprint) >> np.uint64(33)).astype(np.int64)


def _band_prefixes(fingerprint: Fingerprint) -> npt.NDArray[np.int64]:
    return np.unique(band_keys(fingerprint) >> np.uint32(1)).astype(np.int64)


#: Each table of postings, and what of a fingerprint stands in it.
TABLES: tuple[tuple[str, Callable[[Fingerprint], npt.NDArray[np.int64]]], ...] = (
    ("posting", _sketch_prefixes),
    ("band", _band_prefixes),
)


def posting_keys(
    records: Sequence[StoredDocument], prefixes: Callable[[Fingerprint], npt.NDArray[np.int64]]
) -> str:
    """All rows of these documents as a JSON list: one statement takes it in less time than many
    take a row each. They are in the order of the tree, so that each page is touched once."""
    if not records:
        return "[]"
    keys = np.concatenate(
        [(prefixes(record.fingerprint) << _ID_BITS) | record.document.id for record in records]
    )
    keys.sort()
    return orjson.dumps(keys, option=orjson.OPT_SERIALIZE_NUMPY).decode()


def _list(connection: sqlite3.Connection, table: str, prefix: int, limit: int) -> list[int]:
    low = prefix << _ID_BITS
    rows = connection.execute(
        f"SELECT key FROM {table} WHERE key BETWEEN ? AND ? LIMIT ?", (low, low | _ID_MASK, limit)
    ).fetchall()
    return [key & _ID_MASK for (key,) in rows]


def shortlist(
    connection: sqlite3.Connection, fingerprint: Fingerprint, excluding: int | None
) -> list[int]:
    """The documents that share the rarest hashes of the sketch, best first."""
    lists = _rarest_lists(connection, _sketch_prefixes(fingerprint).tolist())
    # The highest id instead of a count: close enough for a weight, and found at once.
    total = (connection.execute("SELECT max(id) FROM document").fetchone()[0] or 1) + 1
    weights: defaultdict[int, float] = defaultdict(float)
    met: Counter[int] = Counter()
    for postings in lists:
        weight = math.log(total / len(postings)) if len(postings) < total else 1e-9
        for id in postings:
            weights[id] += weight
        met.update(postings)
    if excluding is not None:
        met.pop(excluding, None)
    often = [id for id, times in met.items() if times >= SHARED_HASHES_AT_LEAST]
    often.sort(key=lambda id: (-weights[id], id))
    return often[:SHORTLIST]


def _rarest_lists(connection: sqlite3.Connection, prefixes: list[int]) -> list[list[int]]:
    """Whole posting lists, rarest first, up to POSTINGS_READ postings.

    Counting stops where a list would not fit any more, and happens inside SQLite, so the endless
    lists of a form's common shingles cost little.
    """
    count = "SELECT count(*) FROM (SELECT 1 FROM posting WHERE key BETWEEN ? AND ? LIMIT ?)"
    sizes = []
    for prefix in prefixes:
        low = prefix << _ID_BITS
        size = connection.execute(count, (low, low | _ID_MASK, POSTINGS_READ + 1)).fetchone()[0]
        if size:
            sizes.append((size, prefix))
    sizes.sort()
    lists: list[list[int]] = []
    room = POSTINGS_READ
    for size, prefix in sizes:
        if size > room:
            if len(lists) >= LISTS_READ_AT_LEAST:
                break
            # Hardly any list fits: the beginnings of the next ones stand for them.
            lists.append(_list(connection, "posting", prefix, LIST_START))
            continue
        lists.append(_list(connection, "posting", prefix, size))
        room -= size
    return lists


def band_mates(
    connection: sqlite3.Connection, fingerprint: Fingerprint, excluding: int | None
) -> dict[int, int]:
    """How many bands each document shares, looking at buckets of at most BUCKET documents."""
    shared: Counter[int] = Counter()
    for prefix in _band_prefixes(fingerprint).tolist():
        # One more for the document itself, which need not be in the store.
        bucket = _list(connection, "band", prefix, BUCKET + 2)
        others = [id for id in bucket if id != excluding]
        if len(others) <= BUCKET:
            shared.update(others)
    return dict(shared)
