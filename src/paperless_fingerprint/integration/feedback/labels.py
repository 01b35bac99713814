"""Our own tags, fields and view in Paperless: made once, and found again by their ids.

The ids are kept in the library's notes, so that a tag that somebody renames stays ours. Where a
label may not be made or used, the others are, and `problems` says what is missing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any

from paperless_fingerprint.errors import PaperlessError
from paperless_fingerprint.paperless.client import PaperlessClient
from paperless_fingerprint.paperless.records import CustomField, Tag
from paperless_fingerprint.paperless.refusals import (
    DeniedError,
    PaperlessAnswerError,
    RefusedError,
    StrangeError,
)
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store

LABELS_NOTE = "paperless.labels"
#: Set while nothing of ours is to be in Paperless: from `apply --remove-all` on until `apply`.
TAKEN_BACK_NOTE = "paperless.taken_back"
#: Labels that people delete or rename show within this time.
_REMEMBERED_SECONDS = 300.0
#: What Paperless shows in the columns of the saved view.
_VIEW_COLUMNS = ("title", "added", "tag", "correspondent")


class Role(StrEnum):
    """What a tag of ours says about the document that has it."""

    EXACT = "exact"
    NEAR = "near"
    PRIMARY = "primary"
    VERSION = "version"
    CONTAINS = "contains"
    SEMANTIC = "semantic"


LINKS = ("duplicate", "version", "contains")


@dataclass(frozen=True, slots=True)
class Labels:
    tags: Mapping[Role, int] = field(default_factory=dict)
    not_duplicate: int | None = None
    parent: int | None = None
    #: Link kind → field id; 'confidence' and 'compare' among them.
    fields: Mapping[str, int] = field(default_factory=dict)
    #: All tags that Paperless has, and each one's parent.
    known_tags: Mapping[int, int | None] = field(default_factory=dict)
    #: Tags that are our business alone, and that the library need not know of.
    own_tags: frozenset[int] = frozenset()
    #: All fields of ours, those that this token may not use among them.
    own_fields: frozenset[int] = frozenset()
    problems: tuple[str, ...] = ()


def as_if_made(found: Labels, settings: Settings) -> Labels:
    """For whoever shows what would be written: what is not there yet has a number below zero."""
    tags, fields = dict(found.tags), dict(found.fields)
    for number, role in enumerate(Role, 1):
        tags.setdefault(role, -number)
    for number, kind in enumerate(_wanted_fields(settings), 1):
        fields.setdefault(kind, -number)
    return replace(found, tags=tags, fields=fields)


def _wanted_fields(settings: Settings) -> dict[str, str]:
    """What is kept in each, as Paperless calls it."""
    own = settings.paperless
    wanted = dict.fromkeys(LINKS, "documentlink") if own.links else {}
    if own.confidence:
        wanted["confidence"] = "float"
    # A link that leads nowhere is none: without an address there is no field either.
    if own.compare and settings.service.public_url:
        wanted["compare"] = "url"
    return wanted


class OwnLabels:
    def __init__(self, paperless: PaperlessClient, store: Store, settings: Settings) -> None:
        self._paperless = paperless
        self._store = store
        self._settings = settings
        self._labels: Labels | None = None
        self._ids: dict[str, dict[str, Any]] = {}
        self._read_at = 0.0

    def forget(self) -> None:
        self._labels = None
        self._paperless.fields.forget()

    def get(self, *, create: bool = True) -> Labels:
        """What is there; with `create`, what is missing is made, unless all was taken back."""
        fresh = time.monotonic() - self._read_at < _REMEMBERED_SECONDS
        # Whoever makes nothing must know of what others have made since.
        if self._labels is not None and fresh and (create or _remembered(self._store) == self._ids):
            return self._labels
        create = create and not is_taken_back(self._store)
        found = _Search(self._paperless, self._store, self._settings, create=create).labels()
        ids = _remembered(self._store)
        if create or self._is_whole(found, ids):
            self._labels, self._read_at, self._ids = found, time.monotonic(), ids
        return found

    def _is_whole(self, found: Labels, ids: Mapping[str, Mapping[str, Any]]) -> bool:
        """Whether there is nothing to be made or renamed."""
        own = self._settings.paperless
        return bool(
            len(found.tags) == len(Role)
            and found.not_duplicate
            and (found.parent or not own.tag_parent)
            and found.fields.keys() == _wanted_fields(self._settings).keys()
            and ("view:" in ids or not own.view)
            and all(
                entry["name"] == self._settings.value(f"paperless.{name.replace(':', '_')}")
                for name, entry in ids.items()
                if name.startswith("tag:")
            )
        )

    def delete_all(self) -> list[str]:
        """Take our labels away; says what was left, and why."""
        remembered = _remembered(self._store)
        left: list[str] = []
        for name, entry in remembered.items():
            kind = name.partition(":")[0]
            if not entry.get("ours"):
                continue
            number = int(entry["id"])
            if kind == "tag":
                self._paperless.delete_tag(number)
            elif kind == "view":
                self._paperless.delete_saved_view(number)
            elif any(self._paperless.with_field(number).values()):
                left.append(f"The field '{entry['name']}' holds what people put there: it stays.")
            else:
                self._paperless.delete_custom_field(number)
        self._store.put_notes({LABELS_NOTE: "{}"})
        self.forget()
        return left


def is_taken_back(store: Store) -> bool:
    return store.notes().get(TAKEN_BACK_NOTE) == "yes"


def _remembered(store: Store) -> dict[str, dict[str, Any]]:
    try:
        found = json.loads(store.notes().get(LABELS_NOTE, "{}"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


class _Search:
    def __init__(
        self, paperless: PaperlessClient, store: Store, settings: Settings, *, create: bool
    ) -> None:
        self._paperless, self._store, self._settings = paperless, store, settings
        self._create = create
        self._known = _remembered(store)
        self._before = json.dumps(self._known, sort_keys=True)
        self._problems: list[str] = []

    def labels(self) -> Labels:
        there = {tag.id: tag for tag in self._paperless.tags()}
        parent = self._tag("parent", there, None) if self._settings.paperless.tag_parent else None
        tags = {role: self._tag(role.value, there, parent) for role in Role}
        not_duplicate = self._tag("not_duplicate", there, parent)
        fields = self._fields()
        own = {int(e["id"]) for name, e in self._known.items() if name.startswith("tag:")}
        if parent is not None and not self._known["tag:parent"].get("ours"):
            own.discard(parent)
        found = {role: tag for role, tag in tags.items() if tag is not None}
        if self._create and self._settings.paperless.view and found:
            self._view(found)
        if json.dumps(self._known, sort_keys=True) != self._before:
            self._store.put_notes({LABELS_NOTE: json.dumps(self._known)})
        known = {tag.id: tag.parent for tag in there.values()}
        known |= {tag: known.get(tag) for tag in (*found.values(), not_duplicate, parent) if tag}
        return Labels(
            found,
            not_duplicate,
            parent,
            fields,
            known,
            frozenset(own - ({not_duplicate} if not_duplicate else set())),
            frozenset(int(e["id"]) for n, e in self._known.items() if n.startswith("field:")),
            tuple(self._problems),
        )

    def _tag(self, what: str, there: dict[int, Tag], parent: int | None) -> int | None:
        key, name = f"tag:{what}", self._settings.value(f"paperless.tag_{what}")
        entry = self._known.get(key)
        if entry is not None and int(entry["id"]) in there:
            if entry["name"] != name and self._create:
                self._rename(key, entry, name, there)
            return int(self._known[key]["id"])
        named = sorted(
            (tag for tag in there.values() if tag.name == name),
            key=lambda tag: (tag.owner is not None, not tag.may_change, tag.id),
        )
        if named:
            number, ours = named[0].id, False
        elif self._create:
            made = self._allowed(
                f"make the tag '{name}'",
                lambda: self._paperless.ensure_tag(
                    name, color=self._settings.value(f"paperless.color_{what}"), parent=parent
                ),
            )
            if made is None:
                return None
            number, ours = made.id, True
            there[number] = made
        else:
            return None
        self._known[key] = {"id": number, "name": name, "ours": ours}
        return number

    def _rename(self, key: str, entry: dict[str, Any], name: str, there: dict[int, Tag]) -> None:
        """The setting has changed: the tag is renamed, or another one of that name is used."""
        other = next((tag for tag in there.values() if tag.name == name), None)
        if other is not None:
            self._known[key] = {"id": other.id, "name": name, "ours": other.id == int(entry["id"])}
            return
        renamed = self._allowed(
            f"rename a tag to '{name}'",
            lambda: self._paperless.change_tag(int(entry["id"]), name=name),
        )
        if renamed is not None:
            entry["name"] = name

    def _fields(self) -> dict[str, int]:
        wanted = _wanted_fields(self._settings)
        if not wanted:
            return {}
        there = self._allowed("see custom fields", lambda: self._fields_there(wanted))
        if there is None:
            return {}
        found: dict[str, int] = {}
        for what, data_type in wanted.items():
            key, name = f"field:{what}", self._settings.value(f"paperless.field_{what}")
            if self._has_field(what, data_type, there):
                found[what] = int(self._known[key]["id"])
                continue
            exists = any(field.name == name for field in there.values())
            if not exists and not self._create:
                continue
            made = self._allowed(
                f"use the custom field '{name}'",
                partial(self._paperless.ensure_custom_field, name, data_type),
            )
            if made is not None:
                self._known[key] = {"id": made.id, "name": name, "ours": not exists}
                found[what] = made.id
        return found

    def _fields_there(self, wanted: Mapping[str, str]) -> Mapping[int, CustomField]:
        """As they were seen last, if all of ours are among them: nothing is made, or looked for by
        its name, by what was seen a while ago."""
        fields = self._paperless.fields
        there = fields.known()
        if not all(self._has_field(what, kind, there) for what, kind in wanted.items()):
            fields.forget()
            there = fields.known()
        return there

    def _has_field(self, what: str, data_type: str, there: Mapping[int, CustomField]) -> bool:
        entry = self._known.get(f"field:{what}")
        if entry is None or entry["name"] != self._settings.value(f"paperless.field_{what}"):
            return False
        field = there.get(int(entry["id"]))
        return field is not None and field.data_type == data_type

    def _view(self, tags: Mapping[Role, int]) -> None:
        """Made once: somebody who deletes or changes it shall not get it back."""
        if "view:" in self._known:
            return
        name = self._settings.paperless.view_name
        shown = [tag for role, tag in tags.items() if role is not Role.PRIMARY]
        there = self._allowed("see saved views", self._paperless.saved_views)
        if there is None:
            return
        same = next((view for view in there if view.name == name), None)
        view = same or self._allowed(
            f"make the saved view '{name}'",
            lambda: self._paperless.create_saved_view(
                name, dict.fromkeys(shown), fields=_VIEW_COLUMNS
            ),
        )
        if view is not None:
            self._known["view:"] = {"id": view.id, "name": name, "ours": same is None}

    def _allowed(self, what: str, act: Callable[[], Any]) -> Any:
        """None where Paperless does not let us; an outage goes on upwards."""
        try:
            return act()
        except (DeniedError, RefusedError, StrangeError) as error:
            if isinstance(error, PaperlessAnswerError) and error.status == 401:
                raise
            self._problems.append(_problem(what, error))
            return None


def _problem(what: str, error: PaperlessError) -> str:
    return f"This token cannot {what}: {error}"
