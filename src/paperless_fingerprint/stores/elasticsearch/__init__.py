"""The library in Elasticsearch 8.19 or 9: where it outgrows one machine.

store.py              the methods of the protocol
connection.py         addresses, credentials, TLS, the server's version
layout.py, reindex.py  the indices behind their aliases, and how they change
rows.py               between values and what is indexed
bulk.py, scan.py      writing and reading many
lease.py              of several machines one works on it
pending.py            what waits for its analysis
candidate_search.py   candidates from the inverted index
failures.py, health.py
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.elasticsearch.connection import Address, hosts_of
from paperless_fingerprint.stores.elasticsearch.lease import lease_at
from paperless_fingerprint.stores.elasticsearch.store import ElasticsearchStore
from paperless_fingerprint.stores.lease import Lease

__all__ = ["Address", "ElasticsearchStore", "lease_of", "open_elasticsearch"]


def open_elasticsearch(
    hosts: Sequence[str], settings: Settings, *, create: bool = True
) -> ElasticsearchStore:
    return ElasticsearchStore(_address(hosts, settings), settings.spec(), create=create)


def lease_of(hosts: Sequence[str], settings: Settings, file: Path) -> Lease:
    return lease_at(_address(hosts, settings), file)


def _address(hosts: Sequence[str], settings: Settings) -> Address:
    def text(name: str) -> str:
        value = settings.value(f"elasticsearch.{name}")
        return "" if value is None else str(value)

    return Address(
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
