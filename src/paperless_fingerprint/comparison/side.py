"""One text as the comparison sees it: its tokens, and how rare they are in the library.

What is dear is found out when somebody asks, once a document and not once a pair.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import cache, cached_property
from itertools import compress

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints.rarity import NoRuns, Runs
from paperless_fingerprint.fingerprints.shingles import shingle_stream
from paperless_fingerprint.fingerprints.sketch import level_limit, level_of
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.text.lexicon import (
    MONTHS,
    NoVocabulary,
    Vocabulary,
    words_of_languages,
)
from paperless_fingerprint.text.normalise import words as words_of
from paperless_fingerprint.text.tokens import AMOUNT, CJK, DIGIT, Tokens, notes_of

Ints = npt.NDArray[np.int64]

_USUAL = FingerprintSpec()
#: No word is counted further: beyond this it is simply common.
MOST = 50
_DATE = re.compile(r"\d{1,4}[./’'-]\d{1,2}(?:[./’'-]\d{2,4})?")
#: Held by so many documents it is known to two besides this one.
_KNOWN = 3
#: Words of fewer letters say nothing by themselves.
_SHORT = 3
#: So many characters and no points or commas among them: what letters are filed by.
_CODE = 5
_IS_COUNTED = re.compile("[.,]")
#: A run is looked for so many words around a change.
_NEAR = 12


class Number(IntEnum):
    """What a number is for, by its looks."""

    CODE = 0
    DATE = 1
    AMOUNT = 2
    ANY = 3


class Side:
    def __init__(
        self,
        tokens: Tokens,
        vocabulary: Vocabulary | None = None,
        runs: Runs | None = None,
        *,
        shingles: int = 0,
        shingle_words: int = 3,
    ) -> None:
        self.tokens = tokens
        self.keys = tokens.keys
        self.vocabulary, self.runs = vocabulary, runs
        self.level = level_of(shingles, _USUAL.sketch_hashes, _USUAL.sketch_max_level)
        self._shingle_words = shingle_words

    @cached_property
    def notes(self) -> list[int]:
        return list(map(notes_of, self.tokens.spellings))

    @cached_property
    def distinct(self) -> frozenset[str]:
        return frozenset(self.tokens.keys)

    @cached_property
    def own_words(self) -> frozenset[str]:
        """The common words of the languages that it is written in."""
        shared = [len(words & self.distinct) for words in words_of_languages()]
        most = max(shared)
        return _words_of(tuple(2 * count > most for count in shared))

    @cached_property
    def known(self) -> frozenset[str]:
        """What a language knows, or two documents besides this one and any other."""
        frequency = self.frequency
        often = {key for key in self.long if frequency[key] > _KNOWN}
        return (self.distinct & self.own_words) | often

    @cached_property
    def hardly_known(self) -> frozenset[str]:
        """What two documents know besides this one; another one may be one of them."""
        frequency = self.frequency
        return frozenset(key for key in self.long if frequency[key] == _KNOWN)

    @cached_property
    def long(self) -> frozenset[str]:
        return frozenset(key for key in self.distinct if len(key) >= _SHORT)

    @cached_property
    def plain(self) -> frozenset[str]:
        """Numbers of nothing but digits, and characters that are words."""
        return frozenset(
            key
            for key, note in zip(self.keys, self.notes, strict=True)
            if note & CJK or (note & DIGIT and key.isdigit())
        )

    @cached_property
    def couples(self) -> frozenset[str]:
        """Two characters ('3c') that somebody besides this one and any other has as well."""
        frequency = self.frequency
        return frozenset(
            key for key in self.distinct if len(key) == _SHORT - 1 and frequency[key] >= _KNOWN
        )

    @cached_property
    def numbers(self) -> dict[str, Number]:
        """Those of three characters and more, in the order of the text."""
        found: dict[str, Number] = {}
        for i, (key, note) in enumerate(zip(self.keys, self.notes, strict=True)):
            if note & DIGIT and len(key) >= _SHORT and key not in found:
                if i in self.is_date:
                    found[key] = Number.DATE
                elif note & AMOUNT:
                    found[key] = Number.AMOUNT
                elif len(key) >= _CODE and not _IS_COUNTED.search(self.tokens.spellings[i]):
                    found[key] = Number.CODE
                else:
                    found[key] = Number.ANY
        return found

    @cached_property
    def _joined(self) -> list[int]:
        """Which tokens are more than letters and digits ('12.03.2024')."""
        return [i for i, spelling in enumerate(self.tokens.spellings) if not spelling.isalnum()]

    @cached_property
    def pieces(self) -> dict[str, tuple[str, ...]]:
        """The words of each of these, as the library counts them."""
        found: dict[str, tuple[str, ...]] = {}
        for i in self._joined:
            key = self.keys[i]
            if key not in found:
                found[key] = tuple(words_of(self.tokens.spellings[i]))
        return found

    @cached_property
    def frequency(self) -> dict[str, int]:
        """In how many documents of the library each token stands; this one counts, too."""
        pieces = self.pieces
        words = list((self.distinct - pieces.keys()).union(*pieces.values()))
        asked = (self.vocabulary or NoVocabulary()).frequencies(words)
        counts = dict(zip(words, np.clip(asked, 1, MOST).tolist(), strict=True))
        # The words that a token is made of may stay: nobody asks for them.
        joined = {
            key: min([counts[word] for word in words], default=MOST)
            for key, words in pieces.items()
        }
        return counts | joined

    @cached_property
    def distinct_words(self) -> tuple[npt.NDArray[np.uint64], Ints, npt.NDArray[np.bool_]]:
        """The hashes of the longer ones, ascending, in how many documents each stands, and whether
        it tells much where it is rare. Not Python's own hashes: they give each process another
        order, and sums of other last digits."""
        frequency = self.frequency
        keys = self.long
        streams = list(shingle_stream(" ".join(keys), 1))
        hashes = np.concatenate(streams) if streams else np.empty(0, np.uint64)
        held = np.fromiter((frequency[key] for key in keys), np.int64, len(keys))
        tells = np.fromiter(
            (len(key) > _SHORT or key.isdigit() for key in keys), np.bool_, len(keys)
        )
        order = np.argsort(hashes)
        return hashes[order], held[order], tells[order]

    @cached_property
    def lengths(self) -> Ints:
        return np.fromiter(map(len, self.keys), np.int64, len(self.keys))

    @cached_property
    def is_date(self) -> frozenset[int]:
        """Which tokens are dates in figures or months in words."""
        keys, spellings = self.keys, self.tokens.spellings
        dates = {i for i in self._joined if spellings[i][0].isdigit() and _is_date(spellings[i])}
        months = self.distinct & MONTHS.keys()
        return frozenset(dates | {i for i, key in enumerate(keys) if key in months})

    # Runs of words -----------------------------------------------------------------------------

    @cached_property
    def _first_words(self) -> Ints:
        """Of each token the place of its first word among all words; one more for the end."""
        pieces = self.pieces
        ends = np.ones(len(self.keys) + 1, np.int64)
        ends[0] = 0
        for i in self._joined:
            ends[i + 1] = len(pieces[self.keys[i]])
        return np.cumsum(ends)

    @cached_property
    def run_hashes(self) -> npt.NDArray[np.uint64]:
        """Of the run that begins at each word; fewer at the end."""
        pieces = self.pieces
        words = list(self.keys)
        for i in self._joined:
            words[i] = " ".join(pieces[words[i]])
        text = " ".join(filter(None, words))
        streams = list(shingle_stream(text, self._shingle_words))
        return np.concatenate(streams) if streams else np.empty(0, np.uint64)

    @cached_property
    def kept_runs(self) -> tuple[Ints, npt.NDArray[np.uint64], Ints]:
        """Those that the sketch keeps: at which words they begin, their hashes, and how many
        documents hold them."""
        hashes = self.run_hashes
        places = np.flatnonzero(hashes <= np.uint64(level_limit(self.level)))
        hashes = hashes[places]
        return places, hashes, (self.runs or NoRuns()).held_by(hashes)

    @cached_property
    def distinct_runs(self) -> tuple[npt.NDArray[np.uint64], Ints]:
        """The hashes, ascending, and how many documents hold each."""
        _, hashes, held = self.kept_runs
        found, first = np.unique(hashes, return_index=True)
        return found, held[first]

    def held_around(self, start: int, end: int) -> int:
        """In how many documents the fixed text beside these tokens stands; 0 where nobody knows."""
        places, _, held = self.kept_runs
        first, last = int(self._first_words[start]), int(self._first_words[end])
        size = self._shingle_words
        # The nearest run that ends before, and the nearest that begins after.
        before = int(places.searchsorted(first - size, side="right")) - 1
        after = int(places.searchsorted(last))
        found = 0
        if before >= 0 and places[before] >= first - size - _NEAR:
            found = int(held[before])
        if after < len(places) and places[after] <= last + _NEAR:
            found = max(found, int(held[after]))
        return found


@cache
def _words_of(written: tuple[bool, ...]) -> frozenset[str]:
    """The months, and the common words of these languages."""
    return frozenset(MONTHS).union(*compress(words_of_languages(), written))


def _is_date(spelling: str) -> bool:
    """'12.03.2024', '2024-03-12', '12.03.'; '21.58' is a time or a price."""
    if spelling.isalnum() or not _DATE.fullmatch(spelling):
        return False
    parts = re.split(r"\D", spelling)
    return len(parts) == 3 or (int(parts[0]) <= 31 and 1 <= int(parts[1]) <= 12)
