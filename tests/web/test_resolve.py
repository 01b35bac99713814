"""Keeping one and moving the rest to the trash: through the API, with each person's rights, back
again, and through whatever goes wrong in between."""

from __future__ import annotations

from typing import Any

import pytest
from paperless_work import LETTER, OTHER, RESCAN

from paperless_fingerprint.demo.stand_in.fields import create_field, set_value
from serving import RIGHTS

MERGING = (*RIGHTS, "delete_document", "view_tag", "view_correspondent", "view_customfield")


def item_of(client) -> dict[str, Any]:
    [item] = client.get("/api/review", params={"state": ""}).json()["items"]
    return item


def look(client, **order) -> dict[str, Any]:
    answer = client.post("/api/review/resolve/preview", json=order)
    assert answer.status_code == 200, answer.text
    return answer.json()


def do(client, **order):
    return client.post("/api/review/resolve", json=order)


def snapshot(service) -> dict[int, Any]:
    """All that people gave to each document, and all that we did."""
    library = service.paperless.library
    with library.lock:
        return {
            row.id: (
                row.title, row.correspondent, row.document_type, row.storage_path, row.created,
                row.archive_serial_number, row.owner, sorted(row.tags),
                sorted(note["note"] for note in row.notes),
                sorted((n, sorted(v) if isinstance(v, list) else v)
                       for n, v in row.custom_fields.items()),
            )
            for row in library.documents.values()
        }  # fmt: skip


class Pair:
    """Two copies on which people have put all that there is, and a third document."""

    def __init__(self, service) -> None:
        self.service = service
        library = service.paperless.library
        self.tag, self.common = (library.add_label("tags", n).id for n in ("Steuer", "Haus"))
        self.parent = library.add_label("tags", "Jahr").id
        self.child = library.add_label("tags", "2024", parent=self.parent).id
        self.who = library.add_label("correspondents", "Stadtwerke").id
        self.path = library.add_label("storage_paths", "Strom").id
        self.account = create_field(library, {"name": "Konto", "data_type": "string"}).id
        self.paid = create_field(library, {"name": "Bezahlt", "data_type": "date"}).id
        self.see = create_field(library, {"name": "Siehe", "data_type": "documentlink"}).id
        self.other = service.add(OTHER)
        self.a = service.add(LETTER, tags=[self.common], title="Rechnung")
        self.b = service.add(
            RESCAN, tags=[self.tag, self.common, self.child, self.parent], title="Scan 7",
            correspondent=self.who, storage_path=self.path, archive_serial_number=17,
        )  # fmt: skip
        rows = library.documents
        rows[self.a].custom_fields[self.account] = "DE02"
        rows[self.a].custom_fields[self.paid] = None
        rows[self.b].custom_fields |= {self.account: "DE99", self.paid: "2024-03-01"}
        with library.lock:
            set_value(library, rows[self.b], self.see, [self.other])
        self.note(self.b, "Paid on Monday.")
        service.sync()

    def note(self, id: int, text: str) -> None:
        library = self.service.paperless.library
        note = {"id": library.number("note"), "note": text, "created": "2026-01-01", "user": None}
        library.documents[id].notes.append(note)

    def row(self, id: int):
        return self.service.paperless.library.documents[id]


@pytest.fixture
def pair(service) -> Pair:
    return Pair(service)


def test_the_preview_says_everything_and_changes_nothing(pair) -> None:
    before = snapshot(pair.service)
    with pair.service.machine() as client:
        item = item_of(client)
        found = look(client, item=item["id"])
        assert (found["keep"], found["trash"], found["may_not"]) == ([pair.a], [pair.b], "")
        rows = {row["name"]: row for row in found["rows"]}
        assert rows["correspondent"]["becomes"] == "Stadtwerke"
        assert rows["storage_path"]["becomes"] == "Strom"
        assert rows["archive_serial_number"]["becomes"] == "17"
        assert rows["title"]["becomes"] == "Rechnung"
        assert rows["Bezahlt"]["becomes"] == "2024-03-01"
        assert set(rows["tags"]["becomes"].split(", ")) == {"Haus", "Steuer", "Jahr", "2024"}
        assert rows["tags"]["source"] is None
        assert rows["notes"]["becomes"] == "Paid on Monday."
        # What differs comes first.
        assert [row["differs"] for row in found["rows"]] == sorted(
            (row["differs"] for row in found["rows"]), reverse=True
        )
        lost = {(each["name"], each["value"]) for each in found["lost"]}
        assert lost == {("title", "Scan 7"), ("Konto", "DE99")}
        told = {write["document"]: write for write in found["writes"]}
        assert "tag “Steuer”" in told[pair.a]["add"]
        assert told[pair.b]["add"] == ["moved to the trash"]
    assert snapshot(pair.service) == before


def test_everything_is_carried_over_and_one_undo_brings_everything_back(pair) -> None:
    before = snapshot(pair.service)
    with pair.service.machine() as client:
        item = item_of(client)
        seen = look(client, item=item["id"])["seen"]
        answer = do(client, item=item["id"], seen=seen)
        assert answer.status_code == 200, answer.text
        [act] = answer.json()["acts"]
        assert (act["verdict"], act["state"], act["why"]) == ("resolve", "done", "")
        a = pair.row(pair.a)
        assert (a.title, a.correspondent, a.storage_path) == ("Rechnung", pair.who, pair.path)
        assert a.archive_serial_number == 17
        assert {pair.tag, pair.common, pair.child, pair.parent} <= set(a.tags)
        assert a.custom_fields[pair.account] == "DE02"
        assert a.custom_fields[pair.paid] == "2024-03-01"
        assert a.custom_fields[pair.see] == [pair.other]
        assert pair.row(pair.other).custom_fields[pair.see] == [pair.a]
        assert [note["note"] for note in a.notes] == ["Paid on Monday."]
        assert set(pair.service.paperless.library.trash) == {pair.b}
        assert client.get("/api/review").json()["total"] == 0
        # Whoever still looks at what was there is told who has cleared it away.
        late = {"item": item["id"], "verdict": "different", "seen": item["seen"]}
        refused = client.post("/api/review/decide", json={"orders": [late]})
        assert (refused.status_code, refused.json()["conflicts"][0]["item"]) == (409, None)
        assert "admin" in refused.json()["detail"]
        # All of it, in one step.
        back = client.post("/api/review/undo", json={}).json()["acts"]
        assert [(each["verdict"], each["state"], each["why"]) for each in back] == [
            ("undo", "done", "")
        ]
        assert snapshot(pair.service) == before
        assert item_of(client)["size"] == 2
        assert client.post("/api/review/undo", json={}).status_code == 404


def test_our_own_labels_go_and_come_back_with_it(serve) -> None:
    service = serve()
    service.sync()  # what comes from now on is told
    a, b = service.add(LETTER), service.add(RESCAN)
    service.consume(a, b)
    before = snapshot(service)
    assert before[a][7]
    assert before[b][7]
    with service.machine() as client:
        found = look(client, item=item_of(client)["id"])
        told = {write["document"]: write for write in found["writes"]}
        assert "tag “Has duplicates”" in told[a]["remove"]
        assert do(client, item=found["item"]["id"], seen=found["seen"]).status_code == 200
        assert snapshot(service)[a][7] == snapshot(service)[a][9] == []
        assert client.post("/api/review/undo", json={}).status_code == 200
    assert snapshot(service) == before


def test_what_it_gets_is_chosen_field_by_field(pair) -> None:
    with pair.service.machine() as client:
        item = item_of(client)["id"]
        take = [
            {"key": "title", "document": pair.b}, {"key": f"field:{pair.account}", "document": pair.b},
            {"key": "correspondent", "document": pair.a}, {"key": "tags", "document": pair.a},
            {"key": "notes", "document": pair.a},
        ]  # fmt: skip
        before = snapshot(pair.service)
        order = {"item": item, "take": take, "seen": look(client, item=item)["seen"]}
        lost = {each["name"] for each in look(client, **order)["lost"]}
        assert lost == {"correspondent", "tags", "notes"}
        assert do(client, **order).status_code == 200
        a = pair.row(pair.a)
        assert (a.title, a.correspondent, a.notes) == ("Scan 7", None, [])
        assert a.custom_fields[pair.account] == "DE99"
        assert a.tags == [pair.common]
        client.post("/api/review/undo", json={})
        assert snapshot(pair.service) == before


def test_the_other_one_is_kept(pair) -> None:
    with pair.service.machine() as client:
        order = {"item": item_of(client)["id"], "keep": [pair.b]}
        assert do(client, **order, seen=look(client, **order)["seen"]).status_code == 200
    assert set(pair.service.paperless.library.trash) == {pair.a}
    assert pair.row(pair.b).custom_fields[pair.account] == "DE99"


def test_several_are_kept_and_not_asked_about_again(service) -> None:
    third = RESCAN.replace("Sommer", "Somner").replace("Zeitraum", "Zeitraurn")
    a, b, c = service.add(LETTER), service.add(RESCAN), service.add(third)
    service.sync()
    with service.machine() as client:
        order = {"item": item_of(client)["id"], "keep": [a, c]}
        assert do(client, **order, seen=look(client, **order)["seen"]).status_code == 200
        assert set(service.paperless.library.trash) == {b}
        assert client.get("/api/review").json()["total"] == 0
        [item] = client.get("/api/review", params={"state": "done"}).json()["items"]
        assert {card["id"] for card in item["documents"]} == {a, c}
        client.post("/api/review/undo", json={})
        [item] = client.get("/api/review").json()["items"]
        assert item["size"] == 3
        # To keep all of them is a decision and no merge.
        order = {"item": item["id"], "keep": [a, b, c]}
        answer = do(client, **order, seen=look(client, **order)["seen"])
        assert answer.status_code == 400
        assert "confirm" in answer.json()["detail"]


# --- rights ---------------------------------------------------------------------------------------


def test_who_may_change_and_not_delete_is_told_so_before(service) -> None:
    anna, bert = (service.user(name, permissions=MERGING) for name in ("anna", "bert"))
    a, b = service.add(LETTER, owner=bert), service.add(RESCAN, owner=anna)
    for id in (a, b):
        service.paperless.library.documents[id].change_users |= {anna, bert}
        service.paperless.library.documents[id].view_users |= {anna, bert}
    service.sync()
    with service.browser("bert") as client:
        found = look(client, item=item_of(client)["id"])
        assert "may not delete" in found["may_not"]
        answer = do(client, item=found["item"]["id"], seen=found["seen"])
        assert answer.status_code == 403
        assert str(b) in answer.json()["detail"]
    with service.browser("anna") as client:
        found = look(client, item=item_of(client)["id"])
        assert found["may_not"] == ""
        assert do(client, item=found["item"]["id"], seen=found["seen"]).status_code == 200
        assert set(service.paperless.library.trash) == {b}
        # Her own act she may take back, although nobody sees what lies in the trash.
        [act] = client.get("/api/review/acts").json()
        assert act["may_undo"]
        assert client.post("/api/review/undo", json={}).status_code == 200
    assert service.paperless.library.trash == {}
    with service.browser("bert") as client:
        assert client.post("/api/review/undo", json={"number": 1}).status_code in {403, 404}


def test_who_sees_nothing_of_it_afterwards_is_named_before(service) -> None:
    anna, bert, carla = (service.user(n, permissions=MERGING) for n in ("anna", "bert", "carla"))
    a, b = service.add(LETTER, owner=anna), service.add(RESCAN, owner=anna)
    rows = service.paperless.library.documents
    rows[b].view_users |= {bert, carla}
    rows[a].view_users.add(carla)
    service.sync()
    with service.machine() as client:
        item = item_of(client)["id"]
        assert look(client, item=item)["losing_sight"] == [{"document": b, "people": ["bert"]}]
        # Whoever sees the one that is kept loses nothing.
        assert look(client, item=item, keep=[b])["losing_sight"] == []
        assert look(client, item=item, keep=[a, b])["losing_sight"] == []
        headers = {"Accept": "text/html", "Accept-Language": "de"}
        page = client.get(f"/review/{item}/resolve", headers=headers).text
        assert "bert" in page[page.index("data-losing-sight") :][:400]
        with service.browser("carla") as other:
            # It is not hers to give away, so she is not told who sees it.
            found = look(other, item=item)
            assert (bool(found["may_not"]), found["losing_sight"]) == (True, [])
        # What has no owner, everybody sees.
        rows[b].owner = None
        service.paperless.library.touch(rows[b])
        service.sync()
        assert look(client, item=item)["losing_sight"] == [{"document": b, "people": []}]
        assert look(client, item=item, keep=[b])["losing_sight"] == []
        given = {"item": item, "keep": [b], "take": [{"key": "owner", "document": a}]}
        assert look(client, **given)["losing_sight"] == [{"document": b, "people": []}]


def test_a_right_that_is_gone_when_it_is_carried_out(service) -> None:
    anna = service.user("anna", permissions=MERGING)
    _a, b = service.add(LETTER, owner=anna), service.add(RESCAN, owner=anna)
    service.sync()
    with service.browser("anna") as client:
        found = look(client, item=item_of(client)["id"])
        service.paperless.library.documents[b].owner = anna + 1
        answer = do(client, item=found["item"]["id"], seen=found["seen"])
        assert answer.status_code == 400
        assert "cannot be seen" in answer.json()["detail"]
    assert service.paperless.library.trash == {}


# --- what goes wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["tag", "title", "note", "text", "trash"])
def test_what_has_changed_since_one_looked_is_not_acted_upon(pair, change) -> None:
    library = pair.service.paperless.library
    with pair.service.machine() as client:
        found = look(client, item=item_of(client)["id"])
        row = pair.row(pair.b)
        with library.lock:
            if change == "tag":
                row.tags.remove(pair.tag)
            elif change == "title":
                row.title = "<b>another</b> \u202egnp.exe"
            elif change == "note":
                pair.note(pair.b, "Not paid after all.")
            elif change == "text":
                row.content = row.content.replace("118,20", "999,99")
            else:
                library.trash[row.id] = library.documents.pop(row.id)
        before = snapshot(pair.service)
        answer = do(client, item=found["item"]["id"], seen=found["seen"])
        assert answer.status_code == (400 if change == "trash" else 409)
        assert "Nothing was done" in answer.json()["detail"]
        assert snapshot(pair.service) == before


def test_what_differs_between_clean_texts_stays_unless_somebody_says_so(service) -> None:
    edited = LETTER.replace("118,20", "754,00")
    a, b = service.add(LETTER), service.add(LETTER, title="copy")
    c = service.add(edited)
    service.sync()
    with service.machine() as client:
        [item] = [
            item for item in client.get("/api/review").json()["items"]
            if item["relation"] in {"exact", "near"}
        ]  # fmt: skip
        assert {card["id"] for card in item["documents"]} == {a, b}
        pair = f"p{a}-{c}"
        found = look(client, item=pair, keep=[a])
        assert [stay["document"] for stay in found["stay"]] == [c]
        assert "754,00" in found["stay"][0]["says"]
        assert found["trash"] == []
        nothing = do(client, item=pair, keep=[a], seen=found["seen"])
        assert nothing.status_code == 400
        order = {"item": pair, "keep": [a], "despite": [c]}
        assert look(client, **order)["trash"] == [c]
        assert do(client, **order, seen=look(client, **order)["seen"]).status_code == 200
    assert set(service.paperless.library.trash) == {c}


def test_a_copy_that_paperless_does_not_take_is_named_and_nothing_is_half_done(serve) -> None:
    """The person may delete it; the service's own token may not."""

    def before(service) -> None:
        people = service.paperless.library.people
        helper = people.add_user("helper", "x", permissions=[
            "view_document", "change_document", "view_tag", "add_tag", "view_customfield",
            "view_note", "add_note", "delete_note", "view_correspondent", "view_uisettings"])  # fmt: skip
        service.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN"] = people.token_of(helper)

    service = serve(before=before, paperless_links="false")
    service.user("anna", permissions=MERGING)
    library = service.paperless.library
    tag = library.add_label("tags", "Steuer").id
    service.add(LETTER)
    b = service.add(RESCAN, tags=[tag])
    service.sync()
    kept = snapshot(service)
    with service.browser("anna") as client:
        found = look(client, item=item_of(client)["id"])
        assert found["may_not"] == ""
        [act] = do(client, item=found["item"]["id"], seen=found["seen"]).json()["acts"]
        assert act["state"] == "refused"
        assert str(b) in act["why"]
        page = client.get(
            f"/review?said=resolve&act={act['number']}", headers={"Accept": "text/html"}
        )
        assert "Not done" in page.text
        told = client.get("/api/review/acts", headers={"Accept-Language": "fr"}).json()[0]["why"]
        assert f"voir le document {b}, mais pas le modifier" in told
        assert snapshot(service) == kept
        assert client.post("/api/review/undo", json={}).status_code == 404
