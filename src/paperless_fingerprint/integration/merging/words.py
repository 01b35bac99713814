"""A plan as people read it: names in the place of ids."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from paperless_fingerprint.integration.feedback.dead_links import numbers_of
from paperless_fingerprint.integration.merging.plan import NOTES, TAGS, MergePlan, field_of
from paperless_fingerprint.integration.merging.why import of_stays
from paperless_fingerprint.paperless.client import PaperlessClient
from paperless_fingerprint.paperless.records import CustomField
from paperless_fingerprint.paperless.refusals import DeniedError


class Names:
    """What is behind the ids, asked for once and only where it is needed."""

    def __init__(self, paperless: PaperlessClient) -> None:
        self._paperless = paperless

    @cached_property
    def tags(self) -> Mapping[int, str]:
        return self._paperless.names.of("tags")

    @cached_property
    def fields(self) -> Mapping[int, CustomField]:
        try:
            return self._paperless.fields.known()
        except DeniedError as error:
            if error.status != 403:
                raise
            return {}

    @cached_property
    def users(self) -> Mapping[int, str]:
        return self._paperless.users()

    def of_key(self, key: str) -> str:
        """Of a custom field its name; of anything else the key."""
        number = field_of(key)
        if number is None:
            return key
        return self.fields[number].name if number in self.fields else f"#{number}"

    def is_date(self, key: str) -> bool:
        number = field_of(key)
        if number is None:
            return key == "created"
        return number in self.fields and self.fields[number].data_type == "date"

    def shown(self, key: str, value: Any) -> str:
        """A value, empty where there is none."""
        if value in (None, "", []):
            return ""
        kind = {"correspondent": "correspondents", "document_type": "document_types",
                "storage_path": "storage_paths"}.get(key)  # fmt: skip
        if kind is not None:
            return self._paperless.names(kind, value)
        if key == "owner":
            return self.users.get(value, f"#{value}")
        if key == TAGS:
            return ", ".join(self.tags.get(tag, f"#{tag}") for tag in value)
        number = field_of(key)
        field = None if number is None else self.fields.get(number)
        if field is not None and field.data_type == "select":
            return next((label for label, id in field.options.items() if id == value), str(value))
        if isinstance(value, list):
            return ", ".join(map(str, numbers_of(value)))
        if isinstance(value, bool):
            return "yes" if value else "no"
        return str(value)


_KINDS = {
    "title": "title", "correspondent": "correspondent", "document_type": "document type",
    "storage_path": "storage path", "created": "date", "archive_serial_number":
    "archive serial number", "owner": "owner", TAGS: "tags", NOTES: "note",
}  # fmt: skip


def in_words(plan: MergePlan, names: Names) -> list[str]:
    """For the command line."""
    lines = [f"Document {id} is kept." for id in plan.keep]
    to = plan.gets
    if plan.tags:
        named = ", ".join(f"'{names.tags.get(tag, tag)}'" for tag in plan.tags)
        lines.append(f"Document {to} gets the tags {named}.")
    for change in plan.changes:
        was = names.shown(change.key, change.was)
        instead = f" in the place of '{was}'" if was else ""
        becomes = names.shown(change.key, change.becomes)
        lines.append(
            f"Document {to} gets the {_kind(change.key, names)} '{becomes}' of document "
            f"{change.source}{instead}."
        )
    if plan.notes:
        lines.append(
            f"Document {to} gets {len(plan.notes)} notes, in the name of this token's user."
        )
    lines += [
        f"The {_kind(loss.key, names)} '{names.shown(loss.key, loss.value)}' of document "
        f"{loss.document} goes to the trash with it."
        for loss in plan.losses
    ]
    lines += map(str, of_stays(plan))
    lines += [f"Document {id} goes to the trash of Paperless." for id in plan.trash]
    return lines


def _kind(key: str, names: Names) -> str:
    return _KINDS.get(key) or f"'{names.of_key(key)}'"
