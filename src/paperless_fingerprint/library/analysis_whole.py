"""Many documents at once: the library is joined in memory, and its pairs are judged in stretches.

The steps are those of analysis.py. A pair belongs to the lowest of its documents that waits. The
documents are taken off the waiting list stretch by stretch, each after its pairs are stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.candidates.join import Library
from paperless_fingerprint.files.memory import give_back
from paperless_fingerprint.files.scratch import scratch_in
from paperless_fingerprint.files.sqlite import give_back_caches
from paperless_fingerprint.fingerprints.arrays import among
from paperless_fingerprint.fingerprints.rarity import Runs
from paperless_fingerprint.grouping.groups import Decided
from paperless_fingerprint.grouping.rivals import as_before
from paperless_fingerprint.library.analysis_report import Tally
from paperless_fingerprint.library.decisions_that_hold import (
    holding,
    not_ours,
    semantic_pairs,
    with_decisions,
)
from paperless_fingerprint.library.filled_in import without_forms
from paperless_fingerprint.library.judging import Chunk, Judge, JudgingPool
from paperless_fingerprint.library.lock import path_of
from paperless_fingerprint.library.vocabulary import Rarity, WordTable
from paperless_fingerprint.library.waiting import Waiting
from paperless_fingerprint.model import FingerprintRow, Key, Pair
from paperless_fingerprint.progress import Progress
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Pending, Store

Keys: TypeAlias = npt.NDArray[np.uint64]
Ints: TypeAlias = npt.NDArray[np.int64]
#: A stretch of keys (its ends, and the places that are done after it) and its pairs.
_Judged: TypeAlias = tuple[tuple[int, int, Ints], list[Pair]]

#: Pairs and waiting documents that are judged together, and the shingles of these pairs: their texts
#: are in memory.
_CHUNK_PAIRS = 120
_CHUNK_DOCUMENTS = 2_000
_CHUNK_SHINGLES = 1_500_000
#: So many of these stretches are stored in one go: what is written lies scattered over the tables, and
#: each writing takes most of their pages.
_STORED_TOGETHER = 16
#: Fewer pairs than this are judged here, in half a second: starting processes takes a tenth of one.
_WORTH_PROCESSES = 400


def analyse_whole(
    store: Store,
    settings: Settings,
    waiting: Waiting,
    tally: Tally,
    progress: Progress,
    is_called_away: Callable[[], bool] = lambda: False,
    *,
    from_all: bool = False,
) -> None:
    """The pairs of all that waits, stored when this returns, or of as many as were done before
    somebody was called away. Their groups are not made yet.

    A pair may be found from one of its sides alone. Of what waits, `from_all` looks from the other
    side, too, as if nothing had been done yet.
    """
    decided = holding(store)
    found = _find(store, settings, waiting, decided, tally, progress, from_all=from_all)
    semantic = semantic_pairs(store)
    others = not_ours(semantic, decided, settings)
    progress.begin("learn the words")
    rarity = Rarity(WordTable.of(store), found.runs)
    processes = 1 if len(found.keys) < _WORTH_PROCESSES else settings.workers
    pool = JudgingPool(Judge.of(settings), rarity, processes)
    progress.begin("compare", len(found.keys))
    try:
        stretches = list(_stretches(found.keys, found.wanted, found.shingles))
        chunks = (_chunk(store, found.pairs(low, high)) for low, high, _ in stretches)
        judged = _told(zip(stretches, pool.judged(chunks), strict=True), progress)
        while not is_called_away() and (some := list(islice(judged, _STORED_TOGETHER))):
            done: list[Pending] = []
            kept: list[Pair] = []
            for (low, high, places), pairs in some:
                own = sorted(set(found.pairs(low, high)))
                kept += with_decisions(pairs, own, decided, semantic)
                done += found.waiting.of_ids(found.ids[places])
            tally.add(_store(store, found, done, kept, others))
            give_back()
    finally:
        pool.close()


def _told(judged: Iterator[_Judged], progress: Progress) -> Iterator[_Judged]:
    """Each stretch as it is judged: what is stored together may take a minute."""
    for stretch, pairs in judged:
        progress.advance(stretch[1] - stretch[0])
        yield stretch, pairs


@dataclass(frozen=True, slots=True)
class _Found:
    """What is to be compared. A key is two places, a place stands for a document."""

    keys: Keys
    #: The places of what waits.
    wanted: Ints
    waiting: Waiting
    #: Of each place.
    ids: Ints
    shingles: Ints
    #: How many documents hold each run of words.
    runs: Runs

    def pairs(self, low: int, high: int) -> list[Key]:
        return [
            (int(self.ids[key >> 32]), int(self.ids[key & 0xFFFFFFFF]))
            for key in self.keys[low:high].tolist()
        ]


def _find(
    store: Store,
    settings: Settings,
    waiting: Waiting,
    decided: Decided,
    tally: Tally,
    progress: Progress,
    *,
    from_all: bool,
) -> _Found:
    progress.begin("read the library")
    expected = store.report().counts.documents
    with scratch_in(path_of(settings).parent) as scratch:
        library = Library(_read(store), settings.spec().id, expected, scratch)
        give_back()  # what it was gathered in, a quarter as much as itself
        is_there = among(waiting.ids, library.ids)
        store.mark_analysed(waiting.at(np.flatnonzero(~is_there)))
        wanted = library.ids.searchsorted(waiting.ids[is_there])
        asking = np.arange(len(library)) if from_all else wanted
        progress.begin("find candidates", 2 * len(asking))
        found = []
        for count, candidates, keys in library.pairs_to_compare(asking):
            found.append(keys[_concern(keys, wanted)] if from_all else keys)
            tally.candidates += candidates
            progress.advance(count)
        runs = library.runs()
    keys = without_forms(store, settings.spec(), library, np.unique(np.concatenate(found)))
    keys = np.union1d(keys, _confirmed(decided, waiting, library.ids))
    tally.documents += len(wanted)
    tally.compared += len(keys)
    # The sketches have done their part, and every process would carry them along.
    return _Found(keys, wanted, waiting, library.ids, library.shingles, runs)


def _read(store: Store) -> Iterator[FingerprintRow]:
    yield from store.fingerprints()
    give_back()  # what was read is not read again, and now most memory is needed


def _concern(keys: Keys, wanted: Ints) -> npt.NDArray[np.bool_]:
    return among((keys >> np.uint64(32)).astype(np.int64), wanted) | among(
        (keys & np.uint64(0xFFFFFFFF)).astype(np.int64), wanted
    )


def _confirmed(decided: Decided, waiting: Waiting, ids: Ints) -> Keys:
    """Confirmed pairs are always looked at, found or not."""
    asked = [pair for pair in sorted(decided.confirmed) if pair[0] in waiting or pair[1] in waiting]
    pairs = np.array(asked, np.int64).reshape(-1, 2)
    pairs = pairs[among(pairs, ids).all(axis=1)]
    places = ids.searchsorted(pairs).astype(np.uint64)
    keys: Keys = (places[:, 0] << np.uint64(32)) | places[:, 1]
    return keys


def _stretches(keys: Keys, wanted: Ints, shingles: Ints) -> Iterator[tuple[int, int, Ints]]:
    """(first key, last key, waiting places whose pairs are all judged after it).

    A pair's owner is the lowest of its places that waits. `keys` is brought into the order of
    owners, in place; what hangs together stays together, so that its texts are read once.
    `shingles` are those of each place.
    """
    low = (keys >> np.uint64(32)).astype(np.int64)
    high = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
    ordered = _along_the_pairs(low, high, wanted)
    # The turn of each place; of those that do not wait, none.
    turns = np.full(1 + max(high.max(initial=0), wanted.max(initial=0)), -1)
    turns[ordered] = np.arange(len(ordered))
    owners = np.where(turns[low] >= 0, turns[low], turns[high])
    order = np.argsort(owners, kind="stable")
    keys[:] = keys[order]
    owners = owners[order]
    read = np.append(0, np.cumsum((shingles[low] + shingles[high])[order]))
    begin = 0
    first = 0
    while first < len(ordered):
        fitting = int(np.searchsorted(read, read[begin] + _CHUNK_SHINGLES, side="right")) - 1
        end = min(begin + _CHUNK_PAIRS, max(fitting, begin + 1), len(keys))
        # All pairs of one owner stay together.
        last = int(owners[end - 1]) + 1 if end > begin else 0
        if end == len(keys):
            last = len(ordered)
        last = min(max(last, first + 1), first + _CHUNK_DOCUMENTS)
        end = int(np.searchsorted(owners, last))
        yield begin, end, ordered[first:last]
        begin, first = end, last


def _along_the_pairs(low: Ints, high: Ints, wanted: Ints) -> Ints:
    """`wanted` from each to those that it makes a pair with, and on from them, depth first.

    In a large library forms hang together by chance, thousands of documents. By this order those
    that are compared with one another stay near to one another all the same.
    """
    partners: defaultdict[int, list[int]] = defaultdict(list)
    for a, b in zip(low[::-1].tolist(), high[::-1].tolist(), strict=True):
        partners[a].append(b)
        partners[b].append(a)
    # Of each that is met: from where it was met, and as which one. As keys, because they keep the
    # order in which they come. Most make no pair; they are met from themselves.
    met: dict[int, int] = {}
    starts = wanted[among(wanted, np.union1d(low, high))]
    for start in starts.tolist():
        coming = [start]
        while coming:
            place = coming.pop()
            if place not in met:
                met[place] = start
                coming += [other for other in partners.get(place, ()) if other not in met]
    places = np.fromiter(met.keys(), np.int64, len(met))
    froms = np.fromiter(met.values(), np.int64, len(met))
    kept = among(places, wanted)
    alone = np.setdiff1d(wanted, places, assume_unique=True)
    turns = np.concatenate((froms[kept], alone))
    return np.concatenate((places[kept], alone))[np.argsort(turns, kind="stable")]


def _chunk(store: Store, pairs: list[Key]) -> Chunk:
    found = Chunk.of(store.get({id for pair in pairs for id in pair}), pairs)
    give_back_caches()  # the next texts lie elsewhere
    return found


def _store(
    store: Store,
    found: _Found,
    done: Sequence[Pending],
    pairs: Sequence[Pair],
    others: Collection[Key],
) -> list[Pair]:
    """Write the pairs of these documents, drop what is no longer one, then tick them off.

    Returns them as they are written.

    A stored pair belongs to the same document as a judged one, so an earlier stretch has seen
    to it already where that document came earlier. `others` are another tier's pairs, which stay.
    """
    own = {item.id for item in done}
    new = {(pair.a, pair.b) for pair in pairs}
    known = list(store.links(ids=own))
    stale = {
        (link.a, link.b)
        for link in known
        if (link.a if link.a in found.waiting else link.b) in own and (link.a, link.b) not in new
    }
    written = as_before(pairs, known)
    store.write_pairs(written, removing=stale - set(others))
    store.mark_analysed(done)
    return written
