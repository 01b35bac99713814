"""The store in Elasticsearch, through the official client."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from uuid import UUID

from paperless_fingerprint.model import MAX_DOCUMENT_ID
from paperless_fingerprint.stores.base import StoreReport
from paperless_fingerprint.stores.elasticsearch import health
from paperless_fingerprint.stores.elasticsearch.bulk import Operation
from paperless_fingerprint.stores.elasticsearch.documents import Documents
from paperless_fingerprint.stores.elasticsearch.results import Results
from paperless_fingerprint.stores.elasticsearch.vector_indices import deletions, vector_indices

#: From so many documents on it is worth while to wait for the server after an import.
_LARGE = 20_000


class ElasticsearchStore(Documents, Results):
    """See stores.base.Store for what each method promises."""

    def delete(self, ids: Collection[int]) -> int:
        ids = {id for id in ids if 0 < id <= MAX_DOCUMENT_ID}
        if not ids:
            return 0
        pairs = list(self.pairs(ids=ids))
        partners = {id for pair in pairs for id in (pair.a, pair.b)} - ids
        self._waiting.add(self._present(partners))
        outcome = self._writer.write(
            Operation("delete", self._names["documents"], str(id), about=(id,)) for id in ids
        )
        if outcome.failures:
            raise self._failures.store_error(outcome.failures[0].reason)
        spaces = vector_indices(self._client, self._failures, self.address.prefix)
        self._writer.write(deletions(spaces, ids))
        self.write_pairs([], removing=[(pair.a, pair.b) for pair in pairs])
        self._drop_groups("group", ids, keeping=())
        self._drop_groups("chain", ids, keeping=())
        self._waiting.forget(ids)
        return len(outcome.done)

    def at_once(self) -> AbstractContextManager[None]:
        return nullcontext()

    def notes(self) -> dict[str, str]:
        answer = self._reader.search(
            self._names["library"], query={"term": {"kind": "note"}}, size=1_000
        )
        sources = [hit["_source"] for hit in answer["hits"]["hits"]]
        return {source["name"]: source["value"] for source in sources}

    def put_notes(self, notes: Mapping[str, str]) -> None:
        self._writer.write_all(self._note("index", *note) for note in notes.items())
        if "namespace" in notes:
            self.namespace = UUID(notes["namespace"])

    def report(self) -> StoreReport:
        return health.report(
            self._client, self._failures, self._reader, self._names,
            address=self.address, server=self.server, namespace=self.namespace,
            pending=len(self.pending()),
        )  # fmt: skip

    def settle(self, written: int, timeout_seconds: float = 120) -> None:
        """Merge the documents' index into its smallest form, after a large import."""
        if written < _LARGE:
            return
        health.settle(self._client, self._failures, self._names["documents"], timeout_seconds)

    def tidy(self) -> bool:
        return False  # the server does that by itself
