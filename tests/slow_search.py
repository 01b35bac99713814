"""What a query means, in plain Python over a plain list: an oracle for both stores.

Slow and simple on purpose. It shares the parser and the normalisation with the program, and
nothing else: shingles are tuples of words in a set, patterns are regular expressions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from paperless_fingerprint.model import Document
from paperless_fingerprint.query.language import parse
from paperless_fingerprint.query.searcher import Asker
from paperless_fingerprint.query.tree import (
    Alike,
    And,
    Between,
    Everything,
    Filled,
    Likeness,
    Node,
    Not,
    Or,
    Pattern,
    TextField,
    Words,
)
from paperless_fingerprint.text import normalise as texts


def shingles(text: str, words: int = 3) -> set[tuple[str, ...]]:
    listed = texts.words(text)
    if not listed:
        return set()
    return {tuple(listed[i : i + words]) for i in range(max(1, len(listed) - words + 1))}


def shares(source: str, hit: str) -> dict[Likeness, float]:
    a, b = shingles(source), shingles(hit)
    shared = len(a & b)
    return {
        Likeness.FINGERPRINT: shared / len(a) if a else 0.0,
        Likeness.SIMILAR: shared / len(a | b) if a or b else 0.0,
        Likeness.WITHIN: shared / len(b) if b else 0.0,
    }


class SlowSearch:
    def __init__(
        self,
        documents: Sequence[Document],
        *,
        superseded: frozenset[int] = frozenset(),
        min_words: int = 20,
    ) -> None:
        self._documents = {document.id: document for document in documents}
        self._superseded = superseded
        self._min_words = min_words

    def ids(
        self, query: str, *, asker: Asker | None = None, include_history: bool = False
    ) -> set[int]:
        visible: Mapping[int, Document] = {
            id: document
            for id, document in self._documents.items()
            if asker is None or asker.may_view(document.id, document.owner, document.viewers)
        }
        tree = parse(query)
        return {
            id
            for id, document in visible.items()
            if (include_history or id not in self._superseded)
            and self._is_true(tree, document, visible)
        }

    def _is_true(self, node: Node, document: Document, visible: Mapping[int, Document]) -> bool:
        match node:
            case And(parts):
                return all(self._is_true(part, document, visible) for part in parts)
            case Or(parts):
                return any(self._is_true(part, document, visible) for part in parts)
            case Not(part):
                return not self._is_true(part, document, visible)
            case Everything():
                return True
            case Words(field, wanted):
                run = f" {' '.join(wanted)} "
                return any(run in f" {text} " for text in _texts(document, field))
            case Pattern(field, pattern):
                regex = re.compile(
                    "".join({"*": ".*", "?": "."}.get(c, re.escape(c)) for c in pattern)
                )
                return any(
                    regex.fullmatch(word)
                    for text in _texts(document, field)
                    for word in text.split()
                )
            case Between(attribute, low, high):
                value = {
                    "id": document.id, "created": document.created, "added": document.added,
                    "asn": document.archive_serial_number, "pages": document.page_count,
                    "owner": document.owner,
                }[attribute.value]  # fmt: skip
                return (
                    value is not None
                    and (low is None or value >= low)
                    and (high is None or value < high)
                )
            case Filled(field):
                return any(_texts(document, field))
            case Alike():
                return self._is_alike(node, document, visible)
        raise AssertionError(node)

    def _is_alike(self, term: Alike, document: Document, visible: Mapping[int, Document]) -> bool:
        source = next(
            (d for d in visible.values() if term.source.id == d.id or term.source.uuid == d.uuid),
            None,
        )
        if source is None or source.id == document.id:
            return False
        if any(len(texts.words(d.content)) < self._min_words for d in (source, document)):
            return False
        share = shares(source.content, document.content)[term.likeness]
        return share > 0 and share >= (term.overlap or 0) - 1e-9


def _texts(document: Document, field: TextField) -> list[str]:
    found = {
        TextField.TITLE: document.title,
        TextField.CONTENT: document.content,
        TextField.CORRESPONDENT: document.correspondent or "",
        TextField.TYPE: document.document_type or "",
        TextField.TAG: "\n".join(document.tags),
    }
    chosen = found.values() if field is TextField.ANY else [found[field]]
    return [texts.normalise(text) for text in chosen]
