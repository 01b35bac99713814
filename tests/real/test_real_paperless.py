"""What was promised, played against a real Paperless-ngx (see conftest.py)."""

from __future__ import annotations

from typing import Any

import httpx
from click.testing import CliRunner
from paperless_work import LETTER, OTHER, RESCAN, variant
from real_office import RealOffice, everything
from test_worker import serving
from waiting import until

from paperless_fingerprint.checkup import paperless as checkup_paperless
from paperless_fingerprint.cli import main
from paperless_fingerprint.integration import consume, undo
from paperless_fingerprint.integration.merging import carry_out


def told(office: RealOffice) -> tuple[int, int]:
    """A letter and its re-scan, both come after the first sync and told about."""
    office.sync()
    a, b = office.add(LETTER), office.add(RESCAN)
    office.sync()
    assert office.tags(a) == {"primary"}
    assert office.tags(b) == {"near"}
    assert office.fields(a)["duplicate"] == [b]
    return a, b


def test_the_first_run_writes_nothing_before_somebody_asks(office):
    a, b, c = office.add(LETTER), office.add(RESCAN), office.add(OTHER)
    office.sync()
    office.sync()
    assert [office.tags(id) for id in (a, b, c)] == [set(), set(), set()]
    assert office.apply(dry_run=True).added["tag:near"] == 1
    office.apply()
    assert [office.tags(id) for id in (a, b, c)] == [{"primary"}, {"near"}, set()]
    assert office.fields(b)["duplicate"] == [a]
    assert not office.apply().added


def test_a_deleted_copy_leaves_no_dead_link(office):
    account = office.real.field("Konto", "string")
    a, b = told(office)
    office.bin(b)
    assert office.save(a, account, "DE02") == 400
    c = office.add(RESCAN)
    office.consume(c)
    assert office.fields(c)["duplicate"] == [a]
    office.sync()
    assert office.fields(a)["duplicate"] == [c]
    assert office.save(a, account, "DE02") == 200
    office.restore(b)
    office.sync()
    assert sorted(office.fields(a)["duplicate"]) == [b, c]
    assert office.fields(b)["duplicate"] == [a]


def test_what_a_better_token_sees_later_is_no_news(office):
    office.real.user("anna")
    a, b = office.add(LETTER, by="anna"), office.add(RESCAN, by="anna")
    said = [f.message for f in checkup_paperless.examine(office.settings)[0]]
    assert any("sees 0 documents" in message for message in said)
    office.sync()
    assert office.groups() == []
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN"] = office.real.token("anna")
    office.sync()
    office.sync()
    assert office.groups() == [(a, b)]
    assert office.tags(a) == office.tags(b) == set()
    c = office.add(RESCAN, by="anna")
    office.sync()
    assert office.tags(c) == {"near"}


def test_what_was_taken_back_stays_away_beside_a_running_service(office, monkeypatch):
    a, b = told(office)
    with serving(office, paperless_sync_seconds="1", paperless_reconcile_seconds="1") as served:
        until(lambda: served.metric("syncs_total") >= 1, "a sync")
        for name, value in office.environment.items():
            monkeypatch.setenv(name, value)
        done = CliRunner().invoke(main, ["apply", "--remove-all"])
        assert done.exit_code == 0, done.output
        syncs = served.metric("syncs_total")
        until(lambda: served.metric("syncs_total") >= syncs + 3, "three more syncs")
    assert office.tags(a) == office.tags(b) == set()
    assert office.fields(a) == office.fields(b) == {}
    for kind in ("tags", "custom_fields", "saved_views"):
        assert not any(office.real.mark in name for name in office.real.names(kind).values())


def test_an_answer_is_heard_and_a_stale_save_is_none(office):
    a, b = told(office)
    before = {"tags": [], "title": office.real.document(b)["title"]}
    office.real.ask("PATCH", f"documents/{b}/", json=before)
    office.sync()
    assert "near" in office.tags(b)
    office.take_off(b, "near")
    office.sync()
    assert office.groups() == []
    assert office.tags(a) == set()
    c = office.add(RESCAN)
    office.sync()
    assert office.tags(c) == {"exact"}
    office.put_on(c, "not_duplicate")
    office.sync()
    assert office.groups() == []
    assert office.tags(c) == {"not_duplicate"}


def test_everybody_can_open_the_view_and_nobody_learns_of_what_is_hidden(office):
    anna = office.real.user("anna")
    office.sync()
    hidden, shown = office.add(LETTER), office.add(RESCAN)
    office.real.ask(
        "PATCH", f"documents/{shown}/", json={"set_permissions": {
            "view": {"users": [anna], "groups": []}, "change": {"users": [], "groups": []}}}
    )  # fmt: skip
    office.sync()
    assert office.groups() == [(hidden, shown)]
    assert office.tags(shown) == set()
    assert office.tags(hidden) == {"primary"}
    assert office.notes(shown) == []
    [note] = office.notes(hidden)
    assert note.endswith(f"Near duplicate: document {shown}.")
    assert "duplicate" not in {**office.fields(hidden), **office.fields(shown)}
    views = office.real.ask("GET", "saved_views/", token=office.real.token("anna"))["results"]
    [view] = [each for each in views if each["name"] == office.labels["view_name"]]
    tags = next(rule["value"] for rule in view["filter_rules"])
    assert int(tags) in office.real.names("tags")


def test_merging_carries_over_and_one_undo_takes_it_back(office):
    real = office.real
    account, related = real.field("Konto", "string"), real.field("Siehe", "documentlink")
    a, b = told(office)
    partner = office.add(OTHER)
    mine = real.ask("POST", "tags/", json={"name": f"mine {real.mark}"})["id"]
    office.put_on(b, f"mine {real.mark}")
    real.ask("POST", f"documents/{b}/notes/", json={"note": "Paid on Monday."})
    values = {str(related): [partner], str(account): "DE02"}
    real.ask(
        "POST", "documents/bulk_edit/", json={"documents": [b], "method": "modify_custom_fields",
        "parameters": {"add_custom_fields": values, "remove_custom_fields": []}}
    )  # fmt: skip
    office.sync()

    with office.open() as place, place.lock.held():
        done = carry_out.merge(place, carry_out.preview(place, [a], [b]), "test")
    assert done.trashed == (b,)
    assert mine in real.document(a)["tags"]
    assert office.notes(a) == ["Paid on Monday."]
    assert office.fields(a).keys() == {f"Konto {real.mark}", f"Siehe {real.mark}"}
    assert office.fields(partner) == {f"Siehe {real.mark}": [a]}
    assert office.save(a, account, "DE03") == office.save(partner, account, "DE04") == 200
    with office.open() as place:
        undo.undo_last(place)
        assert undo.last_acts(place) == []
    office.sync()
    with office.open() as place:
        consume.drain(place)
    assert mine not in real.document(a)["tags"]
    assert mine in real.document(b)["tags"]
    assert office.notes(a) == []
    assert office.notes(b) == ["Paid on Monday."]
    assert office.fields(a)["duplicate"] == [b]
    assert office.fields(b)["duplicate"] == [a]
    assert office.fields(b)[f"Siehe {real.mark}"] == [partner]
    assert office.fields(partner)[f"Siehe {real.mark}"] == [b]


def test_one_is_kept_on_the_page_and_one_undo_brings_everything_back(office):
    real = office.real
    a, b = told(office)
    other = office.add(OTHER)
    account, related = real.field("Konto", "string"), real.field("Siehe", "documentlink")
    kind = real.field("Art", "select", options=["Rechnung", "Brief"])
    serial = 4_000_000_000 + b

    def label(kind: str, name: str, **more: Any) -> int:
        return int(real.ask("POST", f"{kind}/", json={"name": f"{name} {real.mark}", **more})["id"])

    parent = label("tags", "parent")
    child = label("tags", "child", parent=parent)
    real.ask("PATCH", f"documents/{b}/", json={
        "tags": [*real.document(b)["tags"], parent, child], "archive_serial_number": serial,
        "correspondent": label("correspondents", "Werke"), "created": "2021-02-03",
        "document_type": label("document_types", "Rechnung"),
        "storage_path": label("storage_paths", "Strom", path="{{ title }}"),
    })  # fmt: skip
    for id, values in ((a, {kind: None}), (b, {account: "DE02", related: [a, other],
                                               kind: real.options(kind)["Brief"]})):  # fmt: skip
        real.ask("POST", "documents/bulk_edit/", json={
            "documents": [id], "method": "modify_custom_fields",
            "parameters": {"add_custom_fields": values, "remove_custom_fields": []},
        })  # fmt: skip
    real.ask("POST", f"documents/{b}/notes/", json={"note": "Paid on Monday."})
    office.sync()
    before = everything(office, a, b, other)
    with serving(office, paperless_sync_seconds="3600") as served:
        headers = {"Authorization": f"Token {real.token('office')}"}
        with httpx.Client(base_url=served.url, headers=headers, timeout=60) as page:
            items = until(lambda: page.get("/api/review").json()["items"], "the list")
            item = next(i for i in items if {x["id"] for x in i["documents"]} == {a, b})
            shown = page.post("/api/review/resolve/preview", json={"item": item["id"]}).json()
            assert (shown["keep"], shown["trash"], shown["may_not"]) == ([a], [b], "")
            order = {"item": item["id"], "seen": shown["seen"]}
            done = page.post("/api/review/resolve", json=order)
            assert done.status_code == 200, done.text
            until(lambda: page.get("/api/review/acts").json()[0]["state"] == "done", "the merge")
            assert real.answer("GET", f"documents/{b}/").status_code == 404
            values, tags, notes, fields = everything(office, a)[a]
            assert (values[1:4], values[5]) == (before[b][0][1:4], serial)
            assert tags == sorted([parent, child])
            assert notes == ["Paid on Monday."]
            assert dict(fields) == {
                f"Konto {real.mark}": "DE02", f"Siehe {real.mark}": [other],
                f"Art {real.mark}": real.options(kind)["Brief"],
            }  # fmt: skip
            assert office.save(a, account, "DE02") == 200
            back = page.post("/api/review/undo", json={})
            assert back.status_code == 200, back.text
            until(lambda: page.get("/api/review/acts").json()[0]["state"] == "done", "the undo")
    assert everything(office, a, b, other) == before


def test_many_identical_groups_at_once_and_back(office):
    texts = [variant(number) for number in range(3)]
    ids = [office.add(text) for text in texts for _ in range(2)]
    office.sync()
    before = everything(office, *ids)
    everyone = {"selection": {"items": [], "filters": {"relation": "exact"}}, "rules": ["oldest"]}
    with serving(office, paperless_sync_seconds="3600") as served:
        headers = {"Authorization": f"Token {office.real.token('office')}"}
        with httpx.Client(base_url=served.url, headers=headers, timeout=60) as page:
            until(lambda: page.get("/api/review").json()["total"] == 3, "the list")
            shown = page.post("/api/review/resolve-many/preview", json=everyone).json()
            assert (shown["groups"], shown["documents"], shown["may_not"]) == (3, 3, "")
            # Somebody corrects one between the preview and the act: it is left alone, and named.
            office.real.ask("PATCH", f"documents/{ids[1]}/", json={"content": "Corrected by hand."})
            told = everyone | {"seen": shown["seen"]}
            number = page.post("/api/review/resolve-many", json=told).json()["number"]

            def batch() -> dict[str, Any]:
                return dict(page.get(f"/api/review/batches/{number}").json())

            until(lambda: not batch()["waiting"], "the batch")
            assert (batch()["done"], batch()["refused"]) == (2, 1)
            assert str(ids[1]) in batch()["problems"][0]["why"]
            gone = [office.real.answer("GET", f"documents/{id}/").status_code == 404 for id in ids]
            assert gone == [False, False, False, True, False, True]
            assert page.post("/api/review/undo", json={"number": number}).status_code == 200
            until(lambda: batch()["undone"] == 2, "the undo")
    assert everything(office, *ids) == before


def test_a_replacement_is_taken_back_by_one_undo_and_spares_corrections(office):
    office.environment["PAPERLESS_FINGERPRINT_EXACT_POLICY"] = "replace"
    office.sync()
    a = office.add(LETTER)
    office.consume(a)
    b = office.add(LETTER)
    office.consume(b)
    assert office.real.answer("GET", f"documents/{a}/").status_code == 404
    with office.open() as place:
        undo.undo_last(place)
        assert undo.last_acts(place) == []
    assert office.real.document(a)["id"] == a
    c = office.add(OTHER)
    office.consume(c)
    text = OTHER.replace("76,50", "79,50")
    office.real.ask("PATCH", f"documents/{c}/", json={"content": text})
    office.consume(c)
    d = office.add(OTHER)
    office.consume(d)
    assert office.pairs()[c, d] == "exact"
    assert office.real.document(c)["content"] == text


def test_the_page_writes_what_was_decided_and_all_when_asked(office):
    a, b = office.add(LETTER), office.add(RESCAN)
    c, d = office.add(OTHER), office.add(OTHER.replace("76,50", "76,5O"))
    office.sync()
    office.real.user("chief", superuser=True)
    with serving(office, paperless_sync_seconds="3600") as served:
        headers = {"Authorization": f"Token {office.real.token('chief')}"}
        with httpx.Client(base_url=served.url, headers=headers, timeout=60) as page:
            items = until(lambda: page.get("/api/review").json()["items"], "the list")
            item = next(i for i in items if {x["id"] for x in i["documents"]} == {a, b})
            order = {"item": item["id"], "verdict": "same", "seen": item["seen"]}
            shown = page.post("/api/review/preview", json={"orders": [order]}).json()["writes"]
            assert {write["document"] for write in shown} == {a, b}
            assert page.post("/api/review/decide", json={"orders": [order]}).status_code == 200
            until(lambda: office.tags(b) == {"near"}, "the tag")
            assert office.tags(a) == {"primary"}
            assert office.tags(c) == office.tags(d) == set()
            assert page.post("/api/labels").status_code == 204
            until(lambda: office.tags(d) == {"near"}, "the other tag")
