"""`serve` and the command line as processes: hook, webhook, sync, outages, a clean end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from paperless_fixtures import HOOK
from paperless_work import LETTER, OTHER, RESCAN, Office
from waiting import until

from paperless_fingerprint.cli import main
from paperless_fingerprint.demo.stand_in import Fault, StandIn
from paperless_fingerprint.web.app import document_of
from spooling import leave_event

PROGRAM = str(Path(sys.executable).with_name("paperless-fingerprint"))
SECRET = "a-secret-of-the-service"
NEAR = "Duplicate (near)"


class Served:
    def __init__(self, office: Office, process: subprocess.Popen, url: str) -> None:
        self.office, self.process, self.url = office, process, url

    def ask(self, path: str, body=None, secret: str = SECRET, kind="application/json") -> tuple:
        data = None
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data)
        request.add_header("Content-Type", kind)
        if secret:
            request.add_header("Authorization", f"Bearer {secret}")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def metric(self, name: str) -> float:
        _, text = self.ask("/metrics")
        line = next(x for x in text.splitlines() if x.startswith(f"paperless_fingerprint_{name} "))
        return float(line.split()[1])


@contextmanager
def serving(office: Office, *flags: str, **more: str) -> Iterator[Served]:
    environment = {**os.environ, **office.environment, "PAPERLESS_FINGERPRINT_SERVICE_PORT": "0"}
    environment["PAPERLESS_FINGERPRINT_SERVICE_SECRET"] = SECRET
    environment |= {f"PAPERLESS_FINGERPRINT_{name.upper()}": value for name, value in more.items()}
    process = subprocess.Popen(
        [PROGRAM, "serve", *flags],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    said: list[str] = []
    try:
        for line in process.stderr:
            said.append(line)
            if "Listening on " in line:
                break
        else:
            raise AssertionError("".join(said))
        yield Served(office, process, line.split()[-1])
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            rest = process.communicate(timeout=30)[1]
        finally:
            process.kill()
        assert process.returncode == 0, rest
        assert SECRET not in rest + "".join(said)
        assert office.paperless.token not in rest + "".join(said)


@pytest.fixture
def office(tmp_path, stand_in: StandIn) -> Office:
    return Office(tmp_path, stand_in)


def test_from_upload_through_hook_and_service_to_the_tags(tmp_path):
    with StandIn(hook=HOOK, workers=2) as paperless:
        office = Office(tmp_path, paperless)
        with serving(office) as served:
            paperless.consumption.environment = {
                **office.environment,
                "PAPERLESS_FINGERPRINT_SERVICE_URL": served.url,
                "PAPERLESS_FINGERPRINT_SERVICE_SECRET": SECRET,
            }
            for text in (LETTER, RESCAN, OTHER):
                paperless.consumption.upload("x.txt", text.encode(), owner=None)
            paperless.consumption.wait()
            ids = list(paperless.library.documents)
            until(lambda: served.metric("documents_done_total") == 3, "three documents done")
            until(lambda: sum(NEAR in office.tags(id) for id in ids) == 1, "the tag")
            assert not any(office.folder.joinpath("spool").glob("*.json"))
            well = (200, '{"status":"ok","settled":true}')
            until(lambda: served.ask("/healthz") == well, "all pairs judged together")
        assert all(out == err == "" for _, out, err in paperless.consumption.log)


def test_spooled_events_are_done_by_a_service_that_shares_the_folder(office):
    from paperless_fingerprint.paperless.spool import Spool

    a, b = office.add(LETTER), office.add(RESCAN)
    with serving(office):
        for id in (a, b):
            leave_event(Spool(office.folder / "spool"), id)
        until(lambda: office.tags(b) == {NEAR}, "the tag")


def test_the_periodic_sync_finds_what_no_hook_has_told(office):
    office.add(LETTER)
    with serving(office, "--sync", paperless_sync_seconds="1") as served:
        until(lambda: served.metric("syncs_total") >= 1, "the first sync")
        b = office.add(RESCAN)
        until(lambda: office.tags(b) == {NEAR}, "the tag")


def test_the_first_sync_waits_and_what_is_announced_does_not(office):
    office.add(LETTER)
    b, c = office.add(OTHER), office.add(OTHER.replace("76,50", "76,5O"))
    with serving(office, paperless_sync_seconds="1") as served:
        until(lambda: served.metric("first_sync_waits") == 1, "the offer")
        for id in (b, c):
            assert served.ask("/api/consume", {"document_id": id})[0] == 202
        until(lambda: office.tags(c) == {NEAR}, "the tag")
        assert served.metric("syncs_total") == 0
        # Somebody starts it elsewhere.
        with office.open() as place:
            assert place.store.ids() == [b, c]
        environment = {**os.environ, **office.environment}
        subprocess.run([PROGRAM, "sync"], env=environment, capture_output=True, check=True)
        until(lambda: served.metric("syncs_total") >= 1, "that the service goes on")
        assert served.metric("first_sync_waits") == 0


def test_a_first_sync_that_was_killed_goes_on_by_itself(office):
    ids = [office.add(text) for text in (LETTER, RESCAN, OTHER)]
    office.paperless.faults.next(Fault.UNAVAILABLE, 1000, path="%2Ccontent%2C")
    environment = {**os.environ, **office.environment}
    with subprocess.Popen([PROGRAM, "sync"], env=environment, stderr=subprocess.DEVNULL) as process:
        until(lambda: office.paperless.faults.count, "the first request that fetches")
        process.kill()
    office.paperless.faults.clear()
    with serving(office) as served:
        until(lambda: served.metric("syncs_total") >= 1, "the sync")
    with office.open() as place:
        assert place.store.ids() == ids


def test_without_the_secret_nothing_is_taken(office):
    with serving(office) as served:
        for secret in ("", "wrong", SECRET + "x", SECRET[:-1], "\xfc"):
            status, said = served.ask("/api/consume", {"document_id": 1}, secret)
            assert status == 401
            assert SECRET not in said
        assert served.metric("events_accepted_total") == 0
        assert served.metric("events_refused_total") == 5


def test_what_a_workflow_of_paperless_sends(office):
    a = office.add(LETTER)
    with serving(office) as served:
        address = f"https://paperless.example.org/documents/{a}/"
        for body in (
            {"doc_url": address},
            {"doc_id": str(a)},
            {"document_id": a, "title": "x"},
        ):
            assert served.ask("/api/consume", body)[0] == 202
        form = f"doc_url={address}".encode()
        kind = "application/x-www-form-urlencoded"
        assert served.ask("/api/consume", form, kind=kind)[0] == 202
        for bad in ({}, {"document_id": 0}, {"document_id": True}, [], b"{", b"[" * 10_000,
                    {"doc_url": "https://x/other/3"}):  # fmt: skip
            assert served.ask("/api/consume", bad)[0] == 400
        assert served.ask("/api/consume", b"x" * 100_000)[0] == 413
        assert served.ask("/nowhere")[0] == 404
        until(lambda: served.metric("documents_done_total") >= 1, "the document")


@pytest.mark.parametrize(
    ("body", "kind", "id"),
    [
        (b'{"document_id": 12}', "application/json", 12),
        (b'{"document_id": "12"}', "", 12),
        (b'{"doc_url": "http://x:8000/api/documents/9/"}', "application/json", 9),
        (b'{"doc_url": "http://x/sub/documents/9"}', "application/json", 9),
        (b'{"document_id": 12.5}', "application/json", None),
        (b'{"document_id": 99999999999}', "application/json", None),
        (b"doc_id=7", "application/x-www-form-urlencoded", 7),
        (b"null", "application/json", None),
    ],
)
def test_the_spellings_of_an_id(body, kind, id):
    assert document_of(body, kind) == id


def test_paperless_away_at_the_start_and_back(tmp_path):
    with StandIn() as paperless:
        office = Office(tmp_path, paperless)
        a, b = office.add(LETTER), office.add(RESCAN)
        paperless.faults.by_chance(1.0, Fault.BAD_GATEWAY)
        with serving(office) as served:
            for id in (a, b):
                assert served.ask("/api/consume", {"document_id": id})[0] == 202
            until(lambda: served.metric("outages_total") >= 1, "the outage")
            assert served.ask("/healthz")[0] == 200
            assert served.metric("inbox_failed") == 0
            paperless.faults.clear()
            until(lambda: office.tags(b) == {NEAR}, "the tag")


def test_an_end_in_the_middle_loses_nothing(office):
    ids = [office.add(LETTER) for _ in range(30)]
    with serving(office) as served:
        for id in ids:
            assert served.ask("/api/consume", {"document_id": id})[0] == 202
    with office.open() as place:
        left = {event.document_id for event in place.inbox.events()}
        assert left | set(place.store.ids()) == set(ids)
    office.consume()
    assert office.groups() == [tuple(ids)]


def test_the_search_shows_each_person_what_that_person_may_see(office):
    people = office.paperless.library.people
    anna = people.add_user("anna", "x", permissions=["view_document", "view_uisettings"])
    bert = people.add_user("bert", "x", permissions=["view_document", "view_uisettings"])
    shared, hers = office.add(LETTER), office.add(RESCAN, owner=anna.id)
    office.consume(shared, hers)

    def hits(token: str, scheme: str = "Token") -> tuple[int, list[int]]:
        request = urllib.request.Request(served.url + "/api/search?q=stadtwerke")
        request.add_header("Authorization", f"{scheme} {token}")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, sorted(hit["id"] for hit in json.load(answer)["hits"])
        except urllib.error.HTTPError as error:
            with error:
                return error.code, []

    with serving(office) as served:
        assert hits(people.token_of(anna)) == (200, [shared, hers])
        assert hits(people.token_of(bert)) == (200, [shared])
        assert hits("wrong") == (401, [])
        assert hits(SECRET, "Bearer") == (401, [])
        # Rights that Paperless has changed since count at once.
        office.paperless.library.documents[shared].owner = anna.id
        assert hits(people.token_of(bert)) == (200, [])


def test_it_does_not_listen_to_everybody_without_a_secret(office):
    for name, value in office.environment.items():
        os.environ[name] = value
    try:
        done = CliRunner().invoke(main, ["serve", "--host", "0.0.0.0"])
    finally:
        for name in office.environment:
            del os.environ[name]
    assert done.exit_code == 3
    assert "SERVICE_SECRET" in done.stderr


# --- the command line ------------------------------------------------------------------------------


@pytest.fixture
def run(office, monkeypatch):
    for name, value in office.environment.items():
        monkeypatch.setenv(name, value)
    return lambda *arguments: CliRunner().invoke(main, list(arguments))


def test_sync_analyze_apply_on_the_command_line(office, run):
    a, b = office.add(LETTER), office.add(RESCAN)
    done = run("sync", "--json")
    assert json.loads(done.stdout)["new"] == 2
    assert office.tags(b) == set()
    assert run("analyze").exit_code == 0
    done = run("apply", "--dry-run", "--json")
    told = json.loads(done.stdout)
    assert told["added"]["tag:near"] == 1
    copy = next(each for each in told["documents"] if each["document"] == b)
    assert copy["title"] == office.paperless.library.documents[b].title
    assert f"tag “{NEAR}”" in copy["add"]
    assert copy["remove"] == []
    done = run("apply", "--dry-run")
    assert f"tag “{NEAR}”" in done.stdout
    assert copy["title"] in done.stdout
    assert "Would write: " in done.stderr
    assert office.tags(b) == set()
    assert run("apply").exit_code == 0
    assert office.tags(b) == {NEAR}
    writes = office.writes()
    done = run("apply")
    assert "nothing was written" in done.stderr
    assert office.writes() == writes
    office.take_off(b, NEAR)
    assert json.loads(run("sync", "--json").stdout)["heard"] == 1
    assert office.tags(a) == set()
    assert run("apply", "--remove-all").exit_code == 0
    assert office.paperless.library.labels["tags"] == {}


def test_consume_on_the_command_line(office, run):
    a = office.add(LETTER)
    assert json.loads(run("consume", str(a), "--json").stdout) == {
        "id": a, "state": "done", "connected": 0,
    }  # fmt: skip
    assert json.loads(run("consume", "99", "--json").stdout)["state"] == "gone"
    assert run("consume").exit_code == 2
    assert run("consume", "0").exit_code == 2
    from paperless_fingerprint.paperless.spool import Spool

    leave_event(Spool(office.folder / "spool"), a)
    assert json.loads(run("consume", "--inbox", "--json").stdout) == {"done": 1, "waiting": 0}


def test_an_outage_leaves_everything_in_the_inbox_and_says_so(office, run, monkeypatch):
    a = office.add(LETTER)
    from paperless_fingerprint.paperless.spool import Spool

    leave_event(Spool(office.folder / "spool"), a)
    monkeypatch.setenv("PAPERLESS_FINGERPRINT_PAPERLESS_URL", "http://127.0.0.1:1")
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    done = run("consume", "--inbox")
    assert done.exit_code == 4
    assert "nothing is lost" in done.stderr
    rows = [json.loads(line) for line in run("inbox", "--json").stdout.splitlines()]
    assert [(row["id"], row["state"], row["tries"]) for row in rows] == [(a, "waiting", 0)]
    assert "cannot be reached" in rows[0]["error"]
    assert "wait" in run("inbox").stdout
    assert run("inbox", "drop", str(a)).exit_code == 0
    assert "empty" in run("inbox").stderr


def test_merge_shows_first_and_acts_with_yes(office, run):
    a, b = office.add(LETTER), office.add(RESCAN)
    office.consume(a, b)
    done = run("merge", str(a))
    assert f"Document {b} goes to the trash" in done.stdout
    assert b in office.paperless.library.documents
    assert run("merge", str(a), "--yes").exit_code == 0
    assert b in office.paperless.library.trash


def test_merge_says_who_will_see_nothing_of_it_any_more(office, run):
    anna, bert = (office.paperless.library.people.add_user(name, name).id for name in "ab")
    a, b = office.add(LETTER, owner=anna), office.add(RESCAN, owner=anna)
    office.paperless.library.documents[b].view_users.add(bert)
    c = office.add(RESCAN)
    office.consume(a, b, c)
    shown = run("merge", str(a), str(b))
    assert f"b can see document {b}, but not what is kept: share document {a}" in shown.stdout
    losing = [{"document": b, "people": ["b"]}, {"document": c, "people": []}]
    for yes in ([], ["--yes"]):
        told = json.loads(run("merge", str(a), str(b), str(c), "--json", *yes).stdout)
        assert told["losing_sight"] == losing
    assert {b, c} <= office.paperless.library.trash.keys()


def test_eight_of_them_at_once_do_each_document_once(office):
    """As Paperless starts them where the program is installed beside it."""
    ids = [office.add(LETTER) for _ in range(12)]
    from paperless_fingerprint.paperless.spool import Spool

    spool = Spool(office.folder / "spool")
    processes = []
    for id in ids:
        leave_event(spool, id)
        if len(processes) < 8:
            processes.append(
                subprocess.Popen(
                    [PROGRAM, "consume", "--inbox"],
                    env={**os.environ, **office.environment},
                    stderr=subprocess.PIPE,
                )
            )
    for process in processes:
        said = process.communicate(timeout=120)[1]
        assert process.returncode == 0, said
    office.consume()  # whatever was spooled after the last of them had looked
    assert office.groups() == [tuple(ids)]
    for id in ids:
        assert office.paperless.requests["GET", f"/api/documents/{id}/"] == 1


def test_killed_between_saving_a_threshold_and_following_it(office, tmp_path):
    from paperless_fingerprint.library.lock import library_lock

    file = tmp_path / "settings.toml"
    file.write_text("# ours\n")
    office.environment["PAPERLESS_FINGERPRINT_CONFIG"] = str(file)
    a, b = office.add(LETTER), office.add(RESCAN)
    office.sync()
    office.apply()
    assert (office.groups(), office.tags(b)) == ([(a, b)], {NEAR})
    environment = {**os.environ, **office.environment, "PAPERLESS_FINGERPRINT_SERVICE_PORT": "0"}
    process = subprocess.Popen(
        [PROGRAM, "serve"], env=environment, stderr=subprocess.PIPE, text=True
    )
    with process:
        url = next(line for line in process.stderr if "Listening on " in line).split()[-1]
        served = Served(office, process, url)
        until(lambda: served.metric("syncs_total") >= 1, "the first look")
        # Nobody can judge anything as long as we hold this.
        with library_lock(office.settings).held():
            request = urllib.request.Request(f"{url}/api/library/thresholds", method="PUT")
            request.data = json.dumps({"similarity": 1.0, "near": 1.0}).encode()
            request.add_header("Content-Type", "application/json")
            request.add_header("Authorization", f"Token {office.paperless.token}")
            with urllib.request.urlopen(request, timeout=30) as answer:
                assert answer.status == 200
            process.kill()
            process.wait()
    assert "similarity_threshold = 1.0" in file.read_text()
    assert office.groups() == [(a, b)]
    with serving(office):
        until(lambda: office.groups() == [], "that the group goes")
        # And Paperless hears of it.
        until(lambda: office.tags(b) == set(), "that the tag goes")


def test_the_store_is_put_in_order_when_nothing_else_is_to_be_done(office, monkeypatch):
    """And what comes meanwhile goes first."""
    from paperless_fingerprint.service.worker import Worker
    from paperless_fingerprint.stores.sqlite import SqliteStore

    ids = [office.add(LETTER), office.add(OTHER)]
    worker = Worker(office.settings)
    done: list[int] = []

    def tidy(_store) -> bool:
        done.append(worker.vitals.documents_done)
        if len(done) == 3:
            worker.announce(ids[1])
        return len(done) < 6

    monkeypatch.setattr(SqliteStore, "tidy", tidy)
    worker.announce(ids[0])
    worker.start()
    try:
        until(lambda: len(done) >= 6, "the store in order")
    finally:
        worker.stop()
    assert done == [1, 1, 1, 2, 2, 2]


def test_consume_puts_the_store_in_order_before_it_ends(office, run, monkeypatch):
    from paperless_fingerprint.paperless.spool import Spool
    from paperless_fingerprint.stores.sqlite import SqliteStore

    ids = [office.add(LETTER), office.add(RESCAN)]
    spool = Spool(office.folder / "spool")
    leave_event(spool, ids[0])
    known: list[int] = []

    def tidy(store) -> bool:
        known.append(len(store.ids()))
        if len(known) == 2:
            leave_event(spool, ids[1])
        return len(known) < 4

    monkeypatch.setattr(SqliteStore, "tidy", tidy)
    assert run("consume", "--inbox").exit_code == 0
    assert known == [1, 1, 2, 2]
    assert office.groups() == [tuple(ids)]


def test_what_was_taken_back_stays_away_beside_a_running_service(office, run):
    a, b = office.add(LETTER), office.add(RESCAN)
    library = office.paperless.library
    office.sync()
    office.apply()
    with serving(office, paperless_sync_seconds="1", paperless_reconcile_seconds="1") as served:
        until(lambda: served.metric("syncs_total") >= 1, "a sync")
        done = run("apply", "--remove-all")
        assert done.exit_code == 0, done.output
        syncs = served.metric("syncs_total")
        c = office.add(RESCAN)
        assert served.ask("/api/consume", {"document_id": c})[0] == 202
        until(lambda: served.metric("documents_done_total") >= 1, "the new document")
        until(lambda: served.metric("syncs_total") >= syncs + 3, "three more syncs")
        assert library.labels["tags"] == library.fields == library.views == {}
        # Until somebody asks for labels again.
        office.apply()
        d = office.add(RESCAN)
        assert served.ask("/api/consume", {"document_id": d})[0] == 202
        until(lambda: office.tags(d) == {NEAR}, "the tag")
    assert office.tags(a) == {"Has duplicates"}
    assert office.tags(b) == office.tags(c) == {NEAR}
