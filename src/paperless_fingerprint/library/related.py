"""From a document to those like it, and on from these: the distance graph, breadth first.

The distance of two documents is 1 - jaccard, exact. The walk is bounded three ways: by depth, by
distance, and by the number of documents, so that a family of ten thousand forms ends it and not
the machine.
"""

from __future__ import annotations

from collections import deque
from dataclasses import asdict, dataclass
from typing import Any

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.library.search import Request, Search
from paperless_fingerprint.query.searcher import Scope
from paperless_fingerprint.query.tree import Reference

MAX_DEPTH = 10
MAX_DOCUMENTS = 500
#: Neighbours followed from one document, the nearest.
NEIGHBOURS = 50


@dataclass(frozen=True, slots=True)
class Link:
    """A document that the walk has reached, and the step by which it was reached first."""

    id: int
    uuid: str
    title: str
    #: Steps from the start.
    depth: int
    #: The document that it was reached from.
    via: int
    distance: float
    jaccard: float
    #: The share of the shingles of `via` found in this document.
    containment: float
    reverse_containment: float
    is_latest: bool

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Graph:
    #: By depth, and by distance among those reached from one document.
    links: tuple[Link, ...]
    #: False where a bound has cut the walk short.
    is_complete: bool
    notes: tuple[str, ...] = ()


def walk(
    search: Search,
    start: Reference,
    scope: Scope,
    *,
    depth: int = 2,
    max_distance: float = 0.5,
    max_documents: int = MAX_DOCUMENTS,
) -> Graph:
    if not 1 <= depth <= MAX_DEPTH:
        raise UsageError(f"--depth is {depth}; 1 to {MAX_DEPTH} work, 2 is the default.")
    if not 0 <= max_distance <= 1:
        raise UsageError(f"--max-distance is {max_distance:g}; it lies between 0 and 1.")
    notes: list[str] = []
    source = search.source(start, scope, notes)
    if source is None:
        return Graph((), True, tuple(notes))
    # To a distance of 1 belongs whatever shares anything.
    overlap = round(100 * (1 - max_distance), 6)
    suffix = f"_{overlap:.10g}" if overlap > 0 else ""
    links: list[Link] = []
    seen = {source.id}
    waiting = deque([(source.id, 1)])
    complete = True
    while waiting:
        id, level = waiting.popleft()
        answer = search.run(Request(f"SIMILAR:{id}{suffix}", scope, limit=NEIGHBOURS))
        complete = complete and not answer.next
        for hit in answer.hits:
            if hit.id in seen:
                continue
            if len(links) >= max_documents:
                return Graph(tuple(links), False, tuple(notes))
            seen.add(hit.id)
            assert hit.jaccard is not None
            assert hit.distance is not None
            assert hit.containment is not None
            assert hit.reverse_containment is not None
            links.append(
                Link(
                    hit.id, hit.uuid, hit.title, level, id, hit.distance, hit.jaccard,
                    hit.containment, hit.reverse_containment, hit.is_latest,
                )
            )  # fmt: skip
            if level < depth:
                waiting.append((hit.id, level + 1))
    return Graph(tuple(links), complete, tuple(notes))
