"""Nobody learns about a document that they may not see, and nobody decides about one that they
may not change; and what people write into titles stays text."""

from __future__ import annotations

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import combinations

import pytest
from paperless_work import LETTER, OTHER, RESCAN
from waiting import until

from documents import contested_scan
from paperless_fingerprint.demo.stand_in import Fault
from paperless_fingerprint.review import together
from serving import RIGHTS

THIRD = RESCAN.replace("Sommer", "Somner").replace("Zeitraum", "Zeitraurn")


@pytest.fixture
def shared(both):
    """Three copies; Anna may see all of them, Bert two, and Carla one."""
    service = both
    anna, bert, carla = (service.user(name) for name in ("anna", "bert", "carla"))
    hers = service.add(LETTER, owner=anna, title="Only Anna's")
    theirs = service.add(RESCAN, owner=anna, title="Anna's and Bert's")
    everybodys = service.add(THIRD, title="Everybody's")
    library = service.paperless.library
    library.documents[theirs].view_users.add(bert)
    library.documents[theirs].change_users.add(bert)
    service.sync()
    return service, (hers, theirs, everybodys), (anna, bert, carla)


def queue(client) -> dict:
    return client.get("/api/review", params={"state": ""}).json()


def test_a_group_is_shown_without_what_may_not_be_seen(shared) -> None:
    service, (hers, theirs, everybodys), _ = shared
    with service.browser("anna") as anna, service.browser("bert") as bert:
        [whole] = queue(anna)["items"]
        assert {d["id"] for d in whole["documents"]} == {hers, theirs, everybodys}
        [part] = queue(bert)["items"]
        assert {d["id"] for d in part["documents"]} == {theirs, everybodys}
        assert part["id"] == f"g{min(theirs, everybodys)}"
        assert part["size"] == 2
        assert "Only Anna" not in bert.get("/api/review").text
        # Neither by its own name nor by that of the whole group.
        for path in (
            f"/api/review/g{hers}", f"/api/pairs/{hers}/{theirs}", f"/api/review/p{hers}-{theirs}",
            f"/api/documents/{hers}/neighbourhood", f"/api/documents/{hers}/versions",
            f"/thumb/{hers}", f"/preview/{hers}", f"/api/documents/{hers}/thumb",
        ):  # fmt: skip
            hidden = bert.get(path)
            assert hidden.status_code == 404, path
            nothing = bert.get(path.replace(str(hers), "88"))
            assert nothing.json()["title"] == hidden.json()["title"]
        nodes = bert.get(f"/api/documents/{theirs}/neighbourhood").json()["nodes"]
        assert {node["id"] for node in nodes} == {theirs, everybodys}


@pytest.mark.parametrize("view", ["rows", "cards"])
def test_each_sees_the_list_as_it_is_for_that_person_whoever_has_looked_before(
    shared, view: str
) -> None:
    service, (hers, theirs, everybodys), _ = shared
    dora = service.user("dora", permissions=["view_document", "view_uisettings"])
    library = service.paperless.library

    def seen(client, language: str = "en", **more: str) -> str:
        given = {"view": view, "state": "", **more}
        found = client.get("/review", params=given, headers={"Accept-Language": language})
        assert found.status_code == 200
        return found.text

    for id in (hers, theirs):
        library.documents[id].view_users.add(dora)
        library.touch(library.documents[id])
    service.sync()
    with ExitStack() as stack:
        anna, bert, dora = (
            stack.enter_context(service.browser(name)) for name in ("anna", "bert", "dora")
        )
        for _ in range(2):
            assert "Only Anna" in seen(anna)
            assert "Only Anna" in seen(dora)
            assert "Only Anna" not in seen(bert)
            assert f'id="g{min(theirs, everybodys)}"' in seen(bert)
            # Who may not decide has nothing to tick.
            ticks = ['name="pick"' in seen(each) for each in (anna, bert, dora)]
            assert ticks == [True, True, False]
            assert "3 duplicates" in seen(anna)
            assert "3 Duplikate" in seen(anna, "de")
        # What leads to an entry leads on with the filters of whoever asks.
        assert f'href="/review/g{hers}?state=&amp;' not in seen(anna)
        assert f'href="/review/g{hers}?q=anna&amp;sort=title"' in seen(
            anna, state="open", q="anna", sort="title"
        )


def test_the_list_follows_what_it_has_shown_before(service) -> None:
    a = service.add(LETTER, title="Before")
    service.add(RESCAN, title="The copy")
    service.user("anna", superuser=True)
    service.sync()
    with service.browser("anna") as anna:

        def seen(**more: str) -> str:
            return anna.get("/review", params=more).text.partition("<main")[2]

        assert "Before" in seen()
        document = service.paperless.library.documents[a]
        document.title = "Now <b>bold</b>"
        service.paperless.library.touch(document)
        service.sync()
        assert "Now &lt;b&gt;bold&lt;/b&gt;" in seen()
        assert "Before" not in seen()
        decide(anna, queue(anna)["items"][0])
        assert f'id="g{a}"' not in seen()
        assert "confirmed · <bdi>anna</bdi>" in seen(state="done")
        anna.post("/api/review/undo", json={})
        assert "Now &lt;b&gt;" in seen()
        assert "confirmed" not in seen()


def test_what_is_left_of_a_group_may_be_nothing(shared) -> None:
    service, _, _ = shared
    with service.browser("carla") as carla:
        found = queue(carla)
        assert (found["items"], found["total"]) == ([], 0)
        assert found["states"] == found["relations"] == found["correspondents"] == []
        figures = carla.get("/api/library").json()
        assert (figures["documents"], figures["groups"], figures["pairs"]) == (1, 0, [])
        assert (figures["is_part"], figures["bytes_to_free"]) == (True, 0)
        assert all(not bar["counts"] for bar in figures["histogram"])
        preview = carla.get("/api/library/thresholds", params={"similarity": 1}).json()
        assert (preview["now"]["pairs"], preview["removed"]) == (0, 0)
        work = carla.get("/api/progress").json()
        assert (work["inbox_waiting"], work["log"], work["failures"]) == (None, [], [])
        assert carla.get("/api/first-run").json()["checks"] == []
        assert carla.post("/api/first-run/sync").status_code == 403
        assert carla.post("/api/progress/retry", json={}).status_code == 403
        assert carla.get("/api/search", params={"q": "stadtwerke"}).json()["total"] == 1


def test_a_rival_is_named_to_those_who_may_see_it(both) -> None:
    service = both
    anna = service.user("anna")
    service.user("bert")
    text, original, other = contested_scan()
    lookalike, scan = service.add(other), service.add(text)
    service.sync()
    with service.browser("bert") as bert:
        path = f"/api/pairs/{lookalike}/{scan}"
        before = bert.get(path).json()
        assert before["relation"] == "near"
        assert len(queue(bert)["items"]) == 1
        hidden = service.add(original, owner=anna)
        service.consume(hidden)
        now = bert.get(path).json()
        assert now["confidence"] < 0.75 < before["confidence"]
        assert f"document {hidden}" not in " ".join(now["reasons"])
        assert queue(bert)["items"] == []
    with service.browser("anna") as client:
        reason = client.get(path).json()["reasons"][0]
        assert reason.startswith(f"document {scan} resembles document {hidden} too")
        [item] = queue(client)["items"]
        assert {d["id"] for d in item["documents"]} == {scan, hidden}


def test_who_may_look_may_not_always_decide(shared) -> None:
    service, (hers, theirs, _), _ = shared
    service.user("dora", permissions=["view_document", "view_uisettings"])
    emil = service.user("emil", permissions=RIGHTS)
    for id in (theirs, hers):
        service.paperless.library.documents[id].view_users.add(emil)
        service.paperless.library.touch(service.paperless.library.documents[id])
    service.sync()
    for name, code in (("emil", 403), ("bert", 200)):
        with service.browser(name) as client:
            item = queue(client)["items"][0]
            order = {"item": item["id"], "verdict": "same", "seen": item["seen"]}
            answer = client.post("/api/review/decide", json={"orders": [order]})
            assert answer.status_code == code, (name, answer.text)
    with service.browser("anna") as anna, service.browser("carla") as carla:
        assert [act["by"] for act in anna.get("/api/review/acts").json()] == ["bert"]
        assert carla.get("/api/review/acts").json() == []
        assert carla.post("/api/review/undo", json={"number": 1}).status_code == 404
    with service.browser("dora") as dora:
        assert dora.get("/api/session").json()["may_decide"] is False


def test_what_was_decided_is_found_behind_as_much_that_is_hidden(service, monkeypatch) -> None:
    monkeypatch.setattr(together, "_MOST", 2)
    service.user("anna")
    boss = service.user("boss", superuser=True)
    for text in (LETTER, RESCAN):
        service.add(text, title="for all")
    for text in (OTHER, OTHER.replace("Blume", "Blurne")):
        service.add(text, title="for the boss", owner=boss)
    service.sync()
    with service.browser("boss") as client:
        hidden, shown = sorted(
            queue(client)["items"], key=lambda item: item["documents"][0]["title"] != "for the boss"
        )
        decide(client, shown)
        for _ in range(3):
            decide(client, client.get(f"/api/review/{hidden['id']}").json())
        found = client.get("/decisions").text.partition("<main")[2]
        assert found.count("<tr><td>") == 2
        assert "for all" not in found
    with service.browser("anna") as client:
        found = client.get("/decisions").text.partition("<main")[2]
        assert found.count("<tr><td>") == 1
        assert "for all" in found


def test_a_right_that_is_taken_away(shared) -> None:
    service, (_, theirs, _), (anna, _, _) = shared
    with service.browser("bert") as bert:
        assert len(queue(bert)["items"]) == 1
        row = service.paperless.library.documents[theirs]
        row.view_users.clear()
        row.change_users.clear()
        assert row.owner == anna
        # The library does not know yet; Paperless is asked again after a while.
        service.clock.now += 700
        assert queue(bert)["items"] == []
        assert bert.get(f"/api/pairs/{theirs}/3").status_code == 404


def test_paperless_gone(shared) -> None:
    service, (hers, theirs, _), _ = shared
    service.user("frida")
    service.sync()
    with service.browser("anna") as anna, service.browser("bert") as bert:
        before = queue(anna)
        service.paperless.faults.by_chance(1.0, Fault.DROPPED)
        service.clock.now += 700
        assert queue(anna) == before
        assert len(queue(bert)["items"]) == 1
        assert anna.get(f"/api/pairs/{hers}/{theirs}").status_code == 200
        assert anna.get("/api/search", params={"q": "stadtwerke"}).status_code == 200
        away = anna.get(f"/thumb/{hers}")
        assert (away.status_code, away.headers["content-type"]) == (
            503, "application/problem+json",
        )  # fmt: skip
        told = anna.post("/api/review/preview", json={"orders": [order(before["items"][0])]})
        assert told.status_code == 200
        assert "does not answer" in told.json()["notes"][0]
        # Bert's right to change one of the two can only be asked of Paperless.
        item = queue(bert)["items"][0]
        assert decide(bert, item).status_code == 403
        assert decide(anna, before["items"][0]).status_code == 200
        assert queue(anna)["items"][0]["state"] == "done"
        service.paperless.faults.clear()
    with service.browser("anna") as anna:
        assert queue(anna)["items"][0]["state"] == "done"


def order(item: dict) -> dict:
    return {"item": item["id"], "verdict": "same", "seen": item["seen"]}


def decide(client, item: dict):
    return client.post("/api/review/decide", json={"orders": [order(item)]})


STRANGE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "\u202egnp.exe\u202c \u200f",
    "x" * 10_000,
    "\x00\x01\x7f 'OR 1=1;--",
    "</textarea>{{7*7}}${7*7}",
)


@pytest.mark.parametrize("text", STRANGE)
def test_what_people_write_stays_text(service, text: str) -> None:
    a = service.add(LETTER + text, title=text)
    b = service.add(RESCAN + text, title=text)
    service.add(OTHER, title="ordinary")
    service.sync()
    with service.machine() as client:
        found = client.get("/api/review")
        assert found.headers["content-type"] == "application/json"
        titles = {d["title"] for d in found.json()["items"][0]["documents"]}
        assert all(len(title) <= 300 for title in titles)
        side = client.get(f"/api/pairs/{a}/{b}")
        assert side.status_code == 200
        assert "alert" not in side.headers.get("content-disposition", "")
        assert json.loads(side.text)["segments"]
        for path in (f"/api/documents/{a}/neighbourhood", "/api/library", "/api/progress"):
            assert client.get(path).status_code == 200
        for path in ("/review", f"/review/g{a}", f"/pairs/{a}/{b}"):
            page = client.get(path, headers={"Accept": "text/html"})
            assert "<script>alert" not in page.text
            assert "<img src=x" not in page.text
        for value in (text[:200], text):
            answer = client.get("/api/review", params={"correspondent": value})
            assert answer.status_code in {200, 400}


def test_a_right_that_was_taken_away_takes_totals_and_sources_along(shared) -> None:
    """Before any sync: word for word, a total would tell what stands in the document."""
    service, (_, theirs, everybodys), (_, bert, _) = shared
    with service.browser("bert") as client:

        def asked(query: str) -> tuple[int, list[int], list[str]]:
            told = client.get("/api/search", params={"q": query, "limit": 5}).json()
            nothing = client.get("/api/search", params={"q": query, "limit": 0}).json()
            assert told["total"] == nothing["total"]
            return told["total"], sorted(hit["id"] for hit in told["hits"]), told["notes"]

        assert asked("stadtwerke")[:2] == (2, [theirs, everybodys])
        assert asked(f"FINGERPRINT:{theirs}")[:2] == (1, [everybodys])
        service.paperless.library.documents[theirs].view_users.discard(bert)
        service.paperless.library.documents[theirs].change_users.discard(bert)
        assert asked("stadtwerke")[:2] == (1, [everybodys])
        assert asked(f"FINGERPRINT:{everybodys}")[:2] == (0, [])
        count, hits, notes = asked(f"FINGERPRINT:{theirs}")
        assert (count, hits) == (0, [])
        assert notes == [f"There is no document {theirs}, so nothing is similar to it."]
        plan = client.get(
            "/api/search", params={"q": f"FINGERPRINT:{theirs}", "explain": "true"}
        ).json()
        assert plan["terms"] == []
        page = client.get("/search", params={"q": "stadtwerke"}, headers={"Accept": "text/html"})
        assert f"/documents/{theirs}" not in page.text


def test_another_document_in_the_place_of_one_that_was_taken_away(shared) -> None:
    """As many as before: a number does not tell that they are not the same."""
    service, (hers, theirs, everybodys), (_, bert, _) = shared
    with service.browser("bert") as client:

        def hits() -> list[int]:
            told = client.get("/api/search", params={"q": "stadtwerke"}).json()
            return sorted(hit["id"] for hit in told["hits"])

        assert hits() == [theirs, everybodys]
        documents = service.paperless.library.documents
        documents[theirs].view_users.discard(bert)
        documents[theirs].change_users.discard(bert)
        service.add(OTHER, owner=bert)
        assert hits() == [everybodys]
        # What the library knows of its viewers is older than what was given.
        documents[hers].view_users.add(bert)
        assert hits() == [everybodys]


def test_comparisons_wait_for_each_other_and_nobody_for_them(service, monkeypatch) -> None:
    texts = [LETTER, RESCAN, OTHER, LETTER + " " + OTHER]
    finder = service.review.differences
    # What is compared before anybody asks has a thread of its own.
    monkeypatch.setattr(finder, "prepare", lambda _stop: None)
    ids = [service.add(text) for text in texts]
    service.sync()
    let_go, running, most = threading.Event(), [], []
    real = finder._compared

    def slow(a: int, b: int):
        running.append(1)
        most.append(len(running))
        assert let_go.wait(60)
        running.pop()
        return real(a, b)

    monkeypatch.setattr(finder, "_compared", slow)
    pairs = list(combinations(ids, 2)) * 2
    with service.machine() as client, ThreadPoolExecutor(len(pairs)) as pool:
        coming = [pool.submit(client.get, f"/api/pairs/{a}/{b}") for a, b in pairs]
        until(lambda: most)
        try:
            for path in ("/api/review", "/api/library", "/review", "/healthz"):
                assert client.get(path, timeout=20).status_code == 200
        finally:
            let_go.set()
        assert {each.result().status_code for each in coming} == {200}
    assert set(most) == {1}


def test_what_the_service_keeps_is_for_its_own_user_alone(serve) -> None:
    before = os.umask(0)
    try:
        service = serve()
        service.add(LETTER)
        service.sync()
    finally:
        os.umask(before)
    kept = {path.name: path.stat().st_mode & 0o777 for path in service.folder.glob("library.*")}
    made = {"library.db", "library.inbox.db", "library.review.db", "library.differences.db"}
    assert made <= set(kept)
    assert set(kept.values()) == {0o600}


def test_equal_lists_of_what_may_be_seen_are_one(shared) -> None:
    """Of 100,000 documents each takes megabytes, and to compare two of them takes milliseconds."""
    service, _, _ = shared
    persons = service.app.state.visits.persons
    for name in ("dora", "emil"):
        service.user(name)
    lists = []
    for _ in range(2):  # signed in once more
        for name in ("dora", "emil"):
            persons.forget(service.token(name))
            lists.append(persons.of(service.token(name)).visible)
    assert lists[0]
    assert all(each is lists[0] for each in lists)
