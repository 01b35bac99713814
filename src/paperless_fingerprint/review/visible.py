"""The catalogue as one person may see it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.review.catalogue import Brief, Catalogue, CatalogueChange, named
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.queue_entry import (
    Mark,
    QueueEntry,
    components,
    exchanged,
    with_state,
)
from paperless_fingerprint.review.sorting import SORTS
from paperless_fingerprint.review.views import Count
from paperless_fingerprint.review.views_queue import Filters

#: Entries of one menu.
_MENU = 60
_FILTERS_KEPT = 64
_ORDERS_KEPT = 16
_INDEXED = ("correspondent", "document_type", "tag")


class Unknown(UsageError):  # noqa: N818  (an answer more than an error)
    """There is no such thing, or this person may not see it: nobody learns which of the two."""


@dataclass(slots=True)
class Sight:
    """What one person may see of the catalogue. Made once, then changed as the catalogue changes.

    Lists are exchanged and never changed in place: somebody may be reading them.
    """

    catalogue: Catalogue
    person: Person
    entries: Sequence[QueueEntry] = ()
    states: tuple[Count, ...] = ()
    relations: tuple[Count, ...] = ()
    correspondents: tuple[Count, ...] = ()
    document_types: tuple[Count, ...] = ()
    tags: tuple[Count, ...] = ()
    #: The entries that have it: nobody shall wait for a walk through all.
    _of: dict[Mark, Sequence[QueueEntry]] = field(default_factory=dict)
    #: ('state', name), ('relation', name) and those above → how many.
    _counts: Counter[Mark] = field(default_factory=Counter)
    #: Id of an entry of which not everything is seen → what is.
    _parts: dict[str, tuple[QueueEntry, ...]] = field(default_factory=dict)
    _filtered: dict[Filters, Sequence[QueueEntry]] = field(default_factory=dict)
    #: Filters with another order → what was ordered, and in that order.
    _ordered: dict[Filters, tuple[Sequence[QueueEntry], Sequence[QueueEntry]]] = field(
        default_factory=dict
    )

    def sees(self, id: int) -> bool:
        document = self.catalogue.documents.get(id)
        return document is not None and self.person.may_see(document)

    def filtered(self, filters: Filters) -> Sequence[QueueEntry]:
        """Surest first, in whatever order they are asked for."""
        key = replace(filters, page=1, per_page=1, sort="sure")
        # Where the catalogue changes meanwhile, what is found here is put where nobody looks again.
        kept = self._filtered
        found = kept.get(key)
        if found is None:
            found = self._narrowed(key)
        # The ones that are asked for again and again stay: to make the longest takes longest.
        kept.pop(key, None)
        kept[key] = found
        for old in list(kept)[:-_FILTERS_KEPT]:
            kept.pop(old, None)
        return found

    def _narrowed(self, filters: Filters) -> list[QueueEntry]:
        for what in _INDEXED:
            if name := getattr(filters, what):
                rest = replace(filters, **{what: ""})  # type: ignore[arg-type]
                return passing(self.catalogue, self._of.get((what, name), ()), rest)
        base = Filters(state=filters.state, page=1, per_page=1)
        if filters == base:
            return passing(self.catalogue, self.entries, filters)
        return passing(self.catalogue, self.filtered(base), replace(filters, state=""))

    def ordered(self, filters: Filters) -> Sequence[QueueEntry]:
        """What passes, in the order that is asked for."""
        found = self.filtered(filters)
        sorting = SORTS[filters.sort]
        if sorting.value is None:
            return found
        key = replace(filters, page=1, per_page=1)
        of, kept = self._ordered.pop(key, (None, found))
        if of is not found:
            kept = sorting.ordered(self.catalogue, found)
        self._ordered[key] = found, kept
        for old in list(self._ordered)[:-_ORDERS_KEPT]:
            self._ordered.pop(old, None)
        return kept

    def entry(self, kind: str, id: int) -> QueueEntry | None:
        """The entry of this kind that holds the document; of that kind there is one at most."""
        for whole in self.catalogue.entries_of.get(id, ()):
            if whole.kind == kind:
                for entry in self._seen_of(whole):
                    if id in entry.members:
                        return entry
        return None

    def _seen_of(self, whole: QueueEntry) -> Sequence[QueueEntry]:
        return self._parts.get(whole.id, (whole,))

    def pair_entry(self, a: int, b: int) -> QueueEntry | None:
        """The entry that these two alone are."""
        for entry in self.catalogue.entries_of.get(a, ()):
            if entry.kind not in {"group", "versions"} and entry.pairs == ((a, b),):
                return entry if self.sees(a) and self.sees(b) else None
        return None

    def change(self, catalogue: Catalogue, changes: Iterable[CatalogueChange]) -> None:
        """Follow the catalogue from where this stands. One at a time: the caller sees to that."""
        for change in changes:
            removed = [entry for whole in change.removed for entry in self._seen_of(whole)]
            for whole in change.removed:
                self._parts.pop(whole.id, None)
            made = self._made(catalogue, change.made)
            self._exchange(catalogue, removed, made)
        self.catalogue = catalogue

    def _made(self, catalogue: Catalogue, wholes: Iterable[QueueEntry]) -> list[QueueEntry]:
        if self.person.superuser:
            return list(wholes)
        found: list[QueueEntry] = []
        for whole in wholes:
            parts = tuple(seen_of(catalogue, whole, self.person))
            if parts != (whole,):
                self._parts[whole.id] = parts
            found += parts
        return found

    def _exchange(
        self, catalogue: Catalogue, removed: Sequence[QueueEntry], made: Sequence[QueueEntry]
    ) -> None:
        self.entries = exchanged(self.entries, removed, made)
        gone: defaultdict[Mark, list[QueueEntry]] = defaultdict(list)
        come: defaultdict[Mark, list[QueueEntry]] = defaultdict(list)
        for entry in removed:
            for mark in entry.marks:
                gone[mark].append(entry)
            self._counts.subtract((*entry.marks, *_kinds(entry)))
        for entry in made:
            for mark in entry.marks:
                come[mark].append(entry)
            self._counts.update((*entry.marks, *_kinds(entry)))
        for mark in gone.keys() | come.keys():
            self._of[mark] = exchanged(self._of.get(mark, ()), gone[mark], come[mark])
        # Last, since it is filled from the others by whoever reads meanwhile.
        self._filtered = {
            filters: exchanged(found, removed, passing(catalogue, made, filters))
            for filters, found in list(self._filtered.items())
        }
        self._tell_counts()

    def fill(self) -> Sight:
        catalogue = self.catalogue
        found = self._made(catalogue, catalogue.entries)
        # A part may be less sure than the whole was.
        superuser = self.person.superuser
        self.entries = found if superuser else sorted(found, key=lambda entry: entry.order)
        of: defaultdict[Mark, list[QueueEntry]] = defaultdict(list)
        for entry in self.entries:
            for mark in entry.marks:
                of[mark].append(entry)
            self._counts.update((*entry.marks, *_kinds(entry)))
        self._of = dict(of)
        self._tell_counts()
        return self

    def _tell_counts(self) -> None:
        found: defaultdict[str, list[Count]] = defaultdict(list)
        for (what, name), count in self._counts.items():
            if count:
                found[what].append(Count(name, count))
        menus = {
            what: tuple(sorted(counts, key=lambda each: (-each.count, each.name))[:_MENU])
            for what, counts in found.items()
        }
        self.states, self.relations = menus.get("state", ()), menus.get("relation", ())
        self.correspondents = menus.get("correspondent", ())
        self.document_types = menus.get("document_type", ())
        self.tags = menus.get("tag", ())


def sight_of(catalogue: Catalogue, person: Person) -> Sight:
    return Sight(catalogue, person).fill()


def _kinds(entry: QueueEntry) -> list[Mark]:
    relation = [("relation", entry.relation)] if entry.relation else []
    return [("state", entry.state), *relation]


def passing(
    catalogue: Catalogue, entries: Sequence[QueueEntry], filters: Filters
) -> list[QueueEntry]:
    """In their order. One filter after the other, the quickest first: there may be thousands."""
    some = list(entries)
    if filters.state:
        some = [entry for entry in some if entry.state == filters.state]
    if filters.relation:
        some = [entry for entry in some if entry.relation == filters.relation]
    low, high = filters.confidence_from, filters.confidence_to
    if low > 0 or high < 1:
        # As it is shown, which is rounded to four digits.
        low, high = low - 0.00005, high + 0.00005
        some = [entry for entry in some if low <= entry.confidence <= high]
    for word in filters.text.casefold().split():
        some = [entry for entry in some if word in entry.text]
    for what in _INDEXED:
        if name := getattr(filters, what):
            some = [entry for entry in some if (what, name) in entry.marks]
    if filters.since or filters.until:
        since, until = filters.since, filters.until or "9999-99-99"
        some = [
            entry
            for entry in some
            if any(since <= (d.created or "")[:10] <= until for d in _documents(catalogue, entry))
        ]
    return some


def _documents(catalogue: Catalogue, entry: QueueEntry) -> list[Brief]:
    """A document may be gone from the library a moment before its group is."""
    return [catalogue.documents[id] for id in entry.members if id in catalogue.documents]


def seen_of(catalogue: Catalogue, entry: QueueEntry, person: Person) -> Iterator[QueueEntry]:
    """What is left of it: nothing may show that there is more, neither a name, a count, a figure
    nor that two documents hang together by way of a third."""
    documents = catalogue.documents
    visible = [id for id in entry.members if id in documents and person.may_see(documents[id])]
    if len(visible) == len(entry.members):
        yield entry
        return
    if len(visible) < 2:
        return
    held = set(visible)
    confirmed = {
        key
        for key in entry.pairs
        if any(d.verdict.value == "confirmed" for d in catalogue.said(*key))
    }
    for part in components(visible, entry.pairs):
        if len(part) < 2:
            continue
        own = tuple(key for key in entry.pairs if held.issuperset(key) and key[0] in part)
        found = [catalogue.pairs[key] for key in own if key in catalogue.pairs]
        if not found:
            continue
        relation = entry.relation
        if entry.kind == "group":
            alike = all(pair.relation.value == "exact" for pair in found)
            relation = "exact" if alike else "near"
        primary = entry.primary if entry.primary in part else None
        if entry.kind == "versions":
            primary = part[-1]
        yield named(
            with_state(
                QueueEntry(
                    entry.kind,
                    relation,
                    max(pair.confidence for pair in found),
                    tuple(part),
                    own,
                    primary,
                ),
                confirmed,
            ),
            documents,
        )
