"""Which spellings are words: what ships with the program, the months, and the library itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Protocol

from paperless_fingerprint.text.languages import languages
from paperless_fingerprint.text.normalise import without_accents

_NAMES = [
    (name, number)
    for language in languages()
    for months in (language.months, language.short_months)
    for number, names in enumerate(months, 1)
    for name in names
]
#: The names of the months and the short forms that stand on statements, with their number.
#: A scanner that was not told the language loses the accents; what is short without them may be
#: another word, as 'marco' is.
MONTHS: dict[str, int] = {
    **{plain: number for name, number in _NAMES if len(plain := without_accents(name)) > 6},
    **dict(_NAMES),
}


@cache
def labels() -> dict[str, tuple[str, ...]]:
    """How the words begin that stand before an invoice number, a customer number and so on."""
    kinds = dict.fromkeys(kind for language in languages() for kind in language.labels)
    return {kind: _once(language.labels[kind] for language in languages()) for kind in kinds}


@cache
def totals() -> tuple[str, ...]:
    """What stands before the amount to pay."""
    return _once(language.totals for language in languages())


@cache
def legal_forms() -> tuple[str, ...]:
    return _once(language.legal_forms for language in languages())


def _once(lists: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The longest first, so that a regular expression takes as much as it can."""
    return tuple(sorted(set(chain.from_iterable(lists)), key=lambda word: (-len(word), word)))


class Vocabulary(Protocol):
    """How common words are in the library."""

    def frequencies(self, words: Sequence[str]) -> Sequence[int]:
        """Of each of these (normalised) words the number of documents that hold it."""
        ...


class NoVocabulary:
    """Stands in where there is no library to ask."""

    def frequencies(self, words: Sequence[str]) -> Sequence[int]:
        return [0] * len(words)


@cache
def words_of_languages() -> tuple[frozenset[str], ...]:
    """The common words of each language."""
    # Keys of tokens are case-folded, and 'grüßen' is 'grüssen' then.
    return tuple(frozenset(map(str.casefold, each.common_words)) for each in languages())
