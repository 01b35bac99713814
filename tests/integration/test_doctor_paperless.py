"""What `doctor` says about Paperless, the token, the hook, the spool and the inbox."""

from __future__ import annotations

import shutil

import pytest
from paperless_fixtures import HOOK
from paperless_work import LETTER, Office

from paperless_fingerprint.checkup import paperless
from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.errors import ExitCode


@pytest.fixture
def office(tmp_path, stand_in: StandIn, monkeypatch) -> Office:
    monkeypatch.delenv(paperless.HOOK_VARIABLE, raising=False)
    return Office(tmp_path, stand_in)


def examine(office: Office) -> tuple[dict[str, list[str]], ExitCode]:
    """What is amiss, by part."""
    findings, code = paperless.examine(office.settings)
    amiss: dict[str, list[str]] = {}
    for finding in findings:
        if not finding.ok:
            amiss.setdefault(finding.part, []).append(finding.message)
    assert not any(office.paperless.token in finding.message for finding in findings)
    return amiss, code


def test_all_is_well(office):
    office.consume(office.add(LETTER))
    assert examine(office) == ({}, ExitCode.DONE)


def test_paperless_away(office):
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_URL"] = "http://127.0.0.1:1"
    amiss, code = examine(office)
    assert "cannot be reached" in amiss["paperless"][0]
    assert code is ExitCode.PAPERLESS


def test_a_token_that_is_wrong(office):
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN"] = "wrong"
    amiss, _ = examine(office)
    assert "does not accept the token" in amiss["paperless"][0]


def test_each_missing_permission_by_its_name(office):
    people = office.paperless.library.people
    some = ["view_document", "view_uisettings", "view_tag", "view_correspondent"]
    user = people.add_user("helfer", "x", permissions=some)
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN"] = people.token_of(user)
    amiss, code = examine(office)
    named = "\n".join(amiss["token"])
    for name in paperless.PERMISSIONS:
        assert (f"lacks the permission {name}:" in named) is (name not in some)
    assert code is ExitCode.PAPERLESS


def test_a_token_that_may_not_even_see_its_own_permissions(office):
    people = office.paperless.library.people
    user = people.add_user("helfer", "x", permissions=["view_document"])
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN"] = people.token_of(user)
    amiss, _ = examine(office)
    assert "view_uisettings" in amiss["token"][0]
    assert any(message.startswith("view_tag is missing") for message in amiss["token"])


def test_a_user_who_is_no_administrator_is_enough(office):
    people = office.paperless.library.people
    user = people.add_user("helfer", "x", permissions=list(paperless.PERMISSIONS))
    office.add(LETTER)
    office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN"] = people.token_of(user)
    assert examine(office) == ({}, ExitCode.DONE)
    a, b = office.add(LETTER), office.add(LETTER)
    office.consume(a, b)
    assert office.tags(b) == {"Duplicate (exact)"}
    assert office.fields(b)["Duplicate of"] == [a]
    assert len(office.paperless.library.views) == 1


def test_clocks_that_do_not_agree(office, monkeypatch):
    module = "paperless_fingerprint.paperless.connection"
    monkeypatch.setattr(f"{module}._clock_ahead", lambda _reply: 7200.0)
    amiss, _ = examine(office)
    assert "7,200 seconds ahead" in amiss["clock"][0]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: path.chmod(0o644), "chmod 755"),
        (lambda path: path.chmod(0o777), "Everyone may write"),
        (lambda path: path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n")), "Windows"),
        (lambda path: path.write_bytes(b"import os\n"), "does not begin"),
        (lambda path: path.write_bytes(b"#!/bin/sh\nexit 0\n"), "another program"),
        (lambda path: path.unlink(), "cannot be read"),
    ],
)
def test_a_hook_that_would_not_work(office, tmp_path, monkeypatch, spoil, said):
    path = tmp_path / "post_consume.py"
    shutil.copy(HOOK, path)
    path.chmod(0o755)
    monkeypatch.setenv(paperless.HOOK_VARIABLE, str(path))
    assert examine(office)[0] == {}
    spoil(path)
    amiss, code = examine(office)
    assert said in " ".join(amiss["hook"])
    assert code is ExitCode.CONFIGURATION


def test_damaged_events_and_failures_are_shown(office):
    spool = office.folder / "spool"
    spool.mkdir()
    (spool / "0-x.json").write_text("{")
    with office.open() as place:
        place.inbox.add([3])
        for _ in range(8):
            place.inbox.failed(place.inbox.events()[0], "no luck")
    amiss, _ = examine(office)
    assert "damaged" in amiss["spool"][0]
    assert "1 document failed" in amiss["inbox"][0]


def test_a_spool_in_which_everybody_may_write(office):
    folder = office.folder / "spool"
    folder.mkdir()
    folder.chmod(0o777)
    assert "chmod 2770" in examine(office)[0]["spool"][0]
    folder.chmod(0o2770)
    assert "spool" not in examine(office)[0]


def test_a_service_without_a_secret(office):
    office.environment["PAPERLESS_FINGERPRINT_SERVICE_URL"] = "http://worker:8760"
    assert "no secret" in examine(office)[0]["service"][0]
