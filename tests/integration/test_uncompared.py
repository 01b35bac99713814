"""What could not be compared, with the reason, from Paperless to the command line."""

from __future__ import annotations

import csv
import io
import json

import pytest
from click.testing import CliRunner
from paperless_work import LETTER, RESCAN, Office

from paperless_fingerprint.cli import main
from paperless_fingerprint.demo.stand_in import StandIn, documents
from paperless_fingerprint.demo.stand_in.answers import server_error
from paperless_fingerprint.integration import sync as syncing
from paperless_fingerprint.library.uncompared import Reason, uncompared

#: The dictionary that names the encryption stands at the end of a PDF.
LOCKED = b"%PDF-1.7\n" + b"x" * 70_000 + b"\ntrailer << /Size 7 /Encrypt 6 0 R >>\n%%EOF"
SCAN = b"%PDF-1.7\n" + b"x" * 70_000 + b"\ntrailer << /Size 7 >>\n%%EOF"
PDF = {"mime_type": "application/pdf", "original_file_name": "scan.pdf"}


@pytest.fixture
def office(tmp_path, stand_in: StandIn) -> Office:
    return Office(tmp_path, stand_in)


def reasons(office) -> dict[int, str]:
    with office.open() as place:
        return {each.id: each.reason.value for each in uncompared(place.store)}


@pytest.fixture(params=["sync", "consume"])
def come(request, office):
    """Either way in."""

    def come(*ids: int) -> None:
        office.sync() if request.param == "sync" else office.consume(*ids)

    return come


def test_each_has_its_reason(office, come):
    good = office.add(LETTER)
    locked = office.add("", data=LOCKED, **PDF)
    damaged = office.add("", data=SCAN, **PDF)
    photo = office.add("", data=SCAN, page_count=1, **PDF)
    short = office.add("Danke für alles")
    come(good, locked, damaged, photo, short)
    assert reasons(office) == {
        locked: "encrypted", damaged: "no_text", photo: "no_text", short: "too_short",
    }  # fmt: skip


def test_a_scan_that_has_pages_is_not_fetched_to_be_looked_into(office):
    office.add("", data=SCAN, page_count=1, **PDF)
    office.add(LETTER, data=SCAN, **PDF)
    office.sync()
    assert not [path for _, path in office.paperless.requests if "download" in path]


def test_who_gets_a_text_is_off_the_list(office, come):
    locked = office.add("", data=LOCKED, **PDF)
    come(locked)
    library = office.paperless.library
    with library.lock:
        library.documents[locked].content = LETTER
        library.touch(library.documents[locked])
    come(locked)
    assert reasons(office) == {}


@pytest.fixture
def ill(office, monkeypatch):
    """A document that Paperless answers with 500 for, for as long as it is in the list."""
    real, ill = documents.show_document, [office.add(LETTER)]

    def show(request, row, **more):
        if row.id in ill and "content" in request.query.get("fields", "content"):
            raise server_error()
        return real(request, row, **more)

    monkeypatch.setattr(documents, "show_document", show)
    return ill


def sync_at_once(office) -> None:
    """Without the pauses between tries."""
    with office.open() as place:
        object.__setattr__(place.paperless._connection, "_sleep", lambda _seconds: None)
        syncing.sync(place)


def test_what_paperless_does_not_hand_out_is_listed_until_it_does(office, ill):
    office.add(RESCAN)
    sync_at_once(office)
    with office.open() as place:
        [found] = uncompared(place.store)
    assert (found.id, found.reason) == (ill[0], Reason.UNREADABLE)
    assert "500" in found.detail
    ill.clear()
    sync_at_once(office)
    assert reasons(office) == {}


def test_what_is_deleted_is_no_longer_unreadable(office, ill):
    sync_at_once(office)
    assert reasons(office) == {ill[0]: "unreadable"}
    library = office.paperless.library
    with library.lock:
        documents.trash_document(library, library.documents[ill[0]])
    sync_at_once(office)
    assert reasons(office) == {}


@pytest.fixture
def run(office, monkeypatch):
    for name, value in office.environment.items():
        monkeypatch.setenv(name, value)
    return lambda *arguments: CliRunner().invoke(main, list(arguments))


def test_on_the_command_line(office, run):
    photo = office.add("", title="=HYPERLINK(1)", page_count=1)
    short = office.add("Danke für alles", title="Karte")
    office.sync()
    done = run("uncompared")
    assert "Karte" in done.stdout
    assert "no text was recognised" in done.stdout
    assert "Reprocess" in done.stderr
    told = [json.loads(line) for line in run("uncompared", "--json").stdout.splitlines()]
    assert [(each["id"], each["reason"], each["words"]) for each in told] == [
        (photo, "no_text", 0), (short, "too_short", 3),
    ]  # fmt: skip
    assert "Karte" not in run("uncompared", "--reason", "no_text").stdout
    assert "2 documents have no text, or too little" in run("doctor").stdout
    rows = list(csv.DictReader(io.StringIO(run("export", "uncompared").stdout)))
    assert [row["reason"] for row in rows] == ["no_text", "too_short"]
    assert rows[0]["title"] == "'=HYPERLINK(1)"


def test_where_all_could_be_compared(office, run):
    office.add(LETTER)
    office.sync()
    done = run("uncompared")
    assert done.stdout == ""
    assert "Every document has enough text" in done.stderr
