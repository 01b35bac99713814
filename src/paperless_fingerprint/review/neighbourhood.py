"""What lies around a document: the distance graph as a picture, and its versions in time."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from paperless_fingerprint.query.searcher import Scope
from paperless_fingerprint.query.tree import Reference
from paperless_fingerprint.review.catalogue import Catalogue
from paperless_fingerprint.review.diff_cache import Segment
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.review.views import Card

MOST_NODES = 40
_DEPTH = 2
#: Steps of a chain whose texts are compared; those before are shown without.
_STEPS_COMPARED = 12
_CHANGES = 12
#: Sideways from the centre to what hangs from it, and from there on; beyond stand the titles.
_RADIUS = 0.17
_STEP = 0.06


@dataclass(frozen=True, slots=True)
class Node:
    id: int
    title: str
    #: Between 0 and 1 in both directions, y downwards; the centre is (0.5, 0.5).
    x: float
    y: float
    #: Steps from the centre, which is 0.
    depth: int
    address: str
    is_primary: bool = False
    #: The document that it hangs from; None for the centre.
    via: int | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    a: int
    b: int
    #: 1 - jaccard; None where it is not known.
    distance: float | None
    relation: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    centre: int
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    #: False where more documents lie around it than are shown.
    is_complete: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One version in the line of time, and what makes it differ from the one before."""

    document: Card
    is_latest: bool
    #: None for the oldest.
    before: int | None
    #: Reasons in words, and the stretches that changed, at most 12.
    reasons: tuple[str, ...] = ()
    changes: tuple[Segment, ...] = ()
    jaccard: float | None = None


def around(review: Review, person: Person, id: int, *, wide: bool = False) -> Neighbourhood:
    """The stored pairs around it; `wide` walks on through all that share any text, and takes longer.

    Raises Unknown where the person may not see the document.
    """
    review.mirror.seen(person, id)
    notes: tuple[str, ...] = ()
    if wide:
        edges, complete, notes = _walked(review, person, id)
    else:
        edges, complete = _stored(
            review.mirror.catalogue, person, id, review.settings.similarity_threshold
        )
    depths = _depths(id, edges)
    places = positions(id, [(edge.a, edge.b) for edge in edges])
    cards = review.mirror.cards(person, depths)
    sight = review.mirror.sight(person)
    nodes = []
    for number in sorted(depths, key=lambda each: (depths[each], each)):
        group = sight.entry("group", number)
        place = places[number]
        nodes.append(
            Node(
                number,
                cards[number].title if number in cards else "",
                place.x,
                place.y,
                depths[number],
                review.mirror.address_of(number),
                group is not None and group.primary == number,
                place.via,
            )
        )
    return Neighbourhood(id, tuple(nodes), tuple(edges), complete, notes)


def _stored(
    catalogue: Catalogue, person: Person, start: int, threshold: float
) -> tuple[list[Edge], bool]:
    depths = {start: 0}
    waiting = deque([start])
    complete = True
    while waiting:
        id = waiting.popleft()
        found = []
        for other in catalogue.partners.get(id, ()):
            pair = catalogue.pairs.get((min(id, other), max(id, other)))
            document = catalogue.documents.get(other)
            if pair is None or document is None or not person.may_see(document):
                continue
            if pair.confidence >= threshold:
                found.append((-(pair.scores.jaccard or 0.0), other))
        for _, other in sorted(found):
            if other in depths:
                continue
            if depths[id] >= _DEPTH or len(depths) >= MOST_NODES:
                complete = False
                continue
            depths[other] = depths[id] + 1
            waiting.append(other)
    edges = []
    for id in sorted(depths):
        for other in sorted(catalogue.partners.get(id, ())):
            if id < other and other in depths:
                pair = catalogue.pairs.get((id, other))
                if pair is not None and pair.confidence >= threshold:
                    jaccard = pair.scores.jaccard
                    distance = None if jaccard is None else round(1 - jaccard, 4)
                    confidence = round(pair.confidence, 4)
                    edges.append(Edge(id, other, distance, pair.relation.value, confidence))
    return edges, complete


def _walked(review: Review, person: Person, start: int) -> tuple[list[Edge], bool, tuple[str, ...]]:
    from paperless_fingerprint.library.related import walk

    graph = walk(
        review.search.whole,
        Reference(start),
        Scope(person.asker, include_history=True),
        depth=_DEPTH,
        max_distance=0.8,
        max_documents=MOST_NODES,
    )
    cards = review.mirror.cards(person, [start, *(link.id for link in graph.links)])
    pairs = review.mirror.catalogue.pairs
    edges = []
    for link in graph.links:
        if link.id in cards and link.via in cards:
            a, b = sorted((link.id, link.via))
            pair = pairs.get((a, b))
            relation = pair.relation.value if pair else "related"
            edges.append(
                Edge(a, b, round(link.distance, 4), relation, pair.confidence if pair else 0.0)
            )
    # What was reached by way of a document that may no longer be seen hangs in the air.
    reached = _depths(start, edges)
    edges = [edge for edge in edges if edge.a in reached and edge.b in reached]
    return edges, graph.is_complete, graph.notes


def _depths(start: int, edges: Iterable[Edge]) -> dict[int, int]:
    neighbours = _neighbours((edge.a, edge.b) for edge in edges)
    depths = {start: 0}
    waiting = deque([start])
    while waiting:
        id = waiting.popleft()
        for other in neighbours.get(id, ()):
            if other not in depths:
                depths[other] = depths[id] + 1
                waiting.append(other)
    return depths


@dataclass(frozen=True, slots=True)
class Place:
    x: float
    y: float
    #: The document that it hangs from; None for the centre.
    via: int | None


def positions(centre: int, edges: Sequence[tuple[int, int]]) -> dict[int, Place]:
    """The centre in the middle, half of what hangs from it on either side, each document in a row
    of its own: so there is room for its title. The same graph always gives the same picture."""
    parent: dict[int, int] = {}
    children: defaultdict[int, list[int]] = defaultdict(list)
    neighbours = _neighbours(edges)
    order = deque([centre])
    while order:
        id = order.popleft()
        for other in neighbours.get(id, ()):
            if other != centre and other not in parent:
                parent[other] = id
                children[id].append(other)
                order.append(other)
    right: list[tuple[int, int]] = []
    left: list[tuple[int, int]] = []
    for child in children[centre]:
        # As one goes round: down on the right, then down on the left.
        side = right if 2 * len(right) < len(parent) else left
        side += _rows(child, 1, children)
    rows = max(len(right), len(left))
    places = {centre: Place(0.5, 0.5, None)}
    for side, sign in ((right, 1), (left, -1)):
        for row, (id, depth) in enumerate(side):
            y = 0.5 + (row - (len(side) - 1) / 2) / rows
            bent = _RADIUS * math.sqrt(1 - (y - 0.5) ** 2 * 2.4)
            x = 0.5 + sign * (bent + _STEP * (depth - 1))
            places[id] = Place(round(x, 4), round(y, 4), parent[id])
    return places


def _rows(id: int, depth: int, children: Mapping[int, Sequence[int]]) -> list[tuple[int, int]]:
    found = [(id, depth)]
    for child in children.get(id, ()):
        found += _rows(child, depth + 1, children)
    return found


def _neighbours(edges: Iterable[tuple[int, int]]) -> Mapping[int, Sequence[int]]:
    found: defaultdict[int, set[int]] = defaultdict(set)
    for a, b in edges:
        found[a].add(b)
        found[b].add(a)
    return {id: sorted(others) for id, others in found.items()}


def versions(review: Review, person: Person, id: int) -> tuple[Step, ...]:
    """The version chain of the document, oldest first; empty where it has no versions."""
    review.mirror.seen(person, id)
    entry = review.mirror.sight(person).entry("versions", id)
    if entry is None:
        return ()
    cards = review.mirror.cards(person, entry.members)
    steps = []
    before: int | None = None
    compared_from = len(entry.members) - _STEPS_COMPARED
    for place, number in enumerate(entry.members):
        if number not in cards:
            continue
        reasons: tuple[str, ...] = ()
        changes: tuple[Segment, ...] = ()
        jaccard = None
        if before is not None:
            a, b = sorted((before, number))
            pair = review.mirror.catalogue.pairs.get((a, b))
            if place >= compared_from:
                found = review.differences.between(a, b)
                pair = pair or found.pair
                changes = _changes(found.segments, turned=a != before)
            if pair is not None:
                reasons, jaccard = tuple(map(str, pair.reasons)), pair.scores.jaccard
        steps.append(
            Step(
                cards[number], number == entry.members[-1], before, reasons, changes, jaccard,
            )
        )  # fmt: skip
        before = number
    return tuple(steps)


def _changes(segments: Iterable[Segment], *, turned: bool) -> tuple[Segment, ...]:
    """What differs, what matters first; 'removed' and 'added' as time runs."""
    found = [
        segment
        for segment in segments
        if segment.kind not in {"same", "moved"} and segment.about != "spelling"
    ]
    found.sort(key=lambda segment: not segment.matters)
    if turned:
        kinds = {"removed": "added", "added": "removed"}
        found = [Segment(kinds.get(s.kind, s.kind), s.b, s.a, s.about, s.matters) for s in found]
    return tuple(found[:_CHANGES])
