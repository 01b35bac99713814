"""What every store promises about finding candidates and words."""

from __future__ import annotations

import threading

import pytest

from documents import SPEC, damaged, document, some_text, stored
from libraries import Library
from paperless_fingerprint.candidates import rules
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.fingerprints.shingles import overlap, shingle_hashes
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.library.vocabulary import WordTable
from paperless_fingerprint.model import StoredDocument
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.text.normalise import normalise


def test_noisy_copies_are_found_and_strangers_are_not(store: Store) -> None:
    base = some_text(200, 1)
    copies = {id: damaged(base, share, id) for id, share in enumerate((0, 0.02, 0.1, 0.2, 0.3), 2)}
    strangers = {id: some_text(200, id) for id in range(100, 140)}
    store.put([stored(id, text) for id, text in ({1: base} | copies | strangers).items()])
    found = store.candidates(fingerprint(base, SPEC), excluding=1)
    assert [candidate.id for candidate in found] == [2, 3, 4, 5, 6]
    assert found[0].same_text
    for candidate in found:
        exact = overlap(_shingles(base), _shingles(copies[candidate.id]))
        assert candidate.jaccard == pytest.approx(exact.jaccard, abs=0.15)
        assert candidate.containment == pytest.approx(exact.containment_ab, abs=0.15)


def test_a_letter_inside_a_bundle_is_found_from_both_sides(store: Store) -> None:
    letter = some_text(150, 1)
    bundle = f"{some_text(4000, 2)} {letter} {some_text(4000, 3)}"
    store.put([stored(1, letter), stored(2, bundle)])
    [inside] = store.candidates(fingerprint(letter, SPEC), excluding=1)
    assert inside.id == 2
    assert inside.containment is not None
    assert inside.containment > 0.6
    [around] = store.candidates(fingerprint(bundle, SPEC), excluding=2)
    assert around.id == 1
    assert around.reverse_containment == inside.containment


def test_texts_that_are_empty_or_short_match_nothing_but_themselves(store: Store) -> None:
    store.put(
        [
            stored(1, ""),
            stored(2, ""),
            stored(3, "eine kurze Notiz"),
            stored(4, "eine kurze Notiz"),
            stored(5, "eine kurze Nachricht"),
            stored(6, "wort " * 300),
            stored(7, "wort " * 400),
        ]
    )
    assert store.candidates(fingerprint("", SPEC), excluding=1) == []
    [same] = store.candidates(fingerprint("Eine KURZE  Notiz.", SPEC), excluding=3)
    assert (same.id, same.same_text) == (4, True)
    assert store.candidates(fingerprint("wort " * 300, SPEC), excluding=6) == []


def test_the_same_file_is_found_whatever_its_text(store: Store) -> None:
    store.put([stored(1, "", checksum="abc"), stored(2, "", checksum="abc"), stored(3, "")])
    [same] = store.candidates(fingerprint("", SPEC), checksum="abc", excluding=1)
    assert (same.id, same.same_file, same.same_text) == (2, True, False)


def test_the_same_file_is_found_whatever_its_spec(store: Store) -> None:
    text = some_text(60, 1)
    other = fingerprint(text, FingerprintSpec(shingle_words=5, sketch_max_level=1))
    store.put([StoredDocument(document(1, text, checksum="abc"), other)])
    [same] = store.candidates(fingerprint(text, SPEC), checksum="abc", excluding=2)
    assert (same.id, same.same_file, same.same_text, same.jaccard) == (1, True, False, None)


def test_of_a_thousand_copies_a_bounded_number_comes_back(store: Store) -> None:
    text = some_text(60, 1)
    store.put([stored(id, text) for id in range(1, 301)])
    found = store.candidates(fingerprint(text, SPEC), excluding=300)
    assert len(found) <= 2 * rules.SAME_AT_MOST
    assert sum(candidate.same_text for candidate in found) == rules.SAME_AT_MOST


def test_all_stores_find_the_same_candidates(store: Store) -> None:
    """What they find is computed here from the texts, by the rules alone."""
    texts = {id: some_text(40 + id, id) for id in range(1, 20)}
    for id in range(20, 60):
        texts[id] = damaged(texts[id % 19 + 1], id / 150, id)
    for id in range(60, 70):
        texts[id] = f"{texts[id - 50]} {some_text(500, id)}"
    store.put([stored(id, text) for id, text in texts.items()])
    shingles = {id: _shingles(text) for id, text in texts.items()}
    for id, text in texts.items():
        expected = set()
        for other, hashes in shingles.items():
            both = overlap(shingles[id], hashes)
            # Well clear of the rules' limits, so that the sketch's error plays no part.
            if other != id and (both.jaccard > 0.25 or both.containment_ab > 0.6):
                expected.add(other)
        found = {c.id for c in store.candidates(fingerprint(text, SPEC), excluding=id)}
        assert expected <= found
        for other in found - expected:
            assert overlap(shingles[id], shingles[other]).shared >= 2


def test_a_search_sees_what_this_process_has_written(store: Store) -> None:
    for id in range(1, 6):
        text = some_text(60, id)
        store.put([stored(id, text)])
        assert [c.id for c in store.candidates(fingerprint(text, SPEC))] == [id]
        assert store.document_frequencies(text.split()[:2]) == dict.fromkeys(text.split()[:2], 1)
        store.delete([id])
        assert store.candidates(fingerprint(text, SPEC)) == []


def test_of_two_written_at_the_same_time_at_least_one_sees_the_other(store: Store) -> None:
    text = some_text(80, 1)
    for round in range(10):
        ids = (2 * round + 1, 2 * round + 2)
        copy = f"{text} {some_text(20, round + 100)}"
        gate = threading.Barrier(2)
        seen: dict[int, set[int]] = {}

        def write_then_look(id: int, copy: str = copy, gate=gate, seen=seen) -> None:
            record = stored(id, copy)
            gate.wait()
            store.put([record])
            seen[id] = {c.id for c in store.candidates(record.fingerprint, excluding=id)}

        threads = [threading.Thread(target=write_then_look, args=(id,)) for id in ids]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert ids[1] in seen[ids[0]] or ids[0] in seen[ids[1]]
        store.delete(ids)


def test_words_are_counted_by_document(store: Store) -> None:
    store.put(
        [stored(1, "alpha alpha beta"), stored(2, "alpha gamma"), stored(3, "", title="beta")]
    )
    assert store.document_frequencies(["alpha", "beta", "nichts"]) == {
        "alpha": 2,
        "beta": 1,
        "nichts": 0,
    }
    assert store.document_frequencies([]) == {}


def test_what_stands_in_several_documents_is_listed_or_the_texts_are_read(store: Store) -> None:
    store.put([stored(id, f"alpha Straße {id} 電話 w{id}", title="alpha beta") for id in (1, 2, 3)])
    store.put([stored(3, "alpha gamma"), stored(4, "gamma. Beta")])
    store.delete([2])
    listed = store.repeated_words()
    assert listed is None or dict(listed) == {"alpha": 2, "gamma": 2}
    known = WordTable.of(store)
    words = ("alpha", "gamma", "strasse", "電", "beta", "w2")
    assert known.frequencies(words) == [2, 2, 1, 1, 1, 1]


def test_library_of_one_kind_do_not_see_each_other(library: Library) -> None:
    one, other = library(), library()
    text = some_text(60, 1)
    one.put([stored(1, text)])
    assert other.candidates(fingerprint(text, SPEC)) == []
    assert other.ids() == []


def _shingles(text: str):
    return shingle_hashes(normalise(text), SPEC.shingle_words)
