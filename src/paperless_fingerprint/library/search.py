"""Running a query: the sketch finds, the texts decide, and only what was verified is shown.

A term of likeness that must be true of every hit (`FINGERPRINT:12_20 AND invoice`) ranks
(query/ranking.py). Every other term of likeness is turned into the set of documents that it is
true of before the store sees the query (query/unranked.py); where candidates are left unverified
they are neither shown nor counted, and the total is an 'at least'.

Pages go on from the place where the last one ended (Cursor), so a document that is written in
between moves nothing from one page to another.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.fingerprints.shingles import Overlap
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.query.explanation import explained
from paperless_fingerprint.query.language import parse
from paperless_fingerprint.query.likeness import VERIFIED_AT_MOST, Comparer, Meanings, Term
from paperless_fingerprint.query.plan import Source
from paperless_fingerprint.query.ranking import BLOCKS, ranked_page
from paperless_fingerprint.query.ranking_plain import Unranked
from paperless_fingerprint.query.request import Answer, Hit, Page, Request
from paperless_fingerprint.query.searcher import Scope, Searcher
from paperless_fingerprint.query.sorting import SORTS
from paperless_fingerprint.query.tree import Alike, And, Node, Reference, conjuncts, leaves
from paperless_fingerprint.stores.base import Store

__all__ = ["BLOCKS", "SORTS", "Answer", "Hit", "Request", "Search"]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A query whose sources are looked up, and whose terms but the ranking one are sets."""

    tree: Node
    terms: Mapping[Alike, Term]
    ranking: Term | None
    #: Of the terms that are sets, with the figures of each document.
    known: Mapping[Alike, Mapping[int, Overlap]]
    #: Every candidate of them was verified.
    complete: bool

    @property
    def rest(self) -> Node | None:
        """What must be true beside the term that ranks."""
        if self.ranking is None:
            return self.tree
        rest = tuple(part for part in conjuncts(self.tree) if part is not self.ranking.alike)
        return None if not rest else rest[0] if len(rest) == 1 else And(rest)


class Search:
    """Runs queries on one library. Safe to share by threads."""

    def __init__(
        self,
        store: Store,
        searcher: Searcher,
        spec: FingerprintSpec,
        meanings: Meanings | None = None,
    ) -> None:
        self._searcher = searcher
        self._comparer = Comparer(store, searcher, spec, meanings)

    def run(self, request: Request) -> Answer:
        notes: list[str] = []
        deadline = time.monotonic() + request.scope.time_limit_seconds
        asked = self._prepared(request, notes, deadline)
        page = self._page(asked, request, deadline)
        if page.capped or not asked.complete:
            notes.append(
                f"More than {VERIFIED_AT_MOST:,} candidates: the best of them were verified. "
                "--all (in the API all=true) verifies every one."
            )
        token = page.cursor.token(request.query, request.sort) if page.cursor else ""
        is_exact = page.complete and asked.complete
        return Answer(tuple(page.hits), page.total, is_exact, token, tuple(notes))

    def explain(self, request: Request) -> dict[str, Any]:
        """What the store would be asked, and how surely each share is found."""
        notes: list[str] = []
        deadline = time.monotonic() + request.scope.time_limit_seconds
        asked = self._prepared(request, notes, deadline)
        limit = min(VERIFIED_AT_MOST if request.limit is None else request.limit, VERIFIED_AT_MOST)
        query = asked.ranking.query if asked.ranking else None
        return {
            "query": request.query,
            "terms": [
                {
                    "term": request.query[term.alike.span.start : term.alike.span.end],
                    **explained(term.alike, term.source, term.query),
                    "hits_put_into_the_query": (
                        None if alike not in asked.known else len(asked.known[alike])
                    ),
                }
                for alike, term in asked.terms.items()
            ],
            "request": self._searcher.explain(query, asked.rest, request.scope, limit),
            "notes": notes,
        }

    def source(self, reference: Reference, scope: Scope, notes: list[str]) -> Source | None:
        """The document that a query names, if the asker may view it; otherwise a note."""
        return self._comparer.source(reference, scope, notes)

    def _prepared(self, request: Request, notes: list[str], deadline: float) -> _Prepared:
        if request.sort not in SORTS:
            raise UsageError(f"'{request.sort}' is no order; there are {', '.join(SORTS)}.")
        if request.offset < 0 or (request.limit is not None and request.limit < 0):
            raise UsageError("limit and offset are 0 or more.")
        self._searcher.begin()
        tree, terms = self._comparer.resolved(parse(request.query), request.scope, notes)
        ranking = _ranking_term(tree, terms)
        tree, complete, known = self._comparer.as_sets(
            tree, terms, ranking, request.scope, verify_all=request.verify_all, deadline=deadline
        )
        return _Prepared(tree, terms, ranking, known, complete)

    def _page(self, asked: _Prepared, request: Request, deadline: float) -> Page:
        if asked.ranking is not None:
            return ranked_page(
                self._searcher, self._comparer, asked.ranking, asked.rest, request, deadline
            )
        first = _first_term(parse(request.query), asked.terms)
        figures = asked.known.get(first.alike, {}) if first else {}
        return Unranked(self._searcher, self._comparer, asked.tree, first, figures).page(request)


def _first_term(tree: Node, terms: Mapping[Alike, Term]) -> Term | None:
    """The first that speaks for a document and has a source."""
    return next(
        (
            terms[leaf]
            for leaf, positive in leaves(tree)
            if positive and isinstance(leaf, Alike) and leaf in terms
        ),
        None,
    )


def _ranking_term(tree: Node, terms: Mapping[Alike, Term]) -> Term | None:
    """The first term of likeness, if it must be true of every hit."""
    first = next(
        (leaf for leaf, positive in leaves(tree) if positive and isinstance(leaf, Alike)), None
    )
    if first is not None and any(part is first for part in conjuncts(tree)):
        return terms[first]
    return None
