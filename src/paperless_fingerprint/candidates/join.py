"""Candidates for a whole library at once: one join over arrays instead of a query a document.

The same rules as in candidates/rules.py, on all fingerprints in memory (about 1.5 KB a document).
Everything is addressed by place, 0 to N-1 in ascending order of id, and by rank: the place of a
sketch hash among all distinct hashes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.candidates import rules
from paperless_fingerprint.candidates.forms import Sketches
from paperless_fingerprint.fingerprints import arrays
from paperless_fingerprint.fingerprints.arrays import Ints, distinct
from paperless_fingerprint.fingerprints.digest import Digests
from paperless_fingerprint.fingerprints.rarity import MOST_HELD, RunTable
from paperless_fingerprint.fingerprints.sketch import level_limit
from paperless_fingerprint.model import FingerprintRow

Keys: TypeAlias = npt.NDArray[np.uint64]
_ROWS_AT_ONCE = 64
#: So many bits hold the number of a posting among those that are read in one go.
_NUMBER_BITS = 24
_NO_LIMITS = np.empty(0, np.uint64)
#: So many ranks of a place fit into its row of the table, at most: nearly all of a letter's. Of so many
#: the number that is in common fits into one byte.
_WIDEST_TABLE = 128
_PLACES_AT_ONCE = 4_096


@dataclass(frozen=True, slots=True)
class _Postings:
    """Which places hold which key, of the keys that more than one place holds: most have no other,
    and say nothing of two documents."""

    #: By place: the ranks of its keys, between offsets[place] and offsets[place + 1].
    ranks: npt.NDArray[np.int32]
    offsets: Ints
    #: By rank: the places that hold it, ascending, between starts[rank] and starts[rank + 1].
    places: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]
    #: By limit: the highest rank of a key up to it, -1 where there is none.
    highest: Ints
    #: By rank: the key without its lowest bits, and how many these are.
    keys: Keys
    dropped_bits: int

    @classmethod
    def of(cls, keys: npt.NDArray[Any], sizes: Ints, limits: Keys = _NO_LIMITS) -> _Postings:
        # This is where an analysis needs most memory, so numbers of 64 bits are sorted in place: a
        # key, and in its lowest bits the place that holds it. A key of 64 bits keeps as many as are
        # left, 47 in a library of 100,000 documents. `keys` of 64 bits are used up.
        bits = np.uint64(max(len(sizes), 2).bit_length())
        packed = keys.astype(np.uint64, copy=False)
        packed <<= np.uint64(64 - 8 * keys.itemsize)
        packed >>= bits
        packed <<= bits
        packed |= np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
        packed.sort()
        # Whether it is the same key as the one before.
        again = np.zeros(len(packed) + 1, np.bool_)
        in_order = packed >> bits
        np.equal(in_order[1:], in_order[:-1], out=again[1:-1])
        del in_order
        ends = np.searchsorted(packed, limits, side="right")
        shared = again[:-1] | again[1:]
        first = shared & ~again[:-1]
        highest = np.array([np.count_nonzero(first[:end]) - 1 for end in ends], np.int64)
        packed, first = packed[shared], first[shared]
        ranked_keys = packed[first] >> bits
        del again, shared
        places = (packed & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int32)
        starts = np.append(np.flatnonzero(first).astype(np.int32), np.int32(len(packed)))
        # The same once more from the side of the places: ranks ascend with the keys.
        packed = places.astype(np.uint64)
        packed <<= np.uint64(32)
        packed |= np.cumsum(first, dtype=np.uint32) - np.uint32(1)
        del first
        packed.sort()
        ranks = packed.astype(np.uint32).view(np.int32)
        held = np.bincount(places, minlength=len(sizes))
        return cls(ranks, _offsets(held), places, starts, highest, ranked_keys, int(bits))

    def of_rows(self, low: int, high: int) -> tuple[Ints, Ints, Ints]:
        """For each key of these rows: row, rank, number of holders."""
        ranks = self.ranks[self.offsets[low] : self.offsets[high]].astype(np.int64)
        rows = np.repeat(np.arange(low, high), np.diff(self.offsets[low : high + 1]))
        holders = (self.starts[ranks + 1] - self.starts[ranks]).astype(np.int64)
        return rows, ranks, holders

    def table(self) -> npt.NDArray[np.int32]:
        """The first ranks of each place as a row: to read rows takes a fifth of the time that it takes
        to read lists of unequal lengths. Where a place has fewer, a rank follows that nobody has."""
        sizes = np.diff(self.offsets)
        width = min(int(np.quantile(sizes, 0.9)), _WIDEST_TABLE) if len(sizes) else 0
        table = np.full((len(sizes), width), len(self.starts) - 1, np.int32)
        for low in range(0, len(sizes), _PLACES_AT_ONCE):
            some = np.minimum(sizes[low : low + _PLACES_AT_ONCE], width)
            filled = np.arange(width) < some[:, None]
            table[low : low + len(some)][filled] = self.ranks[
                arrays.places(self.offsets[low : low + len(some)], some)
            ]
        return table

    def holders_of(self, ranks: Ints, counts: Ints) -> npt.NDArray[np.int32]:
        """The first `counts` holders of each rank, one after the other."""
        return self.places[arrays.places(self.starts[ranks].astype(np.int64), counts)]


class Library:
    """All fingerprints of a library, ready to be joined with themselves."""

    def __init__(self, rows: Iterable[FingerprintRow], spec_id: str) -> None:
        ids: list[int] = []
        sketches, bands, counts, facts = bytearray(), bytearray(), bytearray(), bytearray()
        fact_sizes: list[int] = []
        sketch_sizes: list[int] = []
        band_sizes: list[int] = []
        levels: list[int] = []
        hashes: list[int] = []
        files: list[int] = []
        #: Places whose fingerprint belongs to another spec: they are compared with nothing.
        self.foreign = 0
        width = 1
        for row in rows:
            taken = row.fingerprint
            ids.append(row.id)
            files.append(hash(row.checksum) if row.checksum else 0)
            facts += taken.facts
            fact_sizes.append(len(taken.facts))
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
        self._facts = Digests.joined(facts, np.array(fact_sizes, np.int64))
        del facts
        self._sketch = _Postings.of(
            np.frombuffer(sketches, "<u8"),
            np.array(sketch_sizes, np.int64),
            np.array([level_limit(level) for level in range(width)], np.uint64),
        )
        del sketches
        self._band = _Postings.of(np.frombuffer(bands, "<u4"), np.array(band_sizes, np.int64))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def shingles(self) -> Ints:
        """How many distinct ones each place has."""
        return self._counts[:, 0].astype(np.int64)

    def runs(self) -> RunTable:
        """How many documents hold each run of words that the sketches keep."""
        held = np.minimum(np.diff(self._sketch.starts), MOST_HELD).astype(np.uint8)
        return RunTable(self._sketch.keys, held, self._sketch.dropped_bits)

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
            told = rules.by_digests(
                self._facts.at(owners), row_of, self._facts.at(others), sketched
            )
            kept = [told.faint]
            for begin, end in _runs(rows[told.clear]):
                some = told.clear[begin:end]
                row, met = int(rows[some[0]]), others[some]
                best = rules.clear_ones(
                    told.agreement.at(begin, end),
                    sketched.overlaps[some],
                    sketched.longer[some],
                    partial(self._sketches_among, row, met),
                    partial(self._digests_among, row, met),
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
        table = self._sketch.table()
        for low in range(0, len(self), _ROWS_AT_ONCE):
            high = min(low + _ROWS_AT_ONCE, len(self))
            count = int(np.count_nonzero(is_wanted[low:high]))
            if count:
                rows, others = self._met(low, high, is_wanted)
                yield count, *self._checked(rows, others, self._shared(rows, others, table, mark))

    def _met(self, low: int, high: int, is_wanted: npt.NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """(row, other) by the rarest hashes and by bands, before the sketches are compared."""
        by_sketch = self._by_sketch(low, high, is_wanted)
        rows, ranks, holders = self._band.of_rows(low, high)
        small = (holders <= rules.BUCKET + 1) & is_wanted[rows]
        rows, ranks, holders = rows[small], ranks[small], holders[small]
        by_band = _keys(np.repeat(rows, holders), self._band.holders_of(ranks, holders))
        met_rows, met_others = _places(distinct(np.concatenate((by_sketch, by_band))))
        differ = met_rows != met_others
        return met_rows[differ], met_others[differ]

    def _by_sketch(self, low: int, high: int, is_wanted: npt.NDArray[np.bool_]) -> Keys:
        rows, ranks, holders = self._sketch.of_rows(low, high)
        asked = is_wanted[rows]
        rows, ranks, holders = rows[asked], ranks[asked], holders[asked]
        order = _stable_order(_keys(rows, holders), low)
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
        edges = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1], [True])))
        often = np.flatnonzero(np.diff(edges) >= rules.SHARED_HASHES_AT_LEAST)
        keys = keys[edges[often]]
        met_rows, met_others = _places(keys)
        differ = met_rows != met_others
        keys, met_rows, often = keys[differ], met_rows[differ], often[differ]
        if not len(often):
            return np.empty(0, np.uint64)
        # One sum from each beginning to its end, and one from there to the next beginning.
        begin_end = np.column_stack((edges[often], edges[often + 1])).ravel()
        sums = np.add.reduceat(np.append(weights, 0.0), begin_end)[::2]
        # Sorted by key they are already, and stay so where they are equal.
        order = np.lexsort((-sums, met_rows))
        best = _running_sums(met_rows[order], np.ones(len(order), np.int64)) <= rules.SHORTLIST
        strongest: Keys = keys[order][best]
        return strongest

    def _shared(
        self, rows: Ints, others: Ints, table: npt.NDArray[np.int32], mark: npt.NDArray[np.bool_]
    ) -> Ints:
        """How many ranks each has in common with its row."""
        ranks, offsets = self._sketch.ranks, self._sketch.offsets
        width = table.shape[1]
        # 'clip' because only then nothing is copied on the way; all ranks are there.
        theirs = table.take(others, axis=0, mode="clip")
        hits = np.empty(theirs.shape, np.bool_)
        # What does not fit into the table: of long documents.
        beyond = offsets[others + 1] - offsets[others] - width
        longer = np.flatnonzero(beyond > 0)
        sizes = beyond[longer]
        rest = ranks[arrays.places(offsets[others[longer]] + width, sizes)]
        ends = np.cumsum(sizes)
        begins = ends - sizes
        rest_hits = np.empty(len(rest), np.bool_)
        bounds = np.append(begins, len(rest))
        for begin, end in _runs(rows):
            row = int(rows[begin])
            own = ranks[offsets[row] : offsets[row + 1]]
            mark[own] = True
            mark.take(theirs[begin:end], out=hits[begin:end], mode="clip")
            if len(rest):
                low, high = bounds[np.searchsorted(longer, (begin, end))]
                mark.take(rest[low:high], out=rest_hits[low:high], mode="clip")
            mark[own] = False
        # In one byte each, which is many times as fast as sum().
        shared: Ints = np.einsum("ij->i", hits.view(np.uint8)).astype(np.int64)
        shared[longer] += arrays.counts(rest_hits, begins, ends)
        return shared

    def _checked(self, rows: Ints, others: Ints, shared: Ints) -> tuple[Ints, Ints, rules.Sketched]:
        """Compare sketch with sketch, and keep the best of what is plausible."""
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
        # Of each row first what is clear, then what is faint, each numbered from one.
        kinds = 2 * rows + ~clear
        # In the order of their places they are already, and stay so where they are equal.
        order = np.lexsort((-overlaps, -strength, kinds))
        numbers = _running_sums(kinds[order], np.ones(len(order), np.int64))
        best = order[numbers <= np.where(clear[order], rules.SHORTLIST, rules.FAINT_AT_MOST)]
        return (
            rows[best],
            others[best],
            rules.Sketched(overlaps[best], clear[best], longer[plausible][best]),
        )

    def _sketches_among(self, row: int, met: Ints, places: Ints) -> Sketches:
        return self.sketches(row, met[places])

    def _digests_among(self, row: int, met: Ints, places: Ints) -> tuple[Digests, Digests]:
        return self._facts.at(np.array([row])), self._facts.at(met[places])

    def sketches(self, row: int, others: Ints) -> Sketches:
        """Of ranks instead of hashes. Those that nobody else holds are gone, but they are counted."""
        offsets = self._sketch.offsets
        sizes = offsets[others + 1] - offsets[others]
        level = np.maximum(self._levels[row], self._levels[others])
        return Sketches(
            own=self._sketch.ranks[offsets[row] : offsets[row + 1]],
            others=self._sketch.ranks[arrays.places(offsets[others], sizes)],
            sizes=sizes,
            limits=self._sketch.highest[level],
            own_counts=self._counts[row, level].astype(np.int64),
            other_counts=self._counts[others, level].astype(np.int64),
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


def _running_sums(rows: Ints, values: Ints) -> Ints:
    """Running sums that begin anew with each row; `rows` is in ascending order."""
    if not len(rows):
        return values
    sums = np.cumsum(values)
    first = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    before = (sums[first] - values[first]).repeat(np.diff(np.append(first, len(rows))))
    running: Ints = sums - before
    return running
