"""The library in memory, as little of it as lists and figures need.

Made from the store when the library has changed: no page walks through the store. A decision makes
the next catalogue out of the one before, with what hangs together with it looked at anew. The two
share their tables, because to copy a hundred thousand rows for each decision would take longer than
the decision; so whoever reads must bear that a row is gone a moment after another was there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar

from paperless_fingerprint.library.reach import reach
from paperless_fingerprint.model import Decision, Document, Key, Pair
from paperless_fingerprint.review.queue_entry import Mark, QueueEntry, entries_from, exchanged
from paperless_fingerprint.stores.base import Store

_TITLE_CHARACTERS = 300
_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class Brief:
    """What is kept of a document."""

    id: int
    title: str
    correspondent: str | None
    document_type: str | None
    created: str | None
    added: str | None
    pages: int | None
    bytes: int | None
    owner: str | None
    viewers: tuple[str, ...]
    #: Hash of its text; tells whether that has changed.
    text: str = ""
    tags: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What one may look for."""
        return (self.title, self.correspondent or "", self.document_type or "", *self.tags)


@dataclass(frozen=True, slots=True)
class Catalogue:
    #: Grows with every catalogue that one process makes.
    number: int = 0
    ready: bool = False
    documents: dict[int, Brief] = field(default_factory=dict)
    #: Every stored pair, also those below the threshold.
    pairs: dict[Key, Pair] = field(default_factory=dict)
    #: Surest first.
    entries: Sequence[QueueEntry] = ()
    entries_of: dict[int, tuple[QueueEntry, ...]] = field(default_factory=dict)
    decisions_of: dict[int, tuple[Decision, ...]] = field(default_factory=dict)
    partners: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def decisions(self) -> list[Decision]:
        """Each once, although it concerns two."""
        found = list(self.decisions_of.items())
        return [d for id, said in found for d in said if d.a == id]

    def said(self, a: int, b: int) -> list[Decision]:
        """About the two, or (a == b) that the document is a primary; the latest last."""
        found = [d for d in self.decisions_of.get(a, ()) if (d.a, d.b) == (a, b)]
        return sorted(found, key=lambda decision: (decision.at, decision.key))


@dataclass(frozen=True, slots=True)
class CatalogueChange:
    """What makes one catalogue the next."""

    number: int
    removed: tuple[QueueEntry, ...]
    made: tuple[QueueEntry, ...]


def brief(document: Document, strings: dict[str | None, str | None], text: str) -> Brief:
    """`strings` makes one value of equal ones: a library has few correspondents and many letters."""

    def one(text: str | None) -> str | None:
        return strings.setdefault(text, text)

    return Brief(
        document.id,
        document.title[:_TITLE_CHARACTERS],
        one(document.correspondent),
        one(document.document_type),
        document.created,
        document.added,
        document.page_count,
        document.file_size,
        one(document.owner),
        document.viewers,
        text,
        tuple(one(tag) or "" for tag in document.tags),
    )


def named(entry: QueueEntry, documents: Mapping[int, Brief]) -> QueueEntry:
    """With what one may look for; a document may be gone a moment before its group is."""
    found = [documents[id] for id in entry.members if id in documents]
    # The lists of all people are made of these: each is there once.
    marks = dict.fromkeys(mark for document in found for mark in _marks(document))
    # Copies mostly bear the same names: what is walked through for each search is half as long.
    names = dict.fromkeys(name for document in found for name in document.names)
    return replace(entry, text="\n".join(names).casefold(), marks=tuple(marks))


def _marks(document: Brief) -> Iterator[Mark]:
    if document.correspondent:
        yield _mark("correspondent", document.correspondent)
    if document.document_type:
        yield _mark("document_type", document.document_type)
    for tag in document.tags:
        yield _mark("tag", tag)


@lru_cache(10_000)
def _mark(what: str, name: str) -> Mark:
    return what, name


def read(store: Store, threshold: float, number: int) -> Catalogue:
    """The whole library. Takes seconds where it is large."""
    strings: dict[str | None, str | None] = {}
    ids = store.ids()
    documents: dict[int, Brief] = {}
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        texts = store.text_hashes(some)
        for id, document in store.metadata(some).items():
            documents[id] = brief(document, strings, texts.get(id, ("", ""))[1])
    pairs = {(pair.a, pair.b): pair for pair in store.pairs()}
    decisions = store.decisions()
    entries = entries_from(store.groups(), store.chains(), pairs, decisions, documents, threshold)
    named_entries = (named(entry, documents) for entry in entries)
    return _indexed(number, documents, pairs, decisions, named_entries)


def patched(
    old: Catalogue, store: Store, ids: Collection[int], threshold: float, number: int
) -> tuple[Catalogue, CatalogueChange]:
    """`old` with all that hangs together with `ids`, then or now, looked at anew.

    One at a time: the caller sees to that.
    """
    around = reach(store, ids)
    for id in ids:
        around.update(old.partners.get(id, ()))
    # Where a group has fallen apart, all of its parts are made anew.
    around |= {m for id in around for entry in old.entries_of.get(id, ()) for m in entry.members}
    while True:
        found = store.connections(around)
        wider = around.union(
            *(group.members for group in found.groups), *(chain.members for chain in found.chains)
        )
        if wider == around:
            break
        around = wider
    fresh = {(pair.a, pair.b): pair for pair in store.pairs(ids=around)}
    present, texts = store.metadata(around), store.text_hashes(around)
    strings: dict[str | None, str | None] = {}
    for id in around:
        if id in present:
            text = texts.get(id, ("", ""))[1]
            old.documents[id] = brief(present[id], strings, text)
        else:
            old.documents.pop(id, None)
    _exchange_pairs(old, around, fresh)
    _exchange_decisions(old, around, found.decisions)
    removed = tuple({e.id: e for id in around for e in old.entries_of.get(id, ())}.values())
    entries = entries_from(
        found.groups, found.chains, fresh, found.decisions, old.documents, threshold
    )
    made = tuple(named(entry, old.documents) for entry in entries)
    gone = set(removed)
    touched = {id for entry in (*removed, *made) for id in entry.members}
    fresh_of = _by_member(made)
    for id in touched:
        kept = tuple(e for e in old.entries_of.get(id, ()) if e not in gone)
        _put(old.entries_of, id, (*kept, *fresh_of.get(id, ())))
    now = replace(old, number=number, entries=exchanged(old.entries, removed, made))
    return now, CatalogueChange(number, removed, made)


def _exchange_pairs(old: Catalogue, around: Collection[int], fresh: Mapping[Key, Pair]) -> None:
    before = {
        (min(id, other), max(id, other)) for id in around for other in old.partners.get(id, ())
    }
    old.pairs.update(fresh)
    for key in before - fresh.keys():
        old.pairs.pop(key, None)
        for id, other in (key, key[::-1]):
            _put(old.partners, id, tuple(n for n in old.partners.get(id, ()) if n != other))
    for key in fresh.keys() - before:
        for id, other in (key, key[::-1]):
            _put(old.partners, id, (*old.partners.get(id, ()), other))


def _exchange_decisions(old: Catalogue, around: Collection[int], said: Iterable[Decision]) -> None:
    found = list(said)
    others = {id for d in found for id in (d.a, d.b)}
    others |= {id for each in around for d in old.decisions_of.get(each, ()) for id in (d.a, d.b)}
    for id in others | set(around):
        kept = tuple(
            d for d in old.decisions_of.get(id, ()) if d.a not in around and d.b not in around
        )
        _put(old.decisions_of, id, (*kept, *(d for d in found if id in {d.a, d.b})))


Row = TypeVar("Row")


def _put(table: dict[int, tuple[Row, ...]], id: int, rows: tuple[Row, ...]) -> None:
    if rows:
        table[id] = rows
    else:
        table.pop(id, None)


def _by_member(entries: Iterable[QueueEntry]) -> dict[int, tuple[QueueEntry, ...]]:
    found: defaultdict[int, list[QueueEntry]] = defaultdict(list)
    for entry in entries:
        for id in entry.members:
            found[id].append(entry)
    return {id: tuple(each) for id, each in found.items()}


def _indexed(
    number: int,
    documents: dict[int, Brief],
    pairs: dict[Key, Pair],
    decisions: Iterable[Decision],
    entries: Iterable[QueueEntry],
) -> Catalogue:
    ordered = sorted(entries, key=lambda entry: entry.order)
    decisions_of: defaultdict[int, list[Decision]] = defaultdict(list)
    for decision in decisions:
        for id in {decision.a, decision.b}:
            decisions_of[id].append(decision)
    partners: defaultdict[int, list[int]] = defaultdict(list)
    for a, b in pairs:
        partners[a].append(b)
        partners[b].append(a)
    return Catalogue(
        number,
        True,
        documents,
        pairs,
        ordered,
        _by_member(ordered),
        {id: tuple(found) for id, found in decisions_of.items()},
        {id: tuple(found) for id, found in partners.items()},
    )


def first_pair(catalogue: Catalogue, entry: QueueEntry) -> tuple[int, int]:
    """The one to look at first: the surest, with the primary where it can be."""
    pairs = catalogue.pairs
    return max(
        entry.pairs,
        key=lambda key: (
            entry.primary in key,
            pairs[key].confidence if key in pairs else 0.0,
            (-key[0], -key[1]),
        ),
    )
