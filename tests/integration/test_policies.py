"""What the policies do beyond a tag, what may never happen, and how it is taken back."""

from __future__ import annotations

import json

import pytest
from paperless_work import LETTER, OTHER, RESCAN, Office

from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.demo.stand_in.fields import create_field, set_value
from paperless_fingerprint.errors import StoreError, UsageError
from paperless_fingerprint.integration import undo as undoing
from paperless_fingerprint.integration.merging import carry_out
from paperless_fingerprint.integration.merging.words import Names, in_words
from paperless_fingerprint.model import Decision, Verdict

NEAR, EXACT, PRIMARY = "Duplicate (near)", "Duplicate (exact)", "Has duplicates"


@pytest.fixture
def office(tmp_path, stand_in: StandIn) -> Office:
    return Office(tmp_path, stand_in)


def there(office: Office) -> set[int]:
    return set(office.paperless.library.documents)


def undo(office: Office) -> list[str]:
    with office.open() as place:
        return undoing.undo_last(place)


# --- the table -------------------------------------------------------------------------------------


def test_warn_is_the_default_and_deletes_nothing(office):
    ids = {office.add(LETTER) for _ in range(4)}
    office.consume(*ids)
    office.apply()
    assert there(office) == ids


@pytest.mark.parametrize(("relation", "text"), [("exact", LETTER), ("near", RESCAN)])
def test_skip_records_and_writes_nothing(office, relation, text):
    office.environment[f"PAPERLESS_FINGERPRINT_{relation.upper()}_POLICY"] = "skip"
    a, b = office.add(LETTER), office.add(text)
    office.consume(a, b)
    office.apply()
    assert office.pairs() == {(a, b): relation}
    assert office.tags(a) == office.tags(b) == set()
    assert office.fields(a) == office.fields(b) == {}


def test_skip_of_versions_leaves_the_chains_in_the_library(office):
    office.environment["PAPERLESS_FINGERPRINT_NEAR_POLICY"] = "version"
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    assert office.tags(a) == {"Older version"}
    office.environment["PAPERLESS_FINGERPRINT_VERSION_POLICY"] = "skip"
    office.apply()
    assert office.tags(a) == office.tags(b) == set()
    assert office.fields(a) == office.fields(b) == {}
    assert office.pairs() == {(a, b): "version"}
    with office.open() as place:
        assert [chain.latest for chain in place.store.chains()] == [b]


def test_skip_takes_back_what_warn_has_written(office):
    a, b = office.add(LETTER), office.add(LETTER)
    office.consume(a, b)
    office.environment["PAPERLESS_FINGERPRINT_EXACT_POLICY"] = "skip"
    office.apply()
    assert office.tags(a) == office.tags(b) == set()


def test_near_as_a_version(office):
    office.environment["PAPERLESS_FINGERPRINT_NEAR_POLICY"] = "version"
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    assert office.pairs() == {(a, b): "version"}
    assert office.groups() == []
    assert office.tags(a) == {"Older version"}
    assert office.fields(a)["Version of"] == [b]
    with office.open() as place:
        assert [chain.latest for chain in place.store.chains()] == [b]


def test_replace_moves_the_older_ones_to_the_trash_and_keeps_what_people_gave_them(office):
    office.environment["PAPERLESS_FINGERPRINT_EXACT_POLICY"] = "replace"
    library = office.paperless.library
    tag = library.add_label("tags", "Steuer 2024").id
    correspondent = library.add_label("correspondents", "Stadtwerke").id
    field = create_field(library, {"name": "Konto", "data_type": "string"})
    a = office.add(LETTER, tags=[tag], correspondent=correspondent)
    library.documents[a].custom_fields[field.id] = "DE02"
    other = office.add(OTHER)
    office.consume(a, other)
    b = office.add(LETTER)
    office.consume(b)
    assert there(office) == {b, other}
    assert set(library.trash) == {a}
    assert office.tags(b) == {"Steuer 2024"}
    assert library.documents[b].correspondent == correspondent
    assert office.fields(b)["Konto"] == "DE02"
    log = (office.folder / "library.audit.jsonl").read_text()
    acts = [json.loads(line) for line in log.splitlines()]
    assert [act["what"] for act in acts] == ["primary", "merge", "merged"]
    with office.open() as place:
        assert place.store.ids() == [other, b]

    said = undo(office)
    assert any("taken out of the trash" in line for line in said)
    assert there(office) == {a, b, other}
    assert office.tags(b) <= {NEAR, EXACT, PRIMARY}
    assert library.documents[b].correspondent is None
    # What was taken back is not done again, whatever is consumed.
    office.consume(a)
    office.consume(b)
    assert there(office) == {a, b, other}
    assert office.groups() == [(a, b)]


def test_replace_touches_only_exact_copies(office):
    office.environment["PAPERLESS_FINGERPRINT_EXACT_POLICY"] = "replace"
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    c = office.add(RESCAN)
    office.consume(c)  # a group of near and exact pairs is left to a person
    assert there(office) == {a, b, c}


def test_replace_acts_only_for_the_newest(office):
    a, b = office.add(LETTER), office.add(LETTER)
    office.consume(a, b)
    office.environment["PAPERLESS_FINGERPRINT_EXACT_POLICY"] = "replace"
    office.consume(a)
    assert there(office) == {a, b}


def test_replace_leaves_what_a_person_has_chosen(office):
    a, b = office.add(LETTER), office.add(LETTER)
    office.consume(a)
    with office.open() as place:
        place.store.put_decision(Decision(a, a, Verdict.PRIMARY, "2026-01-01", by="Erika"))
    office.environment["PAPERLESS_FINGERPRINT_EXACT_POLICY"] = "replace"
    office.consume(b)
    assert there(office) == {a, b}


def test_replace_takes_nothing_from_somebody_else(office):
    people = office.paperless.library.people
    anna, bert = people.add_user("anna", "x"), people.add_user("bert", "x")
    office.environment["PAPERLESS_FINGERPRINT_EXACT_POLICY"] = "replace"
    a = office.add(LETTER, owner=anna.id)
    b = office.add(LETTER, owner=bert.id)
    office.consume(a, b)
    assert there(office) == {a, b}


def test_replace_looks_again_before_it_acts(office):
    a, b = office.add(LETTER), office.add(LETTER)
    office.consume(a)
    library = office.paperless.library
    library.documents[a].content = OTHER  # edited, and no event has come of it yet
    office.environment["PAPERLESS_FINGERPRINT_EXACT_POLICY"] = "replace"
    office.consume(b)
    assert there(office) == {a, b}


def test_without_an_audit_log_nothing_is_moved(office):
    office.environment["PAPERLESS_FINGERPRINT_EXACT_POLICY"] = "replace"
    (office.folder / "library.audit.jsonl").mkdir()
    a, b = office.add(LETTER), office.add(LETTER)
    office.consume(a)
    from paperless_fingerprint.integration.consume import consume

    with office.open() as place, place.lock.held(), pytest.raises(StoreError, match="audit log"):
        consume(place, b)
    assert there(office) == {a, b}


def test_documents_without_text_are_replaced_only_by_the_same_file(office):
    office.environment["PAPERLESS_FINGERPRINT_EXACT_POLICY"] = "replace"
    a = office.add("", data=b"one")
    b = office.add("", data=b"two")
    c = office.add("Rechnung", data=b"three")
    d = office.add("Rechnung", data=b"four")
    office.consume(a, b, c, d)
    assert there(office) == {a, b, c, d}


# --- merging ---------------------------------------------------------------------------------------


def test_a_preview_changes_nothing_and_says_what_is_lost(office):
    library = office.paperless.library
    one = library.add_label("correspondents", "Stadtwerke").id
    two = library.add_label("correspondents", "Rheinstrom").id
    tag = library.add_label("tags", "Wichtig").id
    a = office.add(LETTER, correspondent=one)
    b = office.add(RESCAN, correspondent=two, tags=[tag], archive_serial_number=17)
    office.consume(a, b)
    writes = office.writes()
    with office.open() as place:
        planned = carry_out.preview(place, [a], [b])
        words = "\n".join(in_words(planned, Names(place.paperless)))
    assert office.writes() == writes
    assert "'Wichtig'" in words
    assert "'Rheinstrom'" in words
    assert "17" in words
    assert planned.tags == (tag,)


def test_merge_and_undo_lose_nothing(office):
    library = office.paperless.library
    tag = library.add_label("tags", "Wichtig").id
    kind = library.add_label("document_types", "Rechnung").id
    links = create_field(library, {"name": "Siehe", "data_type": "documentlink"})
    other = office.add(OTHER)
    a, b = office.add(LETTER), office.add(RESCAN, tags=[tag], document_type=kind)
    set_value(library, library.documents[b], links.id, [a, other])
    office.consume(other, a, b)
    with office.open() as place, place.lock.held():
        done = carry_out.merge(place, carry_out.preview(place, [a], [b]), "command line")
    assert done.trashed == (b,)
    assert office.tags(a) == {"Wichtig"}
    assert office.fields(a)["Siehe"] == [other]
    assert library.documents[a].document_type == kind
    undo(office)
    assert library.documents[a].document_type is None
    assert office.fields(a)["Siehe"] == office.fields(other)["Siehe"] == [b]
    assert office.fields(b)["Siehe"] == [a, other]
    assert "Wichtig" not in office.tags(a)
    assert "Wichtig" in office.tags(b)
    with office.open() as place:
        from paperless_fingerprint.integration.consume import drain

        drain(place)
    assert office.groups() == [(a, b)]
    assert undo(office) == []


def test_undo_of_what_is_no_longer_in_the_trash_says_so(office):
    a, b = office.add(LETTER), office.add(LETTER)
    office.consume(a, b)
    with office.open() as place, place.lock.held():
        carry_out.merge(place, carry_out.preview(place, [a], [b]), "command line")
    office.paperless.library.trash.clear()
    assert "no longer lies in the trash" in undo(office)[0]


def test_a_merge_of_what_is_not_there_changes_nothing(office):
    a = office.add(LETTER)
    office.consume(a)
    with office.open() as place, pytest.raises(UsageError, match="nothing to merge"):
        carry_out.preview(place, [a], [99])


def test_a_copy_that_may_not_be_deleted_stays_and_is_named(office):
    a, b = office.add(LETTER), office.add(LETTER)
    office.consume(a, b)
    library = office.paperless.library
    stranger = library.people.add_user("fremd", "x")
    helper = library.people.add_user("helfer", "x", permissions=[
        "view_document", "change_document", "delete_document", "view_tag"])  # fmt: skip
    library.documents[b].owner, library.documents[b].view_users = stranger.id, {helper.id}
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN"] = library.people.token_of(helper)
    with office.open() as place, place.lock.held():
        done = carry_out.merge(place, carry_out.preview(place, [a], [b]), "command line")
        assert [why.values["document"] for why in done.refused] == [b]
        assert place.audit.standing() == []
    assert b in library.documents


def test_the_audit_log_survives_a_line_that_was_cut_off(office):
    with office.open() as place:
        place.audit.write("2026-01-01", "trash", 1, "x")
        with place.audit.path.open("ab") as file:
            file.write(b'{"number": 2, "at": "2026')
        place.audit.write("2026-01-02", "trash", 3, "x")
        assert [(a.number, a.document_id) for a in place.audit.acts()] == [(1, 1), (2, 3)]
