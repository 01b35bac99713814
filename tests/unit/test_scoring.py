from __future__ import annotations

import numpy as np
import pytest

from paperless_fingerprint.comparison.similarity import (
    Weights,
    fuzzy_text,
    metadata_alike,
    sample,
    title_alike,
    weighted_sum,
)
from paperless_fingerprint.fingerprints.shingles import Overlap, overlap
from paperless_fingerprint.model import Document, PairScore


def test_containment_has_a_direction_and_jaccard_has_none():
    found = overlap(np.arange(1, 5, dtype=np.uint64), np.arange(3, 11, dtype=np.uint64))
    assert found == Overlap(shared=2, a=4, b=8)
    assert found.containment_ab == 0.5
    assert found.containment_ba == 0.25
    assert found.containment == 0.5
    assert found.jaccard == pytest.approx(0.2)


def test_nothing_overlaps_with_nothing():
    assert overlap(np.empty(0, np.uint64), np.empty(0, np.uint64)).jaccard == 0


def test_what_one_document_lacks_is_no_evidence():
    bare = Document(1)
    full = Document(2, correspondent="Acme", document_type="Invoice", created="2024-03-03")
    assert metadata_alike(bare, full) is None
    assert metadata_alike(Document(1, correspondent="Acme"), full) == 1
    assert metadata_alike(Document(1, correspondent="Other"), full) == 0


def test_dates_that_are_near_speak_for_a_pair_and_nonsense_says_nothing():
    day = Document(1, created="2024-03-03")
    assert metadata_alike(day, Document(2, created="2024-03-03T10:00:00Z")) == 1
    assert 0.4 < (metadata_alike(day, Document(2, created="2024-04-17")) or 0) < 0.6
    assert metadata_alike(day, Document(2, created="2020-01-01")) == 0
    assert metadata_alike(day, Document(2, created="yesterday")) is None


def test_titles_are_compared_whatever_the_order_of_their_words():
    assert title_alike("Invoice March 2024", "march 2024 invoice") == 1
    assert title_alike("", "Invoice") is None


def test_a_sample_is_spread_over_the_whole_text():
    text = "".join(chr(0x4E00 + n) for n in range(10_000))
    taken = sample(text, 1_000)
    assert len(taken) <= 1_010
    assert taken[0] == text[0]
    assert taken[-1] == text[-1]
    assert text[5_000] in taken
    assert sample("short", 1_000) == "short"


def test_fuzzy_text_sees_through_misread_letters():
    a = "the invoice of march is due on friday " * 20
    assert fuzzy_text(a, a.replace("invoice", "inv0ice")) > 0.95
    assert fuzzy_text(a, "zzzz qqqq " * 70) < 0.4


def test_the_weights_of_absent_dimensions_are_shared_out():
    scores = PairScore(jaccard=0.5, fuzzy=1.0)
    assert weighted_sum(scores, Weights()) == pytest.approx((0.5 * 40 + 30) / 70)
    assert weighted_sum(PairScore(), Weights()) == 0
    everything = PairScore(jaccard=1.0, fuzzy=1.0, metadata=0.0, title=0.0)
    assert weighted_sum(everything, Weights()) == pytest.approx(0.7)
    assert weighted_sum(everything, Weights(0, 0, 0, 0)) == 0
