"""A bug in the field: people read one line, and the log keeps where it came from."""

from __future__ import annotations

import threading
from typing import Any, cast

import pytest
from paperless_work import LETTER, Office
from waiting import until

from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.integration import consume
from paperless_fingerprint.review.decision_runner import DecisionRunner
from paperless_fingerprint.review.mirror import Mirror
from paperless_fingerprint.service import semantic_worker, worker
from paperless_fingerprint.settings.loading import load


@pytest.fixture
def office(tmp_path, stand_in: StandIn) -> Office:
    return Office(tmp_path, stand_in)


@pytest.fixture
def breaks(office):
    """A bug whose message holds a secret, as those of HTTP libraries do."""

    def somewhere_deep(*_arguments: object, **_named: object) -> None:
        raise RuntimeError(f"Illegal header value 'Token {office.settings.paperless.token}'")

    return somewhere_deep


def told(line: str, caplog) -> bool:
    assert line == "an unexpected RuntimeError: Illegal header value 'Token (hidden)'"
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert "Traceback" in caplog.text
    assert "in somewhere_deep" in caplog.text
    return "(hidden)" in caplog.text


def test_of_one_document_once_for_all_its_tries(office, breaks, monkeypatch, caplog):
    monkeypatch.setattr(consume, "consume", breaks)
    with office.open() as place:
        place.inbox.add([office.add(LETTER)])
        assert consume.drain(place).tried > 1
        (event,) = place.inbox.events()
        assert told(event.error, caplog)
        assert place.settings.paperless.token not in caplog.text


def test_in_the_worker_once_for_all_its_tries(office, breaks, monkeypatch, caplog):
    tries = []
    monkeypatch.setattr(worker, "open_workplace", lambda *_, **__: tries.append(1) or breaks())
    working = worker.Worker(office.settings)
    working.start()
    try:
        until(lambda: len(tries) > 1, "a second try")
    finally:
        working.stop()
    assert told(str(working.vitals.trouble), caplog)


def test_in_the_worker_of_the_semantic_tier(office, breaks, monkeypatch, caplog):
    monkeypatch.setattr(semantic_worker, "open_store", breaks)
    working = semantic_worker.MeaningWorker(office.settings)
    working.start()
    try:
        until(lambda: working._trouble, "its trouble")
    finally:
        working.stop()
    assert told(working._trouble, caplog)


def test_where_the_page_follows_the_library(office, breaks, monkeypatch, caplog):
    stop = threading.Event()
    mirror = Mirror(office.settings, cast("Any", None))
    monkeypatch.setattr(mirror, "refresh", lambda: stop.set() or breaks())
    mirror.keep_reading(stop)
    assert told(str(mirror.trouble), caplog)


def test_where_decisions_are_carried_out(office, breaks, monkeypatch, caplog):
    stop = threading.Event()
    nothing = cast("Any", None)
    runner = DecisionRunner(
        office.settings, nothing, nothing, nothing, patience_seconds=0, tell=nothing
    )
    monkeypatch.setattr(runner, "_carry_out_waiting", lambda _: stop.set() or breaks())
    runner.wake()
    runner.keep_running(stop)
    assert told(str(runner.trouble), caplog)


def test_what_is_secret_in_the_settings_also_within_an_address():
    settings = load(
        {
            "store": "https://elastic:within@one:9200",
            "paperless.token": "token",
            "semantic.url": "x",
        },
        {},
    )
    assert settings.secrets() == ["within", "token"]
