"""In which order the list stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paperless_fingerprint.review.catalogue import Brief, Catalogue
from paperless_fingerprint.review.queue_entry import QueueEntry

Documents = Mapping[int, Brief]


@dataclass(frozen=True, slots=True)
class Sorting:
    #: None: surest first, as the entries stand by themselves, which also settles what is equal.
    value: Callable[[Documents, QueueEntry], Any] | None = None
    largest_first: bool = False

    def ordered(self, catalogue: Catalogue, entries: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        """`entries` stand surest first."""
        value = self.value
        if value is None:
            return entries
        documents = catalogue.documents
        return sorted(
            entries, key=lambda entry: value(documents, entry), reverse=self.largest_first
        )

    def place(self, catalogue: Catalogue, ordered: Sequence[QueueEntry], entry: QueueEntry) -> int:
        """Where it stands, or would stand if it were still among them."""
        low, high = 0, len(ordered)
        while low < high:
            middle = (low + high) // 2
            if self._comes_before(catalogue.documents, ordered[middle], entry):
                low = middle + 1
            else:
                high = middle
        return low

    def _comes_before(self, documents: Documents, one: QueueEntry, other: QueueEntry) -> bool:
        if self.value is not None:
            own, theirs = self.value(documents, one), self.value(documents, other)
            if own != theirs:
                return bool(own > theirs if self.largest_first else own < theirs)
        return one.order < other.order


def _confidence(_documents: Documents, entry: QueueEntry) -> float:
    return entry.confidence


def _size(_documents: Documents, entry: QueueEntry) -> int:
    return len(entry.members)


def _latest(documents: Documents, entry: QueueEntry) -> str:
    found = (documents[id] for id in entry.members if id in documents)
    return max((document.added or document.created or "" for document in found), default="")


def _spare_bytes(documents: Documents, entry: QueueEntry) -> int:
    """What could be freed if only the one to keep stayed."""
    if entry.kind != "group":
        return 0
    found = {id: documents[id].bytes or 0 for id in entry.members if id in documents}
    kept = found.get(entry.primary or 0)
    return sum(found.values()) - (max(found.values(), default=0) if kept is None else kept)


def _title(documents: Documents, entry: QueueEntry) -> str:
    document = documents.get(entry.primary or 0) or documents.get(entry.members[0])
    return document.title.casefold() if document else ""


SORTS: Mapping[str, Sorting] = {
    "sure": Sorting(),
    "unsure": Sorting(_confidence),
    "newest": Sorting(_latest, largest_first=True),
    "oldest": Sorting(_latest),
    "size": Sorting(_size, largest_first=True),
    "space": Sorting(_spare_bytes, largest_first=True),
    "title": Sorting(_title),
}
