"""How much of two texts is compared: what a comparison takes grows with the product of their lengths.

A letter is looked for in a thousand pages, and two books are compared by their beginnings.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2s

from paperless_fingerprint.model import Document

#: Two hundred pages: two texts of that length take seconds and 100 MB, and no pair more than these.
BOTH_CHARACTERS = 400_000
#: A thousand pages.
MOST_CHARACTERS = 2_000_000


def within_budget(a: Document, b: Document) -> tuple[Document, Document]:
    """The two as they are compared."""
    shorter = min(len(a.content), len(b.content), BOTH_CHARACTERS)
    longest = min(BOTH_CHARACTERS**2 // max(shorter, 1), MOST_CHARACTERS)
    return beginning(a, longest), beginning(b, longest)


def beginning(document: Document, most: int) -> Document:
    """Of endless texts only the beginning, and said to be that: two that are the same up to here
    are not the same."""
    content = document.content
    if len(content) <= most:
        return document
    digest = blake2s(content.encode(errors="replace")).hexdigest()
    return replace(document, content=f"{content[:most]} {digest}")
