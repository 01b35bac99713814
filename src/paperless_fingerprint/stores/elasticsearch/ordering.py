"""Orders and places as Elasticsearch sorts and goes on from."""

from __future__ import annotations

from typing import Any

from paperless_fingerprint.query.searcher import Order, OrderBy, Place

_FIELD = {
    OrderBy.ID: "id",
    OrderBy.CREATED: "created",
    OrderBy.ADDED: "added",
    OrderBy.PAGES: "page_count",
}
_DATES = frozenset({OrderBy.CREATED, OrderBy.ADDED})
_BY_ID = {"id": {"order": "asc"}}


def sorting(order: Order) -> list[dict[str, Any]]:
    direction = "desc" if order.descending else "asc"
    if order.by is OrderBy.SCORE:
        return [{"_score": {"order": "desc"}}, _BY_ID]
    if order.by is OrderBy.ID:
        return [{"id": {"order": direction}}, _BY_ID]
    missing: str | int = 0
    if order.by in _DATES:
        missing = "_last" if order.descending else "_first"
    return [{_FIELD[order.by]: {"order": direction, "missing": missing}}, _BY_ID]


def after(place: Place, order: Order) -> list[Any]:
    """For `search_after`."""
    return [None if order.by in _DATES and place.value == "" else place.value, place.id]


def place_of(hit: dict[str, Any], order: Order) -> Place:
    value, id = hit["sort"][:2]
    if value is None:
        value = "" if order.by in _DATES else 0
    return Place(value, int(id))
