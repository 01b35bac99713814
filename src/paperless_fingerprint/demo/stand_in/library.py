"""What the stand-in keeps in memory: documents, versions, the trash, labels, people, tasks.

Whoever changes something holds `lock`. Tests and the demo may call the methods directly, which is
how a library of a hundred thousand documents is made without as many uploads.
"""

from __future__ import annotations

import hashlib
import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from typing import Any

from paperless_fingerprint.demo.stand_in.pdf import locked, pdf_of
from paperless_fingerprint.demo.stand_in.people import Owned, People
from paperless_fingerprint.model import Document

Clock = Callable[[], datetime]
PDF = "application/pdf"
_PLAIN = {"", ".txt"}


def moment_text(moment: datetime) -> str:
    """Always with microseconds, so that text sorts as time does."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@dataclass(slots=True, eq=False)
class Row(Owned):
    """A document, or a later version of one (then `root` is the document's id)."""

    id: int
    title: str
    content: str
    created: str
    added: str
    modified: str
    tags: list[int] = field(default_factory=list)
    correspondent: int | None = None
    document_type: int | None = None
    storage_path: int | None = None
    archive_serial_number: int | None = None
    original_file_name: str | None = None
    page_count: int | None = None
    mime_type: str = "text/plain"
    checksum: str = ""
    size: int = 0
    data: bytes | None = None
    notes: list[dict[str, Any]] = field(default_factory=list)
    #: In the order in which they were set, as Paperless lists them.
    custom_fields: dict[int, Any] = field(default_factory=dict)
    deleted_at: str | None = None
    root: int | None = None
    version_label: str | None = None

    def file(self) -> bytes:
        return self.data if self.data is not None else self.content.encode()

    def shown_file(self) -> tuple[bytes, str]:
        """What is looked at, and its kind: a PDF with the text where the name does not say that it
        was plain text. That is what Paperless makes of scans and letters for its archive."""
        if (
            self.mime_type != "text/plain"
            or PurePath(self.original_file_name or "").suffix in _PLAIN
        ):
            return self.file(), self.mime_type
        return pdf_of(self.content, self.page_count), PDF


@dataclass(slots=True, eq=False)
class Label(Owned):
    """A tag, correspondent, document type or storage path."""

    id: int
    name: str
    matching_algorithm: int = 1
    match: str = ""
    is_insensitive: bool = True
    color: str = "#a6cee3"
    is_inbox_tag: bool = False
    parent: int | None = None


@dataclass(slots=True, eq=False)
class CustomField:
    id: int
    name: str
    data_type: str
    extra_data: dict[str, Any] | None = None


def is_locked(document: Document) -> bool:
    """A PDF that Paperless could not open: it knows neither its text nor its pages."""
    name = document.original_filename or ""
    return name.endswith(".pdf") and not document.content and document.page_count is None


def as_row(document: Document, label: Callable[[str, str], int]) -> dict[str, Any]:
    """What Library.add() takes of it; `label` tells the id of a kind and a name."""
    known = {
        "added": document.added,
        "checksum": document.checksum,
        "size": document.file_size,
        "correspondent": document.correspondent and label("correspondents", document.correspondent),
        "document_type": document.document_type and label("document_types", document.document_type),
    }
    return {
        "id": document.id,
        "title": document.title,
        "created": (document.created or "")[:10] or None,
        "page_count": document.page_count,
        "archive_serial_number": document.archive_serial_number,
        "tags": [label("tags", name) for name in document.tags],
        "view_users": {int(who) for who in document.viewers if not who.startswith("group:")},
        "view_groups": {int(who[6:]) for who in document.viewers if who.startswith("group:")},
        **{name: value for name, value in known.items() if value not in {None, ""}},
    }


class Library:
    def __init__(
        self,
        *,
        major: int = 3,
        modified_delay_seconds: float = 0.0,
        clock: Clock = lambda: datetime.now(UTC),
    ) -> None:
        self.major = major
        self.version = "3.0.5" if major >= 3 else "2.20.6"
        self.api_versions = (9, 10) if major >= 3 else tuple(range(1, 10))
        #: How long after a bulk edit a background task touches `modified` of what it changed.
        self.modified_delay_seconds = modified_delay_seconds
        self.clock = clock
        self.lock = threading.RLock()
        self.people = People()
        self.documents: dict[int, Row] = {}
        self.versions: dict[int, Row] = {}
        self.trash: dict[int, Row] = {}
        self.labels: dict[str, dict[int, Label]] = {
            "tags": {},
            "correspondents": {},
            "document_types": {},
            "storage_paths": {},
        }
        self.fields: dict[int, CustomField] = {}
        self.views: dict[int, dict[str, Any]] = {}
        self.ui_settings: dict[int, dict[str, Any]] = {}
        self.tasks: list[dict[str, Any]] = []
        self._numbers: dict[str, Iterator[int]] = {}
        self._to_touch: list[tuple[datetime, list[int]]] = []
        self._last_moment = datetime.min.replace(tzinfo=UTC)

    def number(self, kind: str) -> int:
        """Ids are never used twice, not even after the trash has been emptied."""
        return next(self._numbers.setdefault(kind, itertools.count(1)))

    def now(self) -> datetime:
        """Strictly increasing where the clock is: two changes never share a microsecond."""
        moment = self.clock()
        if moment == self._last_moment:
            moment += timedelta(microseconds=1)
        self._last_moment = moment
        return moment

    def now_text(self) -> str:
        return moment_text(self.now())

    # --- modified ------------------------------------------------------------------------------

    def touch(self, row: Row) -> None:
        row.modified = self.now_text()

    def touch_later(self, ids: Iterable[int]) -> None:
        """Bulk edits change the documents at once and their `modified` a moment later."""
        due = self.clock() + timedelta(seconds=self.modified_delay_seconds)
        self._to_touch.append((due, list(ids)))
        if self.modified_delay_seconds <= 0:
            self.settle()

    def settle(self, *, everything: bool = True) -> None:
        """Let the background tasks run whose time has come, or all of them."""
        with self.lock:
            waiting, self._to_touch = self._to_touch, []
            for due, ids in waiting:
                if everything or due <= self.clock():
                    for number in ids:
                        row = self.documents.get(number)
                        if row is not None:
                            self.touch(row)
                else:
                    self._to_touch.append((due, ids))

    # --- documents -----------------------------------------------------------------------------

    def checksum(self, data: bytes) -> str:
        if self.major >= 3:
            return hashlib.sha256(data).hexdigest()
        return hashlib.md5(data, usedforsecurity=False).hexdigest()

    def add(
        self,
        content: str,
        *,
        title: str = "",
        data: bytes | None = None,
        created: str | None = None,
        root: int | None = None,
        **more: Any,
    ) -> Row:
        """A new document, or with `root` a new version of one."""
        with self.lock:
            number = more.pop("id", None) or self.number("document")
            while number in self.documents or number in self.versions or number in self.trash:
                number = self.number("document")
            now = self.now_text()
            file = data if data is not None else content.encode()
            more.setdefault("checksum", self.checksum(file))
            more.setdefault("size", len(file))
            more.setdefault("added", now)
            more.setdefault("modified", now)
            row = Row(number, title, content, created or now[:10], data=data, root=root, **more)
            if root is None:
                self.documents[number] = row
            else:
                self.versions[number] = row
                self.touch(self.documents[root])
            return row

    def load(self, documents: Iterable[Document]) -> None:
        """Documents of a sample library, with their ids, labels and dates."""
        with self.lock:
            known: dict[tuple[str, str], int] = {
                (kind, label.name): label.id
                for kind, labels in self.labels.items()
                for label in labels.values()
            }

            def label(kind: str, name: str) -> int:
                if (kind, name) not in known:
                    known[kind, name] = self.add_label(kind, name).id
                return known[kind, name]

            for document in documents:
                more = as_row(document, label)
                if document.modified:
                    more["modified"] = document.modified
                if is_locked(document):
                    more |= {"data": locked(pdf_of("")), "mime_type": PDF}
                self.add(
                    document.content,
                    original_file_name=document.original_filename,
                    owner=int(document.owner) if document.owner is not None else None,
                    **more,
                )

    def versions_of(self, row: Row) -> list[Row]:
        """Newest first, the document itself last."""
        later = [version for version in self.versions.values() if version.root == row.id]
        return [*sorted(later, key=lambda version: -version.id), row]

    def current(self, row: Row) -> Row:
        """The version whose text and file a document shows."""
        return self.versions_of(row)[0] if self.versions else row

    def exists(self, number: int) -> bool:
        """For bulk calls, which take the id of a version row and do nothing with it."""
        return number in self.documents or number in self.versions

    def add_label(self, kind: str, name: str, **more: Any) -> Label:
        with self.lock:
            label = Label(self.number(kind), name, **more)
            self.labels[kind][label.id] = label
            return label
