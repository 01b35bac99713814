"""The demo goes the true way: upload, hook, spool, inbox, tags."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import httpx
import pytest
from click.testing import CliRunner

from paperless_fingerprint.cli import main
from paperless_fingerprint.demo import library
from paperless_fingerprint.demo.library import sample_library
from paperless_fingerprint.demo.run import demo_office, do_inbox, told, upload
from paperless_fingerprint.library.uncompared import uncompared
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.settings.loading import load


@pytest.fixture
def quiet(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    # What a person has set for the true Paperless must not be touched by a demo.
    monkeypatch.setenv("PAPERLESS_FINGERPRINT_PAPERLESS_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("PAPERLESS_FINGERPRINT_STORE", f"sqlite:///{tmp_path}/mine.db")
    monkeypatch.setenv("PAPERLESS_FINGERPRINT_SERVICE_URL", "http://127.0.0.1:1")
    return tmp_path


def test_every_upload_is_announced_done_and_told(quiet, tmp_path):
    documents = [each for each in sample_library() if each.id <= 12 or each.id in {38, 39, 41}]
    folder = tmp_path / "demo"
    folder.mkdir()
    settings = load()
    with demo_office(folder, settings, Silent()) as (paperless, place):
        upload(paperless, documents, Silent())
        assert [log for log in paperless.consumption.log if log[1] or log[2]] == []
        assert do_inbox(place) == len(documents)
        shown = {each.id: each for each in told(paperless, documents)}
        for group in place.store.groups():
            for id in group.members:
                tag = "Has duplicates" if id == group.primary else "Duplicate ("
                assert any(name.startswith(tag) for name in shown[id].tags)
        assert len(paperless.library.views) == 1
        # A photo, and what Paperless could not open.
        reasons = {each.id: each.reason.value for each in uncompared(place.store)}
        assert reasons == {38: "no_text", 39: "encrypted", 41: "encrypted"}
    assert not (tmp_path / "mine.db").exists()


def test_on_the_command_line(quiet):
    done = CliRunner().invoke(main, ["demo", "--once"])
    assert done.exit_code == 0, done.output
    assert "Duplicate of" in done.stdout
    assert "near" in done.stdout
    assert "The sample library" in done.stderr
    assert "announced" in done.stderr
    assert not list(quiet.glob("mine*"))


def test_the_page_is_open_until_ctrl_c(quiet, tmp_path):
    """As a person sees it: the address is said, the page is there, and Ctrl-C ends it in order."""
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PAPERLESS_FINGERPRINT_SERVICE_PORT": "0"}
    command = [sys.executable, "-m", "paperless_fingerprint", "demo"]
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as demo:
        said = next(line for line in demo.stderr if "http://127.0.0.1:" in line)
        address = re.search(r"http://127\.0\.0\.1:\d+", said)[0]
        # No sign-in is asked for on this machine; from another name nobody is let in.
        with httpx.Client(base_url=address, follow_redirects=True, timeout=60) as browser:
            page = browser.get("/")
            assert page.status_code == 200
            assert "Duplicates" in page.text
            assert browser.get("/", headers={"Host": "elsewhere.example"}).status_code == 403
        demo.send_signal(signal.SIGINT)
        rest = demo.stderr.read()
        assert demo.wait(60) == 0, rest
    assert "The page is closed" in rest
    assert not list(tmp_path.glob("paperless-fingerprint-demo-*"))


@pytest.fixture
def few(quiet, monkeypatch):
    """Of the sample library, for what does not depend on how many there are."""
    some = sample_library()[:12]
    monkeypatch.setattr(library, "sample_library", lambda: some)


def test_without_the_web_parts_the_demo_ends_with_a_hint(few, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = CliRunner().invoke(main, ["demo"])
    assert done.exit_code == 0, done.output
    assert "paperless-fingerprint[web]" in done.stderr


def test_as_json_the_pairs(few):
    done = CliRunner().invoke(main, ["demo", "--once", "--json"])
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {"a", "b", "relation", "confidence"} <= rows[0].keys()
