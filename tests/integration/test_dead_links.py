"""Links to what was deleted: Paperless refuses every later save of a document that has one."""

from __future__ import annotations

import httpx
import pytest
from paperless_work import LETTER, OTHER, RESCAN, Office, variant

from paperless_fingerprint.checkup import paperless as checkup_paperless
from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.demo.stand_in.documents import trash_document
from paperless_fingerprint.demo.stand_in.fields import create_field, set_value
from paperless_fingerprint.integration import undo
from paperless_fingerprint.integration.merging import carry_out

LINK = "Duplicate of"


@pytest.fixture
def office(tmp_path, stand_in: StandIn) -> Office:
    return Office(tmp_path, stand_in)


def pair(office: Office) -> tuple[int, int]:
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    office.sync()
    assert office.fields(a)[LINK] == [b]
    return a, b


def bin(office: Office, id: int) -> None:
    """As a person does it in Paperless."""
    library = office.paperless.library
    with library.lock:
        trash_document(library, library.documents[id])


def restore(office: Office, id: int) -> None:
    library = office.paperless.library
    with library.lock:
        row = library.documents[id] = library.trash.pop(id)
        row.deleted_at = None
        library.touch(row)


def field(office: Office, name: str, data_type: str = "string") -> int:
    return create_field(office.paperless.library, {"name": name, "data_type": data_type}).id


def save(office: Office, id: int, number: int, text: str) -> int:
    """As Paperless's page does: all fields of the document are sent, one of them changed."""
    row = office.paperless.library.documents[id]
    values = [{"field": n, "value": v} for n, v in row.custom_fields.items() if n != number]
    return httpx.patch(
        f"{office.paperless.url}/api/documents/{id}/",
        headers={"Authorization": f"Token {office.paperless.token}"},
        json={"custom_fields": [*values, {"field": number, "value": text}]},
    ).status_code


def test_after_a_copy_was_deleted_the_other_one_can_be_saved(office):
    number = field(office, "Konto")
    a, b = pair(office)
    bin(office, b)
    assert save(office, a, number, "DE02") == 400
    office.sync()
    assert LINK not in office.fields(a)
    assert save(office, a, number, "DE02") == 200


def test_a_deletion_that_the_hook_finds_leaves_no_dead_link(office):
    a, b = pair(office)
    bin(office, b)
    office.consume(b)
    assert LINK not in office.fields(a)


def test_what_comes_meanwhile_is_written_all_the_same(office):
    a, b = pair(office)
    bin(office, b)
    c = office.add(RESCAN)
    office.consume(c)
    assert office.fields(c)[LINK] == [a]
    assert office.fields(a)[LINK] == [c]
    assert {id for id, _ in office.apply().refused} <= {b}


def test_the_next_look_repairs_what_was_left_before(office):
    """Also where nobody knows any more whose link it was, and where the trash was emptied."""
    a, b = pair(office)
    other = office.add(OTHER)
    office.consume(other)
    library = office.paperless.library
    with library.lock:
        number = next(n for n, f in library.fields.items() if f.name == LINK)
        set_value(library, library.documents[other], number, [4711, a])
    office.sync()
    assert office.fields(other)[LINK] == [a]
    assert sorted(office.fields(a)[LINK]) == [b, other]


def test_a_link_to_what_this_token_may_not_see_is_not_taken_for_dead(office):
    library = office.paperless.library
    anna = library.people.add_user("anna", "x")
    helper = library.people.add_user("helfer", "x", permissions=[
        "view_document", "change_document", "view_tag", "add_tag", "change_tag",
        "view_customfield", "add_customfield", "view_savedview", "add_savedview"])  # fmt: skip
    a, b = pair(office)
    hidden = office.add(OTHER, owner=anna.id)
    with library.lock:
        number = next(n for n, f in library.fields.items() if f.name == LINK)
        set_value(library, library.documents[a], number, [b, hidden])
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN"] = library.people.token_of(helper)
    office.sync()
    c = office.add(RESCAN)
    office.consume(c)
    assert "Duplicate (near)" in office.tags(c)
    assert {b, hidden} <= set(office.fields(a)[LINK])


def test_what_comes_back_from_the_trash_is_linked_again_on_both_ends(office):
    a, b = pair(office)
    bin(office, b)
    office.sync()
    restore(office, b)
    office.sync()
    assert office.fields(a)[LINK] == [b]
    assert office.fields(b)[LINK] == [a]


def merged(office: Office, a: int, b: int) -> None:
    with office.open() as place, place.lock.held():
        assert carry_out.merge(place, carry_out.preview(place, [a], [b]), "test").trashed == (b,)


def test_merging_leaves_no_dead_link_and_undo_brings_the_links_back(office):
    number, own = field(office, "Konto"), field(office, "Siehe", "documentlink")
    a, b = pair(office)
    partner = office.add(variant(5))
    library = office.paperless.library
    with library.lock:
        set_value(library, library.documents[b], own, [partner])
    merged(office, a, b)
    assert LINK not in office.fields(a)
    assert office.fields(partner)["Siehe"] == [a]
    assert save(office, a, number, "x") == save(office, partner, number, "x") == 200
    with office.open() as place:
        undo.undo_last(place)
    office.sync()
    assert office.fields(a)[LINK] == [b]
    assert office.fields(b)[LINK] == [a]
    assert office.fields(b)["Siehe"] == [partner]
    assert office.fields(partner)["Siehe"] == [b]


def test_a_dead_link_of_a_person_is_not_carried_over(office):
    own = field(office, "Siehe", "documentlink")
    a, b = pair(office)
    partner = office.add(variant(5))
    library = office.paperless.library
    with library.lock:
        set_value(library, library.documents[b], own, [partner])
    bin(office, partner)
    merged(office, a, b)
    assert "Siehe" not in office.fields(a)


def test_taking_back_everything_finds_no_links_of_people_among_dead_ones(office):
    from paperless_fingerprint.integration.feedback import tell as feedback

    _, b = pair(office)
    bin(office, b)
    with office.open() as place, place.lock.held():
        assert feedback.take_back_all(place).problems == ()
    assert office.paperless.library.fields == {}


def test_the_doctor_counts_dead_links(office):
    _, b = pair(office)
    bin(office, b)
    findings, code = checkup_paperless.examine(office.settings)
    found = [f for f in findings if f.part == "links"]
    assert [f.ok for f in found] == [False]
    assert "1 document" in found[0].message
    assert code != 0
    office.sync()
    assert all(f.ok for f in checkup_paperless.examine(office.settings)[0] if f.part == "links")


def test_the_stand_in_answers_dead_and_forbidden_links_as_paperless_does(office):
    """Seen on a real 3.0.5, in single changes and in bulk."""
    library = office.paperless.library
    number = field(office, "Siehe", "documentlink")
    anna = library.people.add_user("anna", "x", permissions=["view_document", "change_document"])
    a, b = office.add(LETTER), office.add(RESCAN)
    hidden = office.add(OTHER, owner=library.people.add_user("otto", "x").id)

    def bulk(value: object, who: str) -> httpx.Response:
        told = {"add_custom_fields": {str(number): value}, "remove_custom_fields": []}
        return httpx.post(
            f"{office.paperless.url}/api/documents/bulk_edit/",
            headers={"Authorization": f"Token {who}"},
            json={"documents": [a], "method": "modify_custom_fields", "parameters": told},
        )

    admin, token = office.paperless.token, library.people.token_of(anna)
    words = "Some documents in value don't exist or were specified twice."
    refused = {"add_custom_fields": {str(number): {"non_field_errors": [words]}}}
    bin(office, b)
    assert (bulk([b], admin).status_code, bulk([b], admin).json()) == (400, refused)
    assert bulk([a], admin).status_code == 200
    assert library.documents[a].custom_fields == {}
    forbidden = bulk([hidden], token)
    assert (forbidden.status_code, forbidden.json()) == (
        403, {"detail": "Insufficient permissions."}
    )  # fmt: skip
    assert bulk([hidden], admin).status_code == 200
