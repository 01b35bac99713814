"""Candidates for a whole library at once: one join over arrays instead of a query a document.

The same rules as in candidates/rules.py, on what of the fingerprints documents have in common, in
memory (less than 1 KB a document), or put aside until they are needed.
Everything is addressed by place, 0 to N-1 in ascending order of id, and by rank: the place of a
sketch hash among all distinct hashes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.candidates import forms, rules
from paperless_fingerprint.candidates.forms import Sketches
from paperless_fingerprint.candidates.postings import (
    Aside,
    Gathered,
    Holders,
    Keys,
    Memory,
    Reading,
    Scratch,
)
from paperless_fingerprint.fingerprints import arrays
from paperless_fingerprint.fingerprints.arrays import Ints, distinct
from paperless_fingerprint.fingerprints.digest import Digests
from paperless_fingerprint.fingerprints.rarity import MOST_HELD, RunTable
from paperless_fingerprint.fingerprints.sketch import level_limit
from paperless_fingerprint.model import FingerprintRow

_ROWS_AT_ONCE = 64
#: So many bits hold the number of a posting among those that are read in one go.
_NUMBER_BITS = 24
_TAKEN_AT_ONCE = 8_192
#: Nearly all keys of a letter fit into a row of the table. Of so many the number that is in common
#: fits into one byte.
_READ_OF_SKETCHES = Reading(rules.POSTINGS_READ, rules.LIST_START, widest_table=128)
#: What more hold says nothing, and is not read at all.
_READ_OF_BANDS = Reading(rules.BUCKET + 1, 0, widest_table=0)


class Library:
    """All fingerprints of a library, ready to be joined with themselves."""

    def __init__(
        self,
        rows: Iterable[FingerprintRow],
        spec_id: str,
        expected: int | None = None,
        scratch: Scratch | None = None,
    ) -> None:
        """`expected` is how many rows there are; of some more that have come since, as many are
        taken as fit in."""
        if expected is None:
            rows = list(rows)
            expected = len(rows)
        scratch = scratch or Memory()
        sketches, bands = Gathered(expected, scratch), Gathered(expected, scratch)
        ids, texts, files, counts = array("q"), array("q"), array("q"), array("i")
        levels, fact_sizes, fact_levels = (bytearray() for _ in range(3))
        self._scratch = scratch
        self._fact_values = Aside(scratch, np.uint32)
        width = 1
        coming = islice(rows, sketches.most)
        while some := list(islice(coming, _TAKEN_AT_ONCE)):
            # Fingerprints of another spec are compared with nothing.
            own = [row.fingerprint if row.fingerprint.spec == spec_id else None for row in some]
            for row, taken in zip(some, own, strict=True):
                ids.append(row.id)
                files.append(hash(row.checksum) if row.checksum else 0)
                texts.append(int(taken.text_hash[:15], 16) if taken and taken.text_hash else 0)
                levels.append(taken.level if taken else 0)
                level_counts = taken.level_counts if taken else ()
                if level_counts and len(level_counts) != width:
                    assert not any(counts), "one spec has one number of levels"
                    width = len(level_counts)
                    counts = array("i", bytes(4 * width * (len(ids) - 1)))
                counts.extend(level_counts or [0] * width)
            for gathered, kind, columns in (
                (sketches, "<u8", [taken.sketch if taken else b"" for taken in own]),
                (bands, "<u4", [taken.bands if taken else b"" for taken in own]),
            ):
                keys = np.frombuffer(b"".join(columns), kind)
                sizes = np.fromiter(map(len, columns), np.int64, len(columns))
                gathered.add(keys, sizes // keys.itemsize)
            facts = Digests.of([row.fingerprint.facts for row in some])
            self._fact_values.add(facts.values)
            fact_sizes += facts.sizes.astype(np.uint8).tobytes()
            fact_levels += facts.levels.astype(np.uint8).tobytes()
        self.ids = np.array(ids, np.int64)
        self._levels = np.frombuffer(levels, np.uint8)
        self._counts = np.array(counts, np.int32).reshape(-1, width)
        self._texts, self._files = np.array(texts, np.int64), np.array(files, np.int64)
        self._fact_sizes, self._fact_levels = (
            np.frombuffer(octets, np.uint8).reshape(-1, 2) for octets in (fact_sizes, fact_levels)
        )
        limits = np.array([level_limit(level) for level in range(width)], np.uint64)
        self._sketch = sketches.postings(_READ_OF_SKETCHES, limits)
        self._band = bands.postings(_READ_OF_BANDS)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def shingles(self) -> Ints:
        """How many distinct ones each place has."""
        return self._counts[:, 0].astype(np.int64)

    def runs(self) -> RunTable:
        """How many documents hold each run of words that the sketches keep."""
        held = np.minimum(self._sketch.holders[:-1], MOST_HELD).astype(np.uint8)
        return RunTable(self._sketch.keys.whole(), held, self._sketch.dropped_bits)

    def of_large_forms(self, places: Ints) -> npt.NDArray[np.bool_]:
        """Which have much in common with hundreds of others."""
        ranks, sizes = self._sketch.lists.at(places)
        ends = np.cumsum(sizes)
        often = arrays.counts(self._sketch.holders[ranks] >= forms.HUNDREDS, ends - sizes, ends)
        all_kept = self._counts[places, self._levels[places]]
        found: npt.NDArray[np.bool_] = often >= np.maximum(1, forms.FORM_OF_PAGE * all_kept)
        return found

    def candidate_pairs(self, wanted: Ints) -> Iterator[tuple[int, Keys]]:
        """For stretches of places: (how many of `wanted` are done, keys of their candidates).

        A key is `lower place << 32 | higher place`. A pair may come twice, once from each side.
        `wanted` are places in ascending order. Each is done twice: first all are brought together
        with whom they may have something in common, then these are looked at.
        """
        for count, rows, others, _ in self._candidates(wanted):
            yield count, _unordered(rows, others)

    def pairs_to_compare(self, wanted: Ints) -> Iterator[tuple[int, int, Keys]]:
        """As candidate_pairs(), with the number of candidates, and of them what is worth aligning."""
        facts = None
        for count, rows, others, sketched in self._candidates(wanted):
            if sketched is None:  # the same text or file: no question
                yield count, len(rows), _unordered(rows, others)
                continue
            facts = facts or self._facts()
            owners, row_of = np.unique(rows, return_inverse=True)
            told = rules.by_digests(facts.at(owners), row_of, facts.at(others), sketched)
            kept = [told.faint]
            for begin, end in _runs(rows[told.clear]):
                some = told.clear[begin:end]
                row, met = int(rows[some[0]]), others[some]
                best = rules.clear_ones(
                    told.agreement.at(begin, end),
                    sketched.overlaps[some],
                    sketched.longer[some],
                    partial(self._sketches_among, row, met),
                    partial(_digests_among, facts, row, met),
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
        # Who holds which key is not needed beside the digests of facts, and either takes as much
        # memory as all that each place holds.
        met = []
        for low, count, keys in self._met(is_wanted):
            rows, others = _places(keys)
            sizes = np.bincount(rows - low, minlength=_ROWS_AT_ONCE)
            name = self._scratch.put(np.concatenate((sizes, others)).astype(np.uint32))
            met.append((low, count, name))
            yield count, rows[:0], others[:0], None
        mark = np.zeros(len(self._sketch.holders), np.bool_)
        for low, count, name in met:
            sizes, others = np.split(self._scratch.take(name).astype(np.int64), [_ROWS_AT_ONCE])
            rows = np.repeat(np.arange(low, low + _ROWS_AT_ONCE), sizes)
            yield count, *self._checked(rows, others, self._shared(rows, others, mark))

    def _met(self, is_wanted: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int, Keys]]:
        """For stretches of rows: the first, how many are wanted, and whom they meet by the rarest
        hashes and by bands, before the sketches are compared."""
        of_sketches, of_bands = self._sketch.read(), self._band.read()
        for low in range(0, len(self), _ROWS_AT_ONCE):
            high = min(low + _ROWS_AT_ONCE, len(self))
            count = int(np.count_nonzero(is_wanted[low:high]))
            if not count:
                continue
            by_sketch = self._by_sketch(low, high, is_wanted, of_sketches)
            rows, ranks, holders = self._band.of_rows(low, high)
            small = (holders <= rules.BUCKET + 1) & is_wanted[rows]
            rows, ranks, holders = rows[small], ranks[small], holders[small]
            by_band = _keys(np.repeat(rows, holders), of_bands.of(ranks, holders))
            keys = distinct(np.concatenate((by_sketch, by_band)))
            rows, others = _places(keys)
            yield low, count, keys[rows != others]

    def _by_sketch(
        self, low: int, high: int, is_wanted: npt.NDArray[np.bool_], read: Holders
    ) -> Keys:
        rows, ranks, holders = self._sketch.of_rows(low, high)
        asked = is_wanted[rows]
        rows, ranks, holders = rows[asked], ranks[asked], holders[asked]
        order = _stable_order(_keys(rows, holders), low)
        rows, ranks, holders = rows[order], ranks[order], holders[order]
        fits = _running_sums(rows, holders) <= rules.POSTINGS_READ
        whole_lists = _running_sums(rows, fits.astype(np.int64))
        # Where hardly any list fits, the beginnings of the next ones stand for them.
        begun = ~fits & (
            whole_lists + _running_sums(rows, (~fits).astype(np.int64)) <= rules.LISTS_READ_AT_LEAST
        )
        counts = np.where(fits, holders, np.minimum(holders, rules.LIST_START))
        kept = fits | begun
        rows, ranks, counts = rows[kept], ranks[kept], counts[kept]
        weights = np.log(max(len(self), 2) / counts)
        keys = _keys(np.repeat(rows, counts), read.of(ranks, counts))
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

    def _shared(self, rows: Ints, others: Ints, mark: npt.NDArray[np.bool_]) -> Ints:
        """How many ranks each has in common with its row."""
        lists = self._sketch.lists
        # 'clip' because only then nothing is copied on the way; all ranks are there.
        theirs = lists.table.take(others, axis=0, mode="clip")
        hits = np.empty(theirs.shape, np.bool_)
        # What does not fit into the table: of long documents.
        longer = np.flatnonzero(lists.sizes[others] > lists.width)
        rest, sizes = lists.beyond(others[longer])
        ends = np.cumsum(sizes)
        begins = ends - sizes
        rest_hits = np.empty(len(rest), np.bool_)
        bounds = np.append(begins, len(rest))
        for begin, end in _runs(rows):
            row = int(rows[begin])
            own = lists.of(row)
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

    def _facts(self) -> Digests:
        return Digests.of_sizes(self._fact_values.whole(), self._fact_sizes, self._fact_levels)

    def sketches(self, row: int, others: Ints) -> Sketches:
        """Of ranks instead of hashes. Those that nobody else holds are gone, but they are counted."""
        values, sizes = self._sketch.lists.at(others)
        level = np.maximum(self._levels[row], self._levels[others])
        return Sketches(
            own=self._sketch.lists.of(row),
            others=values,
            sizes=sizes,
            limits=self._sketch.highest[level],
            own_counts=self._counts[row, level].astype(np.int64),
            other_counts=self._counts[others, level].astype(np.int64),
        )

    def _same(self, values: Ints, is_wanted: npt.NDArray[np.bool_]) -> Keys:
        """Pairs of one value; of many copies each is paired with the first SAME_AT_MOST."""
        places = np.flatnonzero(values)
        order = places[np.argsort(values[places], kind="stable")]
        again = values[order][1:] == values[order][:-1]
        lows = np.flatnonzero(again & ~np.append(False, again)[:-1])
        highs = np.flatnonzero(again & ~np.append(again, False)[1:]) + 2
        keys = [np.empty(0, np.uint64)]
        for low, high in zip(lows.tolist(), highs.tolist(), strict=True):
            members = order[low:high]
            a, b = np.meshgrid(members[: rules.SAME_AT_MOST], members, indexing="ij")
            fit = (a < b) & (is_wanted[a] | is_wanted[b])
            keys.append(_keys(a[fit], b[fit]))
        return np.concatenate(keys)


def _digests_among(facts: Digests, row: int, met: Ints, places: Ints) -> tuple[Digests, Digests]:
    return facts.at(np.array([row])), facts.at(met[places])


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
