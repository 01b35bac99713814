"""The folder of events: whole or not at all, in order, and what is damaged stays visible."""

from __future__ import annotations

import errno
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperless_fingerprint.paperless import spool as module
from paperless_fingerprint.paperless.spool import Spool, SpoolError, default_folder, folder_of
from spooling import leave_event


@pytest.fixture
def spool(tmp_path) -> Spool:
    return Spool(tmp_path / "spool", abandoned_seconds=0)


def ids(spool: Spool) -> list[int]:
    return [event.document_id for event in spool.events()]


def put(spool: Spool, name: str, content: bytes) -> None:
    spool.folder.mkdir(parents=True, exist_ok=True)
    (spool.folder / name).write_bytes(content)


def test_a_folder_that_nobody_has_made_yet_is_empty(spool):
    assert ids(spool) == []
    assert spool.damaged() == []


def test_events_come_in_the_order_in_which_they_were_written(spool):
    for number in (7, 3, 9, 3):
        leave_event(spool, number)
    assert ids(spool) == [7, 3, 9, 3]
    assert ids(spool) == [7, 3, 9, 3]  # reading takes nothing away


def test_an_event_that_was_removed_is_gone_and_may_be_removed_again(spool):
    first, second = leave_event(spool, 1), leave_event(spool, 2)
    spool.remove(first)
    spool.remove(first)
    spool.sync()
    assert ids(spool) == [second.document_id]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 100,
        b"{",
        b"[]",
        b"12",
        b"null",
        b'{"document_id": 12}',
        b'{"format": 2, "document_id": 12}',
        b'{"format": 1, "document_id": "12"}',
        b'{"format": 1, "document_id": true}',
        b'{"format": 1, "document_id": 0}',
        b'{"format": 1, "document_id": 99999999999}',
        b'{"format": 1, "document_id": 1' + b" " * 5000 + b"}",
        b"[" * 3000,
        b"\xff\xfe",
    ],
)
def test_what_is_no_event_is_set_aside_and_not_lost(spool, content):
    leave_event(spool, 1)
    put(spool, "00000000000000000001-aa.json", content)
    leave_event(spool, 2)
    assert ids(spool) == [1, 2]
    assert [path.read_bytes() for path in spool.damaged()] == [content]
    assert ids(spool) == [1, 2]


def test_two_damaged_files_of_one_name_are_both_kept(spool):
    for content in (b"one", b"two"):
        put(spool, "1.json", content)
        assert ids(spool) == []
    assert {path.read_bytes() for path in spool.damaged()} == {b"one", b"two"}


def test_other_peoples_files_are_left_alone(spool):
    put(spool, "README.txt", b"hello")
    put(spool, ".hidden", b"hello")
    (spool.folder / "folder.json").mkdir()
    assert ids(spool) == []
    assert len(list(spool.folder.iterdir())) == 3


def test_a_pipe_or_a_link_in_the_folder_holds_nobody_up(spool):
    event = leave_event(spool, 1)
    os.mkfifo(spool.folder / "0.json")
    os.mkfifo(spool.folder / ".0.json.tmp")
    (spool.folder / "1.json").symlink_to(event.path)
    assert ids(spool) == [1]
    assert [path.name for path in spool.unreadable()] == ["0.json", "1.json"]


def test_a_whole_event_that_was_never_renamed_is_rescued(spool):
    put(spool, ".00000000000000000005-aa.json.tmp", b'{"format": 1, "document_id": 5}\n')
    assert ids(spool) == [5]


def test_half_an_event_that_was_never_renamed_is_set_aside(spool):
    put(spool, ".00000000000000000005-aa.json.tmp", b'{"format": 1, "docu')
    assert ids(spool) == []
    assert len(spool.damaged()) == 1


def test_an_event_that_is_being_written_is_left_in_peace(tmp_path):
    spool = Spool(tmp_path, abandoned_seconds=3600)
    put(spool, ".00000000000000000005-aa.json.tmp", b'{"format": 1, "document_id": 5}\n')
    assert ids(spool) == []
    assert len(list(tmp_path.iterdir())) == 1


def test_a_file_that_another_reader_took_is_no_error(spool):
    leave_event(spool, 1)
    last = leave_event(spool, 2)
    reading = spool.events()
    assert next(reading).document_id == 1
    spool.remove(last)
    assert list(reading) == []


def test_a_file_that_may_not_be_read_stays_and_is_shown(spool, monkeypatch):
    locked, other = leave_event(spool, 1), leave_event(spool, 2)
    real = module._content

    def content(path):
        if path == locked.path:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(path)

    monkeypatch.setattr(module, "_content", content)
    assert ids(spool) == [other.document_id]
    assert spool.unreadable() == [locked.path]
    monkeypatch.undo()
    assert ids(spool) == [1, 2]


def test_a_spool_that_is_no_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(SpoolError, match="cannot be read"):
        ids(Spool(tmp_path / "file"))


def test_the_folder_does_not_depend_on_where_we_stand(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir("/")
    assert folder_of("events") == tmp_path / "events"
    assert folder_of("~/events") == tmp_path / "events"
    assert folder_of("/var/spool/x") == module.Path("/var/spool/x")


def test_the_default_lies_with_paperless_where_that_is_known(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr(module, "_IN_DOCKER", tmp_path / "not-here")
    monkeypatch.delenv("PAPERLESS_DATA_DIR", raising=False)
    assert folder_of("") == tmp_path / ".local/state/paperless-fingerprint/spool"
    monkeypatch.setenv("PAPERLESS_DATA_DIR", str(tmp_path))
    assert default_folder() == tmp_path / "paperless-fingerprint/spool"


@given(st.binary(max_size=200))
def test_no_content_whatever_stops_the_reader(content):
    found = module._parse(content)
    assert found is None or json.loads(content)["document_id"] == found[0]
