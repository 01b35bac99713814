"""What every page shows, as values: the page renders them, the API sends them as they are.

Each page's own values stand with the page's module (views_queue.py, pair.py, progress.py ...).
Times are ISO 8601 in UTC, shares lie between 0 and 1, `address` is a document's page in Paperless.
Texts (titles, names, texts of documents) are what people wrote: whoever shows them escapes them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Card:
    """One document, as much of it as a list shows. Titles are cut at 300 characters."""

    id: int
    title: str
    correspondent: str | None
    document_type: str | None
    created: str | None
    added: str | None
    pages: int | None
    bytes: int | None
    #: The one to keep of its group; the newest of a version chain; the whole that has the part.
    is_primary: bool
    address: str


@dataclass(frozen=True, slots=True)
class Count:
    name: str
    count: int
