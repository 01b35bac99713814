"""The segments of the full-text index are merged while nobody waits, and not in a write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from documents import some_text, stored
from libraries import with_any
from paperless_fingerprint.stores.sqlite import SqliteStore, fts_merge, postings


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteStore]:
    monkeypatch.setattr(postings, "LARGE_WRITE", 10)
    store = SqliteStore(tmp_path / "library.db")
    yield store
    store.close()


def put(store: SqliteStore, first: int, last: int) -> None:
    store.put([stored(id, some_text(30, id)) for id in range(first, last)])


def imported(store: SqliteStore, writes: int, each: int) -> None:
    for first in range(1, writes * each, each):
        put(store, first, first + each)
    store.settle(writes * each)


def count_segments(store: SqliteStore) -> int:
    with store.reading() as connection:
        query = "SELECT count(DISTINCT segid) FROM words_idx"
        return int(connection.execute(query).fetchone()[0])


def tidied(store: SqliteStore) -> int:
    steps = 1
    while store.tidy():
        steps += 1
        assert steps < 1_000
    return steps


def test_what_an_import_leaves_is_merged_bit_by_bit(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fts_merge, "_PAGES", 4)
    imported(store, 12, 40)
    assert count_segments(store) >= 12
    assert tidied(store) > 2
    assert count_segments(store) <= 2
    assert with_any(store, some_text(30, 57).split()[3]).count(57) == 1
    assert tidied(store) == 1


def test_no_write_merges_a_library(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's own rule would have one of these merge all that the import left: every sixteenth
    write, and once more every 256th."""
    imported(store, 12, 60)

    def most_rows_of_a_write(first: int, last: int) -> int:
        most = 0
        for id in range(first, last):
            before = store._own().connection.total_changes
            put(store, id, id + 1)
            most = max(most, store._own().connection.total_changes - before)
        return most

    one = most_rows_of_a_write(1_000, 1_001)
    assert most_rows_of_a_write(1_001, 1_040) < one + 10
    # As SQLite does it by itself.
    monkeypatch.setattr(fts_merge, "_AT_MOST", 16)
    assert most_rows_of_a_write(1_040, 1_042) > one + 10


def test_small_writes_leave_few_segments_where_nobody_tidies(store: SqliteStore) -> None:
    imported(store, 12, 10)
    for id in range(200, 420):
        put(store, id, id + 1)
    assert count_segments(store) < 64
    assert with_any(store, "ba") == [
        id for id in store.ids() if "ba" in store.texts([id])[id].split()
    ]


def test_tidying_keeps_the_segments_few(store: SqliteStore) -> None:
    imported(store, 12, 10)
    for id in range(200, 420):
        put(store, id, id + 1)
        tidied(store)
        assert count_segments(store) <= 3 * 8


def rows_written(store: SqliteStore) -> int:
    """In a row of a table lies what a page of the index holds."""
    before = store._own().connection.total_changes
    tidied(store)
    return store._own().connection.total_changes - before


def test_documents_after_an_import_do_not_have_it_written_anew(store: SqliteStore) -> None:
    """Without lifting, the fortieth of these merges all of the import."""
    imported(store, 12, 60)
    whole = rows_written(store)
    most = 0
    for id in range(1_000, 1_150):
        put(store, id, id + 1)
        most = max(most, rows_written(store))
    assert most < whole / 3


def test_lifting_changes_nothing_that_a_search_sees(store: SqliteStore) -> None:
    imported(store, 3, 40)
    found = with_any(store, "ba", "lift")
    for _ in range(30):
        put(store, 1_000, 1_001)
        store.delete([1_000])
        store.settle(postings.LARGE_WRITE)
    assert with_any(store, "ba", "lift") == found
    tidied(store)
    assert with_any(store, "ba", "lift") == found
    assert count_segments(store) < 8
    with store.writing() as connection:
        connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
