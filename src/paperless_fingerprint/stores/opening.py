"""From an address to a store."""

from __future__ import annotations

from pathlib import Path

from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store

_SQLITE = "sqlite:///"


def open_store(settings: Settings, *, create: bool = True) -> Store:
    """The store that the settings name. `create` makes a library where there is none."""
    address = str(settings["store"])
    if address.startswith(_SQLITE) and len(address) > len(_SQLITE):
        from paperless_fingerprint.stores.sqlite import SqliteStore

        return SqliteStore(Path(address.removeprefix(_SQLITE)).expanduser(), create=create)
    hosts = [host.strip() for host in address.split(",")]
    if all(host.startswith(("http://", "https://")) for host in hosts):
        try:
            import elasticsearch as _  # noqa: F401
        except ImportError:
            raise ConfigurationError(
                f"The store {address} is an Elasticsearch, and its client is not installed. "
                "Install it with: pip install 'paperless-fingerprint[elasticsearch]'"
            ) from None
        from paperless_fingerprint.stores.elasticsearch import open_elasticsearch

        return open_elasticsearch(hosts, settings, create=create)
    raise ConfigurationError(
        f"'{address}' is no address of a store. Use sqlite:///PATH (three slashes, then the path: "
        "sqlite:////data/library.db), or http(s)://HOST:9200 of Elasticsearch."
    )
