"""Documents as JSON lines: what `import` reads."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any
from uuid import UUID

import orjson

from paperless_fingerprint.model import MAX_DOCUMENT_ID, Document

#: Longer lines are refused. It leaves room for a text of 50 MB, however it is escaped.
MAX_LINE_BYTES = 512 * 1024 * 1024
_READ_BYTES = 1 << 20

# Neither store keeps a NUL or half a surrogate pair; OCR and broken exports leave both.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no document, and why; the rest of the file goes on."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class ReadDocument:
    line: int
    document: Document
    #: Bytes of the file read so far, for showing progress.
    position: int


def read(file: IO[bytes]) -> Iterator[ReadDocument | BadLine]:
    first_lines = _FirstLines()
    number = position = 0
    while line := file.readline(MAX_LINE_BYTES):
        number += 1
        position += len(line)
        if not line.endswith(b"\n") and len(line) == MAX_LINE_BYTES:
            position += _skip_line(file)
            yield BadLine(number, f"the line is longer than {MAX_LINE_BYTES >> 20} MB")
            continue
        if not line.strip():
            continue
        try:
            document = document_from(_parsed(line))
        except ValueError as error:
            yield BadLine(number, str(error))
            continue
        first = first_lines.of(document.id, number)
        if first != number:
            yield BadLine(
                number, f"the id {document.id} stands on line {first} already; that one was taken"
            )
            continue
        yield ReadDocument(number, document, position)


class _FirstLines:
    """On which line each id came first, in 16 bytes an id where they come in their order, as they do
    from an export: a dictionary takes 100."""

    def __init__(self) -> None:
        self._ids, self._lines = array("q"), array("q")
        self._others: dict[int, int] = {}

    def of(self, id: int, line: int) -> int:
        """The line of this id; `line`, and known from now on, where it is new."""
        if not self._ids or id > self._ids[-1]:
            self._ids.append(id)
            self._lines.append(line)
            return line
        place = bisect_left(self._ids, id)
        if self._ids[place] == id:
            return self._lines[place]
        return self._others.setdefault(id, line)


def _skip_line(file: IO[bytes]) -> int:
    skipped = 0
    while part := file.readline(_READ_BYTES):
        skipped += len(part)
        if part.endswith(b"\n"):
            break
    return skipped


def _parsed(line: bytes) -> dict[str, Any]:
    value: Any
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            # Slower, but it takes half a surrogate pair, and bytes that are no UTF-8 can be mended.
            value = json.loads(line.decode("utf-8", "replace"))
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"this is not JSON ({error})") from None
    if not isinstance(value, dict):
        raise ValueError("this is JSON, but not an object with 'id' and 'content'")  # noqa: TRY004
    return value


def document_from(value: dict[str, Any]) -> Document:
    """The document of one line; ValueError says what is wrong with it. Unknown keys are ignored."""
    if value.get("id") is None:
        raise ValueError("the document has no 'id'")
    return Document(
        id=_id(value["id"]),
        title=_text(value, "title") or "",
        content=_text(value, "content") or "",
        correspondent=_text(value, "correspondent"),
        document_type=_text(value, "document_type"),
        created=_text(value, "created"),
        added=_text(value, "added"),
        modified=_text(value, "modified"),
        tags=_texts(value, "tags"),
        original_filename=_text(value, "original_filename"),
        page_count=_count(value, "page_count"),
        file_size=_count(value, "file_size"),
        checksum=_text(value, "checksum"),
        uuid=_uuid(value),
        archive_serial_number=_count(value, "archive_serial_number"),
        owner=_text(value, "owner"),
        viewers=_texts(value, "viewers"),
    )


def _id(raw: Any) -> int:
    if isinstance(raw, str) and raw.strip().isascii() and raw.strip().isdigit():
        raw = int(raw) if len(raw) < 20 else -1
    if isinstance(raw, bool) or not isinstance(raw, int) or not 0 < raw <= MAX_DOCUMENT_ID:
        raise ValueError(
            f"'id' is {_short(raw)}, but an id is a whole number from 1 to {MAX_DOCUMENT_ID}"
        )
    return raw


def storable(text: str) -> str:
    return _UNSTORABLE.sub("\ufffd", text) if _UNSTORABLE.search(text) else text


def _text(value: dict[str, Any], name: str) -> str | None:
    raw = value.get(name)
    if raw is None or raw == "":
        return None
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        raise ValueError(f"'{name}' is {_short(raw)}, but it is a text")  # noqa: TRY004
    return storable(str(raw))


def _texts(value: dict[str, Any], name: str) -> tuple[str, ...]:
    raw = value.get(name)
    if raw is None:
        return ()
    if not isinstance(raw, list) or not all(
        isinstance(item, str | int) and not isinstance(item, bool) for item in raw
    ):
        raise ValueError(f"'{name}' is {_short(raw)}, but it is a list of texts")
    return tuple(storable(str(item)) for item in raw)


def _count(value: dict[str, Any], name: str) -> int | None:
    raw = value.get(name)
    if raw is None or raw == "":
        return None
    if isinstance(raw, float) and raw.is_integer():
        raw = int(raw)
    if isinstance(raw, bool) or not isinstance(raw, int) or not 0 <= raw < 2**63:
        raise ValueError(f"'{name}' is {_short(raw)}, but it is a whole number, 0 or more")
    return raw


def _uuid(value: dict[str, Any]) -> str:
    raw = _text(value, "uuid")
    if raw is None:
        return ""
    try:
        return str(UUID(raw))
    except ValueError:
        raise ValueError(f"'uuid' is {_short(raw)}, which is no UUID") from None


def _short(raw: Any) -> str:
    text = json.dumps(raw, ensure_ascii=True, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
