"""What `doctor` finds out by trying, and before anything is there."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from paperless_work import LETTER, Office
from test_worker import SECRET, serving

from paperless_fingerprint.checkup import library
from paperless_fingerprint.cli import main
from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.errors import ExitCode


@pytest.fixture
def office(tmp_path, stand_in: StandIn, monkeypatch) -> Office:
    monkeypatch.delenv("PAPERLESS_POST_CONSUME_SCRIPT", raising=False)
    return Office(tmp_path, stand_in)


def amiss(office: Office, part: str) -> list[str]:
    found = library.examine(office.settings).findings
    return [f.message for f in found if f.part == part and not f.ok]


def test_before_the_first_sync_all_may_be_well(office, monkeypatch):
    for name, value in office.environment.items():
        monkeypatch.setenv(name, value)
    done = CliRunner().invoke(main, ["doctor"])
    assert "Nothing is there yet" in done.stdout
    assert done.exit_code == 0, done.output


def test_the_service_is_called_as_the_hook_would(office):
    with serving(office) as served:
        office.environment["PAPERLESS_FINGERPRINT_SERVICE_URL"] = served.url + "/"
        office.environment["PAPERLESS_FINGERPRINT_SERVICE_SECRET"] = SECRET
        assert amiss(office, "service") == []
        office.environment["PAPERLESS_FINGERPRINT_SERVICE_SECRET"] = "schlüssel"
        assert "does not accept the secret" in amiss(office, "service")[0]
        office.environment["PAPERLESS_FINGERPRINT_SERVICE_URL"] = office.paperless.url
        assert "HTTP 40" in amiss(office, "service")[0]
        assert served.metric("events_accepted_total") == 0
    office.environment["PAPERLESS_FINGERPRINT_SERVICE_URL"] = served.url
    assert "Nothing answers" in amiss(office, "service")[0]
    assert library.examine(office.settings).exit_code is not ExitCode.DONE


def test_a_misspelt_variable_is_named(office):
    office.environment["PAPERLESS_FINGERPRINT_SIMILARITY_TRESHOLD"] = "0.8"
    [message] = amiss(office, "settings")
    assert "SIMILARITY_TRESHOLD is set" in message
    assert "PAPERLESS_FINGERPRINT_SIMILARITY_THRESHOLD?" in message
    assert library.examine(office.settings).exit_code is ExitCode.CONFIGURATION


@pytest.mark.parametrize("file", ["library.db", "library.inbox.db"])
def test_damage_in_the_middle_of_a_file_is_found(office, file):
    office.consume(*(office.add(f"{LETTER} {number}") for number in range(30)))
    part = {"library.db": "store", "library.inbox.db": "inbox"}[file]
    assert amiss(office, part) == []
    path = office.folder / file
    for rest in office.folder.glob(f"{file}-*"):
        rest.unlink()
    content = bytearray(path.read_bytes())
    page = int.from_bytes(content[16:18], "big") or 65536
    middle = len(content) // page // 2 * page
    content[middle : middle + page] = b"\x5a" * page
    path.write_bytes(content)
    assert "damaged" in amiss(office, part)[0]
