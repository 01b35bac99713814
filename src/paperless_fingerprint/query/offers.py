"""What to offer somebody whose search has found nothing: other spellings, longer words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from paperless_fingerprint.query.tree import Span, Words

#: Of each kind, for one word.
_MOST = 6
#: Words that are looked at when a search has found nothing.
MOST_WORDS = 3
#: Shorter ones resemble everything.
SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Spelling:
    word: str
    #: The same query with this word in the place of the other.
    query: str


@dataclass(frozen=True, slots=True)
class Offer:
    """For one word of the query that stands in no document."""

    word: str
    #: Words of the library that are spelled nearly like it, the nearest first.
    near: tuple[Spelling, ...]
    #: Words that it is a part of, as `*word*` would find them, the shortest first.
    containing: tuple[Spelling, ...]
    #: Finds what any of those finds; empty where there are none.
    any_containing: str = ""


def letters_apart(word: str, other: str) -> int:
    """Changed, left out, added or exchanged with the next one; counted no further than it tells."""
    return OSA.distance(word, other, score_cutoff=_most_apart(word))


def is_near(word: str, other: str) -> bool:
    return letters_apart(word, other) <= _most_apart(word)


def _most_apart(word: str) -> int:
    return 1 if len(word) < 5 else 2


def offer(query: str, leaf: Words, words: Iterable[str]) -> Offer:
    """From words of the library that resemble the one of this leaf in some way."""
    word = leaf.words[0]
    known = {other for other in words if other != word}
    containing = sorted((other for other in known if word in other), key=lambda w: (len(w), w))
    near = sorted(
        (other for other in known.difference(containing) if is_near(word, other)),
        key=lambda other: (letters_apart(word, other), other),
    )

    def asking_for(text: str) -> str:
        span: Span = leaf.span
        return f"{query[: span.start]}{text}{query[span.end :]}"

    longer = containing[:_MOST]
    return Offer(
        word,
        tuple(Spelling(other, asking_for(other)) for other in near[:_MOST]),
        tuple(Spelling(other, asking_for(other)) for other in longer),
        asking_for(f"({' OR '.join(longer)})") if len(longer) > 1 else "",
    )
