"""The worker's own file: what waits, what was written to Paperless, what was seen of it.

It lies beside the library, also where the library is an Elasticsearch: events must be taken in
while that is away. Nothing in it is beyond repair: without it, a sync looks at every document
again, and our tags are recognised by their names.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.files.sqlite import Format, SqliteFile, made_of
from paperless_fingerprint.languages.reasons import Reason

#: 'pfwk'.
APPLICATION_ID = 0x7066776B

_SCHEMA = (
    "CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # One row a document, however many events: whoever does the document does them all. A ticket is
    # never given twice, so that an event which comes while its document is being done is not lost.
    """CREATE TABLE event (
        document_id INTEGER PRIMARY KEY,
        ticket INTEGER NOT NULL,
        noticed TEXT NOT NULL,
        tries INTEGER NOT NULL DEFAULT 0,
        next_try REAL NOT NULL DEFAULT 0,
        state TEXT NOT NULL DEFAULT 'waiting',
        error TEXT NOT NULL DEFAULT ''
    )""",
    "CREATE INDEX event_order ON event (state, ticket)",
    # Documents about which Paperless may have to be told something.
    "CREATE TABLE untold (document_id INTEGER PRIMARY KEY, ticket INTEGER NOT NULL)",
    "CREATE TABLE seen (document_id INTEGER PRIMARY KEY, modified TEXT NOT NULL)",
    """CREATE TABLE written (
        document_id INTEGER NOT NULL,
        kind TEXT NOT NULL,
        number INTEGER NOT NULL,
        value TEXT NOT NULL,
        state TEXT NOT NULL,
        PRIMARY KEY (document_id, kind)
    ) WITHOUT ROWID""",
)

_FORMAT = Format(
    APPLICATION_ID,
    0,
    made_of(_SCHEMA),
    "Name another file with PAPERLESS_FINGERPRINT_INBOX_FILE.",
)


class WorkerFile(SqliteFile):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"The folder {path.parent} for the inbox cannot be made: {error.strerror}. Name "
                "another file with PAPERLESS_FINGERPRINT_INBOX_FILE."
            ) from error
        with self.making() as connection:
            _FORMAT.prepare(connection, path)

    def note(self, name: str) -> str | None:
        with self.reading() as connection:
            found = connection.execute("SELECT value FROM note WHERE name = ?", (name,)).fetchone()
        return found[0] if found else None

    def put_note(self, name: str, value: str) -> None:
        with self.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO note VALUES (?, ?)", (name, value))

    def _explained(self, error: sqlite3.Error) -> StoreError:
        return StoreError(Reason("inbox_file", {"path": str(self.path), "what": str(error)}))


def next_ticket(connection: sqlite3.Connection) -> int:
    connection.execute(
        "INSERT INTO counter VALUES ('ticket', 1) "
        "ON CONFLICT (name) DO UPDATE SET value = value + 1"
    )
    found = connection.execute("SELECT value FROM counter WHERE name = 'ticket'").fetchone()
    return int(found[0])
