"""What is asked of a search, and what it answers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from paperless_fingerprint.fingerprints.shingles import Overlap
from paperless_fingerprint.query.cursor import Cursor
from paperless_fingerprint.query.searcher import Row, Scope


@dataclass(frozen=True, slots=True)
class Request:
    query: str
    scope: Scope = field(default_factory=Scope)
    #: None: everything (of likeness the best VERIFIED_AT_MOST).
    limit: int | None = None
    offset: int = 0
    #: Where the page before ended: Answer.next.
    after: str = ""
    sort: str = "best"
    verify_all: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    id: int
    uuid: str
    title: str
    #: Exact; None without a term of likeness.
    jaccard: float | None
    #: The share of the source's shingles found in the hit.
    containment: float | None
    reverse_containment: float | None
    distance: float | None
    is_latest: bool
    #: What it was ranked by: the exact figure, or the words' score as the store tells it.
    score: float | None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Answer:
    hits: tuple[Hit, ...]
    total: int
    #: False: there are at least so many.
    total_is_exact: bool
    #: For Request.after; empty on the last page.
    next: str = ""
    #: Sentences for people: an id that is not known, candidates that were not verified.
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Page:
    """What was gathered for one answer."""

    hits: list[Hit]
    total: int = 0
    #: The total is not only a lower bound.
    complete: bool = True
    #: More candidates than are verified.
    capped: bool = False
    cursor: Cursor | None = None


def hit_of(row: Row, figures: Overlap | None, score: float | None) -> Hit:
    if figures is None:
        return Hit(row.id, row.uuid, row.title, None, None, None, None, row.is_latest, score)
    return Hit(
        id=row.id,
        uuid=row.uuid,
        title=row.title,
        jaccard=round(figures.jaccard, 6),
        containment=round(figures.containment_ab, 6),
        reverse_containment=round(figures.containment_ba, 6),
        distance=round(1 - figures.jaccard, 6),
        is_latest=row.is_latest,
        score=score,
    )
