"""From a store to its searcher."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from paperless_fingerprint.query.searcher import Searcher
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.sqlite import SqliteStore


def searcher_of(store: Store) -> Searcher:
    """Has connections of its own and is closed on its own."""
    if isinstance(store, SqliteStore):
        from paperless_fingerprint.stores.sqlite.search import SqliteSearcher

        return SqliteSearcher(store.path)
    from paperless_fingerprint.stores.elasticsearch import ElasticsearchStore
    from paperless_fingerprint.stores.elasticsearch.search import ElasticsearchSearcher

    if isinstance(store, ElasticsearchStore):
        return ElasticsearchSearcher(store.address)
    raise TypeError(f"there is no searcher for a {type(store).__name__}")


@contextmanager
def opened_searcher(store: Store) -> Iterator[Searcher]:
    searcher = searcher_of(store)
    try:
        yield searcher
    finally:
        searcher.close()
