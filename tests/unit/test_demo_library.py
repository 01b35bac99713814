"""The sample library is what its truth says it is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from itertools import combinations

import pytest

from paperless_fingerprint.demo.damage import move_to_top, scan
from paperless_fingerprint.demo.library import sample_library
from paperless_fingerprint.model import Document, Relation
from sample_truth import sample_truth


def words_of(document: Document) -> list[str]:
    # Written here once more and not taken from text/normalise.py: the truth must not depend on it.
    text = unicodedata.normalize("NFKC", document.content).casefold()
    return re.findall(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+", text)


def shingles_of(document: Document) -> set[tuple[str, ...]]:
    words = words_of(document)
    return set(zip(words, words[1:], words[2:], strict=False))


def jaccard(a: Document, b: Document) -> float:
    one, other = shingles_of(a), shingles_of(b)
    return len(one & other) / max(1, len(one | other))


def share_inside(part: Document, whole: Document) -> float:
    one, other = shingles_of(part), shingles_of(whole)
    return len(one & other) / max(1, len(one))


@pytest.fixture(scope="module")
def library() -> dict[int, Document]:
    return {document.id: document for document in sample_library()}


def pairs_that_are(relation: Relation) -> list[tuple[int, int]]:
    return [pair for pair, is_ in sample_truth().items() if is_ is relation]


def test_about_sixty_documents_with_ids_of_their_own(library):
    assert 60 <= len(library) <= 70
    assert len(library) == len(sample_library())


def test_every_relation_but_related_occurs():
    counts = Counter(sample_truth().values())
    assert set(counts) == set(Relation) - {Relation.RELATED}
    assert counts[Relation.NEAR] >= 9
    assert counts[Relation.EXACT] >= 5


def test_truth_names_documents_of_the_library_lower_id_first(library):
    for a, b in sample_truth():
        assert a < b
        assert {a, b} <= set(library)


def test_two_processes_make_the_same_library():
    code = (
        "import hashlib; from paperless_fingerprint.demo.library import sample_library as s;"
        "print(hashlib.sha256(repr(s()).encode()).hexdigest())"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(made) == 1


def test_texts_read_like_letters(library):
    for document in library.values():
        words = len(words_of(document))
        receipt = document.document_type in {"Kassenbon", "Reçu", "Receipt"}
        scan_of_receipt = document.id == 33
        if document.content and not receipt and not scan_of_receipt:
            assert 60 <= words <= 1000, document.title
        assert "{" not in document.content, "a form was left unfilled"
        assert "@" not in re.sub(r"\S+@\S+", "", document.content), "a directive was left"


def test_every_document_is_described(library):
    for document in library.values():
        assert document.title
        assert document.created <= document.added <= document.modified
        assert document.original_filename
        # Nobody can count the pages of what cannot be opened.
        assert (document.page_count is None) == (
            "verschlüsselt" in document.title or document.id == 40
        )
        assert document.file_size > 0
        assert re.fullmatch("[0-9a-f]{64}", document.checksum)
    numbers = [d.archive_serial_number for d in library.values() if d.archive_serial_number]
    assert len(numbers) == len(set(numbers)) >= 5
    assert any(document.owner and document.viewers for document in library.values())
    assert any(document.owner is None for document in library.values())


def test_exact_pairs_have_the_same_words_or_the_same_file(library):
    for a, b in pairs_that_are(Relation.EXACT):
        same_file = library[a].checksum == library[b].checksum
        assert same_file or words_of(library[a]) == words_of(library[b])
    for a, b in combinations(library, 2):
        if library[a].checksum == library[b].checksum:
            assert sample_truth()[a, b] is Relation.EXACT


def test_an_exact_copy_differs_in_title_and_format(library):
    a, b = library[19], library[20]
    assert a.content != b.content
    assert a.title != b.title
    assert a.original_filename.rsplit(".")[-1] != b.original_filename.rsplit(".")[-1]


def test_scans_are_damaged_but_recognisable(library):
    for a, b in pairs_that_are(Relation.NEAR):
        assert 0.4 <= jaccard(library[a], library[b]) < 1, (library[a].title, library[b].title)


def test_versions_are_edited_and_forms_differ(library):
    for a, b in pairs_that_are(Relation.VERSION):
        assert 0.5 <= jaccard(library[a], library[b]) < 1, (library[a].title, library[b].title)
    for a, b in pairs_that_are(Relation.TEMPLATE):
        assert 0 < jaccard(library[a], library[b]) < 1, (library[a].title, library[b].title)


def test_a_part_lies_in_the_whole(library):
    for pair in pairs_that_are(Relation.CONTAINS):
        part, whole = sorted((library[member] for member in pair), key=lambda d: len(d.content))
        assert share_inside(part, whole) > 0.6, (part.title, whole.title)


def test_a_translation_shares_hardly_a_phrase(library):
    for a, b in pairs_that_are(Relation.SEMANTIC):
        assert jaccard(library[a], library[b]) < 0.1


def test_other_documents_have_nothing_in_common(library):
    named = sample_truth()
    for a, b in combinations(library, 2):
        if (a, b) not in named:
            assert jaccard(library[a], library[b]) < 0.05, (library[a].title, library[b].title)
            assert share_inside(library[a], library[b]) < 0.25, (a, b)


def test_documents_without_text_are_no_pair_but_by_their_file(library):
    empty = {d.id for d in library.values() if not d.content}
    assert len(empty) >= 4
    assert {pair for pair in sample_truth() if set(pair) & empty} == {(39, 40)}


def test_a_scan_repeats_itself_and_another_seed_does_not():
    text = "The roof of the mill was mended in the summer of that year.\n" * 30
    assert scan(text, seed=1, word_rate=0.1) == scan(text, seed=1, word_rate=0.1)
    assert scan(text, seed=1, word_rate=0.1) != scan(text, seed=2, word_rate=0.1)
    assert scan(text, seed=1, word_rate=0) == text.strip("\n")


def test_a_scan_damages_about_as_many_words_as_asked():
    text = " ".join(f"harbour{i} window orchard lantern" for i in range(1000))
    kept = Counter(text.split()) & Counter(scan(text, seed=3, word_rate=0.1).split())
    assert 0.87 <= kept.total() / 4000 <= 0.93


def test_a_stamp_is_added_and_a_page_moves_up():
    text = "First page\n\nof the letter\n\nPage 2\n\nYours"
    assert move_to_top(text, "Page 2") == "Page 2\n\nYours\n\nFirst page\n\nof the letter"
    scanned = scan(text, seed=1, word_rate=0, stamp="RECEIVED 3 May")
    assert "RECEIVED 3 May" in scanned.splitlines()
    assert words_without(scanned, "RECEIVED 3 May") == text.split()


def words_without(text: str, stamp: str) -> list[str]:
    return text.replace(stamp, "").split()
