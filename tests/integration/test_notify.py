"""New duplicates are told outside: signed, at least once, with no more than the settings allow."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from click.testing import CliRunner
from paperless_work import LETTER, OTHER, RESCAN, Office

from paperless_fingerprint.cli import main
from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.integration.feedback import tell
from paperless_fingerprint.integration.notify import finds, send
from paperless_fingerprint.integration.notify.outbox import Outbox
from paperless_fingerprint.library.lock import path_of_outbox
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.service import notifier
from paperless_fingerprint.service.notifier import Notifier, due_at


class Receiver:
    """Takes what is posted, or answers what a test wants."""

    def __init__(self) -> None:
        self.taken: list[tuple[dict[str, str], bytes]] = []
        self.status = 204
        self.url = ""

    @property
    def bodies(self) -> list[dict]:
        return [json.loads(content) for _, content in self.taken]


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.taken.append((dict(self.headers), content))
            self.send_response(receiver.status)
            self.send_header("Location", f"{receiver.url}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, name="receiver")
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Clock:
    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


class Telling:
    """An office that tells a receiver, by a clock that a test moves."""

    def __init__(self, office: Office, receiver: Receiver) -> None:
        self.office, self.receiver, self.clock = office, receiver, Clock()
        self.set(when="now", webhook=f"{receiver.url}/hook?key=1", webhook_secret="of the hook")

    def set(self, **told: str) -> None:
        for name, value in told.items():
            self.office.environment[f"PAPERLESS_FINGERPRINT_NOTIFY_{name.upper()}"] = value

    def step(self, seconds: float = 3600.0) -> list[str]:
        self.clock.now += seconds
        said: list[str] = []
        log = Silent()
        log.say = said.append  # type: ignore[method-assign]
        Notifier(self.office.settings, log, clock=self.clock).step()
        return said

    def outbox(self) -> Outbox:
        return Outbox(path_of_outbox(self.office.settings))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def telling(tmp_path, stand_in: StandIn, receiver) -> Telling:
    made = Telling(Office(tmp_path, stand_in), receiver)
    made.office.add(LETTER, title="Strom")
    made.office.sync()
    made.step(0)  # as when `serve` starts
    return made


def test_a_copy_that_has_come_is_told_once_and_signed(telling, receiver):
    copy = telling.office.add(RESCAN, title="Scan 7")
    telling.office.consume(copy)
    telling.step()
    [(headers, content)] = receiver.taken
    assert json.loads(content) == {
        "event": "duplicates.found",
        "id": headers["X-Fingerprint-Id"],
        "at": json.loads(content)["at"],
        "count": 1,
        "documents": [
            {
                "id": copy,
                "relation": "near",
                "with": [1],
                "paperless": f"{telling.office.paperless.url}/documents/{copy}/details",
            }
        ],
        "page": None,
    }
    assert headers["X-Fingerprint-Signature"] == send.signature(
        "of the hook", headers["X-Fingerprint-Timestamp"], content
    )
    assert b"Stadtwerke" not in content
    # Whatever happens to the document later, it has come once.
    telling.office.consume(copy)
    telling.office.apply()
    telling.step()
    assert len(receiver.taken) == 1


def test_no_old_document_is_news_and_no_stranger(telling, receiver):
    old = telling.office.add(RESCAN, added="2020-01-01T00:00:00Z")
    stranger = telling.office.add(OTHER)
    telling.office.consume(old, stranger)
    telling.step()
    assert receiver.taken == []


def test_what_comes_together_is_one_message(telling, receiver):
    ids = [telling.office.add(RESCAN), telling.office.add(OTHER), telling.office.add(OTHER)]
    telling.office.sync()
    telling.step(1)
    assert receiver.taken == []
    telling.step(notifier.GATHER_SECONDS + 60)
    [body] = receiver.bodies
    # Of the two that have come together one is kept, and the other one is its copy.
    assert [each["id"] for each in body["documents"]] == [ids[0], ids[2]]
    assert body["count"] == 2


def test_titles_and_ids_leave_only_where_the_setting_says_so(telling, receiver):
    said = []
    for tell_what in ("count", "ids", "titles"):
        telling.set(tell=tell_what)
        telling.office.consume(telling.office.add(RESCAN, title="Geheim"))
        telling.step()
        said.append(receiver.bodies[-1]["documents"])
    assert said[0] == []
    assert "title" not in said[1][0]
    assert said[2][0]["title"] == "Geheim"


def test_links_lead_to_the_page_where_its_address_is_known(telling, receiver):
    telling.office.environment["PAPERLESS_FINGERPRINT_SERVICE_PUBLIC_URL"] = (
        "https://d.example.org/"
    )
    telling.office.environment["PAPERLESS_FINGERPRINT_PAPERLESS_PUBLIC_URL"] = (
        "https://p.example.org"
    )
    copy = telling.office.add(RESCAN)
    telling.office.consume(copy)
    telling.step()
    [body] = receiver.bodies
    assert body["page"] == "https://d.example.org/review"
    assert body["documents"][0]["compare"] == f"https://d.example.org/compare/{copy}"
    assert body["documents"][0]["paperless"] == f"https://p.example.org/documents/{copy}/details"


def test_an_address_that_does_not_answer_is_tried_again_with_the_same_message(telling, receiver):
    telling.office.consume(telling.office.add(RESCAN))
    receiver.status = 503
    [said] = telling.step()
    assert "127.0.0.1 answered with HTTP 503" in said
    assert "key=1" not in said
    # Later and later: not at once, and said once.
    assert telling.step(notifier.FIRST_PAUSE_SECONDS - 1) == []
    assert len(receiver.taken) == 1
    assert telling.step(2) == []
    assert len(receiver.taken) == 2
    telling.step(notifier.FIRST_PAUSE_SECONDS)
    assert len(receiver.taken) == 2
    receiver.status = 200
    telling.step()
    assert len({body["id"] for body in receiver.bodies}) == 1
    assert len({content for _, content in receiver.taken}) == 1
    telling.step()
    assert len(receiver.taken) == 3


def test_after_three_days_it_is_given_up_and_said(telling, receiver):
    telling.office.consume(telling.office.add(RESCAN))
    receiver.status = 500
    telling.step()
    [said] = telling.step(notifier.GIVE_UP_SECONDS)
    assert "given up" in said
    telling.step()
    assert len(receiver.taken) == 2
    outbox = telling.outbox()
    assert outbox.deliveries() == []
    outbox.close()


def test_no_redirect_is_followed(telling, receiver):
    telling.office.consume(telling.office.add(RESCAN))
    receiver.status = 307
    [said] = telling.step()
    assert "leads elsewhere" in said
    assert len(receiver.taken) == 1


@pytest.mark.parametrize(
    "address",
    ["http://169.254.169.254/latest/meta-data", "http://[fe80::1]/", "http://0.0.0.0:1/",
     "http://[::ffff:169.254.169.254]/", "http://224.0.0.1/"],
)  # fmt: skip
def test_addresses_of_the_link_itself_are_refused(telling, address):
    telling.set(webhook=address)
    telling.office.consume(telling.office.add(RESCAN))
    [said] = telling.step()
    assert "no place for notifications" in said


def test_a_death_before_it_is_kept_tells_it_with_the_next_look(telling, receiver, monkeypatch):
    copy = telling.office.add(RESCAN)
    monkeypatch.setattr(tell, "note_finds", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        telling.office.consume(copy)
    monkeypatch.setattr(tell, "note_finds", finds.note_finds)
    telling.office.sync(reconcile=False)
    telling.step()
    assert [body["documents"][0]["id"] for body in receiver.bodies] == [copy]


def test_switched_off_nothing_is_kept_and_later_nothing_is_old_news(telling, receiver):
    telling.office.consume(telling.office.add(RESCAN))
    telling.set(when="off")
    telling.step()
    during = telling.office.add(RESCAN)
    telling.office.consume(during)
    telling.set(when="now")
    telling.step()
    telling.office.consume(telling.office.add(OTHER))
    telling.step()
    telling.office.consume(during)
    telling.step()
    assert receiver.taken == []
    after = telling.office.add(OTHER)
    telling.office.consume(after)
    telling.step()
    assert [each["id"] for body in receiver.bodies for each in body["documents"]] == [after]


def test_once_a_day_at_its_hour(telling, receiver):
    telling.set(when="daily", daily_at="07:30")
    settings = telling.office.settings
    night = datetime(2026, 3, 1, 23, 0).astimezone().timestamp()
    morning = datetime(2026, 3, 2, 7, 30).astimezone().timestamp()
    assert due_at(settings, night) == due_at(settings, morning - 1) == morning
    assert due_at(settings, morning) == datetime(2026, 3, 3, 7, 30).astimezone().timestamp()
    for letter in (RESCAN, RESCAN + " Mit freundlichen Grüßen"):
        telling.office.consume(telling.office.add(letter))
    telling.step(200_000)
    [body] = receiver.bodies
    assert body["count"] == 2


def test_an_address_taken_out_of_the_settings_gets_nothing_more(telling, receiver):
    telling.office.consume(telling.office.add(RESCAN))
    receiver.status = 500
    telling.step()
    with receiving() as other:
        telling.set(webhook="", apprise=f"json://{other.url.removeprefix('http://')}")
        telling.step()
        assert (len(receiver.taken), other.taken) == (1, [])


@pytest.mark.filterwarnings("ignore::DeprecationWarning:apprise")
def test_apprise_gets_plain_words(telling, receiver):
    host = receiver.url.removeprefix("http://")
    telling.set(webhook="", apprise=f"json://{host}/one json://{host}/two", tell="titles")
    copy = telling.office.add(RESCAN, title="<b>Strom</b>\n& Gas")
    telling.office.consume(copy)
    telling.step()
    assert len(receiver.taken) == 2
    told = receiver.bodies[0]
    assert told["title"] == "1 new duplicate"
    assert told["message"].startswith(
        f"Document {copy} (<b>Strom</b> & Gas) is a copy or re-scan of 1: http"
    )


def test_without_apprise_it_is_said_what_to_install(telling, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "apprise", None)
    telling.set(webhook="", apprise="json://127.0.0.1:1/")
    telling.office.consume(telling.office.add(RESCAN))
    [said] = telling.step()
    assert "pip install 'paperless-fingerprint[notify]'" in said


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"webhook": ""}, "there is nobody to tell"),
        ({"webhook": "ftp://example.org/"}, "[notify] webhook is no address"),
        ({"daily_at": "8 o'clock"}, "daily_at"),
        ({"webhook_header": "Authorization: a\r\nX-Other: b"}, "webhook_header"),
        ({"when": "often"}, "can be off, now, daily"),
    ],
)
def test_settings_that_cannot_work_are_said_at_once(telling, told, said):
    telling.set(**told)
    with pytest.raises(ConfigurationError, match=re.escape(said)) as error:
        _ = telling.office.settings
    assert "of the hook" not in str(error.value)


def test_a_header_of_ones_own(telling, receiver):
    telling.set(webhook_header="Authorization: Bearer 0123456789abcdef")
    telling.office.consume(telling.office.add(RESCAN))
    telling.step()
    assert receiver.taken[0][0]["Authorization"] == "Bearer 0123456789abcdef"


@pytest.fixture
def run(telling, monkeypatch):
    def run(*arguments: str):
        with monkeypatch.context() as patch:
            for name, value in telling.office.environment.items():
                patch.setenv(name, value)
            return CliRunner().invoke(main, list(arguments))

    return run


def test_on_the_command_line(telling, receiver, run):
    assert "No notification waits" in run("notify").stderr
    done = run("notify", "--test", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["state"] == "taken"
    assert receiver.bodies[0]["event"] == "test"
    receiver.status = 401
    done = run("notify", "--test")
    assert done.exit_code == 6
    assert "HTTP 401" in done.stdout
    telling.office.consume(telling.office.add(RESCAN))
    telling.step()
    assert "HTTP 401" in run("notify").stdout
    doctor = run("doctor")
    assert "1 notification was not accepted" in doctor.stdout
    assert "key=1" not in doctor.output
    shown = run("config", "show", "--json").stdout
    assert "key=1" not in shown
    assert "of the hook" not in shown


def test_whoever_works_the_inbox_off_takes_along_what_waits(telling, receiver, run):
    copy = telling.office.add(RESCAN)
    with telling.office.open() as place:
        place.inbox.add([copy])
    assert run("consume", "--inbox").exit_code == 0
    assert receiver.bodies[0]["documents"][0]["id"] == copy


def test_documents_go_on_where_no_notification_can_be_kept(telling, receiver):
    path = path_of_outbox(telling.office.settings)
    for each in path.parent.glob(f"{path.name}*"):
        each.unlink()
    path.write_bytes(b"no database" * 1000)
    copy = telling.office.add(RESCAN)
    telling.office.consume(copy)
    assert telling.office.tags(copy) == {"Duplicate (near)"}


def test_nobody_is_told_where_nothing_is_set(tmp_path, stand_in):
    office = Office(tmp_path, stand_in)
    office.consume(office.add(LETTER), office.add(RESCAN))
    assert not path_of_outbox(office.settings).exists()
