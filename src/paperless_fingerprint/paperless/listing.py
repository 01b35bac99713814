"""Lists, complete although they change while they are read; and filters that are not trusted.

Paperless counts pages from the front, so that a document deleted on page 1 makes the first one of
page 2 slip onto page 1, unseen. And it ignores a filter that it does not know without a word: what
comes back is then everything. Hence one page where one is enough, two equal readings where it is
not, and a look at what came back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from paperless_fingerprint.paperless.connection import Connection
from paperless_fingerprint.paperless.records import Stamp, moment
from paperless_fingerprint.paperless.refusals import MissingError, StrangeError

T = TypeVar("T")
#: Paperless gives no more on one page.
MOST_PER_PAGE = 100_000
#: Ids in one address: about a thousand characters, which every proxy lets pass.
IDS_PER_REQUEST = 100
_READINGS = 5


def everything(
    connection: Connection,
    path: str,
    params: Mapping[str, str | int | bool] | None = None,
    *,
    page_size: int = MOST_PER_PAGE,
) -> list[Mapping[str, Any]]:
    """All items of a list, each once."""
    union: dict[int, Mapping[str, Any]] = {}
    before: set[int] | None = None
    for _ in range(_READINGS):
        items, pages, undisturbed = _read_through(connection, path, params or {}, page_size)
        union.update(items)
        if undisturbed and (pages == 1 or before == items.keys()):
            return list(items.values())
        before = set(items)
    # The list never held still. Too much is better than too little: what is gone is noticed when it
    # is asked for.
    return list(union.values())


def _read_through(
    connection: Connection, path: str, params: Mapping[str, str | int | bool], page_size: int
) -> tuple[dict[int, Mapping[str, Any]], int, bool]:
    """(items, number of pages, whether nothing showed that the list changed meanwhile)."""
    items: dict[int, Mapping[str, Any]] = {}
    undisturbed = True
    count: int | None = None
    page = 0
    while True:
        page += 1
        try:
            found = connection.get(path, {**params, "page": page, "page_size": page_size})
        except MissingError:
            if page == 1:
                raise
            return items, page, False  # the list has become shorter than it said
        total, results = _page(path, found)
        undisturbed = undisturbed and count in {None, total}
        count = total
        fresh = {item["id"]: item for item in results}
        undisturbed = undisturbed and len(fresh) == len(results) and items.keys().isdisjoint(fresh)
        items.update(fresh)
        # Not the address in `next`: behind a proxy it names a host that only Paperless knows.
        if not found.get("next"):
            return items, page, undisturbed and len(items) == count


def _page(path: str, found: Any) -> tuple[int, list[Mapping[str, Any]]]:
    if (
        isinstance(found, dict)
        and isinstance(found.get("count"), int)
        and isinstance(found.get("results"), list)
        and all(isinstance(item, dict) and "id" in item for item in found["results"])
    ):
        return found["count"], found["results"]
    raise StrangeError(
        f"Paperless answered {path} with something that is no list. "
        "Perhaps something else answers at that address."
    )


def ignored(name: str) -> StrangeError:
    return StrangeError(
        f"Paperless ignored the filter {name} and sent what was not asked for. This version of "
        "Paperless is not supported; nothing was done with its answer."
    )


def in_chunks(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    iterator = iter(items)
    while chunk := tuple(islice(iterator, size)):
        yield chunk


def by_ids(
    connection: Connection, ids: Sequence[int], params: Mapping[str, str | int | bool]
) -> dict[int, Mapping[str, Any]]:
    """Those of the ids that exist and may be seen. Asked for by id, nothing can slip to another page."""
    if not ids:
        return {}  # an empty filter is no filter
    told = {**params, "id__in": ",".join(map(str, ids)), "page_size": len(ids)}
    _, results = _page("/api/documents/", connection.get("/api/documents/", told))
    found = {int(item["id"]): item for item in results}
    if not found.keys() <= set(ids):
        raise ignored("id__in")
    return found


class Lists:
    """The part of PaperlessClient that tells which documents there are."""

    _connection: Connection

    def document_ids(self, *, page_size: int = MOST_PER_PAGE) -> tuple[int, ...]:
        """Every document that may be seen; cheap, and in order."""
        params = {"fields": "id", "ordering": "id"}
        found = everything(self._connection, "/api/documents/", params, page_size=page_size)
        return tuple(sorted(int(item["id"]) for item in found))

    def count(self) -> int:
        """How many documents may be seen."""
        params: dict[str, str | int | bool] = {"fields": "id", "page_size": 1}
        return _page("/api/documents/", self._connection.get("/api/documents/", params))[0]

    def changes(self, modified_after: str, *, page_size: int = MOST_PER_PAGE) -> list[Stamp]:
        """What has changed since, in the order in which it did."""
        limit = moment(modified_after) or ""
        params = {"fields": "id,modified", "ordering": "modified,id", "modified__gt": limit}
        found = everything(self._connection, "/api/documents/", params, page_size=page_size)
        stamps = [Stamp(int(item["id"]), moment(item.get("modified")) or "") for item in found]
        if any(stamp.modified <= limit for stamp in stamps):
            raise ignored("modified__gt")
        return sorted(stamps, key=lambda stamp: (stamp.modified, stamp.id))

    def visible_ids(self, ids: Iterable[int]) -> frozenset[int]:
        """Those of the ids that the user of the token may see."""
        seen: set[int] = set()
        for chunk in in_chunks(dict.fromkeys(ids), IDS_PER_REQUEST):
            seen.update(by_ids(self._connection, chunk, {"fields": "id"}))
        return frozenset(seen)

    def changeable_ids(self, ids: Iterable[int]) -> frozenset[int]:
        """Those of the ids that the user of the token may change."""
        found: set[int] = set()
        for chunk in in_chunks(dict.fromkeys(ids), IDS_PER_REQUEST):
            rows = by_ids(self._connection, chunk, {"fields": "id,user_can_change"})
            found.update(id for id, row in rows.items() if row.get("user_can_change") is True)
        return frozenset(found)

    def tagged(self, tag_ids: Iterable[int]) -> dict[int, tuple[int, ...]]:
        """Documents that have at least one of the tags: id → all their tags."""
        wanted = set(tag_ids)
        if not wanted:
            return {}
        params = {"fields": "id,tags", "ordering": "id", "tags__id__in": ",".join(map(str, wanted))}
        found = everything(self._connection, "/api/documents/", params)
        result = {int(item["id"]): tuple(map(int, item.get("tags") or ())) for item in found}
        if any(wanted.isdisjoint(tags) for tags in result.values()):
            raise ignored("tags__id__in")
        return result

    def in_storage_path(self, number: int) -> frozenset[int]:
        params = {
            "fields": "id,storage_path",
            "ordering": "id",
            "storage_path__id__in": str(number),
        }
        found = everything(self._connection, "/api/documents/", params)
        if any(item.get("storage_path") != number for item in found):
            raise ignored("storage_path__id__in")
        return frozenset(int(item["id"]) for item in found)

    def with_field(self, field_id: int) -> dict[int, Any]:
        """Documents that have the custom field: id → its value."""
        params = {
            "fields": "id,custom_fields",
            "ordering": "id",
            "custom_fields__id__all": str(field_id),
        }
        result: dict[int, Any] = {}
        for item in everything(self._connection, "/api/documents/", params):
            values = {value["field"]: value["value"] for value in item.get("custom_fields") or ()}
            if field_id not in values:
                raise ignored("custom_fields__id__all")
            result[int(item["id"])] = values[field_id]
        return result

    def tags_and_fields(
        self, ids: Iterable[int]
    ) -> dict[int, tuple[tuple[int, ...], dict[int, Any]]]:
        """What is on these documents now: id → (tags, custom field → value); without their texts."""
        found: dict[int, tuple[tuple[int, ...], dict[int, Any]]] = {}
        for chunk in in_chunks(dict.fromkeys(ids), IDS_PER_REQUEST):
            for id, item in by_ids(
                self._connection, chunk, {"fields": "id,tags,custom_fields"}
            ).items():
                values = {int(f["field"]): f["value"] for f in item.get("custom_fields") or ()}
                found[id] = (tuple(map(int, item.get("tags") or ())), values)
        return found
