"""An open library: the connection, and the indices made, moved or refused."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import orjson

from paperless_fingerprint.errors import NoLibraryError, StoreError
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.stores.elasticsearch import rows
from paperless_fingerprint.stores.elasticsearch.bulk import BulkWriter, Operation
from paperless_fingerprint.stores.elasticsearch.candidate_search import CandidateSearch
from paperless_fingerprint.stores.elasticsearch.connection import Address, check_version, connect
from paperless_fingerprint.stores.elasticsearch.failures import Failures
from paperless_fingerprint.stores.elasticsearch.layout import (
    IndexDefinition,
    create_index,
    definitions,
    look_up,
)
from paperless_fingerprint.stores.elasticsearch.lease import held_of
from paperless_fingerprint.stores.elasticsearch.pending import WaitingList
from paperless_fingerprint.stores.elasticsearch.refresh import SEEN_AT_ONCE, unseen_at
from paperless_fingerprint.stores.elasticsearch.reindex import Convert, Move, is_moving
from paperless_fingerprint.stores.elasticsearch.scan import Hit, Reader

#: A query names fewer ids than this; for more, everything is read and looked through.
MANY_IDS = 10_000
#: How often what others keep changing is tried again.
ATTEMPTS = 20


class Session:
    """What the parts of the store have in common."""

    namespace: UUID

    def __init__(
        self,
        address: Address,
        spec: FingerprintSpec,
        *,
        create: bool = True,
        known: Mapping[str, IndexDefinition] | None = None,
    ) -> None:
        self.address = address
        self._spec = spec
        self._known = known or definitions()
        self._failures = Failures(address.shown)
        self._client = connect(address)
        try:
            self.server = check_version(self._client, self._failures)
            self._names = {kind: d.alias(address.prefix) for kind, d in self._known.items()}
            self._unseen = unseen_at(address.hosts)
            seen_at_once = [self._names[kind] for kind in SEEN_AT_ONCE]
            self._reader = Reader(
                self._client, self._failures, unseen=self._unseen, seen_at_once=seen_at_once
            )
            self._writer = BulkWriter(
                self._client,
                self._failures,
                is_moving=lambda alias: is_moving(self._client, self._failures, alias),
                unseen=self._unseen,
                seen_at_once=seen_at_once,
                changes_in=self._names["library"],
                lease=lambda: held_of(address),
            )
            self._prepare(create=create)
            self._waiting = WaitingList(self._names["library"], self._writer, self._reader)
            self._candidates = CandidateSearch(self._reader, self._names["documents"], spec)
            self.namespace = self._read_namespace()
        except BaseException:
            self._client.close()
            raise

    def close(self) -> None:
        self._client.close()

    def _prepare(self, *, create: bool) -> None:
        """Make what is missing, move what is of an earlier version, refuse what is not ours."""
        for _attempt in range(ATTEMPTS):
            with self._failures.explained():
                found = look_up(self._client, self._known, self.address, self._failures)
            if not found and not create:
                raise NoLibraryError(
                    f"There is no library in Elasticsearch at {self.address.shown} with the prefix "
                    f"{self.address.prefix}. 'paperless-fingerprint import' or 'sync' makes one; "
                    "--store names another place."
                )
            missing = [d for kind, d in self._known.items() if kind not in found]
            old = [d for kind, d in self._known.items()
                   if kind in found and found[kind].version < d.version]  # fmt: skip
            if not missing and not old:
                return
            if missing:
                # Side by side: making one is mostly waiting for the server's disk.
                with ThreadPoolExecutor(len(missing)) as threads:
                    list(threads.map(self._make, missing))
            for definition in old:
                Move(
                    self._client, self._failures, self.address, definition,
                    found[definition.kind], self._converter(definition.kind),
                ).run()  # fmt: skip
        raise self._failures.store_error("indices_change")

    def _make(self, definition: IndexDefinition) -> None:
        name = definition.index(self.address.prefix, 1)
        alias = definition.alias(self.address.prefix)
        with self._failures.explained():
            made = create_index(self._client, definition, self.address, name, aliases={alias: {}})
        if not made:
            # Somebody else makes it at this moment, and in one step with its alias; or it is there
            # without its alias, because a person took that away.
            deadline = time.monotonic() + 10
            while time.monotonic() < deadline:
                with self._failures.explained():
                    if self._client.indices.exists_alias(name=alias):
                        return
                time.sleep(0.05)
            raise StoreError(
                f"The index {name} at {self.address.shown} has lost its alias {alias}. Give it "
                "back, or delete the index."
            )

    def _converter(self, kind: str) -> Convert:
        def documents(sources: list[Mapping[str, Any]]) -> list[bytes]:
            records = [rows.stored_from(source, self._spec) for source in sources]
            return rows.document_bodies(records, self._spec)

        def others(sources: list[Mapping[str, Any]]) -> list[bytes]:
            return [orjson.dumps(source) for source in sources]

        return documents if kind == "documents" else others

    def _note(self, action: str, name: str, value: str) -> Operation:
        body = orjson.dumps({"kind": "note", "name": name, "value": value})
        return Operation(action, self._names["library"], f"note-{name}", body)

    def _read_namespace(self) -> UUID:
        for _attempt in range(2):
            for hit in self._reader.get(self._names["library"], ["note-namespace"]):
                return UUID(hit["_source"]["value"])
            # 'create' lets the first of two succeed; the other reads what that one has written.
            self._writer.write([self._note("create", "namespace", str(uuid4()))])
        [hit] = self._reader.get(self._names["library"], ["note-namespace"])
        return UUID(hit["_source"]["value"])

    def _scan_with_ids(
        self,
        index: str,
        ids: Collection[int] | None,
        fields: Sequence[str],
        filters: Sequence[dict[str, Any]],
        *,
        sort: Sequence[dict[str, str]],
        limit: int | None = None,
        **request: Any,
    ) -> Iterator[Hit]:
        """Of all, or of those that hold one of `ids` in one of the fields."""
        if ids is None or len(ids) <= MANY_IDS:
            conditions = list(filters)
            if ids is not None:
                conditions.append(
                    {"bool": {"should": [rows.id_terms(field, ids) for field in fields]}}
                )
            query = {"bool": {"filter": conditions}}
            yield from self._reader.scan(index, query=query, sort=sort, limit=limit, **request)
            return
        wanted, left = set(ids), limit
        for hit in self._reader.scan(
            index, query={"bool": {"filter": list(filters)}}, sort=sort, **request
        ):
            held = [hit["_source"][field] for field in fields]
            if left == 0:
                return
            if any(not wanted.isdisjoint(h if isinstance(h, list) else (h,)) for h in held):
                left = None if left is None else left - 1
                yield hit
