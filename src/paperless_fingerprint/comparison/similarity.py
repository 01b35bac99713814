"""The dimensions of a pair: how alike two documents are, each a figure from 0 to 1 or absent.

A value that one of the two lacks is no evidence either way: the dimension is None, and its
weight is shared out among the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from rapidfuzz import fuzz

from paperless_fingerprint.model import Document, PairScore

#: Characters of each text that the fuzzy comparison looks at, spread over the whole.
FUZZY_SAMPLE_SIZE = 2_000
_SAMPLES = 5
# From this many days apart on, two dates say nothing in favour.
_FAR_DAYS = 90


@dataclass(frozen=True, slots=True)
class Weights:
    jaccard: float = 40.0
    fuzzy: float = 30.0
    metadata: float = 15.0
    title: float = 15.0


def sample(text: str, size: int) -> str:
    """`size` characters of a text: all of it, or pieces from the beginning to the end."""
    if len(text) <= size:
        return text
    piece = max(1, size // _SAMPLES)
    step = (len(text) - piece) / (_SAMPLES - 1)
    return " ".join(text[round(i * step) : round(i * step) + piece] for i in range(_SAMPLES))


def fuzzy_text(a: str, b: str) -> float:
    """How alike two samples read, letter by letter."""
    return fuzz.ratio(a, b) / 100


def title_alike(a: str, b: str) -> float | None:
    if not a.strip() or not b.strip():
        return None
    return fuzz.token_sort_ratio(a.casefold()[:300], b.casefold()[:300]) / 100


def metadata_alike(a: Document, b: Document) -> float | None:
    """Correspondent, type, date and size; only what both have is compared."""
    figures = []
    if a.correspondent and b.correspondent:
        figures.append(float(a.correspondent == b.correspondent))
    if a.document_type and b.document_type:
        figures.append(float(a.document_type == b.document_type))
    days = _days_apart(a.created, b.created)
    if days is not None:
        figures.append(max(0.0, 1 - days / _FAR_DAYS))
    if a.file_size and b.file_size:
        figures.append(min(a.file_size, b.file_size) / max(a.file_size, b.file_size))
    return sum(figures) / len(figures) if figures else None


def _days_apart(a: str | None, b: str | None) -> int | None:
    if not a or not b:
        return None
    try:
        return abs((date.fromisoformat(a[:10]) - date.fromisoformat(b[:10])).days)
    except ValueError:
        return None


def weighted_sum(scores: PairScore, weights: Weights) -> float:
    figures = (
        (scores.jaccard, weights.jaccard),
        (scores.fuzzy, weights.fuzzy),
        (scores.metadata, weights.metadata),
        (scores.title, weights.title),
    )
    present = [(figure, weight) for figure, weight in figures if figure is not None]
    total = sum(weight for _, weight in present)
    return sum(figure * weight for figure, weight in present) / total if total else 0.0
