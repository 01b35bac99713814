"""Filters, orderings and pages of lists. An unknown filter is ignored, as Paperless ignores it."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import urlencode

from paperless_fingerprint.demo.stand_in.answers import invalid, refused
from paperless_fingerprint.demo.stand_in.library import Row, moment_text

T = TypeVar("T")
Query = Mapping[str, str]
Test = Callable[[Row], bool]

MOST_PER_PAGE = 100_000
_ORDERINGS: dict[str, Callable[[Row], Any]] = {
    "id": lambda row: row.id,
    "title": lambda row: row.title,
    "created": lambda row: row.created,
    "added": lambda row: row.added,
    "modified": lambda row: row.modified,
    "archive_serial_number": lambda row: row.archive_serial_number or 0,
    "owner": lambda row: row.owner or 0,
    "page_count": lambda row: row.page_count or 0,
}
_MOMENT = re.compile(r"^(added|modified)__(gt|gte|lt|lte)$")
_COMPARED = {"gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le}
#: Filters by text → what they look at.
_TEXTS = {
    "title": "title", "content": "content", "checksum": "checksum",
    "original_filename": "original_file_name",
}  # fmt: skip
HOW: dict[str, Callable[[str, str], bool]] = {
    "iexact": operator.eq, "icontains": operator.contains, "istartswith": str.startswith,
    "iendswith": str.endswith,
}  # fmt: skip


def numbers(name: str, value: str) -> list[int]:
    try:
        return [int(part) for part in value.split(",") if part.strip()]
    except ValueError:
        raise invalid(**{name: "Enter a number."}) from None


def _moment(name: str, value: str) -> str:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise invalid(**{name: "Enter a valid date/time."}) from None
    return moment_text(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def _text_test(name: str, value: str) -> Test | None:
    field, _, how = name.partition("__")
    if field not in _TEXTS or how not in HOW:
        return None
    is_met, wanted = HOW[how], value.lower()
    return lambda row: is_met((getattr(row, _TEXTS[field]) or "").lower(), wanted)


def _set_test(name: str, value: str) -> Test | None:
    """Filters by tag, custom field, correspondent, type and owner."""
    field, _, how = name.partition("__")
    get: Callable[[Row], Iterable[int | None]]
    if field in {"tags", "custom_fields"}:
        get = operator.attrgetter(field)
    elif field in {"correspondent", "document_type", "storage_path", "owner"}:
        get = lambda row: (getattr(row, field),)  # noqa: E731
    else:
        return None
    if how not in {"id", "id__in", "id__all", "id__none"}:
        return None
    wanted = set(numbers(name, value))
    if how == "id__all":
        return lambda row: wanted.issubset(get(row))
    if how == "id__none":
        return lambda row: wanted.isdisjoint(get(row))
    return lambda row: not wanted.isdisjoint(get(row))


def _isnull_test(name: str, value: str) -> Test | None:
    field, _, how = name.partition("__")
    if how != "isnull" or field not in {"owner", "correspondent", "document_type", "storage_path"}:
        return None
    wanted = value.lower() in {"true", "1"}
    return lambda row: (getattr(row, field) is None) == wanted


def select_documents(rows: Mapping[int, Row], query: Query) -> list[Row]:
    """Those that the filters let through, in the order asked for."""
    chosen: Iterable[Row] = rows.values()
    tests: list[Test] = []
    for name, value in query.items():
        if not value:
            continue  # `id__in=` with nothing behind it is no filter: everything comes back
        if name == "id__in":
            chosen = [rows[n] for n in dict.fromkeys(numbers(name, value)) if n in rows]
        elif name == "id":
            tests.append(_id_test(numbers(name, value)))
        elif found := _MOMENT.match(name):
            tests.append(_moment_test(found[1], _COMPARED[found[2]], _moment(name, value)))
        elif name in {"query", "text", "search", "title_search", "title_content"}:
            words = value.lower().split()
            tests.append(_words_test(words))
        else:
            test = _text_test(name, value) or _set_test(name, value) or _isnull_test(name, value)
            if test is not None:
                tests.append(test)
    result = [row for row in chosen if all(test(row) for test in tests)]
    return _ordered(result, query.get("ordering", ""))


def _moment_test(field: str, is_met: Callable[[str, str], bool], limit: str) -> Test:
    return lambda row: is_met(getattr(row, field), limit)


def _id_test(wanted: list[int]) -> Test:
    return lambda row: row.id in wanted


def _words_test(words: list[str]) -> Test:
    return lambda row: all(word in f"{row.title}\n{row.content}".lower() for word in words)


def _ordered(rows: list[Row], ordering: str) -> list[Row]:
    keys = [key for key in ordering.split(",") if key.lstrip("-") in _ORDERINGS]
    if not keys:
        keys = ["-created", "-id"]
    for key in reversed(keys):
        rows.sort(key=_ORDERINGS[key.lstrip("-")], reverse=key.startswith("-"))
    return rows


def page_of(
    items: Sequence[T],
    query: Query,
    where: str,
    show: Callable[[T], Any],
    all_ids: Sequence[int] | None = None,
) -> dict[str, Any]:
    """A page in the form {"count", "next", "previous", "results"}; past the end it is a 404."""
    try:
        size = min(int(query.get("page_size", "")), MOST_PER_PAGE)
    except ValueError:
        size = 0
    size = size if size > 0 else 25
    last = max(1, -(-len(items) // size))
    try:
        page = last if query.get("page") == "last" else int(query.get("page", "1"))
    except ValueError:
        page = 0
    if not 1 <= page <= last:
        raise refused(404, "Invalid page.")

    def link(number: int) -> str:
        rest = {**query, "page": str(number)}
        if number == 1:
            del rest["page"]
        return f"{where}?{urlencode(sorted(rest.items()))}" if rest else where

    result: dict[str, Any] = {
        "count": len(items),
        "next": link(page + 1) if page < last else None,
        "previous": link(page - 1) if page > 1 else None,
    }
    if all_ids is not None:
        result["all"] = all_ids
    result["results"] = [show(item) for item in items[(page - 1) * size : page * size]]
    return result
