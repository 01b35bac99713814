"""What is written at once is one write."""

from __future__ import annotations

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
