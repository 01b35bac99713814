"""Every store tells when it has changed, and what has changed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from documents import stored
from libraries import Reopening
from paperless_fingerprint.model import (
    Decision,
    Document,
    Group,
    Pair,
    Relation,
    Verdict,
    VersionChain,
)
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.elasticsearch import changes
from paperless_fingerprint.stores.opening import Revision, revision_of
from paperless_fingerprint.stores.sqlite import SqliteStore


@pytest.fixture
def revision(store: Store) -> Iterator[Revision]:
    watched = SqliteStore(store._path) if isinstance(store, Reopening) else store
    found = revision_of(watched)
    yield found
    found.close()
    if watched is not store:
        watched.close()


def test_each_write_shows(store: Store, revision: Revision) -> None:
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


@pytest.fixture
def told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by the search servers, which tell again what was told a moment ago."""
    monkeypatch.setattr(changes, "_IN_FLIGHT_SECONDS", 0.0)
    monkeypatch.setattr(changes, "_IN_FLIGHT", 0)
    monkeypatch.setattr(changes, "_REMEMBERED", -1)


@pytest.mark.usefixtures("told_once")
def test_what_each_write_is_about_is_told(store: Store, revision: Revision) -> None:
    said = Decision(7, 8, Verdict.CONFIRMED, "2026-01-01T00:00:00Z")
    number, ids = revision.changes(None)
    assert ids is None
    for write, about in (
        (lambda: store.put([stored(id, f"text {id}") for id in range(1, 9)]), set(range(1, 9))),
        (lambda: store.put_metadata([Document(3, title="Other")]), {3}),
        (lambda: store.write_pairs([Pair(1, 2, Relation.NEAR, 0.9)]), {1, 2}),
        (lambda: store.write_pairs([], removing=[(1, 2)]), {1, 2}),
        (
            lambda: store.replace_groups([5], [Group("g", Relation.NEAR, 0.9, 5, (5, 6), ())]),
            {5, 6},
        ),
        (lambda: store.replace_groups([5], []), {5}),
        (lambda: store.replace_chains([1], [VersionChain("c", (1, 4))]), {1, 4}),
        (lambda: store.replace_chains([4], []), {4}),
        (lambda: store.put_decision(said), {7, 8}),
        (lambda: store.remove_decision(said.key), {7, 8}),
        (lambda: store.delete([8]), {8}),
    ):
        write()
        number, ids = revision.changes(number)
        assert ids is not None
        assert about <= ids <= about | {6, 1}  # who was in a group or chain that is gone, perhaps
    assert revision.changes(number + 99)[1] is None


@pytest.mark.usefixtures("told_once")
def test_of_many_no_more_is_told_than_that(store: Store, revision: Revision) -> None:
    number, _ = revision.changes(None)
    store.put([stored(id, f"text {id}") for id in range(1, 502)])
    number, ids = revision.changes(number)
    assert ids is None
    store.put_decision(Decision(1, 2, Verdict.CONFIRMED, "2026-01-01T00:00:00Z"))
    _, ids = revision.changes(number)
    assert ids == {1, 2}


def test_what_was_told_a_moment_ago_may_be_told_again_and_nothing_is_missed(
    store: Store, revision: Revision
) -> None:
    number, _ = revision.changes(None)
    for id in range(1, 4):
        store.put([stored(id, "text")])
        number, ids = revision.changes(number)
        assert ids is not None
        assert id in ids <= set(range(1, id + 1))
