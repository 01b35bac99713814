"""A chunk of pairs is judged as each of them by itself."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents import contested_scan, misread
from paperless_fingerprint.comparison import relation
from paperless_fingerprint.comparison.relation import judge, read
from paperless_fingerprint.fingerprints.rarity import NoRuns
from paperless_fingerprint.library.judging import Chunk, Judge, judge_chunk
from paperless_fingerprint.library.vocabulary import Rarity
from paperless_fingerprint.model import Document, Relation
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.text.lexicon import NoVocabulary

JUDGE = Judge.of(load({}, {}))
ALONE = Rarity(NoVocabulary(), NoRuns())
SCAN, ORIGINAL, OTHER = contested_scan()
TEXTS = (
    ORIGINAL,
    OTHER,
    SCAN,
    misread(ORIGINAL, 0.02, 1),
    f"{ORIGINAL} {OTHER} {SCAN}",
    "",
    "Rest",
)
DOCUMENTS = st.builds(
    Document,
    id=st.just(0),
    title=st.sampled_from(["", "Reminder", "Reminder May"]),
    content=st.sampled_from(TEXTS),
    correspondent=st.sampled_from([None, "City works", "Somebody else"]),
    created=st.sampled_from([None, "2021-05-03", "2021-05-08"]),
    checksum=st.sampled_from([None, "c1", "c2"]),
)


def judged(documents: list[Document]):
    """All pairs at once."""
    by_id = {document.id: document for document in documents}
    keys = [(a, b) for a in by_id for b in by_id if a < b]
    return judge_chunk(Chunk(by_id, keys), JUDGE, ALONE)


@settings(deadline=None, max_examples=60)
@given(st.lists(DOCUMENTS, min_size=2, max_size=7))
def test_documents_with_one_text_are_judged_as_if_each_were_the_only_one(drawn):
    documents = [
        Document(
            id, each.title, each.content, correspondent=each.correspondent, created=each.created,
            checksum=each.checksum,
        )
        for id, each in enumerate(drawn, 1)
    ]  # fmt: skip
    alone = [
        judge(read(a), read(b), JUDGE.judging(ALONE))
        for a in documents
        for b in documents
        if a.id < b.id
    ]
    assert judged(documents) == [pair for pair in alone if JUDGE.is_kept(pair)]


@pytest.mark.parametrize("copies", [1, 2, 12])
def test_copies_of_one_text_are_compared_with_others_once(monkeypatch, copies):
    weighed = []
    gather = relation.gather
    monkeypatch.setattr(relation, "gather", lambda *args: weighed.append(args) or gather(*args))
    rescan = Document(99, "Scan", misread(ORIGINAL, 0.02, 1))
    originals = [Document(id, f"Letter {id}", ORIGINAL) for id in range(1, copies + 1)]
    found = {(pair.a, pair.b): pair for pair in judged([*originals, rescan])}
    assert len(weighed) == 1
    assert [found[id, 99].relation for id in range(1, copies + 1)] == [Relation.NEAR] * copies
    # What the documents add is each one's own.
    assert (
        found[1, 99].scores.title
        == judge(read(originals[0]), read(rescan), JUDGE.judging(ALONE)).scores.title
    )


_FEATURES_OF_SAMPLES = """
from paperless_fingerprint.comparison.evidence import NAMES
from paperless_fingerprint.comparison.relation import Judging, read, weigh
from paperless_fingerprint.demo.library import sample_library
from paperless_fingerprint.library.vocabulary import WordTable
from sample_truth import sample_truth

readings = {document.id: read(document) for document in sample_library()}
judging = Judging(WordTable.of_texts(one.document.content for one in readings.values()))
for a, b in sorted(sample_truth()):
    features = weigh(readings[a], readings[b], judging).features
    for name, figure in zip(NAMES, features, strict=True):
        print(a, b, name, repr(figure))
"""


def test_another_process_finds_the_same_figures_to_the_last_digit() -> None:
    def told(seed: str) -> list[str]:
        path = os.pathsep.join(sys.path)
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        command = [sys.executable, "-c", _FEATURES_OF_SAMPLES]
        return subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True
        ).stdout.splitlines()

    first, second = told("1"), told("2")
    assert len(first) > 1000
    assert [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]] == []
