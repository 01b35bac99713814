"""Posting lists in SQLite: one integer a posting, read rarest list first."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from paperless_fingerprint.candidates.rules import (
    BUCKET,
    LIST_START,
    LISTS_READ_AT_LEAST,
    POSTINGS_READ,
    SHARED_HASHES_AT_LEAST,
    SHORTLIST,
)
from paperless_fingerprint.files.sqlite import SqliteFile
from paperless_fingerprint.model import Fingerprint, StoredDocument

Ids = npt.NDArray[np.int64]

_ID_BITS = 32
_PREFIX_BITS = 31
_ID_MASK = (1 << _ID_BITS) - 1
#: So many rows go to SQLite in one statement.
_ROWS_AT_ONCE = 1 << 18
_DOCUMENTS_AT_ONCE = 1_000
#: From so many documents on it is worth while to leave their postings to the end of the import ...
LARGE_WRITE = 1_000
#: ... which is here at the latest: eight bytes a posting are in memory then.
_MOST_PUT_OFF = 120_000


@dataclass(frozen=True, slots=True)
class _Tree:
    """A table of postings, and what of a fingerprint stands in it."""

    name: str
    column: str
    #: How the hashes lie in that column.
    kind: np.dtype[np.unsignedinteger[Any]]

    def prefixes(self, hashes: bytes) -> npt.NDArray[np.int64]:
        """The upper 31 bits of each hash. Two hashes that fall together cost one needless look."""
        values = np.frombuffer(hashes, self.kind)
        upper = values >> self.kind.type(8 * self.kind.itemsize - _PREFIX_BITS)
        return np.asarray(upper, np.int64)

    def keys(self, ids: Sequence[int], columns: Sequence[bytes]) -> npt.NDArray[np.int64]:
        keys = self.prefixes(b"".join(columns)) << _ID_BITS
        sizes = [len(column) // self.kind.itemsize for column in columns]
        keys |= np.repeat(np.array(ids, np.int64), sizes)
        return keys


_SKETCHES = _Tree("posting", "sketch", np.dtype("<u8"))
_BANDS = _Tree("band", "bands", np.dtype("<u4"))
_TREES = (_SKETCHES, _BANDS)


def add(connection: sqlite3.Connection, records: Sequence[StoredDocument]) -> None:
    """Into the trees, or on the list of those that wait for it."""
    ids = [record.document.id for record in records]
    if len(records) < LARGE_WRITE:
        for tree in _TREES:
            _insert(connection, tree, tree.keys(ids, _columns(tree, records)))
        return
    connection.executemany("INSERT OR IGNORE INTO unposted VALUES (?)", zip(ids))
    if connection.execute("SELECT count(*) FROM unposted").fetchone()[0] > _MOST_PUT_OFF:
        _post(connection)


def forget(connection: sqlite3.Connection, records: Sequence[StoredDocument]) -> None:
    """Also of those that wait: where they are not in the trees yet, nothing is taken out."""
    ids = [record.document.id for record in records]
    for tree in _TREES:
        for rows in _in_order(tree.keys(ids, _columns(tree, records))):
            connection.execute(
                f"DELETE FROM {tree.name} WHERE key IN (SELECT value FROM json_each(?))", (rows,)
            )


def some_wait(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM unposted LIMIT 1").fetchone() is not None


def post_those_that_wait(file: SqliteFile) -> None:
    """Before anybody reads from the trees."""
    with file.reading() as connection:
        waiting = some_wait(connection)
    if waiting:
        with file.writing() as connection:
            _post(connection)


def _post(connection: sqlite3.Connection) -> None:
    # From the stored fingerprints as they are now: a document may have changed since, or gone.
    for tree in _TREES:
        size = connection.execute(
            f"SELECT total(length({tree.column})) FROM document JOIN unposted USING (id)"
        ).fetchone()[0]
        keys = np.empty(int(size) // tree.kind.itemsize, np.int64)
        filled = 0
        rows = connection.execute(
            f"SELECT id, {tree.column} FROM document JOIN unposted USING (id)"
        )
        while some := rows.fetchmany(_DOCUMENTS_AT_ONCE):
            found = tree.keys(*zip(*some, strict=True))
            keys[filled : filled + len(found)] = found
            filled += len(found)
        _insert(connection, tree, keys)
    connection.execute("DELETE FROM unposted")


def _insert(connection: sqlite3.Connection, tree: _Tree, keys: npt.NDArray[np.int64]) -> None:
    for rows in _in_order(keys):
        connection.execute(
            f"INSERT OR IGNORE INTO {tree.name} SELECT value FROM json_each(?)", (rows,)
        )


def _in_order(keys: npt.NDArray[np.int64]) -> Iterator[str]:
    """As JSON lists: one statement takes them in less time than many take a row each. They are in
    the order of the tree, so that each page is touched once; `keys` is sorted in place."""
    keys.sort()
    for low in range(0, len(keys), _ROWS_AT_ONCE):
        yield orjson.dumps(
            keys[low : low + _ROWS_AT_ONCE], option=orjson.OPT_SERIALIZE_NUMPY
        ).decode()


def _columns(tree: _Tree, records: Sequence[StoredDocument]) -> list[bytes]:
    return [getattr(record.fingerprint, tree.column) for record in records]


#: The keys of one prefix, which stands in `asked.value`.
_OF_ONE = (
    f"FROM {{}} WHERE key BETWEEN asked.value << {_ID_BITS} AND "
    f"asked.value << {_ID_BITS} | {_ID_MASK} LIMIT ?"
)


def lists(
    connection: sqlite3.Connection, table: str, prefixes: Collection[int], limit: int
) -> list[list[int]]:
    """For each prefix the ids there, so many of them. All in one row: a row each takes twice as
    long, and for each of them a thread gives the interpreter away and waits to have it back."""
    found: list[list[int]] = _in_one_row(
        connection,
        f"json((SELECT json_group_array(key & {_ID_MASK}) FROM "
        f"(SELECT key {_OF_ONE.format(table)})))",
        prefixes,
        limit,
    )
    return found


def lengths(connection: sqlite3.Connection, prefixes: Collection[int], limit: int) -> list[int]:
    """How long the posting list of each is, counted up to so many."""
    count = f"(SELECT count(*) FROM (SELECT 1 {_OF_ONE.format('posting')}))"
    found: list[int] = _in_one_row(connection, count, prefixes, limit)
    return found


def _in_one_row(
    connection: sqlite3.Connection, each: str, values: Collection[object], limit: int
) -> Any:
    asked = f"SELECT json_group_array({each}) FROM json_each(?) asked"
    return orjson.loads(
        connection.execute(asked, (limit, orjson.dumps(list(values)).decode())).fetchone()[0]
    )


def frequencies(connection: sqlite3.Connection, words: Collection[str], limit: int) -> list[int]:
    """How many documents hold each of the words, counted up to so many."""
    found: list[int] = _in_one_row(
        connection,
        "(SELECT count(*) FROM (SELECT 1 FROM words "
        """WHERE words MATCH 'content:"' || asked.value || '"' LIMIT ?))""",
        words,
        limit,
    )
    return found


def shortlist(
    connection: sqlite3.Connection, fingerprint: Fingerprint, excluding: int | None
) -> list[int]:
    """The documents that share the rarest hashes of the sketch, best first."""
    lists = _rarest_lists(connection, np.unique(_SKETCHES.prefixes(fingerprint.sketch)).tolist())
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
    sizes = zip(lengths(connection, prefixes, POSTINGS_READ + 1), prefixes, strict=True)
    whole: list[int] = []
    beginnings: list[int] = []
    room = POSTINGS_READ
    for size, prefix in sorted((size, prefix) for size, prefix in sizes if size):
        if size <= room:
            whole.append(prefix)
            room -= size
        elif len(whole) + len(beginnings) >= LISTS_READ_AT_LEAST:
            break
        else:
            # Hardly any list fits: the beginnings of the next ones stand for them.
            beginnings.append(prefix)
    found = lists(connection, "posting", whole, POSTINGS_READ)
    return found + lists(connection, "posting", beginnings, LIST_START) if beginnings else found


def band_mates(
    connection: sqlite3.Connection, fingerprint: Fingerprint, excluding: int | None
) -> dict[int, int]:
    """How many bands each document shares, looking at buckets of at most BUCKET documents."""
    shared: Counter[int] = Counter()
    # One more for the document itself, which need not be in the store.
    prefixes = np.unique(_BANDS.prefixes(fingerprint.bands)).tolist()
    for bucket in lists(connection, "band", prefixes, BUCKET + 2):
        others = [id for id in bucket if id != excluding]
        if len(others) <= BUCKET:
            shared.update(others)
    return dict(shared)
