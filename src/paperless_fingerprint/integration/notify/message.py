"""What a message says: no text of a document, and of titles, ids and links what the setting says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paperless_fingerprint.integration.feedback.plan import compare_address
from paperless_fingerprint.integration.notify.outbox import Find
from paperless_fingerprint.settings.registry import Settings

_MOST_DOCUMENTS = 100
_TITLE_CHARACTERS = 120
_IN_WORDS = {
    "exact": "is an exact copy of",
    "near": "is a copy or re-scan of",
    "version": "is another version of",
    "contains": "is a part of, or contains,",
    "semantic": "says the same as",
}


def body_of(settings: Settings, finds: Sequence[Find], id: str, at: str) -> dict[str, Any]:
    """As JSON; `documents` is empty where only their number may be told."""
    shown = () if settings.notify.tell == "count" else finds[:_MOST_DOCUMENTS]
    page = settings.service.public_url
    return {
        "event": "duplicates.found",
        "id": id,
        "at": at,
        "count": len(finds),
        "documents": [_document(settings, find) for find in shown],
        "page": f"{page.rstrip('/')}/review" if page else None,
    }


def _document(settings: Settings, find: Find) -> dict[str, Any]:
    told: dict[str, Any] = {"id": find.id, "relation": find.relation, "with": list(find.others)}
    if settings.notify.tell == "titles":
        told["title"] = find.title[:300]
    if settings.service.public_url:
        told["compare"] = compare_address(settings, find.id)
    paperless = settings.paperless.public_url or settings.paperless.url
    if paperless:
        told["paperless"] = f"{paperless.rstrip('/')}/documents/{find.id}/details"
    return told


def test_body(id: str, at: str) -> dict[str, Any]:
    return {"event": "test", "id": id, "at": at, "count": 0, "documents": [], "page": None}


def heading_of(body: Mapping[str, Any]) -> str:
    if body["event"] == "test":
        return "A test of paperless-fingerprint"
    count = int(body["count"])
    return "1 new duplicate" if count == 1 else f"{count:,} new duplicates"


def words_of(body: Mapping[str, Any]) -> str:
    """For people, one line a document; plain text, whatever a title looks like."""
    if body["event"] == "test":
        return "Messages about new duplicates arrive here."
    lines = [_line(document) for document in body["documents"]]
    left = int(body["count"]) - len(lines)
    if left and lines:
        lines.append(f"And {left:,} more.")
    if body["page"]:
        lines.append(str(body["page"]))
    return "\n".join(lines) or heading_of(body) + "."


def _line(document: Mapping[str, Any]) -> str:
    name = f"Document {document['id']}"
    if document.get("title"):
        title = " ".join(str(document["title"]).split())
        name += f" ({title[:_TITLE_CHARACTERS]})"
    others = ", ".join(map(str, document["with"])) or "another document"
    address = document.get("compare") or document.get("paperless")
    tail = f": {address}" if address else ""
    return f"{name} {_IN_WORDS.get(document['relation'], 'belongs to')} {others}{tail}"
