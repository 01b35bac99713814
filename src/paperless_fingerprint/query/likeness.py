"""Terms of likeness: from the document that one names to the documents that it is true of.

The sketch finds candidates and the texts decide. What a term is true of are the documents that
were found and whose exact figure is high enough; an estimate never lets a document in, and where
the term is negated never drops one.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints.shingles import Overlap, shingle_hashes
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import whole
from paperless_fingerprint.query.overlap_finder import Sought
from paperless_fingerprint.query.plan import (
    SketchQuery,
    Source,
    is_found,
    sketch_query,
    source_of,
    without_common,
)
from paperless_fingerprint.query.searcher import (
    Found,
    Row,
    Scope,
    Searcher,
    SearchTooLongError,
)
from paperless_fingerprint.query.tree import (
    Alike,
    Ids,
    Leaf,
    Likeness,
    Meaning,
    Node,
    Reference,
    replaced,
)
from paperless_fingerprint.text import normalise as texts

#: Candidates that are verified unless all are asked for.
VERIFIED_AT_MOST = 1000
_ROWS_AT_ONCE = 64


class Library(Protocol):
    """What is needed of a store beside its searcher."""

    def id_of_uuid(self, uuid: str) -> int | None: ...


class Meanings(Protocol):
    """Answers SEMANTIC terms, where the semantic tier is switched on."""

    def near(self, id: int, likeness: float | None, notes: list[str]) -> frozenset[int]:
        """Documents near that one in meaning, itself not among them."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term of likeness with all that is needed to look for it."""

    alike: Alike
    source: Source
    query: SketchQuery
    sought: Sought
    #: Where in the source's hashes those of the query stand.
    asked: npt.NDArray[np.intp]

    @classmethod
    def of(cls, alike: Alike, source: Source, query: SketchQuery) -> Term:
        asked = np.searchsorted(source.hashes, query.hashes)
        return cls(alike, source, query, Sought(source.hashes), asked)


@dataclass(frozen=True, slots=True)
class Verified:
    found: Found
    row: Row
    figures: Overlap


def share(figures: Overlap, likeness: Likeness) -> float:
    """The figure that a term asks about."""
    if likeness is Likeness.FINGERPRINT:
        return figures.containment_ab
    return figures.jaccard if likeness is Likeness.SIMILAR else figures.containment_ba


class Comparer:
    """Compares on one library. Safe to share by threads."""

    def __init__(
        self,
        library: Library,
        searcher: Searcher,
        spec: FingerprintSpec,
        meanings: Meanings | None = None,
    ) -> None:
        self._library = library
        self._meanings = meanings
        self._searcher = searcher
        self._spec = spec

    def figures(self, term: Term, row: Row) -> Overlap:
        """Exact, from the texts."""
        return next(self._compared(term, [row]))[0]

    def resolved(
        self, tree: Node, scope: Scope, notes: list[str]
    ) -> tuple[Node, dict[Alike, Term]]:
        """Look up the sources. A term without one is true of no document."""
        terms: dict[Alike, Term] = {}
        sources: dict[Reference, Source | None] = {}

        def change(leaf: Leaf, _positive: bool) -> Node:
            if isinstance(leaf, Meaning):
                return Ids(self._near_in_meaning(leaf, scope, notes), leaf.span)
            if not isinstance(leaf, Alike):
                return leaf
            if leaf.source not in sources:
                sources[leaf.source] = self.source(leaf.source, scope, notes)
            source = sources[leaf.source]
            if source is None:
                return Ids(frozenset(), leaf.span)
            if leaf not in terms:
                query = sketch_query(leaf, source, self._spec)
                if query.drop_common and not query.finds_nothing:
                    kept = self._searcher.uncommon(query.hashes, scope)
                    query = without_common(query, kept)
                terms[leaf] = Term.of(leaf, source, query)
            return leaf

        return replaced(tree, change), terms

    def source(self, reference: Reference, scope: Scope, notes: list[str]) -> Source | None:
        """The document that a query starts from; None and a note where there is none to see."""
        row = self._visible(reference, scope, notes)
        if row is None:
            return None
        normalised = texts.normalise(row.text)
        words = normalised.count(" ") + 1 if normalised else 0
        if words < self._spec.min_words:
            notes.append(
                _(
                    "Document %(id)s has %(count)s words; fewer than %(least)s are too few to "
                    "compare, so nothing is similar to it.",
                    id=str(reference)[:80],
                    count=whole(words),
                    least=self._spec.min_words,
                )
            )
            return None
        hashes = shingle_hashes(normalised, self._spec.shingle_words)
        return source_of(row.id, hashes, self._spec)

    def _near_in_meaning(self, term: Meaning, scope: Scope, notes: list[str]) -> frozenset[int]:
        if self._meanings is None:
            notes.append(
                _(
                    "SEMANTIC finds nothing: comparing meanings is switched off. Set [semantic] "
                    "enabled to true and run 'paperless-fingerprint analyze'."
                )
            )
            return frozenset()
        row = self._visible(term.source, scope, notes)
        return self._meanings.near(row.id, term.likeness, notes) if row else frozenset()

    def _visible(self, reference: Reference, scope: Scope, notes: list[str]) -> Row | None:
        id = reference.id if reference.id is not None else self._library.id_of_uuid(reference.uuid)
        row = self._searcher.rows([id]).get(id) if id else None
        if row is None or (
            scope.asker is not None and not scope.asker.may_view(row.id, row.owner, row.viewers)
        ):
            # One sentence for both, so that nobody learns of a document that they may not view.
            notes.append(
                _(
                    "There is no document %(id)s, so nothing is similar to it.",
                    id=str(reference)[:80],
                )
            )
            return None
        return row

    def as_sets(
        self,
        tree: Node,
        terms: Mapping[Alike, Term],
        ranking: Term | None,
        scope: Scope,
        *,
        verify_all: bool,
        deadline: float,
    ) -> tuple[Node, bool, dict[Alike, dict[int, Overlap]]]:
        """Every term but the ranking one as the set of documents that it is true of.

        What could not be verified counts for neither side: it is in the set where the term is
        negated and not in it where it is not, so it is never shown.
        """
        complete = True
        known: dict[Alike, dict[int, Overlap]] = {}
        unverified: dict[Alike, frozenset[int]] = {}

        def change(leaf: Leaf, positive: bool) -> Node:
            nonlocal complete
            if not isinstance(leaf, Alike) or (ranking is not None and leaf is ranking.alike):
                return leaf
            if leaf not in known:
                known[leaf], unverified[leaf] = self._looked_up(
                    terms[leaf], scope, verify_all=verify_all, deadline=deadline
                )
            complete = complete and not unverified[leaf]
            ids = frozenset(known[leaf])
            return Ids(ids if positive else ids | unverified[leaf], leaf.span)

        return replaced(tree, change), complete, known

    def _looked_up(
        self, term: Term, scope: Scope, *, verify_all: bool, deadline: float
    ) -> tuple[dict[int, Overlap], frozenset[int]]:
        found = list(self._searcher.candidates(term.query, None, scope))
        most = len(found) if verify_all else VERIFIED_AT_MOST
        verified, _ = self.verified(term, found[:most], scope, deadline)
        return (
            {one.found.id: one.figures for one in verified},
            frozenset(one.id for one in found[most:]),
        )

    def verified(
        self, term: Term, found: Collection[Found], scope: Scope, deadline: float
    ) -> tuple[list[Verified], int]:
        """Those of the candidates that the term is true of, and how many characters that took."""
        passed: list[Verified] = []
        characters = 0
        listed = list(found)
        for start in range(0, len(listed), _ROWS_AT_ONCE):
            if time.monotonic() > deadline:
                raise SearchTooLongError(scope.time_limit_seconds)
            some = listed[start : start + _ROWS_AT_ONCE]
            missing = [one.id for one in some if one.row is None]
            rows = self._searcher.rows(missing) if missing else {}
            there = [(one, one.row or rows[one.id]) for one in some if one.row or one.id in rows]
            compared = self._compared(term, [row for _, row in there])
            for (one, row), (figures, is_one) in zip(there, compared, strict=True):
                characters += len(row.text)
                if is_one and share(figures, term.alike.likeness) >= (
                    (term.alike.overlap or 0.0) - 1e-9
                ):
                    passed.append(Verified(one, row, figures))
        return passed, characters

    def _compared(self, term: Term, rows: Sequence[Row]) -> Iterator[tuple[Overlap, bool]]:
        """The figures of each, and whether a search for the term finds that document."""
        normalised = [texts.normalise(row.text) for row in rows]
        places = term.sought.found_in(normalised, self._spec.shingle_words)
        for row, text, found in zip(rows, normalised, places, strict=True):
            shingles = row.shingles if row.spec == self._spec.id else None
            if shingles is None:
                shingles = len(shingle_hashes(text, self._spec.shingle_words))
            figures = term.sought.figures(found, shingles)
            is_one = is_found(term.query, found[term.asked], shingles, self._spec)
            yield figures, is_one and figures.shared > 0
