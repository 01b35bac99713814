"""What people do in Paperless meanwhile: notes, corrections, saves of what they read before."""

from __future__ import annotations

import json

import pytest
from paperless_work import LETTER, RESCAN, Office, variant

from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.demo.stand_in.documents import trash_document
from paperless_fingerprint.integration import undo
from paperless_fingerprint.integration.merging import carry_out
from paperless_fingerprint.integration.merging.words import Names, in_words

NEAR, EXACT, PRIMARY = "Duplicate (near)", "Duplicate (exact)", "Has duplicates"


@pytest.fixture
def office(tmp_path, stand_in: StandIn) -> Office:
    return Office(tmp_path, stand_in)


def note(office: Office, id: int, text: str) -> None:
    office.paperless.library.documents[id].notes.append(
        {"id": office.paperless.library.number("note"), "note": text, "created": "", "user": None}
    )


def notes(office: Office, id: int) -> list[str]:
    return [each["note"] for each in office.paperless.library.documents[id].notes]


def save_tags(office: Office, id: int, tags: list[int]) -> None:
    library = office.paperless.library
    with library.lock:
        library.documents[id].tags = tags
        library.touch(library.documents[id])


def test_the_saved_view_is_for_all(office):
    office.consume(office.add(LETTER), office.add(RESCAN))
    assert [view["owner"] for view in office.paperless.library.views.values()] == [None]


def test_notes_are_carried_over_and_taken_back(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    note(office, a, "Both know this.")
    for text in ("Both know this.", "Paid on Monday."):
        note(office, b, text)
    office.consume(a, b)
    with office.open() as place, place.lock.held():
        planned = carry_out.preview(place, [a], [b])
        assert "gets 1 notes" in "\n".join(in_words(planned, Names(place.paperless)))
        carry_out.merge(place, planned, "test")
    assert notes(office, a) == ["Both know this.", "Paid on Monday."]
    with office.open() as place:
        undo.undo_last(place)
    assert notes(office, a) == ["Both know this."]
    assert notes(office, b) == ["Both know this.", "Paid on Monday."]


def test_what_somebody_corrected_is_not_replaced_though_the_file_is_the_same(office):
    office.environment["PAPERLESS_FINGERPRINT_EXACT_POLICY"] = "replace"
    file = b"%PDF one and the same"
    a = office.add(LETTER, data=file)
    office.consume(a)
    library = office.paperless.library
    with library.lock:
        library.documents[a].content = LETTER.replace("118,20", "113,20")
        library.touch(library.documents[a])
    office.consume(a)
    b = office.add(LETTER, data=file)
    office.consume(b)
    assert office.pairs() == {(a, b): "exact"}
    assert set(library.documents) == {a, b}


def test_one_undo_takes_a_replacement_back(office):
    office.environment["PAPERLESS_FINGERPRINT_EXACT_POLICY"] = "replace"
    a = office.add(LETTER)
    note(office, a, "Paid on Monday.")
    office.consume(a)
    b = office.add(LETTER)
    office.consume(b)
    library = office.paperless.library
    assert set(library.documents) == {b}
    assert notes(office, b) == ["Paid on Monday."]
    log = [json.loads(x) for x in (office.folder / "library.audit.jsonl").read_text().splitlines()]
    assert [act["what"] for act in log] == ["primary", "merge", "merged"]
    with office.open() as place:
        assert len(undo.undo_last(place)) == 2
        assert undo.last_acts(place) == []
        assert place.store.decisions() == []
    assert set(library.documents) == {a, b}
    assert notes(office, b) == []


def test_a_list_of_tags_that_was_read_before_ours_came_is_no_answer(office):
    mine = office.paperless.library.add_label("tags", "Mine").id
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    save_tags(office, b, [mine])
    office.sync()
    assert office.groups() == [(a, b)]
    assert office.tags(b) == {"Mine", NEAR}
    office.take_off(b, NEAR)
    office.sync()
    assert office.groups() == []
    assert office.tags(a) == set()
    assert office.tags(b) == {"Mine"}


@pytest.mark.parametrize("edited", [None, "title", "created"])
def test_exactly_the_old_list_saved_is_no_answer_where_ours_may_not_have_been_seen(office, edited):
    """Soon after ours came, or by somebody who saved the whole document with something else."""
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    library = office.paperless.library
    if edited:
        office.let_tags_grow_old()
        setattr(library.documents[b], edited, "2024-03-03")
    save_tags(office, b, [])
    office.sync()
    assert office.groups() == [(a, b)]
    assert office.tags(b) == {NEAR}
    save_tags(office, b, [])
    office.sync()
    assert office.groups() == []
    assert office.tags(a) == office.tags(b) == set()


def test_our_tag_alone_taken_off_is_an_answer_at_once(office):
    mine = office.paperless.library.add_label("tags", "Mine").id
    a, b = office.add(LETTER), office.add(RESCAN, tags=[mine])
    office.consume(a, b)
    office.take_off(b, NEAR)
    office.sync()
    assert office.groups() == []


def test_a_part_has_no_confidence_of_a_duplicate(office):
    whole, part = office.add(f"{LETTER}\n\n{variant(3)}\n\n{variant(4)}"), office.add(LETTER)
    office.consume(whole, part)
    assert office.pairs() == {(whole, part): "contains"}
    assert office.tags(part) == {"Part of another"}
    assert "Duplicate confidence" not in office.fields(part)


def test_the_next_look_finds_a_deletion(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    office.sync()
    library = office.paperless.library
    with library.lock:
        trash_document(library, library.documents[b])
    office.add(variant(1))
    office.sync(reconcile=False)
    assert office.groups() == []
    assert office.tags(a) == set()
    assert office.fields(a) == {}
