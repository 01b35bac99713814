"""The labelled set of the semantic tier is well-formed and says what its README says."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "semantic_pairs"
LANGUAGES = {"de", "en", "es", "fr", "it", "nl"}
SAME = {"translation", "paraphrase", "summary"}


@pytest.fixture(scope="module")
def maker():
    spec = importlib.util.spec_from_file_location("semantic_pairs_make", FOLDER / "make.py")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by name.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def documents():
    lines = (FOLDER / "docs.jsonl").read_text(encoding="utf-8").splitlines()
    return {document["id"]: document for document in map(json.loads, lines)}


@pytest.fixture(scope="module")
def pairs():
    return json.loads((FOLDER / "truth.json").read_text(encoding="utf-8"))["pairs"]


def words_of(document) -> list[str]:
    return re.findall(r"\w+", document["content"].lower())


def jaccard(a, b) -> float:
    one, other = (
        set(zip(words, words[1:], words[2:], strict=False)) for words in (words_of(a), words_of(b))
    )
    return len(one & other) / len(one | other)


def test_the_files_are_what_the_generator_makes(maker):
    made_documents, made_truth = maker.make()
    assert (FOLDER / "docs.jsonl").read_text(encoding="utf-8") == made_documents
    assert (FOLDER / "truth.json").read_text(encoding="utf-8") == made_truth


def test_enough_pairs_in_six_languages_and_three_kinds(documents, pairs):
    same = [pair for pair in pairs if pair["label"] in SAME]
    assert len(same) >= 100
    assert len([pair for pair in pairs if pair["label"] == "neg"]) >= 100
    assert {document["language"] for document in documents.values()} == LANGUAGES
    translations = [pair for pair in pairs if pair["label"] == "translation"]
    assert {frozenset(pair["languages"]) for pair in translations} == {
        frozenset(two) for two in combinations(LANGUAGES, 2)
    }
    assert len({document["base"] for document in documents.values()}) >= 25
    kinds = Counter(document["base"].split("-")[0] for document in documents.values())
    assert set(kinds) == {"letter", "bill", "manual"}
    assert min(kinds.values()) >= 40


def test_languages_are_balanced(documents):
    counts = Counter(document["language"] for document in documents.values())
    assert min(counts.values()) >= 0.6 * max(counts.values()), counts


def test_pairs_name_documents_once_lower_id_first(documents, pairs):
    keys = [(pair["a"], pair["b"]) for pair in pairs]
    assert len(keys) == len(set(keys))
    for pair in pairs:
        assert pair["a"] < pair["b"]
        assert pair["label"] in SAME | {"neg"}
        assert pair["languages"] == [documents[pair[side]]["language"] for side in "ab"]
        # evaluate.py forgives a semantic flag on this relation, so no negative may carry it.
        assert (pair["relation"] == "translation") == (pair["label"] == "translation")


def test_all_pairs_of_one_base_are_judged(documents, pairs):
    judged = {(pair["a"], pair["b"]) for pair in pairs}
    by_base = defaultdict(list)
    for document in documents.values():
        by_base[document["base"]].append(document["id"])
    for members in by_base.values():
        assert set(combinations(sorted(members), 2)) <= judged


def test_documents_have_the_length_of_letters(documents):
    for document in documents.values():
        low = 35 if document["variant"] == "summary" else 60
        assert low <= len(words_of(document)) <= 250, (document["title"], len(words_of(document)))
        assert not re.search(r"[{}\[\]]| dec\b|\b\d{4}-\d\d\b", document["content"]), document[
            "title"
        ]


def test_every_translation_states_the_same_facts(maker):
    for base in maker.read_bases():
        full = [text for text in base.texts if text.variant == "full"]
        assert len(full) == 3, base.name
        slots = [set(re.findall(r"\{(\w+)", text.body)) for text in full]
        assert slots[0] == slots[1] == slots[2] == set(base.facts), base.name


def test_a_retyped_text_keeps_the_facts_in_other_words(maker, documents, pairs):
    for base in maker.read_bases():
        variants = Counter(text.variant for text in base.texts)
        assert variants["paraphrase"] == 1, base.name
        for text in base.texts:
            kept = len(set(re.findall(r"\{(\w+)", text.body))) / len(base.facts)
            assert kept >= (0.6 if text.variant == "summary" else 0.8), (base.name, text.title)
    for pair in pairs:
        if pair["label"] in SAME:
            assert jaccard(documents[pair["a"]], documents[pair["b"]]) < 0.3, pair


def test_the_other_values_are_others(maker):
    for base in maker.read_bases():
        differing = [name for name, (first, second) in base.facts.items() if first != second]
        assert len(differing) >= 4, base.name


def test_values_are_written_as_the_language_does(maker):
    def write(value, language, *, short=False, retyped=False):
        return maker.write_value(value, language, short=short, retyped=retyped)

    assert write("2024-03-05", "de") == "5. März 2024"
    assert write("2024-03-05", "es") == "5 de marzo de 2024"
    assert write("2024-03-05", "nl", short=True) == "05-03-2024"
    assert write("2024-08", "fr") == "août 2024"
    assert write("1240.00 EUR", "en") == "€1,240.00"
    assert write("1240.00 EUR", "fr") == "1\u00a0240,00 €"
    assert write("1240.00 EUR", "de", retyped=True) == "1.240,00 EUR"
    assert write("2.5 dec", "it") == "2,5"
    assert write("192.168.7.1", "it") == "192.168.7.1"
