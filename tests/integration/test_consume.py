"""From an id to the tags, for one document at a time."""

from __future__ import annotations

import pytest
from paperless_work import LETTER, OTHER, RESCAN, Office

from documents import contested_scan
from paperless_fingerprint.demo.stand_in import Fault, StandIn
from paperless_fingerprint.demo.stand_in.documents import trash_document
from paperless_fingerprint.stores.sqlite import SqliteStore

NEAR, EXACT, PRIMARY = "Duplicate (near)", "Duplicate (exact)", "Has duplicates"


@pytest.fixture
def office(tmp_path, stand_in: StandIn) -> Office:
    return Office(tmp_path, stand_in)


def test_a_rescan_is_tagged_and_linked(office):
    a, b, other = office.add(LETTER), office.add(RESCAN), office.add(OTHER)
    office.consume(a, b, other)
    assert office.groups() == [(a, b)]
    assert office.tags(a) == {PRIMARY}
    assert office.tags(b) == {NEAR}
    assert office.tags(other) == set()
    assert office.fields(b)["Duplicate of"] == [a]
    assert 0.75 <= office.fields(b)["Duplicate confidence"] <= 1
    assert office.fields(a) == {"Duplicate of": [b]}


def test_whose_copy_goes_to_another_original_loses_its_tag(office):
    """And gets it back when that one is deleted, though it was not looked at itself."""
    scan, original, other = contested_scan()
    a, b = office.add(other), office.add(scan)
    office.consume(a, b)
    assert office.tags(a) == {PRIMARY}
    c = office.add(original)
    office.consume(c)
    assert office.groups() == [(b, c)]
    assert office.tags(a) == set()
    assert office.fields(a) == {}
    assert office.tags(b) | office.tags(c) == {PRIMARY, NEAR}
    trash_document(office.paperless.library, office.paperless.library.documents[c])
    office.consume(c)
    assert office.tags(a) == {PRIMARY}
    assert office.tags(b) == {NEAR}


def test_a_group_that_falls_apart_far_away_is_told_to_all_of_its_members(office):
    """The file of the other letter is there twice; its second text resembles nothing of these."""
    scan, original, other = contested_scan()
    a, b = office.add(scan), office.add(other, data=b"one file")
    same_file = office.add(OTHER, data=b"one file")
    office.consume(a, b, same_file)
    assert office.groups() == [(a, b, same_file)]
    assert office.fields(same_file)["Duplicate of"] == [a]
    c = office.add(original)
    office.consume(c)
    assert office.groups() == [(a, c), (b, same_file)]
    assert office.fields(same_file)["Duplicate of"] == [b]
    assert office.tags(b) == {PRIMARY}


def test_the_words_of_a_document_are_asked_for_in_one_go(office, monkeypatch):
    """Each question is a journey where the store is a server."""
    office.consume(office.add(LETTER), office.add(OTHER))
    asked = []
    answer = SqliteStore.document_frequencies

    def counting(store, words, **named):
        asked.append(words)
        return answer(store, words, **named)

    monkeypatch.setattr(SqliteStore, "document_frequencies", counting, raising=False)
    office.consume(office.add(RESCAN))
    assert len(office.groups()) == 1
    assert len(asked) == 1


def test_doing_it_again_writes_nothing(office):
    a, b = office.add(LETTER), office.add(LETTER)
    office.consume(a, b)
    before = office.writes()
    office.consume(b, a)
    office.consume(a)
    assert office.writes() == before
    assert office.tags(b) == {EXACT}


def test_a_document_that_is_gone_is_removed_and_its_copy_loses_the_tag(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    trash_document(office.paperless.library, office.paperless.library.documents[a])
    office.consume(a)
    with office.open() as place:
        assert place.store.ids() == [b]
        assert place.inbox.events() == []
    assert office.tags(b) == set()
    assert office.fields(b) == {}


@pytest.mark.parametrize("id", [4711, 2**31 - 1])
def test_an_id_that_does_not_exist_is_done_with(office, id):
    office.consume(id)
    with office.open() as place:
        assert place.inbox.events() == []


def test_a_version_row_stands_for_its_document(office):
    a = office.add(LETTER)
    b = office.add(OTHER)
    version = office.paperless.library.add(RESCAN, root=b).id
    office.consume(a, version)
    assert office.groups() == [(a, b)]
    with office.open() as place:
        assert place.store.ids() == [a, b]


def test_documents_without_text_match_nothing_but_the_same_file(office):
    ids = [office.add("", data=data) for data in (b"one", b"two", b"one")]
    office.consume(*ids)
    assert office.groups() == [(ids[0], ids[2])]
    assert office.tags(ids[1]) == set()


def test_a_text_that_changes_takes_the_tags_with_it(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    library = office.paperless.library
    with library.lock:
        library.documents[b].content = OTHER
        library.touch(library.documents[b])
    office.consume(b)
    assert office.groups() == []
    assert office.tags(a) == set() == office.tags(b)
    assert office.fields(a) == {} == office.fields(b)


def test_a_document_that_paperless_cannot_show_is_tried_again_and_then_rests(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.environment["PAPERLESS_FINGERPRINT_INBOX_TRIES"] = "2"
    office.paperless.faults.next(Fault.SERVER_ERROR, 100, path=f"/api/documents/{a}/")
    from paperless_fingerprint.integration import consume

    with office.open() as place:
        object.__setattr__(place.paperless._connection, "_sleep", lambda _seconds: None)
        place.inbox.add([a, b])
        report = consume.drain(place)
        assert (report.done, report.tried, report.outage) == (1, 2, None)
        event = place.inbox.events("failed")[0]
        assert event.document_id == a
        assert "HTTP 500" in event.error
        office.paperless.faults.clear()
        assert place.inbox.retry() == 1
        assert consume.drain(place).done == 1
    assert office.groups() == [(a, b)]


def test_titles_and_tags_of_any_kind(office):
    library = office.paperless.library
    tag = library.add_label("tags", 'a, "b" <b>🧾</b>').id
    a = office.add(LETTER, title="<script>alert(1)</script>", tags=[tag])
    b = office.add(LETTER, title="\x1b[31mrot")
    office.consume(a, b)
    assert office.tags(a) == {PRIMARY, 'a, "b" <b>🧾</b>'}
    with office.open() as place:
        assert place.store.metadata([a])[a].tags == ('a, "b" <b>🧾</b>',)
