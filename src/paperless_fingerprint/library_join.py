"""Candidates for a whole library at once: one join over arrays instead of a query a document.

The same rules as in candidates.py, on all fingerprints in memory (about 1.5 KB a document).
Everything is addressed by place, 0 to N-1 in ascending order of id, and by rank: the place of a
sketch hash among all distinct hashes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from paperless_fingerprint import candidates as rules
from paperless_fingerprint.stores.base import FingerprintRow

Ints: TypeAlias = npt.NDArray[np.int64]
Keys: TypeAlias = npt.NDArray[np.uint64]
_ROWS_AT_ONCE = 64
#: So many bits hold the number of a posting among those that are read in one go.
_NUMBER_BITS = 24


@dataclass(frozen=True, slots=True)
class _Postings:
    """Which places hold which key. The keys themselves are gone; only their ranks are left."""

    #: By place: the ranks of its keys, between offsets[place] and offsets[place + 1].
    ranks: npt.NDArray[np.int32]
    offsets: Ints
    #: By rank: the places that hold it, ascending, between starts[rank] and starts[rank + 1].
    places: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]

    @classmethod
    def of(cls, keys: npt.NDArray[Any], sizes: Ints) -> _Postings:
        # This is where an analysis needs most memory: one array less of each, and small ones.
        order = np.argsort(keys, kind="stable").astype(np.int32)
        in_order = keys[order]
        first = np.empty(len(keys), np.bool_)
        first[:1] = True
        np.not_equal(in_order[1:], in_order[:-1], out=first[1:])
        del in_order
        ranks = np.empty(len(keys), np.int32)
        ranks[order] = np.cumsum(first, dtype=np.int32) - 1
        starts = np.append(np.flatnonzero(first).astype(np.int32), np.int32(len(keys)))
        del first
        owners = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        return cls(ranks, _offsets(sizes), owners[order], starts)

    def of_rows(self, low: int, high: int) -> tuple[Ints, Ints, Ints]:
        """For each key of these rows that others hold too: row, rank, number of holders."""
        ranks = self.ranks[self.offsets[low] : self.offsets[high]].astype(np.int64)
        rows = np.repeat(np.arange(low, high), np.diff(self.offsets[low : high + 1]))
        holders = (self.starts[ranks + 1] - self.starts[ranks]).astype(np.int64)
        shared = holders > 1
        return rows[shared], ranks[shared], holders[shared]

    def holders_of(self, ranks: Ints, counts: Ints) -> npt.NDArray[np.int32]:
        """The first `counts` holders of each rank, one after the other."""
        return self.places[_ranges(self.starts[ranks].astype(np.int64), counts)]


class Library:
    """All fingerprints of a library, ready to be joined with themselves."""

    def __init__(self, rows: Iterable[FingerprintRow], spec_id: str) -> None:
        ids: list[int] = []
        sketches, bands, counts = bytearray(), bytearray(), bytearray()
        sketch_sizes: list[int] = []
        band_sizes: list[int] = []
        levels: list[int] = []
        hashes: list[int] = []
        files: list[int] = []
        self.facts: list[bytes] = []
        #: Places whose fingerprint belongs to another spec: they are compared with nothing.
        self.foreign = 0
        width = 1
        for row in rows:
            taken = row.fingerprint
            ids.append(row.id)
            files.append(hash(row.checksum) if row.checksum else 0)
            self.facts.append(taken.facts)
            if taken.spec != spec_id:
                self.foreign += 1
                hashes.append(0)
                levels.append(0)
                sketch_sizes.append(0)
                band_sizes.append(0)
                counts += bytes(4 * width)
                continue
            hashes.append(int(taken.text_hash[:15], 16) if taken.text_hash else 0)
            levels.append(taken.level)
            if taken.level_counts and len(taken.level_counts) != width:
                assert not any(counts), "one spec has one number of levels"
                counts = bytearray(len(counts) // width * len(taken.level_counts))
                width = len(taken.level_counts)
            counts += np.array(taken.level_counts or [0] * width, "<i4").tobytes()
            sketches += taken.sketch
            bands += taken.bands
            sketch_sizes.append(len(taken.sketch) // 8)
            band_sizes.append(len(taken.bands) // 4)
        self.ids = np.array(ids, np.int64)
        self._levels = np.array(levels, np.int64)
        self._counts = np.frombuffer(bytes(counts), "<i4").reshape(-1, width)
        self._texts = np.array(hashes, np.int64)
        self._files = np.array(files, np.int64)
        self._sketch = _Postings.of(
            np.frombuffer(sketches, "<u8"), np.array(sketch_sizes, np.int64)
        )
        del sketches
        self._band = _Postings.of(np.frombuffer(bands, "<u4"), np.array(band_sizes, np.int64))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def shingles(self) -> Ints:
        """How many distinct ones each place has."""
        return self._counts[:, 0].astype(np.int64)

    def candidate_pairs(self, wanted: Ints) -> Iterator[tuple[int, Keys]]:
        """For stretches of places: (how many of `wanted` are done, keys of their candidates).

        A key is `lower place << 32 | higher place`. A pair may come twice, once from each side.
        `wanted` are places in ascending order.
        """
        for count, rows, others, _ in self._candidates(wanted):
            yield count, _unordered(rows, others)

    def pairs_to_compare(self, wanted: Ints) -> Iterator[tuple[int, int, Keys]]:
        """As candidate_pairs(), with the number of candidates, and of them what is worth aligning."""
        for count, rows, others, sketched in self._candidates(wanted):
            if sketched is None:  # the same text or file: no question
                yield count, len(rows), _unordered(rows, others)
                continue
            owners, row_of = np.unique(rows, return_inverse=True)
            digests = [self.facts[row] for row in owners.tolist()]
            theirs = [self.facts[place] for place in others.tolist()]
            kept = [rules.faint_ones(digests, row_of.tolist(), theirs, sketched)]
            clear = np.flatnonzero(sketched.clear)
            for begin, end in _runs(rows[clear]):
                some = clear[begin:end]
                best = rules.clear_ones(
                    digests[int(row_of[some[0]])],
                    [theirs[place] for place in some.tolist()],
                    sketched.overlaps[some],
                    sketched.longer[some],
                )
                kept.append(some[best])
            worth = np.concatenate(kept)
            yield count, len(rows), _unordered(rows[worth], others[worth])

    def _candidates(self, wanted: Ints) -> Iterator[tuple[int, Ints, Ints, rules.Sketched | None]]:
        """(how many are done, row, candidate, what sketches say), rows in ascending order."""
        is_wanted = np.zeros(len(self), np.bool_)
        is_wanted[wanted] = True
        same = np.unique(
            np.concatenate((self._same(self._texts, is_wanted), self._same(self._files, is_wanted)))
        )
        yield 0, *_places(same), None
        mark = np.zeros(len(self._sketch.starts), np.bool_)
        for low in range(0, len(self), _ROWS_AT_ONCE):
            high = min(low + _ROWS_AT_ONCE, len(self))
            count = int(np.count_nonzero(is_wanted[low:high]))
            if count:
                rows, others = self._met(low, high, is_wanted)
                yield count, *self._checked(rows, others, mark)

    def _met(self, low: int, high: int, is_wanted: npt.NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """(row, other) by the rarest hashes and by bands, before the sketches are compared."""
        by_sketch = self._by_sketch(low, high, is_wanted)
        rows, ranks, holders = self._band.of_rows(low, high)
        small = (holders <= rules.BUCKET + 1) & is_wanted[rows]
        rows, ranks, holders = rows[small], ranks[small], holders[small]
        by_band = _keys(np.repeat(rows, holders), self._band.holders_of(ranks, holders))
        met_rows, met_others = _places(np.unique(np.concatenate((by_sketch, by_band))))
        differ = met_rows != met_others
        return met_rows[differ], met_others[differ]

    def _by_sketch(self, low: int, high: int, is_wanted: npt.NDArray[np.bool_]) -> Keys:
        rows, ranks, holders = self._sketch.of_rows(low, high)
        asked = is_wanted[rows]
        rows, ranks, holders = rows[asked], ranks[asked], holders[asked]
        order = np.lexsort((holders, rows))
        rows, ranks, holders = rows[order], ranks[order], holders[order]
        read = _running_sums(rows, holders) <= rules.POSTINGS_READ
        whole_lists = _running_sums(rows, read.astype(np.int64))
        # Where hardly any list fits, the beginnings of the next ones stand for them.
        begun = ~read & (
            whole_lists + _running_sums(rows, (~read).astype(np.int64)) <= rules.LISTS_READ_AT_LEAST
        )
        counts = np.where(read, holders, np.minimum(holders, rules.LIST_START))
        kept = read | begun
        rows, ranks, counts = rows[kept], ranks[kept], counts[kept]
        weights = np.log(max(len(self), 2) / counts)
        keys = _keys(np.repeat(rows, counts), self._sketch.holders_of(ranks, counts))
        order = _stable_order(keys, low)
        keys, weights = keys[order], np.repeat(weights, counts)[order]
        first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else keys
        if not len(first):
            return np.empty(0, np.uint64)
        times = np.diff(np.append(first, len(keys)))
        sums = np.add.reduceat(weights, first)
        keys = keys[first]
        met_rows = (keys >> np.uint64(32)).astype(np.int64)
        met_others = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
        often = (times >= rules.SHARED_HASHES_AT_LEAST) & (met_rows != met_others)
        keys, sums, met_rows = keys[often], sums[often], met_rows[often]
        order = np.lexsort((keys, -sums, met_rows))
        best = _running_sums(met_rows[order], np.ones(len(order), np.int64)) <= rules.SHORTLIST
        strongest: Keys = keys[order][best]
        return strongest

    def _checked(
        self, rows: Ints, others: Ints, mark: npt.NDArray[np.bool_]
    ) -> tuple[Ints, Ints, rules.Sketched]:
        """Compare sketch with sketch, and keep the best of what is plausible."""
        shared = np.zeros(len(rows), np.int64)
        offsets = self._sketch.offsets
        for begin, end in _runs(rows):
            row = int(rows[begin])
            own = self._sketch.ranks[offsets[row] : offsets[row + 1]]
            mark[own] = True
            some = others[begin:end]
            sizes = offsets[some + 1] - offsets[some]
            hits = mark[self._sketch.ranks[_ranges(offsets[some], sizes)]]
            sums = np.append(0, np.cumsum(hits))
            ends = np.cumsum(sizes)
            shared[begin:end] = sums[ends] - sums[ends - sizes]
            mark[own] = False
        level = np.maximum(self._levels[rows], self._levels[others])
        own_counts = self._counts[rows, level].astype(np.float64)
        other_counts = self._counts[others, level].astype(np.float64)
        jaccard = shared / np.maximum(own_counts + other_counts - shared, 1)
        fewest = np.minimum(own_counts, other_counts)
        containment = shared / np.maximum(fewest, 1)
        clear = np.asarray(rules.is_clear(jaccard, containment))
        plausible = (shared >= rules.SHARED_HASHES_AT_LEAST) & (
            clear | rules.is_faint(jaccard, containment, fewest)
        )
        longer = other_counts > rules.LONGER * own_counts
        rows, others, clear = rows[plausible], others[plausible], clear[plausible]
        overlaps = containment[plausible]
        strength = np.where(clear, jaccard[plausible], overlaps)
        order = np.lexsort((others, -overlaps, -strength, ~clear, rows))
        # Of each row first what is clear, then what is faint, each numbered from one.
        is_clear, in_order = clear[order], rows[order]
        ranks = _running_sums(2 * in_order + ~is_clear, np.ones(len(order), np.int64))
        best = order[ranks <= np.where(is_clear, rules.SHORTLIST, rules.FAINT_AT_MOST)]
        return (
            rows[best],
            others[best],
            rules.Sketched(overlaps[best], clear[best], longer[plausible][best]),
        )

    def _same(self, values: Ints, is_wanted: npt.NDArray[np.bool_]) -> Keys:
        """Pairs of one value; of many copies each is paired with the first SAME_AT_MOST."""
        places = np.flatnonzero(values)
        order = places[np.argsort(values[places], kind="stable")]
        edges = np.flatnonzero(np.append(True, values[order][1:] != values[order][:-1]))
        keys = [np.empty(0, np.uint64)]
        for low, high in zip(edges.tolist(), [*edges[1:].tolist(), len(order)], strict=True):
            if high - low < 2:
                continue
            members = order[low:high]
            a, b = np.meshgrid(members[: rules.SAME_AT_MOST], members, indexing="ij")
            fit = (a < b) & (is_wanted[a] | is_wanted[b])
            keys.append(_keys(a[fit], b[fit]))
        return np.concatenate(keys)


def _offsets(sizes: Ints) -> Ints:
    return np.append(0, np.cumsum(sizes))


def _keys(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> Keys:
    return (a.astype(np.uint64) << np.uint64(32)) | b.astype(np.uint64)


def _stable_order(keys: Keys, first: int) -> Ints:
    """As argsort(kind="stable"), of keys whose rows are `first` and the _ROWS_AT_ONCE from there on.

    Such a row, a place and the number of the key fit into 64 bits, and to sort these by themselves
    takes a fraction of the time.
    """
    if len(keys) >> _NUMBER_BITS:
        return np.argsort(keys, kind="stable")
    short = (keys - np.uint64(first << 32)) << np.uint64(_NUMBER_BITS)
    short |= np.arange(len(keys), dtype=np.uint64)
    short.sort()
    return (short & np.uint64((1 << _NUMBER_BITS) - 1)).astype(np.int64)


def _unordered(a: Ints, b: Ints) -> Keys:
    return _keys(np.minimum(a, b), np.maximum(a, b))


def _places(keys: Keys) -> tuple[Ints, Ints]:
    return (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)


def _runs(rows: Ints) -> Iterator[tuple[int, int]]:
    """(begin, end) of each run of equal values."""
    if len(rows):
        bounds = np.append(np.flatnonzero(np.append(True, rows[1:] != rows[:-1])), len(rows))
        yield from zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)


def _ranges(starts: Ints, counts: Ints) -> Ints:
    """starts[0], starts[0] + 1, … (counts[0] of them), starts[1], …"""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - counts), counts) + np.arange(total)


def _running_sums(rows: Ints, values: Ints) -> Ints:
    """Running sums that begin anew with each row; `rows` is in ascending order."""
    if not len(rows):
        return values
    sums = np.cumsum(values)
    first = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    before = (sums[first] - values[first]).repeat(np.diff(np.append(first, len(rows))))
    running: Ints = sums - before
    return running
