"""The store in Elasticsearch, through the official client."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import orjson

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.fingerprint import FingerprintSpec
from paperless_fingerprint.model import (
    MAX_DOCUMENT_ID,
    Candidate,
    Decision,
    Document,
    Fingerprint,
    Group,
    Pair,
    Relation,
    StoredDocument,
    VersionChain,
)
from paperless_fingerprint.stores.base import (
    FingerprintRow,
    Pending,
    Refusal,
    StoreReport,
    WriteReport,
    document_uuid,
)
from paperless_fingerprint.stores.elasticsearch import health, rows
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
from paperless_fingerprint.stores.elasticsearch.moving import Move, is_moving
from paperless_fingerprint.stores.elasticsearch.scan import Hit, Reader
from paperless_fingerprint.stores.elasticsearch.waiting import WaitingList

_WORD_FIELDS = (
    "title_words", "content_words", "correspondent_words", "document_type_words", "tags_words"
)  # fmt: skip
#: A query names fewer ids than this; for more, everything is read and looked through.
_MANY_IDS = 10_000
_BY_ID = [{"id": "asc"}]
_TEXT_FIELDS = ("id", "content", "content_zlib")
#: Texts read at a time in a scan, in characters.
_SCAN_CHARACTERS = 4_000_000
_CONFLICTS = 20


class ElasticsearchStore:
    """See stores.base.Store for what each method promises."""

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
            self.version = check_version(self._client, self._failures)
            self._names = {kind: d.alias(address.prefix) for kind, d in self._known.items()}
            self._reader = Reader(self._client, self._failures)
            self._writer = BulkWriter(
                self._client,
                self._failures,
                is_moving=lambda alias: is_moving(self._client, self._failures, alias),
            )
            self._prepare(create=create)
            self._waiting = WaitingList(self._names["library"], self._writer, self._reader)
            self._candidates = CandidateSearch(
                self._client, self._failures, self._reader, self._names["documents"], spec
            )
            self.namespace = self._read_namespace()
        except BaseException:
            self._client.close()
            raise

    def close(self) -> None:
        self._client.close()

    # Documents -----------------------------------------------------------------------------

    def put(self, records: Sequence[StoredDocument]) -> WriteReport:
        refused = [_out_of_range(r.document.id) for r in records if not _fits(r.document)]
        # Of an id that is given twice the last one counts, as if they had come one by one.
        wanted = {r.document.id: r for r in records if _fits(r.document)}
        named = self._named(list(wanted.values()))
        taken = self._uuids_of_others([record.document for record in named])
        refused += [_uuid_taken(r.document) for r in named if r.document.uuid in taken]
        operations, broken = self._operations(
            [(record, None) for record in named if record.document.uuid not in taken]
        )
        return self._write_documents(operations, [*refused, *broken])

    def put_metadata(self, documents: Sequence[Document]) -> WriteReport:
        wanted = {document.id: document for document in documents}
        report = WriteReport()
        for _attempt in range(_CONFLICTS):
            part, wanted = self._put_metadata(wanted)
            report = WriteReport(report.written + part.written, report.refused + part.refused)
            if not wanted:
                return report
        late = tuple(Refusal(id, "others keep changing it; try again") for id in wanted)
        return WriteReport(report.written, report.refused + late)

    def _put_metadata(
        self, wanted: Mapping[int, Document]
    ) -> tuple[WriteReport, dict[int, Document]]:
        """One attempt; also gives back those that somebody else has written at the same time."""
        found = {int(hit["_id"]): hit for hit in self._hits(wanted)}
        refused = [Refusal(id, "it is not in the library") for id in wanted if id not in found]
        changed: list[tuple[StoredDocument, Hit]] = []
        for id, hit in found.items():
            old = rows.stored_from(hit["_source"], self._spec)
            uuid = (wanted[id].uuid or old.document.uuid).lower()
            new = replace(wanted[id], uuid=uuid, content=old.document.content)
            # Words, bands and sketch are not in the source, so they are written anew with it.
            changed.append((StoredDocument(new, old.fingerprint), hit))
        taken = self._uuids_of_others([record.document for record, _ in changed])
        refused += [_uuid_taken(r.document) for r, _ in changed if r.document.uuid in taken]
        operations, broken = self._operations(
            [
                (record, (hit["_seq_no"], hit["_primary_term"]))
                for record, hit in changed
                if record.document.uuid not in taken
            ]
        )
        conflicts: dict[int, Document] = {}
        report = self._write_documents(operations, [*refused, *broken], conflicts=conflicts)
        return report, {id: wanted[id] for id in conflicts}

    def _operations(
        self, records: Sequence[tuple[StoredDocument, tuple[int, int] | None]]
    ) -> tuple[list[Operation], list[Refusal]]:
        index = self._names["documents"]
        refused = []
        sound = []
        for record, version in records:
            try:
                record.document.content.encode()
                orjson.dumps(record.document.title)
            except (UnicodeEncodeError, TypeError):
                refused.append(Refusal(record.document.id, "its text holds half a character"))
            else:
                sound.append((record, version))
        bodies = rows.document_bodies([record for record, _ in sound], self._spec)
        operations = [
            Operation("index", index, str(record.document.id), body, version)
            for (record, version), body in zip(sound, bodies, strict=True)
        ]
        return operations, refused

    def _write_documents(
        self,
        operations: Sequence[Operation],
        refused: Sequence[Refusal],
        *,
        conflicts: dict[int, Any] | None = None,
    ) -> WriteReport:
        ids = [int(operation.id) for operation in operations]
        # On the list first: nothing may be written and then forgotten.
        token = self._waiting.add(ids)
        outcome = self._writer.write(operations)
        late = []
        for failure in outcome.failures:
            id = int(failure.operation.id)
            if conflicts is not None and failure.status == 409:
                conflicts[id] = failure
            else:
                late.append(Refusal(id, f"Elasticsearch refuses it: {failure.reason}"))
        lost = {int(failure.operation.id) for failure in outcome.failures}
        if lost:
            self._waiting.take_off([Pending(id, token) for id in lost])
        self._waiting.add_again_what_is_missing(token, set(ids) - lost)
        return WriteReport(len(outcome.done), (*refused, *late))

    def delete(self, ids: Collection[int]) -> int:
        ids = {id for id in ids if 0 < id <= MAX_DOCUMENT_ID}
        if not ids:
            return 0
        pairs = list(self.pairs(ids=ids))
        partners = {id for pair in pairs for id in (pair.a, pair.b)} - ids
        self._waiting.add(self._present(partners))
        outcome = self._writer.write(
            Operation("delete", self._names["documents"], str(id)) for id in ids
        )
        if outcome.failures:
            raise self._failures.store_error(outcome.failures[0].reason)
        self.write_pairs([], removing=[(pair.a, pair.b) for pair in pairs])
        self._drop_groups("group", ids, keeping=())
        self._drop_groups("chain", ids, keeping=())
        self._waiting.forget(ids)
        return len(outcome.done)

    def get(self, ids: Collection[int]) -> dict[int, StoredDocument]:
        found = (rows.stored_from(hit["_source"], self._spec) for hit in self._hits(sorted(ids)))
        return {record.document.id: record for record in found}

    def texts(self, ids: Collection[int]) -> dict[int, str]:
        return {
            hit["_source"]["id"]: rows.content_from(hit["_source"])
            for hit in self._hits(ids, fields=_TEXT_FIELDS)
        }

    def text_hashes(self, ids: Collection[int]) -> dict[int, tuple[str, str]]:
        return {
            hit["_source"]["id"]: (
                hit["_source"]["spec"],
                rows.unpacked_hash(hit["_source"]["text_hash"]),
            )
            for hit in self._hits(ids, fields=("id", "spec", "text_hash"))
        }

    def id_of_uuid(self, uuid: str) -> int | None:
        return self._ids_of_uuids([uuid.lower()]).get(uuid.lower())

    def ids(self) -> list[int]:
        return [int(hit["sort"][0]) for hit in self._scan_ids(0)]

    def documents(self, after: int = 0) -> Iterator[StoredDocument]:
        for hit in self._scan(after):
            yield rows.stored_from(hit["_source"], self._spec)

    def fingerprints(self) -> Iterator[FingerprintRow]:
        for record in self.documents():
            yield FingerprintRow(record.document.id, record.document.checksum, record.fingerprint)

    # Candidates ----------------------------------------------------------------------------

    def candidates(
        self,
        fingerprint: Fingerprint,
        *,
        checksum: str | None = None,
        excluding: int | None = None,
    ) -> list[Candidate]:
        return self._candidates.find(fingerprint, checksum, excluding)

    def search_words(self, words: Sequence[str], *, limit: int = 10) -> list[tuple[int, float]]:
        if not words or limit < 1:
            return []
        query = {
            "multi_match": {
                "query": " ".join(words),
                "type": "most_fields",
                "fields": list(_WORD_FIELDS),
            }
        }
        found = self._reader.scan(
            self._names["documents"],
            query=query,
            sort=[{"_score": "desc"}, {"id": "asc"}],
            limit=limit,
            source=False,
        )
        return [(int(hit["_id"]), float(hit["sort"][0])) for hit in found]

    def document_frequencies(self, words: Collection[str]) -> dict[str, int]:
        counts: dict[str, int] = {}
        listed = list(words)
        for start in range(0, len(listed), 500):
            part = listed[start : start + 500]
            filters = [{"term": {"content_words": word}} for word in part]
            answer = self._reader.search(
                self._names["documents"],
                size=0,
                aggs={"words": {"filters": {"filters": filters}}},
            )
            buckets = answer["aggregations"]["words"]["buckets"]
            counts.update(
                (word, int(bucket["doc_count"])) for word, bucket in zip(part, buckets, strict=True)
            )
        return counts

    # Analysis ------------------------------------------------------------------------------

    def pending(self, limit: int | None = None) -> list[Pending]:
        return self._waiting.listed(limit)

    def mark_pending(self, ids: Collection[int]) -> None:
        self._waiting.add(self._present(ids))

    def mark_analysed(self, done: Sequence[Pending]) -> None:
        self._waiting.take_off(done)

    def write_pairs(
        self, pairs: Sequence[Pair], *, removing: Collection[tuple[int, int]] = ()
    ) -> None:
        index = self._names["pairs"]
        kept = {(pair.a, pair.b) for pair in pairs}
        self._writer.write_all(
            [
                *(
                    Operation("index", index, rows.pair_id(pair.a, pair.b), rows.pair_body(pair))
                    for pair in pairs
                ),
                *(
                    Operation("delete", index, rows.pair_id(a, b))
                    for a, b in removing
                    if (a, b) not in kept
                ),
            ]
        )

    def pairs(
        self,
        *,
        ids: Collection[int] | None = None,
        relation: Relation | None = None,
        limit: int | None = None,
    ) -> Iterator[Pair]:
        hits = self._scan_with_ids(
            self._names["pairs"],
            ids,
            ("a", "b"),
            _relation(relation),
            sort=[{"confidence": "desc"}, {"score": "desc"}, {"a": "asc"}, {"b": "asc"}],
            limit=limit,
        )
        for hit in hits:
            yield rows.pair_from(hit["_source"])

    def replace_groups(self, members: Collection[int], groups: Sequence[Group]) -> None:
        affected = {*members, *(id for group in groups for id in group.members)}
        self._write_groups([(group.id, rows.group_body(group)) for group in groups])
        self._drop_groups("group", affected, keeping={group.id for group in groups})

    def groups(
        self,
        *,
        ids: Collection[int] | None = None,
        relation: Relation | None = None,
        limit: int | None = None,
    ) -> Iterator[Group]:
        hits = self._scan_with_ids(
            self._names["groups"],
            ids,
            ("members",),
            [{"term": {"kind": "group"}}, *_relation(relation)],
            sort=[{"confidence": "desc"}, {"lowest": "asc"}],
            limit=limit,
        )
        for hit in hits:
            yield rows.group_from(hit["_source"])

    def replace_chains(self, members: Collection[int], chains: Sequence[VersionChain]) -> None:
        affected = {*members, *(id for chain in chains for id in chain.members)}
        self._write_groups([(chain.id, rows.chain_body(chain)) for chain in chains])
        self._drop_groups("chain", affected, keeping={chain.id for chain in chains})

    def chains(self, ids: Collection[int] | None = None) -> list[VersionChain]:
        hits = self._scan_with_ids(
            self._names["groups"],
            ids,
            ("members",),
            [{"term": {"kind": "chain"}}],
            sort=[{"lowest": "asc"}],
        )
        return [rows.chain_from(hit["_source"]) for hit in hits]

    def put_decision(self, decision: Decision) -> None:
        index = self._names["decisions"]
        self._writer.write_all(
            [Operation("index", index, decision.key, rows.decision_body(decision))]
        )

    def remove_decision(self, key: str) -> bool:
        outcome = self._writer.write([Operation("delete", self._names["decisions"], key)])
        if outcome.failures:
            raise self._failures.store_error(outcome.failures[0].reason)
        return bool(outcome.done)

    def decisions(self, ids: Collection[int] | None = None) -> list[Decision]:
        hits = self._scan_with_ids(
            self._names["decisions"],
            ids,
            ("a", "b"),
            [],
            sort=[{"a": "asc"}, {"b": "asc"}, {"key": "asc"}],
        )
        return [rows.decision_from(hit["_source"]) for hit in hits]

    # The library ---------------------------------------------------------------------------

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
            address=self.address, version=self.version, namespace=self.namespace,
            pending=len(self.pending()),
        )  # fmt: skip

    def settle(self, timeout_seconds: float = 120) -> None:
        """Merge the documents' index into its smallest form, after a large import."""
        health.settle(self._client, self._failures, self._names["documents"], timeout_seconds)

    # Inside --------------------------------------------------------------------------------

    def _prepare(self, *, create: bool) -> None:
        """Make what is missing, move what is of an earlier version, refuse what is not ours."""
        for _attempt in range(_CONFLICTS):
            with self._failures.explained():
                found = look_up(self._client, self._known, self.address, self._failures)
            if not found and not create:
                raise StoreError(
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
                    self._client, self._failures, self._reader, self.address, definition,
                    found[definition.kind], self._converter(definition.kind),
                ).run()  # fmt: skip
        raise self._failures.store_error("its indices keep changing. Try again in a moment")

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

    def _converter(self, kind: str) -> Any:
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

    def _hits(self, ids: Collection[int], *, fields: Sequence[str] | None = None) -> Iterator[Hit]:
        return self._reader.get(self._names["documents"], [str(id) for id in ids], fields=fields)

    def _present(self, ids: Collection[int]) -> list[int]:
        return [hit["_source"]["id"] for hit in self._hits(ids, fields=("id",))]

    def _scan_ids(self, after: int, **request: Any) -> Iterator[Hit]:
        return self._reader.scan(
            self._names["documents"],
            query={"range": {"id": {"gt": after}}},
            sort=_BY_ID,
            page=10_000,
            source=False,
            stored_fields="_none_",
            **request,
        )

    def _scan(self, after: int) -> Iterator[Hit]:
        """Documents in order of id, so many at a time as fit into a little memory."""
        batch: list[int] = []
        characters = 0
        for hit in self._scan_ids(after, docvalue_fields=["content_length"]):
            batch.append(int(hit["sort"][0]))
            characters += int(hit["fields"]["content_length"][0])
            if characters >= _SCAN_CHARACTERS or len(batch) >= 500:
                yield from self._hits(batch)
                batch, characters = [], 0
        if batch:
            yield from self._hits(batch)

    def _named(self, records: Sequence[StoredDocument]) -> list[StoredDocument]:
        nameless = [r.document.id for r in records if not r.document.uuid]
        known = {
            hit["_source"]["id"]: hit["_source"]["uuid"]
            for hit in self._hits(nameless, fields=("id", "uuid"))
        }
        named = []
        for record in records:
            document = record.document
            uuid = document.uuid or known.get(document.id) or ""
            uuid = uuid.lower() or document_uuid(self.namespace, document.id)
            named.append(
                record
                if uuid == document.uuid
                else StoredDocument(replace(document, uuid=uuid), record.fingerprint)
            )
        return named

    def _uuids_of_others(self, documents: Sequence[Document]) -> set[str]:
        """Which of the uuids belong to a document of another id, stored or in this very batch."""
        owners: dict[str, int] = {}
        taken = set()
        for document in documents:
            if owners.setdefault(document.uuid, document.id) != document.id:
                taken.add(document.uuid)
        # The name that we gave ourselves can hardly be another's, and looking costs a search.
        foreign = [uuid for uuid, id in owners.items() if uuid != document_uuid(self.namespace, id)]
        for uuid, id in self._ids_of_uuids(foreign).items():
            if owners[uuid] != id:
                taken.add(uuid)
        return taken

    def _ids_of_uuids(self, uuids: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for start in range(0, len(uuids), _MANY_IDS):
            for hit in self._reader.scan(
                self._names["documents"],
                query={"terms": {"uuid": list(uuids[start : start + _MANY_IDS])}},
                sort=_BY_ID,
                source_includes=["id", "uuid"],
            ):
                found[hit["_source"]["uuid"]] = hit["_source"]["id"]
        return found

    def _scan_with_ids(
        self,
        index: str,
        ids: Collection[int] | None,
        fields: Sequence[str],
        filters: Sequence[dict[str, Any]],
        *,
        sort: Sequence[dict[str, str]],
        limit: int | None = None,
    ) -> Iterator[Hit]:
        """Of all, or of those that hold one of `ids` in one of the fields."""
        if ids is None or len(ids) <= _MANY_IDS:
            conditions = list(filters)
            if ids is not None:
                conditions.append(
                    {"bool": {"should": [rows.id_terms(field, ids) for field in fields]}}
                )
            query = {"bool": {"filter": conditions}}
            yield from self._reader.scan(index, query=query, sort=sort, limit=limit)
            return
        wanted, left = set(ids), limit
        for hit in self._reader.scan(index, query={"bool": {"filter": list(filters)}}, sort=sort):
            held = [hit["_source"][field] for field in fields]
            if left == 0:
                return
            if any(not wanted.isdisjoint(h if isinstance(h, list) else (h,)) for h in held):
                left = None if left is None else left - 1
                yield hit

    def _write_groups(self, bodies: Sequence[tuple[str, bytes]]) -> None:
        index = self._names["groups"]
        self._writer.write_all(Operation("index", index, id, body) for id, body in bodies)

    def _drop_groups(
        self, kind: str, members: Collection[int], *, keeping: Collection[str]
    ) -> None:
        """After the new ones are there, so that no member is ever seen without its group."""
        index = self._names["groups"]
        hits = self._scan_with_ids(
            index, members, ("members",), [{"term": {"kind": kind}}], sort=[{"lowest": "asc"}]
        )
        self._writer.write_all(
            [Operation("delete", index, hit["_id"]) for hit in hits if hit["_id"] not in keeping]
        )


def _fits(document: Document) -> bool:
    return 0 < document.id <= MAX_DOCUMENT_ID


def _out_of_range(id: int) -> Refusal:
    return Refusal(id, f"an id is a number from 1 to {MAX_DOCUMENT_ID}")


def _uuid_taken(document: Document) -> Refusal:
    return Refusal(document.id, f"its uuid {document.uuid} belongs to another document")


def _relation(relation: Relation | None) -> list[dict[str, Any]]:
    return [{"term": {"relation": relation.value}}] if relation else []
