"""Filled-in copies of one form are told apart by what is not the form."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents import SPEC, damaged, some_text, some_words
from paperless_fingerprint.candidates.forms import (
    HUNDREDS,
    MEMBERS_AT_LEAST,
    beside_form,
    of_one_form,
    of_one_form_by_all_runs,
)
from paperless_fingerprint.candidates.join import Library
from paperless_fingerprint.candidates.postings import Gathered, Memory, Reading
from paperless_fingerprint.candidates.rules import sketches_of
from paperless_fingerprint.fingerprints.digest import Digests
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.fingerprints.shingles import shingle_hashes
from paperless_fingerprint.model import Fingerprint, FingerprintRow

PRINTED = [some_text(25, seed) for seed in range(6)]


def filled_in(seed: int, words: int = 4) -> str:
    """No number is in it: by numbers forms are told apart already."""
    return " ".join(f"{part} {some_text(words, 100 * seed + n)}" for n, part in enumerate(PRINTED))


def told_apart(text: str, others: list[str]) -> list[bool]:
    asker, taken = fingerprint(text, SPEC), [fingerprint(other, SPEC) for other in others]
    return of_one_form(sketches_of(asker, taken), lambda: beside(asker, taken)).tolist()


def beside(asker: Fingerprint, others: list[Fingerprint]):
    return beside_form(Digests.of([asker.facts]), Digests.of([other.facts for other in others]))


FAMILY = [filled_in(seed) for seed in range(2, 14)]


def test_a_copy_and_a_draft_are_left_of_a_family() -> None:
    original = filled_in(1)
    draft = original.replace(some_text(4, 102), some_text(4, 9))
    assert told_apart(original, [original, draft, damaged(original, 0.03, 1), *FAMILY]) == (
        [False] * 3 + [True] * len(FAMILY)
    )
    # Seen from the copy it is the same.
    assert told_apart(draft, [original, *FAMILY]) == [False] + [True] * len(FAMILY)


def test_where_few_fields_were_filled_in_single_words_tell_as_well() -> None:
    family = [filled_in(seed, 1) for seed in range(2, 30)]
    original = filled_in(1, 1)
    by_runs_of_words = of_one_form(
        sketches_of(fingerprint(original, SPEC), [fingerprint(text, SPEC) for text in family]),
        lambda: (np.zeros(len(family), np.int64), np.zeros(len(family), np.int64)),
    )
    told = told_apart(original, family)
    assert sum(told) > np.count_nonzero(by_runs_of_words)
    assert sum(told) > len(family) / 2
    for seed in range(20):
        draft = original.replace(some_text(1, 102), f"corrected{seed}")
        draft = draft.replace(some_text(1, 104), f"edited{seed}")
        scan = damaged(original, 0.04, seed)
        assert told_apart(original, [draft, scan, *family])[:2] == [False, False]
        assert not told_apart(scan, [original, *family])[0]
        assert not told_apart(draft, [original, *family])[0]


def test_among_few_nobody_knows_what_the_form_is() -> None:
    few = FAMILY[: MEMBERS_AT_LEAST - 1]
    assert not any(told_apart(filled_in(1), few))
    assert all(told_apart(filled_in(1), FAMILY[:MEMBERS_AT_LEAST]))


@pytest.mark.parametrize("noise", [0.01, 0.03, 0.08, 0.2])
def test_many_scans_of_one_letter_are_no_form(noise: float) -> None:
    """What was misread in one of them is in no other, and was not filled in."""
    letter = some_text(150, 1)
    scans = [damaged(letter, noise, seed) for seed in range(20)]
    for place, scan in enumerate(scans):
        assert not any(told_apart(scan, scans[:place] + scans[place + 1 :]))


@pytest.mark.parametrize("noise", [0.1, 0.3])
def test_a_bad_scan_of_a_filled_in_form_is_left(noise: float) -> None:
    original = filled_in(1)
    for seed in range(20):
        scan = damaged(original, noise, seed)
        assert not told_apart(scan, [original, *FAMILY])[0]
        assert not told_apart(original, [scan, *FAMILY])[0]


def test_copies_of_another_filled_in_form_do_not_make_it_the_form() -> None:
    original = filled_in(1)
    crowd = [damaged(FAMILY[0], 0.01, seed) for seed in range(6)]
    assert not told_apart(original, [original, *crowd, *FAMILY])[0]


def test_documents_without_a_sketch_are_told_nothing_about() -> None:
    assert told_apart("", ["", *FAMILY]) == [False] * 13
    assert not told_apart(filled_in(1), ["", *FAMILY])[0]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32))
def test_ranks_tell_what_hashes_tell(seed: int) -> None:
    """The join of a whole library keeps ranks, and those of shared hashes only."""
    rng = random.Random(seed)
    texts = [
        damaged(filled_in(rng.randrange(20), rng.choice([3, 4, 40])), rng.choice([0, 0, 0.05]), n)
        for n in range(rng.randrange(8, 25))
    ]
    texts += [" ".join(some_words(rng.randrange(300), n)) for n in range(3)]
    taken = [fingerprint(text, SPEC) for text in texts]
    library = Library((FingerprintRow(id, None, one) for id, one in enumerate(taken, 1)), SPEC.id)
    others = np.arange(1, len(texts))

    def facts():
        return beside(taken[0], taken[1:])

    by_rank = of_one_form(library.sketches(0, others), facts)
    assert by_rank.tolist() == of_one_form(sketches_of(taken[0], taken[1:]), facts).tolist()


def told_apart_by_all_runs(text: str, others: list[str]) -> list[bool]:
    runs = [shingle_hashes(each, 3) for each in (text, *others)]
    counts = np.array(list(map(len, runs)))
    gathered = Gathered(len(runs), Memory())
    gathered.add(np.concatenate(runs), counts)
    postings = gathered.postings(Reading(0, 0, widest_table=100))
    low, high = np.zeros(len(others), np.int64), np.arange(1, len(runs))
    return of_one_form_by_all_runs(low, high, postings, counts).tolist()


def with_phrases(seed: int) -> str:
    """What was filled in are phrases that others use, too."""
    rng = random.Random(seed)
    filled = (
        f"{some_text(5, rng.randrange(40))} {some_text(5, 1000 * seed + n)}" for n in range(6)
    )
    return " ".join(f"{part} {each}" for part, each in zip(PRINTED, filled, strict=True))


def test_phrases_that_two_of_a_large_family_share_make_no_copy() -> None:
    family = [with_phrases(seed) for seed in range(2, HUNDREDS + 2)]
    original = with_phrases(1)
    words = original.split()
    # Half of what was filled in stands in the draft, all of it in the copies.
    changed = set(range(30, 35)) | set(range(65, 75)) | set(range(135, 140))
    draft = " ".join(f"new{n}" if n in changed else word for n, word in enumerate(words))
    for noise in (0.0, 0.01, 0.05, 0.2):
        copies = [damaged(original, noise, seed) for seed in range(3)]
        told = told_apart_by_all_runs(original, [*copies, draft, *family])
        assert told == [False] * 4 + [True] * len(family)
    assert not told_apart_by_all_runs(draft, [original, *family])[0]


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.05, 0.2])
def test_a_crowd_of_scans_of_one_letter_is_no_form_by_all_runs_either(noise: float) -> None:
    letter = some_text(150, 1)
    scans = [damaged(letter, noise, seed) for seed in range(HUNDREDS + 2)]
    assert not any(told_apart_by_all_runs(scans[0], scans[1:]))


def test_by_all_runs_too_few_members_tell_nothing() -> None:
    few = [with_phrases(n) for n in range(2, HUNDREDS)]
    assert not any(told_apart_by_all_runs(with_phrases(1), few))
    assert told_apart_by_all_runs("", ["", with_phrases(1)]) == [False, False]
