"""What every store promises about documents."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid5

import pytest

from documents import SPEC, damaged, document, some_text, stored
from libraries import Library, with_any
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.model import MAX_DOCUMENT_ID, StoredDocument
from paperless_fingerprint.stores.base import Pending, Store


def test_a_document_comes_back_as_it_was(store: Store) -> None:
    record = stored(
        7,
        "Rechnung Nr. 4711 über 118,20 €\n" + some_text(80, 1),
        correspondent="Stadtwerke Köln",
        document_type="Rechnung",
        created="2024-03-03",
        added="2024-03-05T10:15:00Z",
        modified="2024-03-06T10:15:00.123456Z",
        tags=("Strom", "Haushalt, Küche", "😀"),
        original_filename="scan_1.pdf",
        page_count=2,
        file_size=123_456,
        checksum="abc",
        uuid="0b7c5b9e-6c1f-4f4f-9a55-0a5b7f2b9d11",
        archive_serial_number=12,
        owner="3",
        viewers=("4", "group:2"),
    )
    assert store.put([record]).written == 1
    assert store.get([7]) == {7: record}
    assert store.texts([7, 8]) == {7: record.document.content}
    assert store.ids() == [7]
    assert list(store.documents()) == [record]
    assert [(row.id, row.checksum, row.fingerprint) for row in store.fingerprints()] == [
        (7, "abc", record.fingerprint)
    ]
    assert store.text_hashes([7]) == {7: (SPEC.id, record.fingerprint.text_hash)}
    assert store.id_of_uuid("0B7C5B9E-6c1f-4f4f-9a55-0a5b7f2b9d11") == 7


def test_what_is_not_there_is_left_out(store: Store) -> None:
    assert store.get([1]) == {}
    assert store.get([]) == {}
    assert store.texts([1]) == {}
    assert store.text_hashes([1]) == {}
    assert store.ids() == []
    assert list(store.documents()) == []
    assert store.id_of_uuid("0b7c5b9e-6c1f-4f4f-9a55-0a5b7f2b9d11") is None
    assert store.delete([1]) == 0


def test_documents_that_are_too_short_are_named_with_their_words(store: Store) -> None:
    store.put([
        stored(1, ""),
        stored(2, "Only four words here."),
        stored(3, some_text(SPEC.min_words - 1, 1)),
        stored(4, some_text(SPEC.min_words, 2)),
        stored(5, " \n\u00a0"),
    ])  # fmt: skip
    assert store.too_short() == {1: 0, 2: 4, 3: SPEC.min_words - 1, 5: 0}
    store.put([stored(2, some_text(80, 3))])
    store.delete([3])
    assert store.too_short() == {1: 0, 5: 0}


def test_a_document_without_a_uuid_is_named_after_the_library(store: Store) -> None:
    store.put([stored(7, "text")])
    expected = str(uuid5(store.namespace, "7"))
    assert store.get([7])[7].document.uuid == expected
    assert store.id_of_uuid(expected) == 7
    store.put([stored(7, "another text")])
    assert store.get([7])[7].document.uuid == expected


def test_two_libraries_have_two_namespaces(library: Library) -> None:
    one, other = library(), library()
    assert isinstance(one.namespace, UUID)
    assert one.namespace != other.namespace


def test_a_uuid_of_another_document_is_refused_and_the_rest_is_written(store: Store) -> None:
    uuid = "0b7c5b9e-6c1f-4f4f-9a55-0a5b7f2b9d11"
    store.put([stored(1, "first", uuid=uuid)])
    report = store.put([stored(2, "second", uuid=uuid), stored(3, "third")])
    assert [refusal.id for refusal in report.refused] == [2]
    assert uuid in report.refused[0].reason
    assert report.written == 1
    assert store.ids() == [1, 3]
    assert store.id_of_uuid(uuid) == 1


@pytest.mark.parametrize("id", [0, -1, MAX_DOCUMENT_ID + 1])
def test_an_id_out_of_range_is_refused(store: Store, id: int) -> None:
    report = store.put([stored(id, "text"), stored(5, "text")])
    assert [refusal.id for refusal in report.refused] == [id]
    assert store.ids() == [5]


def test_the_largest_id_works(store: Store) -> None:
    text = some_text(60, 1)
    store.put([stored(MAX_DOCUMENT_ID, text), stored(1, damaged(text, 0.05, 1))])
    found = store.candidates(fingerprint(text, SPEC), excluding=1)
    assert [candidate.id for candidate in found] == [MAX_DOCUMENT_ID]


def test_pages_of_a_scan_are_complete_and_in_order(store: Store) -> None:
    ids = list(range(1, 1200))
    for start in range(0, len(ids), 400):
        store.put([stored(id, f"text {id}") for id in reversed(ids[start : start + 400])])
    assert store.ids() == ids
    assert [record.document.id for record in store.documents()] == ids
    assert [record.document.id for record in store.documents(after=1190)] == ids[1190:]
    assert [row.id for row in store.fingerprints()] == ids


def test_a_text_change_replaces_the_fingerprint(store: Store) -> None:
    before, after = some_text(60, 1), some_text(60, 2)
    store.put([stored(1, before)])
    store.put([stored(1, after)])
    assert store.candidates(fingerprint(before, SPEC)) == []
    assert [candidate.id for candidate in store.candidates(fingerprint(after, SPEC))] == [1]
    assert with_any(store, *before.split()[:3]) == []
    assert with_any(store, *after.split()[:3]) == [1]


def test_a_metadata_change_keeps_the_fingerprint(store: Store) -> None:
    text = some_text(60, 1)
    store.put([stored(1, text, title="Zählerstand", tags=("alt",))])
    uuid = store.get([1])[1].document.uuid
    changed = document(1, "", title="Ablesung", correspondent="Stadtwerke", tags=("neu",))
    assert store.put_metadata([changed]).written == 1
    found = store.get([1])[1]
    assert found.document == replace(changed, content=text, uuid=uuid)
    assert found.fingerprint == fingerprint(text, SPEC)
    assert [candidate.id for candidate in store.candidates(fingerprint(text, SPEC))] == [1]
    assert with_any(store, "zählerstand") == []
    assert with_any(store, "ablesung") == [1]
    assert with_any(store, *text.split()[:1]) == [1]


def test_metadata_of_a_document_that_is_not_there_is_refused(store: Store) -> None:
    report = store.put_metadata([document(9)])
    assert [refusal.id for refusal in report.refused] == [9]
    assert store.ids() == []


def test_a_deletion_removes_every_trace(store: Store) -> None:
    text = some_text(60, 1)
    store.put([stored(1, text, checksum="abc"), stored(2, some_text(60, 2))])
    uuid = store.get([1])[1].document.uuid
    assert store.delete([1, 99]) == 1
    assert store.ids() == [2]
    assert store.get([1]) == {}
    assert store.candidates(fingerprint(text, SPEC), checksum="abc") == []
    assert with_any(store, *text.split()[:3]) == []
    assert store.id_of_uuid(uuid) is None
    assert store.document_frequencies([text.split()[0]]) == {text.split()[0]: 0}
    assert [item.id for item in store.pending()] == [2]


def test_of_an_id_given_twice_the_last_one_counts(store: Store) -> None:
    store.put([stored(1, "first text"), stored(1, "second text")])
    assert store.texts([1]) == {1: "second text"}
    assert with_any(store, "first") == []


def test_odd_texts_are_kept_as_they_are(store: Store) -> None:
    texts = {
        1: "",
        2: " \n\t ",
        3: "'; DROP TABLE document; --",
        4: "日本語の手紙です。" * 10,
        5: "😀" * 100,
        6: "wort " * 100_000,
        7: "a" * 100_000,
        8: "\u202e\u0301 e\u0301",
    }
    assert store.put([stored(id, text) for id, text in texts.items()]).written == len(texts)
    assert store.texts(texts) == texts
    assert {id: r.fingerprint for id, r in store.get(texts).items()} == {
        id: fingerprint(text, SPEC) for id, text in texts.items()
    }


# Pending ---------------------------------------------------------------------------------


def test_what_was_written_is_pending_until_it_was_analysed(store: Store) -> None:
    store.put([stored(1, "text"), stored(2, "text")])
    waiting = store.pending()
    assert [item.id for item in waiting] == [1, 2]
    assert [item.id for item in store.pending(limit=1)] == [1]
    store.mark_analysed(waiting[:1])
    assert [item.id for item in store.pending()] == [2]
    store.put_metadata([document(1, title="other")])
    assert [item.id for item in store.pending()] == [1, 2]


def test_a_document_that_changed_meanwhile_stays_pending(store: Store) -> None:
    store.put([stored(1, "text")])
    seen = store.pending()
    store.put([stored(1, "another text")])
    store.mark_analysed(seen)
    assert [item.id for item in store.pending()] == [1]


def test_marking_pending_by_hand(store: Store) -> None:
    store.put([stored(1, "text"), stored(2, "text")])
    store.mark_analysed(store.pending())
    store.mark_pending([2, 99])
    assert [item.id for item in store.pending()] == [2]
    store.mark_analysed([Pending(2, "0")])
    assert [item.id for item in store.pending()] == [2]


def test_notes_are_kept(store: Store) -> None:
    store.put_notes({"spec": "a", "cursor": "1"})
    store.put_notes({"spec": "b"})
    notes = store.notes()
    assert (notes["spec"], notes["cursor"]) == ("b", "1")


def test_the_report_counts(store: Store) -> None:
    store.put([stored(id, "text") for id in (1, 2, 3)])
    counts = store.report().counts
    assert (counts.documents, counts.pending, counts.pairs) == (3, 3, 0)


# Fingerprints of another spec -------------------------------------------------------------


def test_two_specs_are_never_compared(store: Store) -> None:
    other = FingerprintSpec(shingle_words=5)
    text = some_text(60, 1)
    store.put([StoredDocument(document(1, text), fingerprint(text, other)), stored(2, text)])
    assert [c.id for c in store.candidates(fingerprint(text, SPEC))] == [2]
    assert [c.id for c in store.candidates(fingerprint(text, other))] == [1]
    assert store.text_hashes([1])[1][0] == other.id


def test_one_may_ask_which_of_some_documents_wait(store: Store) -> None:
    store.put([stored(id, some_text(30, id)) for id in (1, 2, 3)])
    assert [item.id for item in store.pending(ids=[3, 1, 9])] == [1, 3]
    assert store.pending(ids=[2]) == [item for item in store.pending() if item.id == 2]
    assert [item.id for item in store.pending(1, ids=[2, 3])] == [2]
    assert store.pending(ids=[]) == []
    store.mark_analysed(store.pending(ids=[2]))
    assert store.pending(ids=[2]) == []
    store.put([stored(2, some_text(30, 4))])
    store.put([stored(2, some_text(30, 5))])
    [again] = store.pending(ids=[2])
    assert again.id == 2
    store.mark_analysed([again])
    assert store.pending(ids=[2]) == []
    assert [item.id for item in store.pending()] == [1, 3]
