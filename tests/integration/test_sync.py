"""Keeping up with Paperless."""

from __future__ import annotations

from dataclasses import replace

import pytest
from paperless_work import LETTER, OTHER, RESCAN, Office, variant

from paperless_fingerprint.demo.stand_in import Fault, StandIn
from paperless_fingerprint.demo.stand_in.documents import trash_document
from paperless_fingerprint.errors import PaperlessError
from paperless_fingerprint.integration import sync as syncing
from paperless_fingerprint.model import Decision, Verdict


@pytest.fixture
def office(tmp_path, stand_in: StandIn) -> Office:
    return Office(tmp_path, stand_in)


def fetched(office: Office) -> int:
    return sum(n for (_, path), n in office.paperless.requests.items() if path == "/api/documents/")


def test_the_first_sync_writes_nothing_and_apply_does(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    assert office.sync().new == 2
    assert office.groups() == [(a, b)]
    assert office.tags(b) == set()
    office.apply()
    assert office.tags(b) == {"Duplicate (near)"}


def test_what_comes_later_is_told_by_itself(office):
    a = office.add(LETTER)
    office.sync()
    b = office.add(RESCAN)
    assert office.sync(reconcile=False).new == 1
    assert office.tags(b) == {"Duplicate (near)"}
    assert office.tags(a) == {"Has duplicates"}


def test_after_a_first_look_at_an_empty_paperless_everything_is_new(office):
    office.sync()
    office.add(LETTER)
    b = office.add(RESCAN)
    office.sync()
    assert office.tags(b) == {"Duplicate (near)"}


def test_nothing_is_fetched_twice_and_our_own_writes_change_nothing(office):
    office.add(LETTER), office.add(RESCAN)
    office.sync()
    office.apply()
    report = office.sync()
    assert (report.fetched, report.unchanged) == (2, 2)
    with office.open() as place:
        assert place.store.pending() == []
    assert office.sync().fetched == 0
    writes = office.writes()
    office.sync()
    assert office.writes() == writes


def test_a_change_of_metadata_keeps_the_fingerprint(office):
    a = office.add(LETTER, title="alt")
    office.sync()
    library = office.paperless.library
    with library.lock:
        library.documents[a].title = "neu"
        library.touch(library.documents[a])
    report = office.sync(reconcile=False)
    assert (report.metadata, report.changed) == (1, 0)
    with office.open() as place:
        assert place.store.metadata([a])[a].title == "neu"


def test_another_text_is_fingerprinted_anew(office):
    a, b = office.add(LETTER), office.add(OTHER)
    office.sync()
    library = office.paperless.library
    with library.lock:
        library.documents[b].content = RESCAN
        library.touch(library.documents[b])
    assert office.sync(reconcile=False).changed == 1
    assert office.groups() == [(a, b)]


def test_deletion_trash_and_what_comes_back(office):
    a, b, c = office.add(LETTER), office.add(RESCAN), office.add(OTHER)
    office.sync()
    office.apply()
    library = office.paperless.library
    with library.lock:
        trash_document(library, library.documents[a])
    assert office.sync().deleted == 1
    assert office.groups() == []
    assert office.tags(b) == set()
    with library.lock:
        row = library.trash.pop(a)
        library.documents[a] = row
        library.touch(row)
    assert office.sync().new == 1
    assert office.groups() == [(a, b)]
    with office.open() as place:
        assert place.store.ids() == [a, b, c]
        assert place.store.decisions() == []
    assert office.tags(a) == {"Has duplicates"}
    assert office.tags(b) == {"Duplicate (near)"}


def test_decisions_outlive_a_deletion(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.sync()
    with office.open() as place:
        place.store.put_decision(Decision(a, b, Verdict.DISMISSED, "2026-01-01T00:00:00Z"))
    library = office.paperless.library
    with library.lock:
        trash_document(library, library.documents[a])
    office.sync()
    with library.lock:
        library.documents[a] = library.trash.pop(a)
        library.touch(library.documents[a])
    office.sync()
    assert office.groups() == []


def test_a_run_that_was_stopped_goes_on_where_it_was(office):
    ids = [office.add(variant(n)) for n in range(250)]
    with office.open() as place:
        report = next(syncing.steps(place))
        assert report.new == 100
    with office.open() as place:
        *_, report = syncing.steps(place)
        assert report.new == 150
        assert place.store.ids() == ids


def test_a_token_that_lost_its_rights_does_not_empty_the_library(office):
    for n in range(30):
        office.add(variant(n))
    office.sync()
    rows = dict(office.paperless.library.documents)
    office.paperless.library.documents.clear()
    with pytest.raises(PaperlessError, match="lost its permissions"):
        office.sync()
    with office.open() as place:
        assert len(place.store.ids()) == 30
    assert office.sync(accept_loss=True).deleted == 30
    office.paperless.library.documents.update(rows)
    assert office.sync().new == 30


def test_one_document_that_cannot_be_read_does_not_stop_the_others(office):
    ids = [office.add(variant(n)) for n in range(3)]
    stand_in = office.paperless
    original = stand_in.faults.draw
    # Whatever is asked about this document fails, alone or among others.
    stand_in.faults.draw = lambda method, path: (
        Fault.SERVER_ERROR
        if "id__in" in path and "content" in path and str(ids[1]) in path.split("id__in=")[1]
        else original(method, path)
    )
    with office.open() as place:
        object.__setattr__(place.paperless._connection, "_sleep", lambda _seconds: None)
        report = syncing.sync(place)
    assert [id for id, _ in report.unreadable] == [ids[1]]
    assert report.new == 2
    stand_in.faults.draw = original
    assert office.sync().new == 1


def test_owner_and_viewers_come_along(office):
    people = office.paperless.library.people
    anna, bert = people.add_user("anna", "x"), people.add_user("bert", "x")
    a = office.add(LETTER, owner=anna.id, view_users={bert.id}, view_groups={4})
    office.sync()
    with office.open() as place:
        found = place.store.metadata([a])[a]
    assert found.owner == str(anna.id)
    assert set(found.viewers) == {str(bert.id), "group:4"}


def test_a_clock_of_paperless_that_goes_back_hides_nothing(office):
    office.add(LETTER)
    office.sync()
    late = office.add(RESCAN, modified="2001-01-01T00:00:00.000000Z")
    assert office.sync(reconcile=False).new == 0
    assert office.sync(reconcile=True).new == 1
    with office.open() as place:
        assert late in place.store.ids()


def test_another_library_beside_the_same_inbox_is_filled_from_the_beginning(office):
    office.add(LETTER)
    office.sync()
    for file in office.folder.glob("library.db*"):
        file.unlink()
    assert office.sync().new == 1


def test_before_version_3_the_checksum_is_asked_for(tmp_path):
    with StandIn(major=2) as paperless:
        office = Office(tmp_path, paperless)
        a, b = office.add("", data=b"same"), office.add("", data=b"same")
        office.sync()
        assert office.groups() == [(a, b)]
        asked = paperless.requests["GET", f"/api/documents/{a}/metadata/"]
        office.sync(full=True)
        assert paperless.requests["GET", f"/api/documents/{a}/metadata/"] == asked == 1


def test_the_sync_survives_documents_that_disappear_under_way(office):
    ids = [office.add(variant(n)) for n in range(5)]
    with office.open() as place:
        stamps = place.paperless.changes("1970-01-01T00:00:00Z")
        place.paperless.changes = lambda _after: stamps  # as it was a moment ago
        library = office.paperless.library
        with library.lock:
            trash_document(library, library.documents[ids[0]])
        assert syncing.sync(place).new == 4
        assert replace(syncing.SyncReport(), new=4).in_words() == "Synchronised: 4 new."
