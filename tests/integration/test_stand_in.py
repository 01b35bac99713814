"""What the stand-in does beyond the recorded answers: time, uploads, a process of its own."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import zlib
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from paperless_fingerprint.demo.stand_in import Fault, StandIn
from paperless_fingerprint.demo.stand_in.library import moment_text
from paperless_fingerprint.demo.stand_in.paper import pages_of
from paperless_fingerprint.demo.stand_in.pdf import pdf_of
from paperless_fingerprint.model import Document


class Clock:
    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.moment += timedelta(microseconds=1)
        return self.moment


@pytest.mark.parametrize("changing", [True, False])
def test_a_bulk_edit_moves_modified_a_moment_later_even_where_nothing_changed(connect, changing):
    clock = Clock()
    with StandIn(clock=clock, modified_delay_seconds=5) as server:
        client = connect(server)
        tag = server.library.add_label("tags", "a").id
        number = server.library.add("text", tags=[] if changing else [tag]).id
        before = moment_text(clock())
        client.modify_tags([number], add=[tag])
        assert client.tagged([tag]) == {number: (tag,)}
        assert client.changes(before) == []
        clock.moment += timedelta(seconds=6)
        assert [stamp.id for stamp in client.changes(before)] == [number]


def test_two_changes_never_share_a_moment():
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    with StandIn(clock=lambda: moment) as server:
        first, second = server.library.add("a"), server.library.add("b")
        assert first.modified < second.modified


def test_an_identical_file_is_accepted_or_refused(stand_in):
    for refuse, statuses in ((False, ["success"] * 2), (True, ["success", "success", "failure"])):
        stand_in.consumption.refuse_duplicates = refuse
        stand_in.consumption.upload("a.txt", b"same", owner=None)
        stand_in.consumption.wait()
        if not refuse:
            stand_in.consumption.upload("b.txt", b"same", owner=None)
            stand_in.consumption.wait()
        assert [task["status"] for task in stand_in.library.tasks] == statuses


def test_a_sample_library_is_served_as_it_is(connect):
    documents = [
        Document(
            number,
            title=f"Titel {number}",
            content="Text",
            correspondent="Acme",
            document_type="Rechnung",
            tags=("a", "b"),
            created="2024-01-02",
            modified="2024-01-03T00:00:00.000000Z",
            viewers=("7", "group:2"),
            owner="2",
        )
        for number in (3, 8, 5)
    ]
    with StandIn(documents) as server:
        found = [item.document for item in connect(server).documents()]
    assert [document.id for document in found] == [3, 5, 8]
    for document in found:
        assert (document.correspondent, document.tags) == ("Acme", ("a", "b"))
        assert (document.created, document.modified) == (
            "2024-01-02",
            "2024-01-03T00:00:00.000000Z",
        )
        assert (document.owner, document.viewers) == ("2", ("7", "group:2"))


def test_chance_is_the_same_for_the_same_seed():
    def drawn(seed: int) -> list[Fault | None]:
        server.faults.by_chance(0.5, Fault.SLOW, Fault.HTML, seed=seed)
        return [server.faults.draw("GET", "/") for _ in range(50)]

    with StandIn() as server:
        assert drawn(1) == drawn(1)
        assert drawn(1) != drawn(2)


def test_a_process_says_where_it_is_and_ends_when_told():
    command = [sys.executable, "-m", "paperless_fingerprint.demo.stand_in", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            told = json.loads(process.stdout.readline())
            headers = {"Authorization": f"Token {told['token']}"}
            with httpx.Client(trust_env=False, headers=headers) as http:
                answer = http.get(f"{told['url']}/api/documents/")
            assert answer.json()["count"] == 0
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        finally:
            process.kill()


def words_of(pdf: bytes) -> str:
    """What stands in a PDF of ours: its streams, unpacked."""
    streams = re.findall(rb"stream\n(.*?)\nendstream", pdf, re.DOTALL)
    content = b"\n".join(map(zlib.decompress, streams)).decode("cp1252")
    return re.sub(r"\\(\d{3})", lambda told: chr(int(told[1], 8)), content)


def test_a_letter_is_shown_as_a_pdf_with_its_pages_and_its_text(client, stand_in):
    text = "Hausverwaltung Birkenhof\n\nMiete für März: 1.204,55 €\n\nPage 2\n\nGrüße (Tröndle)"
    number = stand_in.library.add(text, original_file_name="brief.pdf", page_count=2).id
    with client.preview(number) as file:
        assert file.content_type == "application/pdf"
        pdf = b"".join(file.chunks)
    assert b"/Count 2 " in pdf
    assert pdf.count(b"/Type /Page ") == 2
    for line in ("Miete für März: 1.204,55 €", "Grüße (Tröndle)"):
        assert f"({line}) Tj" in words_of(pdf)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("Łódź", b"/uni0141"), ("おります", b"HeiseiKakuGo"), ("北京", b"STSong-Light")],
)
def test_letters_of_other_scripts_are_letters_in_a_pdf(text, shown):
    assert shown in pdf_of(text)


def test_as_many_pages_as_paperless_says_also_without_any_break():
    assert [len(pages_of(text, 6)) for text in ("", "word", "line\n" * 100)] == [6, 6, 6]
    # What does not fit goes on; nothing is left out.
    long = "\n".join(f"line {n}" for n in range(1000))
    pages = pages_of(long, 2)
    assert [line.text for page in pages for line in page] == long.splitlines()
    assert all(line.y < 842 for page in pages for line in page)


def test_a_thumbnail_is_the_first_page(client, stand_in):
    add = stand_in.library.add
    one, other, same = (add(t).id for t in ("a\nb", "a\nc", "a\nb\fanother page"))

    def picture(number: int) -> bytes:
        with client.thumbnail(number) as file:
            return b"".join(file.chunks)

    assert picture(one).startswith(b"\x89PNG")
    assert picture(one) == picture(same) != picture(other)


def test_links_lead_to_a_plain_page(stand_in):
    number = stand_in.library.add("<b>Miete</b>", title="Brief & Co", page_count=1).id
    with httpx.Client(base_url=stand_in.url, follow_redirects=True) as browser:
        page = browser.get(f"/documents/{number}/details")
        assert page.status_code == 200
        assert "Brief &amp; Co" in page.text
        assert "&lt;b&gt;Miete" in page.text
        assert browser.get(f"/documents/{number}/file").text == "<b>Miete</b>"
        assert f"/documents/{number}/details" in browser.get("/").text
        assert browser.get("/documents/99/details").status_code == 404
        # A page of another site whose name leads here sees nothing.
        foreign = {"Host": "example.org"}
        answer = browser.get(
            f"/documents/{number}/details", headers=foreign, follow_redirects=False
        )
        assert (answer.status_code, "Miete" in answer.text) == (302, False)
