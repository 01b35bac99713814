"""Running a query: the sketch finds, the texts decide, and only what was verified is shown.

A term of likeness that must be true of every hit (`FINGERPRINT:12_20 AND invoice`) ranks: its
candidates come from the store by estimate, best first, in blocks; a block's texts are compared
with the source's, what falls short is dropped, the rest is put in exact order. So ten hits cost
one block of texts, however many candidates there are. Every other term of likeness is turned into
the set of documents that it is true of before the store sees the query; where candidates are left
unverified they are neither shown nor counted, and the total is an 'at least'.

Pages go on from the place where the last one ended (Cursor), so a document that is written in
between moves nothing from one page to another.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.fingerprint import (
    FingerprintSpec,
    Overlap,
)
from paperless_fingerprint.query.cursor import Cursor
from paperless_fingerprint.query.explanation import explained
from paperless_fingerprint.query.language import parse
from paperless_fingerprint.query.likeness import (
    VERIFIED_AT_MOST,
    Comparer,
    Meanings,
    Term,
    Verified,
    share,
)
from paperless_fingerprint.query.plan import (
    Source,
)
from paperless_fingerprint.query.searcher import (
    Found,
    Order,
    OrderBy,
    Place,
    Row,
    Scope,
    Searcher,
)
from paperless_fingerprint.query.tree import (
    Alike,
    And,
    Ids,
    Likeness,
    Node,
    Not,
    Reference,
    conjuncts,
    leaves,
)
from paperless_fingerprint.stores.base import Store

#: Verified at once for a short page; within a block the order is exact. The smallest that is
#: twice the page, or the largest.
BLOCKS = (32, 64)
#: Texts read for one short page. Where so many candidates fall short, the page ends before it is
#: full, and the next one goes on from there; less is done for who asks for speed by giving a
#: probability.
PAGE_CHARACTERS = 1_000_000
QUICK_PAGE_CHARACTERS = 300_000
#: Hits of a query without likeness are counted up to here.
COUNTED_AT_MOST = 10_000
_ROWS_AT_ONCE = 64

#: What hits can be sorted by: the store's order, or None for a figure.
SORTS: Mapping[str, Order | None] = {
    "best": Order(OrderBy.SCORE),
    "containment": None,
    "jaccard": None,
    "within": None,
    "id": Order(OrderBy.ID, descending=False),
    "created": Order(OrderBy.CREATED),
    "added": Order(OrderBy.ADDED),
    "pages": Order(OrderBy.PAGES),
}


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
class _Page:
    """What a flow has gathered."""

    hits: list[Hit]
    total: int = 0
    #: The total is not only a lower bound.
    complete: bool = True
    #: More candidates than are verified.
    capped: bool = False
    cursor: Cursor | None = None


class Search:
    """Runs queries on one library. Keeps figures it has computed; safe to share by threads."""

    def __init__(
        self,
        store: Store,
        searcher: Searcher,
        spec: FingerprintSpec,
        meanings: Meanings | None = None,
    ) -> None:
        self._searcher = searcher
        self._spec = spec
        self._comparer = Comparer(store, searcher, spec, meanings)

    def run(self, request: Request) -> Answer:
        order = _checked(request)
        deadline = time.monotonic() + request.scope.time_limit_seconds
        self._searcher.begin()
        notes: list[str] = []
        tree, terms = self._comparer.resolved(parse(request.query), request.scope, notes)
        ranking = _ranking_term(tree, terms)
        tree, complete, known = self._comparer.as_sets(
            tree, terms, ranking, request.scope, verify_all=request.verify_all, deadline=deadline
        )
        if ranking is not None:
            page = self._ranked(ranking, tree, request, deadline)
        else:
            page = self._unranked(tree, terms, known, request, order)
        if page.capped or not complete:
            notes.append(
                f"More than {VERIFIED_AT_MOST:,} candidates: the best of them were verified. "
                "--all (in the API all=true) verifies every one."
            )
        token = page.cursor.token(request.query, request.sort) if page.cursor else ""
        return Answer(tuple(page.hits), page.total, page.complete and complete, token, tuple(notes))

    def explain(self, request: Request) -> dict[str, Any]:
        """What the store would be asked, and how surely each share is found."""
        _checked(request)
        deadline = time.monotonic() + request.scope.time_limit_seconds
        self._searcher.begin()
        notes: list[str] = []
        tree, terms = self._comparer.resolved(parse(request.query), request.scope, notes)
        ranking = _ranking_term(tree, terms)
        tree, _, known = self._comparer.as_sets(
            tree, terms, ranking, request.scope, verify_all=request.verify_all, deadline=deadline
        )
        limit = min(VERIFIED_AT_MOST if request.limit is None else request.limit, VERIFIED_AT_MOST)
        asked = self._searcher.explain(
            ranking.query if ranking else None,
            _without(tree, ranking.alike) if ranking else tree,
            request.scope,
            limit,
        )
        return {
            "query": request.query,
            "terms": [
                {
                    "term": request.query[term.alike.span.start : term.alike.span.end],
                    **explained(term.alike, term.source, term.query),
                    "hits_put_into_the_query": None if alike not in known else len(known[alike]),
                }
                for alike, term in terms.items()
            ],
            "request": asked,
            "notes": notes,
        }

    # A term that ranks ---------------------------------------------------------------------

    def _ranked(self, term: Term, tree: Node, request: Request, deadline: float) -> _Page:
        rest = _without(tree, term.alike)
        size = _block_size(request)
        cursor = Cursor.read(request.after, request.query, request.sort)
        start, end, last = cursor.start, cursor.end, cursor.last
        examined, before = cursor.examined, cursor.hits
        skip, page = request.offset, _Page([], total=before)
        budget = _budget(request, term, size)
        candidates = self._searcher.candidates(
            term.query,
            rest,
            request.scope,
            after=start,
            until=end,
            step=None if _is_long(size) else size,
        )
        while True:
            found = list(candidates) if end is not None else list(islice(candidates, size))
            verified, characters = self._comparer.verified(term, found, request.scope, deadline)
            block = _in_order(verified, term, request.sort)
            budget -= characters
            page.total += len(block)
            shown = [one for one in block if last is None or _is_behind(one[0], last, request.sort)]
            hidden, skip = shown[:skip], max(0, skip - len(shown))
            shown = shown[len(hidden) :]
            room = None if request.limit is None else request.limit - len(page.hits)
            taken = shown if room is None else shown[:room]
            page.hits += [_ranked_hit(one, term) for _, one in taken]
            # A resumed block ends where it ended before, and what was written since joins it.
            stop = end or (found[-1].place if found else start)
            was_last = end is None and (size is None or len(found) < size)
            final = was_last or (end is not None and cursor.final)
            if len(taken) < len(shown):
                place = taken[-1][0] if taken else last
                counted = page.total - len(block)
                page.cursor = Cursor(start, stop, place, examined, counted, final)
                page.complete = final
                return page
            examined += len(found)
            if end is not None:
                candidates = self._searcher.candidates(
                    term.query,
                    rest,
                    request.scope,
                    after=stop,
                    step=None if _is_long(size) else size,
                )
            start, end, last = stop, None, None
            if was_last:
                return page
            if not request.verify_all and examined >= VERIFIED_AT_MOST:
                page.complete, page.capped = False, True
                return page
            if (room is not None and len(taken) >= room) or budget <= 0:
                page.cursor = Cursor(start, None, None, examined, page.total)
                page.complete = False
                return page

    # No term that ranks --------------------------------------------------------------------

    def source(self, reference: Reference, scope: Scope, notes: list[str]) -> Source | None:
        """The document that a query names, if the asker may view it; otherwise a note."""
        return self._comparer.source(reference, scope, notes)

    def _unranked(
        self,
        tree: Node,
        terms: Mapping[Alike, Term],
        known: Mapping[Alike, Mapping[int, Overlap]],
        request: Request,
        order: Order | None,
    ) -> _Page:
        first = next(
            (
                terms[leaf]
                for leaf, positive in leaves(parse(request.query))
                if positive and isinstance(leaf, Alike) and leaf in terms
            ),
            None,
        )
        cursor = Cursor.read(request.after, request.query, request.sort)
        page = _Page([])
        page.total = self._searcher.count(tree, request.scope, COUNTED_AT_MOST)
        page.complete = page.total < COUNTED_AT_MOST
        wanted = None if request.limit is None else request.offset + request.limit + 1
        if order is not None and order.by is not OrderBy.SCORE:
            found = self._searcher.page(tree, request.scope, order, after=cursor.last, limit=wanted)
        else:
            found = self._by_score(tree, first, known, request, cursor.seen, wanted)
        found = found[request.offset :]
        shown = found if request.limit is None else found[: request.limit]
        page.hits = self._shown(shown, first, request.scope)
        if len(shown) < len(found) and shown:
            by_score = order is None or order.by is OrderBy.SCORE
            page.cursor = (
                Cursor(seen=cursor.seen | {one.id for one in shown})
                if by_score
                else Cursor(last=shown[-1].place)
            )
        return page

    def _by_score(
        self,
        tree: Node,
        first: Term | None,
        known: Mapping[Alike, Mapping[int, Overlap]],
        request: Request,
        seen: frozenset[int],
        wanted: int | None,
    ) -> list[Found]:
        """Words' scores change with every write, so pages tell what was seen, not a place.

        What the first term of likeness is true of comes first, then what the words found.
        """
        order = Order(OrderBy.SCORE)
        scope, searcher = request.scope, self._searcher
        if first is None or not known.get(first.alike):
            return searcher.page(tree, scope, order, excluding=seen, limit=wanted)
        figures = known[first.alike]
        members = Ids(frozenset(figures), first.alike.span)
        sort = request.sort if request.sort in _FIGURES else None
        found = searcher.page(And((tree, members)), scope, Order(OrderBy.ID, descending=False))
        found = [
            replace(one, score=_figure(figures[one.id], sort or first.alike.likeness))
            for one in found
            if one.id not in seen
        ]
        found.sort(key=lambda one: (-(one.score or 0.0), one.id))
        if wanted is None or len(found) < wanted:
            found += searcher.page(
                And((tree, Not(members))), scope, order, excluding=seen,
                limit=None if wanted is None else wanted - len(found),
            )  # fmt: skip
        return found

    def _shown(self, found: list[Found], first: Term | None, scope: Scope) -> list[Hit]:
        hits: list[Hit] = []
        for start in range(0, len(found), _ROWS_AT_ONCE):
            some = found[start : start + _ROWS_AT_ONCE]
            rows = {one.id: one.row for one in some if one.row is not None}
            if first is not None or len(rows) < len(some):
                ids = [one.id for one in some]
                rows = self._searcher.rows(ids, with_texts=first is not None)
            for one in some:
                row = rows.get(one.id)
                if row is None:
                    continue
                figures = None
                if first is not None and row.id != first.source.id:
                    figures = self._comparer.figures(first, row)
                # How rare a word is among all documents would show in a score of words.
                score = None if scope.restricted and first is None else one.score
                hits.append(_hit(row, figures, None if score is None else round(score, 6)))
        return hits


def _checked(request: Request) -> Order | None:
    if request.sort not in SORTS:
        raise UsageError(f"'{request.sort}' is no order; there are {', '.join(SORTS)}.")
    if request.offset < 0 or (request.limit is not None and request.limit < 0):
        raise UsageError("limit and offset are 0 or more.")
    return SORTS[request.sort]


def _ranking_term(tree: Node, terms: Mapping[Alike, Term]) -> Term | None:
    """The first term of likeness, if it must be true of every hit."""
    first = next(
        (leaf for leaf, positive in leaves(tree) if positive and isinstance(leaf, Alike)), None
    )
    if first is not None and any(part is first for part in conjuncts(tree)):
        return terms[first]
    return None


def _without(tree: Node, term: Alike) -> Node | None:
    rest = tuple(part for part in conjuncts(tree) if part is not term)
    return None if not rest else rest[0] if len(rest) == 1 else And(rest)


def _block_size(request: Request) -> int | None:
    if request.verify_all and (request.limit is None or request.sort != "best"):
        return None
    wanted = None if request.limit is None else request.offset + request.limit
    if request.sort != "best" or wanted is None or wanted > BLOCKS[-1]:
        return VERIFIED_AT_MOST
    return next(size for size in BLOCKS if wanted <= size // 2 or size == BLOCKS[-1])


def _is_long(size: int | None) -> bool:
    return size not in BLOCKS


def _budget(request: Request, term: Term, size: int | None) -> float:
    if request.verify_all or _is_long(size):
        return math.inf
    return PAGE_CHARACTERS if term.alike.probability is None else QUICK_PAGE_CHARACTERS


_FIGURES = {
    "containment": Likeness.FINGERPRINT,
    "jaccard": Likeness.SIMILAR,
    "within": Likeness.WITHIN,
}


def _figure(figures: Overlap, name: str | Likeness) -> float:
    return share(figures, name if isinstance(name, Likeness) else _FIGURES[name])


def _descends(sort: str) -> bool:
    order = SORTS[sort]
    return order is None or order.descending


def _in_order(verified: Iterable[Verified], term: Term, sort: str) -> list[tuple[Place, Verified]]:
    placed = [(Place(_sort_value(one, term, sort), one.found.id), one) for one in verified]
    placed.sort(key=lambda pair: pair[0].id)
    placed.sort(key=lambda pair: pair[0].value, reverse=_descends(sort))
    return placed


def _sort_value(one: Verified, term: Term, sort: str) -> float | str:
    if sort == "best":
        return share(one.figures, term.alike.likeness)
    if sort in _FIGURES:
        return _figure(one.figures, sort)
    row = one.row
    values: dict[str, float | str] = {
        "id": row.id,
        "created": row.created or "",
        "added": row.added or "",
        "pages": row.page_count or 0,
    }
    return values[sort]


def _is_behind(place: Place, last: Place, sort: str) -> bool:
    if place.value == last.value:
        return place.id > last.id
    behind: bool = place.value < last.value if _descends(sort) else place.value > last.value  # type: ignore[operator]
    return behind


def _ranked_hit(one: Verified, term: Term) -> Hit:
    score = share(one.figures, term.alike.likeness) * term.alike.boost
    return _hit(one.row, one.figures, round(score, 6))


def _hit(row: Row, figures: Overlap | None, score: float | None) -> Hit:
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
