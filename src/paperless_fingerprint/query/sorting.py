"""What hits can be sorted by, and the places that this gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from paperless_fingerprint.fingerprints.shingles import Overlap
from paperless_fingerprint.query.likeness import Term, Verified, share
from paperless_fingerprint.query.searcher import Order, OrderBy, Place
from paperless_fingerprint.query.tree import Likeness

#: The store's order, or None for a figure.
SORTS: Mapping[str, Order | None] = {
    "best": Order(OrderBy.SCORE),
    "containment": None,
    "jaccard": None,
    "within": None,
    "id": Order(OrderBy.ID, descending=False),
    "created": Order(OrderBy.CREATED),
    "added": Order(OrderBy.ADDED),
    "pages": Order(OrderBy.PAGES),
}

_FIGURES = {
    "containment": Likeness.FINGERPRINT,
    "jaccard": Likeness.SIMILAR,
    "within": Likeness.WITHIN,
}


def figure(figures: Overlap, sort: str, otherwise: Likeness) -> float:
    """The figure that hits are sorted by: the one named, or else the one the term asks about."""
    return share(figures, _FIGURES.get(sort, otherwise))


def in_order(verified: Iterable[Verified], term: Term, sort: str) -> list[tuple[Place, Verified]]:
    placed = [(Place(_value(one, term, sort), one.found.id), one) for one in verified]
    placed.sort(key=lambda pair: pair[0].id)
    placed.sort(key=lambda pair: pair[0].value, reverse=_descends(sort))
    return placed


def is_behind(place: Place, last: Place, sort: str) -> bool:
    if place.value == last.value:
        return place.id > last.id
    behind: bool = place.value < last.value if _descends(sort) else place.value > last.value  # type: ignore[operator]
    return behind


def _descends(sort: str) -> bool:
    order = SORTS[sort]
    return order is None or order.descending


def _value(one: Verified, term: Term, sort: str) -> float | str:
    if sort == "best" or sort in _FIGURES:
        return figure(one.figures, sort, term.alike.likeness)
    row = one.row
    values: dict[str, float | str] = {
        "id": row.id,
        "created": row.created or "",
        "added": row.added or "",
        "pages": row.page_count or 0,
    }
    return values[sort]
