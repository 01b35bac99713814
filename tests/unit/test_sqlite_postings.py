"""Postings that a large import leaves to its end: nobody sees that they wait, and none is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents import SPEC, some_text, stored
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.fingerprints.shingles import shingle_hashes
from paperless_fingerprint.query.language import parse
from paperless_fingerprint.query.plan import sketch_query, source_of
from paperless_fingerprint.query.searcher import Scope
from paperless_fingerprint.query.tree import Alike
from paperless_fingerprint.stores.sqlite import SqliteStore, postings
from paperless_fingerprint.stores.sqlite.search import SqliteSearcher

IDS = st.integers(1, 12)
TEXTS = st.sampled_from(["", "kurz", *(some_text(count, count) for count in (25, 60, 200))])
STEPS = st.one_of(
    st.tuples(st.just("put"), st.lists(st.tuples(IDS, TEXTS), max_size=5)),
    st.tuples(st.just("delete"), st.lists(IDS, max_size=3)),
    st.tuples(st.just("look"), st.just([])),
)


@pytest.fixture
def put_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every write is a large one."""
    monkeypatch.setattr(postings, "LARGE_WRITE", 1)


def rows(store: SqliteStore, table: str) -> list[int]:
    with store.reading() as connection:
        return [value for (value,) in connection.execute(f"SELECT * FROM {table} ORDER BY 1")]


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(STEPS, max_size=10), most=st.sampled_from([3, 1_000]))
def test_put_off_or_not_the_same_stands_in_the_trees(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple], most: int
) -> None:
    folder = tmp_path_factory.mktemp("libraries")
    direct, late = SqliteStore(folder / "direct.db"), SqliteStore(folder / "late.db")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "_MOST_PUT_OFF", most)
        for kind, values in steps:
            for store, worth in ((direct, 1_000), (late, 2)):
                patch.setattr(postings, "LARGE_WRITE", worth)
                if kind == "put":
                    store.put([stored(id, text) for id, text in values])
                elif kind == "delete":
                    store.delete(values)
                else:
                    store.candidates(fingerprint(some_text(60, 60), SPEC))
            assert len(rows(late, "unposted")) <= most
    late.settle(0)
    for table in ("posting", "band", "unposted"):
        assert rows(late, table) == rows(direct, table)
    direct.close()
    late.close()


@pytest.mark.usefixtures("put_off")
def test_what_waits_is_found_by_candidates_and_by_searches(tmp_path: Path) -> None:
    text = some_text(80, 1)
    store, searcher = SqliteStore(tmp_path / "library.db"), SqliteSearcher(tmp_path / "library.db")
    store.put([stored(1, text), stored(2, f"{text} and more")])
    assert rows(store, "unposted") == [1, 2]
    assert [each.id for each in store.candidates(fingerprint(text, SPEC), excluding=1)] == [2]
    assert rows(store, "unposted") == []
    store.put([stored(3, f"again {text}")])
    term = parse("FINGERPRINT:1_20")
    assert isinstance(term, Alike)
    query = sketch_query(term, source_of(1, shingle_hashes(text, SPEC.shingle_words), SPEC), SPEC)
    assert {each.id for each in searcher.candidates(query, None, Scope())} == {2, 3}
    assert rows(store, "unposted") == []
    searcher.close()
    store.close()


@pytest.mark.usefixtures("put_off")
def test_who_is_stopped_while_he_posts_has_posted_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = some_text(80, 1)
    store = SqliteStore(tmp_path / "library.db")
    store.put([stored(1, text), stored(2, f"{text} and more")])
    insert = postings._insert
    done = []

    def once(connection, tree, keys):
        if done:
            raise KeyboardInterrupt
        done.append(tree)
        insert(connection, tree, keys)

    with monkeypatch.context() as patch:
        patch.setattr(postings, "_insert", once)
        with pytest.raises(KeyboardInterrupt):
            store.candidates(fingerprint(text, SPEC))
    assert (rows(store, "posting"), rows(store, "unposted")) == ([], [1, 2])
    assert [each.id for each in store.candidates(fingerprint(text, SPEC), excluding=1)] == [2]
    store.close()
