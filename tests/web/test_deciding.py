"""Deciding through the API: at once, undone, queued, and never over somebody's head."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from paperless_work import LETTER, OTHER, RESCAN, let_tags_grow_old
from waiting import until

from documents import some_text
from paperless_fingerprint.integration.context import open_workplace
from paperless_fingerprint.library.lock import library_lock
from paperless_fingerprint.model import Verdict
from paperless_fingerprint.stores.opening import open_store

THIRD = RESCAN.replace("Sommer", "Somner").replace("Zeitraum", "Zeitraurn")


def first(client) -> dict:
    found = client.get("/api/review", params={"state": ""}).json()
    return found["items"][0]


def order(item: dict, verdict: str, **more) -> dict:
    return {"item": item["id"], "verdict": verdict, "seen": item["seen"], **more}


def decide(client, item: dict, verdict: str, **more):
    return client.post("/api/review/decide", json={"orders": [order(item, verdict, **more)]})


def said(service) -> list[tuple[int, int, str]]:
    store = open_store(service.settings)
    try:
        return sorted((d.a, d.b, d.verdict.value) for d in store.decisions())
    finally:
        store.close()


@pytest.fixture
def pair(both):
    """A letter, its re-scan, and something else, in either store."""
    a, b = both.add(LETTER, title="One"), both.add(RESCAN, title="Two")
    both.add(OTHER)
    both.sync()
    return both, a, b


def test_same_different_and_back(pair) -> None:
    service, a, b = pair
    with service.machine() as client:
        item = first(client)
        assert [d["id"] for d in item["documents"]] == [a, b]
        assert (item["kind"], item["state"], item["primary"]) == ("group", "open", a)
        assert item["reasons"]
        answer = decide(client, item, "same")
        assert answer.status_code == 200, answer.text
        assert answer.json()["items"][0]["state"] == "done"
        assert said(service) == [(a, b, "confirmed")]
        assert client.get("/api/review").json()["total"] == 0

        now = first(client)
        assert decide(client, now, "different").status_code == 200
        assert said(service) == [(a, b, "dismissed")]
        gone = first(client)
        assert (gone["kind"], gone["state"], gone["id"]) == ("pair", "dismissed", f"p{a}-{b}")

        # Step by step back, to the very same figures as before.
        assert client.post("/api/review/undo", json={}).status_code == 200
        assert said(service) == [(a, b, "confirmed")]
        assert client.post("/api/review/undo", json={}).status_code == 200
        assert said(service) == []
        assert first(client) == item
        assert client.post("/api/review/undo", json={}).status_code == 404
        acts = client.get("/api/review/acts").json()
        assert [act["verdict"] for act in acts] == ["undo", "undo", "different", "same"]
        assert {act["by"] for act in acts} == {"admin"}


def test_which_one_is_kept(both) -> None:
    ids = [both.add(text) for text in (LETTER, RESCAN, THIRD)]
    both.sync()
    with both.machine() as client:
        item = first(client)
        assert item["size"] == 3
        answer = decide(client, item, "primary", document=ids[2]).json()
        assert answer["items"][0]["primary"] == ids[2]
        assert answer["items"][0]["documents"][0]["id"] == ids[2]
        client.post("/api/review/undo", json={})
        assert first(client)["primary"] == item["primary"]
        # One of three is something else: the other two stay together.
        decide(client, first(client), "different", document=ids[1])
        left = client.get("/api/review").json()["items"]
        assert [[d["id"] for d in each["documents"]] for each in left] == [[ids[0], ids[2]]]
        assert decide(client, first(client), "primary", document=99).status_code in {400, 409}


def test_paperless_is_told_what_the_preview_said(pair) -> None:
    service, a, b = pair
    with service.machine() as client:
        item = first(client)
        told = client.post(
            "/api/review/preview", json={"orders": [order(item, "different")]}
        ).json()
        # Nothing was written about the old library yet, so nothing has to be taken back.
        assert told == {"decisions": 1, "writes": [], "notes": []}
        told = client.post("/api/review/preview", json={"orders": [order(item, "same")]}).json()
        by_id = {write["document"]: write for write in told["writes"]}
        assert by_id[a]["add"] == ["tag “Has duplicates”"]
        assert "tag “Duplicate (near)”" in by_id[b]["add"]
        assert said(service) == []
        decide(client, item, "same")
    service.consume()
    from paperless_fingerprint.integration.context import open_workplace
    from paperless_fingerprint.integration.feedback.tell import tell

    with open_workplace(service.settings) as place, place.lock.held():
        tell(place, widely=True)
    tags = service.paperless.library.labels["tags"]
    names = {
        id: {tags[tag].name for tag in service.paperless.library.documents[id].tags}
        for id in (a, b)
    }
    assert names == {a: {"Has duplicates"}, b: {"Duplicate (near)"}}


def labels_on(service) -> dict[int, set[str]]:
    """As the worker writes them; document → names."""
    from paperless_fingerprint.integration.context import open_workplace
    from paperless_fingerprint.integration.feedback.tell import tell

    with open_workplace(service.settings) as place, place.lock.held():
        tell(place, widely=True)
    library = service.paperless.library
    names = {id: label.name for id, label in library.labels["tags"].items()}
    return {id: {names[tag] for tag in row.tags} for id, row in library.documents.items()}


def test_what_is_written_is_what_was_decided_and_shown(both) -> None:
    """A group, and a bundle that contains one of its letters: only what is decided is written."""
    a, b = both.add(LETTER), both.add(RESCAN)
    both.add(f"{LETTER}\n\n{OTHER}")
    both.add(OTHER.replace("8812", "8813")), both.add(OTHER.replace("8812", "88l3"))
    both.sync()
    with both.machine() as client:
        items = client.get("/api/review").json()["items"]
        assert len(items) > 2
        group = next(i for i in items if {x["id"] for x in i["documents"]} == {a, b})
        other = next(i for i in items if i["kind"] == "group" and i is not group)
        shown = client.post("/api/review/preview", json={"orders": [order(group, "same")]}).json()[
            "writes"
        ]
        assert {write["document"] for write in shown} == {a, b}
        decide(client, group, "same")
        decide(client, other, "different")
        names = labels_on(both)
        assert {id for id, tags in names.items() if tags} == {a, b}
        # Taken back, it is as before.
        client.post("/api/review/undo", json={"number": 1})
        until(lambda: client.get("/api/review/acts").json()[0]["state"] == "done")
        assert not any(labels_on(both).values())


def test_writing_all_is_an_act_of_its_own(pair) -> None:
    service, a, b = pair
    service.user("anna")
    with service.machine("anna") as client:
        assert client.post("/api/labels").status_code == 403
        assert client.get("/api/labels").status_code == 403
    with service.machine() as client:
        told = client.get("/api/labels").json()
        assert told["state"] == "asked for"
        assert {"name": "tag:near", "count": 1} in told["would_add"]
        assert not any(labels_on(service).values())
        assert client.post("/api/labels").status_code == 204
        assert client.get("/api/labels").json()["state"] == "written"
    from paperless_fingerprint.integration.context import open_workplace
    from paperless_fingerprint.integration.feedback.tell import tell_rest

    with open_workplace(service.settings) as place, place.lock.held():
        tell_rest(place)
    assert {id for id, tags in labels_on(service).items() if tags} == {a, b}


def test_what_was_said_in_paperless_stands_on_the_list(pair) -> None:
    service, a, b = pair
    service.user("anna")
    service.consume(a, b)
    with open_workplace(service.settings) as place:
        let_tags_grow_old(place)
    library = service.paperless.library
    with library.lock:
        library.documents[b].tags = []
        library.touch(library.documents[b])
    service.sync()
    with service.machine() as client:
        [act] = client.get("/api/review/acts").json()
        assert (act["by"], act["verdict"], act["documents"]) == ("Paperless", "different", [a, b])
        assert (act["item"], act["state"], act["may_undo"]) == (f"p{a}-{b}", "done", False)
        assert decide(client, first(client), "same").status_code == 200
        assert [act["by"] for act in client.get("/api/review/acts").json()] == ["admin"]


@contextmanager
def anna_and_bert(service) -> Iterator[tuple[Any, Any]]:
    """Two people who look at a letter and its copy."""
    for name in ("anna", "bert"):
        service.user(name)
    service.add(LETTER), service.add(RESCAN)
    service.sync()
    with service.browser("anna") as anna, service.browser("bert") as bert:
        yield anna, bert


def test_two_people_decide_at_once(both) -> None:
    with anna_and_bert(both) as (anna, bert):
        item = first(anna)
        assert first(bert) == item
        with ThreadPoolExecutor(2) as threads:
            answers = list(
                threads.map(lambda one: decide(one[0], item, one[1]),
                            [(anna, "same"), (bert, "different")])
            )  # fmt: skip
        codes = sorted(answer.status_code for answer in answers)
        assert codes == [200, 409]
        late = next(answer.json() for answer in answers if answer.status_code == 409)
        winner = "anna" if answers[0].status_code == 200 else "bert"
        assert winner in late["detail"]
        assert late["conflicts"][0]["item"]["words"]
        assert len(said(both)) == 1


def test_an_entry_that_is_gone_is_one_that_somebody_has_decided_about(both) -> None:
    with anna_and_bert(both) as (anna, bert):
        item = first(anna)
        assert decide(bert, first(bert), "different").status_code == 200
        assert anna.get(f"/api/review/{item['id']}").status_code == 404
        late = decide(anna, item, "same")
        assert late.status_code == 409
        assert "bert" in late.json()["detail"]
        assert late.json()["conflicts"][0]["item"]["words"]
        assert decide(anna, {**item, "id": "g4711"}, "same").status_code == 404


def test_what_one_has_decided_another_takes_back_only_as_superuser(service) -> None:
    with anna_and_bert(service) as (anna, bert):
        number = decide(anna, first(anna), "same").json()["acts"][0]["number"]
        assert bert.post("/api/review/undo", json={"number": number}).status_code == 403
        assert bert.get("/api/review/acts").json()[0]["may_undo"] is False
        decide(bert, first(bert), "different")
        late = anna.post("/api/review/undo", json={"number": number})
        assert late.status_code == 409
        assert "bert" in late.json()["detail"]
    with service.machine() as admin:
        last = admin.get("/api/review/acts").json()[0]
        assert admin.post("/api/review/undo", json={"number": last["number"]}).status_code == 200
    assert [verdict for *_, verdict in said(service)] == ["confirmed"]


def test_while_somebody_else_holds_the_library(serve, stand_in) -> None:
    service = serve(patience_seconds=0.0)
    service.user("anna")
    a, b = service.add(LETTER), service.add(RESCAN)
    service.sync()
    with service.browser("anna") as anna, service.machine() as admin:
        item = first(anna)
        with library_lock(service.settings).held():
            answer = decide(anna, item, "different")
            assert answer.status_code == 200
            assert answer.json()["acts"][0]["state"] == "waiting"
            now = first(admin)
            assert (now["waiting"], now["state"]) == (True, "dismissed")
            assert now["words"][-1]["by"] == "anna"
            # A second person is told of what is only on its way.
            assert decide(admin, item, "same").status_code == 409
            assert said(service) == []
            # What the worker can leave off in the middle, it leaves off.
            until(lambda: service.review.worker.is_waited_for, "that the library is waited for")
        until(lambda: said(service) == [(a, b, "dismissed")], "the decision")
        until(lambda: not service.review.worker.is_waited_for, "that nobody waits any more")
        until(lambda: admin.get("/api/review").json()["total"] == 0, "the queue")


def test_what_waits_survives_the_end_of_the_service(tmp_path, stand_in) -> None:
    from serving import served

    with served(tmp_path, stand_in, patience_seconds=0.0) as service:
        a, b = service.add(LETTER), service.add(RESCAN)
        service.sync()
        lock = library_lock(service.settings).held()
        with lock, service.machine() as admin:
            assert decide(admin, first(admin), "same").status_code == 200
            # It ends while the library is still held.
            service.review._stop.set()
        assert said(service) == []
    with served(tmp_path, stand_in) as service:
        until(lambda: said(service) == [(a, b, Verdict.CONFIRMED.value)], "the decision")


def test_a_document_that_goes_while_it_is_looked_at(pair) -> None:
    service, _, b = pair
    with service.machine() as client:
        item = first(client)
        with service.paperless.library.lock:
            del service.paperless.library.documents[b]
        service.sync()
        assert decide(client, item, "same").status_code == 404
        assert client.get(f"/api/review/{item['id']}").status_code == 404
        assert client.get(item["id"].replace("g", "/api/pairs/") + f"/{b}").status_code == 404
        assert client.get(f"/thumb/{b}").status_code == 404
        assert client.get("/api/review").json()["total"] == 0


def test_bulk_is_all_or_nothing(service) -> None:
    texts = [(LETTER, RESCAN), (OTHER, OTHER.replace("Blume", "Blurne"))]
    for each in texts:
        for text in each:
            service.add(text)
    service.sync()
    with service.machine() as client:
        items = client.get("/api/review").json()["items"]
        assert len(items) == 2
        orders = [order(item, "same") for item in items]
        orders[1]["seen"] = "0" * 16
        answer = client.post("/api/review/decide", json={"orders": orders})
        assert answer.status_code == 409
        assert said(service) == []
        orders[1]["seen"] = items[1]["seen"]
        assert client.post("/api/review/decide", json={"orders": orders}).status_code == 200
        assert len(said(service)) == 2
        assert client.get("/api/review").json()["total"] == 0


def test_versions_and_parts_are_reviewed_too(both) -> None:
    from documents import some_words

    words = some_words(400, seed=5)
    contract = "Vertrag Nr. 77-2024 zwischen Sommer und Winter. " + " ".join(words)
    changed = contract.replace(
        " ".join(words[100:130]), "Neu ist hier eine andere Regelung für alles"
    )
    whole = both.add(contract, created="2024-01-01")
    part = both.add(" ".join(words[150:330]))
    newer = both.add(changed, created="2024-03-01")
    both.sync()
    with both.machine() as client:
        found = {item["id"]: item for item in client.get("/api/review").json()["items"]}
        kinds = {item["kind"] for item in found.values()}
        assert "contains" in kinds
        item = next(each for each in found.values() if each["kind"] == "contains")
        assert part in [d["id"] for d in item["documents"]]
        assert item["primary"] in {whole, newer}
        assert decide(client, item, "different").status_code == 200
        assert client.get(f"/api/review/{item['id']}").json()["state"] == "dismissed"


# --- all that match ----------------------------------------------------------------------------


@pytest.fixture
def many(service):
    """Three letters with a copy each, and a scan that is no copy to the letter."""
    for number in range(3):
        text = f"Vorgang {number} " + some_text(40, seed=number)
        service.add(text, title=f"letter {number}"), service.add(text, title=f"copy {number}")
    service.add(LETTER), service.add(RESCAN)
    service.sync()
    return service


EXACT = {"items": [], "filters": {"relation": "exact"}}


def look_at_many(client, verdict: str = "same", **more) -> dict:
    told = {"selection": EXACT, "verdict": verdict, **more}
    answer = client.post("/api/review/decide-many/preview", json=told)
    assert answer.status_code == 200, answer.text
    return answer.json()


def decide_many(client, seen: str, verdict: str = "same", **more):
    told = {"selection": EXACT, "verdict": verdict, "seen": seen, **more}
    return client.post("/api/review/decide-many", json=told)


def test_all_that_match_are_decided_after_a_preview_and_undone_as_one(many) -> None:
    with many.machine() as client:
        found = look_at_many(client)
        assert (found["items"], len(found["examples"]), said(many)) == (3, 3, [])
        assert found["changes"]["decisions"] == 3
        answer = decide_many(client, found["seen"])
        assert answer.status_code == 200, answer.text
        number = answer.json()["number"]
        assert answer.json()["items"] == 3
        assert [verdict for _, _, verdict in said(many)] == ["confirmed"] * 3
        batch = client.get(f"/api/review/batches/{number}").json()
        assert (batch["total"], batch["done"], batch["may_undo"]) == (3, 3, True)
        # The scan was not meant.
        assert [item["relation"] for item in client.get("/api/review").json()["items"]] == ["near"]
        assert client.post("/api/review/undo", json={"number": number}).status_code == 200
        assert said(many) == []


def test_all_but_some_are_told_apart(many) -> None:
    with many.machine() as client:
        kept = client.get("/api/review", params={"relation": "exact"}).json()["items"][0]["id"]
        but = {"selection": {**EXACT, "items": [kept]}}
        found = look_at_many(client, "different", **but)
        assert found["items"] == 2
        assert decide_many(client, found["seen"], "different", **but).status_code == 200
        assert [verdict for _, _, verdict in said(many)] == ["dismissed"] * 2


def test_of_all_that_match_nothing_is_decided_that_was_not_seen(many) -> None:
    with many.machine() as client:
        seen = look_at_many(client)["seen"]
        assert decide_many(client, "").status_code == 409
        assert decide_many(client, seen, selection={"items": [], "filters": {}}).status_code == 409
        assert decide_many(client, seen, "primary").status_code == 400
        assert client.post("/api/review/decide-many", json={"verdict": "same"}).status_code == 400
        none = {"items": [], "filters": None}
        empty = look_at_many(client, selection=none)
        assert empty["items"] == 0
        assert decide_many(client, empty["seen"], selection=none).status_code == 400
        # Somebody is faster with one of them.
        assert decide(client, first(client), "same").status_code == 200
        assert decide_many(client, seen).status_code == 409
        assert len(said(many)) == 1


def test_of_all_that_match_each_must_be_changeable(many) -> None:
    anna = many.user("anna")
    row = max(many.paperless.library.documents.values(), key=lambda row: "copy" in row.title)
    row.owner = many.user("bert")
    row.view_users.add(anna)
    many.sync()
    with many.browser("anna") as client:
        found = look_at_many(client)
        assert found["items"] == 3
        assert decide_many(client, found["seen"]).status_code == 403
        assert said(many) == []
