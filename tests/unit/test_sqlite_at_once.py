"""What is written at once is one write."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest

from documents import some_text, stored
from paperless_fingerprint.model import Decision, Pair, Relation, Verdict
from paperless_fingerprint.stores.sqlite import SqliteStore


def test_all_of_it_or_nothing(tmp_path) -> None:
    path = tmp_path / "library.db"
    told = Decision(1, 2, Verdict.CONFIRMED, "2026-01-01T00:00:00Z", "anna")
    with closing(SqliteStore(path)) as store, closing(SqliteStore(path)) as other:
        record = stored(1, some_text(60, seed=1))
        store.put([record, stored(2, some_text(60, seed=1))])
        with store.at_once():
            store.write_pairs([Pair(1, 2, Relation.NEAR, 0.9)])
            store.put_decision(told)
            # Whoever writes sees what was written, and may ask for anything meanwhile.
            assert [each.id for each in store.candidates(record.fingerprint, excluding=1)] == [2]
            assert (len(list(store.pairs())), len(list(other.pairs()))) == (1, 0)
        assert (len(list(other.pairs())), other.decisions()) == (1, [told])

        def changed_and_broken_off() -> None:
            with store.at_once():
                store.write_pairs([], removing=[(1, 2)])
                store.remove_decision(told.key)
                raise ValueError

        with pytest.raises(ValueError):
            changed_and_broken_off()
        assert (len(list(store.pairs())), store.decisions()) == (1, [told])


def test_a_service_that_has_ever_new_threads_opens_no_more_and_more_connections(tmp_path) -> None:
    path = tmp_path / "library.db"
    with closing(SqliteStore(path)) as store, closing(SqliteStore(path)) as other:

        def end_in_the_middle_of_a_write() -> None:
            connection = store._own().connection
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO note VALUES ('half', 'done')")

        in_a_thread(end_in_the_middle_of_a_write)
        for number in range(20):
            in_a_thread(lambda number=number: store.put_notes({f"{number}": "whole"}))
        assert len(store._connections) == 2
        found = other.notes()
        assert "half" not in found
        assert found.keys() >= {f"{number}" for number in range(20)}
        # What answers the pages keeps little of the file in memory, whoever opened it much.
        sizes = [
            own.connection.execute("PRAGMA cache_size").fetchone()[0] for own in store._connections
        ]
        assert sizes == [-65536, -4096]


def in_a_thread(work) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
