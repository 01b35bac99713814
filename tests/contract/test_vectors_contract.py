"""Every place where vectors are kept answers alike. No test here knows which one it got."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from documents import some_text, stored
from elasticsearch_nodes import open_test_store
from libraries import STORES, Library, opened_stores
from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.library.migrate import migrate
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.stores.opening import open_vectors
from paperless_fingerprint.stores.sqlite import SqliteStore
from paperless_fingerprint.stores.sqlite.vectors import SqliteVectors
from paperless_fingerprint.stores.vectors import (
    Neighbour,
    StoredVector,
    VectorStore,
    decoded,
    encoded,
)

SPACE = "model-1/32x64"


class Reopening:
    """Vectors that are opened anew before each call: nothing may live in memory only."""

    def __init__(self, make) -> None:
        self._make = make

    def __getattr__(self, name):
        def call(*arguments, **named):
            vectors = self._make()
            try:
                result = getattr(vectors, name)(*arguments, **named)
                # The store itself, which is closed now: it is opened anew for what is asked of it.
                return self if result is vectors else result
            finally:
                vectors.close()

        return call


@pytest.fixture(params=[kind for kind in STORES if kind.id != "opensearch2"])
def library(request, tmp_path) -> Iterator[Library]:
    """Vectors are a plugin of OpenSearch's, which is no package: it says so (below)."""
    with opened_stores(request.param, request, tmp_path) as make:
        yield make


@pytest.fixture
def vectors(store, request) -> Iterator[VectorStore]:
    if isinstance(store, SqliteStore) or "elasticsearch" in request.node.callspec.id:
        opened = open_vectors(store)
        yield opened
        opened.close()
    else:
        yield Reopening(lambda: SqliteVectors(store._path))


@pytest.mark.elasticsearch
def test_where_no_vectors_can_be_kept_opensearch_says_so(opensearch2, index_prefix) -> None:
    store = open_test_store(opensearch2, index_prefix)
    vectors = open_vectors(store)
    try:
        assert "[semantic] enabled to false" in vectors.why_not
        with pytest.raises(StoreError, match="SQLite or Elasticsearch"):
            vectors.put(SPACE, [StoredVector(1, "hash", "de", encoded(unit(1.0, 0.0)))])
        assert vectors.spaces() == []
    finally:
        vectors.close()
        store.close()


def unit(*values: float) -> np.ndarray:
    vector = np.array(values, np.float32)
    return vector / np.linalg.norm(vector)


def given(store, *ids: int) -> dict[int, str]:
    """Documents of so many ids, and the hashes of their texts."""
    store.put([stored(id, some_text(40, id)) for id in ids])
    return {id: hash for id, (_, hash) in store.text_hashes(ids).items()}


def vector(id: int, hashes: dict[int, str], *values: float, language: str = "de") -> StoredVector:
    codes = encoded(unit(*values)) if values else b""
    return StoredVector(id, hashes[id], language, codes, b"what it states")


def test_vectors_come_back_as_they_were(store, vectors):
    hashes = given(store, 1, 2)
    written = [vector(1, hashes, 1, 2, 3), vector(2, hashes, language="")]
    vectors.put(SPACE, written)
    assert vectors.get(SPACE, [1, 2, 3]) == {one.id: one for one in written}
    assert vectors.get("another", [1]) == {}
    assert vectors.get(SPACE, []) == {}


def test_the_nearest_come_first_with_their_cosines(store, vectors):
    hashes = given(store, 1, 2, 3, 4)
    vectors.put(
        SPACE,
        [
            vector(1, hashes, 1, 0, 0),
            vector(2, hashes, 1, 1, 0),
            vector(3, hashes, 0, 0, 1),
            vector(4, hashes, -1, 0, 0),
        ],
    )
    queries = np.array([unit(1, 0, 0), unit(0, 0, 2)], np.float32)
    first, second = vectors.nearest(SPACE, queries, limit=10, at_least=0.5)
    assert first == [
        Neighbour(1, pytest.approx(1.0, abs=1e-3)),
        Neighbour(2, pytest.approx(0.7071, abs=1e-3)),
    ]
    assert second == [Neighbour(3, pytest.approx(1.0, abs=1e-3))]
    (all_of_them,) = vectors.nearest(SPACE, queries[:1], limit=10, at_least=-1.0)
    assert [one.id for one in all_of_them] == [1, 2, 3, 4]
    assert all_of_them[-1].cosine == pytest.approx(-1.0, abs=1e-3)


def test_no_more_than_the_limit_and_those_are_the_best(store, vectors):
    hashes = given(store, *range(1, 31))
    vectors.put(SPACE, [vector(id, hashes, 1, id / 10) for id in range(1, 31)])
    (found,) = vectors.nearest(SPACE, unit(1, 0)[None, :], limit=5, at_least=0.0)
    assert [one.id for one in found] == [1, 2, 3, 4, 5]


def test_the_exact_search_agrees_with_brute_force(store, vectors):
    rng = np.random.default_rng(7)
    hashes = given(store, *range(1, 61))
    matrix = rng.standard_normal((60, 24)).astype(np.float32)
    vectors.put(
        SPACE,
        [StoredVector(id, hashes[id], "en", encoded(matrix[id - 1])) for id in range(1, 61)],
    )
    kept = np.array([decoded(encoded(row)) for row in matrix])
    queries = kept[:20]
    found = vectors.nearest(SPACE, queries, limit=10, at_least=0.1)
    at_once = vectors.for_many(SPACE).nearest(SPACE, queries, limit=10, at_least=0.1)
    assert [[one.id for one in some] for some in at_once] == [
        [one.id for one in some] for some in found
    ]
    assert vectors.for_many("another").nearest("another", queries[:1], limit=1, at_least=0) == [[]]
    for query, some in zip(queries, found, strict=True):
        cosines = kept @ query
        best = [int(at) + 1 for at in np.argsort(-cosines)[:10] if cosines[at] >= 0.1]
        assert [one.id for one in some] == best
        for one in some:
            assert one.cosine == pytest.approx(float(cosines[one.id - 1]), abs=1e-4)


def test_what_is_written_again_replaces_what_was_there(store, vectors):
    hashes = given(store, 1, 2)
    query = unit(1, 0)[None, :]
    vectors.put(SPACE, [vector(1, hashes, 1, 0), vector(2, hashes, 1, 0.1)])
    assert len(vectors.nearest(SPACE, query, limit=9, at_least=0.9)[0]) == 2
    vectors.put(SPACE, [vector(1, hashes, 0, 1)])
    (found,) = vectors.nearest(SPACE, query, limit=9, at_least=0.9)
    assert [one.id for one in found] == [2]
    vectors.put(SPACE, [vector(2, hashes)])
    assert vectors.nearest(SPACE, query, limit=9, at_least=0.9) == [[]]


def test_missing_are_those_without_a_vector_of_their_text(store, vectors):
    hashes = given(store, 1, 2, 3)
    store.put([stored(4, "")])
    assert vectors.missing(SPACE) == [1, 2, 3]
    vectors.put(SPACE, [vector(1, hashes, 1, 0), vector(2, hashes)])
    assert vectors.missing(SPACE) == [3]
    assert vectors.missing(SPACE, [1, 2]) == []
    assert vectors.missing(SPACE, [1, 3, 99]) == [3]
    assert vectors.missing("another") == [1, 2, 3]
    store.put([stored(1, "quite another text than the one before it")])
    assert vectors.missing(SPACE) == [1, 3]


def test_a_deleted_document_leaves_no_vector(store, vectors):
    hashes = given(store, 1, 2)
    vectors.put(SPACE, [vector(1, hashes, 1, 0), vector(2, hashes, 1, 0.1)])
    query = unit(1, 0)[None, :]
    assert len(vectors.nearest(SPACE, query, limit=9, at_least=0.9)[0]) == 2
    vectors.put("another", [vector(1, hashes, 1, 0, 0), vector(2, hashes)])
    store.delete([1])
    # At once, in every space, and before anybody looks what is missing.
    assert [space.documents for space in vectors.spaces()] == [1, 1]
    (found,) = vectors.nearest(SPACE, query, limit=9, at_least=0.9)
    assert [one.id for one in found] == [2]
    assert vectors.get(SPACE, [1]) == {}
    assert vectors.missing(SPACE) == vectors.missing("another") == []
    # Whoever comes under the same number later does not inherit what the other one meant.
    given(store, 1)
    assert vectors.get(SPACE, [1]) == {}
    assert vectors.missing(SPACE) == [1]


def test_a_document_that_is_gone_by_now_is_left_out(store, vectors):
    hashes = given(store, 1, 2)
    store.delete([2])
    vectors.put(SPACE, [vector(1, hashes, 1, 0), vector(2, hashes, 1, 0)])
    assert list(vectors.get(SPACE, [1, 2])) == [1]


def test_spaces_are_apart(store, vectors):
    hashes = given(store, 1)
    vectors.put(SPACE, [vector(1, hashes, 1, 0)])
    vectors.put("another: with / odd * letters", [vector(1, hashes, 0, 0, 1)])
    found = {space.name: space for space in vectors.spaces()}
    assert {name: space.dimensions for name, space in found.items()} == {
        SPACE: 2,
        "another: with / odd * letters": 3,
    }
    assert vectors.nearest(SPACE, unit(0, 0, 1)[None, :], limit=9, at_least=-1) == [[]]
    vectors.drop(SPACE)
    assert [space.name for space in vectors.spaces()] == ["another: with / odd * letters"]
    assert vectors.nearest(SPACE, unit(1, 0)[None, :], limit=9, at_least=-1) == [[]]
    assert vectors.missing(SPACE) == [1]
    # And it can be begun anew, with another number of dimensions.
    vectors.put(SPACE, [vector(1, hashes, 1, 0, 0, 1)])
    (found_again,) = vectors.nearest(SPACE, unit(1, 0, 0, 1)[None, :], limit=9, at_least=0.9)
    assert [one.id for one in found_again] == [1]


def test_another_dimension_is_refused_in_one_sentence(store, vectors):
    hashes = given(store, 1, 2)
    vectors.put(SPACE, [vector(1, hashes, 1, 0, 0)])
    with pytest.raises(StoreError, match=r"have 2 dimensions, and those that are stored .* have 3"):
        vectors.put(SPACE, [vector(2, hashes, 1, 0)])
    assert vectors.missing(SPACE) == [2]


def test_a_write_by_one_process_is_seen_by_another(store, vectors):
    hashes = given(store, 1, 2)
    query = unit(1, 0)[None, :]
    other = Reopening(vectors._make) if isinstance(vectors, Reopening) else open_vectors(store)
    try:
        assert other.nearest(SPACE, query, limit=9, at_least=0) == [[]]
        vectors.put(SPACE, [vector(1, hashes, 1, 0)])
        assert len(other.nearest(SPACE, query, limit=9, at_least=0)[0]) == 1
        vectors.drop(SPACE)
        vectors.put(SPACE, [vector(2, hashes, 1, 0)])
        (found,) = other.nearest(SPACE, query, limit=9, at_least=0)
        assert [one.id for one in found] == [2]
    finally:
        if not isinstance(other, Reopening):
            other.close()


def test_a_migration_carries_the_vectors_and_what_is_known_of_their_spaces(
    store, vectors, tmp_path
):
    """There and back again, with a copy that was broken off half-way."""
    if isinstance(vectors, Reopening):
        store = SqliteStore(store._path)  # what is opened anew each time is no store of its own
    hashes = given(store, *range(1, 8))
    written = {
        SPACE: {id: vector(id, hashes, 1, id / 10) for id in range(1, 7)} | {7: vector(7, hashes)},
        "another": {3: vector(3, hashes, 1, 2, 3)},
    }
    for space, those in written.items():
        vectors.put(space, list(those.values()))
    store.put_notes({"semantic.space": SPACE, "semantic.scale." + SPACE: "[10, -5, 0, ''] "})
    other = SqliteStore(tmp_path / "other.db")
    others = open_vectors(other)
    migrate(store, other, Silent())
    assert {space: others.get(space, range(1, 9)) for space in written} == written
    assert other.notes()["semantic.space"] == SPACE
    query = unit(1, 0.1)[None, :]
    assert others.nearest(SPACE, query, limit=9, at_least=-1) == [
        [
            Neighbour(one.id, pytest.approx(one.cosine, abs=1e-3))
            for one in vectors.nearest(SPACE, query, limit=9, at_least=-1)[0]
        ]
    ]
    # Back into a store that has lost all of its documents, and with them their vectors.
    store.delete(range(1, 8))
    others.put(SPACE, [vector(2, hashes, 5, 1)])
    migrate(other, store, Silent())
    written[SPACE][2] = vector(2, hashes, 5, 1)
    assert {space: vectors.get(space, range(1, 9)) for space in written} == written
    assert vectors.missing(SPACE) == []
    others.close()
    other.close()
