"""The sample library.

`sample/catalogue.toml` lists the documents, and what they are meant to be to each other (tests hold
the program to that); the files beside it hold their texts. Everything is read from the package, so
the demo works from a wheel and without a network.
"""

from __future__ import annotations

import hashlib
import textwrap
import tomllib
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from paperless_fingerprint.demo.damage import scan
from paperless_fingerprint.model import Document


def sample_library() -> list[Document]:
    entries = {entry["id"]: entry for entry in catalogue()["document"]}
    return [_make_document(entry, entries) for entry in entries.values()]


@cache
def catalogue() -> dict[str, Any]:
    return tomllib.loads(_read("catalogue.toml"))


@cache
def _read(name: str) -> str:
    return (files("paperless_fingerprint.demo") / "sample" / name).read_text(encoding="utf-8")


def _make_document(entry: dict[str, Any], entries: dict[int, dict[str, Any]]) -> Document:
    origin = entries[entry["like"]] if "like" in entry else entry
    content = _make_content(entry, origin)
    file = entries[entry["file_of"]] if "file_of" in entry else entry
    created = datetime.fromisoformat(entry["created"])
    # Letters are put into Paperless some days after they were written, at the kitchen table in the
    # evening; derived from the id so that no two arrive in the same second.
    added = created + timedelta(days=entry["id"] % 4, hours=18, minutes=entry["id"] % 50)
    return Document(
        id=entry["id"],
        title=entry["title"],
        content=content,
        correspondent=entry.get("correspondent"),
        document_type=entry.get("type"),
        created=entry["created"],
        added=f"{added.isoformat()}Z",
        modified=f"{added.isoformat()}Z",
        tags=tuple(entry["tags"]),
        original_filename=entry["file"],
        # Paperless cannot count the pages of what it cannot open.
        page_count=None if entry.get("encrypted") else entry.get("pages", 1),
        # Files are never a round number of kilobytes.
        file_size=file["size_kb"] * 1024 + file["id"] * 37 % 1024,
        checksum=hashlib.sha256(f"{file['file']}\n{content}".encode()).hexdigest(),
        archive_serial_number=entry.get("asn"),
        owner=entry.get("owner"),
        viewers=tuple(entry.get("viewers", ())),
    )


def _make_content(entry: dict[str, Any], origin: dict[str, Any]) -> str:
    if not origin["text"]:
        return ""
    text = _assemble(origin["text"])
    if "fill" in origin:
        text = text.format_map(origin["fill"])
    for old, new in origin.get("edits", ()):
        if text.count(old) != 1:
            raise ValueError(f"document {entry['id']}: {old!r} should occur once in the text")
        text = text.replace(old, new)
    if "layout" in entry:
        text = _LAYOUTS[entry["layout"]](text)
    if "scan" in entry:
        text = scan(text, **entry["scan"])
    return text.strip()


def _assemble(name: str, quote: str = "") -> str:
    """A text with the others that it includes as they are, or quotes as e-mail does."""
    lines: list[str] = []
    for line in _read(f"{name}.txt").splitlines():
        directive, _, other = line.partition(" ")
        if directive == "@include":
            lines += _assemble(other).splitlines()
        elif directive == "@quote":
            lines += _assemble(other, "> ").splitlines()
        else:
            lines.append(line)
    return "\n".join(f"{quote}{line}".rstrip() for line in lines)


def _flow(text: str) -> str:
    """As a mail program sends it on: one long line a paragraph."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _mark_down(text: str) -> str:
    """As it comes out of a converter: a heading, other line breaks."""
    first, _, rest = text.partition("\n")
    paragraphs = (
        textwrap.fill(" ".join(paragraph.split()), 72, break_on_hyphens=False)
        for paragraph in rest.split("\n\n")
    )
    return f"# **{first}**\n\n" + "\n\n".join(paragraphs)


_LAYOUTS = {"flowing": _flow, "markdown": _mark_down}
