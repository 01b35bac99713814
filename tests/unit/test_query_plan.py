"""The mathematics of overlap and probability, against scipy-free brute force and the notes."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from documents import SPEC, some_words
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.fingerprints.shingles import shingle_hashes
from paperless_fingerprint.fingerprints.sketch import sketch_hashes
from paperless_fingerprint.query import plan
from paperless_fingerprint.query import probability as chances
from paperless_fingerprint.query.plan import Source, sketch_query
from paperless_fingerprint.query.tree import Alike, Likeness, Reference, Span


def source_of(words: list[str], id: int = 1) -> Source:
    content = " ".join(words)
    return plan.source_of(id, shingle_hashes(content, SPEC.shingle_words), SPEC)


@pytest.mark.parametrize("count", [20, 65, 66, 127, 128, 129, 130, 131, 258, 350, 514, 1500, 9000])
def test_levels_are_those_of_the_fingerprint(count: int) -> None:
    source = source_of(some_words(count, seed=count))
    taken = fingerprint(" ".join(some_words(count, seed=count)), SPEC)
    assert (source.level, source.level_counts) == (taken.level, taken.level_counts)
    assert source.hashes[: taken.level_counts[taken.level]].tolist() == (
        sketch_hashes(taken).tolist()
    )


def term(overlap, probability=None, likeness=Likeness.FINGERPRINT) -> Alike:
    return Alike(likeness, Reference(id=1), overlap, probability, Span(0, 0))


def exact_chance(total: int, shared: int, asked: int, minimum: int) -> float:
    ways = sum(
        math.comb(shared, x) * math.comb(total - shared, asked - x)
        for x in range(minimum, min(asked, shared) + 1)
        if asked - x <= total - shared
    )
    return ways / math.comb(total, asked)


@pytest.mark.parametrize(
    ("overlap", "probability", "expected"),
    [(0.2, 0.5, (34, 7)), (0.2, 0.8, (78, 13)), (0.2, 0.95, (135, 20)), (0.8, 0.95, (17, 11))],
)
def test_large_sources_are_asked_for_what_the_notes_derive(overlap, probability, expected) -> None:
    total = 10_000_000  # so many that drawing without putting back makes no difference
    found = chances.smallest_query(total, round(total * overlap), 1024, probability)
    assert found == expected


@pytest.mark.parametrize("total", [18, 60, 100, 348, 2000])
@pytest.mark.parametrize("overlap", [0.01, 0.2, 0.5, 0.8, 1.0])
def test_chances_are_hypergeometric(total: int, overlap: float) -> None:
    shared = max(1, math.ceil(total * overlap - 1e-9))
    for asked in {1, 7, total // 4, total // 2, total}:
        minimum = chances.minimum_of(total, shared, asked, 0.9)
        chance = chances.chance_of(total, shared, asked, minimum)
        assert chance == pytest.approx(exact_chance(total, shared, asked, minimum), abs=1e-9)
        if minimum > 1:
            assert chance >= 0.9 - 1e-9
        assert exact_chance(total, shared, asked, minimum + 1) < 0.9


@pytest.mark.parametrize("overlap", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("probability", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("count", [120, 350, 1500, 6000])
def test_the_probability_asked_for_is_the_one_planned(overlap, probability, count) -> None:
    source = source_of(some_words(count, seed=count))
    query = sketch_query(term(overlap, probability), source, SPEC)
    total = len(source.hashes)
    for group in query.groups:
        if group.asked == source.level_counts[group.levels[-1]]:
            continue  # every hash that there is; it may not be enough
        reached = plan.expected_recall(group, total, overlap)
        assert probability - 0.005 <= reached <= probability + 0.051


def test_a_probability_shrinks_the_query_of_a_long_source() -> None:
    source = source_of(some_words(6000, seed=1))
    usual = sketch_query(term(0.2), source, SPEC)
    quick = sketch_query(term(0.2, 0.8), source, SPEC)
    assert len(usual.hashes) > 5 * len(quick.hashes)


def test_a_document_exactly_at_the_threshold_is_found_with_the_probability_asked_for() -> None:
    """Over hundreds of pairs, as the hashes of their texts fall."""
    rng = random.Random(7)
    found = {0.8: 0, 0.95: 0}
    rounds = 400
    for number in range(rounds):
        words = some_words(rng.choice([150, 300, 700, 1500]), seed=number)
        source = source_of(words)
        total = len(source.hashes)
        shared = math.ceil(0.2 * total)
        # A passage of the source with just so many of its shingles, among other words.
        passage = words[: shared + 2]
        other = some_words(rng.choice([50, 400, 2000]), seed=100_000 + number)
        hit = shingle_hashes(" ".join(passage + [f"q{w}" for w in other]), SPEC.shingle_words)
        for probability in found:
            query = sketch_query(term(0.2, probability), source, SPEC)
            found[probability] += plan.is_found(query, np.isin(query.hashes, hit), len(hit), SPEC)
    for probability, times in found.items():
        assert abs(times / rounds - probability) <= 0.05


def test_without_a_probability_hardly_anything_is_missed() -> None:
    for count in (60, 120, 350, 1500, 6000):
        source = source_of(some_words(count, seed=count))
        for overlap in (0.2, 0.5, 0.8):
            query = sketch_query(term(overlap), source, SPEC)
            for group in query.groups:
                if group.asked >= 20:
                    assert (
                        plan.expected_recall(group, len(source.hashes), overlap) >= plan.SURE - 0.01
                    )


def test_documents_of_each_level_stand_in_one_group() -> None:
    for count in (60, 200, 350, 6000):
        for likeness in Likeness:
            query = sketch_query(term(0.5, None, likeness), source_of(some_words(count, 3)), SPEC)
            levels = sorted(level for group in query.groups for level in group.levels)
            assert levels == sorted(set(levels))
            assert all(group.asked <= len(query.hashes) for group in query.groups)


def test_terms_have_a_limit() -> None:
    source = source_of(some_words(60_000, seed=9))
    for likeness in Likeness:
        for overlap in (None, 0.2):
            query = sketch_query(term(overlap, None, likeness), source, SPEC)
            assert sum(group.asked for group in query.groups) <= 4 * plan.ASKED_AT_MOST
            assert len(query.hashes) <= plan.ASKED_AT_MOST


def test_boilerplate_is_a_share_of_the_library_within_bounds() -> None:
    assert plan.common_above(10) == plan.COMMON_AT_LEAST
    assert plan.common_above(20_000) == 200
    assert plan.common_above(10_000_000) == plan.COMMON_AT_MOST
