"""Keeping one of each of many identical groups: by rules, seen before, in the background, once, and
taken back as one act."""

from __future__ import annotations

import json
from typing import Any

import pytest
from paperless_work import LETTER, RESCAN
from waiting import until

from documents import some_text
from paperless_fingerprint.demo.stand_in import Fault
from paperless_fingerprint.integration import undo
from paperless_fingerprint.integration.context import open_workplace
from paperless_fingerprint.review import together
from serving import RIGHTS, served

MERGING = (*RIGHTS, "delete_document", "view_tag")
ALL = {"items": [], "filters": {"relation": "exact"}}


def fill(service, count: int, **more: Any) -> list[tuple[int, int]]:
    """So many letters with a copy each."""
    pairs = []
    for number in range(count):
        text = f"Vorgang {number} " + some_text(40, seed=number)
        pairs.append((service.add(text, title=f"letter {number}", **more),
                      service.add(text, title=f"copy {number}", **more)))  # fmt: skip
    service.sync()
    return pairs


def look(client, **order) -> dict[str, Any]:
    answer = client.post("/api/review/resolve-many/preview", json={"selection": ALL, **order})
    assert answer.status_code == 200, answer.text
    return answer.json()


def start(client, **order) -> int:
    seen = look(client, **order)["seen"]
    answer = client.post("/api/review/resolve-many", json={"selection": ALL, "seen": seen, **order})
    assert answer.status_code == 200, answer.text
    return answer.json()["number"]


def ended(client, number: int) -> dict[str, Any]:
    def over():
        found = client.get(f"/api/review/batches/{number}").json()
        return found if not found["waiting"] else None

    return until(over, "the batch")


def trash(service) -> set[int]:
    return set(service.paperless.library.trash)


def snapshot(service) -> dict[int, Any]:
    library = service.paperless.library
    with library.lock:
        return {row.id: (row.title, sorted(row.tags), dict(row.custom_fields))
                for row in library.documents.values()}  # fmt: skip


def test_the_preview_counts_and_names_examples_and_changes_nothing(service) -> None:
    pairs = fill(service, 12)
    before = snapshot(service)
    with service.machine() as client:
        found = look(client)
        assert (found["groups"], found["documents"], found["may_not"]) == (12, 12, "")
        assert len(found["examples"]) == 10
        assert found["examples"][0]["keep"][0]["title"].startswith("letter")
        assert found["bytes"] > 0
        assert {d["id"] for e in found["examples"] for d in e["trash"]} <= {b for _, b in pairs}
    assert snapshot(service) == before


def test_a_batch_is_done_and_undone_as_one(service) -> None:
    pairs = fill(service, 5)
    before = snapshot(service)
    with service.machine() as client:
        number = start(client)
        found = ended(client, number)
        assert (found["total"], found["done"], found["problems"]) == (5, 5, [])
        assert trash(service) == {b for _, b in pairs}
        assert client.get("/api/review").json()["total"] == 0
        back = client.post("/api/review/undo", json={"number": number})
        assert back.status_code == 200, back.text
        until(lambda: not trash(service), "the undo")
        until(lambda: client.get(f"/api/review/batches/{number}").json()["undone"] == 5, "all")
        assert snapshot(service) == before
        assert client.get("/api/review").json()["total"] == 5


@pytest.mark.parametrize(
    ("rule", "kept"),
    [("oldest", 0), ("newest", 1), ("pages", 1), ("largest", 0), ("serial", 1), ("path", 1)],
)
def test_rules_say_what_is_kept(service, rule, kept) -> None:
    library = service.paperless.library
    path = library.add_label("storage_paths", "Archive").id
    text = some_text(40, seed=1)
    pair = (
        service.add(text, page_count=1, size=900, added="2024-01-01T00:00:00.000000Z"),
        service.add(text, page_count=2, size=100, added="2024-02-01T00:00:00.000000Z",
                    archive_serial_number=7, storage_path=path),
    )  # fmt: skip
    service.sync()
    with service.machine() as client:
        [example] = look(client, rules=[rule], path=path)["examples"]
    assert [each["id"] for each in example["keep"]] == [pair[kept]]


def test_a_batch_is_one_decision_with_titles_and_leaves_room_for_others(
    service, monkeypatch
) -> None:
    monkeypatch.setattr(together, "_SHOWN", 3)
    monkeypatch.setattr(together, "_MOST", 2)
    pairs = fill(service, 6)
    anna = service.user("anna", permissions=MERGING)
    with service.machine() as client:
        items = client.get("/api/review").json()["items"]
        [item] = [each for each in items if each["id"] == f"g{pairs[5][0]}"]
        order = {"item": item["id"], "verdict": "same", "seen": item["seen"]}
        client.post("/api/review/decide", json={"orders": [order]})
        ended(client, start(client))
        headers = {"Accept": "text/html"}
        page = client.get("/decisions", headers=headers).text
        assert page.count("<tr><td>") == 2
        assert "5 entries" in page
        assert all(f"letter {number}" in page for number in (0, 1, 2, 5))
        assert page.count('aria-label="Undo') == 2
    # Of what somebody else has decided, what is hidden is not counted.
    rows = service.paperless.library.documents
    for row in list(rows.values())[2:]:
        row.owner = anna + 1
    service.sync()
    with service.browser("anna") as client:
        page = client.get("/decisions", headers=headers).text
        assert "entries" not in page
        assert "letter 3" not in page


def test_the_best_text_is_kept_and_between_equal_ones_the_next_rule_tells(service) -> None:
    """Groups whose texts differ in words are left to a person."""
    text = some_text(40, seed=1)
    a, b = service.add(text), service.add(text)
    service.sync()
    with service.machine() as client:
        for rules, kept in ((["text", "newest"], a), (["newest", "text"], b)):
            [example] = look(client, rules=rules)["examples"]
            assert [each["id"] for each in example["keep"]] == [kept]


def test_what_is_not_beyond_doubt_is_left_out_with_its_reason(service) -> None:
    fill(service, 1)
    anna = service.user("anna")
    text = some_text(40, seed=77)
    service.add(text)
    service.add(text, owner=anna)
    service.add(LETTER)
    service.add(RESCAN)
    file = b"one and the same file"
    service.add(some_text(40, seed=79), data=file)
    service.add(some_text(40, seed=79) + " corrected by hand today", data=file)
    service.sync()
    with service.machine() as client:
        found = look(client, selection={"items": [], "filters": {}})
        reasons = {each["name"]: each["count"] for each in found["exceptions"]}
        assert found["groups"] == 1
        assert reasons == {"people": 1, "alike": 1, "text": 1}
        assert {each["why"] for each in found["left_out"]} == set(reasons)


def test_protected_documents_are_kept_beside_or_instead(service) -> None:
    library = service.paperless.library
    tag = library.add_label("tags", "Original").id
    text = some_text(40, seed=5)
    a, b, c = (service.add(text, tags=[tag] if n == 1 else []) for n in range(3))
    service.sync()
    with service.machine() as client:
        [example] = look(client, protected_tags=["Original"])["examples"]
        assert ([d["id"] for d in example["keep"]], len(example["trash"])) == ([b], 2)
        [example] = look(client, protected_tags=["Original"], protected=[c])["examples"]
        assert {d["id"] for d in example["keep"]} == {b, c}
        found = look(client, protected=[a, b, c])
        assert found["groups"] == 0
        assert found["exceptions"] == [{"name": "protected", "count": 1}]


def test_what_has_changed_since_the_preview_is_not_done(service) -> None:
    fill(service, 3)
    with service.machine() as client:
        seen = look(client)["seen"]
        service.add("Vorgang 0 " + some_text(40, seed=0))
        service.sync()
        told = {"selection": ALL, "seen": seen}
        assert client.post("/api/review/resolve-many", json=told).status_code == 409
        assert trash(service) == set()


def test_half_of_a_batch_is_forbidden(serve) -> None:
    """Rights that are taken away between the preview and the act."""
    service = serve()
    anna = service.user("anna", permissions=MERGING)
    pairs = fill(service, 4, owner=anna)
    rows = service.paperless.library.documents
    with service.browser("anna") as client:
        seen = look(client)["seen"]
        for a, b in pairs[:2]:
            rows[a].owner = rows[b].owner = anna + 1
        rows[pairs[2][1]].content = "something else altogether, as somebody wrote it"
        answer = client.post("/api/review/resolve-many", json={"selection": ALL, "seen": seen})
        assert answer.status_code == 200, answer.text
        found = ended(client, answer.json()["number"])
        assert (found["done"], found["refused"]) == (1, 3)
        whys = [problem["why"] for problem in found["problems"]]
        assert sum("may not delete" in why for why in whys) == 2
        assert sum("text of document" in why for why in whys) == 1
        assert all(problem["documents"][0]["title"] for problem in found["problems"])
        # Kept as reasons: whoever reads them, reads them in another language.
        headers = {"Accept": "text/html", "Accept-Language": "de"}
        page = client.get(f"/batches/{found['number']}", headers=headers).text
        assert page.count("nicht löschen: Es gehört jemand anderem") == 2
        assert f"Der Text von Dokument {pairs[2][1]} ist nicht mehr der von" in page
        assert not any(why[:25] in page for why in whys)
    assert trash(service) == {pairs[3][1]}


def test_why_a_batch_waits_is_said_in_the_language_of_whoever_looks(service) -> None:
    fill(service, 2)
    faults = service.paperless.faults
    with service.machine() as client:
        seen = look(client)["seen"]
        faults.retry_after_seconds = 900
        faults.next(Fault.THROTTLED, 10_000, path="/api/documents/")
        number = client.post(
            "/api/review/resolve-many", json={"selection": ALL, "seen": seen}
        ).json()["number"]

        def why(language: str) -> str:
            headers = {"Accept-Language": language}
            return client.get(f"/api/review/batches/{number}", headers=headers).json()["trouble"]

        until(lambda: why("en"), "the trouble")
        assert why("en").startswith("Paperless asks to wait 900 seconds before GET /api/documents/")
        assert why("de").startswith("Paperless bittet, vor GET /api/documents/")
        headers = {"Accept": "text/html", "Accept-Language": "fr"}
        assert (
            "Paperless demande d’attendre 900 secondes"
            in client.get(f"/batches/{number}", headers=headers).text
        )
        # What waits is shown as it is, too.
        shown = client.get("/review", headers={"Accept": "text/html"})
        assert shown.text.count("to the trash · ") == 2
        found = client.get("/api/review").json()["items"]
        assert [(item["waiting"], item["words"][0]["verdict"]) for item in found] == [
            (True, "trash")
        ] * 2
        faults.clear()


def test_answers_are_lost_and_paperless_is_away_in_the_middle_and_each_is_done_once(
    service,
) -> None:
    pairs = fill(service, 6)
    faults = service.paperless.faults
    with service.machine() as client:
        faults.next(Fault.LOST_ANSWER, 1, method="DELETE")
        faults.next(Fault.UNAVAILABLE, 1, method="POST", path="bulk_edit")
        found = ended(client, start(client))
    assert (found["done"], found["problems"]) == (6, [])
    assert trash(service) == {b for _, b in pairs}


def test_a_service_that_ends_in_the_middle_goes_on_after_the_next_start(tmp_path, stand_in) -> None:
    with served(tmp_path, stand_in, paperless_writes_per_second="4") as service:
        pairs = fill(service, 6)
        with service.machine() as client:
            number = start(client)
            until(lambda: len(trash(service)) >= 2, "the first two")
    done = trash(service)
    assert len(done) < 6
    with served(tmp_path, stand_in) as service:
        with service.machine() as client:
            found = ended(client, number)
        assert (found["done"], found["total"]) == (6, 6)
        assert trash(service) == {b for _, b in pairs}
        acts = [
            json.loads(line) for line in (tmp_path / "library.audit.jsonl").read_text().splitlines()
        ]
        assert [act["what"] for act in acts].count("merge") == 6


def test_whoever_may_delete_nothing_starts_nothing(serve) -> None:
    service = serve()
    service.user("anna")  # may see and change, but not delete
    fill(service, 2)
    with service.browser("anna") as client:
        found = look(client)
        assert "may not delete" in found["may_not"]
        told = {"selection": ALL, "seen": found["seen"]}
        assert client.post("/api/review/resolve-many", json=told).status_code == 403
        # Nor is anything done without saying which groups, and without a preview.
        assert client.post("/api/review/resolve-many", json={"seen": "x"}).status_code == 400
    with service.machine() as client:
        assert client.post("/api/review/resolve-many", json={"selection": ALL}).status_code == 409
    assert trash(service) == set()


def test_below_the_confidence_for_the_trash_nothing_is_offered(serve) -> None:
    service = serve()
    fill(service, 2)
    settings = service.review.settings
    # What is identical is as sure as can be; only a level beyond that leaves it out.
    service.review.settings = settings.having({"similarity_threshold": 1.01})
    with service.machine() as client:
        found = look(client)
    assert (found["groups"], found["exceptions"]) == (0, [{"name": "unsure", "count": 2}])


def test_the_command_line_takes_a_batch_back_as_one_act(service) -> None:
    fill(service, 3)
    before = snapshot(service)
    with service.machine() as client:
        number = start(client)
        ended(client, number)
        with open_workplace(service.settings) as place:
            assert len(undo.undo_last(place)) == 3
        assert (trash(service), snapshot(service)) == (set(), before)
        # The page finds that there is nothing left to do.
        service.sync()
        assert client.post("/api/review/undo", json={"number": number}).status_code == 200
        until(lambda: client.get(f"/api/review/batches/{number}").json()["undone"] == 3, "all")
        assert snapshot(service) == before


def test_a_batch_that_is_under_way_is_taken_back(tmp_path, stand_in) -> None:
    with served(tmp_path, stand_in, paperless_writes_per_second="4") as service:
        fill(service, 6)
        before = snapshot(service)
        with service.machine() as client:
            number = start(client)
            until(lambda: trash(service), "the first")
            # It is not waited for: it goes on behind the answer.
            assert client.post("/api/review/undo", json={"number": number}).status_code == 200
            found = client.get(f"/api/review/batches/{number}").json()
            assert found["undoing"] + found["undone"] == 6
            assert not found["may_undo"]
            until(lambda: client.get(f"/api/review/batches/{number}").json()["undone"] == 6, "all")
        assert (trash(service), snapshot(service)) == (set(), before)
