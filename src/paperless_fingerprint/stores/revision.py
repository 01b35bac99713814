"""Whether a library has changed: one cheap question, so that what is kept of it in memory is made
anew only when it must be."""

from __future__ import annotations

from typing import Protocol

from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.sqlite import SqliteStore


class Revision(Protocol):
    def now(self) -> str:
        """Another text after every write by whatever process; the same while nobody writes."""

    def close(self) -> None: ...


def revision_of(store: Store) -> Revision:
    if isinstance(store, SqliteStore):
        from paperless_fingerprint.stores.sqlite.revision import SqliteRevision

        return SqliteRevision(store.path)
    from paperless_fingerprint.stores.elasticsearch import ElasticsearchStore
    from paperless_fingerprint.stores.elasticsearch.revision import ElasticsearchRevision

    if isinstance(store, ElasticsearchStore):
        return ElasticsearchRevision(store.address)
    raise TypeError(f"a {type(store).__name__} does not tell when it has changed")
