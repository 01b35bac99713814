"""What a search wants of a store. Each store translates the tree in its own library/search.py.

    Searcher
    ├── stores.sqlite.search.SqliteSearcher
    └── stores.elasticsearch.search.ElasticsearchSearcher

Every method takes a Scope and never lets out anything beyond it: who may not view a document
learns nothing of it, neither from hits nor from counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from paperless_fingerprint.fingerprints.shingles import Hashes
from paperless_fingerprint.query.plan import SketchQuery
from paperless_fingerprint.query.scope import TIME_LIMIT_SECONDS, Asker, Scope, SearchTooLongError
from paperless_fingerprint.query.tree import Node

__all__ = [
    "TIME_LIMIT_SECONDS", "Asker", "Found", "Listed", "Order", "OrderBy", "Place", "Row", "Scope",
    "SearchTooLongError", "Searcher",
]  # fmt: skip


class OrderBy(StrEnum):
    #: Words as the store scores them.
    SCORE = "score"
    ID = "id"
    CREATED = "created"
    ADDED = "added"
    PAGES = "pages"


@dataclass(frozen=True, slots=True)
class Order:
    by: OrderBy = OrderBy.SCORE
    descending: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """A place in an ordered list: the value that it is ordered by, then the id, ascending."""

    value: float | str
    id: int

    def is_behind(self, other: Place) -> bool:
        """In a list of scores, the highest first."""
        return (-float(self.value), self.id) > (-float(other.value), other.id)


@dataclass(frozen=True, slots=True)
class Row:
    """What is shown of a document, and what is verified."""

    id: int
    uuid: str
    title: str
    is_latest: bool
    text: str
    created: str | None = None
    added: str | None = None
    page_count: int | None = None
    owner: str | None = None
    viewers: tuple[str, ...] = ()
    #: How many distinct shingles the text has, counted when it came, and by which spec.
    shingles: int | None = None
    spec: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    id: int
    #: What it is ordered by; for candidates the estimated share.
    value: float | str
    score: float | None = None
    #: Where the store gave it along.
    row: Row | None = None

    @property
    def place(self) -> Place:
        return Place(self.value, self.id)


@dataclass(frozen=True, slots=True)
class Listed:
    """The documents of a page, and how many there are on all pages, where the store has counted
    them on its way."""

    found: list[Found]
    total: int | None = None


class Searcher(Protocol):
    def begin(self) -> None:
        """From here on a search sees all that was acknowledged before."""

    def rows(self, ids: Collection[int], *, with_texts: bool = True) -> dict[int, Row]:
        """Of documents that a search has found; the text is empty unless asked for."""

    def uncommon(self, hashes: Hashes, scope: Scope) -> Hashes:
        """Those that are in no more documents than plan.common_above() allows."""

    def candidates(
        self,
        query: SketchQuery,
        rest: Node | None,
        scope: Scope,
        *,
        after: Place | None = None,
        until: Place | None = None,
        step: int | None = None,
    ) -> Iterator[Found]:
        """Documents that the sketch finds and that `rest` allows, by estimate, best first.

        Those behind `after`, up to and with `until`. Whoever takes only the first ones pays for
        little more; `step` says how many will be looked at together, None that most will be.
        """

    def page(
        self,
        node: Node,
        scope: Scope,
        order: Order,
        *,
        after: Place | None = None,
        excluding: Collection[int] = (),
        limit: int | None = None,
        counting: int = 0,
    ) -> Listed:
        """Documents that the tree describes (no Alike is left in it), in that order.

        A store that counts them for little more does so, no further than `counting`.
        """

    def count(self, node: Node, scope: Scope, at_most: int) -> int:
        """How many the tree describes, counting no further than `at_most`."""

    def resembling(self, word: str, scope: Scope) -> list[str]:
        """Words that stand in a document of the scope and contain this one, or are spelled nearly
        like it; some more may be among them."""

    def explain(
        self, query: SketchQuery | None, rest: Node | None, scope: Scope, limit: int
    ) -> dict[str, Any]:
        """The request to the store, ready to be pasted where the store is asked by hand."""

    def close(self) -> None: ...
