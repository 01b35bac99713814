"""Every store tells when it has changed."""

from __future__ import annotations

from documents import stored
from libraries import Reopening
from paperless_fingerprint.model import Decision, Group, Pair, Relation, Verdict
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import revision_of
from paperless_fingerprint.stores.sqlite import SqliteStore


def test_each_write_shows(store: Store) -> None:
    watched = SqliteStore(store._path) if isinstance(store, Reopening) else store
    revision = revision_of(watched)
    try:
        before = revision.now()
        assert revision.now() == before
        for write in (
            lambda: store.put([stored(1, "one"), stored(2, "two")]),
            lambda: store.write_pairs([Pair(1, 2, Relation.NEAR, 0.9)]),
            lambda: store.replace_groups([1, 2], [Group("g1", Relation.NEAR, 0.9, 1, (1, 2), ())]),
            lambda: store.put_decision(Decision(1, 2, Verdict.CONFIRMED, "2026-01-01T00:00:00Z")),
            lambda: store.delete([2]),
        ):
            write()
            after = revision.now()
            assert after != before
            assert revision.now() == after
            before = after
    finally:
        revision.close()
        if watched is not store:
            watched.close()
