"""The client against the stand-in: what Paperless does, what goes wrong, and what never happens."""

from __future__ import annotations

import logging
import ssl
import threading

import httpx
import pytest

from paperless_fingerprint.demo.stand_in import Fault, StandIn
from paperless_fingerprint.demo.stand_in.documents import trash_document
from paperless_fingerprint.errors import ConfigurationError, ExitCode, PaperlessError
from paperless_fingerprint.model import Document
from paperless_fingerprint.paperless.client import Limits, PaperlessClient
from paperless_fingerprint.paperless.connection import Connection
from paperless_fingerprint.paperless.refusals import (
    DeniedError,
    MissingError,
    OversizedError,
    RefusedError,
    StrangeError,
    ThrottledError,
    UnavailableError,
)

SECRET = "a-token-that-nobody-may-read"


def fill(server: StandIn, count: int, **more) -> list[int]:
    return [server.library.add(f"text {n}", title=f"t{n}", **more).id for n in range(count)]


# --- version, sign-in, addresses -------------------------------------------------------------------


@pytest.mark.parametrize(("major", "api", "newest"), [(3, 10, 10), (2, 9, 9)])
def test_the_version_of_the_api_is_found_by_asking(connect, major, api, newest):
    with StandIn(major=major) as server:
        version = connect(server).server_version()
    assert (version.api, version.newest_api) == (api, newest)
    assert version.paperless.startswith(str(major))
    assert abs(version.clock_ahead_seconds) < 60  # one machine, one clock


def test_an_update_of_paperless_under_way_is_noticed(client, stand_in):
    assert client.server_version().api == 10
    stand_in.library.api_versions = tuple(range(1, 10))
    assert client.document_ids() == ()
    assert client.server_version().api == 9


def test_a_paperless_that_is_too_old_says_so(connect, stand_in):
    stand_in.library.api_versions = tuple(range(1, 8))
    with pytest.raises(PaperlessError, match=r"update it to 2\.20"):
        connect(stand_in).document_ids()


def test_a_future_version_that_still_speaks_ours_works(connect, stand_in):
    stand_in.library.api_versions = (9, 10, 11, 12)
    client = connect(stand_in)
    assert client.server_version().api == 10
    assert client.document_ids() == ()


def test_user_and_password_become_a_token_once(connect, stand_in):
    client = connect(stand_in, username="admin", password="admin")
    client.document_ids()
    client.tags()
    assert stand_in.requests["POST", "/api/token/"] == 1


def test_a_token_that_was_revoked_is_made_anew_from_the_password(connect, stand_in):
    client = connect(stand_in, username="admin", password="admin")
    client.document_ids()
    stand_in.library.people.tokens.clear()
    assert client.document_ids() == ()
    assert stand_in.requests["POST", "/api/token/"] == 2


def test_a_user_in_the_address_is_not_part_of_it(connect, stand_in):
    address = stand_in.url.replace("http://", "http://admin:admin@")
    client = connect(address, token="")
    assert client.document_ids() == ()
    assert client.url == stand_in.url


@pytest.mark.parametrize("tail", ["/", "/api", "/api/", "/dashboard"])
def test_addresses_are_taken_as_people_write_them(connect, stand_in, tail):
    assert connect(stand_in.url + tail, token=stand_in.token).document_ids() == ()


@pytest.mark.parametrize(
    "url",
    ["", "paperless:8000", "ftp://x", "http://", "http://x:port", "http://[", "http://[::1",
     "http://\udcff\udcfe", "http://x/\udcff", "http://\u2603\x00/"],
)  # fmt: skip
def test_an_address_that_is_none_is_a_matter_of_configuration(url):
    with pytest.raises(ConfigurationError, match="must look like"):
        PaperlessClient(Connection(url, token="x"))


def test_without_token_and_password_nothing_starts():
    with pytest.raises(ConfigurationError, match="no way to sign in"):
        PaperlessClient(Connection("http://localhost:1"))


def test_a_token_with_a_line_break_is_refused_without_being_repeated():
    with pytest.raises(ConfigurationError) as error:
        PaperlessClient(Connection("http://localhost:1", token=f"{SECRET}\nx: y"))
    assert SECRET not in str(error.value)


def test_a_missing_ca_file_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"none\.pem"):
        PaperlessClient(Connection("https://localhost:1", token="x", ca_file=tmp_path / "none.pem"))


def test_an_own_certificate_is_trusted_where_its_file_is_named(connect, certificate):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    server = StandIn()
    server._server.socket = context.wrap_socket(server._server.socket, server_side=True)
    with server:
        address = server.url.replace("http://127.0.0.1", "https://localhost")
        client = connect(address, token=server.token, ca_file=certificate)
        assert client.document_ids() == ()
        with pytest.raises(ConfigurationError, match="not trusted"):
            connect(address, token=server.token).document_ids()


def test_people_sign_in_with_password_and_second_factor(client, stand_in):
    user = stand_in.library.people.add_user("eva", "right", code="123456")
    with pytest.raises(DeniedError, match="MFA code is required"):
        client.sign_in("eva", "right")
    with pytest.raises(DeniedError, match="Unable to log in") as error:
        client.sign_in("eva", "wrong-password")
    assert "wrong-password" not in str(error.value)
    token = client.sign_in("eva", "right", "123456")
    assert token == stand_in.library.people.token_of(user)


def test_too_many_sign_ins_are_an_error_with_a_time(client):
    for _ in range(5):
        with pytest.raises(DeniedError):
            client.sign_in("eva", "wrong")
    with pytest.raises(ThrottledError) as error:
        client.sign_in("eva", "wrong")
    assert 0 < error.value.wait_seconds <= 60


# --- lists under change ----------------------------------------------------------------------------


def test_all_documents_come_once_and_in_order(client, stand_in):
    ids = fill(stand_in, 250)
    assert [found.id for found in client.documents()] == ids
    # One list of ids, and a request for each hundred.
    assert stand_in.requests["GET", "/api/documents/"] <= 6


def test_a_document_deleted_while_the_rest_is_read_hides_no_other(client, stand_in):
    ids = fill(stand_in, 300)
    seen = []
    for found in client.documents():
        seen.append(found.id)
        if len(seen) == 1:
            trash_document(stand_in.library, stand_in.library.documents[ids[5]])
            trash_document(stand_in.library, stand_in.library.documents[ids[200]])
            stand_in.library.add("new")
    assert len(seen) == len(set(seen))
    assert set(seen) >= set(ids) - {ids[5], ids[200]}


@pytest.mark.parametrize("seed", range(5))
def test_pages_that_shift_while_they_are_read_lose_nothing(client, stand_in, seed, monkeypatch):
    """As many deleted as added: the count stays the same, and the pages shift all the same."""
    library = stand_in.library
    ids = fill(stand_in, 60)
    connection = client._connection
    asked = {"times": 0}
    real = connection.get

    def get(path, params=None, **more):
        answer = real(path, params, **more)
        asked["times"] += 1
        if asked["times"] in {2 + seed, 4 + seed}:
            victim = min(library.documents)
            trash_document(library, library.documents[victim])
            library.add("another")
        return answer

    monkeypatch.setattr(connection, "get", get)
    found = client.document_ids(page_size=7)
    assert set(found) >= set(library.documents)
    assert len(found) == len(set(found))
    assert set(found) <= set(library.documents) | set(ids)


def test_a_list_that_becomes_shorter_than_its_pages_is_read_again(client, stand_in, monkeypatch):
    fill(stand_in, 20)
    connection = client._connection
    real = connection.get
    done = []

    def get(path, params=None, **more):
        answer = real(path, params, **more)
        if not done:
            done.append(True)
            for number in list(stand_in.library.documents)[5:]:
                trash_document(stand_in.library, stand_in.library.documents[number])
        return answer

    monkeypatch.setattr(connection, "get", get)
    assert set(client.document_ids(page_size=10)) >= set(stand_in.library.documents)


def test_changes_come_oldest_first_and_to_the_microsecond(client, stand_in):
    ids = fill(stand_in, 5)
    rows = stand_in.library.documents
    limit = rows[ids[2]].modified
    stand_in.library.touch(rows[ids[0]])
    assert [stamp.id for stamp in client.changes(limit)] == [ids[3], ids[4], ids[0]]
    assert [found.id for found in client.documents(modified_after=limit)] == [
        ids[3],
        ids[4],
        ids[0],
    ]


def test_a_moment_without_microseconds_still_sorts(client, stand_in):
    stand_in.library.add("a", modified="2026-01-01T00:00:00.000000Z")
    stand_in.library.add("b", modified="2026-01-01T00:00:00.500000Z")
    found = [document.document.modified for document in client.documents()]
    assert found == sorted(found)
    assert all(len(text) == 27 for text in found)


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("id__in", lambda client: client.visible_ids([1])),
        ("modified__gt", lambda client: client.changes("2999-01-01T00:00:00Z")),
        ("tags__id__in", lambda client: client.tagged([1])),
        ("custom_fields__id__all", lambda client: client.with_field(1)),
    ],
)
def test_a_filter_that_is_ignored_is_noticed(client, stand_in, monkeypatch, name, ask):
    from paperless_fingerprint.demo.stand_in import documents, filters

    fill(stand_in, 3)
    real = filters.select_documents

    def forgetful(rows, query):
        return real(rows, {key: value for key, value in query.items() if key != name})

    monkeypatch.setattr(documents, "select_documents", forgetful)
    with pytest.raises(StrangeError, match=f"ignored the filter {name}"):
        ask(client)


def test_no_ids_ask_nothing(client, stand_in):
    fill(stand_in, 3)
    assert client.visible_ids([]) == frozenset()
    assert list(client.documents(ids=[])) == []
    assert client.tagged([]) == {}


# --- documents -------------------------------------------------------------------------------------


@pytest.mark.parametrize("major", [2, 3])
def test_a_document_comes_with_names_permissions_and_fields(connect, major):
    with StandIn(major=major) as server:
        library = server.library
        tag = library.add_label("tags", 'Steuer 🧾, "2024"')
        who = library.add_label("correspondents", "Acme <GmbH>")
        kind = library.add_label("document_types", "Rechnung")
        library.add(
            "Text",
            title="<b>Titel</b>",
            created="2024-01-17",
            tags=[tag.id],
            correspondent=who.id,
            document_type=kind.id,
            owner=server.admin.id,
            view_users={7},
            view_groups={4},
            custom_fields={3: "abc"},
            page_count=2,
        )
        found = next(connect(server).documents())
    document = found.document
    assert isinstance(document, Document)
    assert document.title == "<b>Titel</b>"
    assert (document.tags, document.correspondent, document.document_type) == (
        ('Steuer 🧾, "2024"',),
        "Acme <GmbH>",
        "Rechnung",
    )
    assert (document.owner, document.viewers) == (str(server.admin.id), ("7", "group:4"))
    assert (document.created, document.page_count) == ("2024-01-17", 2)
    assert (found.tag_ids, found.custom_fields) == ((tag.id,), {3: "abc"})
    # Version 2 tells checksums one by one only.
    assert (document.checksum is None) == (major == 2)


def test_a_renamed_tag_has_its_new_name_in_the_next_run(client, stand_in):
    tag = stand_in.library.add_label("tags", "old")
    stand_in.library.add("x", tags=[tag.id])
    assert next(client.documents()).document.tags == ("old",)
    tag.name = "new"
    assert next(client.documents()).document.tags == ("new",)


def test_a_tag_made_after_the_names_were_read_is_known(client, stand_in):
    stand_in.library.add("x")
    list(client.documents())
    tag = stand_in.library.add_label("tags", "later")
    number = stand_in.library.add("y", tags=[tag.id]).id
    assert client.document(number).document.tags == ("later",)


def test_labels_that_may_not_be_seen_still_tell_documents_apart(connect, stand_in):
    hidden = [
        stand_in.library.add_label("tags", f"secret {n}", owner=stand_in.admin.id).id
        for n in range(2)
    ]
    for number in range(40):
        stand_in.library.add("x", tags=[hidden[number % 2]])
    client = connect(stand_in, token=stand_in.token_for("bot", "view_document"))
    found = [document.document.tags for document in client.documents()]
    assert found == [(f"#{hidden[number % 2]}",) for number in range(40)]
    assert stand_in.requests["GET", "/api/tags/"] <= 4


def test_what_does_not_exist_is_missing(client, stand_in):
    trashed = stand_in.library.add("x")
    trash_document(stand_in.library, trashed)
    for number in (99, trashed.id):
        with pytest.raises(MissingError, match="does not exist, lies in the trash"):
            client.document(number)


def test_a_version_row_leads_to_its_document(client, stand_in):
    number = stand_in.library.add("first").id
    version = stand_in.library.add("second", root=number).id
    found = client.document_of_event(version)
    assert (found.id, found.document.content) == (number, "second")
    assert client.root_of(version) == number
    with pytest.raises(MissingError):
        client.document_of_event(4711)


def test_before_versions_an_id_is_its_own_root(connect):
    with StandIn(major=2) as server:
        number = server.library.add("x").id
        assert connect(server).root_of(number) == number


def test_checksums_and_sizes_come_from_the_file(client, stand_in):
    number = stand_in.library.add("words").id
    facts = client.file_facts(number)
    assert (facts.size, len(facts.checksum), facts.mime_type) == (5, 64, "text/plain")
    with client.thumbnail(number) as picture:
        assert picture.content_type == "image/png"
        assert b"".join(picture.chunks).startswith(b"\x89PNG")
    with client.preview(number) as file:
        assert b"".join(file.chunks) == b"words"
    with pytest.raises(MissingError), client.thumbnail(99):
        pass


def test_one_document_that_makes_paperless_fail_does_not_hide_the_others(
    client, stand_in, monkeypatch
):
    from paperless_fingerprint.demo.stand_in import documents
    from paperless_fingerprint.demo.stand_in.answers import server_error

    ids = fill(stand_in, 12)
    real = documents.show_document

    def show(request, row, **more):
        if row.id == ids[4] and "content" in request.query.get("fields", "content"):
            raise server_error()
        return real(request, row, **more)

    monkeypatch.setattr(documents, "show_document", show)
    unreadable = []
    found = client.documents(on_unreadable=lambda number, _: unreadable.append(number))
    assert [document.id for document in found] == [n for n in ids if n != ids[4]]
    assert unreadable == [ids[4]]


def test_texts_too_long_for_one_answer_come_in_smaller_ones(connect, stand_in):
    ids = [stand_in.library.add("word " * 20_000).id for _ in range(8)]
    client = connect(stand_in, limits=Limits(most_bytes=250_000))
    assert [found.id for found in client.documents()] == ids
    giant = stand_in.library.add("word " * 60_000).id
    unreadable = []
    found = client.documents(on_unreadable=lambda number, _: unreadable.append(number))
    assert [document.id for document in found] == ids
    assert unreadable == [giant]
    with pytest.raises(OversizedError):
        client.document(giant)


# --- what goes wrong on the way --------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        Fault.SERVER_ERROR,
        Fault.BAD_GATEWAY,
        Fault.UNAVAILABLE,
        Fault.THROTTLED,
        Fault.HTML,
        Fault.CUT_OFF,
        Fault.DROPPED,
        Fault.LOST_ANSWER,
    ],
)
def test_what_passes_is_outlasted(client, stand_in, pauses, fault):
    ids = fill(stand_in, 3)
    stand_in.faults.next(fault, 3)
    assert client.document_ids() == tuple(ids)
    assert len(pauses.seconds) == 3


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        (Fault.SERVER_ERROR, UnavailableError, "HTTP 500"),
        (Fault.UNAVAILABLE, UnavailableError, "HTTP 503"),
        (Fault.THROTTLED, ThrottledError, "too much"),
        (Fault.HTML, StrangeError, "Welcome to nginx|HTML"),
        (Fault.CUT_OFF, UnavailableError, "before it was complete"),
        (Fault.DROPPED, UnavailableError, "broke"),
        (Fault.REDIRECT, StrangeError, "elsewhere.invalid"),
    ],
)
def test_what_does_not_pass_is_one_clear_sentence(client, stand_in, pauses, fault, error, words):
    client.server_version()
    stand_in.faults.next(fault, 1000)
    with pytest.raises(error, match=words) as raised:
        client.document_ids()
    assert raised.value.exit_code == ExitCode.PAPERLESS
    assert len(pauses.seconds) <= 3
    assert "\n" not in str(raised.value)


def test_retry_after_is_kept_and_has_a_limit(client, stand_in, pauses):
    client.server_version()
    stand_in.faults.retry_after_seconds = 7
    stand_in.faults.next(Fault.THROTTLED, 2)
    client.document_ids()
    assert pauses.seconds == [7, 7]
    stand_in.faults.retry_after_seconds = 3600
    stand_in.faults.next(Fault.THROTTLED, 1)
    with pytest.raises(ThrottledError, match="3600 seconds"):
        client.document_ids()


def test_a_server_that_is_down_is_told_apart(connect, stand_in):
    with StandIn() as gone:
        address = gone.url
    with pytest.raises(UnavailableError, match="cannot be reached") as error:
        connect(address, token=SECRET).document_ids()
    assert SECRET not in str(error.value)


def test_a_slow_server_runs_into_the_time_limit(connect, stand_in):
    client = connect(stand_in, limits=Limits(read_seconds=0.05, attempts=2))
    stand_in.faults.slow_seconds = 0.5
    stand_in.faults.next(Fault.SLOW, 2)
    with pytest.raises(UnavailableError, match="did not answer"):
        client.document_ids()


def test_nothing_follows_a_redirect(client, stand_in):
    with StandIn() as other:
        stand_in.faults.redirect_to = f"{other.url}/api/documents/"
        stand_in.faults.next(Fault.REDIRECT, 1000)
        with pytest.raises(StrangeError, match="token stays with you"):
            client.document_ids()
        assert not other.requests


def test_another_program_at_that_address_is_recognised(connect):
    from http.server import BaseHTTPRequestHandler, HTTPServer

    class Other(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"hello": "world"}')

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Other) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            with pytest.raises(StrangeError, match="not the API of Paperless"):
                connect(f"http://127.0.0.1:{server.server_port}", token="x").document_ids()
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("seed", range(3))
def test_a_bad_connection_costs_time_and_nothing_else(connect, stand_in, seed):
    ids = fill(stand_in, 150)
    client = connect(stand_in, limits=Limits(attempts=12))
    stand_in.faults.by_chance(
        0.4,
        Fault.SERVER_ERROR,
        Fault.THROTTLED,
        Fault.HTML,
        Fault.CUT_OFF,
        Fault.DROPPED,
        Fault.LOST_ANSWER,
        seed=seed,
    )
    tag = client.ensure_tag("Duplicate")
    assert client.modify_tags(ids, add=[tag.id]).done == tuple(ids)
    assert [found.tag_ids for found in client.documents()] == [(tag.id,)] * len(ids)
    stand_in.faults.clear()
    assert len(client.tags()) == 1
    assert stand_in.faults.count > 0


def test_the_token_is_in_no_log_and_no_error(connect, stand_in, caplog):
    caplog.set_level(logging.DEBUG)
    stand_in.library.people.tokens[SECRET] = stand_in.admin.id
    client = connect(stand_in, token=SECRET)
    fill(stand_in, 2)
    list(client.documents())
    errors = []
    for fault in (Fault.SERVER_ERROR, Fault.HTML, Fault.DROPPED, Fault.REDIRECT, Fault.CUT_OFF):
        stand_in.faults.next(fault, 10)
        with pytest.raises(PaperlessError) as error:
            client.document_ids()
        errors.append(repr(error.value) + str(error.value.__cause__))
        stand_in.faults.clear()
    assert stand_in.requests
    assert SECRET not in caplog.text
    assert SECRET not in "".join(errors)
    assert SECRET not in repr(client.__dict__)


# --- rights ----------------------------------------------------------------------------------------


def test_a_wrong_token_says_how_to_get_a_right_one(connect, stand_in):
    with pytest.raises(DeniedError, match="My profile"):
        connect(stand_in, token="wrong").document_ids()


def test_a_user_without_any_right_is_told(connect, stand_in):
    client = connect(stand_in, token=stand_in.token_for("nobody"))
    with pytest.raises(DeniedError, match="Users & Groups"):
        client.document_ids()
    assert client.person().permissions is None
    assert client.person().may("view_document") is None


def test_the_person_behind_a_token_and_its_rights(client, stand_in):
    assert client.person().is_superuser
    group = stand_in.library.people.add_group("archive", ["view_document"])
    token = stand_in.token_for("eva", "view_uisettings", groups=[group.id])
    person = client.as_person(token).person()
    assert (person.username, person.groups) == ("eva", (group.id,))
    assert person.may("view_document")
    assert person.may("change_document") is False


def test_somebody_else_sees_only_what_is_theirs(client, stand_in):
    ids = fill(stand_in, 6, owner=stand_in.admin.id)
    rows = stand_in.library.documents
    group = stand_in.library.people.add_group("archive", ["view_document"])
    token = stand_in.token_for("eva", groups=[group.id])
    eva = stand_in.library.people.by_token(token)
    rows[ids[0]].owner = None
    rows[ids[1]].view_users.add(eva.id)
    rows[ids[2]].view_groups.add(group.id)
    rows[ids[3]].owner = eva.id
    person = client.as_person(token)
    assert person.visible_ids([*ids, 4711]) == set(ids[:4])
    assert client.visible_ids(ids) == set(ids)
    with pytest.raises(MissingError):
        person.document(ids[4])


# --- writing ---------------------------------------------------------------------------------------


def test_tags_are_merged_and_a_users_own_stay(client, stand_in):
    own = stand_in.library.add_label("tags", "mine")
    ids = fill(stand_in, 3, tags=[own.id])
    ours = client.ensure_tag("Duplicate").id
    assert client.modify_tags(ids, add=[ours]).done == tuple(ids)
    assert client.tagged([ours]) == dict.fromkeys(ids, (ours, own.id))
    client.modify_tags(ids, remove=[ours])
    assert client.tagged([own.id]) == dict.fromkeys(ids, (own.id,))


def test_bad_ids_fail_nobody_else(client, stand_in):
    ids = fill(stand_in, 250)
    trashed = ids[77]
    trash_document(stand_in.library, stand_in.library.documents[trashed])
    tag = client.ensure_tag("Duplicate").id
    result = client.modify_tags([*ids, 99999, ids[3]], add=[tag])
    assert set(result.done) == set(ids) - {trashed}
    assert {refusal.id for refusal in result.refused} == {trashed, 99999}
    assert set(client.tagged([tag])) == set(ids) - {trashed}
    assert stand_in.requests["POST", "/api/documents/bulk_edit/"] <= 6


def test_documents_that_may_not_be_changed_fail_nobody_else(connect, stand_in):
    ids = fill(stand_in, 20)
    token = stand_in.token_for("bot", "view_document", "change_document", "view_tag", "add_tag")
    bot = stand_in.library.people.by_token(token)
    rows = stand_in.library.documents
    rows[ids[4]].owner = stand_in.admin.id  # may not even be seen
    rows[ids[9]].owner = stand_in.admin.id
    rows[ids[9]].view_users.add(bot.id)
    client = connect(stand_in, token=token)
    result = client.modify_tags(ids, add=[client.ensure_tag("Duplicate").id])
    assert set(result.done) == set(ids) - {ids[4], ids[9]}
    reasons = {refusal.id: refusal.reason for refusal in result.refused}
    assert "may not be seen" in reasons[ids[4]]
    assert "not changed" in reasons[ids[9]]


def test_halving_finds_what_a_look_does_not(client, stand_in, monkeypatch):
    """Paperless may know reasons that no list tells."""
    from paperless_fingerprint.demo.stand_in import bulk

    ids = fill(stand_in, 30)
    tag = client.ensure_tag("Duplicate").id
    monkeypatch.setattr(bulk, "may_change", lambda _, row: row.id not in {ids[7], ids[8]})
    result = client.modify_tags(ids, add=[tag])
    assert {refusal.id for refusal in result.refused} == {ids[7], ids[8]}
    assert set(result.done) == set(ids) - {ids[7], ids[8]}


def test_what_is_wrong_with_the_request_itself_is_raised_at_once(client, stand_in, connect):
    ids = fill(stand_in, 40)
    with pytest.raises(RefusedError, match="add_tags"):
        client.modify_tags(ids, add=[4711])
    assert stand_in.requests["POST", "/api/documents/bulk_edit/"] == 1
    reader = connect(stand_in, token=stand_in.token_for("reader", "view_document"))
    with pytest.raises(DeniedError):
        reader.modify_tags(ids, add=[])
    assert stand_in.requests["POST", "/api/documents/bulk_edit/"] == 2


def test_custom_fields_are_merged_and_links_are_symmetrical(client, stand_in):
    ids = fill(stand_in, 3)
    link = client.ensure_custom_field("Duplicate of", "documentlink")
    number = client.ensure_custom_field("Confidence", "float")
    client.modify_custom_fields([ids[0]], values={link.id: [ids[1]], number.id: 0.93})
    assert client.with_field(link.id) == {ids[0]: [ids[1]], ids[1]: [ids[0]]}
    # The trap: replaced in bulk, the old back link stays; taken off first, it does not.
    client.modify_custom_fields([ids[0]], values={link.id: [ids[2]]})
    assert client.with_field(link.id)[ids[1]] == [ids[0]]
    client.modify_custom_fields([ids[1]], remove=[link.id])
    client.modify_custom_fields([ids[0]], remove=[link.id])
    assert client.with_field(link.id) == {ids[2]: []}
    assert client.with_field(number.id) == {ids[0]: 0.93}


def test_a_field_of_the_same_name_and_another_type_is_not_written_to(client):
    first = client.ensure_custom_field("Confidence", "string")
    assert client.ensure_custom_field("Confidence", "string") == first
    with pytest.raises(PaperlessError, match="type 'string'"):
        client.ensure_custom_field("Confidence", "float")
    choice = client.ensure_custom_field("State", "select", options=["open", "done"])
    assert set(choice.options) == {"open", "done"}


def test_the_trash_and_back(client, stand_in):
    ids = fill(stand_in, 4)
    tag = client.ensure_tag("Duplicate").id
    client.modify_tags(ids, add=[tag])
    result = client.move_to_trash([ids[0], ids[1], 4711])
    assert result.done == (ids[0], ids[1])
    assert [refusal.id for refusal in result.refused] == [4711]
    assert {item.id for item in client.trashed()} == {ids[0], ids[1]}
    back = client.restore([ids[0], ids[1], 4711])
    assert back.done == (ids[0], ids[1])
    assert [refusal.id for refusal in back.refused] == [4711]
    assert client.trashed() == []
    assert set(client.tagged([tag])) == set(ids)


def test_a_lost_answer_is_no_failed_deletion(client, stand_in):
    ids = fill(stand_in, 2)
    client.server_version()
    stand_in.faults.next(Fault.LOST_ANSWER, 1, method="DELETE")
    assert client.move_to_trash(ids).done == (ids[1], ids[0])
    stand_in.faults.next(Fault.LOST_ANSWER, 1, path="/api/trash/", method="POST")
    assert client.restore(ids).done == tuple(ids)


def test_notes_are_added_once_and_taken_back(client, stand_in):
    number = stand_in.library.add("x").id
    note = client.add_note(number, "Looks like #1")
    assert client.notes(number) == [note]
    client.server_version()
    stand_in.faults.next(Fault.LOST_ANSWER, 1, path="/notes/", method="POST")
    with pytest.raises(UnavailableError):
        client.add_note(number, "never twice")
    assert [n.text for n in client.notes(number)] == ["Looks like #1", "never twice"]
    client.delete_note(number, note.id)
    client.delete_note(number, note.id)
    assert len(client.notes(number)) == 1


# --- labels ----------------------------------------------------------------------------------------


def test_a_tag_is_made_once_visible_to_all_and_never_assigned_by_itself(client, stand_in):
    first = client.ensure_tag("Duplicate", color="#ff0000")
    assert (first.owner, first.matching_algorithm, first.color) == (None, 0, "#ff0000")
    assert client.ensure_tag("Duplicate") == first
    assert client.ensure_tag("duplicate") != first  # names are case-sensitive
    child = client.ensure_tag("Duplicate/near", parent=first.id)
    assert child.parent == first.id
    assert len(client.tags()) == 3


def test_a_tag_is_found_again_after_a_rename(client):
    made = client.ensure_tag("Duplicate")
    client.change_tag(made.id, name="Dubletten")
    assert [tag.name for tag in client.tags()] == ["Dubletten"]
    client.delete_tag(made.id)
    client.delete_tag(made.id)
    assert client.tags() == []


def test_a_lost_answer_makes_no_second_tag(client, stand_in):
    client.server_version()
    stand_in.faults.next(Fault.LOST_ANSWER, 1, path="/api/tags/", method="POST")
    assert client.ensure_tag("Duplicate").name == "Duplicate"
    assert len(stand_in.library.labels["tags"]) == 1


def test_a_tag_of_somebody_else_is_explained(connect, stand_in):
    stand_in.library.add_label("tags", "Duplicate")
    hidden = stand_in.library.labels["tags"][1]
    token = stand_in.token_for("bot", "view_tag", "add_tag")
    client = connect(stand_in, token=token)
    assert client.ensure_tag("Duplicate").id == hidden.id
    hidden.owner = stand_in.admin.id
    hidden.view_users = set()
    made = client.ensure_tag("Duplicate")  # Paperless lets everybody have one of their own
    assert made.id != hidden.id


@pytest.mark.parametrize("major", [2, 3])
def test_a_saved_view_is_made_for_one_tag_or_several(connect, major):
    with StandIn(major=major) as server:
        client = connect(server)
        one = client.create_saved_view("Duplicates", [5])
        two = client.create_saved_view("All", [5, 6], fields=["title", "tag"])
        assert [view.id for view in client.saved_views()] == [one.id, two.id]
        assert one.rules == ((6, "5"),)
        assert two.rules == ((22, "5"), (22, "6"))
        settings = server.library.ui_settings[server.admin.id]["saved_views"]
        assert settings["sidebar_views_visible_ids"] == [one.id, two.id]
        client.delete_saved_view(one.id)


# --- uploads ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("major", [2, 3])
def test_an_upload_is_consumed(connect, major):
    with StandIn(major=major) as server:
        client = connect(server)
        headers = {"Authorization": f"Token {server.token}"}
        files = {"document": ("letter.txt", "Grüße".encode(), "text/plain")}
        with httpx.Client(base_url=server.url, trust_env=False, headers=headers) as http:
            told = {"title": "A letter"}
            http.post("/api/documents/post_document/", files=files, data=told).raise_for_status()
        server.consumption.wait()
        assert [task["status"] for task in server.library.tasks] == ["success"]
        found = next(client.documents())
        assert (found.document.title, found.document.content) == ("A letter", "Grüße")
