"""What a message says: no text of a document, and of titles, ids and links what the setting says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paperless_fingerprint.integration.feedback.plan import compare_address
from paperless_fingerprint.integration.notify.outbox import Find
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import mark, ngettext
from paperless_fingerprint.settings.registry import Settings

_MOST_DOCUMENTS = 100
_TITLE_CHARACTERS = 120
_IN_WORDS = {
    "exact": mark("%(name)s is an exact copy of %(others)s"),
    "near": mark("%(name)s is a copy or re-scan of %(others)s"),
    "version": mark("%(name)s is another version of %(others)s"),
    "contains": mark("%(name)s is a part of %(others)s, or contains it"),
    "semantic": mark("%(name)s has the same meaning as %(others)s"),
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
        return _("A test of paperless-fingerprint")
    return ngettext("%(num)s new duplicate", "%(num)s new duplicates", int(body["count"]))


def words_of(body: Mapping[str, Any]) -> str:
    """For people, one line a document; plain text, whatever a title looks like."""
    if body["event"] == "test":
        return _("Messages about new duplicates arrive here.")
    lines = [_line(document) for document in body["documents"]]
    left = int(body["count"]) - len(lines)
    if left and lines:
        lines.append(ngettext("And %(num)s more.", "And %(num)s more.", left))
    if body["page"]:
        lines.append(str(body["page"]))
    return "\n".join(lines) or heading_of(body) + "."


def _line(document: Mapping[str, Any]) -> str:
    name = _("Document %(id)s", id=document["id"])
    if document.get("title"):
        title = " ".join(str(document["title"]).split())
        name += f" ({title[:_TITLE_CHARACTERS]})"
    others = ", ".join(map(str, document["with"])) or _("another document")
    address = document.get("compare") or document.get("paperless")
    tail = f": {address}" if address else ""
    text = _IN_WORDS.get(document["relation"]) or mark("%(name)s belongs to %(others)s")
    return _(text, name=name, others=others) + tail
