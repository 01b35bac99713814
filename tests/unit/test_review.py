"""The pure parts of the review: places in the graph, parts of a group, limits, schemas."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from documents import document, stored
from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.model import Decision, Group, Pair, Relation, Verdict, VersionChain
from paperless_fingerprint.review import together
from paperless_fingerprint.review.catalogue import Catalogue, patched, read
from paperless_fingerprint.review.journal import DecisionStep, Journal, JournalEntry
from paperless_fingerprint.review.library_view import curve
from paperless_fingerprint.review.mirror import Mirror
from paperless_fingerprint.review.neighbourhood import Place, positions
from paperless_fingerprint.review.person import OPEN_PERSON, Person
from paperless_fingerprint.review.queue_entry import components
from paperless_fingerprint.review.sorting import SORTS
from paperless_fingerprint.review.views_queue import Filters
from paperless_fingerprint.review.visible import sight_of
from paperless_fingerprint.review.what_if import WhatIf
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.sqlite import SqliteStore


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(tmp_path / "library.db")
    store.put([stored(id, f"text {id}", owner="7" if id == 2 else None) for id in range(1, 8)])
    pairs = [
        Pair(1, 2, Relation.NEAR, 0.9), Pair(2, 3, Relation.NEAR, 0.95),
        Pair(4, 5, Relation.VERSION, 0.8, leader=5), Pair(5, 6, Relation.SEMANTIC, 0.93),
        Pair(6, 7, Relation.CONTAINS, 0.4, leader=7),
    ]  # fmt: skip
    store.write_pairs(pairs)
    store.replace_groups(
        [1, 2, 3], [Group("g1", Relation.NEAR, 0.95, 1, (1, 2, 3), ((1, 2), (2, 3)))]
    )
    store.replace_chains([4, 5], [VersionChain("v4", (4, 5))])
    yield store
    store.close()


def test_what_the_queue_holds(store) -> None:
    found = read(store, 0.75, 1)
    assert [(e.id, e.kind, e.state) for e in found.entries] == [
        ("g1", "group", "open"), ("p5-6", "semantic", "open"), ("v4", "versions", "open"),
    ]  # fmt: skip
    store.put_decision(Decision(1, 2, Verdict.CONFIRMED, "2026-01-01T00:00:00Z"))
    store.put_decision(Decision(4, 7, Verdict.DISMISSED, "2026-01-01T00:00:00Z"))
    some, change = patched(found, store, [1, 7], 0.75, 2)
    assert {entry.id for entry in change.made} >= {"g1", "p4-7"}
    assert [(e.id, e.state) for e in some.entries] == [
        ("g1", "open"), ("p5-6", "open"), ("v4", "open"), ("p4-7", "dismissed"),
    ]  # fmt: skip
    store.put_decision(Decision(2, 3, Verdict.CONFIRMED, "2026-01-01T00:00:00Z"))
    whole = read(store, 0.75, 3)
    assert whole.entries[0].state == "done"
    assert patched(some, store, [3], 0.75, 3)[0].entries == whole.entries


def test_a_patch_is_what_a_whole_reading_is(store) -> None:
    old = read(store, 0.75, 1)
    store.delete([3])
    store.replace_groups([1, 2], [Group("g1", Relation.NEAR, 0.9, 1, (1, 2), ((1, 2),))])
    store.write_pairs([Pair(1, 4, Relation.NEAR, 0.2)], removing=[(5, 6)])
    (new, _), whole = patched(old, store, [1, 3, 5], 0.75, 2), read(store, 0.75, 2)
    assert new.entries == whole.entries
    assert new.pairs == whole.pairs
    assert new.documents == whole.documents
    assert {id: sorted(p) for id, p in new.partners.items()} == {
        id: sorted(p) for id, p in whole.partners.items()
    }


def test_a_patch_follows_a_rival_to_the_group_that_it_broke(store) -> None:
    old = read(store, 0.75, 1)
    # 7 claims 1, which is no longer bound to 2 and 3.
    store.write_pairs([Pair(1, 7, Relation.NEAR, 0.99), Pair(1, 2, Relation.NEAR, 0.3)])
    store.replace_groups(
        [1, 2, 3, 7],
        [
            Group("g1", Relation.NEAR, 0.99, 1, (1, 7), ((1, 7),)),
            Group("g2", Relation.NEAR, 0.95, 2, (2, 3), ((2, 3),)),
        ],
    )
    (new, _), whole = patched(old, store, [7], 0.75, 2), read(store, 0.75, 2)
    assert [entry.id for entry in new.entries] == [entry.id for entry in whole.entries]
    assert new.entries == whole.entries
    assert new.pairs == whole.pairs


@pytest.mark.parametrize("superuser", [True, False])
def test_what_a_person_sees_follows_the_library(store, superuser: bool) -> None:
    person = Person("8", "bert", superuser)
    now = read(store, 0.75, 1)
    sight = sight_of(now, person)
    open_ones, near = Filters(), Filters("near", state="")
    others = [
        Filters(state="", text="DOCUMENT 6"), Filters(state="", confidence_to=0.85),
        *(Filters(state="", sort=sort) for sort in SORTS),
    ]  # fmt: skip
    assert len(sight.filtered(open_ones)) == len(sight.entries)
    for filters in (near, *others):
        sight.ordered(filters)
    steps = [
        lambda: store.put_decision(Decision(5, 6, Verdict.CONFIRMED, "2026-01-01T00:00:00Z")),
        lambda: store.write_pairs([], removing=[(4, 5)]) or store.replace_chains([4, 5], []),
        lambda: store.replace_groups(
            [1], [Group("g1", Relation.NEAR, 0.9, 1, (1, 3, 7), ((1, 3), (3, 7)))]
        ),
        lambda: store.write_pairs([Pair(1, 3, Relation.NEAR, 0.9), Pair(3, 7, Relation.NEAR, 0.8)]),
        lambda: store.put_metadata([document(6, owner="7")]),
        lambda: store.delete([7]),
    ]
    for number, (step, id) in enumerate(zip(steps, (5, 4, 1, 3, 6, 3), strict=True), 2):
        step()
        now, change = patched(now, store, [id, 7], 0.75, number)
        sight.change(now, [change])
        whole = sight_of(read(store, 0.75, number), person)
        assert list(sight.entries) == list(whole.entries)
        assert list(sight.filtered(open_ones)) == list(whole.filtered(open_ones))
        assert list(sight.filtered(near)) == list(whole.filtered(near))
        for filters in others:
            assert list(sight.ordered(filters)) == list(whole.ordered(filters))
            for place, entry in enumerate(whole.ordered(filters)):
                assert SORTS[filters.sort].place(now, sight.ordered(filters), entry) == place
        assert (sight.states, sight.relations) == (whole.states, whole.relations)
        for entry in whole.entries:
            kind, first = entry.kind, entry.members[0]
            assert sight.entry(kind, first) == whole.entry(kind, first)


def test_what_a_person_saw_before_is_let_go(store) -> None:
    """Each document that comes makes it another list, of tens of megabytes in a large library."""
    mirror = Mirror(load(environment={}), opened=None)
    mirror._catalogue = read(store, 0.75, 1)
    carla = mirror.sight(Person("9", "carla", visible=frozenset({1, 3})))
    for most in range(1, 8):
        bert = Person("8", "bert", visible=frozenset(range(1, most)))
        assert mirror.sight(bert) is mirror.sight(bert)
    assert len(mirror._sights) == 3
    assert {entry.id for entry in mirror.sight(bert).entries} == {"p5-6", "v4"}
    assert mirror.sight(carla.person) is carla


def test_two_that_hang_together_by_way_of_a_hidden_third(store) -> None:
    found = read(store, 0.75, 1)
    stranger = Person("8", "bert")
    entries = sight_of(found, stranger).entries
    # 1 and 3 are one group by way of 2 alone, which is not to be known.
    assert [entry.id for entry in entries] == ["p5-6", "v4"]
    store.write_pairs([Pair(1, 3, Relation.EXACT, 0.8)])
    store.replace_groups(
        [1], [Group("g1", Relation.NEAR, 0.95, 2, (1, 2, 3), ((1, 2), (1, 3), (2, 3)))]
    )
    seen = {e.id: e for e in sight_of(read(store, 0.75, 3), Person("8", "bert")).entries}
    assert (seen["g1"].members, seen["g1"].confidence) == ((1, 3), 0.8)
    assert (seen["g1"].relation, seen["g1"].primary) == ("exact", None)
    # What Paperless itself says counts as well.
    assert "g1" not in {
        e.id
        for e in sight_of(read(store, 0.75, 4), Person("8", "x", visible=frozenset({1}))).entries
    }


def test_an_imagined_library_writes_nothing_and_hides_nothing(store) -> None:
    imagined = WhatIf(store)
    imagined.write_pairs([Pair(1, 7, Relation.NEAR, 0.99)], removing=[(1, 2)])
    imagined.replace_groups([1, 2, 3], [Group("g2", Relation.NEAR, 0.95, 2, (2, 3), ((2, 3),))])
    imagined.replace_chains([4], [])
    imagined.put_decision(Decision(1, 2, Verdict.DISMISSED, "2026-01-01T00:00:00Z"))
    assert [(p.a, p.b) for p in imagined.pairs(ids=[1])] == [(1, 7)]
    assert [g.id for g in imagined.groups()] == ["g2"]
    assert imagined.chains() == []
    around = imagined.connections([1])
    assert [d.key for d in around.decisions] == ["pair-1-2"]
    assert [g.id for g in store.groups()] == ["g1"]
    assert store.decisions() == []
    with pytest.raises(AttributeError, match="imagined"):
        imagined.put([])  # type: ignore[attr-defined]


def test_the_book_gives_numbers_and_remembers(tmp_path) -> None:
    journal = Journal(tmp_path / "a" / "journal.db")
    act = JournalEntry(
        0, "now", "7", "anna", "same", "g1", (1, 2), (DecisionStep("confirm", 1, (2,)),)
    )
    [one] = journal.add([act])
    assert (one.number, journal.waiting()) == (1, (one,))
    journal.remember(1, "first")
    journal.remember(1, "second")
    journal.settle(1, "done")
    assert journal.waiting() == ()
    kept = journal.get(1)
    assert (kept.was, kept.state, kept.subjects) == ("first", "done", {(1, 2)})
    assert journal.last("7") == kept
    assert journal.last("8") is None
    # Threads read what others have written.
    found = []
    thread = threading.Thread(target=lambda: found.extend(journal.latest(5)))
    thread.start()
    thread.join()
    assert found == [kept]
    journal.close()


def test_reasons_are_kept_with_their_values_and_old_sentences_as_they_are(tmp_path) -> None:
    path = tmp_path / "journal.db"
    journal = Journal(path)
    journal.add([JournalEntry(0, "", "7", "anna", "same", f"g{n}", (n,), ()) for n in (1, 2, 3)])
    journal.settle(1, "refused", [Reason("gone", {"document": 1}), Reason("changed_since")])
    journal.settle(2, "done")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE act SET why = '[Some] sentence.' WHERE number = 3")
    connection.close()
    first, second, third = (journal.get(number).why for number in (1, 2, 3))
    assert [why.code for why in first] == ["gone", "changed_since"]
    assert (second, [str(why) for why in third]) == ((), ["[Some] sentence."])
    assert [act.number for act in journal.problems_of_batch(1, 5)] == [1, 3]
    journal.close()


def test_the_same_graph_gives_the_same_picture() -> None:
    edges = [(1, 2), (1, 3), (3, 4), (4, 5), (2, 5)]
    places = positions(1, edges)
    assert places == positions(1, list(reversed(edges)))
    assert places[1] == Place(0.5, 0.5, None)
    assert {id: place.via for id, place in places.items()} == {1: None, 2: 1, 3: 1, 4: 3, 5: 2}
    assert positions(9, []) == {9: Place(0.5, 0.5, None)}


@pytest.mark.parametrize("size", [1, 2, 5, 30, 39])
def test_each_document_around_has_a_row_of_its_own(size: int) -> None:
    around = range(2, size + 2)
    edges = [(1 if id % 3 else id - 1 or 1, id) for id in around]
    # That all of them have something in common, too, changes nothing.
    for places in (positions(1, edges), positions(1, [*edges, *combinations(around, 2)])):
        sides = [[p.y for p in places.values() if sign * (p.x - 0.5) > 0] for sign in (1, -1)]
        assert sum(map(len, sides)) == size
        assert abs(len(sides[0]) - len(sides[1])) <= 2
        for rows in sides:
            apart = [b - a for a, b in pairwise(sorted(rows))]
            assert all(step >= 0.99 / max(map(len, sides)) for step in apart)
        assert all(0 <= place.y <= 1 for place in places.values())
        assert all(0.2 <= place.x <= 0.8 for place in places.values())


def test_parts_keep_their_order() -> None:
    assert components([3, 1, 2, 9], [(1, 3), (2, 9), (4, 5)]) == [[3, 1], [2, 9]]


def test_the_curve_is_that_of_the_bands() -> None:
    points = {point.jaccard: point.found for point in curve(48, 192)}
    assert points[0.5] == pytest.approx(0.955, abs=0.001)
    assert (points[0.0], points[1.0]) == (0.0, 1.0)


@dataclass(frozen=True)
class Inner:
    number: int
    share: float | None = None


@dataclass(frozen=True)
class Outer:
    items: tuple[Inner, ...]
    name: str = ""


def test_values_from_json() -> None:
    from paperless_fingerprint.web.schemas import schema_of, value_of

    told = {"items": [{"number": 1, "share": 1}, {"number": 2}], "name": "x"}
    assert value_of(Outer, told) == Outer((Inner(1, 1.0), Inner(2)), "x")
    for wrong in (
        [], {}, {"items": {}}, {"items": [{"number": "1"}]}, {"items": [{"number": True}]},
        {"items": [], "more": 1}, {"items": [{"number": 1, "share": "x"}]}, {"items": None},
    ):  # fmt: skip
        with pytest.raises(UsageError):
            value_of(Outer, wrong)
    schemas: dict = {}
    assert schema_of(tuple[Outer, ...], schemas)["items"] == {"$ref": "#/components/schemas/Outer"}
    assert schemas["Inner"]["properties"]["share"] == {"type": ["number", "null"]}
    assert schemas["Inner"]["required"] == ["number"]


def test_a_window_of_attempts() -> None:
    from paperless_fingerprint.web.limits import RateLimit, network_of

    now = [0.0]
    limit = RateLimit(2, 10.0, clock=lambda: now[0])
    assert [limit.attempt("a") for _ in range(3)] == [0.0, 0.0, 10.0]
    assert limit.attempt("b") == 0.0
    now[0] = 10.0
    assert limit.attempt("a") == 0.0
    limit.forgive("a")
    assert [limit.attempt("a") for _ in range(2)] == [0.0, 0.0]
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff")
    assert network_of("::ffff:10.0.0.1") == network_of("10.0.0.1") != network_of("10.0.0.2")


def test_a_journal_of_an_earlier_version_knows_no_batches_and_gets_them(tmp_path) -> None:
    path = tmp_path / "journal.db"
    Journal(path).close()
    with closing(sqlite3.connect(path)) as old:
        # As version 0 was.
        old.execute("DROP INDEX act_batch")
        old.execute("ALTER TABLE act DROP COLUMN batch")
        old.execute("ALTER TABLE act DROP COLUMN ordered")
        old.execute("PRAGMA user_version = 0")
        old.execute(
            "INSERT INTO act (at, person, by, verdict, item, documents, steps) "
            "VALUES ('2026-01-01T00:00:00Z', '7', 'anna', 'same', 'g1', '[1, 2]', '[]')"
        )
        old.commit()
    journal = Journal(path)
    [old_act] = journal.of_batch(1)
    assert (old_act.by, old_act.batch) == ("anna", 0)
    acts = [JournalEntry(0, "", "7", "anna", "same", f"g{n}", (n,), ()) for n in (3, 5)]
    first, second = journal.add(acts)
    assert (first.batch, second.batch) == (first.number, first.number)
    assert journal.of_batch(second.number) == [first, second] == journal.of_batch(first.number)
    # What is to be taken back already is not what is taken back next.
    journal.add([JournalEntry(0, "", "7", "anna", "undo", "g5", (5,), (), undoes=second.number)])
    last = journal.last("7")
    assert last is not None
    assert last.number == first.number
    journal.close()


def test_what_was_decided_alone_is_told_as_what_was_decided_at_once_is(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.db")
    review: Any = SimpleNamespace(
        journal=journal,
        store=SimpleNamespace(decisions=list),
        mirror=SimpleNamespace(catalogue=Catalogue(), cards=lambda _person, _ids: {}),
    )

    def act(a: int, verdict: str = "same", undoes: int | None = None) -> JournalEntry:
        step = DecisionStep("confirm", a, (a + 1,))
        at = f"2026-01-01T00:00:{a:02}Z"
        return JournalEntry(
            0, at, "1", "anna", verdict, f"p{a}-{a + 1}", (a, a + 1), (step,), undoes
        )

    def told() -> list[tuple[int, int, str, bool]]:
        return [
            (each.acts[0].number, each.count, each.state, each.may_undo)
            for each in together.latest(review, OPEN_PERSON)
        ]

    [alone] = journal.add([act(1)])
    first, second = journal.add([act(2), act(3)])
    for each in (alone, first):
        journal.settle(each.number, "done")
    assert told() == [(first.number, 2, "waiting", True), (alone.number, 1, "done", True)]
    journal.settle(second.number, "refused")
    [undo] = journal.add([act(9, "undo", alone.number)])
    # What is being taken back cannot be taken back again.
    assert told() == [
        (undo.number, 1, "waiting", False),
        (first.number, 2, "done", True),
        (alone.number, 1, "done", False),
    ]
    journal.close()
