"""The queue and one item of it, as values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from paperless_fingerprint.review.views import Card, Count

STATES = ("open", "dismissed", "done")


@dataclass(frozen=True, slots=True)
class Word:
    """What somebody said."""

    a: int
    b: int
    #: 'confirmed', 'dismissed', 'primary' (then a == b).
    verdict: str
    at: str
    by: str
    #: It is kept, and carried out as soon as whatever holds the library lets go of it.
    waiting: bool = False


def told_once(words: Iterable[Word]) -> list[Word]:
    """One for all that somebody said in one way: of a group each pair has a word of its own."""
    return list({(word.verdict, word.by): word for word in words}.values())


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to decide about: a group, a version chain, or two documents."""

    #: 'g12' (the group of document 12), 'v12' (its version chain), 'p12-40' (two documents).
    id: str
    #: 'group', 'versions', 'contains', 'semantic', 'pair'.
    kind: str
    #: 'exact', 'near', 'version', 'contains', 'semantic'; empty for a dismissed pair of which
    #: it is not known what it was found to be.
    relation: str
    confidence: float
    #: Of the surest pair, the strongest first; of several pairs what all of them have in common.
    reasons: tuple[str, ...]
    #: Primary first, then by age; at most 50 of them, `size` says how many there are. Of a
    #: version chain: oldest first.
    documents: tuple[Card, ...]
    size: int
    primary: int | None
    #: The pair to look at first: the surest, with the primary where it can be.
    pair: tuple[int, int]
    #: One of STATES.
    state: str
    #: Hand this back with a decision: it tells whether somebody was faster.
    seen: str
    words: tuple[Word, ...] = ()
    #: A decision about it is kept but not carried out yet.
    waiting: bool = False


@dataclass(frozen=True, slots=True)
class Filters:
    relation: str = ""
    correspondent: str = ""
    document_type: str = ""
    #: Dates 'YYYY-MM-DD': any of the documents was created (Paperless's 'created') in between.
    since: str = ""
    until: str = ""
    state: str = "open"
    tag: str = ""
    #: Each of these words stands in a title, or in the name of a correspondent, type or tag.
    text: str = ""
    confidence_from: float = 0.0
    confidence_to: float = 1.0
    #: One of `sorting.SORTS`.
    sort: str = "sure"
    page: int = 1
    per_page: int = 15


@dataclass(frozen=True, slots=True)
class Queue:
    items: tuple[Item, ...]
    total: int
    page: int
    pages: int
    per_page: int
    #: Of what this person may see, before the filters: for the menus of the filters.
    states: tuple[Count, ...] = ()
    relations: tuple[Count, ...] = ()
    #: The most frequent 60 of each.
    correspondents: tuple[Count, ...] = ()
    document_types: tuple[Count, ...] = ()
    tags: tuple[Count, ...] = ()
    #: False while the library is read for the first time after the start: ask again in a moment.
    ready: bool = True
    #: Why what is shown may be old: the library or Paperless is away; empty where all is well.
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class QueueNeighbours:
    """For 'next' and 'previous' in the order of the queue; None at its ends."""

    previous: str | None
    next: str | None
    position: int
    total: int
