"""A file of SQLite: one connection a thread, and its errors as sentences that say what to do."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paperless_fingerprint.errors import StoreError

LOCK_SECONDS = 60
#: For one connection: the words of the full-text index and how many documents hold each. A view,
#: which keeps nothing itself.
VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab (main, words, col)"


class SqliteFile:
    """What was acknowledged survives a power cut, not only the death of the process."""

    def __init__(self, path: Path | str, *, pragmas: tuple[str, ...] = ()) -> None:
        self.path = Path(path)
        self._pragmas = ("synchronous = FULL", *pragmas)
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._guard = threading.Lock()

    def close(self) -> None:
        with self._guard:
            for connection in self._connections:
                connection.close()
            self._connections.clear()
        self._local = threading.local()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._connection()
        except sqlite3.Error as error:
            raise self._explained(error) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing; nobody else writes meanwhile."""
        with self.reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # SQLite has taken it back by itself where the disk is full.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(
                self.path, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False
            )
            with self._guard:
                self._connections.append(connection)
            self._prepare(connection)
            self._local.connection = connection
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        for pragma in self._pragmas:
            connection.execute(f"PRAGMA {pragma}")

    def _explained(self, error: sqlite3.Error) -> StoreError:
        return StoreError(f"The library {self.path} cannot be used: {_why(str(error))}")


def _why(text: str) -> str:
    if "full" in text:
        return "the disk is full. Make room and run the command again; nothing was half written."
    if "readonly" in text or "read-only" in text:
        return "it is read-only for this user. Give the file and its folder write permission."
    if "locked" in text or "busy" in text:
        return f"another process has held it for {LOCK_SECONDS} seconds. Wait for it, or stop it."
    if "not a database" in text or "malformed" in text:
        return (
            "the file is damaged, or no SQLite database. Restore it from a backup, or move it "
            "away and run 'import' or 'sync' again: everything but decisions can be made anew."
        )
    if "unable to open" in text:
        return "it cannot be opened. Check that the folder is there and that you may write to it."
    return f"SQLite says: {text}."
