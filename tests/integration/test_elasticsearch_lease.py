"""Of several machines one works on a library in Elasticsearch. Processes stand for machines: what
makes them one place is the data folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from paperless_work import LETTER, Office
from waiting import until

from documents import SPEC, some_text, stored
from elasticsearch_nodes import client_for, open_test_store
from paperless_fingerprint.api.library import Library
from paperless_fingerprint.cli import main
from paperless_fingerprint.errors import ExitCode, StoreError
from paperless_fingerprint.integration.context import tell_alone
from paperless_fingerprint.integration.feedback.ledger import NEW, ON, Ledger, Mark
from paperless_fingerprint.integration.state import WorkerFile
from paperless_fingerprint.library.lock import library_lock
from paperless_fingerprint.model import Document
from paperless_fingerprint.service.worker import Worker
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.elasticsearch import lease
from paperless_fingerprint.stores.elasticsearch.layout import definitions

pytestmark = pytest.mark.elasticsearch

#: Works as a worker does, step by step, as it is told.
WORKER = """
import sys
from paperless_fingerprint.api.library import Library
from paperless_fingerprint.errors import FingerprintError
from paperless_fingerprint.library.lock import library_lock
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.elasticsearch import lease

lease.EXPIRES_SECONDS, lease.RENEWED_SECONDS = map(float, sys.argv[1:])
settings = load()
say = lambda *words: print(*words, flush=True)
try:
    with Library(settings=settings) as library, library_lock(settings).held():
        say("begun")
        for line in sys.stdin:
            library.store.replace_groups([1, 2], [])
            library.store.put_notes({"by": line.strip()})
            say("done")
    say("ended")
except FingerprintError as error:
    say(error)
"""


class Machine:
    def __init__(self, environment: dict[str, str], expires: float, renewed: float) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(expires), str(renewed)],
            env={**os.environ, **environment},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def says(self) -> str:
        return self.process.stdout.readline().strip()

    def work(self, word: str) -> None:
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def end(self) -> None:
        if not self.process.stdin.closed:
            self.process.communicate(timeout=60)


Start = Callable[..., Machine]


@pytest.fixture
def server(request) -> str:
    return request.getfixturevalue(getattr(request, "param", "elasticsearch9"))


@pytest.fixture
def place(server, index_prefix, tmp_path) -> Callable[[str], dict[str, str]]:
    def environment(name: str) -> dict[str, str]:
        return {
            "PAPERLESS_FINGERPRINT_STORE": server,
            "PAPERLESS_FINGERPRINT_ELASTICSEARCH_PREFIX": index_prefix,
            "PAPERLESS_FINGERPRINT_INBOX_FILE": str(tmp_path / name / "inbox.db"),
            "PAPERLESS_FINGERPRINT_WORKERS": "1",
        }

    return environment


@pytest.fixture
def start(place) -> Iterator[Start]:
    machines = []

    def started(name: str, expires: float = 600.0, renewed: float = 0.2) -> Machine:
        machines.append(Machine(place(name), expires, renewed))
        return machines[-1]

    yield started
    for machine in machines:
        if machine.process.poll() is None:
            machine.process.send_signal(signal.SIGCONT)
            machine.process.kill()
        machine.end()


@pytest.fixture
def here(place, monkeypatch) -> Callable[[str], Settings]:
    """This process, as if it were on a machine of that name."""
    monkeypatch.setattr(lease, "EXPIRES_SECONDS", 600.0)
    monkeypatch.setattr(lease, "RENEWED_SECONDS", 0.2)
    monkeypatch.setattr(lease, "_WATCHED_SECONDS", 0.02)
    return lambda name: load(environment=place(name))


def made(settings: Settings) -> Library:
    library = Library(settings=settings)
    library.add(*(Document(id, content=some_text(60, 1)) for id in (1, 2)))
    return library


def told(url: str, prefix: str) -> tuple[str, int, bool]:
    """Whose turn it is, which one, and whether he has let go."""
    with client_for(url) as client:
        found = client.get(index=f"{prefix}-library", id="lease")["_source"]
    assert found["kind"] == "lease"
    _, shown, turn, is_free, _ = json.loads(found["value"])
    return shown.rpartition("/")[2], turn, is_free


def aliases(url: str, prefix: str) -> set[str]:
    with client_for(url) as client:
        found = client.indices.get_alias(index=f"{prefix}-*")
    return {alias for index in found.values() for alias in index["aliases"]}


def test_whoever_finds_another_machine_at_work_says_which_and_changes_nothing(
    start, here, elasticsearch9, index_prefix
):
    with made(here("b")) as library:
        first = start("a")
        assert first.says() == "begun"
        with pytest.raises(
            StoreError, match=r"/a works on the library .* only one place may do so"
        ):
            library.analyse()
        assert len(library.store.pending()) == 2
        with library_lock(here("b")).tried() as is_ours:
            assert not is_ours
        first.end()
        # Who ends lets go, so that nobody waits for a minute.
        assert told(elasticsearch9, index_prefix) == ("a", 1, True)
        library.analyse()
        assert told(elasticsearch9, index_prefix) == ("b", 2, True)
        assert [group.members for group in library.groups()] == [(1, 2)]


def test_processes_of_one_place_have_it_together(start, here):
    with made(here("a")) as library:
        first = start("a")
        assert first.says() == "begun"
        # Among themselves they have the lock, which the first holds; the lease both do.
        with library_lock(here("a")).lease.kept():
            first.work("one")
            assert first.says() == "done"
            first.end()
            # One who is still there keeps it.
            other = start("b", renewed=0.2)
            assert "works on the library" in other.says()
        library.analyse()
        assert start("b").says() == "begun"


def test_who_is_killed_is_followed_by_the_next_and_what_he_has_left_is_done(
    start, here, elasticsearch9, index_prefix, monkeypatch
):
    with made(here("b")) as library:
        first = start("a")
        assert first.says() == "begun"
        first.process.kill()
        assert told(elasticsearch9, index_prefix) == ("a", 1, False)
        monkeypatch.setattr(lease, "EXPIRES_SECONDS", 1.0)
        library.analyse()  # waits for the end of the turn
        assert told(elasticsearch9, index_prefix) == ("b", 2, True)
        assert [group.members for group in library.groups()] == [(1, 2)]
        assert not library.store.pending()


@pytest.mark.parametrize("server", ["elasticsearch9", "opensearch2"], indirect=True)
def test_what_comes_late_from_a_turn_that_is_over_does_not_go_through(
    start, here, server, index_prefix, monkeypatch
):
    """He was stopped for longer than his turn lasted, and goes on as if nothing had been."""
    with made(here("b")) as library:
        first = start("a", renewed=60.0)  # no renewal tells him before he writes
        assert first.says() == "begun"
        first.work("early")
        assert first.says() == "done"
        assert library.store.notes()["by"] == "early"
        first.process.send_signal(signal.SIGSTOP)
        monkeypatch.setattr(lease, "EXPIRES_SECONDS", 1.0)
        library.analyse()
        before = aliases(server, index_prefix)
        first.work("late")
        first.process.send_signal(signal.SIGCONT)
        assert "has taken it over" in first.says()
        assert first.process.wait(60) == 0
        assert library.store.notes()["by"] == "early"
        assert [group.members for group in library.groups()] == [(1, 2)]
        # Nothing has come into being by itself where he wrote to.
        assert aliases(server, index_prefix) == before
        turns = {alias for alias in before if "-turn-" in alias}
        assert turns == {f"{each.alias(index_prefix)}-turn-2" for each in definitions().values()}
        library.analyse(full=True)  # and that he is gone disturbs nobody
        assert not any("turn-1" in alias for alias in aliases(server, index_prefix))


def test_of_many_who_want_it_at_once_one_gets_it(start, here):
    with made(here("z")):
        several = [start(name) for name in "abcde"]
        said = [machine.says() for machine in several]
    assert said.count("begun") == 1
    assert sum("works on the library" in each for each in said) == 4


def test_imports_and_searches_need_no_turn(start, here):
    with made(here("b")) as library:
        first = start("a")
        assert first.says() == "begun"
        library.add(Document(3, content=some_text(60, 1)))
        assert len(library.search("FINGERPRINT:1").hits) == 2


def test_a_library_that_moves_to_another_version_keeps_its_turn(here, elasticsearch9, index_prefix):
    """The holder writes on, before and after."""
    with made(here("a")) as library, library_lock(here("a")).held():
        old = library.store
        newer = {
            kind: type(one)(kind, one.version + 1, one.settings,
                            {**one.mappings, "_meta": {**one.mappings["_meta"],
                                                       "version": one.version + 1}})
            for kind, one in definitions().items()
        }  # fmt: skip
        open_test_store(elasticsearch9, index_prefix, spec=SPEC, known=newer).close()
        old.put([stored(7, some_text(40, 7))])
        old.put_notes({"after": "the move"})
        assert old.notes()["after"] == "the move"
        turns = {each for each in aliases(elasticsearch9, index_prefix) if "-turn-" in each}
        assert len(turns) == len(definitions())


def test_who_tells_paperless_after_another_place_forgets_what_he_wrote_down(here, tmp_path):
    def tells(name: str) -> int:
        settings = here(name)
        file = WorkerFile(Path(settings.inbox.file))
        ledger = Ledger(file)
        lock = library_lock(settings)
        with lock.lease.kept():
            tell_alone(lock, file, ledger)
        kept = len(ledger.rows())
        ledger.put([(1, "tag:near", Mark(1), ON), (2, NEW, Mark(0), ON)])
        file.close()
        return kept

    made(here("a")).close()
    assert tells("a") == 0
    assert tells("a") == 2  # nobody has come between
    with library_lock(here("c")).held():
        pass  # and this one has told nothing
    assert tells("a") == 2
    assert tells("b") == 0
    assert tells("a") == 1  # that a document has come stays true


def test_a_server_that_is_away_for_a_while_takes_nobodys_turn(here, elasticsearch9, index_prefix):
    from elasticsearch_proxy import Answer, proxy_for

    shut = []
    with proxy_for(elasticsearch9) as proxy:
        proxy.intercept = lambda _request: Answer(503, {"error": "shut"}) if shut else None
        settings = here("a").having({"store": proxy.url})
        with made(settings) as library, library_lock(settings).held():
            held = lease.held_of(library.store.address)
            assert held is not None
            shut.append(True)
            asked = len(proxy.requests)
            until(lambda: any("lease" in each.path for each in proxy.requests[asked:]), "a try")
            seen = held._renewed_at
            shut.clear()
            until(lambda: held._renewed_at > seen, "renewed")
            library.store.put_notes({"still": "here"})
            assert library.store.notes()["still"] == "here"


def test_the_command_line_refuses_and_serve_stands_by(start, here, place, stand_in, tmp_path):
    """`serve` on a second machine begins when the first has ended."""
    with made(here("a")):
        first = start("a")
        assert first.says() == "begun"
    done = CliRunner().invoke(main, ["analyze"], env=place("b"))
    assert done.exit_code == ExitCode.STORE
    assert "works on the library in Elasticsearch" in done.stderr
    office = Office(tmp_path / "b", stand_in)
    office.environment |= place("b")
    worker = Worker(office.settings)
    worker.start()
    try:
        until(lambda: "works on the library" in str(worker.vitals.trouble), "it stands by")
        worker.announce(office.add(LETTER))
        assert worker.vitals.documents_done == 0
        first.end()
        until(lambda: worker.vitals.documents_done == 1, "it begins", seconds=120)
    finally:
        worker.stop()


def test_a_server_that_is_too_busy_is_asked_again(here, elasticsearch9, index_prefix):
    from elasticsearch_proxy import Answer, proxy_for

    busy = Answer(429, {"error": {"type": "es_rejected_execution_exception", "reason": "busy"}})
    refused = []

    def intercept(request):
        if "_doc/lease" in request.path and len(refused) < 3:
            refused.append(request)
            return busy
        return None

    with proxy_for(elasticsearch9) as proxy:
        proxy.intercept = intercept
        with made(here("a").having({"store": proxy.url})) as library:
            library.analyse()
            assert [group.members for group in library.groups()] == [(1, 2)]
    assert len(refused) == 3
    assert told(elasticsearch9, index_prefix) == ("a", 1, True)
