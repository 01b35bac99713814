"""The list and what is decided about several of it at once, through the API."""

from __future__ import annotations

import pytest
from paperless_work import LETTER, OTHER, RESCAN

from documents import some_words
from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.review import selection
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.selection import Selection
from paperless_fingerprint.review.views_queue import Filters
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


def a_library(service) -> list[int]:
    """A letter and its copy, which is larger and came later, and two files that are the same."""
    add_label = service.paperless.library.add_label
    tag, sender = add_label("tags", "Steuer").id, add_label("correspondents", "Zahnärzte").id
    ids = [
        service.add(LETTER, title="Strom, der Brief", added="2024-01-01T00:00:00Z", size=100),
        service.add(RESCAN, title="Strom, noch einmal", added="2024-05-01T00:00:00Z", size=900),
        service.add(OTHER, title="Honorar", added="2024-02-01T00:00:00Z", tags=[tag], size=50),
        service.add(OTHER, title="Älteres", added="2024-03-01T00:00:00Z", correspondent=sender),
    ]
    service.sync()
    return ids


def test_the_list_is_narrowed_by_more_than_its_kind(service) -> None:
    a, _, c, _ = a_library(service)

    def found(**filters) -> list[str]:
        return [item["id"] for item in items(client, **filters)]

    letter, bill = f"g{a}", f"g{c}"
    with service.machine() as client:
        assert found() == [bill, letter]
        assert found(tag="Steuer") == [bill]
        assert found(tag="steuer") == []
        # Words in any order and case, each in any of the documents.
        assert found(text="EINMAL strom") == [letter]
        assert found(text="älteres honorar") == [bill]
        assert found(text="zahnärzte") == [bill]
        assert found(text="steuer strom") == []
        assert found(confidence_from=1) == [bill]
        assert found(confidence_to=0.9999) == [letter]
        assert found(tag="Steuer", text="honorar", correspondent="Zahnärzte") == [bill]
        menus = client.get("/api/review").json()
        assert menus["tags"] == [{"name": "Steuer", "count": 1}]
        for wrong in ({"sort": "best"}, {"confidence_from": 2}, {"per_page": 201}):
            assert client.get("/api/review", params=wrong).status_code == 400


def test_the_list_stands_in_another_order_and_one_walks_along_it(service) -> None:
    a, _, c, _ = a_library(service)
    letter, bill = f"g{a}", f"g{c}"
    wanted = {
        "sure": [bill, letter], "unsure": [letter, bill], "newest": [letter, bill],
        "oldest": [bill, letter], "size": [bill, letter], "space": [letter, bill],
        "title": [bill, letter],
    }  # fmt: skip
    with service.machine() as client:
        for sort, order_wanted in wanted.items():
            assert [item["id"] for item in items(client, sort=sort)] == order_wanted, sort
            first = client.get(
                f"/api/review/{order_wanted[0]}/neighbours", params={"sort": sort}
            ).json()
            assert (first["previous"], first["next"]) == (None, order_wanted[1]), sort


def test_all_that_match_are_chosen_and_not_only_what_is_shown(service) -> None:
    a, _, c, _ = a_library(service)
    review, anybody = service.review, Person("1", "anna", superuser=True)

    def chosen(*but: str, **filters) -> list[str]:
        told = Selection(but, Filters(**{"per_page": 1, **filters}))
        return [entry.id for entry in selection.chosen(review, anybody, told)]

    assert chosen() == [f"g{c}", f"g{a}"]
    assert chosen(page=2) == [f"g{c}", f"g{a}"]
    assert chosen(f"g{c}") == [f"g{a}"]
    assert chosen(text="honorar") == [f"g{c}"]
    named = Selection((f"g{a}",))
    assert [entry.id for entry in selection.chosen(review, anybody, named)] == [f"g{a}"]
    with pytest.raises(UsageError):
        chosen(sort="best")
    # Whoever sees nothing chooses nothing.
    stranger = Person("9", "eve", visible=frozenset())
    assert not selection.chosen(review, stranger, Selection((), Filters(state="")))
