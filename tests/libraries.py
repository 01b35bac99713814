"""Every way to keep a library, for tests that must not know which one they got."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from documents import SPEC
from paperless_fingerprint.library.search import Request, Search
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import searcher_of
from paperless_fingerprint.stores.sqlite import SqliteStore, postings

#: Makes a fresh, empty library, and closes what it opened.
Library = Callable[[], Store]

STORES = [
    pytest.param("sqlite", id="sqlite"),
    pytest.param("sqlite-reopened", id="sqlite-reopened"),
    pytest.param("elasticsearch9", id="elasticsearch9", marks=pytest.mark.elasticsearch),
    pytest.param("elasticsearch8", id="elasticsearch8", marks=pytest.mark.elasticsearch),
    pytest.param("opensearch2", id="opensearch2", marks=pytest.mark.elasticsearch),
]


class Reopening:
    """A store that is closed and opened anew before each call: nothing may live in memory only."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.namespace = self._call("namespace_of")

    def _call(self, name: str, *arguments: object, **named: object) -> object:
        store = SqliteStore(self._path)
        try:
            if name == "namespace_of":
                return store.namespace
            result = getattr(store, name)(*arguments, **named)
            return iter(list(result)) if isinstance(result, Iterator) else result
        finally:
            store.close()

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *arguments, **named: self._call(name, *arguments, **named)

    def close(self) -> None:
        pass


def with_any(store: Store, *words: str) -> list[int]:
    """The documents that a search for one of these words finds, by id."""
    if isinstance(store, Reopening):
        with closing(SqliteStore(store._path)) as opened:
            return with_any(opened, *words)
    with closing(searcher_of(store)) as searcher:
        search = Search(store, searcher, SPEC)
        return sorted(hit.id for hit in search.run(Request(" OR ".join(words))).hits)


@contextmanager
def opened_stores(kind: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[Library]:
    opened: list[Store] = []
    patch = pytest.MonkeyPatch()
    if kind == "sqlite-reopened":
        # As in a large import: postings are put off, and whoever looks for them sees to it.
        patch.setattr(postings, "LARGE_WRITE", 1)

    def make() -> Store:
        number = len(opened)
        if kind == "sqlite":
            store: Store = SqliteStore(folder / f"{number}.db")
        elif kind == "sqlite-reopened":
            store = Reopening(folder / f"{number}.db")  # type: ignore[assignment]
        else:
            from elasticsearch_nodes import open_test_store

            address = request.getfixturevalue(kind)
            prefix = request.getfixturevalue("index_prefix")
            store = open_test_store(address, f"{prefix}-{number}")
        opened.append(store)
        return store

    try:
        yield make
    finally:
        patch.undo()
        for store in opened:
            store.close()
