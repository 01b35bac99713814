"""What is going on, told while it goes on; and the figures for Prometheus."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
from paperless_work import LETTER, OTHER, RESCAN

from paperless_fingerprint.service.live import LiveProgress
from paperless_fingerprint.web import events


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def told(lines: Iterator[str]) -> Iterator[dict]:
    for line in lines:
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def test_how_long_it_takes_is_told_from_the_pace_so_far() -> None:
    clock = Clock()
    live = LiveProgress(clock=clock)
    live.begin("compare pairs", 1000)
    assert live.seconds_left() is None
    live.advance(250)
    clock.now += 30
    assert live.seconds_left() == 90.0
    live.begin("something", None)
    live.advance(5)
    assert live.seconds_left() is None


def test_each_part_of_a_sync_says_which_step_it_is() -> None:
    live = LiveProgress()

    def steps(*begun: str) -> list[int | None]:
        found = []
        for what in begun:
            live.begin(what)
            live.advance()
            found.append(live.doing.step)
        return found

    sync = (
        "fetch documents",
        "read the library",
        "find candidates",
        "learn the words",
        "compare",
        "groups",
    )
    assert steps(*sync, "") == [1, 2, 2, 3, 3, 4, None]
    # What is judged again in between is no sync.
    assert steps("read the library", "compare", "groups") == [None, None, None]


def test_listeners_hear_until_they_leave() -> None:
    live, heard = LiveProgress(), []
    end = live.listen(lambda: heard.append(live.version))
    live.say("one")
    live.advance()
    end()
    end()
    live.say("two")
    assert heard == [1, 2]
    assert [line.partition(" ")[2] for line in live.lines] == ["one", "two"]


def test_progress_comes_by_itself(service) -> None:
    live = service.review.live
    with (
        httpx.Client(base_url=service.url, timeout=60) as client,
        client.stream(
            "GET", "/api/events", headers={"Authorization": f"Token {service.paperless.token}"}
        ) as answer,
    ):
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        found = told(answer.iter_lines())
        assert next(found)["doing"] == ""
        live.begin("compare pairs", 10)
        assert next(found)["doing"] == "compare pairs"
        live.advance(4)
        assert next(found)["done"] == 4
        live.advance(6)
        assert next(found)["doing"] == ""
        live.say("a line of the log")
        assert "a line of the log" in next(found)["log"][-1]


def test_what_begins_while_somebody_looks_is_news_to_them(service, monkeypatch) -> None:
    """Or a page that was shown a moment before would wait for the end of a long stretch."""
    live, inbox = service.review.live, service.review.worker.inbox
    counts = type(inbox).counts

    def meanwhile(self):
        live.begin("compare pairs", 10)
        return counts(self)

    with service.machine() as admin:
        monkeypatch.setattr(type(inbox), "counts", meanwhile)
        seen = admin.get("/api/progress").json()
        monkeypatch.undo()
        after = admin.get("/api/progress").json()
    assert (seen["doing"], after["doing"]) == ("", "compare pairs")
    assert seen["version"] != after["version"]


def test_too_many_listeners_are_turned_away_and_nobody_uninvited_listens(
    service, monkeypatch
) -> None:
    monkeypatch.setattr(events, "MOST_LISTENERS", 1)
    headers = {"Authorization": f"Token {service.paperless.token}"}
    with httpx.Client(base_url=service.url, timeout=60) as client:
        assert client.get("/api/events").status_code == 401
        with client.stream("GET", "/api/events", headers=headers) as answer:
            found = told(answer.iter_lines())
            assert next(found)["status"] == "ok"
            with httpx.Client(base_url=service.url, timeout=60) as other:
                late = other.get("/api/events", headers=headers)
                assert late.status_code == 503
                assert late.headers["retry-after"]


def test_failures_are_shown_and_tried_again(service) -> None:
    a = service.add(LETTER, title="Strom")
    service.user("anna")
    service.sync()
    inbox = service.review.worker.inbox
    inbox.add([a, 77])
    for event in inbox.events():
        inbox.failed(event, "/secret/path is full")
    with service.machine() as admin, service.browser("anna") as anna:
        view = admin.get("/api/progress").json()
        assert {(f["document"], f["title"]) for f in view["failures"]} == {(a, "Strom"), (77, "")}
        assert view["failures"][0]["error"] == "/secret/path is full"
        seen = anna.get("/api/progress").json()["failures"]
        assert [f["document"] for f in seen] == [a]
        assert "secret" not in seen[0]["error"]
        assert admin.post("/api/progress/retry", json={"ids": [a]}).json() == {"count": 1}
        assert admin.post("/api/progress/retry", json={"ids": [12345]}).json() == {"count": 0}
        assert admin.post("/api/progress/retry", json={}).json() == {"count": 1}
        assert admin.get("/api/progress").json()["failures"] == []


def test_the_library_says_whether_its_pairs_were_compared_together(service) -> None:
    service.user("vera", superuser=True)
    vitals = service.review.worker.vitals
    with service.browser("vera") as browser:
        for settled, told in ((None, None), (False, "since all pairs"), (True, "does not count")):
            vitals.is_settled = settled
            assert browser.get("/api/library").json()["settled"] is settled
            found = re.search('id="settled">([^<]+)', browser.get("/library").text)
            assert (found and told in found[1]) if told else found is None


def test_a_first_sync_is_offered_and_watched(serve, stand_in) -> None:
    from waiting import until

    def waits() -> bool:
        return admin.get("/api/progress").json()["first_sync_waits"]

    def writes() -> dict:
        return {asked: n for asked, n in stand_in.requests.items() if asked[0] != "GET"}

    service = serve(with_worker=True, patience_seconds=5.0)
    a, b = service.add(LETTER), service.add(RESCAN)
    with service.machine() as admin:
        until(waits, "the offer")
        assert "paperless-fingerprint sync" in admin.get("/api/progress").json()["log"][-1]
        view = admin.get("/api/first-run").json()
        assert (view["begun"], view["synced"], view["documents"]) == (False, False, 0)
        assert (view["in_paperless"], view["may_start"]) == (2, True)
        assert {check["part"] for check in view["checks"]} >= {"store", "paperless"}
        # Whether Paperless calls the hook cannot be seen from here.
        [hook] = [check for check in view["checks"] if check["part"] == "hook"]
        assert (hook["ok"], hook["checked"]) == (True, False)
        # The worker has gone on to other things.
        announced = service.add(OTHER)
        service.review.worker.announce(announced)
        until(lambda: admin.get("/api/library").json()["documents"] == 1, "what was announced")
        assert admin.get("/api/library").json()["documents"] == 1
        assert waits()
        before = writes()
        assert admin.post("/api/first-run/sync").status_code == 204
        assert admin.get("/api/first-run").json()["begun"]
        assert not waits()
        until(lambda: admin.get("/api/review").json()["total"] == 1, "the group")
        until(lambda: admin.get("/api/first-run").json()["synced"], "the end of the sync")
        assert admin.get("/api/first-run").json()["documents"] == 3
        assert writes() == before
        # And later: not before the next sync is due, but now.
        more = service.add(LETTER)
        assert admin.post("/api/first-run/sync").status_code == 204
        until(lambda: admin.get("/api/library").json()["documents"] == 4, "what has come since")
        assert admin.get("/api/review").json()["items"][0]["size"] >= 2
        assert {a, b, more}


def test_a_first_sync_writes_nothing_to_paperless(serve, stand_in) -> None:
    service = serve()
    service.add(LETTER), service.add(RESCAN)
    with service.machine() as admin:
        assert admin.post("/api/first-run/sync").status_code == 204
        service.sync()
        assert admin.get("/api/review").json()["total"] == 1
    assert not [asked for asked in stand_in.requests if asked[0] != "GET"]
    assert stand_in.library.labels["tags"] == {}


def test_who_may_not_start_a_sync_sees_that_it_waits(serve, stand_in) -> None:
    service = serve()
    service.user("anna")
    with service.browser("anna") as anna:
        found = anna.get("/api/first-run").json()
        assert found == {
            "checks": [], "ok": False, "begun": False, "synced": False, "documents": 0,
            "in_paperless": None, "may_start": False,
        }  # fmt: skip
        assert anna.post("/api/first-run/sync").status_code == 403
        assert not anna.get("/api/first-run").json()["begun"]


def test_figures_for_prometheus(service) -> None:
    service.user("anna")
    service.add(LETTER), service.add(RESCAN)
    service.sync()
    with service.browser("anna") as anna:
        item = anna.get("/api/review").json()["items"][0]
        order = {"item": item["id"], "verdict": "same", "seen": item["seen"]}
        for _ in range(2):
            anna.post("/api/review/decide", json={"orders": [order]})
        text = anna.get("/metrics").text
    prefix = "paperless_fingerprint_"
    figures = dict(
        line.removeprefix(prefix).rsplit(" ", 1)
        for line in text.splitlines()
        if not line.startswith("#")
    )
    assert figures['decisions_total{verdict="same",outcome="done"}'] == "1"
    assert figures['decisions_total{verdict="same",outcome="conflict"}'] == "1"
    assert figures['http_answers_total{route="/api/review/decide",status="409"}'] == "1"
    assert figures["sign_ins_total"] == "1"
    assert figures["sessions"] == "1"
    route = 'route="/api/review"'
    assert figures[f'http_answer_seconds_bucket{{{route},le="+Inf"}}'] == "1"
    assert float(figures[f"http_answer_seconds_sum{{{route}}}"]) > 0
    for line in text.splitlines():
        if not line.startswith("#"):
            assert f"# TYPE {line.partition(' ')[0].partition('{')[0]}".rsplit("_", 1)[0] in text
    # What the dashboard shows is told, by that name and with those labels.
    names = {line.partition(" ")[0].partition("{")[0] for line in text.splitlines()}
    dashboard = Path(__file__).parents[2] / "deploy" / "dashboards" / "grafana.json"
    asked = [
        target["expr"]
        for panel in json.loads(dashboard.read_text())["panels"]
        for target in panel["targets"]
    ]
    assert {name for one in asked for name in re.findall(rf"{prefix}\w+", one)} <= names
    for labels in re.findall(r"by \(([\w, ]+)\)", " ".join(asked)):
        assert any(
            all(f'{one}="' in line for one in labels.split(", ")) for line in text.splitlines()
        )


def test_who_listens_does_not_hold_up_the_end(tmp_path, stand_in) -> None:
    from paperless_work import Office
    from test_worker import serving

    office = Office(tmp_path, stand_in)
    headers = {"Authorization": f"Token {stand_in.token}"}
    with httpx.Client(timeout=60) as client:
        with serving(office) as served:
            request = client.build_request("GET", f"{served.url}/api/events", headers=headers)
            answer = client.send(request, stream=True)
            lines = answer.iter_lines()
            assert next(told(lines))["status"]
        # It has ended by itself and in order; `serving` looks at how.
        answer.close()
