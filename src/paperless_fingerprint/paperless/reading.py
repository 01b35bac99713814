"""Whole documents, in bounded memory, with the names of their labels."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from paperless_fingerprint.errors import PaperlessError
from paperless_fingerprint.paperless.connection import Connection
from paperless_fingerprint.paperless.listing import (
    IDS_PER_REQUEST,
    Lists,
    by_ids,
    everything,
    in_chunks,
)
from paperless_fingerprint.paperless.records import (
    DOCUMENT_FIELDS,
    HOLDING_FIELDS,
    Holding,
    Json,
    PaperlessDocument,
    document_of,
    holding_of,
)
from paperless_fingerprint.paperless.refusals import (
    DeniedError,
    MissingError,
    OversizedError,
    UnavailableError,
)

#: Told of a document that could not be read, so that the rest can go on.
OnUnreadable = Callable[[int, PaperlessError], None]
_KEPT_SECONDS = 60.0


class Names:
    """Names of tags, correspondents and types by id, read again when an unknown id turns up, and
    once a minute, because labels are renamed."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._names: dict[str, dict[int, str]] = {}
        self._read_at = time.monotonic()

    def forget(self) -> None:
        """At the start of a long run."""
        with self._lock:
            self._names.clear()
            self._read_at = time.monotonic()

    def learn(self, kind: str, names: dict[int, str]) -> None:
        """What somebody has just read for another reason."""
        with self._lock:
            self._names.setdefault(kind, names)

    def of(self, kind: str) -> dict[int, str]:
        with self._lock:
            now = time.monotonic()
            if now - self._read_at > _KEPT_SECONDS:
                self._names.clear()
                self._read_at = now
            if kind not in self._names:
                self._names[kind] = self._read(kind)
            return self._names[kind]

    def __call__(self, kind: str, number: int) -> str:
        names = self.of(kind)
        if number not in names:
            with self._lock:
                # What is known stays, or two labels that may not be seen would take turns here.
                names = {**names, **self._read(kind)}
                # A label that this user may not see still tells documents apart.
                names.setdefault(number, f"#{number}")
                self._names[kind] = names
        return names[number]

    def _read(self, kind: str) -> dict[int, str]:
        try:
            found = everything(self._connection, f"/api/{kind}/")
        except DeniedError as error:
            if error.status != 403:
                raise
            return {}  # works without: `doctor` says which permission is missing
        # A tag that is shown inside its parent may not be listed on its own.
        names: dict[int, str] = {}
        waiting = list(found)
        while waiting:
            item = waiting.pop()
            names[int(item["id"])] = str(item["name"])
            waiting.extend(item.get("children") or ())
        return names


def _read(
    connection: Connection,
    ids: Sequence[int],
    full_perms: bool,
    on_unreadable: OnUnreadable | None,
) -> dict[int, Json]:
    """One request; or smaller ones, where one document spoils the answer for all."""
    params = {"fields": DOCUMENT_FIELDS, **({"full_perms": "true"} if full_perms else {})}
    try:
        return by_ids(connection, ids, params)
    except UnavailableError as error:
        spoilt = isinstance(error, OversizedError) or error.status == 500
        if not spoilt or not _answers(connection):
            raise
        if len(ids) == 1:
            if on_unreadable is None:
                raise
            on_unreadable(ids[0], error)
            return {}
    half = len(ids) // 2
    return {
        **_read(connection, ids[:half], full_perms, on_unreadable),
        **_read(connection, ids[half:], full_perms, on_unreadable),
    }


def _answers(connection: Connection) -> bool:
    """Whether one document is at fault, and not the whole server."""
    try:
        connection.get("/api/documents/", {"page_size": 1, "fields": "id"})
    except PaperlessError:
        return False
    return True


class Reads(Lists):
    """The part of PaperlessClient that reads documents."""

    names: Names

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
        return self._documents(wanted, full_perms, on_unreadable)

    def _documents(
        self, ids: Iterable[int], full_perms: bool, on_unreadable: OnUnreadable | None
    ) -> Iterator[PaperlessDocument]:
        for chunk in in_chunks(ids, IDS_PER_REQUEST):
            found = _read(self._connection, chunk, full_perms, on_unreadable)
            for number in chunk:
                if number in found:
                    yield document_of(found[number], self.names, full_perms=full_perms)

    def document_of_event(self, number: int) -> PaperlessDocument:
        """For ids from the hook, which may name a later file version of a document."""
        try:
            return self.document(number)
        except MissingError:
            root = self.root_of(number)
            if root == number:
                raise
            return self.document(root)

    def document(self, number: int, *, full_perms: bool = True) -> PaperlessDocument:
        params = {"fields": DOCUMENT_FIELDS, **({"full_perms": "true"} if full_perms else {})}
        found = self._connection.get(f"/api/documents/{number}/", params)
        return document_of(found, self.names, full_perms=full_perms)

    def holdings(self, ids: Iterable[int], *, full_perms: bool = False) -> dict[int, Holding]:
        """What people have given to those of the ids that exist and may be seen: id → it. Either
        who may change each, or with `full_perms` who else may."""
        params = {"fields": HOLDING_FIELDS, **({"full_perms": "true"} if full_perms else {})}
        found: dict[int, Holding] = {}
        for chunk in in_chunks(dict.fromkeys(ids), IDS_PER_REQUEST):
            rows = by_ids(self._connection, chunk, params)
            found.update((id, holding_of(row)) for id, row in rows.items())
        return found

    def root_of(self, number: int) -> int:
        """The document that a version row belongs to; the number itself where it is no such row."""
        try:
            found = self._connection.get(f"/api/documents/{number}/root/")
        except MissingError:
            return number  # before version 3 there are no versions and no such path
        return int(found["root_id"])

    def gone_ids(self, ids: Iterable[int]) -> frozenset[int]:
        """Those that are deleted or in the trash. A list leaves out what is hidden as well; of single
        documents Paperless says that they are not to be seen."""
        wanted = frozenset(ids)
        return frozenset(id for id in wanted - self.visible_ids(wanted) if not self._is_hidden(id))

    def _is_hidden(self, id: int) -> bool:
        try:
            self._connection.get(f"/api/documents/{id}/metadata/")
        except MissingError:
            return False
        except DeniedError as error:
            if error.status != 403:
                raise
        return True
