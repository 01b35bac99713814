"""Documents one at a time and in lists: what they show, how they are changed, their trash."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paperless_fingerprint.demo.stand_in.answers import insufficient, invalid, not_found, refused
from paperless_fingerprint.demo.stand_in.fields import replace_fields
from paperless_fingerprint.demo.stand_in.filters import select_documents
from paperless_fingerprint.demo.stand_in.labels import (
    OF_ONE,
    replace_tags,
    set_permissions,
    show_permissions,
)
from paperless_fingerprint.demo.stand_in.library import Library, Row
from paperless_fingerprint.demo.stand_in.people import (
    User,
    may_change,
    may_delete,
    may_view,
)
from paperless_fingerprint.demo.stand_in.routing import Request

TRUNCATED_CHARACTERS = 550
_DEFAULT_FIELDS = ("title", "content", "created", "archive_serial_number", "owner")


def document(request: Request, number: int) -> Row:
    """404 for what does not exist, lies in the trash, is a version row, or may not be seen."""
    row = request.library.documents.get(number)
    if row is None or not may_view(request.user, row):
        raise not_found()
    return row


def file_row(request: Request, number: int) -> Row:
    """The row whose file is meant; version rows have files, and what may not be seen is a 403."""
    library = request.library
    row = library.documents.get(number) or library.versions.get(number)
    if row is None:
        raise not_found()
    owner = row if row.root is None else library.documents.get(row.root)
    if owner is None:
        raise not_found()
    if not may_view(request.user, owner):
        raise insufficient()
    return library.current(row) if row.root is None else row


def show_document(
    request: Request, row: Row, *, detail: bool, full_perms: bool = False
) -> dict[str, Any]:
    library, user, query = request.library, request.user, request.query
    wanted = {part for part in query.get("fields", "").split(",") if part}

    def is_wanted(name: str) -> bool:
        return not wanted or name in wanted

    shown: dict[str, Any] = {
        "id": row.id,
        "correspondent": row.correspondent,
        "document_type": row.document_type,
        "storage_path": row.storage_path,
        "title": row.title,
    }
    if is_wanted("content"):
        content = library.current(row).content
        cut = query.get("truncate_content", "").lower() in {"true", "1"}
        shown["content"] = content[:TRUNCATED_CHARACTERS] if cut else content
    shown |= {
        "tags": row.tags,
        "created": row.created,
        "created_date": row.created,
        "modified": _moment(row.modified),
        "added": _moment(row.added),
        "deleted_at": row.deleted_at,
        "archive_serial_number": row.archive_serial_number,
        "original_file_name": row.original_file_name,
        "archived_file_name": None,
    }
    if library.major >= 3 and is_wanted("duplicate_documents"):
        shown["duplicate_documents"] = _duplicates(library, row) if detail else []
    shown["owner"] = row.owner
    if full_perms or request.full_perms():
        shown["permissions"] = show_permissions(row)
    else:
        shown["user_can_change"] = may_change(user, row)
        shown["is_shared_by_requester"] = row.owner == user.id and bool(
            row.view_users or row.view_groups
        )
    # What stands beside a document goes to the trash with it, and comes back with it as it was.
    trashed = row.id in library.trash
    values = {} if trashed else row.custom_fields
    shown |= {
        "notes": [] if trashed else row.notes,
        "custom_fields": [{"value": v, "field": n} for n, v in values.items()],
        "page_count": row.page_count,
        "mime_type": row.mime_type,
    }
    if library.major >= 3:
        shown["root_document"] = None
        if is_wanted("versions"):
            shown["versions"] = [_show_version(version) for version in library.versions_of(row)]
    return {name: value for name, value in shown.items() if name in wanted} if wanted else shown


def _moment(text: str) -> str:
    """Python leaves out microseconds that are zero, and so does Paperless."""
    return text.replace(".000000Z", "Z")


def _show_version(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "added": _moment(row.added),
        "version_label": row.version_label,
        "checksum": row.checksum,
        "is_root": row.root is None,
    }


def _duplicates(library: Library, row: Row) -> list[dict[str, Any]]:
    return [
        {"id": other.id, "title": other.title, "deleted_at": other.deleted_at}
        for rows in (library.documents, library.trash)
        for other in rows.values()
        if other.checksum == row.checksum and other is not row
    ]


def list_documents(request: Request, rows: Mapping[int, Row]) -> dict[str, Any]:
    chosen = select_documents(rows, request.query)
    if not request.user.is_superuser:
        chosen = [row for row in chosen if may_view(request.user, row)]
    result = request.page(
        chosen, lambda row: show_document(request, row, detail=False), lambda row: row.id
    )
    if "query" in request.query or "text" in request.query:
        result["corrected_query"] = None
    return result


def change_document(request: Request, row: Row) -> dict[str, Any]:
    """PATCH. Fields that `?fields=` does not list are dropped without a word: a known trap."""
    library, user, body = request.library, request.user, request.json()
    listed = {part for part in request.query.get("fields", "").split(",") if part}
    told = {name: value for name, value in body.items() if not listed or name in listed}
    _check_labels(library, told)
    _check_serial(library, row, told.get("archive_serial_number"))
    if told.get("owner", row.owner) != row.owner and not may_delete(user, row):
        raise refused(403, "Insufficient permissions.")
    if "custom_fields" in told:
        replace_fields(library, row, user, told["custom_fields"])
    if "tags" in told:
        row.tags = replace_tags(library, row.tags, told["tags"])
    if told.get("remove_inbox_tags"):
        tags = library.labels["tags"]
        row.tags = [t for t in row.tags if not (t in tags and tags[t].is_inbox_tag)]
    for name in (*OF_ONE.values(), *_DEFAULT_FIELDS):
        if name in told:
            setattr(library.current(row) if name == "content" else row, name, told[name])
    if "set_permissions" in told:
        set_permissions(row, told["set_permissions"])
    library.touch(row)
    return show_document(request, row, detail=True, full_perms=True)


def _check_labels(library: Library, told: Mapping[str, Any]) -> None:
    if "tags" in told:
        tags = told["tags"]
        if not isinstance(tags, list):
            raise invalid(tags=f'Expected a list of items but got type "{type(tags).__name__}".')
        for tag in tags:
            if tag not in library.labels["tags"]:
                raise invalid(tags=f'Invalid pk "{tag}" - object does not exist.')
    for name in OF_ONE.values():
        number = told.get(name)
        if number is not None and number not in library.labels[name + "s"]:
            raise invalid(**{name: f'Invalid pk "{number}" - object does not exist.'})


def _check_serial(library: Library, row: Row, number: int | None) -> None:
    """Each number is one document's, also one's that lies in the trash."""
    for where, rows in (("", library.documents), (" in the trash", library.trash)):
        for other in rows.values():
            if other is not row and other.archive_serial_number == number is not None:
                said = f"Document with this Archive Serial Number already exists{where}."
                raise invalid(archive_serial_number=said)


def show_metadata(row: Row) -> dict[str, Any]:
    return {
        "original_checksum": row.checksum,
        "original_size": row.size,
        "original_mime_type": row.mime_type,
        "media_filename": f"{row.id:07d}.txt",
        "has_archive_version": False,
        "original_metadata": [],
        "archive_checksum": None,
        "archive_media_filename": None,
        "original_filename": row.original_file_name,
        "archive_size": None,
        "archive_metadata": None,
        "lang": "en",
    }


def root_of(request: Request, number: int) -> dict[str, int]:
    library = request.library
    if library.major < 3:
        raise refused(404, "Not found.")
    row = library.documents.get(number) or library.versions.get(number)
    root = None if row is None else library.documents.get(row.root or row.id)
    if root is None:
        raise refused(404, "Not found.")
    if not may_view(request.user, root):
        raise insufficient()
    return {"root_id": root.id}


# --- the trash ---------------------------------------------------------------------------------


def trash_document(library: Library, row: Row) -> None:
    del library.documents[row.id]
    row.deleted_at = library.now_text()
    library.trash[row.id] = row


def change_trash(library: Library, user: User, body: Mapping[str, Any]) -> dict[str, Any]:
    told = body.get("documents") or list(library.trash)
    action = body.get("action")
    if action not in {"restore", "empty"}:
        raise invalid(action=f'"{action}" is not a valid choice.')
    if not all(number in library.trash for number in told):
        raise invalid(documents="Some documents in the list have not yet been deleted.")
    if not all(may_delete(user, library.trash[number]) for number in told):
        raise insufficient()
    for number in told:
        row = library.trash.pop(number)
        if action == "restore":
            row.deleted_at = None
            library.documents[number] = row
            library.touch(row)
        else:
            for version in [v.id for v in library.versions.values() if v.root == number]:
                del library.versions[version]
    return {"result": "OK", "doc_ids": list(told)}


# --- notes -------------------------------------------------------------------------------------


def add_note(library: Library, row: Row, user: User, body: Mapping[str, Any]) -> None:
    if "note" not in body:
        raise invalid(note="This field is required.")
    note = {
        "id": library.number("note"),
        "note": str(body["note"]),
        "created": library.now_text(),
        "user": {
            "id": user.id,
            "username": user.username,
            "first_name": user.first_name,
            "last_name": user.last_name,
        },
    }
    row.notes.append(note)
    library.touch(row)


def delete_note(library: Library, row: Row, number: str) -> None:
    kept = [note for note in row.notes if str(note["id"]) != number]
    if len(kept) == len(row.notes):
        raise not_found("Note")
    row.notes[:] = kept
    library.touch(row)
