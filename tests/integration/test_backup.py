"""`backup` and `restore`: all of a library or nothing, whatever happens meanwhile."""

from __future__ import annotations

import json
import lzma
import os
import shutil
import signal
import sqlite3
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import paperless_fingerprint as pf
from documents import some_text, stored
from paperless_fingerprint.cli import main
from paperless_fingerprint.files import sqlite
from paperless_fingerprint.files.lock import FileLock
from paperless_fingerprint.integration.audit import AuditLog
from paperless_fingerprint.integration.context import open_inbox
from paperless_fingerprint.library import backup as backups
from paperless_fingerprint.library.lock import path_of_audit, path_of_journal
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.review.journal import Journal
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.sqlite import SqliteStore

FIXTURES = Path(__file__).parent.parent / "fixtures"


class House:
    """A library with all that lies beside it, and the program."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.store = f"sqlite:///{folder}/library.db"
        self.settings = load({"store": self.store})

    def __call__(self, *arguments: str) -> Result:
        return CliRunner().invoke(main, ["--store", self.store, *arguments])

    def json(self, *arguments: str) -> dict:
        done = self(*arguments, "--json")
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    def fill(self, *ids: int) -> None:
        with pf.Library(self.store) as library:
            # Two at a time have one text.
            library.add(*(pf.Document(id, content=some_text(60, id // 2)) for id in ids))
            library.analyse()
        file, inbox = open_inbox(self.settings)
        inbox.add(ids)
        file.close()
        AuditLog(path_of_audit(self.settings)).write("now", "trash", ids[0], "policy replace")
        Journal(path_of_journal(self.settings)).close()

    def contents(self) -> tuple[object, ...]:
        with pf.Library(self.store, create=False) as library:
            documents = {id: library.about(id).document.content for id in library.store.ids()}
            pairs = sorted((pair.a, pair.b) for pair in library.pairs())
            decisions = sorted((d.a, d.b) for d in library.store.decisions())
        file, inbox = open_inbox(self.settings)
        waiting = inbox.counts()["waiting"]
        file.close()
        acts = AuditLog(path_of_audit(self.settings)).acts()
        return documents, pairs, decisions, waiting, [act.document_id for act in acts]


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def house(tmp_path: Path) -> House:
    made = House(tmp_path / "house")
    made.fill(2, 3, 4, 5)
    assert made("dismiss", "4", "5").exit_code == 0
    return made


@pytest.fixture
def other(tmp_path: Path) -> House:
    return House(tmp_path / "other")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "backup.zip"


def test_what_was_there_comes_back_elsewhere(house: House, other: House, file: Path) -> None:
    before = house.contents()
    assert before[1:] == ([(2, 3)], [(4, 5)], 4, [2])
    assert house("backup", str(file)).exit_code == 0
    done = other("restore", str(file), "--yes")
    assert done.exit_code == 0, done.output
    assert "4 documents, 1 pairs, 1 groups, 1 decisions" in done.stdout
    assert other.contents() == before
    assert {path.name for path in house.folder.parent.iterdir()} >= {"backup.zip"}
    assert not list(house.folder.parent.glob("*.part"))
    for path in (file, *other.folder.iterdir()):
        assert path.stat().st_mode & 0o777 == 0o600, path


def test_a_restore_shows_first_and_changes_nothing(house: House, other: House, file: Path) -> None:
    house("backup", str(file))
    shown = other("restore", str(file))
    assert shown.exit_code == 0
    assert "4 documents" in shown.stdout
    assert "Nothing was changed; --yes restores it" in shown.stderr
    assert not (other.folder / "library.db").exists()
    assert not list(other.folder.glob("*.part"))


def test_what_is_there_is_moved_aside_and_only_when_asked(
    house: House, other: House, file: Path
) -> None:
    house("backup", str(file))
    other.fill(8, 9)
    before = other.contents()
    shown = other.json("restore", str(file))
    assert str(other.folder / "library.db") in shown["present"]
    refused = other("restore", str(file), "--yes")
    assert refused.exit_code == 2
    assert "--overwrite" in refused.stderr
    assert other.contents() == before
    done = other.json("restore", str(file), "--yes", "--overwrite")
    assert other.contents() == house.contents()
    kept = {Path(path).name.partition(".before-")[0]: path for path in done["moved"]}
    assert set(kept) == {
        "library.db",
        "library.inbox.db",
        "library.review.db",
        "library.audit.jsonl",
    }
    with closing(SqliteStore(kept["library.db"])) as store:
        assert store.ids() == [8, 9]


def test_a_backup_is_of_one_moment_while_others_write(
    house: House, other: House, file: Path
) -> None:
    """Each write puts a pair of documents in; a copy that was torn would have a half of one, or
    would not be sound."""
    stop, written = threading.Event(), threading.Event()
    count = 0

    def write() -> None:
        nonlocal count
        with closing(SqliteStore(house.folder / "library.db")) as store:
            while not stop.is_set():
                count += 2
                store.put(
                    [stored(100 + count, f"one {count}"), stored(101 + count, f"two {count}")]
                )
                written.set()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(5):
            written.clear()
            assert written.wait(60)
            assert house("backup", str(file), "--overwrite").exit_code == 0
            assert other("restore", str(file), "--yes", "--overwrite").exit_code == 0
            with closing(SqliteStore(other.folder / "library.db")) as store:
                ids = set(store.ids())
            assert {id for id in ids if id > 100} == {
                id for even in range(102, max(ids) + 1, 2) for id in (even, even + 1)
            }
    finally:
        stop.set()
        thread.join()
    assert count > 8


def test_a_library_in_use_is_not_replaced(house: House, other: House, file: Path) -> None:
    house("backup", str(file))
    other.fill(8, 9)
    before = other.contents()
    with closing(SqliteStore(other.folder / "library.db")):
        done = other("restore", str(file), "--yes", "--overwrite")
        assert done.exit_code == 5
        assert "Stop `serve`" in done.stderr
    assert other.contents() == before
    with FileLock(other.folder / "library.inbox.db.lock").held():
        assert other("restore", str(file), "--yes", "--overwrite").exit_code == 5


def killed_at(step: int, work: Callable[[], object]) -> bool:
    """Whether a process that does `work` was killed before its `step`-th touch of a file."""
    number = os.fork()
    if number == 0:
        left = step

        def counted(original: Callable[..., object]) -> Callable[..., object]:
            def call(*arguments: object, **named: object) -> object:
                nonlocal left
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return original(*arguments, **named)

            return call

        status = 1
        try:
            for owner, name in (
                (Path, "rename"), (Path, "replace"), (Path, "unlink"), (Path, "mkdir"),
                (Path, "write_text"), (os, "fsync"), (sqlite.sqlite3, "connect"),
                (shutil, "copyfileobj"), (zipfile.ZipFile, "write"),
            ):  # fmt: skip
                setattr(owner, name, counted(getattr(owner, name)))
            work()
            status = 0
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    assert status in {0, -signal.SIGKILL}
    return status != 0


def until_it_ends(work: Callable[[], object]) -> Iterator[int]:
    step = 1
    while killed_at(step, work):
        yield step
        step += 1
    assert step > 15


def test_a_backup_that_is_killed_leaves_the_one_before(
    house: House, other: House, file: Path
) -> None:
    house("backup", str(file))
    before = file.read_bytes()

    def work() -> None:
        backups.back_up(house.settings, file, Silent(), overwrite=True)

    for _ in until_it_ends(work):
        # Either is whole.
        if file.read_bytes() != before:
            with zipfile.ZipFile(file) as packed:
                assert packed.testzip() is None
    assert not file.with_name("backup.zip.part").exists()
    assert other("restore", str(file), "--yes").exit_code == 0
    assert other.contents() == house.contents()


def test_a_restore_that_is_killed_is_done_again_and_nothing_is_lost(
    house: House, other: House, file: Path
) -> None:
    house("backup", str(file))
    expected = house.contents()

    def work() -> None:
        backups.restore(other.settings, file, Silent(), yes=True, overwrite=True)

    other.fill(8, 9)
    template = shutil.copytree(other.folder, other.folder.with_name("template"))
    for step in until_it_ends(work):
        # What was there is there still, under one name or another.
        found = [path for path in other.folder.glob("library.db*") if _documents(path) == [8, 9]]
        assert len(found) == 1, step
        work()
        assert other.contents() == expected
        assert not list(other.folder.glob("*.part*"))
        shutil.rmtree(other.folder)
        shutil.copytree(template, other.folder)


def _documents(path: Path) -> list[int]:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return [id for (id,) in connection.execute("SELECT id FROM document ORDER BY id")]
    except sqlite3.DatabaseError:
        return []


def test_settings_go_along_without_secrets(
    house: House, other: House, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as there:
        for name, value in {
            "NEAR_THRESHOLD": "0.9",
            "EXACT_ENABLED": "false",
            "PAPERLESS_TOKEN": "s3cret-token",
            "PAPERLESS_URL": "https://anna:s3cret@paperless.example:8443/docs",
            "PAPERLESS_TAG_NEAR": 'Dup "près" \\ 重複',
        }.items():
            there.setenv(f"PAPERLESS_FINGERPRINT_{name}", value)
        assert house("backup", str(file)).exit_code == 0
    with zipfile.ZipFile(file) as packed:
        for name in packed.namelist():
            assert b"s3cret" not in packed.read(name)
        told = packed.read("settings.toml")
    (house.folder / "config.toml").write_bytes(told)
    settings = load(environment={}, file=house.folder / "config.toml")
    assert settings.near.threshold == 0.9
    assert settings.exact.enabled is False
    assert settings.paperless.token is None
    assert settings.paperless.url == "https://paperless.example:8443/docs"
    assert settings.paperless.tag_near == 'Dup "près" \\ 重複'
    assert settings.store == house.store
    differing = other.json("restore", str(file))["settings"]
    assert differing["near.threshold"] == {"backup": 0.9, "now": 0.85}
    assert "store" not in differing


def test_a_backup_of_an_earlier_version_is_restored_and_a_newer_one_refused(
    other: House, file: Path
) -> None:
    for name, format in (("9f30fad", 1), ("00a9411", 4)):
        house = House(other.folder.parent / name)
        packed = FIXTURES / f"library-{name}.db.xz"
        (house.folder / "library.db").write_bytes(lzma.decompress(packed.read_bytes()))
        assert house("backup", str(file), "--overwrite").exit_code == 0
        with closing(sqlite3.connect(house.folder / "library.db")) as connection:
            # A backup before an upgrade does not upgrade.
            assert connection.execute("PRAGMA user_version").fetchone() == (format,)
        assert other("restore", str(file), "--yes", "--overwrite").exit_code == 0
        assert len(other.contents()[0]) == 12
    with closing(sqlite3.connect(house.folder / "library.db")) as connection:
        connection.execute("PRAGMA user_version = 99")
    house("backup", str(file), "--overwrite")
    before = other.contents()
    done = other("restore", str(file), "--yes", "--overwrite")
    assert done.exit_code == 5
    assert "newer paperless-fingerprint" in done.stderr
    assert other.contents() == before


def test_what_is_no_sound_backup_is_refused_in_one_sentence(
    house: House, other: House, file: Path, tmp_path: Path
) -> None:
    house("backup", str(file))
    whole = file.read_bytes()
    middle = len(whole) // 2
    broken = tmp_path / "broken.zip"
    for content in (
        b"", b"no zip", whole[: middle], whole[:middle] + bytes(2000) + whole[middle + 2000 :],
    ):  # fmt: skip
        broken.write_bytes(content)
        done = other("restore", str(broken), "--yes")
        assert done.exit_code == 5, done.output
        assert "is damaged, or no backup of ours" in done.stderr
        assert not (other.folder / "library.db").exists()
    assert other("restore", str(tmp_path / "nothing.zip")).exit_code == 2


def test_a_backup_that_cannot_be_made_says_why(house: House, other: House, file: Path) -> None:
    assert other("backup", str(file)).exit_code == 5
    house("backup", str(file))
    again = house("backup", str(file))
    assert again.exit_code == 2
    assert "--overwrite" in again.stderr
    missing = house("backup", str(house.folder / "nowhere" / "backup.zip"))
    assert missing.exit_code == 5
    assert "No such file or directory" in missing.stderr
    # A page of a table in the middle of the file.
    with (house.folder / "library.db").open("r+b") as damaged:
        damaged.seek(8192 * 3)
        damaged.write(b"\xff" * 8192 * 3)
    before = file.read_bytes()
    done = house("backup", str(file), "--overwrite")
    assert done.exit_code == 5
    assert "damaged" in done.stderr
    assert file.read_bytes() == before
    # And it is put right with the one from before.
    assert house("restore", str(file), "--yes", "--overwrite").exit_code == 0
    assert len(house.contents()[0]) == 4


@pytest.mark.elasticsearch
def test_a_library_in_elasticsearch_goes_through_a_file(
    house: House, file: Path, tmp_path: Path, elasticsearch9: str, index_prefix: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PAPERLESS_FINGERPRINT_ELASTICSEARCH_PREFIX", index_prefix)

    def there(*arguments: str) -> Result:
        return CliRunner().invoke(main, ["--store", elasticsearch9, *arguments])

    house("backup", str(file))
    assert there("restore", str(file), "--yes").exit_code == 0
    found = [json.loads(line) for line in there("pairs", "--json").stdout.splitlines()]
    assert [(pair["a"], pair["b"]) for pair in found] == [(2, 3)]
    done = there("backup", str(file), "--overwrite")
    assert done.exit_code == 0, done.output
    # It is full now, and is not written over.
    assert there("restore", str(file), "--yes", "--overwrite").exit_code == 2
    assert house("restore", str(file), "--yes", "--overwrite").exit_code == 0
    assert house.contents()[1:3] == ([(2, 3)], [(4, 5)])
