"""The library in Elasticsearch 8.19 or 9: where it outgrows one machine.

store.py              the methods of the protocol
connection.py         addresses, credentials, TLS, the server's version
layout.py, reindex.py  the indices behind their aliases, and how they change
rows.py               between values and what is indexed
bulk.py, scan.py      writing and reading many
pending.py            what waits for its analysis
candidate_search.py   candidates from the inverted index
failures.py, health.py
"""

from __future__ import annotations

from collections.abc import Sequence

from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.elasticsearch.connection import Address, hosts_of
from paperless_fingerprint.stores.elasticsearch.store import ElasticsearchStore

__all__ = ["Address", "ElasticsearchStore", "open_elasticsearch"]


def open_elasticsearch(
    hosts: Sequence[str], settings: Settings, *, create: bool = True
) -> ElasticsearchStore:
    def text(name: str) -> str:
        value = settings.value(f"elasticsearch.{name}")
        return "" if value is None else str(value)

    address = Address(
        hosts=hosts_of(hosts),
        prefix=text("prefix"),
        username=text("username"),
        password=text("password"),
        api_key=text("api_key"),
        ca_file=text("ca_file"),
        timeout_seconds=float(text("timeout_seconds")),
        shards=int(text("shards")),
        replicas=int(text("replicas")),
    )
    return ElasticsearchStore(address, settings.spec(), create=create)
