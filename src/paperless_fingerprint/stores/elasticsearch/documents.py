"""Documents in Elasticsearch: written, read, scanned; and which of them wait."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from paperless_fingerprint.model import (
    MAX_DOCUMENT_ID,
    Candidate,
    Document,
    Fingerprint,
    FingerprintRow,
    StoredDocument,
)
from paperless_fingerprint.stores.base import Pending, Refusal, WriteReport, document_uuid
from paperless_fingerprint.stores.elasticsearch import rows
from paperless_fingerprint.stores.elasticsearch.base import ATTEMPTS, MANY_IDS, Session
from paperless_fingerprint.stores.elasticsearch.bulk import Operation
from paperless_fingerprint.stores.elasticsearch.scan import Hit
from paperless_fingerprint.text.normalise import words

_BY_ID = [{"id": "asc"}]
_TEXT_FIELDS = ("id", "content", "content_zlib")
#: Texts read at a time in a scan, in characters.
_SCAN_CHARACTERS = 4_000_000
_WORDS_AT_ONCE = 500


class Documents(Session):
    """The part of the store that keeps documents and finds them."""

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
        for _attempt in range(ATTEMPTS):
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
            Operation("index", index, str(id), body, version, about=(id,))
            for (record, version), body in zip(sound, bodies, strict=True)
            for id in (record.document.id,)
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

    def get(self, ids: Collection[int]) -> dict[int, StoredDocument]:
        found = (rows.stored_from(hit["_source"], self._spec) for hit in self._hits(sorted(ids)))
        return {record.document.id: record for record in found}

    def metadata(self, ids: Collection[int]) -> dict[int, Document]:
        found = (
            rows.document_from(hit["_source"]) for hit in self._hits(ids, fields=rows.METADATA)
        )
        return {document.id: document for document in found}

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

    def too_short(self) -> dict[int, int]:
        found = self._reader.scan(
            self._names["documents"],
            query={"bool": {"must_not": {"exists": {"field": "shingles"}}}},
            sort=_BY_ID,
            source_includes=list(_TEXT_FIELDS),
        )
        return {
            hit["_source"]["id"]: len(words(rows.content_from(hit["_source"]))) for hit in found
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

    def candidates(
        self,
        fingerprint: Fingerprint,
        *,
        checksum: str | None = None,
        excluding: int | None = None,
    ) -> list[Candidate]:
        return self._candidates.find(fingerprint, checksum, excluding)

    def document_frequencies(
        self, words: Collection[str], *, at_most: int = 1_000_000_000
    ) -> dict[str, int]:
        counts: dict[str, int] = {}
        listed = list(words)
        # Counting is looking up a number here, so there is nothing to gain by stopping early.
        for start in range(0, len(listed), _WORDS_AT_ONCE):
            part = listed[start : start + _WORDS_AT_ONCE]
            filters = [{"term": {"content_words": word}} for word in part]
            answer = self._reader.search(
                self._names["documents"],
                own=True,
                size=0,
                aggs={"words": {"filters": {"filters": filters}}},
            )
            buckets = answer["aggregations"]["words"]["buckets"]
            counts.update(
                (word, min(int(bucket["doc_count"]), at_most))
                for word, bucket in zip(part, buckets, strict=True)
            )
        return counts

    def repeated_words(self) -> None:
        return None

    # Analysis ------------------------------------------------------------------------------

    def pending(
        self, limit: int | None = None, *, ids: Collection[int] | None = None
    ) -> list[Pending]:
        return self._waiting.listed(limit, ids)

    def mark_pending(self, ids: Collection[int]) -> None:
        self._waiting.add(self._present(ids))

    def mark_analysed(self, done: Sequence[Pending]) -> None:
        self._waiting.take_off(done)

    # Inside --------------------------------------------------------------------------------

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
                else replace(record, document=replace(document, uuid=uuid))
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
        for start in range(0, len(uuids), MANY_IDS):
            for hit in self._reader.scan(
                self._names["documents"],
                query={"terms": {"uuid": list(uuids[start : start + MANY_IDS])}},
                sort=_BY_ID,
                source_includes=["id", "uuid"],
            ):
                found[hit["_source"]["uuid"]] = hit["_source"]["id"]
        return found


def _fits(document: Document) -> bool:
    return 0 < document.id <= MAX_DOCUMENT_ID


def _out_of_range(id: int) -> Refusal:
    return Refusal(id, f"an id is a number from 1 to {MAX_DOCUMENT_ID}")


def _uuid_taken(document: Document) -> Refusal:
    return Refusal(document.id, f"its uuid {document.uuid} belongs to another document")
