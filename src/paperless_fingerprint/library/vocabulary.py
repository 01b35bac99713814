"""How common words are in the library: what tells a misread word from a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints.shingles import (
    Hashes,
    shingle_hashes,
    shingle_stream,
    word_hash,
)
from paperless_fingerprint.model import Document
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.text.lexicon import common_words
from paperless_fingerprint.text.normalise import normalise, words
from paperless_fingerprint.text.tokens import AMOUNT, CAPITAL, DIGIT, notes_of, tokenise

#: Beyond this a word is simply common.
COUNTED_AT_MOST = 1_000
#: Of two texts with more differences than this few of them are asked about.
_FEW_DIFFERENCES = 400
_MERGED_AT_ONCE = 500_000
_HASHED_AT_ONCE = 20_000
_REMEMBERED_WORDS = 50_000


class StoredVocabulary:
    """Asks the store word by word and remembers: for one document at a time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._counts: dict[str, int] = {}

    def document_frequency(self, word: str) -> int:
        count = self._counts.get(word)
        if count is None:
            self.look_up([word])
            count = self._counts[word]
        return count

    def look_up_for(
        self, documents: Mapping[int, Document], pairs: Sequence[tuple[int, int]]
    ) -> None:
        """What the comparison of these pairs will ask for, in one round trip."""
        self.look_up(asked_about({id: each.content for id, each in documents.items()}, pairs))

    def look_up(self, asked: Iterable[str]) -> None:
        """Ask for many words at once, which costs one round trip instead of one a word."""
        if len(self._counts) > _REMEMBERED_WORDS:
            self._counts.clear()
        missing = {word for word in asked if word not in self._counts}
        if missing:
            self._counts.update(self._store.document_frequencies(missing, at_most=COUNTED_AT_MOST))


@dataclass(frozen=True, slots=True)
class _Asked:
    """The words of one text that a comparison may ask for."""

    times: Counter[str]
    #: Numbers and what has a capital: these say something wherever they stand.
    stated: frozenset[str]

    @classmethod
    def of(cls, text: str) -> _Asked:
        tokens = tokenise(text)
        stated: set[str] = set()
        for key, spelling in zip(tokens.keys, tokens.spellings, strict=True):
            if spelling.islower() or len(spelling) == 1:
                continue
            notes = notes_of(spelling)
            if notes & (DIGIT | CAPITAL) and not notes & AMOUNT:
                stated.add(key)
            if notes & DIGIT and not notes & AMOUNT:
                # The library counts the words of a number: '2024-117' is two.
                stated.update(words(spelling))
        return cls(Counter(tokens.keys), frozenset(stated))


def asked_about(texts: Mapping[int, str], pairs: Iterable[tuple[int, int]]) -> set[str]:
    """Words whose frequency the comparison of these pairs asks for: numbers and names wherever they
    stand, and what stands in one of the two texts more often than in the other."""
    read = {id: _Asked.of(texts[id]) for pair in pairs for id in pair}
    asked: set[str] = set()
    for a, b in pairs:
        asked |= read[a].stated | read[b].stated
        # As often here as there, it most likely stands in the same places.
        different = (read[a].times - read[b].times) | (read[b].times - read[a].times)
        if len(different) <= _FEW_DIFFERENCES:
            asked |= different.keys()
    return asked - common_words()


class WordTable:
    """The whole vocabulary in two arrays, by hash: for a whole library."""

    def __init__(self, hashes: Hashes, counts: npt.NDArray[np.int32]) -> None:
        self._hashes = hashes
        self._counts = counts
        self._remembered: dict[str, int] = {}

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

    def document_frequency(self, word: str) -> int:
        count = self._remembered.get(word)
        if count is None:
            own = np.uint64(word_hash(word))
            place = int(self._hashes.searchsorted(own))
            found = place < len(self._hashes) and self._hashes[place] == own
            count = int(self._counts[place]) if found else 1
            if len(self._remembered) >= _REMEMBERED_WORDS:
                self._remembered.clear()
            self._remembered[word] = count
        return count


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
