"""What one text is to the evidence, and how much its words weigh: looked up once for a pair."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from paperless_fingerprint.text.letters import has_characters, has_no_capital, is_word
from paperless_fingerprint.text.lexicon import (
    AMBIGUOUS_MONTHS,
    MONTHS,
    SHORT_MONTHS,
    Vocabulary,
    common_words,
    words_of_languages,
)
from paperless_fingerprint.text.normalise import words as words_of
from paperless_fingerprint.text.tokens import (
    AMOUNT,
    CAPITAL,
    DIGIT,
    Tokens,
    as_number,
    notes_of,
)

#: A name in more documents than this, besides the two, is nobody's in particular.
_RARE = 20
#: In longer texts nobody looks for what a word may have become.
_MOST_LOOKED_FOR = 5_000


class Fact(NamedTuple):
    """A number or a word with a capital that is none of the common words."""

    place: int
    key: str
    spelling: str
    #: The words of a number, as the library counts them; None where it is none.
    pieces: tuple[str, ...] | None


class Side:
    """One text as the evidence needs it; what is dear is found out when somebody asks."""

    def __init__(self, tokens: Tokens, words: Sequence[str]) -> None:
        self.tokens = tokens
        self._words = words
        self._counted: dict[str, int] = {}

    def cut(self, start: int, end: int) -> Side:
        """A stretch of it. Its words are still those of the whole document: they are counted in
        the library by documents."""
        return Side(self.tokens.cut(start, end), self._words)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(self._words)

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        return self.tokens.spans()

    @cached_property
    def has_characters(self) -> bool:
        """Whether there is Chinese or Japanese in it."""
        return has_characters(self.tokens.text)

    @cached_property
    def distinct(self) -> frozenset[str]:
        return frozenset(self.tokens.keys)

    @cached_property
    def own_words(self) -> frozenset[str]:
        """The common words of the languages that it is written in."""
        shared = [(len(words & self.distinct), words) for words in words_of_languages()]
        most = max(count for count, _ in shared)
        return frozenset().union(*(words for count, words in shared if 2 * count > most))

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The numbers and the words with a capital, in their order; amounts left out."""
        facts = []
        keys, common = self.tokens.keys, common_words()
        for i, spelling in enumerate(self.tokens.spellings):
            if not spelling.islower() and len(spelling) > 1:
                notes = notes_of(spelling)
                if notes & DIGIT and not notes & AMOUNT:
                    facts.append(Fact(i, keys[i], spelling, tuple(words_of(spelling))))
                elif notes & CAPITAL and keys[i] not in common:
                    facts.append(Fact(i, keys[i], spelling, None))
        return tuple(facts)

    @cached_property
    def _places_of_facts(self) -> list[int]:
        return [fact.place for fact in self.facts]

    def facts_within(self, runs: Iterable[tuple[int, int]]) -> Iterator[Fact]:
        """Those in these stretches; most of a copy has been found in the other text."""
        places, facts = self._places_of_facts, self.facts
        for start, end in runs:
            yield from facts[bisect_left(places, start) : bisect_left(places, end)]

    @cached_property
    def months(self) -> dict[int, int]:
        """Which tokens are names of months, and of which; 'may' is one beside a number or with a
        capital, 'sie' beside a number only."""
        keys, spellings = self.tokens.keys, self.tokens.spellings
        return {
            i: MONTHS[key]
            for i, key in enumerate(keys)
            if key in MONTHS
            and (
                key not in AMBIGUOUS_MONTHS
                or (spellings[i][0].isupper() and key in SHORT_MONTHS)
                or (i and keys[i - 1][0].isdigit())
                or (i + 1 < len(keys) and keys[i + 1][0].isdigit())
            )
        }

    @cached_property
    def letters(self) -> int:
        return sum(map(len, self.tokens.keys))

    @cached_property
    def begun_with_digit(self) -> tuple[int, ...]:
        """Which tokens begin with a digit."""
        return tuple(i for i, key in enumerate(self.tokens.keys) if key[0].isdigit())

    @cached_property
    def numbers(self) -> int:
        """How many tokens hold digits: where there are none, the facts are silent."""
        return sum(1 for key in self.tokens.keys if len(key) > 1 and not is_word(key))

    def is_name(self, i: int) -> bool:
        """What looks like part of somebody's name: 'FouPAGGENWED' is a stamp across a word."""
        return self._are_names[i]

    @cached_property
    def _are_names(self) -> list[bool]:
        common = common_words()
        return [
            spelling[0].isupper() and _is_name(key, spelling) and key not in common
            for key, spelling in zip(self.tokens.keys, self.tokens.spellings, strict=True)
        ]

    def has_name_beside(self, i: int) -> bool:
        return (
            is_full_name(self.tokens.spellings[i])
            or (i > 0 and self.is_name(i - 1))
            or (i + 1 < len(self.tokens) and self.is_name(i + 1))
        )

    def count_like(self, key: str) -> int:
        """How often the word stands here, as it is or misread."""
        found = self._counted.get(key)
        if found is None:
            like = [key] if len(self.distinct) > _MOST_LOOKED_FOR else self._like(key)
            found = self._counted[key] = sum(self._counts[other] for other in like)
        return found

    def _like(self, key: str) -> list[str]:
        most = len(key) // 4 if len(key) > 4 else 0
        if not most:
            return [key] if key in self._counts else []
        near = [
            other
            for length in range(len(key) - most, len(key) + most + 1)
            for other in self._lengths.get(length, ())
        ]
        found = process.extract(
            key, near, scorer=Levenshtein.distance, score_cutoff=most, limit=None
        )
        return [other for other, _, _ in found]

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(self.tokens.keys)

    @cached_property
    def _lengths(self) -> dict[int, list[str]]:
        lengths: dict[int, list[str]] = {}
        for key in self.distinct:
            lengths.setdefault(len(key), []).append(key)
        return lengths


class Weighing:
    """Looks words up for one pair, each once."""

    def __init__(self, a: Side, b: Side, vocabulary: Vocabulary) -> None:
        self.a, self.b = a, b
        self._lookup = vocabulary.document_frequency
        self._seen: dict[str, int] = {}
        self.common = common_words()

    def elsewhere(self, word: str) -> int:
        """In how many documents besides these two the word stands."""
        count = self._seen.get(word)
        if count is None:
            own = (word in self.a.words) + (word in self.b.words)
            count = self._seen[word] = max(0, self._lookup(word) - own)
        return count

    def known(self, key: str) -> bool:
        return key in self.common or (len(key) > 1 and self.elsewhere(key) >= 2)

    def rare(self, key: str) -> bool:
        return key not in self.common and self.elsewhere(key) <= _RARE

    def weight(self, fact: Fact) -> float:
        """A fact that stands in every letter of this sender says little about this one; a name that
        is known says nothing."""
        if fact.pieces is not None:
            count = self.number_elsewhere(fact.pieces)
            return float(min(len(fact.key), 6) / 6 * (1 + count) ** -0.5)
        count = self.elsewhere(fact.key)
        return float((1 + count) ** -0.5) if count <= _RARE else 0.0

    def number_elsewhere(self, pieces: tuple[str, ...]) -> int:
        return min(map(self.elsewhere, pieces)) if pieces else 0

    def names(self, start: int, end: int, side: Side) -> list[str]:
        """Rare names there, and common ones beside another.

        The owner's own name stands in most documents of a library, and in German every noun has
        a capital; a first name and a family name stand side by side.
        """
        keys = side.tokens.keys
        return [
            keys[i]
            for i in range(start, end)
            if side.is_name(i) and (self.rare(keys[i]) or side.has_name_beside(i))
        ]


def _is_name(key: str, spelling: str) -> bool:
    if not spelling.isalpha():
        return False
    if spelling.istitle():
        return len(key) >= 3
    if spelling.isupper():
        return len(key) >= 4
    return is_full_name(spelling)


def is_full_name(spelling: str) -> bool:
    """'MariaLindner' and 'MariakLindner': a speck has filled the space between two names."""
    capitals = [i for i, letter in enumerate(spelling) if letter.isupper()]
    return (
        len(capitals) == 2
        and capitals[0] == 0
        and 3 <= capitals[1] <= len(spelling) - 3
        and spelling.isalpha()
    )


def legible(keys: Sequence[str], spellings: Sequence[str], weighing: Weighing) -> float:
    """The share of the letters that somebody may have written so: 'tArnsEe nsL0I' nobody has."""
    good = total = 0
    for key, spelling in zip(keys, spellings, strict=True):
        total += len(key)
        if key.isdigit():
            good += len(key)
        elif is_word(spelling):
            even = (
                has_no_capital(spelling)
                or spelling.istitle()
                or spelling.isupper()
                or is_full_name(spelling)
            )
            # 'LaT' is nobody's word, though 'lat' is one.
            if even and (
                key in weighing.common or len(key) >= 4 or (len(key) > 1 and weighing.known(key))
            ):
                good += len(key)
        elif as_number(key) or (
            spelling[-1:].isdigit() and key.lstrip("abcdefghijklmnopqrstuvwxyz").isdigit()
        ):
            good += len(key)
    return good / total if total else 1.0
