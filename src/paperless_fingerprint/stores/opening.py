"""From an address to a store, and from a store to what belongs to it.

The one place that names the backends; who opens a store gets the rest by asking here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.settings.addresses import without_password
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.lease import Lease, NoLease

if TYPE_CHECKING:
    from paperless_fingerprint.query.searcher import Searcher
    from paperless_fingerprint.stores.vectors import VectorStore

_SQLITE = "sqlite:///"


class Revision(Protocol):
    """Whether a library has changed: one cheap question, so that what is kept of it in memory is
    made anew only when it must be."""

    def now(self) -> str:
        """Another text after every write by whatever process; the same while nobody writes."""

    def changes(self, since: int | None) -> tuple[int, frozenset[int] | None]:
        """The number of the last change, and the documents that something has changed about since
        that number was told: of those that hang together, one at least. None where the store does
        not know, or where they are many. Those of the last seconds may be told again."""

    def close(self) -> None: ...


def open_store(settings: Settings, *, create: bool = True) -> Store:
    """The store that the settings name. `create` makes a library where there is none."""
    address = str(settings.store)
    if address.startswith(_SQLITE) and len(address) > len(_SQLITE):
        from paperless_fingerprint.stores.sqlite import SqliteStore

        return SqliteStore(Path(address.removeprefix(_SQLITE)).expanduser(), create=create)
    if hosts := _hosts(address):
        from paperless_fingerprint.stores.elasticsearch import open_elasticsearch

        return open_elasticsearch(hosts, settings, create=create)
    raise ConfigurationError(
        f"'{without_password(address)}' is no address of a store. Use sqlite:///PATH (three slashes, then the path: "
        "sqlite:////data/library.db), or http(s)://HOST:9200 of Elasticsearch."
    )


def _hosts(address: str) -> list[str]:
    """Of Elasticsearch; none where it is another address."""
    hosts = [host.strip() for host in address.split(",")]
    return hosts if all(host.startswith(("http://", "https://")) for host in hosts) else []


def lease_of(settings: Settings, file: Path) -> Lease:
    """The file is what makes several processes one place."""
    if hosts := _hosts(str(settings.store)):
        from paperless_fingerprint.stores import elasticsearch

        return elasticsearch.lease_of(hosts, settings, file)
    return NoLease()


def revision_of(store: Store) -> Revision:
    from paperless_fingerprint.stores.sqlite import SqliteStore

    if isinstance(store, SqliteStore):
        from paperless_fingerprint.stores.sqlite.revision import SqliteRevision

        return SqliteRevision(store.path)
    from paperless_fingerprint.stores.elasticsearch import ElasticsearchStore
    from paperless_fingerprint.stores.elasticsearch.revision import ElasticsearchRevision

    if isinstance(store, ElasticsearchStore):
        return ElasticsearchRevision(store.address)
    raise TypeError(f"a {type(store).__name__} does not tell when it has changed")


def searcher_of(store: Store) -> Searcher:
    """Has connections of its own and is closed on its own."""
    from paperless_fingerprint.stores.sqlite import SqliteStore

    if isinstance(store, SqliteStore):
        from paperless_fingerprint.stores.sqlite.search import SqliteSearcher

        return SqliteSearcher(store.path)
    from paperless_fingerprint.stores.elasticsearch import ElasticsearchStore
    from paperless_fingerprint.stores.elasticsearch.search import ElasticsearchSearcher

    if isinstance(store, ElasticsearchStore):
        return ElasticsearchSearcher(store.address)
    raise TypeError(f"there is no searcher for a {type(store).__name__}")


def open_vectors(store: Store) -> VectorStore:
    """The vectors of that library, kept beside it."""
    from paperless_fingerprint.stores.sqlite import SqliteStore

    if isinstance(store, SqliteStore):
        from paperless_fingerprint.stores.sqlite.vectors import SqliteVectors

        return SqliteVectors(store.path)
    from paperless_fingerprint.stores.elasticsearch.vectors import ElasticsearchVectors

    return ElasticsearchVectors.beside(store)
