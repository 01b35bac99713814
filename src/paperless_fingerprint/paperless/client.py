"""Paperless as the rest of the program sees it.

    with PaperlessClient(Connection("http://paperless:8000", token="…")) as paperless:
        for found in paperless.documents(modified_after=last):
            ...

How requests are made, repeated and limited is in `connection.py`; how lists are read although they
change in `listing.py`; how many documents are changed at once in `writing.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self

from paperless_fingerprint.paperless import labels, listing, reading, writing
from paperless_fingerprint.paperless.connection import Connection, ServerVersion
from paperless_fingerprint.paperless.reading import Names, OnUnreadable
from paperless_fingerprint.paperless.records import (
    CustomField,
    FileFacts,
    Holding,
    Note,
    PaperlessDocument,
    SavedView,
    Stamp,
    Tag,
    TokenUser,
    Trashed,
    note_of,
)
from paperless_fingerprint.paperless.refusals import DeniedError, MissingError, StrangeError
from paperless_fingerprint.paperless.transport import FileStream, Limits
from paperless_fingerprint.paperless.writing import BulkResult, Refusal

__all__ = ["BulkResult", "Limits", "PaperlessClient", "Refusal"]

_ENCRYPTED = b"/Encrypt"
#: More than that is not read of a file to see whether it is encrypted.
_MOST_BYTES = 100 << 20


class PaperlessClient:
    """One Paperless and the user of one token. Safe to share between threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.names = Names(connection)
        self.fields = labels.Fields(connection)

    def as_person(self, token: str) -> PaperlessClient:
        """The same Paperless with somebody else's rights; no need to close it."""
        return PaperlessClient(self._connection.for_token(token))

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def url(self) -> str:
        return self._connection.url

    def server_version(self) -> ServerVersion:
        return self._connection.version

    # --- reading documents ---------------------------------------------------------------------

    def document_ids(self) -> tuple[int, ...]:
        """Every document that may be seen, in order: one cheap request."""
        return listing.document_ids(self._connection)

    def count(self) -> int:
        return listing.count(self._connection)

    def changes(self, modified_after: str) -> list[Stamp]:
        """What has changed since, in the order in which it did, without the texts."""
        return listing.changes(self._connection, modified_after)

    def documents(
        self,
        *,
        modified_after: str | None = None,
        ids: Iterable[int] | None = None,
        full_perms: bool = True,
        on_unreadable: OnUnreadable | None = None,
    ) -> Iterator[PaperlessDocument]:
        """All documents by id; or what has changed since, oldest change first; or these.

        The ids are settled first and then asked for by name, so that changes under way can
        neither hide a document nor show it twice. What was deleted meanwhile is left out.
        """
        wanted: Iterable[int]
        if ids is not None:
            wanted = dict.fromkeys(ids)
        elif modified_after is not None:
            wanted = [stamp.id for stamp in self.changes(modified_after)]
        else:
            wanted = self.document_ids()
        self.names.forget()
        return reading.documents(
            self._connection,
            self.names,
            wanted,
            full_perms=full_perms,
            on_unreadable=on_unreadable,
        )

    def document(self, number: int, *, full_perms: bool = True) -> PaperlessDocument:
        return reading.document(self._connection, self.names, number, full_perms=full_perms)

    def holdings(self, ids: Iterable[int], *, full_perms: bool = False) -> dict[int, Holding]:
        """What people have given to these: id → it. Either who may change each, or with
        `full_perms` who else may."""
        return reading.holdings(self._connection, ids, full_perms=full_perms)

    def document_of_event(self, number: int) -> PaperlessDocument:
        """For ids from the hook, which may name a later file version of a document."""
        try:
            return self.document(number)
        except MissingError:
            root = self.root_of(number)
            if root == number:
                raise
            return self.document(root)

    def root_of(self, number: int) -> int:
        return reading.root_of(self._connection, number)

    def visible_ids(self, ids: Iterable[int]) -> frozenset[int]:
        """Those of the ids that the user of the token may see now."""
        return listing.visible_ids(self._connection, ids)

    def gone_ids(self, ids: Iterable[int]) -> frozenset[int]:
        """Those of the ids that are deleted or in the trash, and not merely hidden from the user
        of the token."""
        return reading.gone_ids(self._connection, ids)

    def changeable_ids(self, ids: Iterable[int]) -> frozenset[int]:
        """Those of the ids that the user of the token may change now."""
        return listing.changeable_ids(self._connection, ids)

    def tagged(self, tag_ids: Iterable[int]) -> dict[int, tuple[int, ...]]:
        """Documents with at least one of the tags: id → all their tags."""
        return listing.tagged(self._connection, tag_ids)

    def in_storage_path(self, number: int) -> frozenset[int]:
        """Documents that are kept there."""
        return listing.in_storage_path(self._connection, number)

    def tags_and_fields(
        self, ids: Iterable[int]
    ) -> dict[int, tuple[tuple[int, ...], dict[int, Any]]]:
        """What is on these documents now: id → (tags, custom field → value)."""
        return listing.tags_and_fields(self._connection, ids)

    def with_field(self, field_id: int) -> dict[int, Any]:
        """Documents with the custom field: id → its value."""
        return listing.with_field(self._connection, field_id)

    def file_facts(self, number: int) -> FileFacts:
        found = self._connection.get(f"/api/documents/{number}/metadata/")
        try:
            return FileFacts(
                str(found["original_checksum"]),
                int(found["original_size"]),
                str(found["original_mime_type"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise StrangeError(f"Paperless tells no checksum of document {number}.") from error

    # --- changing documents --------------------------------------------------------------------

    def modify_tags(
        self, ids: Iterable[int], *, add: Iterable[int] = (), remove: Iterable[int] = ()
    ) -> BulkResult:
        """Merges; even where nothing changes, `modified` moves. Removing a parent tag removes its
        children, adding a child adds its parent."""
        return writing.modify_tags(self._connection, ids, add, remove)

    def modify_custom_fields(
        self,
        ids: Iterable[int],
        *,
        values: Mapping[int, Any] | None = None,
        remove: Iterable[int] = (),
    ) -> BulkResult:
        """Merges. A document link that is replaced this way leaves its old back link behind: take
        the field off the document first, or off the other one."""
        return writing.modify_custom_fields(self._connection, ids, values or {}, remove)

    def change_document(self, number: int, **told: Any) -> None:
        """PATCH. Lists are replaced, not merged: for tags and fields use the methods above."""
        # Without `?fields=`: it would make Paperless drop what it does not list.
        self._connection.send("PATCH", f"/api/documents/{number}/", json=told)

    def reprocess(self, ids: Iterable[int]) -> BulkResult:
        """Paperless recognises the text again, in its own time."""
        return writing.bulk_edit(self._connection, ids, "reprocess", {})

    def trashed(self) -> list[Trashed]:
        return writing.trashed(self._connection)

    def move_to_trash(self, ids: Iterable[int]) -> BulkResult:
        return writing.move_to_trash(self._connection, ids)

    def restore(self, ids: Iterable[int]) -> BulkResult:
        return writing.restore(self._connection, ids)

    def notes(self, number: int) -> list[Note]:
        return [note_of(item) for item in self._connection.get(f"/api/documents/{number}/notes/")]

    def add_note(self, number: int, text: str) -> Note:
        """Paperless answers with all notes; the newest has the highest id."""
        path = f"/api/documents/{number}/notes/"
        found = self._connection.send("POST", path, json={"note": text}, repeatable=False)
        return max(map(note_of, found), key=lambda note: note.id)

    def delete_note(self, number: int, note_id: int) -> None:
        path = f"/api/documents/{number}/notes/"
        try:
            self._connection.send("DELETE", path, {"id": note_id})
        except MissingError:
            return

    # --- labels --------------------------------------------------------------------------------

    def tags(self) -> list[Tag]:
        found = labels.tags(self._connection)
        self.names.learn("tags", {tag.id: tag.name for tag in found})
        return found

    def tag(self, number: int) -> Tag | None:
        return labels.tag(self._connection, number)

    def find_tag(self, name: str) -> Tag | None:
        return labels.find_tag(self._connection, name)

    def ensure_tag(self, name: str, *, color: str = "#a6cee3", parent: int | None = None) -> Tag:
        return labels.ensure_tag(self._connection, name, color=color, parent=parent)

    def change_tag(self, number: int, **told: Any) -> Tag:
        return labels.change_tag(self._connection, number, **told)

    def delete_tag(self, number: int) -> None:
        labels.delete(self._connection, "tags", number)

    def correspondents(self) -> dict[int, str]:
        return dict(self.names.of("correspondents"))

    def document_types(self) -> dict[int, str]:
        return dict(self.names.of("document_types"))

    def storage_paths(self) -> dict[int, str]:
        return dict(self.names.of("storage_paths"))

    def users(self) -> dict[int, str]:
        """Nothing where the token may not see who there is."""
        return labels.users(self._connection)

    def custom_fields(self) -> list[CustomField]:
        return labels.custom_fields(self._connection)

    def ensure_custom_field(
        self, name: str, data_type: str, *, options: Sequence[str] = ()
    ) -> CustomField:
        return labels.ensure_custom_field(self._connection, name, data_type, options=options)

    def delete_custom_field(self, number: int) -> None:
        labels.delete(self._connection, "custom_fields", number)

    def saved_views(self) -> list[SavedView]:
        return labels.saved_views(self._connection)

    def create_saved_view(
        self, name: str, tag_ids: Iterable[int], *, fields: Sequence[str] = ()
    ) -> SavedView:
        return labels.create_saved_view(self._connection, name, tag_ids, fields=fields)

    def delete_saved_view(self, number: int) -> None:
        labels.delete(self._connection, "saved_views", number)

    # --- people --------------------------------------------------------------------------------

    def person(self) -> TokenUser:
        """Whose token this is, and what that user may do."""
        try:
            found = self._connection.get("/api/ui_settings/")
        except DeniedError as error:
            if error.status != 403:
                raise
            return TokenUser(None, "")  # the user may not even see its own settings
        user = found["user"]
        return TokenUser(
            id=int(user["id"]),
            username=str(user["username"]),
            is_superuser=bool(user.get("is_superuser")),
            groups=tuple(_group_ids(user.get("groups") or ())),
            permissions=frozenset(map(str, found.get("permissions") or ())),
        )

    def sign_in(self, username: str, password: str, code: str = "") -> str:
        """A person's own token; DeniedError where the password is wrong, ThrottledError where it
        was tried too often."""
        return self._connection.sign_in(username, password, code)

    # --- files ---------------------------------------------------------------------------------

    def thumbnail(self, number: int) -> AbstractContextManager[FileStream]:
        return self._connection.stream(f"/api/documents/{number}/thumb/")

    def preview(self, number: int) -> AbstractContextManager[FileStream]:
        return self._connection.stream(f"/api/documents/{number}/preview/")

    def is_encrypted(self, number: int) -> bool:
        """Whether the file, a PDF, is. What says so is never encrypted or compressed itself."""
        last, size = b"", 0
        path = f"/api/documents/{number}/download/"
        with self._connection.stream(path, {"original": "true"}) as file:
            for chunk in file.chunks:
                if _ENCRYPTED in last + chunk:
                    return True
                last, size = chunk[-len(_ENCRYPTED) :], size + len(chunk)
                if size > _MOST_BYTES:
                    break
        return False

    def upload(
        self, file_name: str, data: bytes, *, mime_type: str = "text/plain", **form: Any
    ) -> str:
        """The id of the task that consumes it."""
        files = {"document": (file_name, data, mime_type)}
        path = "/api/documents/post_document/"
        return str(self._connection.send("POST", path, form=form, files=files, repeatable=False))

    def task(self, task_id: str) -> Mapping[str, Any] | None:
        """`status` in lower case, whatever the version; the rest as Paperless tells it."""
        found = self._connection.get("/api/tasks/", {"task_id": task_id})
        tasks = found.get("results", []) if isinstance(found, Mapping) else found or []
        for task in tasks:
            if task.get("task_id") == task_id:
                return {**task, "status": str(task.get("status", "")).lower()}
        return None


def _group_ids(groups: Iterable[Any]) -> Iterator[int]:
    """Numbers, or objects that have one."""
    for group in groups:
        yield int(group["id"] if isinstance(group, Mapping) else group)
