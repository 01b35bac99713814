"""What was there before we came is written about when somebody asks, whatever the order of events."""

from __future__ import annotations

import pytest
from paperless_work import LETTER, OTHER, RESCAN, Office, variant

from paperless_fingerprint.checkup import paperless as checkup_paperless
from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.library import decisions

NEAR, PRIMARY = "Duplicate (near)", "Has duplicates"
RIGHTS = [
    "view_document", "change_document", "view_tag", "add_tag", "change_tag", "view_customfield",
    "add_customfield", "view_savedview", "add_savedview", "view_correspondent",
    "view_documenttype", "view_uisettings",
]  # fmt: skip
SCAN_OF_OTHER = OTHER.replace("76,50", "76,5O")


@pytest.fixture
def office(tmp_path, stand_in: StandIn) -> Office:
    return Office(tmp_path, stand_in)


def use_token_of(office: Office, name: str) -> int:
    people = office.paperless.library.people
    user = people.add_user(name, "x", permissions=RIGHTS)
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN"] = people.token_of(user)
    return user.id


def edit(office: Office, id: int, text: str) -> None:
    library = office.paperless.library
    with library.lock:
        library.documents[id].content = text
        library.touch(library.documents[id])


def test_what_a_better_token_sees_later_is_no_news(office):
    anna = office.paperless.library.people.add_user("anna", "x").id
    old = [office.add(text, owner=anna) for text in (LETTER, RESCAN, OTHER, SCAN_OF_OTHER)]
    use_token_of(office, "helfer")
    office.sync()
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN"] = office.paperless.token
    office.sync()
    office.sync()
    assert office.groups() == [(old[0], old[1]), (old[2], old[3])]
    assert [office.tags(id) for id in old] == [set()] * 4
    # What comes now is told, and what it belongs to.
    new = office.add(RESCAN, owner=anna)
    office.sync()
    assert office.tags(new) == {NEAR}
    assert office.tags(old[0]) == {PRIMARY}
    assert [office.tags(id) for id in old[2:]] == [set()] * 2
    office.apply()
    assert [office.tags(id) for id in old] == [{PRIMARY}, {NEAR}] * 2


def test_an_old_document_that_was_edited_is_no_news(office):
    a, b = office.add(LETTER), office.add(variant(1))
    office.sync()
    edit(office, b, RESCAN)
    office.sync()
    assert office.groups() == [(a, b)]
    assert office.tags(a) == office.tags(b) == set()


def test_many_that_come_at_once_are_told(office):
    office.add(LETTER)
    office.sync()
    new = [office.add(variant(number)) for number in range(70)] + [office.add(RESCAN)]
    office.sync()
    assert office.tags(new[-1]) == {NEAR}


def test_what_somebody_confirms_is_written_and_nothing_beside_it(office):
    a, b, c, d = (office.add(text) for text in (LETTER, RESCAN, OTHER, SCAN_OF_OTHER))
    office.sync()
    from paperless_fingerprint.integration.context import owe

    with office.open() as place:
        decisions.confirm(place.store, place.settings, a, b, by="Erika")
    owe(office.settings, [a, b, c, d])
    office.sync()
    assert [office.tags(id) for id in (a, b, c, d)] == [{PRIMARY}, {NEAR}, set(), set()]
    with office.open() as place:
        decisions.undo(place.store, place.settings, (a, b))
    owe(office.settings, [a, b])
    office.sync()
    assert [office.tags(id) for id in (a, b, c, d)] == [set()] * 4


def test_the_doctor_says_how_much_a_token_sees(office):
    anna = office.paperless.library.people.add_user("anna", "x").id
    office.add(LETTER, owner=anna)

    def said() -> list:
        found = checkup_paperless.examine(office.settings)[0]
        return [(f.ok, f.message) for f in found if f.part == "documents"]

    assert said() == [(True, "The token sees 1 document: all there are.")]
    use_token_of(office, "helfer")
    ok, message = said()[0]
    assert not ok
    assert "sees 0 documents" in message
    assert "belong to others" in message
    office.add(OTHER)
    ok, message = said()[0]
    assert ok
    assert "sees 1 document" in message
    assert "belong to others" in message
