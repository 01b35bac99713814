"""A page of hits that no term of likeness ranks: in the store's order, or by the words' score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from paperless_fingerprint.fingerprints.shingles import Overlap
from paperless_fingerprint.query.cursor import Cursor
from paperless_fingerprint.query.likeness import Comparer, Term
from paperless_fingerprint.query.request import Hit, Page, Request, hit_of
from paperless_fingerprint.query.searcher import Found, Listed, Order, OrderBy, Searcher
from paperless_fingerprint.query.sorting import SORTS, figure
from paperless_fingerprint.query.tree import And, Ids, Node, Not

#: Hits are counted up to here.
COUNTED_AT_MOST = 10_000
_ROWS_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Unranked:
    """`first` is the first positive term of likeness, which figures belong to; `figures` of the
    documents that it is true of."""

    searcher: Searcher
    comparer: Comparer
    tree: Node
    first: Term | None
    figures: Mapping[int, Overlap]

    def page(self, request: Request) -> Page:
        cursor = Cursor.read(request.after, request.query, request.sort)
        page = Page([])
        wanted = None if request.limit is None else request.offset + request.limit + 1
        order = SORTS[request.sort]
        by_score = order is None or order.by is OrderBy.SCORE
        if order is None or by_score:
            listed = self._by_score(request, cursor.seen, wanted)
        else:
            listed = self.searcher.page(
                self.tree, request.scope, order, after=cursor.last, limit=wanted,
                counting=COUNTED_AT_MOST,
            )  # fmt: skip
        found = listed.found
        if listed.total is not None:
            page.total = listed.total
        elif not request.after and (wanted is None or len(found) < wanted):
            page.total = min(len(found), COUNTED_AT_MOST)  # these are all
        else:
            page.total = self.searcher.count(self.tree, request.scope, COUNTED_AT_MOST)
        page.complete = page.total < COUNTED_AT_MOST
        found = found[request.offset :]
        shown = found if request.limit is None else found[: request.limit]
        page.hits = self._shown(shown, request)
        if len(shown) < len(found) and shown:
            page.cursor = (
                Cursor(seen=cursor.seen | {one.id for one in shown})
                if by_score
                else Cursor(last=shown[-1].place)
            )
        return page

    def _by_score(self, request: Request, seen: frozenset[int], wanted: int | None) -> Listed:
        """Words' scores change with every write, so pages tell what was seen, not a place.

        What the first term of likeness is true of comes first, then what the words found.
        """
        order, scope = Order(OrderBy.SCORE), request.scope
        if self.first is None or not self.figures:
            return self.searcher.page(
                self.tree, scope, order, excluding=seen, limit=wanted, counting=COUNTED_AT_MOST
            )
        members = Ids(frozenset(self.figures), self.first.alike.span)
        likeness = self.first.alike.likeness
        found = [
            replace(one, score=figure(self.figures[one.id], request.sort, likeness))
            for one in self.searcher.page(
                And((self.tree, members)), scope, Order(OrderBy.ID, descending=False)
            ).found
            if one.id not in seen
        ]
        found.sort(key=lambda one: (-(one.score or 0.0), one.id))
        if wanted is None or len(found) < wanted:
            found += self.searcher.page(
                And((self.tree, Not(members))), scope, order, excluding=seen,
                limit=None if wanted is None else wanted - len(found),
            ).found  # fmt: skip
        return Listed(found)

    def _shown(self, found: list[Found], request: Request) -> list[Hit]:
        hits: list[Hit] = []
        first = self.first
        for start in range(0, len(found), _ROWS_AT_ONCE):
            some = found[start : start + _ROWS_AT_ONCE]
            rows = {one.id: one.row for one in some if one.row is not None}
            if first is not None or len(rows) < len(some):
                rows = self.searcher.rows([one.id for one in some], with_texts=first is not None)
            for one in some:
                row = rows.get(one.id)
                if row is None:
                    continue
                figures = None
                if first is not None and row.id != first.source.id:
                    figures = self.comparer.figures(first, row)
                # How rare a word is among all documents would show in a score of words.
                score = None if request.scope.restricted and first is None else one.score
                hits.append(hit_of(row, figures, None if score is None else round(score, 6)))
        return hits
