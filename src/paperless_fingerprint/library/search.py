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
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.fingerprints.shingles import Overlap
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import whole
from paperless_fingerprint.query import passages
from paperless_fingerprint.query.explanation import explained
from paperless_fingerprint.query.language import parse
from paperless_fingerprint.query.likeness import VERIFIED_AT_MOST, Comparer, Meanings, Term
from paperless_fingerprint.query.offers import MOST_WORDS, SHORTEST, Offer, offer
from paperless_fingerprint.query.passages import Passage, Piece
from paperless_fingerprint.query.plan import Source
from paperless_fingerprint.query.ranking import BLOCKS, ranked_page
from paperless_fingerprint.query.ranking_plain import Unranked
from paperless_fingerprint.query.request import Answer, Hit, Page, Request
from paperless_fingerprint.query.searcher import Scope, Searcher, SearchTooLongError
from paperless_fingerprint.query.sorting import SORTS
from paperless_fingerprint.query.tree import Alike, And, Node, Reference, Words, conjuncts, leaves
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import searcher_of

__all__ = ["BLOCKS", "SORTS", "Answer", "Hit", "Look", "Request", "Search", "Shown"]

_OFFER_SECONDS = 2.0
_TITLE_CHARACTERS = 300


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


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of a hit beside its figures."""

    #: The document that a term of likeness starts from.
    source: int | None
    title: tuple[Piece, ...]
    #: Where the words of the query stand.
    found: tuple[Passage, ...]
    #: The longest stretches that the hit has in common with the source.
    shared: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Look:
    answer: Answer
    #: Hit → what is shown of it.
    shown: Mapping[int, Shown]
    #: Where nothing was found.
    offers: tuple[Offer, ...]


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
        self._shingle_words = spec.shingle_words

    def run(self, request: Request) -> Answer:
        notes: list[str] = []
        deadline = time.monotonic() + request.scope.time_limit_seconds
        asked = self._prepared(request, notes, deadline)
        page = self._page(asked, request, deadline)
        if page.capped or not asked.complete:
            notes.append(
                _(
                    "More than %(most)s possible matches: the best of them were checked. --all (in "
                    "the API all=true) checks every one.",
                    most=whole(VERIFIED_AT_MOST),
                )
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

    def look(self, request: Request, *, passages: bool = True) -> Look:
        """The answer, and what a person wants to see of it."""
        answer = self.run(request)
        if not answer.hits:
            return Look(answer, {}, () if answer.total else self.offers(request))
        if not passages:
            return Look(answer, {}, ())
        return Look(answer, self.shown(request, [hit.id for hit in answer.hits]), ())

    def shown(self, request: Request, ids: Collection[int]) -> dict[int, Shown]:
        """What to show of these hits of the request: the words where they stand, or for a term of
        likeness what is shared. Of documents that the asker may not view, nothing."""
        tree = parse(request.query)
        alike = next(
            (leaf for leaf, positive in leaves(tree) if positive and isinstance(leaf, Alike)), None
        )
        self._searcher.begin()
        source = self._comparer.source(alike.source, request.scope, []) if alike else None
        asker = request.scope.asker
        found = {}
        for row in self._searcher.rows(ids).values():
            if asker is not None and not asker.may_view(row.id, row.owner, row.viewers):
                continue
            shared: tuple[Passage, ...] = ()
            if source is not None and source.id != row.id:
                shared = passages.shared(
                    source.hashes, self._shingle_words, row.text, row.page_count
                )
            found[row.id] = Shown(
                None if source is None else source.id,
                passages.in_title(tree, row.title[:_TITLE_CHARACTERS]),
                passages.of_words(tree, row.text, row.page_count),
                shared,
            )
        return found

    def offers(self, request: Request) -> tuple[Offer, ...]:
        """For a request that has found nothing: of its words those that stand in no document the
        asker may view, each with words that may have been meant."""
        scope = replace(request.scope, time_limit_seconds=_OFFER_SECONDS)
        self._searcher.begin()
        found: list[Offer] = []
        for leaf, positive in leaves(parse(request.query)):
            if (
                len(found) < MOST_WORDS and positive and isinstance(leaf, Words)
                and len(leaf.words) == 1 and len(leaf.words[0]) >= SHORTEST
            ):  # fmt: skip
                try:
                    if self._searcher.count(leaf, scope, 1):
                        continue
                    words = self._searcher.resembling(leaf.words[0], scope)
                except SearchTooLongError:
                    break  # it is an offer, and nobody waits for that
                found.append(offer(request.query, leaf, words))
        return tuple(each for each in found if each.near or each.containing)

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


@contextmanager
def opened_search(store: Store, settings: Settings) -> Iterator[Search]:
    """With connections of its own, and with what answers SEMANTIC where that is switched on."""
    with ExitStack() as stack:
        searcher = stack.enter_context(closing(searcher_of(store)))
        meanings = None
        if settings.semantic.enabled:
            from paperless_fingerprint.semantic.searching import opened_meanings

            meanings = stack.enter_context(opened_meanings(store, settings))
        yield Search(store, searcher, settings.spec(), meanings)
