"""Tags, correspondents and document types; and the rules of tags that have a parent."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from paperless_fingerprint.demo.stand_in.answers import Answer, ApiError, invalid, not_found
from paperless_fingerprint.demo.stand_in.filters import HOW, numbers
from paperless_fingerprint.demo.stand_in.library import Label, Library
from paperless_fingerprint.demo.stand_in.people import User, may_change, may_view
from paperless_fingerprint.demo.stand_in.routing import Request

SINGULAR = {
    "tags": "tag", "correspondents": "correspondent", "document_types": "document type",
    "storage_paths": "storage path",
}  # fmt: skip
#: What a document has one of: kind → the name it has there.
OF_ONE = {
    "correspondents": "correspondent", "document_types": "document_type",
    "storage_paths": "storage_path",
}  # fmt: skip
_COLOUR = re.compile(r"^#[0-9a-fA-F]{6}$")
_WRITABLE = ("name", "match", "matching_algorithm", "is_insensitive", "owner")
_WRITABLE_TAG = (*_WRITABLE, "color", "is_inbox_tag", "parent")


def label_of(library: Library, kind: str, number: int, user: User) -> Label:
    label = library.labels[kind].get(number)
    if label is None or not may_view(user, label):
        raise not_found(SINGULAR[kind].title().replace(" ", ""))
    return label


def list_labels(request: Request, kind: str) -> dict[str, Any]:
    library, user, query = request.library, request.user, request.query
    labels = [label for label in library.labels[kind].values() if may_view(user, label)]
    for name, value in query.items():
        field, _, how = name.partition("__")
        if name in {"id", "id__in"} and value:
            chosen = set(numbers(name, value))
            labels = [label for label in labels if label.id in chosen]
        elif field == "name" and how in HOW and value:
            labels = [label for label in labels if HOW[how](label.name.lower(), value.lower())]
    if query.get("ordering", "").lstrip("-") == "id":
        labels.sort(key=lambda label: label.id, reverse=query["ordering"].startswith("-"))
    else:
        labels.sort(key=lambda label: label.name.lower())
    counts = counts_of(library, kind)
    full = request.full_perms()
    result = request.page(
        labels,
        lambda label: show_label(library, kind, label, user, counts=counts, full_perms=full),
        lambda label: label.id,
    )
    if kind == "tags" and library.major >= 3:
        # The children that are shown inside their parents count here, and only here.
        shown = {label.id for label in labels}
        shown.update(child for label in labels for child in descendants(library, label.id))
        result["display_count"] = len(shown)
    return result


def counts_of(library: Library, kind: str) -> dict[int, int]:
    counts: dict[int, int] = {}
    for row in library.documents.values():
        used: Iterable[int | None]
        used = row.tags if kind == "tags" else (getattr(row, OF_ONE[kind]),)
        for number in used:
            if number is not None:
                counts[number] = counts.get(number, 0) + 1
    return counts


def show_label(
    library: Library,
    kind: str,
    label: Label,
    user: User,
    *,
    counts: dict[int, int] | None = None,
    full_perms: bool = False,
) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": label.id,
        "slug": re.sub(r"[^a-z0-9]+", "-", label.name.lower().replace("/", "")).strip("-"),
        "name": label.name,
    }
    if kind == "tags":
        shown |= {"color": label.color, "text_color": _text_colour(label.color)}
    shown |= {
        "match": label.match,
        "matching_algorithm": label.matching_algorithm,
        "is_insensitive": label.is_insensitive,
    }
    if kind == "tags":
        shown["is_inbox_tag"] = label.is_inbox_tag
    if counts is not None:
        shown["document_count"] = counts.get(label.id, 0)
    shown["owner"] = label.owner
    if full_perms:
        shown["permissions"] = show_permissions(label)
    else:
        shown["user_can_change"] = may_change(user, label)
    if kind == "tags":
        shown["parent"] = label.parent
        shown["children"] = [
            show_label(library, kind, child, user, counts=counts, full_perms=full_perms)
            for child in library.labels["tags"].values()
            if child.parent == label.id
        ]
    return shown


def show_permissions(thing: Any) -> dict[str, Any]:
    return {
        "view": {"users": sorted(thing.view_users), "groups": sorted(thing.view_groups)},
        "change": {"users": sorted(thing.change_users), "groups": sorted(thing.change_groups)},
    }


def set_permissions(thing: Any, told: Any) -> None:
    """Who may change a thing may see it, too: Paperless grants both."""
    for action in ("change", "view"):
        given = (told or {}).get(action) or {}
        for who in ("users", "groups"):
            setattr(thing, f"{action}_{who}", set(given.get(who) or ()))
    thing.view_users |= thing.change_users
    thing.view_groups |= thing.change_groups


def _text_colour(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    bright = (0.299 * red * red + 0.587 * green * green + 0.114 * blue * blue) ** 0.5 > 126
    # Red is dark by that formula and still gets black letters, as in Paperless.
    return "#000000" if bright or colour.lower() == "#ff0000" else "#ffffff"


def _check(library: Library, kind: str, label: Label | None, body: dict[str, Any]) -> None:
    name = body.get("name", label.name if label else None)
    if name is None:
        raise invalid(name="This field is required.")
    if not isinstance(name, str) or not name.strip():
        raise invalid(name="This field may not be blank.")
    if len(name) > 128:
        raise invalid(name="Ensure this field has no more than 128 characters.")
    if kind == "tags" and not _COLOUR.match(body.get("color", "#a6cee3")):
        raise invalid(color="Invalid color.")
    parent = body.get("parent")
    if parent is not None and (kind != "tags" or parent not in library.labels["tags"]):
        raise invalid(parent=f'Invalid pk "{parent}" - object does not exist.')
    owner = body.get("owner", label.owner if label else None)
    for other in library.labels[kind].values():
        if other is label or other.name != name:
            continue
        if other.owner is None:
            raise invalid(name=f"{SINGULAR[kind]} with this name already exists.")
        if other.owner == owner:
            raise ApiError(Answer(400, {"error": "Object violates owner / name unique constraint"}))


def create_label(library: Library, kind: str, user: User, body: dict[str, Any]) -> Label:
    body = {"owner": user.id, **body}
    _check(library, kind, None, body)
    label = library.add_label(kind, body["name"].strip(), owner=body["owner"])
    _write(label, kind, body)
    return label


def change_label(library: Library, kind: str, label: Label, body: dict[str, Any]) -> None:
    _check(library, kind, label, body)
    _write(label, kind, body)


def _write(label: Label, kind: str, body: dict[str, Any]) -> None:
    for name in _WRITABLE_TAG if kind == "tags" else _WRITABLE:
        if name in body:
            setattr(label, name, body[name])
    if "set_permissions" in body:
        set_permissions(label, body["set_permissions"])


def delete_label(library: Library, kind: str, number: int) -> None:
    del library.labels[kind][number]
    for rows in (library.documents, library.trash):
        for row in rows.values():
            if kind == "tags":
                row.tags = [tag for tag in row.tags if tag != number]
            elif getattr(row, OF_ONE[kind]) == number:
                setattr(row, OF_ONE[kind], None)
    if kind == "tags":
        for label in library.labels["tags"].values():
            if label.parent == number:
                label.parent = None


# --- tags that have a parent -----------------------------------------------------------------------


def ancestors(library: Library, number: int) -> list[int]:
    """The parent first."""
    found: list[int] = []
    tag = library.labels["tags"].get(number)
    while tag is not None and tag.parent is not None and tag.parent not in found:
        found.append(tag.parent)
        tag = library.labels["tags"].get(tag.parent)
    return found


def descendants(library: Library, number: int) -> list[int]:
    return [tag for tag in library.labels["tags"] if number in ancestors(library, tag)]


def add_tags(library: Library, tags: list[int], added: Iterable[int]) -> list[int]:
    """A child brings its parent along. The newest stands first, as Paperless lists them."""
    result = list(tags)
    for tag in added:
        for number in (*reversed(ancestors(library, tag)), tag):
            if number not in result:
                result.insert(0, number)
    return result


def remove_tags(library: Library, tags: list[int], removed: Iterable[int]) -> list[int]:
    """A parent takes its children along."""
    gone = set(removed)
    for tag in tuple(gone):
        gone.update(descendants(library, tag))
    return [tag for tag in tags if tag not in gone]


def replace_tags(library: Library, tags: list[int], told: Iterable[int]) -> list[int]:
    """PATCH {"tags": […]}. A child without its parent, on a document that had the parent, is
    taken for the parent's removal: the child goes as well."""
    wanted = list(dict.fromkeys(told))
    dropped = [tag for tag in tags if tag not in wanted]
    return add_tags(library, [], remove_tags(library, wanted, dropped)[::-1])
