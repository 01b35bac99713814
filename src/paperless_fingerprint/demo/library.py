"""The sample library, and what its documents are meant to be to each other.

`sample/catalogue.toml` lists the documents, the files beside it hold their texts. Everything is
read from the package, so the demo works from a wheel and without a network.
"""

from __future__ import annotations

import hashlib
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from itertools import combinations, product
from typing import Any

from paperless_fingerprint.demo.damage import scan
from paperless_fingerprint.model import Document, Relation


@dataclass(frozen=True, slots=True)
class _Sample:
    """A document with what the catalogue knows and Paperless does not."""

    document: Document
    #: What it says: documents of one work are copies of each other.
    work: str
    #: The file of the text it was made from: works of one text are forms of one kind.
    text: str


def sample_library() -> list[Document]:
    return [sample.document for sample in _samples()]


def sample_truth() -> dict[tuple[int, int], Relation]:
    """What each pair is meant to be, lower id first.

    A pair that is not named has nothing to do with each other, or holds no text that could say so.
    """
    truth: dict[tuple[int, int], Relation] = {}
    by_work: dict[str, list[_Sample]] = {}
    for sample in _samples():
        by_work.setdefault(sample.work, []).append(sample)

    for one, other in combinations(_samples(), 2):
        a, b = one.document, other.document
        if one.work == other.work:
            same = a.checksum == b.checksum or _words(a) == _words(b)
            truth[a.id, b.id] = Relation.EXACT if same else Relation.NEAR
        elif one.text and one.text == other.text:
            truth[a.id, b.id] = Relation.TEMPLATE
    # After the forms, because versions are written as edits of one text and would count as such.
    for works, relation in _declared():
        for left, right in works:
            for one, other in product(by_work[left], by_work[right]):
                ids = one.document.id, other.document.id
                truth[min(ids), max(ids)] = relation
    return dict(sorted(truth.items()))


def _declared() -> Iterator[tuple[Iterable[tuple[str, str]], Relation]]:
    catalogue = _catalogue()
    for entry in catalogue["versions"]:
        yield combinations(entry["works"], 2), Relation.VERSION
    for entry in catalogue["contains"]:
        yield [(entry["whole"], part) for part in entry["parts"]], Relation.CONTAINS
    for entry in catalogue["translations"]:
        yield combinations(entry["works"], 2), Relation.SEMANTIC


@cache
def _catalogue() -> dict[str, Any]:
    return tomllib.loads(_read("catalogue.toml"))


@cache
def _read(name: str) -> str:
    return (files("paperless_fingerprint.demo") / "sample" / name).read_text(encoding="utf-8")


@cache
def _samples() -> tuple[_Sample, ...]:
    entries = {entry["id"]: entry for entry in _catalogue()["document"]}
    return tuple(_make_sample(entry, entries) for entry in entries.values())


def _make_sample(entry: dict[str, Any], entries: dict[int, dict[str, Any]]) -> _Sample:
    origin = entries[entry["like"]] if "like" in entry else entry
    content = _make_content(entry, origin)
    file = entries[entry["file_of"]] if "file_of" in entry else entry
    created = datetime.fromisoformat(entry["created"])
    # Letters are put into Paperless some days after they were written, at the kitchen table in the
    # evening; derived from the id so that no two arrive in the same second.
    added = created + timedelta(days=entry["id"] % 4, hours=18, minutes=entry["id"] % 50)
    document = Document(
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
    return _Sample(document, origin.get("work", origin["text"]), origin["text"])


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


def _words(document: Document) -> str:
    letters = (c if c.isalnum() else " " for c in document.content.casefold())
    return " ".join("".join(letters).split())
