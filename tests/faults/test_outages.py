"""Paperless ill, the store gone, the disk full, hooks all at once, clocks that go backwards: after
each, every document is done once, and nothing is lost or made up."""

from __future__ import annotations

import contextlib
import resource
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest
from breaking import Letters, fast_folder, scaled
from paperless_fixtures import HOOK
from paperless_work import Office

from paperless_fingerprint.demo.stand_in import Fault, StandIn
from paperless_fingerprint.errors import FingerprintError, StoreError
from paperless_fingerprint.integration.consume import drain
from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.inbox import Inbox
from paperless_fingerprint.integration.state import WorkerFile
from paperless_fingerprint.paperless.spool import Spool
from paperless_fingerprint.stores.sqlite import SqliteStore
from spooling import leave_event


@pytest.fixture
def office(tmp_path, stand_in: StandIn) -> Iterator[Office]:
    with fast_folder(tmp_path) as folder:
        yield Office(folder, stand_in)


@pytest.fixture
def letters(office) -> Letters:
    return Letters(office)


def impatient(place: Workplace) -> Workplace:
    """Without the pauses of the client, and with few tries: an outage shows at once."""
    place.paperless._connection._sleep = lambda _seconds: None
    return place


def drain_until_done(place: Workplace, rounds: int = 400) -> int:
    """As the worker does: again and again; says how often something was away."""
    outages = 0
    for _ in range(rounds):
        outages += bool(drain(place).outage)
        if not place.inbox.events():
            return outages
        place.inbox.retry()
    raise AssertionError([event.error for event in place.inbox.events()])


# --- Paperless -------------------------------------------------------------------------------------

ILLS = {
    "500": (Fault.SERVER_ERROR,),
    "429": (Fault.THROTTLED,),
    "slow": (Fault.SLOW,),
    "html": (Fault.HTML,),
    "cut off": (Fault.CUT_OFF,),
    "lost answers": (Fault.LOST_ANSWER, Fault.DROPPED),
    "everything": (Fault.SERVER_ERROR, Fault.BAD_GATEWAY, Fault.UNAVAILABLE, Fault.THROTTLED,
                   Fault.SLOW, Fault.HTML, Fault.CUT_OFF, Fault.DROPPED, Fault.LOST_ANSWER,
                   Fault.REDIRECT),
}  # fmt: skip


@pytest.mark.parametrize("ill", ILLS)
def test_an_ill_paperless(office, letters, ill):
    """Four of ten requests meet the fault, which is more than the client's own tries mend."""
    office.paperless.faults.slow_seconds = 0.01
    office.environment["PAPERLESS_FINGERPRINT_INBOX_TRIES"] = "100"
    with office.open() as place:
        impatient(place)
        for seed in range(scaled(4)):
            pairs = [letters.add() for _ in range(2)]
            place.inbox.add(id for pair in pairs for id in pair)
            office.paperless.faults.by_chance(0.4, *ILLS[ill], seed=seed)
            drain_until_done(place)
            office.paperless.faults.clear()
        assert office.paperless.faults.count > 20
        # What was held up in the telling is told with the next document.
        place.inbox.add(letters.add())
        drain_until_done(place)
    office.apply()
    letters.check()


def test_a_paperless_that_is_away_loses_no_event_and_counts_no_try(office, letters):
    with office.open() as place:
        impatient(place)
        place.inbox.add(letters.add())
        office.paperless.faults.by_chance(1.0, Fault.DROPPED)
        for _ in range(12):
            assert drain(place).outage
        assert [event.tries for event in place.inbox.events()] == [0, 0]
        office.paperless.faults.clear()
        assert drain(place).done == 2
    letters.check()


# --- the store -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["get", "put", "candidates", "write_pairs", "replace_groups",
                                    "mark_analysed", "notes"])  # fmt: skip
def test_a_store_that_is_away_and_back(office, letters, monkeypatch, method):
    with office.open() as place:
        impatient(place)
        place.inbox.add(letters.add())
        away = {"notes", method}
        for name in away:
            original = getattr(SqliteStore, name)

            def refuse(self, *arguments, _original=original, **named):
                if away:
                    raise StoreError("The store is away.")
                return _original(self, *arguments, **named)

            monkeypatch.setattr(SqliteStore, name, refuse)
        assert drain(place).outage
        assert [event.tries for event in place.inbox.events()] == [0, 0]
        away.clear()
        assert drain(place).done == 2
    letters.check()


# --- the disk --------------------------------------------------------------------------------------


def hook(office: Office, id: int, **options) -> subprocess.Popen:
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(office.folder),
        "DOCUMENT_ID": str(id),
        "PAPERLESS_FINGERPRINT_SPOOL": office.environment["PAPERLESS_FINGERPRINT_SPOOL"],
    }
    return subprocess.Popen(
        ["python3", "-I", str(HOOK)], env=environment, stderr=subprocess.PIPE, **options
    )


def test_a_full_disk_at_the_spool_fails_no_upload_and_the_sync_finds_the_document(office, letters):
    office.sync()  # so that what comes later is told by itself
    pair = letters.add()
    for id in pair:
        process = hook(
            office, id, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        )
        said = process.communicate(timeout=30)[1].decode()
        assert process.returncode == 0
        assert "the next `sync` finds it" in said
    assert not [p for p in (office.folder / "spool").iterdir() if p.stat().st_size]
    office.sync()
    letters.check()


def test_a_full_disk_at_the_inbox_leaves_the_events_in_the_spool(office, letters, monkeypatch):
    spool = Spool(office.folder / "spool")
    for id in letters.add():
        leave_event(spool, id)
    real = Inbox.add

    def full(self, ids):
        list(ids)
        raise StoreError("The inbox cannot be used (database or disk is full).")

    monkeypatch.setattr(Inbox, "add", full)
    with office.open() as place:
        assert drain(place).done == 0
        assert len(list(spool.events())) == 2
        monkeypatch.setattr(Inbox, "add", real)
        assert drain(place).done == 2
    letters.check()


def test_a_full_disk_in_the_middle_of_a_document(office, letters, monkeypatch):
    """The worker's own file cannot grow at any one of its writes."""
    count = step = met = 0
    using = WorkerFile.using

    class Full:
        def __init__(self, connection):
            self._connection = connection

        def __getattr__(self, name):
            return getattr(self._connection, name)

        def execute(self, statement, *values):
            nonlocal count, met
            if statement == "COMMIT":
                count += 1
                if count == step:
                    met += 1
                    raise sqlite3.OperationalError("database or disk is full")
            return self._connection.execute(statement, *values)

    @contextlib.contextmanager
    def full(self):
        with using(self) as connection:
            yield Full(connection)

    monkeypatch.setattr(WorkerFile, "using", full)
    with office.open() as place:
        impatient(place)
        for step in range(1, scaled(30)):  # noqa: B007  (`Full` looks at it)
            pair = letters.add()
            count = -10_000
            place.inbox.add(pair)
            count = 0
            with contextlib.suppress(FingerprintError):  # the worker says so and goes on later
                drain(place)
            count = -10_000
            drain_until_done(place)
    assert met > 5
    letters.check()


# --- many at once ----------------------------------------------------------------------------------


def test_eight_hooks_at_once_with_the_same_and_with_other_documents(office, letters):
    for _ in range(scaled(3)):
        pairs = [letters.add() for _ in range(4)]
        different = [id for pair in pairs for id in pair]
        for ids in (different, [different[0]] * 8):
            processes = [hook(office, id) for id in ids]
            for process in processes:
                assert process.communicate(timeout=60)[1] == b""
                assert process.returncode == 0
        with office.open() as place:
            place.inbox.take_from(place.spool)
            assert len(place.inbox.events()) == 8
            assert drain(place).done == 8
        assert office.paperless.requests["GET", f"/api/documents/{different[0]}/"] == 1
    letters.check()


def test_two_workers_side_by_side_do_each_document_once(office, letters):
    ids = [id for _ in range(8) for id in letters.add()]
    done = []

    def work() -> None:
        with office.open() as place:
            done.append(drain(place).done)

    with office.open() as place:
        place.inbox.add(ids)
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(done) == len(ids)
    for id in ids:
        assert office.paperless.requests["GET", f"/api/documents/{id}/"] == 1
    letters.check()


# --- clocks ----------------------------------------------------------------------------------------


def test_a_clock_that_goes_backwards(office, letters, monkeypatch):
    """Each event comes a day before the one that came before it."""
    days = 0
    real, real_ns = time.time, time.time_ns
    monkeypatch.setattr(time, "time", lambda: real() - days * 86_400)
    monkeypatch.setattr(time, "time_ns", lambda: real_ns() - days * 86_400 * 10**9)
    spool = Spool(office.folder / "spool")
    office.environment["PAPERLESS_FINGERPRINT_INBOX_FIRST_PAUSE_SECONDS"] = "300"
    with office.open() as place:
        impatient(place)
        object.__setattr__(place.inbox, "_clock", time.time)
        for _ in range(scaled(5)):
            first, copy = letters.add()
            leave_event(spool, first)
            assert drain(place).done == 1
            days += 1
            office.paperless.faults.next(Fault.SERVER_ERROR, 4, path=f"/api/documents/{copy}/")
            leave_event(spool, copy)
            assert drain(place).tried == 1
            days += 30
            assert drain(place).done == 1
    letters.check()


# --- Elasticsearch ---------------------------------------------------------------------------------


@pytest.mark.elasticsearch
def test_elasticsearch_gone_and_back(office, letters, elasticsearch9, index_prefix, monkeypatch):
    """Behind a gate that is shut while documents come in."""
    from elasticsearch_proxy import Answer, proxy_for
    from paperless_fingerprint.stores.elasticsearch import bulk, scan

    for module in (scan, bulk):
        for name in [name for name in vars(module) if name.endswith("PATIENCE_SECONDS")]:
            monkeypatch.setattr(module, name, 0.2)

    shut = threading.Event()

    def gate(_request):
        return Answer(503, {"error": "shut"}) if shut.is_set() else None

    with proxy_for(elasticsearch9) as proxy:
        proxy.intercept = gate
        office.environment["PAPERLESS_FINGERPRINT_STORE"] = proxy.url
        office.environment["PAPERLESS_FINGERPRINT_ELASTICSEARCH_PREFIX"] = index_prefix
        office.environment["PAPERLESS_FINGERPRINT_ELASTICSEARCH_TIMEOUT_SECONDS"] = "20"
        office.environment["PAPERLESS_FINGERPRINT_INBOX_FILE"] = str(office.folder / "inbox.db")
        with office.open() as place:
            impatient(place)
            place.inbox.add(letters.add())
            assert drain(place).done == 2
            for _ in range(scaled(2)):
                place.inbox.add(letters.add())
                shut.set()
                assert drain(place).outage
                assert all(event.tries == 0 for event in place.inbox.events())
                shut.clear()
                assert drain(place).done == 2
        letters.check()
