"""The long faults: `make faults`, and not `make test`, which takes their short sisters.

Whatever happened, in the end the inbox is empty, the library holds what Paperless or the file holds,
and settled it says to the last digit what a fresh library of the same documents says. Seeds are
fixed; PAPERLESS_FINGERPRINT_FAULTS=2 does all of it twice as often. A report comes at the end.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from breaking import OWN, Report, nursery, scaled
from paperless_fixtures import HOOK
from paperless_work import Office
from waiting import until

from documents import misread, some_text, stored
from golden.letters import LANGUAGES, letter
from paperless_fingerprint.api.library import Library
from paperless_fingerprint.demo.library import sample_library
from paperless_fingerprint.demo.stand_in import Fault, StandIn
from paperless_fingerprint.demo.stand_in.documents import trash_document
from paperless_fingerprint.errors import FingerprintError, StoreError
from paperless_fingerprint.files.sqlite import SqliteFile
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.integration.audit import AuditLog
from paperless_fingerprint.integration.consume import drain
from paperless_fingerprint.library.search import Request, Search
from paperless_fingerprint.library.settled import unsettled
from paperless_fingerprint.model import Document
from paperless_fingerprint.paperless.spool import Spool
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.elasticsearch import scan
from paperless_fingerprint.stores.opening import searcher_of
from spooling import leave_event

KILLED = -9
#: Of import, analyze, consume, serve and replace each.
KILLS = scaled(40)


def documents() -> list[Document]:
    """The demo, and families of one form."""
    made = sample_library()
    for place, language in enumerate(list(LANGUAGES)[:4]):
        for number in range(5):
            own = letter(language, number)
            first = 1_000 + 100 * place + 3 * number
            made += [
                Document(first, content=own),
                Document(first + 1, content=misread(own, 0.03, number)),
                Document(first + 2, content=letter(language, number, month=1)),
            ]
    return made


DOCUMENTS = documents()


# --- what must be so in the end ----------------------------------------------------------------------


def everything(store: Store) -> tuple:
    return (
        sorted(store.pairs(), key=lambda pair: (pair.a, pair.b)),
        list(store.groups()),
        list(store.chains()),
    )


def check(settings: Settings, folder: Path, texts: dict[int, str]) -> int:
    """Settled it says what a fresh library says; how many pairs that are."""
    with Library(settings=settings) as library:
        store = library.store
        if isinstance(store, SqliteFile):
            assert store.damage() == ""
        assert store.texts(texts) == texts
        assert set(store.ids()) == set(texts)
        library.analyse()
        library.analyse(settle=True)
        assert not store.pending()
        assert not unsettled(store.notes())
        found = everything(store)
        records, decisions = list(store.documents()), store.decisions()
    with Library(
        settings=settings.having({"store": f"sqlite:///{folder / 'fresh' / 'library.db'}"})
    ) as fresh:
        fresh.add(*(record.document for record in records))
        for decision in decisions:
            fresh.store.put_decision(decision)
        fresh.analyse()
        assert everything(fresh.store) == found
    return len(found[0])


def check_office(office: Office) -> int:
    """What is in Paperless is in the library, nothing waits, and nothing was told twice."""
    with office.open() as place:
        while True:
            report = drain(place)
            assert not report.outage
            if not place.inbox.events():
                break
            place.inbox.retry()
    office.sync()
    with office.open() as place:
        assert place.inbox.events() == []
        assert list(place.spool.events()) == []
    rows = office.paperless.library.documents
    names = [label.name for label in office.paperless.library.labels["tags"].values()]
    assert len(names) == len(set(names))
    return check(office.settings, office.folder, {id: row.content for id, row in rows.items()})


# --- a library by itself ------------------------------------------------------------------------------


class Shelf:
    """A library that is filled from files, and what should be in it."""

    def __init__(self, folder: Path, **more: str) -> None:
        self.folder = folder
        self.environment = {
            "PAPERLESS_FINGERPRINT_STORE": f"sqlite:///{folder}/library.db",
            "PAPERLESS_FINGERPRINT_WORKERS": "1",
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_DATA_HOME": str(folder / "data"),
            **more,
        }
        self.texts: dict[int, str] = {}
        self.said = str(folder / "said")
        self._files = 0

    @property
    def settings(self) -> Settings:
        return load(environment=self.environment)

    def lines(self, documents: list[Document]) -> str:
        """A file of these; they are wanted in the library from now on."""
        self._files += 1
        path = self.folder / f"{self._files}.jsonl"
        rows = [
            {"id": each.id, "title": each.title, "content": each.content, "added": each.added,
             "checksum": each.checksum, "tags": list(each.tags)}
            for each in documents
        ]  # fmt: skip
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.texts |= {each.id: each.content for each in documents}
        return str(path)

    def check(self) -> int:
        return check(self.settings, self.folder, self.texts)


def slices(chance: random.Random) -> Iterator[list[Document]]:
    """The documents in any order again and again; in between, other texts of them."""
    while True:
        for some in _cut(chance, chance.sample(DOCUMENTS, len(DOCUMENTS))):
            yield [
                replace(each, content=each.content[::2]) if chance.random() < 0.2 else each
                for each in some
            ]


def _cut(chance: random.Random, whole: list[Document]) -> Iterator[list[Document]]:
    while whole:
        size = chance.choice((1, 3, 10, 40))
        yield whole[:size]
        whole = whole[size:]


def either(chance: random.Random, steps: int, seconds: float) -> dict:
    """Killed before one of so many steps, or at one moment of so many seconds."""
    if chance.random() < 0.5:
        return {"kill_at": chance.randint(1, steps)}
    return {"kill_after": [chance.uniform(0, seconds)]}


def failed_well(statuses: list[int], said: str) -> bool:
    """Done, killed, or refused in a sentence."""
    text = Path(said).read_text()
    assert "Traceback" not in text, text
    assert set(statuses) <= {0, KILLED, 4, 5, 6}, (statuses, text)
    return statuses[0] == 0


def test_import_killed(folder: Path, report: Report) -> None:
    shelf, chance = Shelf(folder), random.Random(1)
    killed, coming = 0, slices(chance)
    with nursery(shelf) as workers:
        while killed < KILLS:
            args = ["import", shelf.lines(next(coming))]
            for _ in range(3):
                [status] = workers.run(args=args, said=shelf.said, **either(chance, 25, 0.3))
                assert status in {0, KILLED}
                killed += status == KILLED
                if status == 0:
                    break
            assert workers.run(args=args, said=shelf.said) == [0]
            if chance.random() < 0.2:
                assert workers.run(args=["analyze"], said=shelf.said) == [0], Path(
                    shelf.said
                ).read_text()
        assert workers.run(args=["import", shelf.lines(DOCUMENTS)], said=shelf.said) == [0]
    report(kills=killed, pairs=shelf.check())


def test_analyze_killed(folder: Path, report: Report) -> None:
    shelf, chance = Shelf(folder), random.Random(2)
    killed, coming = 0, slices(chance)
    with nursery(shelf) as workers:
        while killed < KILLS:
            args = ["import", shelf.lines(next(coming))]
            assert workers.run(args=args, said=shelf.said) == [0]
            more = chance.choice(([], [], ["--settle"], ["--full"]))
            [status] = workers.run(
                args=["analyze", *more], said=shelf.said,
                environment={"PAPERLESS_FINGERPRINT_WORKERS": chance.choice("1112")},
                **either(chance, 60, 1.0),
            )  # fmt: skip
            assert status in {0, KILLED}
            killed += status == KILLED
        assert workers.run(args=["import", shelf.lines(DOCUMENTS)], said=shelf.said) == [0]
    report(kills=killed, pairs=shelf.check())


def under_want(
    shelf: Shelf,
    seed: int,
    runs: int,
    want: Callable[[random.Random], AbstractContextManager[dict]],
) -> tuple[int, int]:
    """Import and analysis, each in want of something, and each time the import again in plenty: how
    many were refused, and how many pairs there are in the end."""
    chance, refused = random.Random(seed), 0
    coming = slices(chance)
    with nursery(shelf) as workers:
        for _ in range(runs):
            importing = ["import", shelf.lines(next(coming))]
            for args in (importing, ["analyze", *chance.choice(([], ["--settle"]))]):
                with want(chance) as told:
                    statuses = workers.run(args=args, said=shelf.said, **told)
                refused += not failed_well(statuses, shelf.said)
            assert workers.run(args=importing, said=shelf.said) == [0]
        assert workers.run(args=["import", shelf.lines(DOCUMENTS)], said=shelf.said) == [0]
    assert refused > runs / 4
    return refused, shelf.check()


def limit(name: str, low: float, high: float) -> Callable[[random.Random], nullcontext[dict]]:
    return lambda chance: nullcontext({name: int(2 ** chance.uniform(low, high))})


def test_disk_full(folder: Path, report: Report) -> None:
    """No file may grow beyond so much: at the first byte, in the middle, almost at the end."""
    refused, pairs = under_want(Shelf(folder), 3, scaled(40), limit("file_limit", 12, 21))
    report(refusals=refused, pairs=pairs)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of 48 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(place)]
    if not shutil.which("mount") or subprocess.run(mounting, check=False).returncode:
        pytest.skip("only root may mount a file system")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def filled(
    disk: Path, low: float, high: float
) -> Callable[[random.Random], AbstractContextManager[dict]]:
    """So much is left when it begins: nothing, or what is not enough for all of it."""
    filler = disk / "filler"

    @contextmanager
    def want(chance: random.Random) -> Iterator[dict]:
        left = int(2 ** chance.uniform(low, high))
        filler.write_bytes(bytes(max(0, shutil.disk_usage(disk).free - left)))
        yield {}
        filler.unlink()

    return want


def test_file_system_full(small_disk: Path, report: Report) -> None:
    shelf = Shelf(small_disk)
    shelf.said = str(small_disk.parent / "said")
    refused, pairs = under_want(shelf, 11, scaled(30), filled(small_disk, 10, 21))
    report(refusals=refused, pairs=pairs)


def crowd(size: int) -> list[Document]:
    """So many that pairs are judged in several processes: each third one is a copy of another."""
    made = [Document(10_000 + n, content=some_text(60, 50_000 + n)) for n in range(size * 2 // 3)]
    return made + [
        Document(20_000 + n, content=original.content)
        for n, original in enumerate(made[: size // 3])
    ]


def analysed_in_want(
    shelf: Shelf, seed: int, want: Callable[[random.Random], AbstractContextManager[dict]]
) -> dict[str, int]:
    """A library from which much is put aside, analysed as a whole again and again, and each time
    less is left of what it needs: how often which sentence was said, and how many pairs there are
    in the end."""
    chance = random.Random(seed)
    told: Counter[str] = Counter()
    with nursery(shelf) as workers:
        assert workers.run(args=["import", shelf.lines(crowd(1_800))], said=shelf.said) == [0]
        for number in range(scaled(16)):
            more = ["--full"] if number % 2 else []  # or on from where the last one left off
            with want(chance) as limits:
                statuses = workers.run(
                    args=["analyze", *more], said=shelf.said,
                    environment={"PAPERLESS_FINGERPRINT_WORKERS": "2"}, **limits,
                )  # fmt: skip
            if not failed_well(statuses, shelf.said):
                said = Path(shelf.said).read_text()
                [why] = [why for why in WANTS if why in said] or [said]
                told[why] += 1
    assert told.total() > scaled(16) / 4
    assert set(told) <= set(WANTS), told
    pairs = shelf.check()
    assert pairs >= 600
    return {**told, "pairs": pairs}


#: What is said where room or memory is wanting.
WANTS = ("no room", "disk is full", "too little memory", "want of memory")


def test_file_system_full_in_the_middle_of_an_analysis(small_disk: Path, report: Report) -> None:
    shelf = Shelf(small_disk)
    shelf.said = str(small_disk.parent / "said")
    report(**analysed_in_want(shelf, 12, filled(small_disk, 14, 24)))


def test_too_little_memory_for_an_analysis(folder: Path, report: Report) -> None:
    report(**analysed_in_want(Shelf(folder), 13, limit("memory", 22, 27)))


def test_too_little_memory(folder: Path, report: Report) -> None:
    """What a worker has at its beginning, and some megabytes more or less."""
    refused, pairs = under_want(Shelf(folder), 10, scaled(40), limit("memory", 17, 26))
    report(refusals=refused, pairs=pairs)


def test_read_only(folder: Path, report: Report) -> None:
    """The file, the folder, or both may be read only; then they may be written again."""
    shelf, chance = Shelf(folder), random.Random(4)
    coming = slices(chance)
    failures = 0
    with nursery(shelf) as workers:
        for _ in range(scaled(10)):
            args = ["import", shelf.lines(next(coming))]
            assert workers.run(args=args, said=shelf.said) == [0]
            for file, holder in ((0o400, 0o700), (0o600, 0o500), (0o400, 0o500)):
                args = ["import", shelf.lines(next(coming))]
                kept = [folder / "library.db", *folder.glob("library.*")]
                for path in kept:
                    path.chmod(file)
                folder.chmod(holder)
                for command in (args, ["analyze"]):
                    statuses = workers.run(args=command, said=shelf.said, plain=True)
                    failures += not failed_well(statuses, shelf.said)
                folder.chmod(0o700)
                for path in kept:
                    path.chmod(0o600)
                assert workers.run(args=args, said=shelf.said) == [0]
        assert workers.run(args=["import", shelf.lines(DOCUMENTS)], said=shelf.said) == [0]
    assert failures > scaled(10)
    report(refusals=failures, pairs=shelf.check())


def test_damaged_files(folder: Path, report: Report) -> None:
    """Some pages are overwritten: told in a sentence, and a backup brings all of it back."""
    shelf, chance = Shelf(folder), random.Random(5)
    told = 0
    with nursery(shelf) as workers:
        assert workers.run(args=["import", shelf.lines(DOCUMENTS)], said=shelf.said) == [0]
        assert workers.run(args=["analyze"], said=shelf.said) == [0], Path(shelf.said).read_text()
        for number in range(scaled(30)):
            backup = str(folder / f"{number}.zip")
            assert workers.run(args=["backup", backup], said=shelf.said) == [0]
            library = folder / "library.db"
            content = bytearray(library.read_bytes())
            for _ in range(chance.choice((1, 4, 30))):
                start = chance.choice((0, chance.randrange(len(content))))
                content[start : start + 512] = chance.randbytes(min(512, len(content) - start))
            library.write_bytes(content)
            for args in (["analyze", "--full"], ["pairs"], ["doctor"]):
                statuses = workers.run(args=args, said=shelf.said)
                told += not failed_well(statuses, shelf.said)
            for path in folder.glob("library.db-*"):
                path.unlink()
            args = ["restore", backup, "--yes", "--overwrite"]
            assert workers.run(args=args, said=shelf.said) == [0], Path(shelf.said).read_text()
            for path in [*folder.glob("*.zip"), *folder.glob("library.*.before*")]:
                path.unlink()
    assert told > scaled(20)
    report(refusals=told, pairs=shelf.check())


def test_truncated_logs(folder: Path, report: Report) -> None:
    """A disk that lied: after a kill the write-ahead log ends somewhere. The file is older then, and
    the import brings back what is missing; or it is damaged, which is told, and made anew."""
    shelf, chance = Shelf(folder), random.Random(6)
    cut, damaged, coming = 0, 0, slices(chance)
    log = folder / "library.db-wal"
    with nursery(shelf) as workers:
        assert workers.run(args=["import", shelf.lines(next(coming))], said=shelf.said) == [0]
        while cut < scaled(40):
            args = ["import", shelf.lines(next(coming))]
            command = chance.choice((args, args, ["analyze"]))
            workers.run(args=command, said=shelf.said, **either(chance, 25, 0.3))
            if log.exists() and (size := log.stat().st_size):
                os.truncate(log, chance.randrange(size))
                cut += 1
            if not failed_well(workers.run(args=["analyze"], said=shelf.said), shelf.said):
                # Pages of which some had gone from the log into the file already.
                assert "the file is damaged" in Path(shelf.said).read_text()
                damaged += 1
                for path in folder.glob("library.db*"):
                    path.unlink()
                assert workers.run(args=args, said=shelf.said) == [0]
        # What was acknowledged may be lost with the log, and comes again with the whole file.
        last = [Document(id, content=text) for id, text in shelf.texts.items()]
        assert workers.run(args=["import", shelf.lines(last)], said=shelf.said) == [0]
    report(cuts=cut, damaged=damaged, pairs=shelf.check())


# --- beside Paperless ---------------------------------------------------------------------------------


@pytest.fixture
def office(folder: Path, stand_in: StandIn) -> Office:
    return Office(folder, stand_in, workers="1")


class Life:
    """What happens in Paperless: documents come, their texts are corrected, they are trashed."""

    def __init__(self, office: Office, seed: int) -> None:
        self.office = office
        self.chance = random.Random(seed)
        self._coming = self.chance.sample(DOCUMENTS, len(DOCUMENTS))

    def go_on(self) -> list[int]:
        """The documents to be announced; a correction and a deletion are not."""
        library = self.office.paperless.library
        if not self._coming:
            self._coming = [
                replace(each, content=f"{each.content} {some_text(3, self.chance.randrange(999))}")
                for each in self.chance.sample(DOCUMENTS, 30)
            ]
        some = [self._coming.pop() for _ in range(min(len(self._coming), 3))]
        ids = [self.office.add(each.content, title=each.title) for each in some]
        with library.lock:
            there = list(library.documents.values())
            if len(there) > 20 and self.chance.random() < 0.3:
                row = self.chance.choice(there)
                row.content += " Nachtrag"
                library.touch(row)
            if len(there) > 20 and self.chance.random() < 0.3:
                trash_document(library, self.chance.choice(there))
        for id in ids:
            leave_event(Spool(self.office.folder / "spool"), id)
        return ids


def test_consume_killed(office: Office, report: Report) -> None:
    life, killed = Life(office, 7), 0
    office.sync()
    with nursery(office) as workers:
        while killed < KILLS:
            life.go_on()
            for _ in range(2):
                statuses = workers.run(
                    args=["consume", "--inbox"], workers=2, said=str(office.folder / "said"),
                    **either(life.chance, 150, 0.5),
                )  # fmt: skip
                assert set(statuses) <= {0, KILLED}
                killed += statuses.count(KILLED)
    report(kills=killed, pairs=check_office(office))


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def serving(office: Office) -> list[str]:
    return ["serve", "--sync", "--port", str(free_port())]


def test_serve_killed(office: Office, report: Report) -> None:
    """The whole service, at any moment from its first on."""
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_SYNC_SECONDS"] = "1"
    office.environment["PAPERLESS_FINGERPRINT_SERVICE_OPEN"] = "true"
    life, killed = Life(office, 8), 0
    with nursery(office) as workers:
        while killed < KILLS:
            life.go_on()
            seconds = life.chance.choice((0.3, 1.0, 3.0))
            statuses = workers.run(
                args=serving(office), said=str(office.folder / "said"),
                kill_after=[life.chance.uniform(0, seconds)],
            )  # fmt: skip
            assert statuses == [KILLED]
            killed += 1
    report(kills=killed, pairs=check_office(office))


def test_replace_killed(office: Office, report: Report) -> None:
    """Of each two of one file the one that came last stays, the other lies in the trash; nothing
    is lost, and all of it can be undone."""
    office.environment["PAPERLESS_FINGERPRINT_EXACT_POLICY"] = "replace"
    library = office.paperless.library
    chance, killed, number = random.Random(9), 0, 0
    spool = Spool(office.folder / "spool")
    wanted, replaced = set(), set()
    office.sync()
    with nursery(office) as workers:
        while killed < KILLS:
            number += 1
            text = f"Rechnung Nr. {7_000 + number * 13} {some_text(70, number)}"
            old, new = office.add(text, data=b"%d" % number), office.add(text, data=b"%d" % number)
            replaced.add(old)
            wanted.add(new)
            for id in (old, new):
                leave_event(spool, id)
            for _ in range(2):
                statuses = workers.run(
                    args=["consume", "--inbox"], said=str(office.folder / "said"),
                    **either(chance, 160, 0.3),
                )  # fmt: skip
                assert set(statuses) <= {0, KILLED}
                killed += statuses.count(KILLED)
        assert workers.run(args=["consume", "--inbox"]) == [0]
    assert set(library.documents) == wanted
    assert set(library.trash) == replaced
    acts = AuditLog(office.folder / "library.audit.jsonl").standing()
    assert replaced <= {
        int(id) for act in acts if act.what == "merge" for id in act.details["titles"]
    }
    report(kills=killed, pairs=check_office(office))


def test_disk_full_beside_paperless(office: Office, report: Report) -> None:
    life, failures = Life(office, 10), 0
    said = str(office.folder / "said")
    office.sync()
    with nursery(office) as workers:
        for _ in range(scaled(40)):
            life.go_on()
            limit = int(2 ** life.chance.uniform(10, 20))
            for args in (["consume", "--inbox"], ["sync"]):
                failures += not failed_well(
                    workers.run(args=args, said=said, file_limit=limit), said
                )
    assert failures > scaled(10)
    report(refusals=failures, pairs=check_office(office))


def test_damaged_and_truncated_beside_paperless(office: Office, report: Report) -> None:
    """Logs that end somewhere, an inbox that is damaged, half an audit log and half an event: what
    is lost with them is in Paperless still, and 'sync --full' brings it."""
    life, broken = Life(office, 11), 0
    folder, said = office.folder, str(office.folder / "said")
    office.sync()
    with nursery(office) as workers:
        for number in range(scaled(40)):
            ids = life.go_on()
            workers.run(args=["consume", "--inbox"], said=said, **either(life.chance, 150, 0.5))
            for log in (folder / "library.db-wal", folder / "library.inbox.db-wal"):
                if log.exists() and (size := log.stat().st_size) and life.chance.random() < 0.7:
                    os.truncate(log, life.chance.randrange(size))
                    broken += 1
            for event in (folder / "spool").glob(f"*{ids[0]}*"):
                os.truncate(event, event.stat().st_size // 2)
                broken += 1
            if number % 10 == 9:
                inbox = folder / "library.inbox.db"
                inbox.write_bytes(life.chance.randbytes(5_000))
                failures = workers.run(args=["consume", "--inbox"], said=said)
                assert not failed_well(failures, said)
                for path in folder.glob("library.inbox.db*"):
                    path.unlink()
                broken += 1
            assert workers.run(args=["sync", "--full"], said=said) == [0], Path(said).read_text()
    report(broken=broken, pairs=check_office(office))


def test_a_clock_that_goes_backwards(
    office: Office, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A day each time, and a month after a failure."""
    days = 0
    real, real_ns = time.time, time.time_ns
    monkeypatch.setattr(time, "time", lambda: real() - days * 86_400)
    monkeypatch.setattr(time, "time_ns", lambda: real_ns() - days * 86_400 * 10**9)
    life = Life(office, 12)
    office.environment["PAPERLESS_FINGERPRINT_INBOX_FIRST_PAUSE_SECONDS"] = "300"
    with office.open() as place:
        place.paperless._connection._sleep = lambda _seconds: None
        object.__setattr__(place.inbox, "_clock", time.time)
        for number in range(scaled(40)):
            ids = life.go_on()
            if number % 4 == 0:
                office.paperless.faults.next(
                    Fault.SERVER_ERROR, 4, path=f"/api/documents/{ids[0]}/"
                )
                assert drain(place).tried == 1
                days += 29
            days += 1
            assert not drain(place).outage
    report(days=days, pairs=check_office(office))


def test_eight_hooks_at_once(office: Office, report: Report) -> None:
    """Each starts a worker of its own, as where no service runs."""
    program = office.folder / "paperless-fingerprint"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m paperless_fingerprint "$@"\n')
    program.chmod(0o755)
    life, hooks = Life(office, 13), 0
    environment = {
        **os.environ, **office.environment, "PAPERLESS_FINGERPRINT_COMMAND": str(program),
    }  # fmt: skip
    for _ in range(scaled(5)):
        ids = [id for _ in range(3) for id in life.go_on()][:8]
        running = [
            subprocess.Popen(
                [sys.executable, "-I", str(HOOK)], env={**environment, "DOCUMENT_ID": str(id)},
                stderr=subprocess.PIPE,
            )
            for id in ids
        ]  # fmt: skip
        workers = [
            subprocess.Popen(
                [str(program), "consume", "--inbox"], env=environment,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            )
            for _ in range(3)
        ]  # fmt: skip
        for process in [*running, *workers]:
            said = process.communicate(timeout=120)[1]
            assert process.returncode == 0, said
            hooks += 1
    report(processes=hooks, pairs=check_office(office))


def test_two_services_on_one_library(office: Office, report: Report) -> None:
    """Side by side, and now and then one or both are killed."""
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_SYNC_SECONDS"] = "1"
    office.environment["PAPERLESS_FINGERPRINT_SERVICE_OPEN"] = "true"
    office.environment["PAPERLESS_FINGERPRINT_SERVICE_PORT"] = "0"
    life, killed = Life(office, 14), 0
    with nursery(office) as workers:
        for _ in range(scaled(12)):
            life.go_on()
            times = sorted(life.chance.uniform(0.5, 4) for _ in range(2))
            statuses = workers.run(
                args=["serve", "--sync"], workers=2, said=str(office.folder / "said"),
                kill_after=times,
            )  # fmt: skip
            assert statuses == [KILLED, KILLED]
            killed += 2
    report(kills=killed, pairs=check_office(office))


# --- many groups resolved at once ---------------------------------------------------------------------

#: Groups of one batch.
GROUPS = scaled(1_000)


@contextlib.contextmanager
def service(office: Office, port: int) -> Iterator[tuple[subprocess.Popen, httpx.Client]]:
    """`serve` as a process, and the API as a program with the administrator's token has it."""
    said = (office.folder / "said").open("a")
    process = subprocess.Popen(
        [sys.executable, "-m", "paperless_fingerprint", "serve", "--port", str(port)],
        env={**os.environ, **office.environment}, stdout=said, stderr=said,
    )  # fmt: skip
    token = {"Authorization": f"Token {office.paperless.token}"}
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", headers=token, timeout=300
        ) as client:
            until(lambda: _answers(client), "the service", seconds=120)
            yield process, client
    finally:
        process.kill()
        process.wait(60)
        said.close()


def _answers(client: httpx.Client) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return client.get("/api/review").json().get("ready", False)
    return False


@pytest.mark.timeout(7_200)
def test_a_batch_killed_in_its_middle(office: Office, report: Report) -> None:
    """Thousands of groups at once: the service dies in the middle, each document is moved once, and
    one undo brings all of it back."""
    library = office.paperless.library
    tag = library.add_label("tags", OWN).id
    copies = {}
    for number in range(GROUPS):
        text = f"Vorgang {number} {some_text(40, seed=number)}"
        copies[office.add(text, tags=[tag], title=f"copy {number}")] = office.add(text)
    office.sync()
    before = {row.id: (row.title, tuple(row.tags)) for row in library.documents.values()}
    port = free_port()
    order = {"selection": {"items": [], "filters": {"relation": "exact"}}, "rules": ["oldest"]}

    def over(client: httpx.Client, number: int, state: str) -> dict | None:
        found = client.get(f"/api/review/batches/{number}").json()
        return found if found[state] + found["refused"] == GROUPS else None

    with service(office, port) as (process, client):
        look = client.post("/api/review/resolve-many/preview", json=order).json()
        assert (look["groups"], look["documents"]) == (GROUPS, GROUPS)
        began = time.monotonic()
        started = client.post("/api/review/resolve-many", json={**order, "seen": look["seen"]})
        number = started.json()["number"]
        until(lambda: len(library.trash) >= GROUPS / 2, "half of it", seconds=3_600)
        process.kill()
        process.wait(60)
    assert len(library.trash) < GROUPS
    with service(office, port) as (_, client):
        found = until(lambda: over(client, number, "done"), "the batch", seconds=3_600)
        seconds = time.monotonic() - began
        assert (found["total"], found["done"], found["problems"]) == (GROUPS, GROUPS, [])
        assert set(library.trash) == set(copies)
        # What the copies had is with those that are kept.
        assert all(tag in library.documents[id].tags for id in copies.values())
        acts = AuditLog(office.folder / "library.audit.jsonl").acts()
        moved = [id for act in acts if act.what == "merged" for id in act.details["trashed"]]
        assert sorted(moved) == sorted(copies)
        began = time.monotonic()
        assert client.post("/api/review/undo", json={"number": number}).status_code == 200
        until(lambda: over(client, number, "undone"), "the undo", seconds=3_600)
        back = time.monotonic() - began
    assert library.trash == {}
    assert {r.id: (r.title, tuple(r.tags)) for r in library.documents.values()} == before
    report(groups=GROUPS, kills=1, seconds=round(seconds), seconds_to_undo=round(back))


# --- Elasticsearch ------------------------------------------------------------------------------------


@pytest.mark.elasticsearch
def test_a_node_killed_in_the_middle_of_a_bulk(
    folder: Path, elasticsearch_cluster, report: Report
) -> None:
    """Of three, the one that holds the documents, while an import writes them."""
    from elasticsearch_nodes import client_for

    prefix = "pf-test-faults"
    shelf = Shelf(
        folder,
        PAPERLESS_FINGERPRINT_STORE=",".join(elasticsearch_cluster.urls),
        PAPERLESS_FINGERPRINT_ELASTICSEARCH_PREFIX=prefix,
        PAPERLESS_FINGERPRINT_ELASTICSEARCH_REPLICAS="1",
    )
    chance = random.Random(15)
    with Library(settings=shelf.settings) as library:
        library.add(*DOCUMENTS[:5])
        with client_for(elasticsearch_cluster.urls[0]) as client:
            shards = client.cat.shards(index=f"{prefix}-documents", format="json", h="prirep,node")
        holder = next(shard["node"] for shard in shards if shard["prirep"] == "p")
        begun, done = threading.Event(), threading.Event()

        def kill() -> None:
            begun.wait()
            elasticsearch_cluster.kill(["one", "two", "three"].index(holder))
            done.set()

        killer = threading.Thread(target=kill)
        killer.start()
        tries = 0
        while not done.is_set() or not shelf.texts:
            for some in _cut(chance, chance.sample(DOCUMENTS, len(DOCUMENTS))):
                file = shelf.lines(some)
                begun.set()
                while True:
                    tries += 1
                    # Away for a while: said in a sentence, and tried again.
                    with contextlib.suppress(FingerprintError), Path(file).open("rb") as lines:
                        if not library.import_lines(lines).bad:
                            break
        killer.join()
        with Path(shelf.lines(DOCUMENTS)).open("rb") as lines:
            library.import_lines(lines)
    report(nodes_killed=1, imports=tries, pairs=shelf.check())


@pytest.mark.elasticsearch
def test_a_shard_that_has_lost_its_node(
    tmp_path: Path, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without replicas a part of the documents is gone: that is said, and nobody is answered as if the
    others were all."""
    from elasticsearch_nodes import Cluster, client_for, open_test_store

    monkeypatch.setattr(scan, "PATIENCE_SECONDS", 2.0)
    cluster = Cluster(tmp_path)
    with contextlib.ExitStack() as opened:
        opened.callback(cluster.stop)
        store = open_test_store(",".join(cluster.urls), "pf-test-shards", shards=3)
        opened.callback(store.close)
        searcher = searcher_of(store)
        opened.callback(searcher.close)
        searching = Search(store, searcher, FingerprintSpec())
        store.put([stored(id, some_text(60, 1)) for id in range(1, 61)])
        fingerprint = store.get([1])[1].fingerprint
        assert len(store.ids()) == 60
        with client_for(cluster.urls[0]) as client:
            shards = client.cat.shards(index="pf-test-shards-documents", format="json", h="node")
        cluster.kill(["one", "two", "three"].index(shards[0]["node"]))
        questions = (
            store.ids,
            lambda: store.candidates(fingerprint),
            lambda: list(store.documents()),
            lambda: searching.run(Request("FINGERPRINT:1")),
            lambda: store.report().counts.documents,
        )
        for ask in questions:
            with pytest.raises(StoreError):
                ask()
    report(nodes_killed=1, questions=len(questions))
