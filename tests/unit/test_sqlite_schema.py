"""A file of an earlier version becomes one of this version, with all that is in it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from documents import stored
from paperless_fingerprint.query.language import parse
from paperless_fingerprint.query.searcher import Asker, Scope
from paperless_fingerprint.stores.sqlite import SqliteStore, schema
from paperless_fingerprint.stores.sqlite.search import SqliteSearcher


def test_a_file_of_the_first_version_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "library.db"
    with monkeypatch.context() as earlier:
        earlier.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        earlier.setattr(schema, "VERSION", 1)
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
        with sqlite3.connect(path) as connection:
            return int(connection.execute("PRAGMA page_size").fetchone()[0])

    with monkeypatch.context() as earlier:
        earlier.setattr(schema, "_PAGE_BYTES", 4096)
        SqliteStore(tmp_path / "old.db").close()
    for name, expected in (("old.db", 4096), ("new.db", 8192)):
        store = SqliteStore(tmp_path / name)
        store.put([stored(id, f"text {id}") for id in range(1, 300)])
        assert len(store.ids()) == 299
        store.close()
        assert page_bytes(tmp_path / name) == expected
