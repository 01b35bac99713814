"""A library as a value to work with: the one way into it for Python and for the command line.

What a method needs is loaded when it is called, so that looking at pairs loads nothing of what
compares texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, Any, Self

from paperless_fingerprint.errors import ConfigurationError, PartlyDone, UsageError
from paperless_fingerprint.model import Decision, Document, Group, Pair, Relation
from paperless_fingerprint.progress import Progress, Silent
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.settings.registry import REGISTRY, Settings, Value
from paperless_fingerprint.stores.opening import open_store

if TYPE_CHECKING:
    from paperless_fingerprint.library.about import About
    from paperless_fingerprint.library.analysis_report import AnalysisReport
    from paperless_fingerprint.library.compare import Compared
    from paperless_fingerprint.library.decisions import Said
    from paperless_fingerprint.library.import_file import ImportReport
    from paperless_fingerprint.library.intake import IntakeReport
    from paperless_fingerprint.library.related import Graph
    from paperless_fingerprint.library.search import Answer, Look, Search
    from paperless_fingerprint.query.scope import Scope

#: Of whom nobody says who he is.
_SOMEBODY = "python"
#: A program is ready to wait.
_PATIENCE_SECONDS = 3600.0


class Library:
    """Documents, what they are to each other, and what people said of them, at one address.

    `address` is sqlite:///PATH, or http(s)://HOST:9200 of Elasticsearch; a library is made where
    there is none, unless `create` is False. Settings come from where the command line takes them
    (environment, settings file), and those that are named here win: near_threshold=0.9 is
    `[near] threshold`. Or they are given as they are with `settings`.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        settings: Settings | None = None,
        create: bool = True,
        progress: Progress | None = None,
        **named: Value,
    ) -> None:
        if settings is None:
            settings = load({**_by_key(named), "store": address})
        elif address is not None or named:
            raise UsageError(
                "A library takes either 'settings', or an address and settings by name; "
                "the address is the setting 'store'."
            )
        self.settings = settings
        #: For what this class does not offer; the protocol is stores.base.Store.
        self.store = open_store(settings, create=create)
        self._progress = progress or Silent()

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Filling ---------------------------------------------------------------------------------

    def add(self, *documents: Document) -> IntakeReport:
        """Take documents in; what is there and unchanged costs nothing.

        All of them or, where one is no document (an id below 1, say), none. What the store alone
        refuses is named by PartlyDone, and the rest is in.
        """
        from paperless_fingerprint.library import intake, settled
        from paperless_fingerprint.library.import_file import renew

        checked = [_checked(document) for document in documents]
        spec = self.settings.spec()
        renew(self.store, spec, self._progress)
        report = intake.IntakeReport()
        for batch in intake.batches(checked):
            settled.write_down(self.store, len(batch))
            report = report.plus(intake.take_in(self.store, batch, spec))
        if written := report.new + report.changed:
            self.store.settle(written)
        if report.refused:
            named = "; ".join(f"{refused.id}: {refused.reason}" for refused in report.refused[:10])
            raise PartlyDone(
                f"The store refused {len(report.refused):,} of {len(checked):,} documents "
                f"({named}). The rest is in; mend them and add them again."
            )
        return report

    def import_lines(self, file: IO[bytes]) -> ImportReport:
        """Take documents from JSON lines, as many as there may be; bad lines stand in the report."""
        from paperless_fingerprint.library.import_file import import_file

        return import_file(self.store, file, self.settings.spec(), self._progress)

    def analyse(self, *, full: bool = False, settle: bool = False) -> AnalysisReport:
        """Find candidates, compare them, and store what they are to each other.

        Only what is new or has changed since the last time; `full` does everything again, and
        `settle` does so where the order in which documents came may count still.
        """
        from paperless_fingerprint.library import outdated
        from paperless_fingerprint.library.analysis import analyse
        from paperless_fingerprint.library.lock import library_lock

        store, settings, progress = self.store, self.settings, self._progress
        lock = library_lock(settings)
        # What other thresholds make stale is done again by their words and by their meaning.
        full = full or outdated.due(store.notes(), settings) is outdated.Due.PAIRS
        with ExitStack() as stack:
            if settings.semantic.enabled:
                from paperless_fingerprint.library import semantic

                stack.enter_context(semantic.embedding_lock(settings).held())
                semantic.embed(store, settings, progress)
                semantic.expect(store, store.ids() if full else [i.id for i in store.pending()])
            # A worker beside us must not make the same groups at the same time.
            with lock.held():
                report = analyse(
                    store, settings, progress, full=full, settle=settle, let_go=lock.let_go
                )
            if settings.semantic.enabled:
                found = semantic.compare_waiting(store, settings, progress, lock.held)
                report = report.with_found(found)
        return report

    # Looking ---------------------------------------------------------------------------------

    def pairs(
        self,
        *,
        relation: Relation | str | None = None,
        at_least: float | None = None,
        limit: int | None = None,
    ) -> Iterator[Pair]:
        """The stored pairs, surest first; as sure as similarity_threshold unless `at_least` says
        otherwise."""
        if at_least is None:
            at_least = self.settings.similarity_threshold
        return self.store.pairs(relation=_relation(relation), at_least=at_least, limit=limit)

    def groups(
        self, *, relation: Relation | str | None = None, limit: int | None = None
    ) -> Iterator[Group]:
        """The groups of duplicates, surest first, each with the one to keep."""
        return self.store.groups(relation=_relation(relation), limit=limit)

    def about(self, id: int) -> About:
        """All that is known about a document: fingerprint, pairs, group, versions, decisions."""
        from paperless_fingerprint.library.about import about

        return about(self.store, self.settings, id)

    def compare(self, a: int, b: int) -> Compared:
        """What two documents are to each other in this library: scores, reasons, a word diff."""
        from paperless_fingerprint.library.compare import compare_documents

        return compare_documents(self.store, self.settings, a, b)

    def titles(self, ids: Iterable[int]) -> dict[int, Document]:
        """The documents without their text; those that are there."""
        return self.store.metadata(set(ids))

    # Asking ----------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        after: str = "",
        sort: str = "best",
        include_history: bool = False,
        verify_all: bool = False,
        time_limit_seconds: float | None = None,
    ) -> Answer:
        """Find documents: full text, and FINGERPRINT:<id>_<overlap %>_<probability %>."""
        from paperless_fingerprint.query.request import Request

        scope = _everything(include_history, time_limit_seconds)
        with self._search() as search:
            return search.run(Request(query, scope, limit, offset, after, sort, verify_all))

    def look(
        self,
        query: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        after: str = "",
        sort: str = "best",
        include_history: bool = False,
        verify_all: bool = False,
        time_limit_seconds: float | None = None,
        passages: bool = True,
    ) -> Look:
        """The same with what a person wants to see: of each hit the passages that were found, and
        where nothing was, words that may have been meant."""
        from paperless_fingerprint.query.request import Request

        scope = _everything(include_history, time_limit_seconds)
        request = Request(query, scope, limit, offset, after, sort, verify_all)
        with self._search() as search:
            return search.look(request, passages=passages)

    def explain(
        self, query: str, *, limit: int | None = None, include_history: bool = False
    ) -> dict[str, Any]:
        """What a search would ask of the store, and how surely each share is found."""
        from paperless_fingerprint.query.request import Request
        from paperless_fingerprint.query.searcher import Scope

        with self._search() as search:
            return search.explain(Request(query, Scope(None, include_history), limit))

    def related(
        self,
        document: int | str,
        *,
        depth: int = 2,
        max_distance: float = 0.5,
        limit: int | None = None,
        include_history: bool = False,
    ) -> Graph:
        """Walk from a document (its id, UUID or address) to those like it, and on from these."""
        from paperless_fingerprint.library.related import MAX_DOCUMENTS, walk
        from paperless_fingerprint.query.ids import IdError, parse_likeness
        from paperless_fingerprint.query.searcher import Scope

        try:
            asked = parse_likeness(str(document))
        except IdError as error:
            raise UsageError(f"'{document}': {error}.") from None
        if asked.overlap is not None:
            raise UsageError(f"'{document}': an id alone is wanted; max_distance says how near.")
        with self._search() as search:
            return walk(
                search, asked.source, Scope(None, include_history, _PATIENCE_SECONDS),
                depth=depth, max_distance=max_distance,
                max_documents=MAX_DOCUMENTS if limit is None else limit,
            )  # fmt: skip

    def _search(self) -> AbstractContextManager[Search]:
        from paperless_fingerprint.library.search import opened_search

        return opened_search(self.store, self.settings)

    # Deciding --------------------------------------------------------------------------------

    def dismiss(
        self, a: int, b: int, *, by: str = _SOMEBODY, relation: Relation | str | None = None
    ) -> Said:
        """These two are no duplicates (or not in this relation), until undo()."""
        from paperless_fingerprint.library import decisions

        with self._deciding({a, b}):
            (said,) = decisions.dismiss(
                self.store, self.settings, a, b, by=by, relation=_relation(relation)
            )
        return said

    def confirm(self, a: int, b: int, *, by: str = _SOMEBODY) -> Said:
        """These two are what they were found to be; where nothing was found, duplicates."""
        from paperless_fingerprint.library import decisions

        with self._deciding({a, b}):
            return decisions.confirm(self.store, self.settings, a, b, by=by)

    def choose_primary(self, id: int, *, by: str = _SOMEBODY) -> Decision:
        """This document is the one to keep of its group."""
        from paperless_fingerprint.library import decisions

        with self._deciding({id}):
            return decisions.choose_primary(self.store, self.settings, id, by=by)

    def undo(self, a: int | None = None, b: int | None = None) -> list[Decision]:
        """Take back what was said about two documents, or without ids what was said last."""
        from paperless_fingerprint.library import decisions

        if (a is None) != (b is None):
            raise UsageError("To undo takes two ids, such as 12 and 40, or none for the last word.")
        pair = None if a is None or b is None else (a, b)
        concerned: set[int] = set(pair or ())
        with self._deciding(concerned):
            taken_back = decisions.undo(self.store, self.settings, pair)
            concerned |= {id for decision in taken_back for id in (decision.a, decision.b)}
        return taken_back

    @contextmanager
    def _deciding(self, ids: set[int]) -> Iterator[None]:
        """With no worker beside us; Paperless is told of `ids` by the next one that runs."""
        from paperless_fingerprint.library.lock import library_lock

        with library_lock(self.settings).held():
            yield
        if self.settings.paperless.url:
            from paperless_fingerprint.integration.context import owe

            owe(self.settings, ids)


def _everything(include_history: bool, time_limit_seconds: float | None) -> Scope:
    from paperless_fingerprint.query.scope import Scope

    seconds = _PATIENCE_SECONDS if time_limit_seconds is None else time_limit_seconds
    return Scope(None, include_history, seconds)


def _by_key(named: dict[str, Value]) -> dict[str, Value]:
    """near_threshold -> near.threshold."""
    keys = {setting.key.replace(".", "_"): setting.key for setting in REGISTRY}
    for name in named:
        if name not in keys:
            raise ConfigurationError(
                f"'{name}' is no setting. They are spelled as in the environment, in small "
                "letters: near_threshold is [near] threshold. 'paperless-fingerprint config show' "
                "lists them all."
            )
    return {keys[name]: value for name, value in named.items()}


def _relation(relation: Relation | str | None) -> Relation | None:
    try:
        return None if relation is None else Relation(relation)
    except ValueError:
        known = ", ".join(each.value for each in Relation)
        raise UsageError(f"'{relation}' is no relation; there are {known}.") from None


def _checked(document: Document) -> Document:
    """As it would be read from a line of JSON, with what no store can keep mended."""
    from paperless_fingerprint.library.jsonl import document_from

    lists = {"tags": list(document.tags), "viewers": list(document.viewers)}
    try:
        return document_from(asdict(document) | lists)
    except ValueError as error:
        raise UsageError(f"Document {document.id} cannot be taken in: {error}.") from None
