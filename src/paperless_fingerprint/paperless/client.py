"""Paperless as the rest of the program sees it.

    with PaperlessClient(Connection("http://paperless:8000", token="…")) as paperless:
        for found in paperless.documents(modified_after=last):
            ...

How requests are made, repeated and limited is in `connection.py`. Most methods stand in the parts that
the client is made of: how lists are read although they change in `listing.py`, whole documents in
`reading.py`, how many documents are changed at once in `writing.py`, tags and fields in `labels.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Self

from paperless_fingerprint.paperless.connection import Connection, ServerVersion
from paperless_fingerprint.paperless.labels import Fields, Labels
from paperless_fingerprint.paperless.reading import Names, Reads
from paperless_fingerprint.paperless.records import (
    FileFacts,
    Note,
    TokenUser,
    note_of,
)
from paperless_fingerprint.paperless.refusals import DeniedError, MissingError, StrangeError
from paperless_fingerprint.paperless.transport import FileStream, Limits
from paperless_fingerprint.paperless.writing import BulkResult, Refusal, Writes

__all__ = ["BulkResult", "Limits", "PaperlessClient", "Refusal"]

_ENCRYPTED = b"/Encrypt"
#: More than that is not read of a file to see whether it is encrypted.
_MOST_BYTES = 100 << 20


class PaperlessClient(Reads, Writes, Labels):
    """One Paperless and the user of one token. Safe to share between threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.names = Names(connection)
        self.fields = Fields(self.custom_fields)

    def as_person(self, token: str) -> PaperlessClient:
        """The same Paperless with somebody else's rights; no need to close it."""
        return PaperlessClient(self._connection.for_token(token))

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        return self._connection.url

    def server_version(self) -> ServerVersion:
        return self._connection.version

    # --- one document --------------------------------------------------------------------------

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

    def change_document(self, number: int, **told: Any) -> None:
        """PATCH. Lists are replaced, not merged: for tags and fields use modify_tags() and
        modify_custom_fields()."""
        # Without `?fields=`: it would make Paperless drop what it does not list.
        self._connection.send("PATCH", f"/api/documents/{number}/", json=told)

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

    def storage_paths(self) -> dict[int, str]:
        return dict(self.names.of("storage_paths"))

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


def _group_ids(groups: Iterable[Any]) -> Iterator[int]:
    """Numbers, or objects that have one."""
    for group in groups:
        yield int(group["id"] if isinstance(group, Mapping) else group)
