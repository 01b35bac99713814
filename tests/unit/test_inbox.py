"""The inbox: nothing is lost, nothing is done twice, failures rest where they can be seen."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.files.lock import FileLock
from paperless_fingerprint.integration.feedback.ledger import ADDING, ON, Ledger, Mark
from paperless_fingerprint.integration.inbox import FAILED, Inbox, Patience
from paperless_fingerprint.integration.state import WorkerFile
from paperless_fingerprint.paperless.records import Stamp
from paperless_fingerprint.paperless.spool import Spool
from spooling import leave_event


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def file(tmp_path):
    found = WorkerFile(tmp_path / "library.inbox.db")
    yield found
    found.close()


@pytest.fixture
def inbox(file, clock) -> Inbox:
    return Inbox(file, Patience(3, 10.0, 60.0), clock=clock)


def ids(inbox: Inbox) -> list[int]:
    return [event.document_id for event in inbox.events()]


def test_events_are_done_in_their_order(inbox):
    inbox.add([5])
    inbox.add([3])
    done = []
    while event := inbox.next_due():
        done.append(event.document_id)
        inbox.done(event)
    assert done == [5, 3]
    assert inbox.counts()["done_total"] == 2


def test_many_events_of_a_document_are_one(inbox):
    inbox.add([7, 7])
    inbox.add([7])
    assert ids(inbox) == [7]


def test_an_event_that_comes_while_its_document_is_done_is_kept(inbox):
    inbox.add([7])
    event = inbox.next_due()
    inbox.add([7])
    inbox.done(event)
    assert ids(inbox) == [7]
    inbox.failed(event, "too late")
    assert inbox.next_due().tries == 0


def test_a_ticket_is_never_given_twice(inbox):
    inbox.add([7])
    old = inbox.next_due()
    inbox.done(old)
    inbox.add([7])
    inbox.done(old)
    assert ids(inbox) == [7]


def test_failures_wait_longer_each_time_and_then_rest(inbox, clock):
    inbox.add([7])
    pauses = []
    for _ in range(2):
        event = inbox.next_due()
        assert not inbox.failed(event, "no luck")
        assert inbox.next_due() is None
        pauses.append(inbox.seconds_to_next())
        clock.now += pauses[-1]
    assert pauses == [10, 20]
    assert inbox.failed(inbox.next_due(), "no luck") is True
    clock.now += 1_000_000
    assert inbox.next_due() is None
    failed = inbox.events(FAILED)[0]
    assert (failed.document_id, failed.tries, failed.error) == (7, 3, "no luck")


def test_retry_starts_from_the_first_try(inbox):
    inbox.add([7, 8])
    for _ in range(3):
        for id in (7, 8):
            inbox.failed(next(e for e in inbox.events() if e.document_id == id), "no luck")
    assert inbox.retry([8]) == 1
    assert inbox.next_due().document_id == 8
    assert inbox.next_due().tries == 0
    assert inbox.retry() == 1


def test_a_new_event_of_a_failed_document_tries_again(inbox):
    inbox.add([7])
    for _ in range(3):
        inbox.failed(inbox.events()[0], "no luck")
    inbox.add([7])
    assert inbox.next_due().document_id == 7


def test_an_outage_counts_no_try(inbox):
    inbox.add([7])
    inbox.held_up(inbox.next_due(), "Paperless is away")
    event = inbox.next_due()
    assert (event.tries, event.error) == (0, "Paperless is away")


def test_a_clock_that_is_set_back_does_not_turn_minutes_into_days(inbox, clock):
    inbox.add([7])
    inbox.failed(inbox.next_due(), "no luck")
    clock.now -= 86_400
    assert inbox.next_due().document_id == 7
    assert inbox.seconds_to_next() <= 60
    inbox.add([8])
    assert inbox.next_due().document_id == 7  # the order is that of coming


def test_the_spool_is_emptied_into_it(inbox, tmp_path):
    spool = Spool(tmp_path / "spool")
    for id in (9, 4, 9):
        leave_event(spool, id)
    assert inbox.take_from(spool) == 3
    assert list(spool.events()) == []
    assert ids(inbox) == [4, 9]
    assert inbox.take_from(spool) == 0


def test_dead_between_the_inbox_and_the_spool_the_event_is_there_twice_and_done_once(
    inbox, tmp_path, monkeypatch
):
    spool = Spool(tmp_path / "spool")
    leave_event(spool, 9)
    monkeypatch.setattr(Spool, "remove", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        inbox.take_from(spool)
    monkeypatch.undo()
    assert ids(inbox) == [9]
    inbox.take_from(spool)
    assert ids(inbox) == [9]


@pytest.mark.parametrize("id", [0, -1, 2**31])
def test_what_can_be_no_id_is_refused(inbox, id):
    with pytest.raises(ValueError, match="no document id"):
        inbox.add([id])


def test_it_survives_and_is_shared(tmp_path, file, inbox):
    inbox.add([1, 2])
    other = WorkerFile(tmp_path / "library.inbox.db")
    assert ids(Inbox(other)) == [1, 2]
    other.close()


def test_many_at_once(file, inbox):
    threads = [
        threading.Thread(target=lambda n=n: [inbox.add([n * 50 + i + 1]) for i in range(50)])
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tickets = [event.ticket for event in inbox.events()]
    assert len(tickets) == len(set(tickets)) == 200


def test_a_foreign_database_is_left_alone(tmp_path):
    import sqlite3

    path = tmp_path / "library.inbox.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(StoreError, match="another program"):
        WorkerFile(path)


def test_the_lock_is_let_go_by_a_process_that_is_killed(tmp_path):
    path = tmp_path / "lock"
    program = (
        "import sys, time\nfrom pathlib import Path\n"
        "from paperless_fingerprint.files.lock import FileLock\n"
        f"with FileLock(Path({str(path)!r})).held():\n"
        "    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout.readline() == b"held\n"
        with FileLock(path).tried() as mine:
            assert not mine
        process.kill()
        process.wait()
        with FileLock(path).tried() as mine:
            assert mine
    finally:
        process.kill()
        process.communicate()


def test_two_threads_of_one_process_exclude_each_other(tmp_path):
    lock = FileLock(tmp_path / "lock")
    with lock.held(), lock.tried() as mine:
        assert not mine
    with lock.tried() as mine:
        assert mine


# --- the ledger, in the same file ------------------------------------------------------------------


def test_the_ledger_keeps_what_was_written(file):
    ledger = Ledger(file)
    assert ledger.is_empty()
    ledger.put([(1, "tag:near", Mark(5), ADDING), (2, "tag:near", Mark(5), ADDING)])
    ledger.settle([(1, "tag:near", Mark(5), ON)], [(2, "tag:near")])
    rows = ledger.rows()
    assert {id: {k: w.state for k, w in kinds.items()} for id, kinds in rows.items()} == {
        1: {"tag:near": ON}
    }
    assert ledger.rows([2]) == {}


def test_what_is_owed_again_meanwhile_stays_owed(file):
    ledger = Ledger(file)
    ledger.owe([1, 2])
    owed = ledger.owed()
    ledger.owe([2])
    ledger.told(owed)
    assert set(ledger.owed()) == {2}


def test_what_was_seen(file):
    ledger = Ledger(file)
    ledger.saw([Stamp(1, "a"), Stamp(2, "b")])
    assert [s.id for s in ledger.unseen([Stamp(1, "a"), Stamp(2, "c"), Stamp(3, "d")])] == [2, 3]
    ledger.forget_seen([1])
    assert [s.id for s in ledger.unseen([Stamp(1, "a"), Stamp(2, "b")])] == [1]


def test_a_folder_that_cannot_be_written_says_what_to_do(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="INBOX_FILE"):
        WorkerFile(tmp_path / "sub" / "library.inbox.db")
