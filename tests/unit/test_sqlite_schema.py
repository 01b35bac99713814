"""A file of an earlier version becomes one of this version, with all that is in it."""

from __future__ import annotations

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
