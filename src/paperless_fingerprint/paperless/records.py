"""What Paperless's JSON tells, as values; dates in one form, so that as text they sort as time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from paperless_fingerprint.model import Document
from paperless_fingerprint.paperless.refusals import StrangeError

Json = Mapping[str, Any]
#: (kind, id) → name, kind being 'tags', 'correspondents' or 'document_types'.
NameOf = Callable[[str, int], str]

#: What is asked for in lists. Names that a version does not know are ignored by it.
DOCUMENT_FIELDS = (
    "id,title,content,correspondent,document_type,created,added,modified,tags,original_file_name,"
    "page_count,mime_type,archive_serial_number,owner,permissions,user_can_change,custom_fields,"
    "versions"
)


@dataclass(frozen=True, slots=True)
class PaperlessDocument:
    """A document as our model knows it, and what only Paperless needs to know about it."""

    document: Document
    tag_ids: tuple[int, ...] = ()
    #: Field id → value, in Paperless's own form. A number may come as text: bulk edits do not check.
    custom_fields: Mapping[int, Any] = field(default_factory=dict)
    mime_type: str | None = None

    @property
    def id(self) -> int:
        return self.document.id


#: What a document has one of, by Paperless's names.
HELD_VALUES = (
    "title", "correspondent", "document_type", "storage_path", "created", "archive_serial_number",
    "owner",
)  # fmt: skip
HOLDING_FIELDS = (
    f"id,{','.join(HELD_VALUES)},content,tags,custom_fields,notes,permissions,user_can_change,"
    "original_file_name,mime_type"
)


@dataclass(frozen=True, slots=True)
class Holding:
    """All that people have given to a document, in Paperless's own ids."""

    id: int
    #: By the names in HELD_VALUES.
    values: Mapping[str, Any]
    tags: tuple[int, ...] = ()
    fields: Mapping[int, Any] = field(default_factory=dict)
    #: Their texts, the oldest first.
    notes: tuple[str, ...] = ()
    content: str = ""
    #: None where it was not asked for.
    may_change: bool | None = None
    #: Users ('3') and groups ('group:3') who were given the right to change it; None likewise.
    changers: frozenset[str] | None = None
    viewers: frozenset[str] | None = None
    #: Its name, or where it has none its kind; nobody gave it, and it is carried over to nobody.
    file: str = ""

    @property
    def title(self) -> str:
        return str(self.values.get("title") or "")

    @property
    def owner(self) -> str | None:
        owner = self.values.get("owner")
        return None if owner is None else str(owner)


@dataclass(frozen=True, slots=True)
class Stamp:
    """A document's id and when it last changed."""

    id: int
    modified: str


@dataclass(frozen=True, slots=True)
class Trashed:
    id: int
    title: str


@dataclass(frozen=True, slots=True)
class Tag:
    id: int
    name: str
    color: str = ""
    parent: int | None = None
    owner: int | None = None
    matching_algorithm: int = 0
    is_inbox_tag: bool = False
    may_change: bool = True


@dataclass(frozen=True, slots=True)
class CustomField:
    id: int
    name: str
    data_type: str
    #: Label → id of a select field's options; ids are what values hold.
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SavedView:
    id: int
    name: str
    #: (rule type, value) for each filter rule.
    rules: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    id: int
    text: str


@dataclass(frozen=True, slots=True)
class FileFacts:
    """About the file that a document shows; SHA-256 from version 3 on, MD5 before."""

    checksum: str
    size: int
    mime_type: str


@dataclass(frozen=True, slots=True)
class TokenUser:
    """The user behind a token, as far as that user may know about itself."""

    id: int | None
    username: str
    is_superuser: bool = False
    groups: tuple[int, ...] = ()
    #: None where the user lacks 'view_uisettings', without which Paperless does not tell.
    permissions: frozenset[str] | None = None

    def may(self, permission: str) -> bool | None:
        """None where it cannot be known without trying."""
        if self.permissions is None:
            return None
        return self.is_superuser or permission in self.permissions


def moment(text: str | None) -> str | None:
    """Always in UTC and with microseconds; Paperless leaves them out where they are zero."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return text
    if len(text) == 10:
        return text
    found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    return found.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def holding_of(found: Json) -> Holding:
    try:
        permissions = found.get("permissions")
        values = {name: found.get(name) for name in HELD_VALUES}
        return Holding(
            int(found["id"]),
            {**values, "created": (values["created"] or "")[:10] or None},
            tuple(map(int, found["tags"])),
            {int(f["field"]): f["value"] for f in found["custom_fields"]},
            tuple(note.text for note in sorted(map(note_of, found["notes"]), key=lambda n: n.id)),
            found.get("content") or "",
            found.get("user_can_change"),
            _granted(permissions, "change"),
            _granted(permissions, "view"),
            found.get("original_file_name") or found.get("mime_type") or "",
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StrangeError(
            "Paperless describes a document in a form that this program does not know "
            f"({type(error).__name__}: {error})."
        ) from error


def _granted(permissions: Json | None, what: str) -> frozenset[str] | None:
    return None if permissions is None else frozenset(_people(permissions.get(what) or {}))


def _people(granted: Json) -> list[str]:
    users = [str(user) for user in granted.get("users") or ()]
    return users + [f"group:{group}" for group in granted.get("groups") or ()]


def document_of(found: Json, name_of: NameOf, *, full_perms: bool) -> PaperlessDocument:
    try:
        return _document_of(found, name_of, full_perms=full_perms)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = found.get("id") if isinstance(found, Mapping) else None
        raise StrangeError(
            f"Paperless describes document {what} in a form that this program does not know "
            f"({type(error).__name__}: {error}). Perhaps something else answers at that address."
        ) from error


def _document_of(found: Json, name_of: NameOf, *, full_perms: bool) -> PaperlessDocument:
    permissions = found.get("permissions")
    if full_perms and not isinstance(permissions, Mapping):
        # Without them, a document would look as if nobody but its owner might see it.
        raise KeyError("permissions")
    viewers = _people(permissions.get("view") or {}) if permissions else []
    tag_ids = tuple(int(tag) for tag in found.get("tags") or ())
    versions = found.get("versions") or []
    current = max(versions, key=lambda version: int(version["id"]), default=None)
    owner = found.get("owner")
    correspondent, kind = found.get("correspondent"), found.get("document_type")
    document = Document(
        int(found["id"]),
        title=found.get("title") or "",
        content=found.get("content") or "",
        correspondent=None if correspondent is None else name_of("correspondents", correspondent),
        document_type=None if kind is None else name_of("document_types", kind),
        # Before version 9 of the API this was a moment; the day is what is meant.
        created=(found.get("created") or "")[:10] or None,
        added=moment(found.get("added")),
        modified=moment(found.get("modified")),
        tags=tuple(name_of("tags", tag) for tag in tag_ids),
        original_filename=found.get("original_file_name"),
        page_count=found.get("page_count"),
        checksum=current.get("checksum") if current else None,
        archive_serial_number=found.get("archive_serial_number"),
        owner=None if owner is None else str(owner),
        viewers=tuple(viewers),
    )
    return PaperlessDocument(
        document,
        tag_ids=tag_ids,
        custom_fields={int(f["field"]): f["value"] for f in found.get("custom_fields") or ()},
        mime_type=found.get("mime_type"),
    )


def tag_of(found: Json) -> Tag:
    return Tag(
        id=int(found["id"]),
        name=str(found["name"]),
        color=found.get("color") or "",
        parent=found.get("parent"),
        owner=found.get("owner"),
        matching_algorithm=int(found.get("matching_algorithm") or 0),
        is_inbox_tag=bool(found.get("is_inbox_tag")),
        may_change=bool(found.get("user_can_change", True)),
    )


def custom_field_of(found: Json) -> CustomField:
    options = (found.get("extra_data") or {}).get("select_options") or []
    return CustomField(
        id=int(found["id"]),
        name=str(found["name"]),
        data_type=str(found["data_type"]),
        # Old libraries hold options as bare labels.
        options={o["label"]: o["id"] for o in options if isinstance(o, Mapping) and "id" in o},
    )


def saved_view_of(found: Json) -> SavedView:
    rules = found.get("filter_rules") or ()
    return SavedView(
        id=int(found["id"]),
        name=str(found["name"]),
        rules=tuple((int(rule["rule_type"]), str(rule.get("value") or "")) for rule in rules),
    )


def note_of(found: Json) -> Note:
    return Note(int(found["id"]), str(found.get("note") or ""))
