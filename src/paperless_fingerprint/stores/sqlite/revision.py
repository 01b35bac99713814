"""When a library in SQLite has changed."""

from __future__ import annotations

import threading
from pathlib import Path

from paperless_fingerprint.files.sqlite import SqliteFile
from paperless_fingerprint.stores.sqlite import changes


class SqliteRevision:
    """SQLite counts for each connection how often the others have written. So this takes one of
    its own that never writes."""

    def __init__(self, path: Path) -> None:
        self._file = SqliteFile(path)
        self._lock = threading.Lock()
        with self._file.making() as connection:
            self._connection = connection

    def now(self) -> str:
        # The counter is the connection's: whichever thread asks must ask the same one.
        with self._lock, self._file.reading():
            return str(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def changes(self, since: int | None) -> tuple[int, frozenset[int] | None]:
        with self._lock, self._file.reading():
            return changes.since(self._connection, since)

    def close(self) -> None:
        self._file.close()
