"""The labelled libraries that the judgement is fitted and measured on (benchmarks/made)."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LABELS = {"dup", "version", "partial", "neg", "ambiguous", "lost", "short"}


@pytest.fixture(scope="module")
def made():
    """The generator; it stands at the top of the repository, beside the program."""
    sys.path.insert(0, str(ROOT))
    yield importlib.import_module("benchmarks.made.__main__")
    sys.path.remove(str(ROOT))


@pytest.fixture(scope="module")
def library(made):
    return made.make(7, 150, ["invoice", "lease", "mail", "newspaper", "terms"], ["de", "ja"])


def test_the_same_seed_makes_the_same_library(made, library):
    again = made.make(7, 150, ["invoice", "lease", "mail", "newspaper", "terms"], ["de", "ja"])
    assert again == library
    other = made.make(8, 150, ["invoice", "lease", "mail", "newspaper", "terms"], ["de", "ja"])
    assert other != library


def test_every_pair_of_one_sender_is_labelled_once(library):
    docs, pairs = library
    by_sender: dict[str, list[int]] = {}
    for doc in docs:
        if doc["correspondent"]:
            by_sender.setdefault(doc["correspondent"], []).append(doc["id"])
    labelled = Counter((pair["a"], pair["b"]) for pair in pairs)
    assert max(labelled.values()) == 1
    assert all(a < b for a, b in labelled)
    for ids in by_sender.values():
        assert set(itertools.combinations(sorted(ids), 2)) <= labelled.keys()


def test_there_are_pairs_of_every_kind_and_most_are_look_alikes(library):
    _, pairs = library
    labels = Counter(pair["label"] for pair in pairs)
    assert labels.keys() <= LABELS
    assert min(labels["dup"], labels["version"], labels["partial"]) >= 5
    assert labels["neg"] > labels["dup"] + labels["version"] + labels["partial"]


def test_titles_tell_nothing(library):
    docs, pairs = library
    title = {doc["id"]: doc["title"] for doc in docs}
    named = [title[pair["a"]] for pair in pairs if title[pair["a"]] == title[pair["b"]]]
    assert set(named) <= {"Scan"}


def test_clean_copies_of_one_sheet_have_the_same_words_and_corrections_have_not(made):
    forms = importlib.import_module("benchmarks.made.forms")
    revise = importlib.import_module("benchmarks.made.revise")
    language = importlib.import_module("benchmarks.made.language")
    noise = importlib.import_module("benchmarks.made.noise")
    rng = importlib.import_module("random").Random(3)
    form = forms.Form(forms.Sender(language.language("en"), "3-1"), "invoice")
    letter = forms.Letter(customer=1, month=24200, seed=5, amounts=5)
    pages = form.write(letter).pages
    clean = [noise.read(pages, "sheet", noise.Scan("digital"), rng) for _ in range(2)]
    assert sorted(noise.tokens(clean[0])) == sorted(noise.tokens(clean[1]))
    better = revise.corrected(form, letter, rng)
    assert noise.words(form.write(better).pages) != noise.words(pages)
    other = revise.twin(form, letter, rng)
    number = form.write(letter).values["number"].text
    assert form.write(other).values["number"].text != number


def test_every_family_can_be_written_in_every_language(made):
    forms = importlib.import_module("benchmarks.made.forms")
    language = importlib.import_module("benchmarks.made.language")
    letter = forms.Letter(customer=1, month=24200, seed=5, amounts=5)
    codes = [*language.languages(), *(f"{script}-1" for script in language.scripts())]
    for k, family in enumerate(forms.families()):
        for code in codes[k % 4 :: 4]:
            form = forms.Form(forms.Sender(language.language(code), "1-1"), family)
            assert form.write(letter) == form.write(letter)
            assert form.write(letter).pages[0]
