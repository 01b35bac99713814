"""What the stand-in does beyond the recorded answers: time, uploads, a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from paperless_fingerprint.demo.stand_in import Fault, StandIn
from paperless_fingerprint.demo.stand_in.library import moment_text
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


def test_an_identical_file_is_accepted_or_refused(client, stand_in):
    for refuse, statuses in ((False, ["success"] * 2), (True, ["success", "success", "failure"])):
        stand_in.consumption.refuse_duplicates = refuse
        client.upload("a.txt", b"same")
        stand_in.consumption.wait()
        if not refuse:
            client.upload("b.txt", b"same")
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
