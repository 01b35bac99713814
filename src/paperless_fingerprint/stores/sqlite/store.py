"""The store in SQLite: write-ahead log, full text through FTS5, postings as plain integers."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Mapping
from pathlib import Path
from uuid import UUID

from paperless_fingerprint.errors import NoLibraryError, StoreError
from paperless_fingerprint.files.memory import give_back_what_is_freed
from paperless_fingerprint.stores.base import StoreCounts, StoreReport
from paperless_fingerprint.stores.sqlite import changes, fts_merge, postings, rows, schema
from paperless_fingerprint.stores.sqlite.documents import Documents, await_analysis
from paperless_fingerprint.stores.sqlite.results import Results, drop_chains, drop_groups


class SqliteStore(Documents, Results):
    """See stores.base.Store for what each method promises."""

    def __init__(self, path: Path | str, *, create: bool = True) -> None:
        super().__init__(path, pragmas=schema.PRAGMAS)
        if not create and not self.path.exists():
            raise NoLibraryError(
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
        with self.making() as connection:
            schema.prepare(connection, self.path)
            found = connection.execute("SELECT value FROM note WHERE name = 'namespace'").fetchone()
        self.namespace = UUID(found[0])

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
            drop_groups(connection, known)
            drop_chains(connection, known)
            await_analysis(connection, [id for (id,) in partners if id not in known])
            changes.note(connection, {*known, *(id for (id,) in partners)})
        return len(known)

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

    def settle(self, written: int) -> None:
        # What came last was large, and so is what is put in order now.
        give_back_what_is_freed()
        postings.post_those_that_wait(self)
        with self.writing() as connection:
            fts_merge.prepare_for(connection, import_=False)
            if written >= postings.LARGE_WRITE:
                fts_merge.lift(connection)
        with self.reading() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def tidy(self) -> bool:
        with self.writing() as connection:
            fts_merge.prepare_for(connection, import_=False)
            return fts_merge.tidy(connection)
