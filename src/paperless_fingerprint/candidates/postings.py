"""Which documents of a library hold which keys, made in slices.

All keys of a library at once would be most of what an analysis has in memory, and nearly all of them
are held by one document alone, which says nothing of two. So the keys are gathered in slices by their
value, each is looked through by itself, and only what is shared is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints import arrays
from paperless_fingerprint.fingerprints.arrays import Ints

Keys: TypeAlias = npt.NDArray[np.uint64]
Ranks: TypeAlias = npt.NDArray[np.int32]
#: As many keys as so many letters have are looked through together: 8 MB, and some times that beside it.
DOCUMENTS_OF_A_SLICE = 12_500
#: The table of a library of half a million letters; of a larger one more stands beside it, and less
#: is empty. It is most of what an analysis of such a library has in memory.
TABLE_BYTES = 200_000_000
_NOTHING = np.empty(0, np.uint64)


class Scratch(Protocol):
    """Where arrays lie that are not needed for the moment."""

    def put(self, values: npt.NDArray[Any]) -> Any:
        """A name for what has been put there."""

    def take(self, name: Any) -> npt.NDArray[Any]: ...


class Memory:
    """For libraries that fit."""

    def put(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return values

    def take(self, name: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return name


class Aside:
    """One array, put aside piece by piece."""

    def __init__(self, scratch: Scratch, kind: npt.DTypeLike) -> None:
        self._scratch = scratch
        self._kind = np.dtype(kind)
        self._names: list[Any] = []
        self._count = 0

    def add(self, values: npt.NDArray[Any]) -> None:
        self._names.append(self._scratch.put(values.astype(self._kind, copy=False)))
        self._count += len(values)

    def whole(self) -> npt.NDArray[Any]:
        found = np.empty(self._count, self._kind)
        end = 0
        for piece in map(self._scratch.take, self._names):
            begin, end = end, end + len(piece)
            found[begin:end] = piece
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """Of each place its ranks, ascending.

    The first ones stand in a table with a row for each place: to read rows takes a fifth of the time
    that it takes to read lists of unequal lengths. What does not fit follows elsewhere.
    """

    #: Where a place has fewer, a rank follows that nobody has.
    table: Ranks
    sizes: npt.NDArray[np.int32]
    #: The places that have more, and their further ranks, one after the other.
    longer: Ints
    further: Ranks
    #: Where those of each of `longer` begin, and where the last ones end.
    further_starts: Ints

    @classmethod
    def empty(cls, sizes: npt.NDArray[np.int32], width: int, nobody: int) -> Lists:
        longer = np.flatnonzero(sizes > width)
        starts = np.append(0, np.cumsum(sizes[longer].astype(np.int64) - width))
        table = np.full((len(sizes), width), nobody, np.int32)
        return cls(table, sizes, longer, np.empty(int(starts[-1]), np.int32), starts)

    @property
    def width(self) -> int:
        return int(self.table.shape[1])

    def fill(self, places: Ints, numbers: Ints, ranks: Ranks) -> None:
        """Each rank is the one of its place with that number."""
        fits = numbers < self.width
        self.table[places[fits], numbers[fits]] = ranks[fits]
        places, numbers = places[~fits], numbers[~fits]
        at = self.further_starts[np.searchsorted(self.longer, places)]
        self.further[at + numbers - self.width] = ranks[~fits]

    def of(self, place: int) -> Ranks:
        own = self.table[place, : self.sizes[place]]
        if self.sizes[place] <= self.width:
            return own
        at = int(np.searchsorted(self.longer, place))
        begin, end = self.further_starts[at], self.further_starts[at + 1]
        return np.concatenate((own, self.further[begin:end]))

    def at(self, places: Ints) -> tuple[Ranks, Ints]:
        """The lists of these places one after the other, and how long each is."""
        sizes = self.sizes[places].astype(np.int64)
        in_table = np.minimum(sizes, self.width)
        filled = np.arange(self.width) < in_table[:, None]
        heads = self.table.take(places, axis=0)[filled]
        longer = np.flatnonzero(sizes > self.width)
        if not len(longer):
            return heads, sizes
        found = np.empty(int(sizes.sum()), np.int32)
        begins = np.cumsum(sizes) - sizes
        found[arrays.places(begins, in_table)] = heads
        rest, rest_sizes = self.beyond(places[longer])
        found[arrays.places(begins[longer] + self.width, rest_sizes)] = rest
        return found, sizes

    def beyond(self, places: Ints) -> tuple[Ranks, Ints]:
        """What of these, which have more than the table holds, stands elsewhere."""
        at = np.searchsorted(self.longer, places)
        sizes = self.further_starts[at + 1] - self.further_starts[at]
        return self.further[arrays.places(self.further_starts[at], sizes)], sizes


@dataclass(frozen=True, slots=True)
class Reading:
    """What will be read of the postings, and so has to be kept."""

    #: Of a key with so many holders at most all of them, of others the first few.
    whole: int
    start: int
    #: So many ranks of a place stand in the table at most.
    widest_table: int

    def of(self, holders: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """How many are read of so many."""
        return np.where(holders <= self.whole, holders, np.minimum(holders, self.start))


@dataclass(frozen=True, slots=True, eq=False)
class Holders:
    """Of each rank the places that are read."""

    #: Ascending, between starts[rank] and starts[rank + 1].
    places: Ranks
    starts: npt.NDArray[np.uint32]

    def of(self, ranks: Ints, counts: Ints) -> Ranks:
        """The first `counts` holders of each rank, one after the other."""
        return self.places[arrays.places(self.starts[ranks].astype(np.int64), counts)]


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Which places hold which key, of the keys that more than one place holds."""

    lists: Lists
    #: By rank: how many places hold it. The last one is the rank that nobody has.
    holders: npt.NDArray[np.int32]
    #: By limit: the highest rank of a key up to it, -1 where there is none.
    highest: Ints
    #: By rank: the key without its lowest bits, and how many these are.
    keys: Aside
    dropped_bits: int
    _reading: Reading
    _places: Aside

    def of_rows(self, low: int, high: int) -> tuple[Ints, Ints, Ints]:
        """For each key of these rows: row, rank, number of holders."""
        rows = np.arange(low, high)
        ranks, sizes = self.lists.at(rows)
        return (
            np.repeat(rows, sizes),
            ranks.astype(np.int64),
            self.holders[ranks].astype(np.int64),
        )

    def read(self) -> Holders:
        """The other way round, which is as large again: only as long as it is needed."""
        starts = np.append(0, np.cumsum(self._reading.of(self.holders))).astype(np.uint32)
        return Holders(self._places.whole(), starts)


class Gathered:
    """The keys of a library, taken document by document and looked through slice by slice.

    Numbers of 64 bits are sorted: a key, and in its lowest bits the place that holds it. A key of 64
    bits keeps as many as are left, 47 in a library of 100,000 documents.
    """

    def __init__(self, expected: int, scratch: Scratch) -> None:
        #: More documents than `most` cannot be told apart.
        self.bits = max(expected, 2).bit_length()
        self.most = (1 << self.bits) - 1
        self._scratch = scratch
        self._count = -(-expected // DOCUMENTS_OF_A_SLICE) or 1
        self._edges = _NOTHING
        self._slices: list[list[Any]] = [[] for _ in range(self._count)]
        self._documents = 0

    def add(self, keys: npt.NDArray[Any], sizes: Ints) -> None:
        """Of the documents that follow, so many of each."""
        bits = np.uint64(self.bits)
        packed = keys.astype(np.uint64)
        packed <<= np.uint64(64 - 8 * keys.itemsize)
        packed >>= bits
        packed <<= bits
        places = np.arange(self._documents, self._documents + len(sizes), dtype=np.uint32)
        packed |= np.repeat(places, sizes)
        self._documents += len(sizes)
        if self._count == 1:
            self._slices[0].append(self._scratch.put(packed))
            return
        packed.sort()
        if not len(self._edges) and len(packed):
            # By what the first ones have: all slices become about as large.
            # All that hold a key come into one slice.
            self._edges = packed[np.arange(1, self._count) * len(packed) // self._count]
            self._edges = self._edges >> bits << bits
        bounds = [0, *np.searchsorted(packed, self._edges).tolist(), len(packed)]
        for number, (begin, end) in enumerate(pairwise(bounds)):
            if begin < end:
                self._slices[number].append(self._scratch.put(packed[begin:end]))

    def _each_slice(self) -> Iterator[Keys]:
        for number, runs in enumerate(self._slices):
            packed = np.concatenate([_NOTHING, *map(self._scratch.take, runs)])
            self._slices[number] = []
            packed.sort()
            yield packed

    def postings(self, reading: Reading, limits: Keys = _NOTHING) -> Postings:
        bits = np.uint64(self.bits)
        highest = np.full(len(limits), -1, np.int64)
        held = np.zeros(self._documents, np.int32)
        holders, all_places = [], []
        keys, read = Aside(self._scratch, np.uint64), Aside(self._scratch, np.int32)
        for packed in self._each_slice():
            first, shared = _firsts(packed, bits)
            for number, end in enumerate(np.searchsorted(packed, limits, side="right").tolist()):
                highest[number] += np.count_nonzero(first[:end])
            keys.add(packed[first] >> bits)
            places = packed[shared].astype(np.uint32).view(np.int32)
            places &= np.int32(self.most)
            del packed
            first = first[shared]
            begins = np.flatnonzero(first)
            counts = np.diff(np.append(begins, len(first)))
            holders.append(counts.astype(np.int32))
            read.add(places[arrays.places(begins, reading.of(counts))])
            held += np.bincount(places, minlength=self._documents).astype(np.int32)
            all_places.append(self._scratch.put(places))
        lists = self._lists(held, reading, holders, all_places)
        by_rank = np.concatenate([*holders, np.zeros(1, np.int32)])
        return Postings(lists, by_rank, highest, keys, self.bits, reading, read)

    def _lists(
        self,
        held: npt.NDArray[np.int32],
        reading: Reading,
        holders: list[npt.NDArray[np.int32]],
        all_places: list[Any],
    ) -> Lists:
        width = 0
        if len(held):
            fitting = TABLE_BYTES // (len(held) * np.dtype(np.int32).itemsize)
            width = min(int(np.quantile(held, 0.9)), reading.widest_table, fitting)
        lists = Lists.empty(held, width, sum(map(len, holders)))
        filled = np.zeros(len(held), np.int64)
        rank = 0
        for number, counts in enumerate(holders):
            # Ranks ascend with the keys, and so within a place, too.
            packed = self._scratch.take(all_places[number]).astype(np.uint64)
            all_places[number] = None
            packed <<= np.uint64(32)
            packed |= np.repeat(np.arange(rank, rank + len(counts), dtype=np.uint32), counts)
            rank += len(counts)
            packed.sort()
            places = (packed >> np.uint64(32)).astype(np.int64)
            begins = np.flatnonzero(np.append(True, places[1:] != places[:-1])[: len(places)])
            more = np.diff(np.append(begins, len(places)))
            numbers = np.arange(len(places)) - np.repeat(begins - filled[places[begins]], more)
            filled[places[begins]] += more
            lists.fill(places, numbers, packed.astype(np.uint32).view(np.int32))
        return lists


def _firsts(packed: Keys, bits: np.uint64) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which begin a key that more than one holds, and which belong to such a key."""
    # Whether it is the same key as the one before.
    again = np.zeros(len(packed) + 1, np.bool_)
    in_order = packed >> bits
    np.equal(in_order[1:], in_order[:-1], out=again[1:-1])
    shared = again[:-1] | again[1:]
    return shared & ~again[:-1], shared
