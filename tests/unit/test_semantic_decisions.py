"""What people say about pairs that the semantic tier has found, and what becomes of them."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from meanings import LETTER_DE, LETTER_EN, NEXT_EN, put, settings
from paperless_fingerprint.library import export
from paperless_fingerprint.library.analysis import analyse
from paperless_fingerprint.library.decisions import confirm, dismiss, undo
from paperless_fingerprint.library.semantic import compare_waiting, embed, expect
from paperless_fingerprint.model import Relation
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.sqlite import SqliteStore

ON = settings(enabled=True)
OFF = load({}, {})


def run(store, *, full=False, on=ON) -> None:
    """As `analyze` does it."""
    if on is ON:
        embed(store, ON, Silent())
        expect(store, store.ids() if full else [item.id for item in store.pending()])
    analyse(store, on, Silent(), full=full)
    if on is ON:
        compare_waiting(store, ON, Silent())


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(tmp_path / "library.db")
    put(store, {1: LETTER_DE, 2: LETTER_EN, 3: NEXT_EN})
    run(store)
    yield store
    store.close()


def pairs(store) -> dict[tuple[int, int], tuple[Relation, float]]:
    return {(p.a, p.b): (p.relation, p.confidence) for p in store.pairs()}


def touch(store, *ids: int) -> None:
    """A change that makes them wait for an analysis and leaves their texts alone."""
    documents = [replace(record.document, title="New") for record in store.get(ids).values()]
    store.put_metadata(documents)


def test_a_confirmed_translation_stays_one_and_joins_no_group(store):
    (before,) = store.pairs()
    assert before.relation is Relation.SEMANTIC
    said = confirm(store, ON, 2, 1, by="anna")
    assert said.decision.relation is Relation.SEMANTIC
    for again in (
        lambda: None,
        lambda: (touch(store, 1), run(store)),
        lambda: run(store, full=True),
        lambda: (touch(store, 2), run(store, on=OFF)),
        lambda: run(store, full=True, on=OFF),
    ):
        again()
        (pair,) = store.pairs()
        assert (pair.a, pair.b, pair.relation, pair.confidence) == (1, 2, Relation.SEMANTIC, 1.0)
        assert str(pair.reasons[0]) == "confirmed by anna"
        assert list(map(str, pair.reasons)).count("confirmed by anna") == 1
        assert pair.scores.semantic == before.scores.semantic
        assert list(store.groups()) == []


def test_a_confirmed_translation_survives_without_its_pair(store):
    """The decisions are carried to another library, where the tier is off."""
    confirm(store, ON, 1, 2, by="anna")
    written = io.StringIO()
    export.write_decisions(store, written)
    store.write_pairs([], removing=[(1, 2)])
    written.seek(0)
    export.read_decisions(store, OFF, written)
    assert list(store.groups()) == []
    run(store, on=OFF)
    assert pairs(store) == {(1, 2): (Relation.SEMANTIC, 1.0)}
    assert list(store.groups()) == []


def test_taking_a_confirmation_back_leaves_what_the_tier_had_found(store):
    found = pairs(store)
    confirm(store, ON, 1, 2, by="anna")
    undo(store, ON, (1, 2))
    assert pairs(store) == found


def test_a_dismissed_translation_is_gone_until_that_is_taken_back(store):
    found = pairs(store)
    dismiss(store, ON, 1, 2, by="anna", relation=Relation.SEMANTIC)
    assert pairs(store) == {}
    run(store, full=True)
    assert pairs(store) == {}
    undo(store, ON, (1, 2))
    assert pairs(store) == found


def test_to_confirm_after_a_dismissal_is_the_last_word(store):
    dismiss(store, ON, 1, 2, by="anna", relation=Relation.SEMANTIC)
    confirm(store, ON, 1, 2, by="anna")
    (decision,) = store.decisions()
    assert decision.relation is Relation.SEMANTIC
    assert pairs(store) == {(1, 2): (Relation.SEMANTIC, 1.0)}


def test_what_was_confirmed_is_dismissed_by_a_later_word(store):
    confirm(store, ON, 1, 2, by="anna")
    dismiss(store, ON, 1, 2, by="anna")
    assert len(store.decisions()) == 1
    run(store, full=True)
    assert pairs(store) == {}


def test_an_analysis_by_words_alone_leaves_the_semantic_pairs(store):
    found = pairs(store)
    touch(store, 1, 2)
    analyse(store, ON, Silent())
    assert pairs(store) == found
    analyse(store, ON, Silent(), full=True)
    assert pairs(store) == found


def test_where_the_tier_is_off_they_go_with_the_next_analysis(store):
    run(store, full=True, on=OFF)
    assert pairs(store) == {}
