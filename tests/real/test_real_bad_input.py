"""What goes wrong between a look and the act, against a real Paperless-ngx: what was done is said,
what was not is listed with the reason, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from cable import cable_to
from paperless_work import LETTER, RESCAN, variant
from real_office import LOCKED, RealOffice, everything
from test_worker import serving
from waiting import until

from paperless_fingerprint.demo.stand_in.pdf import pdf_of

#: Paperless takes its time over a dozen documents, or a bundle, where the machine is busy.
pytestmark = pytest.mark.timeout(300)

MANY = {"selection": {"items": [], "filters": {"relation": "exact"}}, "rules": ["oldest"]}
TITLE = '<b onmouseover="x">Brief</b> \u202egnp.exe \u2067 عقد'


@contextmanager
def page_of(office: RealOffice, **settings: str) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Token {office.real.token('office')}"}
    with (
        serving(office, paperless_sync_seconds="3600", **settings) as served,
        httpx.Client(base_url=served.url, headers=headers, timeout=60) as page,
    ):
        until(lambda: page.get("/api/review").status_code == 200, "the list")
        yield page


def item_of(page: httpx.Client, *ids: int) -> str:
    items = page.get("/api/review").json()["items"]
    return next(i["id"] for i in items if {each["id"] for each in i["documents"]} == {*ids})


def batch_of(page: httpx.Client, number: int) -> dict[str, Any]:
    return dict(page.get(f"/api/review/batches/{number}").json())


def test_what_happens_between_the_look_and_the_act(office: RealOffice):
    """Of six pairs five become another: each is said, none is touched, and the sixth is merged."""
    real = office.real
    texts = [variant(number) for number in range(6)]
    pairs = [(office.add(text), office.add(text)) for text in texts]
    changed, noted, trashed, hidden, locked, same = pairs
    boss = real.user("boss")
    office.sync()
    with page_of(office) as page:
        items = [item_of(page, *pair) for pair in pairs]
        looks = [page.post("/api/review/resolve/preview", json={"item": i}).json() for i in items]
        assert [look["may_not"] for look in looks] == [""] * 6

        nobody = {"users": [], "groups": []}
        viewers = {"users": [real.id("office")], "groups": []}
        real.ask("PATCH", f"documents/{changed[1]}/", json={"content": texts[0] + " Bezahlt."})
        real.ask("POST", f"documents/{noted[1]}/notes/", json={"note": "Not this one."})
        office.bin(trashed[1])
        for id, seen_by in ((hidden[1], nobody), (locked[1], viewers)):
            rights = {"view": seen_by, "change": nobody}
            told = {"owner": boss, "set_permissions": rights}
            real.ask("PATCH", f"documents/{id}/", json=told)
        there = [id for pair in pairs for id in pair if id != trashed[1]]
        before = everything(office, *there)

        answers = [
            page.post(
                "/api/review/resolve", json={"item": look["item"]["id"], "seen": look["seen"]}
            )
            for look in looks
        ]
        assert [answer.status_code for answer in answers] == [409, 409, 400, 400, 403, 200]
        for answer, pair in zip(answers[:5], pairs, strict=False):
            said = answer.json()["detail"]
            assert "Nothing was done" in said or str(pair[1]) in said, said
        until(lambda: page.get("/api/review/acts").json()[0]["state"] == "done", "the merge")
        assert real.answer("GET", f"documents/{same[1]}/").status_code == 404
        assert page.post("/api/review/undo", json={}).status_code == 200
        until(lambda: page.get("/api/review/acts").json()[0]["state"] == "done", "the undo")
    assert everything(office, *there) == before


def test_half_of_a_batch_is_forbidden_by_the_time_it_is_done(office: RealOffice):
    real = office.real
    pairs = [(office.add(variant(n)), office.add(variant(n))) for n in range(4)]
    boss = real.user("boss")
    office.sync()
    with page_of(office) as page:
        shown = page.post("/api/review/resolve-many/preview", json=MANY).json()
        assert (shown["groups"], shown["may_not"]) == (4, "")
        rights = {kind: {"users": [real.id("office")], "groups": []} for kind in ("view", "change")}
        for id in [id for pair in pairs[:2] for id in pair]:
            # May be changed, but not deleted: that is its owner's.
            real.ask("PATCH", f"documents/{id}/", json={"owner": boss, "set_permissions": rights})
        ids = [id for pair in pairs for id in pair]
        before = everything(office, *ids)
        told = MANY | {"seen": shown["seen"]}
        number = page.post("/api/review/resolve-many", json=told).json()["number"]
        until(lambda: not batch_of(page, number)["waiting"], "the batch")
        found = batch_of(page, number)
        assert (found["done"], found["refused"]) == (2, 2)
        for problem, (_, copy) in zip(found["problems"], pairs, strict=False):
            assert f"may not delete document {copy}" in problem["why"]
        gone = [real.answer("GET", f"documents/{id}/").status_code == 404 for id in ids]
        assert gone == [False] * 5 + [True, False, True]
        assert page.post("/api/review/undo", json={"number": number}).status_code == 200
        until(lambda: batch_of(page, number)["undone"] == 2, "the undo")
    assert everything(office, *ids) == before


def test_paperless_is_gone_in_the_middle_and_each_is_done_once(office: RealOffice):
    """The answer to the first removal is lost, and nothing answers after it for a while."""
    real = office.real
    ids = [office.add(variant(n)) for n in range(3) for _ in range(2)]
    copies = ids[1::2]
    with cable_to(real.url) as cable:
        office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_URL"] = cable.url
        office.sync()
        before = everything(office, *ids)
        with page_of(office, paperless_writes_per_second="20") as page:
            shown = page.post("/api/review/resolve-many/preview", json=MANY).json()
            cable.pull_at(b"DELETE /api/documents/")
            told = MANY | {"seen": shown["seen"]}
            number = page.post("/api/review/resolve-many", json=told).json()["number"]
            until(lambda: cable.is_pulled, "the end of the connection")
            until(lambda: batch_of(page, number).get("trouble"), "what is wrong, said")
            assert batch_of(page, number)["waiting"]
            cable.plug_in()
            until(lambda: not batch_of(page, number)["waiting"], "the batch")
            found = batch_of(page, number)
            assert (found["done"], found["problems"], found["trouble"]) == (3, [], "")
            assert all(real.answer("GET", f"documents/{c}/").status_code == 404 for c in copies)
            acts = (office.folder / "library.audit.jsonl").read_text().splitlines()
            merged = [a for a in map(json.loads, acts) if a["what"] == "merged"]
            assert sorted(id for act in merged for id in act["trashed"]) == copies
            assert page.post("/api/review/undo", json={"number": number}).status_code == 200
            until(lambda: batch_of(page, number)["undone"] == 3, "the undo")
    assert everything(office, *ids) == before


def test_a_bundle_of_five_hundred_pages_a_locked_file_and_strange_titles(office: RealOffice):
    real = office.real
    pages = [f"Seite {n} der Akte, mit Zahlen wie {n * 17} und {n * 31}." for n in range(500)]
    pages[250] = LETTER
    bundle = real.upload("", "office", "bundle", pdf=pdf_of("\f".join(pages)))
    part = office.add(RESCAN, title=TITLE)
    locked = real.upload("", "office", "locked", pdf=LOCKED)
    office.sync()
    before = everything(office, bundle, part)
    assert before[part][0][0] == TITLE
    assert office.pairs() == {(bundle, part): "contains"}
    with page_of(office) as page:
        for id in (bundle, part, locked):
            shown = page.get(f"/preview/{id}")
            own = real.answer("GET", f"documents/{id}/preview/")
            assert (shown.status_code, shown.content) == (200, own.content)
            kinds = [each.headers["content-type"].split(";")[0] for each in (shown, own)]
            assert kinds[0] == kinds[1]
        html = page.get(f"/review/p{bundle}-{part}", headers={"Accept": "text/html"}).text
        assert "&lt;b onmouseover=" in html
        assert "<b onmouseover=" not in html
        order = {"item": f"p{bundle}-{part}", "keep": [bundle], "despite": [part]}
        look = page.post("/api/review/resolve/preview", json=order).json()
        assert look["trash"] == [part]
        done = page.post("/api/review/resolve", json=order | {"seen": look["seen"]})
        assert done.status_code == 200, done.text
        until(lambda: page.get("/api/review/acts").json()[0]["state"] == "done", "the merge")
        assert real.answer("GET", f"documents/{part}/").status_code == 404
        assert page.post("/api/review/undo", json={}).status_code == 200
        until(lambda: page.get("/api/review/acts").json()[0]["state"] == "done", "the undo")
    assert everything(office, bundle, part) == before
