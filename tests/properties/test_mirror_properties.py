"""Following a library change by change comes to what reading all of it comes to."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from documents import some_text, stored
from elasticsearch_nodes import open_test_store
from paperless_fingerprint.model import (
    Decision,
    Document,
    Group,
    Pair,
    Relation,
    Verdict,
    VersionChain,
)
from paperless_fingerprint.review import catalogue, mirror
from paperless_fingerprint.review.catalogue import Catalogue
from paperless_fingerprint.review.mirror import Mirror
from paperless_fingerprint.review.person import OPEN_PERSON, Person
from paperless_fingerprint.review.queue import item_of
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import revision_of
from paperless_fingerprint.stores.sqlite import SqliteStore, changes

DOCUMENTS = 24


@pytest.fixture
def store(tmp_path: Path):
    store = SqliteStore(tmp_path / "library.db")
    store.put([stored(id, some_text(30, id)) for id in range(1, DOCUMENTS + 1)])
    yield store
    store.close()


@pytest.fixture
def followed(store: SqliteStore):
    with following(SqliteStore(store.path)) as made:
        yield made


@contextmanager
def following(own: Store) -> Iterator[Mirror]:
    """By connections of its own, as `serve` does it."""
    revision = revision_of(own)
    opened: Any = SimpleNamespace(store=own, revision=revision)
    yield Mirror(load({}, {}), opened)
    revision.close()
    own.close()


def write(store: Store, rng: random.Random) -> None:
    def some(count: int) -> list[int]:
        return sorted(rng.sample(range(1, DOCUMENTS + 1), count))

    a, b = some(2)
    members = tuple(some(rng.randint(2, 4)))
    match rng.randrange(8):
        case 0:
            store.put([stored(a, some_text(30, rng.randrange(999)))])
        case 1:
            store.put_metadata([Document(a, title=f"Title {rng.randrange(99)}")])
        case 2:
            store.delete([a])
        case 3:
            relation = rng.choice([Relation.NEAR, Relation.VERSION, Relation.CONTAINS])
            store.write_pairs([Pair(a, b, relation, rng.choice([0.5, 0.9]))])
        case 4:
            store.write_pairs([], removing=[(a, b), (members[0], members[1])])
        case 5:
            pairs = tuple((members[0], other) for other in members[1:])
            store.write_pairs([Pair(*key, Relation.NEAR, 0.9) for key in pairs])
            group = Group(f"g{members[0]}", Relation.NEAR, 0.9, members[0], members, pairs)
            store.replace_groups(members, [group])
        case 6:
            pairs = list(pairwise(members))
            store.write_pairs([Pair(*key, Relation.VERSION, 0.9) for key in pairs])
            store.replace_chains(members, [VersionChain(f"v{members[0]}", members)])
        case 7:
            verdict = rng.choice([Verdict.CONFIRMED, Verdict.DISMISSED])
            decision = Decision(a, b, verdict, "2026-01-01T00:00:00Z")
            store.put_decision(decision)
            if rng.random() < 0.4:
                store.remove_decision(decision.key)


def told(found: Catalogue) -> list[object]:
    return [
        found.documents,
        found.pairs,
        list(found.entries),
        {id: sorted(each, key=lambda e: e.order) for id, each in found.entries_of.items()},
        {id: sorted(each, key=lambda d: d.key) for id, each in found.decisions_of.items()},
        {id: sorted(each) for id, each in found.partners.items()},
    ]


@pytest.mark.parametrize("seed", range(8))
def test_what_is_followed_is_what_is_read(
    seed: int, store: SqliteStore, followed: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    follow(store, followed, random.Random(seed), 25, monkeypatch)


@pytest.mark.elasticsearch
def test_so_it_is_on_elasticsearch(
    elasticsearch9: str, index_prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_test_store(elasticsearch9, index_prefix)
    store.put([stored(id, some_text(30, id)) for id in range(1, DOCUMENTS + 1)])
    with following(open_test_store(elasticsearch9, index_prefix)) as followed:
        follow(store, followed, random.Random(1), 12, monkeypatch)
    store.close()


def follow(
    store: Store, followed: Mirror, rng: random.Random, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed.refresh()

    def never(*_: object) -> Catalogue:
        raise AssertionError("all of the library was read")

    for _ in range(rounds):
        for _ in range(rng.choice([1, 1, 3])):
            write(store, rng)
        with monkeypatch.context() as patched:
            patched.setattr(mirror.catalogues, "read", never)
            followed.refresh()
        threshold = load({}, {}).similarity_threshold
        assert told(followed.catalogue) == told(catalogue.read(store, threshold, 0))


@pytest.mark.parametrize("seed", range(8))
def test_what_was_told_of_an_entry_holds_as_long_as_the_entry_is_the_same(
    seed: int, store: SqliteStore, followed: Mirror
) -> None:
    """What pages keep of it rests on that."""
    rng = random.Random(seed)
    people = OPEN_PERSON, Person("7", "Anna", visible=frozenset(range(1, DOCUMENTS - 5)))
    kept: dict[int, tuple[Any, Any]] = {}
    stayed = 0
    for _ in range(40):
        write(store, rng)
        followed.refresh()
        for person in people:
            sight = followed.sight(person)
            for entry in sight.entries:
                now = item_of(followed, sight, entry, {})
                known, item = kept.setdefault(id(entry), (entry, now))
                assert known is entry
                assert item == now
                stayed += item is not now
    assert stayed > 40


def test_all_is_read_where_much_has_changed(
    store: SqliteStore, followed: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed.refresh()
    reads = []
    whole = catalogue.read
    monkeypatch.setattr(mirror.catalogues, "read", lambda *a: reads.append(1) or whole(*a))
    monkeypatch.setattr(changes, "_FEW", 3)
    store.put_metadata([Document(id, title="Other") for id in range(1, 6)])
    followed.refresh()
    assert len(reads) == 1
    store.put_metadata([Document(2, title="Third")])
    followed.refresh()
    assert len(reads) == 1
    # Nobody has looked for long.
    monkeypatch.setattr(changes, "_KEPT", 2)
    for number in range(4):
        store.put_metadata([Document(1, title=f"Title {number}")])
    followed.refresh()
    assert len(reads) == 2
    assert followed.catalogue.documents[1].title == "Title 3"


def test_who_has_not_looked_is_told_nothing_and_who_has_only_what_came_later(
    store: SqliteStore,
) -> None:
    with store.reading() as connection:
        now, ids = changes.since(connection, None)
        assert ids is None
        assert changes.since(connection, now) == (now, frozenset())
        store.put_decision(Decision(3, 5, Verdict.CONFIRMED, "2026-01-01T00:00:00Z"))
        assert changes.since(connection, now)[1] == {3, 5}
        assert changes.since(connection, now + 99)[1] is None
