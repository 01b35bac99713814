"""A file of an earlier version becomes one of this version, with all that is in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from documents import stored
from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.files import sqlite
from paperless_fingerprint.integration.state import WorkerFile
from paperless_fingerprint.query.language import parse
from paperless_fingerprint.query.searcher import Asker, Scope
from paperless_fingerprint.review.journal import Journal
from paperless_fingerprint.stores.sqlite import SqliteStore, changes, schema
from paperless_fingerprint.stores.sqlite.search import SqliteSearcher

FILES: tuple[Callable[[Path], SqliteStore | WorkerFile | Journal], ...] = (
    SqliteStore, WorkerFile, Journal,
)  # fmt: skip


def test_a_file_of_the_first_version_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "library.db"
    with monkeypatch.context() as earlier:
        earlier.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        earlier.setattr(schema, "VERSION", 1)
        earlier.setattr(changes, "note", lambda *_: None)  # nobody took note of changes
        store = SqliteStore(path)
        store.put([stored(1, "geheim", owner="3"), stored(2, "geheim", owner="4")])
        store.close()
    store, searcher = SqliteStore(path), SqliteSearcher(path)
    assert searcher.count(parse("geheim"), Scope(Asker("3")), 10) == 1
    assert store.ids() == [1, 2]
    searcher.close()
    store.close()


def test_a_file_with_smaller_pages_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the files of earlier versions have; new ones are made with larger pages."""

    def page_bytes(path: Path) -> int:
        with closing(sqlite3.connect(path)) as connection:
            return int(connection.execute("PRAGMA page_size").fetchone()[0])

    with monkeypatch.context() as earlier:
        earlier.setattr(schema, "PRAGMAS", ("page_size = 4096",))
        SqliteStore(tmp_path / "old.db").close()
    for name, expected in (("old.db", 4096), ("new.db", 8192)):
        store = SqliteStore(tmp_path / name)
        store.put([stored(id, f"text {id}") for id in range(1, 300)])
        assert len(store.ids()) == 299
        store.close()
        assert page_bytes(tmp_path / name) == expected


@pytest.mark.parametrize("kind", FILES)
def test_another_process_may_make_the_file_while_this_one_looks_at_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind
) -> None:
    path = tmp_path / "file.db"
    connect = sqlite3.connect

    def watched(*arguments, **named) -> sqlite3.Connection:
        monkeypatch.setattr(sqlite.sqlite3, "connect", connect)
        connection = connect(*arguments, **named)

        def look(statement: str) -> None:
            if "sqlite_master" in statement:
                connection.set_trace_callback(None)
                with monkeypatch.context() as impatient, suppress(StoreError):
                    impatient.setattr(sqlite, "LOCK_SECONDS", 0)
                    kind(path).close()

        connection.set_trace_callback(look)
        return connection

    monkeypatch.setattr(sqlite.sqlite3, "connect", watched)
    kind(path).close()
    kind(path).close()


@pytest.mark.parametrize("kind", FILES)
def test_a_new_file_that_somebody_writes_to_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind
) -> None:
    """SQLite itself gives up at once here, whatever it was told to wait."""
    path = tmp_path / "file.db"
    kind(path).close()
    writer = sqlite3.connect(path, isolation_level=None)
    # As the file is where a process died between making the tables and this.
    writer.execute("PRAGMA journal_mode = DELETE")
    writer.execute("BEGIN IMMEDIATE")
    waited = []

    def leave(seconds: float) -> None:
        waited.append(seconds)
        writer.execute("COMMIT")

    monkeypatch.setattr(sqlite, "sleep", leave)
    kind(path).close()
    assert len(waited) == 1
    writer.close()
    with closing(sqlite3.connect(path)) as after:
        assert after.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize("make", FILES)
@pytest.mark.parametrize("content", [b"no database at all" * 300, b""])
def test_what_cannot_be_opened_leaves_nothing_open(tmp_path, monkeypatch, make, content):
    path = tmp_path / "library.db"
    if content:
        path.write_bytes(content)
    else:
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE of_another_program (x)")
    opened = []

    class Connection(sqlite3.Connection):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            self.is_open = True
            opened.append(self)

        def close(self):
            self.is_open = False
            super().close()

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **n: connect(*a, factory=Connection, **n))
    with pytest.raises(StoreError):
        make(path)
    assert opened
    assert not any(connection.is_open for connection in opened)
