"""Tags, custom fields and saved views: what is there, and what is made once and found again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from paperless_fingerprint.paperless.connection import Connection
from paperless_fingerprint.paperless.listing import everything
from paperless_fingerprint.paperless.reading import Names
from paperless_fingerprint.paperless.records import (
    CustomField,
    SavedView,
    Tag,
    custom_field_of,
    saved_view_of,
    tag_of,
)
from paperless_fingerprint.paperless.refusals import (
    DeniedError,
    MissingError,
    RefusedError,
    StrangeError,
    UnavailableError,
)

T = TypeVar("T")
HAS_TAG = 6
HAS_ANY_TAG = 22
_KEPT_SECONDS = 60.0
#: The last version of the API in which a view says itself where it is shown.
_API_WITH_VISIBILITY = 9


def _all_tags(connection: Connection) -> list[Tag]:
    """All that may be seen, children among them."""
    found: dict[int, Tag] = {}
    waiting: list[Mapping[str, Any]] = list(everything(connection, "/api/tags/"))
    while waiting:
        item = waiting.pop(0)
        found.setdefault(int(item["id"]), tag_of(item))
        waiting.extend(item.get("children") or ())
    return list(found.values())


def _made_once(connection: Connection, find: Callable[[], T | None], make: Callable[[], T]) -> T:
    """What cannot simply be sent twice: looked for before each try, because an answer may be lost
    and another worker may be faster."""
    for left in reversed(range(connection.limits.attempts)):
        found = find()
        if found is not None:
            return found
        try:
            return make()
        except UnavailableError:
            if left == 0:
                raise
            connection.pause()
        except RefusedError:
            found = find()
            if found is None:
                raise
            return found
    raise AssertionError("at least one attempt is made")


def _delete(connection: Connection, kind: str, number: int) -> None:
    """Delete a tag, custom field or saved view; one that is gone already is no error."""
    try:
        connection.send("DELETE", f"/api/{kind}/{number}/")
    except MissingError:
        return


class Fields:
    """The custom fields as they were seen last: asked for again when a document has one that is not
    among them, and once a minute, because fields are renamed and deleted."""

    def __init__(self, read: Callable[[], list[CustomField]]) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._found: dict[int, CustomField] | None = None
        self._read_at = 0.0

    def forget(self) -> None:
        """When Paperless refuses one of them."""
        with self._lock:
            self._found = None

    def known(self, met: Iterable[int] = ()) -> dict[int, CustomField]:
        with self._lock:
            is_old = time.monotonic() - self._read_at > _KEPT_SECONDS
            if self._found is None or is_old or not self._found.keys() >= set(met):
                self._found = {field.id: field for field in self._read()}
                self._read_at = time.monotonic()
            return self._found


class Labels:
    """The part of PaperlessClient that is about tags, custom fields, views and who there is."""

    _connection: Connection
    names: Names

    def tags(self) -> list[Tag]:
        found = _all_tags(self._connection)
        self.names.learn("tags", {tag.id: tag.name for tag in found})
        return found

    def find_tag(self, name: str) -> Tag | None:
        """By its exact name. There may be one for each owner: the one for all goes first."""
        same = [tag for tag in _all_tags(self._connection) if tag.name == name]
        same.sort(key=lambda tag: (tag.owner is not None, not tag.may_change, tag.id))
        return same[0] if same else None

    def ensure_tag(self, name: str, *, color: str = "#a6cee3", parent: int | None = None) -> Tag:
        """The tag of this name, made where there is none: for all to see, and never assigned by itself."""
        told: dict[str, Any] = {
            "name": name,
            "color": color,
            # Left out, it would be 1, and Paperless would assign the tag to whatever mentions its name.
            "matching_algorithm": 0,
            "is_inbox_tag": False,
            "owner": None,
        }
        if parent is not None:
            told["parent"] = parent
        try:
            return _made_once(
                self._connection,
                lambda: self.find_tag(name),
                lambda: tag_of(
                    self._connection.send("POST", "/api/tags/", json=told, repeatable=False)
                ),
            )
        except RefusedError as error:
            if not error.fields & {"name", "error"}:
                raise
            raise RefusedError(
                f"Paperless refuses to make the tag {name!r} ({error.said}), and none of that name can "
                "be seen with this token. Let the token's user see it, or choose another name.",
                status=error.status,
                said=error.said,
            ) from error

    def change_tag(self, number: int, **told: Any) -> Tag:
        return tag_of(self._connection.send("PATCH", f"/api/tags/{number}/", json=told))

    def delete_tag(self, number: int) -> None:
        _delete(self._connection, "tags", number)

    def custom_fields(self) -> list[CustomField]:
        return [
            custom_field_of(item) for item in everything(self._connection, "/api/custom_fields/")
        ]

    def ensure_custom_field(
        self, name: str, data_type: str, *, options: Sequence[str] = ()
    ) -> CustomField:
        """The field of this name; one of another type is an error, not a field to write to."""
        told: dict[str, Any] = {"name": name, "data_type": data_type}
        if options:
            told["extra_data"] = {"select_options": [{"label": label} for label in options]}
        path = "/api/custom_fields/"
        found = _made_once(
            self._connection,
            lambda: next((one for one in self.custom_fields() if one.name == name), None),
            lambda: custom_field_of(
                self._connection.send("POST", path, json=told, repeatable=False)
            ),
        )
        if found.data_type != data_type:
            raise StrangeError(
                f"Paperless has a custom field {name!r} of type '{found.data_type}', and "
                f"'{data_type}' is needed. Rename that field, or set another name here."
            )
        return found

    def delete_custom_field(self, number: int) -> None:
        _delete(self._connection, "custom_fields", number)

    def users(self) -> dict[int, str]:
        """Nothing where the token may not see who there is."""
        try:
            found = everything(self._connection, "/api/users/")
        except DeniedError as error:
            if error.status != 403:
                raise
            return {}
        return {int(item["id"]): str(item["username"]) for item in found}

    def saved_views(self) -> list[SavedView]:
        return [saved_view_of(item) for item in everything(self._connection, "/api/saved_views/")]

    def create_saved_view(
        self, name: str, tag_ids: Iterable[int], *, fields: Sequence[str] = ()
    ) -> SavedView:
        """Documents that have any of the tags, shown in the sidebar where the version allows it."""
        wanted = list(tag_ids)
        kind = HAS_TAG if len(wanted) == 1 else HAS_ANY_TAG
        told: dict[str, Any] = {
            "name": name,
            "sort_field": "added",
            "sort_reverse": True,
            "filter_rules": [{"rule_type": kind, "value": str(number)} for number in wanted],
            "show_in_sidebar": True,
            "show_on_dashboard": False,
            # For all to open, as the tags are for all to see.
            "owner": None,
        }
        if fields:
            told |= {"display_mode": "table", "display_fields": list(fields)}
        path = "/api/saved_views/"
        try:
            found = self._connection.send(
                "POST", path, json=told, repeatable=False, api=_API_WITH_VISIBILITY
            )
        except RefusedError as error:
            if error.status != 406:
                raise
            found = self._connection.send("POST", path, json=told, repeatable=False)
        return saved_view_of(found)

    def delete_saved_view(self, number: int) -> None:
        _delete(self._connection, "saved_views", number)
