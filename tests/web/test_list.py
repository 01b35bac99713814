"""The list and what is decided about several of it at once, through the API."""

from __future__ import annotations

from paperless_work import LETTER, OTHER, RESCAN

from documents import some_words
from paperless_fingerprint.stores.opening import open_store


def order(item: dict, verdict: str) -> dict:
    return {"item": item["id"], "verdict": verdict, "seen": item["seen"]}


def said(service) -> list[str]:
    store = open_store(service.settings)
    try:
        return [decision.verdict.value for decision in store.decisions()]
    finally:
        store.close()


def items(client, **filters) -> list[dict]:
    return client.get("/api/review", params={"state": "", **filters}).json()["items"]


def test_what_was_decided_at_once_is_taken_back_at_once(service) -> None:
    for text in (LETTER, RESCAN, OTHER, OTHER.replace("Blume", "Blurne")):
        service.add(text)
    service.sync()
    with service.machine() as client:
        before = items(client)
        orders = [order(item, "same") for item in before]
        acts = client.post("/api/review/decide", json={"orders": orders}).json()["acts"]
        assert {act["batch"] for act in acts} == {acts[0]["number"]}
        assert len(said(service)) == 2
        # Whichever of them is named.
        undone = client.post("/api/review/undo", json={"number": acts[1]["number"]}).json()["acts"]
        assert len(undone) == 2
        assert said(service) == []
        assert items(client) == before
        assert client.post("/api/review/undo", json={}).status_code == 404
        # One alone is no batch.
        [alone] = client.post("/api/review/decide", json={"orders": orders[:1]}).json()["acts"]
        assert alone["batch"] == 0


def test_one_of_many_that_was_decided_again_since_keeps_all_of_them(service) -> None:
    for text in (LETTER, RESCAN, OTHER, OTHER.replace("Blume", "Blurne")):
        service.add(text)
    service.sync()
    with service.machine() as client:
        orders = [order(item, "same") for item in items(client)]
        acts = client.post("/api/review/decide", json={"orders": orders}).json()["acts"]
        again = client.get(f"/api/review/{orders[1]['item']}").json()
        told = {"orders": [order(again, "different")]}
        assert client.post("/api/review/decide", json=told).status_code == 200
        answer = client.post("/api/review/undo", json={"number": acts[0]["number"]})
        assert answer.status_code == 409
        assert len(said(service)) == 2


def test_roles_of_two_are_theirs_whatever_group_one_of_them_leads(both) -> None:
    """A letter that was scanned twice, and a bundle that holds it: the bundle is the whole."""
    words = some_words(400, seed=5)
    letter = " ".join(words[150:330])
    part = both.add(letter)
    copy = both.add(letter.replace(words[200], words[200] + "x"))
    whole = both.add("Vertrag Nr. 77-2024 zwischen Sommer und Winter. " + " ".join(words))
    both.sync()
    with both.machine() as client:
        kinds = {item["kind"]: item for item in items(client)}
        assert kinds["group"]["primary"] == part
        assert kinds["contains"]["primary"] == whole
        told = client.get(f"/api/pairs/{part}/{whole}").json()
        assert [told["a"]["is_primary"], told["b"]["is_primary"]] == [False, True]
        # Among the two copies the one to keep is marked.
        told = client.get(f"/api/pairs/{part}/{copy}").json()
        assert [told["a"]["is_primary"], told["b"]["is_primary"]] == [True, False]


def test_what_is_said_of_a_group_holds_for_all_of_it(both) -> None:
    a, b = both.add(LETTER, checksum="f" * 32), both.add(LETTER, checksum="f" * 32)
    c = both.add(RESCAN)
    both.sync()
    with both.machine() as client:
        same = client.get(f"/api/pairs/{a}/{b}").json()["reasons"]
        near = client.get(f"/api/pairs/{a}/{c}").json()["reasons"]
        [group] = items(client)
        assert group["size"] == 3
        assert not set(group["reasons"]) & (set(same) - set(near))
        assert group["reasons"]
