"""The catalogue as one person may see it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from paperless_fingerprint.review.catalogue import Brief, Catalogue, Entry, components, with_state
from paperless_fingerprint.review.people import Person
from paperless_fingerprint.review.shapes import Count, Filters

#: Entries of one menu.
_MENU = 100
_FILTERS_KEPT = 64


@dataclass(slots=True)
class Sight:
    """What one person may see of one catalogue. Computed once, kept until the library changes."""

    catalogue: Catalogue
    person: Person
    entries: tuple[Entry, ...]
    states: tuple[Count, ...]
    relations: tuple[Count, ...]
    correspondents: tuple[Count, ...]
    document_types: tuple[Count, ...]
    #: Correspondent or type → the entries that have it: nobody shall wait for a walk through all.
    of_correspondent: Mapping[str, Sequence[Entry]]
    of_type: Mapping[str, Sequence[Entry]]
    _filtered: dict[tuple[str, ...], tuple[Entry, ...]] = field(default_factory=dict)

    def sees(self, id: int) -> bool:
        document = self.catalogue.documents.get(id)
        return document is not None and self.person.may_see(document)

    def filtered(self, filters: Filters) -> tuple[Entry, ...]:
        key = (
            filters.state,
            filters.relation,
            filters.correspondent,
            filters.document_type,
            filters.since,
            filters.until,
        )
        found = self._filtered.get(key)
        if found is None:
            some = self.entries
            if filters.correspondent:
                some = tuple(self.of_correspondent.get(filters.correspondent, ()))
            elif filters.document_type:
                some = tuple(self.of_type.get(filters.document_type, ()))
            found = tuple(entry for entry in some if self._passes(entry, filters))
            if len(self._filtered) >= _FILTERS_KEPT:
                self._filtered.clear()
            self._filtered[key] = found
        return found

    def _passes(self, entry: Entry, filters: Filters) -> bool:
        if filters.state and entry.state != filters.state:
            return False
        if filters.relation and entry.relation != filters.relation:
            return False
        if not (filters.document_type or filters.since or filters.until):
            return True
        documents = _documents(self.catalogue, entry)
        return (
            not filters.document_type
            or any(d.document_type == filters.document_type for d in documents)
        ) and any(
            (filters.since or "") <= (d.created or "")[:10] <= (filters.until or "9999-99-99")
            for d in documents
        )

    def entry(self, kind: str, id: int) -> Entry | None:
        """The entry of this kind that holds the document; of that kind there is one at most."""
        for whole in self.catalogue.entries_of.get(id, ()):
            if whole.kind == kind:
                for entry in seen_of(self.catalogue, whole, self.person):
                    if id in entry.members:
                        return entry
        return None

    def pair_entry(self, a: int, b: int) -> Entry | None:
        """The entry that these two alone are."""
        for entry in self.catalogue.entries_of.get(a, ()):
            if entry.kind not in {"group", "versions"} and entry.pairs == ((a, b),):
                return entry if self.sees(a) and self.sees(b) else None
        return None


def sight_of(catalogue: Catalogue, person: Person) -> Sight:
    entries = catalogue.entries
    if not person.superuser:
        entries = tuple(seen for entry in entries for seen in seen_of(catalogue, entry, person))
        # A part may be less sure than the whole was.
        entries = tuple(sorted(entries, key=lambda entry: entry.order))
    correspondents: defaultdict[str, list[Entry]] = defaultdict(list)
    types: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        documents = _documents(catalogue, entry)
        for name in {d.correspondent for d in documents if d.correspondent}:
            correspondents[name].append(entry)
        for name in {d.document_type for d in documents if d.document_type}:
            types[name].append(entry)
    return Sight(
        catalogue,
        person,
        entries,
        _counts(Counter(entry.state for entry in entries)),
        _counts(Counter(entry.relation for entry in entries if entry.relation)),
        _counts({name: len(found) for name, found in correspondents.items()}),
        _counts({name: len(found) for name, found in types.items()}),
        correspondents,
        types,
    )


def _documents(catalogue: Catalogue, entry: Entry) -> list[Brief]:
    """A document may be gone from the library a moment before its group is."""
    return [catalogue.documents[id] for id in entry.members if id in catalogue.documents]


def _counts(counts: Mapping[str, int]) -> tuple[Count, ...]:
    return tuple(Count(name, count) for name, count in Counter(counts).most_common(_MENU))


def seen_of(catalogue: Catalogue, entry: Entry, person: Person) -> Iterator[Entry]:
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
        yield with_state(
            Entry(
                entry.kind,
                relation,
                max(pair.confidence for pair in found),
                tuple(part),
                own,
                primary,
            ),
            confirmed,
        )
