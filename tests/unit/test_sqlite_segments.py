"""The full-text index of a large import is merged once, at its end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from documents import some_text, stored
from paperless_fingerprint.stores.sqlite import SqliteStore, postings


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteStore]:
    monkeypatch.setattr(postings, "LARGE_WRITE", 10)
    store = SqliteStore(tmp_path / "library.db")
    yield store
    store.close()


def put(store: SqliteStore, first: int, last: int) -> None:
    store.put([stored(id, some_text(30, id)) for id in range(first, last)])


def segments(store: SqliteStore) -> int:
    with store.reading() as connection:
        query = "SELECT count(DISTINCT segid) FROM words_idx"
        return int(connection.execute(query).fetchone()[0])


def test_an_import_of_many_writes_leaves_one_segment(store: SqliteStore) -> None:
    for first in range(1, 120, 10):
        put(store, first, first + 10)
    assert segments(store) == 12
    store.settle(120)
    assert segments(store) == 1
    assert [id for id, _ in store.search_words([some_text(30, 57).split()[3]])].count(57) == 1


def test_after_an_import_that_was_killed_small_writes_merge_as_ever(store: SqliteStore) -> None:
    for first in range(1, 120, 10):
        put(store, first, first + 10)
    for id in range(200, 420):
        put(store, id, id + 1)
    # 220 writes, of which not even the 16 are left that an import may leave.
    assert segments(store) < 12 + 16
    assert len(store.search_words(["ba"], limit=1_000)) == len(
        [id for id in store.ids() if "ba" in store.texts([id])[id].split()]
    )


def test_a_few_documents_do_not_have_a_large_library_written_anew(store: SqliteStore) -> None:
    put(store, 1, 101)
    store.settle(100)
    put(store, 101, 112)
    store.settle(11)
    assert segments(store) == 2
    put(store, 112, 150)
    store.settle(38)
    assert segments(store) == 1
