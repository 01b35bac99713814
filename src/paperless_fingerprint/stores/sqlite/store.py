"""The store in SQLite: write-ahead log, full text through FTS5, postings as plain integers."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

from paperless_fingerprint.candidates import SAME_AT_MOST, compare_sketches, ranked
from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.model import (
    MAX_DOCUMENT_ID,
    Candidate,
    Decision,
    Document,
    Fingerprint,
    Group,
    Link,
    Pair,
    Relation,
    StoredDocument,
    VersionChain,
)
from paperless_fingerprint.stores.base import (
    Connections,
    FingerprintRow,
    Pending,
    Refusal,
    StoreCounts,
    StoreReport,
    WriteReport,
    document_uuid,
)
from paperless_fingerprint.stores.sqlite import postings, rows, schema
from paperless_fingerprint.stores.sqlite.file import SqliteFile

_SCAN_ROWS = 256


class SqliteStore(SqliteFile):
    """See stores.base.Store for what each method promises."""

    namespace: UUID

    def __init__(self, path: Path | str, *, create: bool = True) -> None:
        super().__init__(path, pragmas=("cache_size = -65536", "temp_store = MEMORY"))
        if not create and not self.path.exists():
            raise StoreError(
                f"There is no library at {self.path}. 'paperless-fingerprint import' or 'sync' "
                "makes one; --store names another place."
            )
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"The folder {self.path.parent} for the library cannot be made: {error.strerror}. "
                "Name another place with --store sqlite:///PATH."
            ) from error
        with self.reading() as connection:
            schema.prepare(connection, str(self.path))
            # Only now: a file that is not ours must stay as it is. The file remembers the mode.
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL")
            found = connection.execute("SELECT value FROM note WHERE name = 'namespace'").fetchone()
        self.namespace = UUID(found[0])

    # Documents -----------------------------------------------------------------------------

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
            _mark_pending(connection, [record.document.id for record in named])
        return WriteReport(len(named), tuple(refused))

    def put_metadata(self, documents: Sequence[Document]) -> WriteReport:
        wanted = {document.id: document for document in documents}
        with self.writing() as connection:
            known = self._rows(connection, wanted)
            refused = tuple(
                Refusal(id, "it is not in the library") for id in wanted if id not in known
            )
            changes = []
            for id, old in known.items():
                uuid = wanted[id].uuid or old.document.uuid
                new = replace(wanted[id], uuid=uuid, content=old.document.content)
                changes.append((old, new))
            taken = self._uuids_of_others(
                connection, [StoredDocument(new, old.fingerprint) for old, new in changes]
            )
            refused += tuple(
                Refusal(new.id, f"its uuid {new.uuid} belongs to another document")
                for _, new in changes
                if new.uuid in taken
            )
            changes = [(old, new) for old, new in changes if new.uuid not in taken]
            columns = ", ".join(f"{name} = ?" for name in rows.METADATA.split(", ")[1:])
            connection.executemany(
                f"UPDATE document SET {columns} WHERE id = ?",
                [(*rows.metadata_row(new)[1:], new.id) for _, new in changes],
            )
            _unindex_words(connection, [old.document for old, _ in changes])
            _index_words(connection, [new for _, new in changes])
            _mark_pending(connection, [new.id for _, new in changes])
        return WriteReport(len(changes), refused)

    def delete(self, ids: Collection[int]) -> int:
        with self.writing() as connection:
            known = self._rows(connection, ids)
            listed = rows.id_list(known)
            partners = connection.execute(
                "SELECT b FROM pair WHERE a IN (SELECT value FROM json_each(?1)) UNION "
                "SELECT a FROM pair WHERE b IN (SELECT value FROM json_each(?1))",
                (listed,),
            ).fetchall()
            self._forget_text(connection, list(known.values()))
            for table, column in (
                ("document", "id"), ("content", "id"), ("pending", "id"), ("pair", "a"), ("pair", "b"),
            ):  # fmt: skip
                connection.execute(
                    f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))",
                    (listed,),
                )
            _drop_groups(connection, known)
            _drop_chains(connection, known)
            _mark_pending(connection, [id for (id,) in partners if id not in known])
        return len(known)

    def get(self, ids: Collection[int]) -> dict[int, StoredDocument]:
        with self.reading() as connection:
            return self._rows(connection, ids)

    def metadata(self, ids: Collection[int]) -> dict[int, Document]:
        with self.reading() as connection:
            found = connection.execute(
                f"SELECT {rows.METADATA} FROM document "
                "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
                (rows.id_list(ids),),
            ).fetchall()
        return {row[0]: rows.document_from(row, "") for row in found}

    def texts(self, ids: Collection[int]) -> dict[int, str]:
        return self._mapping("SELECT id, text FROM content WHERE id IN", ids)

    def text_hashes(self, ids: Collection[int]) -> dict[int, tuple[str, str]]:
        with self.reading() as connection:
            found = connection.execute(
                "SELECT id, spec, text_hash FROM document "
                "WHERE id IN (SELECT value FROM json_each(?))",
                (rows.id_list(ids),),
            ).fetchall()
        return {id: (spec, text_hash) for id, spec, text_hash in found}

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
        # Page by page and not in one long read, which would keep the write-ahead log growing.
        while True:
            with self.reading() as connection:
                page = connection.execute(
                    f"SELECT {rows.METADATA}, {rows.FINGERPRINT}, text FROM document "
                    "JOIN content USING (id) WHERE id > ? ORDER BY id LIMIT ?",
                    (after, _SCAN_ROWS),
                ).fetchall()
            for row in page:
                yield rows.stored_from(row)
            if len(page) < _SCAN_ROWS:
                return
            after = page[-1][0]

    def fingerprints(self) -> Iterator[FingerprintRow]:
        after = 0
        while True:
            with self.reading() as connection:
                page = connection.execute(
                    f"SELECT id, checksum, {rows.FINGERPRINT} FROM document "
                    "WHERE id > ? ORDER BY id LIMIT ?",
                    (after, _SCAN_ROWS),
                ).fetchall()
            for row in page:
                yield FingerprintRow(row[0], row[1], rows.fingerprint_from(row[2:]))
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
        with self.reading() as connection:
            connection.execute("BEGIN")  # one snapshot for all that follows
            try:
                same_text = self._same(connection, "text_hash", fingerprint.text_hash, excluding)
                same_file = self._same(connection, "checksum", checksum, excluding)
                shared_bands: dict[int, int] = {}
                found: list[int] = []
                if fingerprint.sketch:
                    shared_bands = postings.band_mates(connection, fingerprint, excluding)
                    found = postings.shortlist(connection, fingerprint, excluding)
                met = sorted({*found, *shared_bands, *same_text, *same_file})
                others = connection.execute(
                    f"SELECT id, {rows.FINGERPRINT} FROM document "
                    "WHERE id IN (SELECT value FROM json_each(?))",
                    (rows.id_list(met),),
                ).fetchall()
            finally:
                connection.execute("COMMIT")
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

    def search_words(self, words: Sequence[str], *, limit: int = 10) -> list[tuple[int, float]]:
        if not words:
            return []
        expression = " OR ".join(f'"{word}"' for word in words)
        with self.reading() as connection:
            found = connection.execute(
                "SELECT rowid, -rank FROM words WHERE words MATCH ? ORDER BY rank, rowid LIMIT ?",
                (expression, limit),
            ).fetchall()
        return [(id, score) for id, score in found]

    def document_frequencies(
        self, words: Collection[str], *, at_most: int = 1_000_000_000
    ) -> dict[str, int]:
        query = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
        with self.reading() as connection:
            return {
                word: connection.execute(query, (f'content:"{word}"', at_most)).fetchone()[0]
                for word in words
            }

    # Analysis ------------------------------------------------------------------------------

    def pending(
        self, limit: int | None = None, *, ids: Collection[int] | None = None
    ) -> list[Pending]:
        where, values = _where(ids, None, "id IN {}")
        values["limit"] = -1 if limit is None else limit
        with self.reading() as connection:
            found = connection.execute(
                f"SELECT id, token FROM pending {where} ORDER BY id LIMIT :limit", values
            ).fetchall()
        return [Pending(id, str(token)) for id, token in found]

    def mark_pending(self, ids: Collection[int]) -> None:
        with self.writing() as connection:
            _mark_pending(connection, list(self._rows_present(connection, ids)))

    def mark_analysed(self, done: Sequence[Pending]) -> None:
        with self.writing() as connection:
            connection.executemany(
                "DELETE FROM pending WHERE id = ? AND token = ?",
                [(item.id, int(item.token)) for item in done],
            )

    def write_pairs(
        self, pairs: Sequence[Pair], *, removing: Collection[tuple[int, int]] = ()
    ) -> None:
        with self.writing() as connection:
            connection.executemany("DELETE FROM pair WHERE a = ? AND b = ?", removing)
            connection.executemany(
                "INSERT OR REPLACE INTO pair VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [rows.pair_row(pair) for pair in pairs],
            )

    def pairs(
        self,
        *,
        ids: Collection[int] | None = None,
        relation: Relation | None = None,
        at_least: float = 0.0,
        limit: int | None = None,
    ) -> Iterator[Pair]:
        conditions, values = _where(ids, relation, "a IN {0} OR b IN {0}", at_least)
        with self.reading() as connection:
            cursor = connection.execute(
                f"SELECT * FROM pair {conditions} "
                "ORDER BY confidence DESC, score DESC, a, b LIMIT :limit",
                {**values, "limit": -1 if limit is None else limit},
            )
            yield from _in_blocks(cursor, rows.pair_from)

    def links(self, *, ids: Collection[int] | None = None, at_least: float = 0.0) -> Iterator[Link]:
        conditions, values = _where(ids, None, "a IN {0} OR b IN {0}", at_least)
        with self.reading() as connection:
            cursor = connection.execute(
                f"SELECT a, b, relation, confidence, leader FROM pair {conditions}", values
            )
            yield from _in_blocks(cursor, rows.link_from)

    def connections(self, ids: Collection[int], *, at_least: float = 0.0) -> Connections:
        return Connections(
            tuple(self.links(ids=ids, at_least=at_least)),
            tuple(self.groups(ids=ids)),
            tuple(self.chains(ids)),
            tuple(self.decisions(ids)),
        )

    def replace_groups(self, members: Collection[int], groups: Sequence[Group]) -> None:
        with self.writing() as connection:
            affected = {*members, *(id for group in groups for id in group.members)}
            _drop_groups(connection, affected)
            connection.executemany(
                "INSERT INTO grouping VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [rows.group_row(group) for group in groups],
            )
            connection.executemany(
                "INSERT INTO grouping_member VALUES (?, ?)",
                [(id, group.id) for group in groups for id in group.members],
            )

    def groups(
        self,
        *,
        ids: Collection[int] | None = None,
        relation: Relation | None = None,
        limit: int | None = None,
    ) -> Iterator[Group]:
        conditions, values = _where(
            ids, relation, "id IN (SELECT grouping FROM grouping_member WHERE id IN {0})"
        )
        with self.reading() as connection:
            cursor = connection.execute(
                f"SELECT * FROM grouping {conditions} ORDER BY confidence DESC, lowest LIMIT :limit",
                {**values, "limit": -1 if limit is None else limit},
            )
            yield from _in_blocks(cursor, rows.group_from)

    def replace_chains(self, members: Collection[int], chains: Sequence[VersionChain]) -> None:
        with self.writing() as connection:
            affected = {*members, *(id for chain in chains for id in chain.members)}
            _drop_chains(connection, affected)
            connection.executemany(
                "INSERT INTO chain VALUES (?, ?, ?, ?)",
                [
                    (id, chain.id, position, id == chain.latest)
                    for chain in chains
                    for position, id in enumerate(chain.members)
                ],
            )

    def chains(self, ids: Collection[int] | None = None) -> list[VersionChain]:
        conditions, values = _where(ids, None, "chain IN (SELECT chain FROM chain WHERE id IN {0})")
        members: dict[str, list[int]] = {}
        with self.reading() as connection:
            for id, chain in connection.execute(
                f"SELECT id, chain FROM chain {conditions} ORDER BY chain, position", values
            ):
                members.setdefault(chain, []).append(id)
        return sorted(
            (VersionChain(chain, tuple(ids)) for chain, ids in members.items()),
            key=lambda chain: min(chain.members),
        )

    def put_decision(self, decision: Decision) -> None:
        with self.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO decision VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows.decision_row(decision),
            )

    def remove_decision(self, key: str) -> bool:
        with self.writing() as connection:
            return connection.execute("DELETE FROM decision WHERE key = ?", (key,)).rowcount > 0

    def decisions(self, ids: Collection[int] | None = None) -> list[Decision]:
        conditions, values = _where(ids, None, "a IN {0} OR b IN {0}")
        with self.reading() as connection:
            found = connection.execute(
                f"SELECT * FROM decision {conditions} ORDER BY a, b, key", values
            ).fetchall()
        return [rows.decision_from(row) for row in found]

    # The library ---------------------------------------------------------------------------

    def notes(self) -> dict[str, str]:
        with self.reading() as connection:
            return dict(connection.execute("SELECT name, value FROM note").fetchall())

    def put_notes(self, notes: Mapping[str, str]) -> None:
        with self.writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO note VALUES (?, ?)", notes.items())
        if "namespace" in notes:
            self.namespace = UUID(notes["namespace"])

    def report(self) -> StoreReport:
        with self.reading() as connection:
            counted = [
                connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in ("content", "pending", "pair", "grouping", "decision")
            ]
        findings = []
        if not os.access(self.path, os.W_OK):
            findings.append(
                f"The library {self.path} is read-only for this user; give it write permission."
            )
        return StoreReport(
            kind="SQLite",
            address=f"sqlite:///{self.path}",
            version=sqlite3.sqlite_version,
            counts=StoreCounts(*counted),
            bytes_used=self.path.stat().st_size,
            findings=tuple(findings),
            details={"format": str(schema.VERSION), "namespace": str(self.namespace)},
        )

    def settle(self) -> None:
        with self.reading() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # Inside --------------------------------------------------------------------------------

    def _mapping(self, query: str, ids: Collection[int]) -> dict[int, Any]:
        with self.reading() as connection:
            return dict(
                connection.execute(
                    f"{query} (SELECT value FROM json_each(?))", (rows.id_list(ids),)
                ).fetchall()
            )

    def _rows(
        self, connection: sqlite3.Connection, ids: Collection[int] | Mapping[int, Any]
    ) -> dict[int, StoredDocument]:
        if not ids:
            return {}
        found = connection.execute(
            f"SELECT {rows.METADATA}, {rows.FINGERPRINT}, text FROM document "
            "JOIN content USING (id) WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
            (rows.id_list(ids),),
        ).fetchall()
        return {row[0]: rows.stored_from(row) for row in found}

    def _rows_present(self, connection: sqlite3.Connection, ids: Collection[int]) -> list[int]:
        return [
            id
            for (id,) in connection.execute(
                "SELECT id FROM content WHERE id IN (SELECT value FROM json_each(?))",
                (rows.id_list(ids),),
            )
        ]

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
        return StoredDocument(replace(document, uuid=uuid), record.fingerprint)

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
            [
                (*rows.metadata_row(r.document), *rows.fingerprint_row(r.fingerprint))
                for r in records
            ],
        )
        connection.executemany(
            "INSERT OR REPLACE INTO content VALUES (?, ?)",
            [(r.document.id, r.document.content) for r in records],
        )
        _index_words(connection, [r.document for r in records])
        for table, prefixes in postings.TABLES:
            connection.executemany(
                f"INSERT OR IGNORE INTO {table} VALUES (?)",
                postings.posting_keys(records, prefixes),
            )

    def _forget_text(self, connection: sqlite3.Connection, old: Sequence[StoredDocument]) -> None:
        _unindex_words(connection, [record.document for record in old])
        for table, prefixes in postings.TABLES:
            connection.executemany(
                f"DELETE FROM {table} WHERE key = ?", postings.posting_keys(old, prefixes)
            )


def _fits(document: Document) -> bool:
    return 0 < document.id <= MAX_DOCUMENT_ID


def _refusal(document: Document) -> Refusal:
    return Refusal(document.id, f"an id is a number from 1 to {MAX_DOCUMENT_ID}")


def _mark_pending(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    connection.executemany("INSERT OR REPLACE INTO pending (id) VALUES (?)", [(id,) for id in ids])


def _index_words(connection: sqlite3.Connection, documents: Sequence[Document]) -> None:
    connection.executemany(
        "INSERT INTO words (rowid, title, content, correspondent, document_type, tags) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (rows.search_row(document) for document in documents),
    )


def _unindex_words(connection: sqlite3.Connection, documents: Sequence[Document]) -> None:
    connection.executemany(
        "INSERT INTO words (words, rowid, title, content, correspondent, document_type, tags) "
        "VALUES ('delete', ?, ?, ?, ?, ?, ?)",
        (rows.search_row(document) for document in documents),
    )


def _drop_groups(connection: sqlite3.Connection, members: Collection[int]) -> None:
    names = rows.to_json(
        [
            name
            for (name,) in connection.execute(
                "SELECT DISTINCT grouping FROM grouping_member "
                "WHERE id IN (SELECT value FROM json_each(?))",
                (rows.id_list(members),),
            )
        ]
    )
    for statement in (
        "DELETE FROM grouping WHERE id IN (SELECT value FROM json_each(?))",
        "DELETE FROM grouping_member WHERE grouping IN (SELECT value FROM json_each(?))",
    ):
        connection.execute(statement, (names,))


def _drop_chains(connection: sqlite3.Connection, members: Collection[int]) -> None:
    connection.execute(
        "DELETE FROM chain WHERE chain IN (SELECT chain FROM chain "
        "WHERE id IN (SELECT value FROM json_each(?)))",
        (rows.id_list(members),),
    )


def _where(
    ids: Collection[int] | None, relation: Relation | None, by_id: str, at_least: float = 0.0
) -> tuple[str, dict[str, Any]]:
    conditions: list[str] = []
    values: dict[str, Any] = {}
    if ids is not None:
        conditions.append("(" + by_id.format("(SELECT value FROM json_each(:ids))") + ")")
        values["ids"] = rows.id_list(ids)
    if relation is not None:
        conditions.append("relation = :relation")
        values["relation"] = relation.value
    if at_least > 0:
        conditions.append("confidence >= :at_least")
        values["at_least"] = at_least
    return ("WHERE " + " AND ".join(conditions) if conditions else ""), values


def _in_blocks(cursor: sqlite3.Cursor, value_from: Any) -> Iterator[Any]:
    while block := cursor.fetchmany(_SCAN_ROWS):
        for row in block:
            yield value_from(row)
