"""A service that ends closes its files while a page that nobody waits for any more is being made."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from paperless_fingerprint.files.sqlite import SqliteFile

PATIENCE_SECONDS = 60


def test_what_another_thread_is_in_the_middle_of_is_left_to_it(tmp_path: Path) -> None:
    """To close it would take the whole process down, with a segmentation fault."""
    file = SqliteFile(tmp_path / "some.db")
    arrived, go_on = threading.Event(), threading.Event()
    kept: list[sqlite3.Connection] = []
    found: list[tuple] = []

    def stop(number: int) -> int:
        arrived.set()
        assert go_on.wait(PATIENCE_SECONDS)
        return number

    def read() -> None:
        with file.reading() as connection:
            kept.append(connection)
            connection.create_function("stop", 1, stop)
            found.extend(connection.execute("SELECT stop(1) UNION ALL SELECT 2"))

    thread = threading.Thread(target=read)
    thread.start()
    assert arrived.wait(PATIENCE_SECONDS)
    file.close()
    go_on.set()
    thread.join(PATIENCE_SECONDS)
    assert found == [(1,), (2,)]
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        kept[0].execute("SELECT 1")


def test_what_nobody_uses_is_closed_at_once(tmp_path: Path) -> None:
    file = SqliteFile(tmp_path / "some.db")
    with file.reading() as connection:
        connection.execute("SELECT 1")
    file.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
