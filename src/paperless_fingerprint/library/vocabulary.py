"""How common words are in the library: what tells a misread word from a name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints.rarity import Runs, RunTable
from paperless_fingerprint.fingerprints.shingles import (
    Hashes,
    shingle_hashes,
    shingle_stream,
)
from paperless_fingerprint.model import StoredDocument
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.text.lexicon import Vocabulary
from paperless_fingerprint.text.normalise import normalise, words

#: Beyond this a word is simply common.
COUNTED_AT_MOST = 1_000
_MERGED_AT_ONCE = 500_000
_HASHED_AT_ONCE = 20_000
_REMEMBERED_WORDS = 50_000


class StoredVocabulary:
    """Asks the store word by word and remembers: for one document at a time. Safe to share by
    threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._counts: dict[str, int] = {}

    def frequencies(self, words: Sequence[str]) -> list[int]:
        counts = self.look_up(words)
        return [counts[word] for word in words]

    def look_up(self, asked: Iterable[str]) -> Mapping[str, int]:
        """Ask for many words at once, which costs one round trip instead of one a word."""
        if len(self._counts) > _REMEMBERED_WORDS:
            self._counts = {}
        counts = self._counts
        missing = {word for word in asked if word not in counts}
        if missing:
            counts.update(self._store.document_frequencies(missing, at_most=COUNTED_AT_MOST))
        return counts


@dataclass(frozen=True, slots=True)
class Rarity:
    """How rare words and runs of words are in a library."""

    words: Vocabulary
    runs: Runs

    @classmethod
    def around(
        cls,
        store: Store,
        records: Collection[StoredDocument],
        vocabulary: StoredVocabulary | None = None,
    ) -> Rarity:
        """For few documents: how many of those like them hold their runs of words. Who is not like
        them has next to none of them. `vocabulary` remembers words from one time to the next."""
        met = {record.document.id: record for record in records}
        like = {
            found.id
            for record in records
            for found in store.candidates(record.fingerprint, excluding=record.document.id)
        }
        known = {**store.get(like - met.keys()), **met}
        runs = RunTable.of(record.fingerprint.sketch for record in known.values())
        vocabulary = vocabulary or StoredVocabulary(store)
        vocabulary.look_up({word for one in records for word in words(one.document.content)})
        return cls(vocabulary, runs)


class WordTable:
    """The whole vocabulary in two arrays, by hash: for a whole library."""

    def __init__(self, hashes: Hashes, counts: npt.NDArray[np.int32]) -> None:
        self._hashes = hashes
        self._counts = counts

    @classmethod
    def of(cls, store: Store) -> WordTable:
        counted = store.repeated_words()
        if counted is None:
            return cls.of_texts(record.document.content for record in store.documents())
        hashes, counts = [np.empty(0, np.uint64)], [np.empty(0, np.int32)]
        while some := list(islice(counted, _HASHED_AT_ONCE)):
            words, times = zip(*some, strict=True)
            hashes += shingle_stream(" ".join(words), 1)
            counts.append(np.array(times, np.int32))
        all_hashes = np.concatenate(hashes)
        order = np.argsort(all_hashes)
        return cls(all_hashes[order], np.concatenate(counts)[order])

    @classmethod
    def of_texts(cls, texts: Iterable[str]) -> WordTable:
        hashes, counts = np.empty(0, np.uint64), np.empty(0, np.int32)
        waiting: list[Hashes] = []
        size = 0
        for text in texts:
            own = shingle_hashes(normalise(text), 1)
            waiting.append(own)
            size += len(own)
            if size > _MERGED_AT_ONCE:
                hashes, counts = _merged(hashes, counts, waiting)
                size = 0
        hashes, counts = _merged(hashes, counts, waiting)
        # What stands in one document alone need not be kept: unknown words count as none.
        kept = counts > 1
        return cls(hashes[kept], counts[kept])

    def frequencies(self, words: Sequence[str]) -> list[int]:
        if not words:
            return []
        asked = np.concatenate(list(shingle_stream(" ".join(words), 1)))
        if not len(self._hashes):
            return [1] * len(words)
        places = self._hashes.searchsorted(asked)
        places[places == len(self._hashes)] = 0
        known = self._hashes[places] == asked
        counts: list[int] = np.where(known, self._counts[places], 1).tolist()
        return counts


def _merged(
    hashes: Hashes, counts: npt.NDArray[np.int32], more: list[Hashes]
) -> tuple[Hashes, npt.NDArray[np.int32]]:
    if not more:
        return hashes, counts
    fresh, times = np.unique(np.concatenate(more), return_counts=True)
    more.clear()
    all_hashes = np.concatenate((hashes, fresh))
    all_counts = np.concatenate((counts, times.astype(np.int32)))
    order = np.argsort(all_hashes, kind="stable")
    all_hashes, all_counts = all_hashes[order], all_counts[order]
    first = np.flatnonzero(np.append(True, all_hashes[1:] != all_hashes[:-1]))
    if not len(all_hashes):
        return hashes, counts
    return all_hashes[first], np.add.reduceat(all_counts, first).astype(np.int32)
