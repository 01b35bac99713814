"""Documents in SQLite with their fingerprints, words and postings, and what waits for analysis."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from paperless_fingerprint.candidates.rules import SAME_AT_MOST, compare_sketches, ranked
from paperless_fingerprint.files.sqlite import VOCABULARY, SqliteFile
from paperless_fingerprint.model import (
    MAX_DOCUMENT_ID,
    Candidate,
    Document,
    Fingerprint,
    FingerprintRow,
    StoredDocument,
)
from paperless_fingerprint.stores.base import Pending, Refusal, WriteReport, document_uuid
from paperless_fingerprint.stores.sqlite import changes, fts_merge, postings, rows

_SCAN_ROWS = 256


class Documents(SqliteFile):
    """The part of stores.base.Store that is about documents."""

    namespace: UUID

    def put(self, records: Sequence[StoredDocument]) -> WriteReport:
        refused = [_refusal(record.document) for record in records if not _fits(record.document)]
        # Of an id that is given twice the last one counts, as if they had come one by one.
        wanted = {r.document.id: r for r in records if _fits(r.document)}
        with self.writing() as connection:
            known = self._rows(connection, wanted)
            named = [self._named(record, known) for record in wanted.values()]
            taken = self._uuids_of_others(connection, named)
            named = [record for record in named if record.document.uuid not in taken]
            refused += [
                Refusal(r.document.id, f"its uuid {r.document.uuid} belongs to another document")
                for r in wanted.values()
                if r.document.uuid in taken
            ]
            self._forget_text(
                connection, [known[r.document.id] for r in named if r.document.id in known]
            )
            self._write(connection, named)
            await_analysis(connection, [record.document.id for record in named])
            changes.note(connection, [record.document.id for record in named])
        return WriteReport(len(named), tuple(refused))

    def put_metadata(self, documents: Sequence[Document]) -> WriteReport:
        wanted = {document.id: document for document in documents}
        with self.writing() as connection:
            known = self._rows(connection, wanted)
            refused = tuple(
                Refusal(id, "it is not in the library") for id in wanted if id not in known
            )
            written = []
            for id, old in known.items():
                uuid = wanted[id].uuid or old.document.uuid
                new = replace(wanted[id], uuid=uuid, content=old.document.content)
                written.append((old, new))
            taken = self._uuids_of_others(
                connection, [StoredDocument(new, old.fingerprint) for old, new in written]
            )
            refused += tuple(
                Refusal(new.id, f"its uuid {new.uuid} belongs to another document")
                for _, new in written
                if new.uuid in taken
            )
            written = [(old, new) for old, new in written if new.uuid not in taken]
            columns = ", ".join(f"{name} = ?" for name in rows.METADATA.split(", ")[1:])
            connection.executemany(
                f"UPDATE document SET {columns} WHERE id = ?",
                [(*rows.metadata_row(new)[1:], new.id) for _, new in written],
            )
            _unindex_words(connection, [old.document for old, _ in written])
            _index_words(connection, (rows.search_row(new) for _, new in written))
            await_analysis(connection, [new.id for _, new in written])
            changes.note(connection, [new.id for _, new in written])
        return WriteReport(len(written), refused)

    def get(self, ids: Collection[int]) -> dict[int, StoredDocument]:
        with self.reading() as connection:
            return self._rows(connection, ids)

    def metadata(self, ids: Collection[int]) -> dict[int, Document]:
        with self.reading() as connection:
            found = _of(connection, f"SELECT {rows.METADATA} FROM document", ids)
            return {row[0]: rows.document_from(row, "") for row in found}

    def texts(self, ids: Collection[int]) -> dict[int, str]:
        with self.reading() as connection:
            return dict(_of(connection, "SELECT id, text FROM content", ids))

    def text_hashes(self, ids: Collection[int]) -> dict[int, tuple[str, str]]:
        with self.reading() as connection:
            found = _of(connection, "SELECT id, spec, text_hash FROM document", ids)
            return {id: (spec, text_hash) for id, spec, text_hash in found}

    def too_short(self) -> dict[int, int]:
        with self.reading() as connection:
            return dict(connection.execute("SELECT id, words FROM document WHERE bands = x''"))

    def id_of_uuid(self, uuid: str) -> int | None:
        with self.reading() as connection:
            found = connection.execute(
                "SELECT id FROM document WHERE uuid = ?", (uuid.lower(),)
            ).fetchone()
        return found[0] if found else None

    def ids(self) -> list[int]:
        with self.reading() as connection:
            return [id for (id,) in connection.execute("SELECT id FROM content ORDER BY id")]

    def documents(self, after: int = 0) -> Iterator[StoredDocument]:
        columns = f"{rows.METADATA}, {rows.FINGERPRINT}, text"
        return map(rows.stored_from, self._scan(columns, "document JOIN content USING (id)", after))

    def fingerprints(self) -> Iterator[FingerprintRow]:
        for row in self._scan(f"id, checksum, {rows.FINGERPRINT}", "document"):
            yield FingerprintRow(row[0], row[1], rows.fingerprint_from(row[2:]))

    def _scan(self, columns: str, tables: str, after: int = 0) -> Iterator[Any]:
        """Rows by id, which comes first in them. Page by page and not in one long read, which would
        keep the write-ahead log growing."""
        while True:
            with self.reading() as connection:
                page = connection.execute(
                    f"SELECT {columns} FROM {tables} WHERE id > ? ORDER BY id LIMIT ?",
                    (after, _SCAN_ROWS),
                ).fetchall()
            yield from page
            if len(page) < _SCAN_ROWS:
                return
            after = page[-1][0]

    # Candidates ----------------------------------------------------------------------------

    def candidates(
        self,
        fingerprint: Fingerprint,
        *,
        checksum: str | None = None,
        excluding: int | None = None,
    ) -> list[Candidate]:
        postings.post_those_that_wait(self)
        with self.at_one_moment() as connection:
            same_text = self._same(connection, "text_hash", fingerprint.text_hash, excluding)
            same_file = self._same(connection, "checksum", checksum, excluding)
            shared_bands: dict[int, int] = {}
            found: list[int] = []
            if fingerprint.sketch:
                shared_bands = postings.band_mates(connection, fingerprint, excluding)
                found = postings.shortlist(connection, fingerprint, excluding)
            met = sorted({*found, *shared_bands, *same_text, *same_file})
            others = _of(connection, f"SELECT id, {rows.FINGERPRINT} FROM document", met).fetchall()
        fingerprints = {row[0]: rows.fingerprint_from(row[1:]) for row in others}
        return ranked(
            compare_sketches(
                fingerprint,
                fingerprints,
                shared_bands=shared_bands,
                same_text=same_text,
                same_file=same_file,
            )
        )

    def document_frequencies(
        self, words: Collection[str], *, at_most: int = 1_000_000_000
    ) -> dict[str, int]:
        asked = list(words)
        with self.reading() as connection:
            found = postings.frequencies(connection, asked, at_most)
        return dict(zip(asked, found, strict=True))

    def repeated_words(self) -> Iterator[tuple[str, int]]:
        with self.reading() as connection:
            connection.execute(VOCABULARY)
            yield from connection.execute(
                "SELECT term, doc FROM temp.vocabulary WHERE col = 'content' AND doc > 1"
            )

    # Analysis ------------------------------------------------------------------------------

    def pending(
        self, limit: int | None = None, *, ids: Collection[int] | None = None
    ) -> list[Pending]:
        where, values = rows.where(ids, None, "id IN {}")
        values["limit"] = -1 if limit is None else limit
        with self.reading() as connection:
            found = connection.execute(
                f"SELECT id, token FROM pending {where} ORDER BY id LIMIT :limit", values
            ).fetchall()
        return [Pending(id, str(token)) for id, token in found]

    def mark_pending(self, ids: Collection[int]) -> None:
        with self.writing() as connection:
            await_analysis(
                connection, [id for (id,) in _of(connection, "SELECT id FROM content", ids)]
            )

    def mark_analysed(self, done: Sequence[Pending]) -> None:
        with self.writing() as connection:
            connection.executemany(
                "DELETE FROM pending WHERE id = ? AND token = ?",
                [(item.id, int(item.token)) for item in done],
            )

    # Inside --------------------------------------------------------------------------------

    def _rows(
        self, connection: sqlite3.Connection, ids: Collection[int] | Mapping[int, Any]
    ) -> dict[int, StoredDocument]:
        if not ids:
            return {}
        columns = f"{rows.METADATA}, {rows.FINGERPRINT}, text"
        found = _of(connection, f"SELECT {columns} FROM document JOIN content USING (id)", ids)
        return {row[0]: rows.stored_from(row) for row in found}

    def _named(self, record: StoredDocument, known: Mapping[int, StoredDocument]) -> StoredDocument:
        document = record.document
        if document.uuid:
            uuid = document.uuid.lower()
        elif document.id in known:
            uuid = known[document.id].document.uuid
        else:
            uuid = document_uuid(self.namespace, document.id)
        if uuid == document.uuid:
            return record
        return replace(record, document=replace(document, uuid=uuid))

    def _uuids_of_others(
        self, connection: sqlite3.Connection, records: Sequence[StoredDocument]
    ) -> set[str]:
        """Which of the uuids belong to a document of another id, stored or in this very batch."""
        owners: dict[str, int] = {}
        taken = set()
        for record in records:
            if owners.setdefault(record.document.uuid, record.document.id) != record.document.id:
                taken.add(record.document.uuid)
        for uuid, id in connection.execute(
            "SELECT uuid, id FROM document WHERE uuid IN (SELECT value FROM json_each(?))",
            (rows.to_json(list(owners)),),
        ):
            if owners[uuid] != id:
                taken.add(uuid)
        return taken

    def _same(
        self, connection: sqlite3.Connection, column: str, value: str | None, excluding: int | None
    ) -> set[int]:
        if not value:
            return set()
        found = connection.execute(
            f"SELECT id FROM document WHERE {column} = ? AND {column} != '' AND id IS NOT ? "
            "ORDER BY id LIMIT ?",
            (value, excluding, SAME_AT_MOST),
        )
        return {id for (id,) in found}

    def _write(self, connection: sqlite3.Connection, records: Sequence[StoredDocument]) -> None:
        marks = ", ".join("?" * 25)
        connection.executemany(
            f"INSERT OR REPLACE INTO document ({rows.METADATA}, {rows.FINGERPRINT}) VALUES ({marks})",
            (
                (*rows.metadata_row(r.document), *rows.fingerprint_row(r.fingerprint))
                for r in records
            ),
        )
        connection.executemany(
            "INSERT OR REPLACE INTO content VALUES (?, ?)",
            ((r.document.id, r.document.content) for r in records),
        )
        fts_merge.prepare_for(connection, import_=len(records) >= postings.LARGE_WRITE)
        _index_words(connection, (rows.search_row(r.document, r.normalised) for r in records))
        postings.add(connection, records)

    def _forget_text(self, connection: sqlite3.Connection, old: Sequence[StoredDocument]) -> None:
        _unindex_words(connection, [record.document for record in old])
        postings.forget(connection, old)


def _of(
    connection: sqlite3.Connection, select: str, ids: Collection[int] | Mapping[int, Any]
) -> sqlite3.Cursor:
    return connection.execute(
        f"{select} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", (rows.id_list(ids),)
    )


def _fits(document: Document) -> bool:
    return 0 < document.id <= MAX_DOCUMENT_ID


def _refusal(document: Document) -> Refusal:
    return Refusal(document.id, f"an id is a number from 1 to {MAX_DOCUMENT_ID}")


def await_analysis(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    connection.executemany("INSERT OR REPLACE INTO pending (id) VALUES (?)", [(id,) for id in ids])


def _index_words(
    connection: sqlite3.Connection, search_rows: Iterable[tuple[int, str, str, str, str, str]]
) -> None:
    connection.executemany(
        "INSERT INTO words (rowid, title, content, correspondent, document_type, tags) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        search_rows,
    )


def _unindex_words(connection: sqlite3.Connection, documents: Sequence[Document]) -> None:
    connection.executemany(
        "INSERT INTO words (words, rowid, title, content, correspondent, document_type, tags) "
        "VALUES ('delete', ?, ?, ?, ?, ?, ?)",
        (rows.search_row(document) for document in documents),
    )
