"""When a library in Elasticsearch has changed: each write has a number, and the last is told."""

from __future__ import annotations

from paperless_fingerprint.stores.elasticsearch.changes import Changes
from paperless_fingerprint.stores.elasticsearch.connection import Address, connect
from paperless_fingerprint.stores.elasticsearch.failures import Failures
from paperless_fingerprint.stores.elasticsearch.layout import definitions

_KINDS = ("documents", "pairs", "groups", "decisions")


class ElasticsearchRevision:
    def __init__(self, address: Address) -> None:
        self._client = connect(address)
        self._failures = Failures(address.shown)
        self._names = [definitions()[kind].alias(address.prefix) for kind in _KINDS]
        library = definitions()["library"].alias(address.prefix)
        self._changes = Changes(self._client, self._failures, library)

    def now(self) -> str:
        with self._failures.explained():
            answer = self._client.indices.stats(index=self._names, level="shards", metric="docs")
        told = []
        for name, index in answer["indices"].items():
            for number, copies in index["shards"].items():
                newest = max(copy["seq_no"]["max_seq_no"] for copy in copies)
                told.append(f"{name}/{number}:{newest}")
        return " ".join(sorted(told))

    def changes(self, since: int | None) -> tuple[int, frozenset[int] | None]:
        return self._changes.since(since)

    def close(self) -> None:
        self._client.close()
