"""What is written to Paperless, and what is taken back."""

from __future__ import annotations

import json

import pytest
from paperless_work import LETTER, OTHER, RESCAN, Office, variant

from paperless_fingerprint.demo.stand_in import Fault, StandIn
from paperless_fingerprint.demo.stand_in.documents import trash_document
from paperless_fingerprint.demo.stand_in.fields import create_field
from paperless_fingerprint.integration.feedback import tell
from paperless_fingerprint.integration.feedback.ledger import NEW
from paperless_fingerprint.model import Link, Pair, Relation

NEAR, EXACT, PRIMARY = "Duplicate (near)", "Duplicate (exact)", "Has duplicates"
NOTE = "paperless-fingerprint: "


@pytest.fixture
def office(tmp_path, stand_in: StandIn) -> Office:
    return Office(tmp_path, stand_in)


def notes(office: Office, id: int) -> list[str]:
    return [note["note"] for note in office.paperless.library.documents[id].notes]


def pair(office: Office, **more) -> tuple[int, int]:
    return office.add(LETTER, **more), office.add(RESCAN, **more)


def test_tags_are_made_once_for_all_and_never_assigned_by_themselves(office):
    office.consume(*pair(office))
    labels = list(office.paperless.library.labels["tags"].values())
    assert len(labels) == 7
    assert all(label.matching_algorithm == 0 and label.owner is None for label in labels)
    assert not any(label.is_inbox_tag for label in labels)
    office.consume(*pair(office))
    assert len(office.paperless.library.labels["tags"]) == 7


def test_a_renamed_tag_is_found_again(office):
    a, b = pair(office)
    office.consume(a, b)
    library = office.paperless.library
    with library.lock:
        library.labels["tags"][office.tag_id(NEAR)].name = "Kopie"
    c = office.add(RESCAN)
    office.consume(c)
    assert office.tags(c) == office.tags(b) == {"Kopie"}
    assert len(library.labels["tags"]) == 7


def test_a_name_changed_in_the_settings_renames_the_tag(office):
    a, b = pair(office)
    office.consume(a, b)
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TAG_NEAR"] = 'Doppelt, "ähnlich" 🧾'
    office.apply()
    assert office.tags(b) == {'Doppelt, "ähnlich" 🧾'}
    assert office.tags(a) == {PRIMARY}


def test_a_tag_that_was_deleted_is_made_again_and_nothing_is_concluded(office):
    a, b = pair(office)
    office.consume(a, b)
    with office.open() as place:
        place.paperless.delete_tag(office.tag_id(NEAR))
    office.sync()
    assert office.groups() == [(a, b)]
    with office.open() as place:
        assert place.store.decisions() == []
    office.apply()
    assert office.tags(b) == {NEAR}


def test_tags_with_a_parent_leave_a_persons_own_ones_below_it(office):
    library = office.paperless.library
    parent = library.add_label("tags", "Ablage")
    own = library.add_label("tags", "Meins", parent=parent.id)
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TAG_PARENT"] = "Ablage"
    a, b = pair(office)
    with library.lock:
        library.documents[b].tags = [own.id, parent.id]
    office.consume(a, b)
    assert office.tags(b) == {NEAR, "Ablage", "Meins"}
    assert office.tags(a) == {PRIMARY, "Ablage"}
    with library.lock:
        library.documents[b].content = OTHER
        library.touch(library.documents[b])
    office.consume(b)
    assert office.tags(b) == {"Ablage", "Meins"}
    assert office.tags(a) == set()


def test_a_persons_own_tags_and_fields_stay(office):
    library = office.paperless.library
    own = library.add_label("tags", "Steuer").id
    field = create_field(library, {"name": "Konto", "data_type": "string"})
    a, b = pair(office, tags=[own])
    library.documents[b].custom_fields[field.id] = "DE02"
    office.consume(a, b)
    assert office.tags(b) == {"Steuer", NEAR}
    assert office.fields(b)["Konto"] == "DE02"
    office.apply()
    with office.open() as place, place.lock.held():
        tell.take_back_all(place)
    assert [library.labels["tags"][tag].name for tag in library.documents[b].tags] == ["Steuer"]
    assert office.fields(b) == {"Konto": "DE02"}


def test_a_persons_own_link_in_our_field_stays(office):
    other = office.add(OTHER)
    a, b = pair(office)
    office.consume(other, a, b)
    library = office.paperless.library
    number = next(f.id for f in library.fields.values() if f.name == "Duplicate of")
    with library.lock:
        library.documents[b].custom_fields[number] = [a, other]
        library.documents[other].custom_fields[number] = [b]
        library.documents[b].content = variant(1)
        library.touch(library.documents[b])
    office.consume(b)
    assert office.groups() == []
    assert office.fields(b) == {"Duplicate of": [other]}
    assert office.fields(a) == {}


def test_everything_can_be_taken_back(office):
    a, b = pair(office)
    library = office.paperless.library
    before = {
        id: (list(row.tags), dict(row.custom_fields)) for id, row in library.documents.items()
    }
    office.sync()
    office.apply()
    assert library.labels["tags"]
    assert library.views
    with office.open() as place, place.lock.held():
        report = tell.take_back_all(place)
        assert report.removed["tag:near"] == 1
    assert library.labels["tags"] == library.fields == library.views == {}
    after = {id: (list(row.tags), dict(row.custom_fields)) for id, row in library.documents.items()}
    assert after == before
    assert office.groups() == [(a, b)]
    with office.open() as place:
        assert place.store.decisions() == []
    office.sync()
    assert office.tags(a) == office.tags(b) == set()


def test_what_somebody_decided_elsewhere_is_told_by_the_next_look(office):
    from paperless_fingerprint.integration.context import owe
    from paperless_fingerprint.library import decisions

    a, b = pair(office)
    c, d = office.add(variant(9)), office.add(variant(9))
    office.consume(a, b, c, d)
    with office.open() as place:
        decisions.dismiss(place.store, place.settings, a, b, by="Erika")
    owe(office.settings, [a, b])
    office.sync(reconcile=False)
    assert office.tags(a) == office.tags(b) == set()
    # And without a word to us, when everything is looked at.
    with office.open() as place:
        decisions.dismiss(place.store, place.settings, c, d, by="Erika")
        with place.lock.held():
            tell.tell_rest(place)
    assert office.tags(c) == office.tags(d) == set()


def test_a_dry_run_writes_nothing_and_says_what_it_would(office):
    pair(office)
    office.sync()
    labels = len(office.paperless.library.labels["tags"])
    office.paperless.requests.clear()
    report = office.apply(dry_run=True)
    assert office.writes() == 0
    assert len(office.paperless.library.labels["tags"]) == labels
    assert report.added["tag:near"] == report.added["tag:primary"] == 1
    assert report.added["link:duplicate"] == 1


def test_a_dry_run_before_anything_was_ever_written(office):
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_WRITE"] = "false"
    pair(office)
    office.sync()
    office.paperless.requests.clear()
    report = office.apply(dry_run=True)
    assert office.writes() == 0
    assert report.added["tag:near"] == 1


def test_links_are_cleaned_up_when_the_primary_changes(office):
    a, b = pair(office)
    c = office.add(LETTER)
    office.consume(a, b, c)
    assert office.fields(a)["Duplicate of"] == [b, c]
    from paperless_fingerprint.model import Decision, Verdict

    with office.open() as place:
        place.store.put_decision(Decision(c, c, Verdict.PRIMARY, "2026-01-01T00:00:00Z"))
        from paperless_fingerprint.library import regroup

        regroup.refresh(place.store, place.settings, [c])
    office.apply()
    assert office.tags(c) == {PRIMARY}
    assert office.tags(a) == office.tags(b) == {NEAR}
    assert office.fields(a)["Duplicate of"] == [c]
    assert office.fields(b)["Duplicate of"] == [c]
    assert sorted(office.fields(c)["Duplicate of"]) == [a, b]
    assert "Duplicate confidence" not in office.fields(c)


def test_the_view_is_made_once(office):
    office.consume(*pair(office))
    views = office.paperless.library.views
    assert [view["name"] for view in views.values()] == ["Duplicates"]
    rules = next(iter(views.values()))["filter_rules"]
    assert {rule["rule_type"] for rule in rules} == {22}
    views.clear()
    office.consume(*pair(office))
    assert views == {}  # whoever deletes it does not get it back


def test_notes_only_on_request(office):
    a, b = pair(office)
    office.consume(a, b)
    library = office.paperless.library
    assert library.documents[b].notes == []
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_NOTES"] = "true"
    office.apply()
    assert [n["note"] for n in library.documents[b].notes] == [
        f"paperless-fingerprint: Near duplicate of document {a}."
    ]
    office.apply()
    assert len(library.documents[b].notes) == 1
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_NOTES"] = "false"
    office.apply()
    assert library.documents[b].notes == []


def test_switched_off_parts_are_not_written(office):
    for name in ("LINKS", "CONFIDENCE", "VIEW"):
        office.environment[f"PAPERLESS_FINGERPRINT_PAPERLESS_{name}"] = "false"
    a, b = pair(office)
    office.consume(a, b)
    assert office.tags(b) == {NEAR}
    assert office.paperless.library.fields == {}
    assert office.paperless.library.views == {}


def test_a_field_of_the_same_name_and_another_type_is_left_alone(office):
    library = office.paperless.library
    create_field(library, {"name": "Duplicate of", "data_type": "string"})
    a, b = pair(office)
    office.consume(a, b)
    assert office.tags(b) == {NEAR}
    assert set(office.fields(b)) == {"Duplicate confidence"}


def test_a_large_group_is_written_although_some_of_it_is_bad(office):
    ids = [office.add(LETTER) for _ in range(130)]
    office.sync()
    locked = ids[40]
    library = office.paperless.library
    stranger = library.people.add_user("fremd", "x")
    helper = library.people.add_user("helfer", "x", permissions=[
        "view_document", "change_document", "view_tag", "add_tag", "change_tag",
        "view_customfield", "add_customfield", "view_savedview", "add_savedview"])  # fmt: skip
    library.documents[locked].owner = stranger.id
    library.documents[locked].view_users = {helper.id}
    with library.lock:
        trash_document(library, library.documents[ids[50]])
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN"] = library.people.token_of(helper)
    report = office.apply()
    tagged = [id for id in ids if id in library.documents and EXACT in office.tags(id)]
    assert len(tagged) == 130 - 3  # without the primary, the locked one and the trashed one
    assert {id for id, _ in report.refused} == {locked, ids[50]}
    writes = office.writes()
    report = office.apply()
    assert not report.added.keys() - {"tag:exact", "link:duplicate", "confidence"}
    assert office.writes() <= writes + 5


def test_a_token_without_permission_to_change_says_so_and_the_rest_goes_on(office):
    people = office.paperless.library.people
    reader = people.add_user("leser", "x", permissions=["view_document", "view_tag"])
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN"] = people.token_of(reader)
    a, b = pair(office)
    office.consume(a, b)
    assert office.groups() == [(a, b)]
    assert office.tags(b) == set()
    with office.open() as place, place.lock.held():
        problems = tell.tell_all(place).problems
    assert any("make the tag" in problem for problem in problems)


def test_a_lost_ledger_is_made_again_from_the_tags(office):
    a, b = pair(office)
    office.consume(a, b)
    for file in office.folder.glob("*.inbox.db*"):
        file.unlink()
    with office.open() as place:
        place.store.write_pairs([], removing=[(a, b)])
        from paperless_fingerprint.library import regroup

        regroup.refresh(place.store, place.settings, [a, b])
    office.apply()
    assert office.tags(a) == office.tags(b) == set()
    assert "Duplicate of" not in office.fields(b)


def test_an_answer_that_was_lost_is_no_double_write(office):
    a, b = pair(office)
    office.consume(a)
    office.paperless.faults.next(Fault.LOST_ANSWER, 1, path="bulk_edit")
    office.consume(b)
    assert office.tags(b) == {NEAR}
    assert office.fields(b)["Duplicate of"] == [a]
    assert len(office.paperless.library.labels["tags"]) == 7


def test_something_else_at_the_address_is_an_outage_and_nothing_is_lost(office, tmp_path):
    a, b = pair(office)
    office.consume(a)
    from paperless_fingerprint.integration import consume

    with office.open() as place:
        object.__setattr__(place.paperless._connection, "_sleep", lambda _seconds: None)
        place.inbox.add([b])
        office.paperless.faults.by_chance(1.0, Fault.HTML)
        report = consume.drain(place)
        assert report.outage
        assert place.inbox.events()[0].tries == 0
        office.paperless.faults.clear()
        assert consume.drain(place).done == 1
    assert office.tags(b) == {NEAR}


def fake(office: Office, *links: Link) -> None:
    """Relations as the analysis might have found them."""
    with office.open() as place:
        store = place.store
        store.write_pairs(
            [Pair(k.a, k.b, k.relation, k.confidence, leader=k.leader) for k in links]
        )
        store.mark_analysed(store.pending())
        from paperless_fingerprint.library import regroup

        regroup.refresh(store, place.settings, {i for k in links for i in (k.a, k.b)})


def test_versions_parts_and_meanings_are_told_as_the_table_says(office):
    ids = [office.add(variant(n)) for n in range(6)]
    office.sync()
    a, b, c, d, e, f = ids
    fake(
        office,
        Link(a, b, Relation.VERSION, 0.9, leader=b),
        Link(c, d, Relation.CONTAINS, 0.95, leader=c),
        Link(e, f, Relation.SEMANTIC, 0.93),
    )
    office.apply()
    assert [office.tags(id) for id in ids] == [
        {"Older version"}, set(), set(), {"Part of another"}, {"Same content"}, {"Same content"},
    ]  # fmt: skip
    assert office.fields(a)["Version of"] == [b]
    assert office.fields(d)["Contains or part of"] == [c]
    assert office.fields(f) == {"Duplicate confidence": 0.93}


@pytest.mark.parametrize("relation", [Relation.TEMPLATE, Relation.RELATED])
def test_templates_and_relatives_are_never_written(office, relation):
    a, b = office.add(variant(1)), office.add(variant(2))
    office.sync()
    fake(office, Link(a, b, relation, 1.0))
    office.apply()
    assert office.tags(a) == office.tags(b) == set()
    assert office.fields(a) == office.fields(b) == {}


def test_nobody_learns_of_a_document_that_he_may_not_see(office):
    people = office.paperless.library.people
    anna, bert = people.add_user("anna", "x"), people.add_user("bert", "x")
    hidden = office.add(LETTER, owner=anna.id)
    shown = office.add(RESCAN, owner=bert.id)
    office.consume(hidden, shown)
    assert office.groups() == [(hidden, shown)]
    for id in (hidden, shown):
        assert office.tags(id) == set()
        assert office.fields(id) == {}


def test_who_sees_less_is_told_what_everybody_sees(office):
    anna = office.paperless.library.people.add_user("anna", "x")
    public = office.add(LETTER)
    private = office.add(RESCAN, owner=anna.id)
    office.consume(public, private)
    assert office.tags(public) == set()
    assert office.tags(private) == {NEAR}
    # A link would show on the other end, too; a note does not.
    assert "Duplicate of" not in office.fields(private)
    assert office.fields(public) == {}
    assert notes(office, private) == [f"{NOTE}Near duplicate of document {public}."]
    assert notes(office, public) == []


def test_the_one_to_keep_may_be_the_one_that_fewer_see(office):
    office.sync()
    anna = office.paperless.library.people.add_user("anna", "x")
    private = office.add(LETTER, owner=anna.id)
    one, other = office.add(RESCAN), office.add(RESCAN)
    office.consume(private, one, other)
    assert office.groups() == [(private, one, other)]
    assert office.tags(private) == {PRIMARY}
    said = f"Near duplicate: document {one}. Near duplicate: document {other}."
    assert notes(office, private) == [NOTE + said]
    # Who sees these two alone must not think that both can go.
    assert office.tags(one) == {PRIMARY}
    assert office.tags(other) == {NEAR}
    assert office.fields(other)["Duplicate of"] == [one]
    assert notes(office, one) == notes(office, other) == []
    # And who sees all of them later finds one to keep.
    library = office.paperless.library
    with library.lock:
        library.documents[private].owner = None
        library.touch(library.documents[private])
    office.sync()
    assert office.tags(private) == {PRIMARY}
    assert office.tags(one) == office.tags(other) == {NEAR}
    assert notes(office, private) == []
    assert office.fields(private) == {"Duplicate of": [one, other]}


def test_the_ledger_knows_what_paperless_has(office):
    a, b = pair(office)
    office.consume(a, b)
    with office.open() as place:
        rows = place.ledger.rows()
    assert rows[b].keys() - {NEW} == {"tag:near", "link:duplicate", "confidence"}
    assert json.loads(rows[b]["link:duplicate"].mark.value) == [a]
    assert all(written.state == "on" for kinds in rows.values() for written in kinds.values())


# The address of the page that compares ------------------------------------------------------

PAGE = "https://duplicates.example.org/fp"


@pytest.fixture
def linked(office):
    office.environment["PAPERLESS_FINGERPRINT_SERVICE_PUBLIC_URL"] = PAGE + "/"
    return office


def compare_field(office) -> dict[int, object]:
    library = office.paperless.library
    number = next((f.id for f in library.fields.values() if f.name == "Compare"), None)
    return {
        row.id: row.custom_fields[number]
        for row in library.documents.values()
        if number in row.custom_fields
    }


def test_tagged_documents_have_the_address_that_compares_them(linked):
    a, b = pair(linked)
    other = linked.add(OTHER)
    linked.sync()
    linked.apply()
    assert compare_field(linked) == {a: f"{PAGE}/compare/{a}", b: f"{PAGE}/compare/{b}"}
    assert other not in compare_field(linked)
    writes = linked.writes()
    linked.apply()
    assert linked.writes() == writes


def test_without_an_address_of_the_page_there_is_no_field(office):
    pair(office)
    office.sync()
    office.apply()
    assert "Compare" not in [f.name for f in office.paperless.library.fields.values()]


def test_the_address_follows_the_setting_and_can_be_switched_off(linked):
    _, b = pair(linked)
    linked.sync()
    linked.apply()
    linked.environment["PAPERLESS_FINGERPRINT_SERVICE_PUBLIC_URL"] = "http://10.0.0.5:8760"
    linked.apply()
    assert compare_field(linked)[b] == f"http://10.0.0.5:8760/compare/{b}"
    linked.environment["PAPERLESS_FINGERPRINT_PAPERLESS_COMPARE"] = "false"
    linked.apply()
    assert compare_field(linked) == {}
    assert "Duplicate of" in linked.fields(b)


def test_the_address_goes_with_the_tag(linked):
    a, b = pair(linked)
    linked.sync()
    linked.apply()
    linked.put_on(b, "Not a duplicate")
    linked.sync()
    assert compare_field(linked) == {}
    assert linked.fields(a) == {}


def test_all_addresses_are_taken_back_and_what_people_put_there_stays(linked):
    _, b = pair(linked)
    other = linked.add(OTHER)
    linked.sync()
    linked.apply()
    library = linked.paperless.library
    field = next(f for f in library.fields.values() if f.name == "Compare")
    library.documents[other].custom_fields[field.id] = "https://example.org"
    with linked.open() as place, place.lock.held():
        report = tell.take_back_all(place)
    assert compare_field(linked) == {other: "https://example.org"}
    assert "'Compare' holds what people put there" in " ".join(report.problems)
    linked.apply()
    assert b in compare_field(linked)


def test_the_field_itself_is_taken_back(linked):
    pair(linked)
    linked.sync()
    linked.apply()
    with linked.open() as place, place.lock.held():
        tell.take_back_all(place)
    assert linked.paperless.library.fields == {}


def test_a_field_of_another_kind_with_that_name_is_left_alone(linked):
    library = linked.paperless.library
    with library.lock:
        from paperless_fingerprint.demo.stand_in.fields import create_field

        create_field(library, {"name": "Compare", "data_type": "string"})
    _, b = pair(linked)
    linked.sync()
    report = linked.apply()
    assert linked.tags(b) == {"Duplicate (near)"}
    assert compare_field(linked) == {}
    assert "field_compare" in " ".join(report.problems) or "Compare" in " ".join(report.problems)
