"""Figures on the labelled text corpus: 2,321 real documents, the exact overlap of all pairs."""

from __future__ import annotations

import csv
import io
import json
import lzma
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from documents import SPEC
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.fingerprints.shingles import overlap, shingle_hashes
from paperless_fingerprint.library.search import Request, Search
from paperless_fingerprint.model import Document, StoredDocument
from paperless_fingerprint.query.plan import is_found, sketch_query, source_of
from paperless_fingerprint.query.searcher import Scope
from paperless_fingerprint.query.tree import Alike, Likeness, Reference, Span
from paperless_fingerprint.stores.opening import searcher_of
from paperless_fingerprint.stores.sqlite import SqliteStore
from paperless_fingerprint.text.normalise import normalise

CORPUS = Path(__file__).parents[3] / "shared" / "corpora" / "text"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not CORPUS.exists(), reason="the labelled corpora are not there"),
]


class Corpus:
    def __init__(self) -> None:
        with lzma.open(CORPUS / "docs.jsonl.xz", "rt", encoding="utf-8") as lines:
            self.texts = {d["id"]: d["content"] for d in map(json.loads, lines)}
        self.hashes = {
            id: shingle_hashes(normalise(text), SPEC.shingle_words)
            for id, text in self.texts.items()
        }
        #: source -> hit -> containment, under our own normalisation.
        self.shares: defaultdict[int, dict[int, float]] = defaultdict(dict)
        with lzma.open(CORPUS / "pairs.csv.xz") as packed:
            for row in csv.DictReader(io.TextIOWrapper(packed)):
                a, b = int(row["a"]), int(row["b"])
                both = overlap(self.hashes[a], self.hashes[b])
                self.shares[a][b] = both.containment_ab
                self.shares[b][a] = both.containment_ba


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus()


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_what_lies_well_above_the_threshold_is_found(corpus: Corpus, share: float) -> None:
    term = Alike(Likeness.FINGERPRINT, Reference(id=1), share, None, Span(0, 0))
    found = asked = 0
    for id, others in corpus.shares.items():
        source = source_of(id, corpus.hashes[id], SPEC)
        query = sketch_query(term, source, SPEC)
        for other, containment in others.items():
            if containment >= 1.25 * share:
                asked += 1
                hashes = corpus.hashes[other]
                found += is_found(query, np.isin(query.hashes, hashes), len(hashes), SPEC)
    assert asked > 1000
    assert found / asked >= 0.995


def test_what_is_reported_is_exact_and_never_below(corpus: Corpus, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "library.db")
    ids = sorted(corpus.texts)[:400]
    store.put(
        [
            StoredDocument(
                Document(id, content=corpus.texts[id]), fingerprint(corpus.texts[id], SPEC)
            )
            for id in ids
        ]
    )
    searcher = searcher_of(store)
    search = Search(store, searcher, SPEC)
    reported = 0
    for id in ids[::20]:
        for suffix, least in (("_20", 0.2), ("_50_80", 0.5), ("", 1e-9)):
            answer = search.run(Request(f"FINGERPRINT:{id}{suffix}", Scope(None, False, 600)))
            for hit in answer.hits:
                true = overlap(corpus.hashes[id], corpus.hashes[hit.id])
                assert hit.containment == pytest.approx(true.containment_ab, abs=1e-6)
                assert hit.jaccard == pytest.approx(true.jaccard, abs=1e-6)
                assert hit.containment >= least - 1e-6
                reported += 1
    assert reported > 50
    searcher.close()
    store.close()
