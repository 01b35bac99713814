"""Who is let in, for how long, and who is not."""

from __future__ import annotations

import socket

import httpx
import pytest
from paperless_work import LETTER, RESCAN
from waiting import until

from paperless_fingerprint.demo.stand_in import Fault
from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.web.app import check_open, server_config
from paperless_fingerprint.web.sessions import COOKIE
from paperless_fingerprint.web.sign_in import is_loopback

PAGE = {"Accept": "text/html"}


@pytest.fixture
def anyone(service):
    with httpx.Client(base_url=service.url, timeout=60) as client:
        yield client


def sign_in(client, name: str, password: str | None = None, **more):
    told = {"username": name, "password": password or f"password-of-{name}", **more}
    return client.post("/api/session", json=told)


def test_the_cookie_is_kept_from_scripts_and_other_sites(service, anyone) -> None:
    service.user("anna")
    answer = sign_in(anyone, "anna")
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    for part in ("HttpOnly", "SameSite=lax", "Path=/", "Max-Age=43200"):
        assert part in cookie
    # Plain http here: with Secure no browser would send it back.
    assert "Secure" not in cookie
    token = service.token("anna")
    assert token not in answer.text + cookie
    assert token not in anyone.get("/api/session").text


def test_behind_https_the_cookie_is_secure(serve) -> None:
    service = serve(service_proxy="127.0.0.1")
    service.user("anna")
    with httpx.Client(base_url=service.url, headers={"X-Forwarded-Proto": "https"}) as client:
        assert "Secure" in sign_in(client, "anna").headers["set-cookie"]


def test_a_token_will_do(service, anyone) -> None:
    service.user("anna")
    answer = anyone.post("/api/session", json={"token": f" Token {service.token('anna')} "})
    assert answer.json()["name"] == "anna"
    assert anyone.post("/api/session", json={"token": "wrong"}).status_code == 401
    assert anyone.post("/api/session", json={"token": "line\nbreak"}).status_code == 401


def test_a_second_factor_is_asked_for(service, anyone) -> None:
    service.user("anna", code="123456")
    refused = sign_in(anyone, "anna")
    assert refused.status_code == 401
    assert "code" in refused.json()["detail"].lower()
    assert sign_in(anyone, "anna", code="123456").status_code == 200


def test_each_sign_in_makes_a_new_session_and_ends_the_old_one(service, anyone) -> None:
    service.user("anna")
    sign_in(anyone, "anna")
    old = anyone.cookies[COOKIE]
    sign_in(anyone, "anna")
    assert anyone.cookies[COOKIE] != old
    with httpx.Client(base_url=service.url, cookies={COOKIE: old}) as thief:
        assert thief.get("/api/session").status_code == 401
    # One that somebody has slipped in is not taken over either.
    with httpx.Client(base_url=service.url, cookies={COOKIE: "chosen"}) as client:
        made = sign_in(client, "anna").headers["set-cookie"]
        assert "chosen" not in made


def test_a_cookie_from_yesterday(service, anyone) -> None:
    service.user("anna")
    sign_in(anyone, "anna")
    service.clock.now += 24 * 3600
    answer = anyone.get("/api/review")
    assert answer.status_code == 401
    assert "session has ended" in answer.json()["detail"]
    page = anyone.get("/review", headers=PAGE, follow_redirects=True)
    assert "session has ended" in page.text
    anyone.cookies.clear()
    anyone.cookies.set(COOKIE, "x" * 5000)
    assert anyone.get("/api/review").status_code == 401


def test_signing_out(service) -> None:
    service.user("anna")
    with service.browser("anna") as client:
        cookie = client.cookies[COOKIE]
        assert client.delete("/api/session").status_code == 204
        client.cookies.set(COOKIE, cookie)
        assert client.get("/api/session").status_code == 401


def test_a_session_whose_token_was_taken_away_ends(service) -> None:
    service.user("anna")
    with service.browser("anna") as client:
        service.paperless.library.people.tokens.clear()
        service.clock.now += 3600
        answer = client.get("/api/review")
        assert answer.status_code == 401
        assert "no longer knows" in answer.json()["detail"]


def test_attempts_are_limited_by_name_and_by_address(service, anyone) -> None:
    service.user("anna")
    codes = [sign_in(anyone, "anna", "wrong").status_code for _ in range(11)]
    assert codes == [401] * 10 + [429]
    late = sign_in(anyone, "anna")
    assert late.status_code == 429
    assert 0 < int(late.headers["retry-after"]) <= 900
    asked = service.paperless.requests[("POST", "/api/token/")]
    assert sign_in(anyone, "ANNA").status_code == 429
    assert service.paperless.requests[("POST", "/api/token/")] == asked
    # Others at that address may still try, until there were too many of them, too.
    codes = [sign_in(anyone, f"user{n}", "wrong").status_code for n in range(25)]
    assert codes[0] == 401
    assert codes[-1] == 429
    service.clock.now += 901
    assert sign_in(anyone, "anna").status_code == 200


def test_one_wrong_password_among_right_ones_locks_nobody_out(service, anyone) -> None:
    service.user("anna")
    for _ in range(15):
        assert sign_in(anyone, "anna", "wrong").status_code == 401
        assert sign_in(anyone, "anna").status_code == 200


def test_no_spelling_of_a_name_has_attempts_of_its_own(service, anyone) -> None:
    service.user("anna")
    spellings = [
        "anna",
        "anna ",
        "  anna",
        "ANNA",
        "anna\u00a0",
        "\uff41nna",
        "\u200banna",
        "\u00e1nna",
    ]
    told = [*spellings, "anna\t", "anna\n", "anna" + " " * 300]
    assert [sign_in(anyone, name, "wrong").status_code for name in told] == [401] * 10 + [429]


def test_signing_in_oneself_buys_no_attempts_at_other_names(service, anyone) -> None:
    service.user("mallory")
    codes = []
    for number in range(40):
        codes.append(sign_in(anyone, f"user{number}", "wrong").status_code)
        sign_in(anyone, "mallory")
    assert codes == [401] * 30 + [429] * 10


def test_only_a_proxy_that_is_named_says_where_a_request_comes_from(serve) -> None:
    def codes(service) -> list[int]:
        with httpx.Client(base_url=service.url, timeout=60) as client:
            return [
                client.post(
                    "/api/session",
                    json={"username": f"user{number}", "password": "wrong"},
                    headers={"X-Forwarded-For": f"10.0.0.{number}"},
                ).status_code
                for number in range(32)
            ]

    assert codes(serve()) == [401] * 30 + [429] * 2
    assert codes(serve(service_proxy="10.9.9.9")) == [401] * 30 + [429] * 2
    assert codes(serve(service_proxy="10.9.9.9, 127.0.0.0/8")) == [401] * 32


def test_a_proxy_that_is_no_address_is_refused(service) -> None:
    for wrong in ("*", "proxy", "10.0.0.1 10.0.0.2"):
        with pytest.raises(ConfigurationError, match=r"\[service\] proxy"):
            server_config(service.app, service.settings.having({"service.proxy": wrong}))


def test_paperless_away_or_tired(service, anyone) -> None:
    service.user("anna")
    service.paperless.faults.next(Fault.THROTTLED, path="/api/token/")
    assert sign_in(anyone, "anna").status_code == 429
    service.paperless.faults.next(Fault.DROPPED, path="/api/token/")
    away = sign_in(anyone, "anna")
    assert (away.status_code, away.json()["title"]) == (503, "Paperless is not available")
    service.paperless.faults.next(Fault.REDIRECT, path="/api/token/")
    assert sign_in(anyone, "anna").status_code == 503
    assert "elsewhere" not in away.text


# --- forged requests ---------------------------------------------------------------------------


def test_what_changes_something_needs_the_sessions_own_token(service) -> None:
    service.user("anna")
    service.add(LETTER), service.add(RESCAN)
    service.sync()
    with service.browser("anna") as client, service.browser("anna") as other:
        item = client.get("/api/review").json()["items"][0]
        order = {"item": item["id"], "verdict": "same", "seen": item["seen"]}
        right = client.headers.pop("X-CSRF-Token")
        for told in ("", "wrong", other.headers["X-CSRF-Token"], "ü"):
            headers = {"X-CSRF-Token": told.encode()}
            answer = client.post("/api/review/decide", json={"orders": [order]}, headers=headers)
            assert answer.status_code == 403
        headers = {"X-CSRF-Token": right, "Sec-Fetch-Site": "cross-site"}
        answer = client.post("/api/review/decide", json={"orders": [order]}, headers=headers)
        assert answer.status_code == 403
        headers = {"X-CSRF-Token": right, "Origin": "https://evil.example"}
        answer = client.post("/api/review/decide", json={"orders": [order]}, headers=headers)
        assert answer.status_code == 403
        assert client.get("/api/review").json()["total"] == 1
        for path in ("/api/review/undo", "/api/first-run/sync", "/api/progress/retry"):
            assert client.post(path, json={}).status_code == 403


def test_no_other_site_signs_somebody_in(service, anyone) -> None:
    service.user("anna")
    anyone.headers["Sec-Fetch-Site"] = "cross-site"
    assert sign_in(anyone, "anna").status_code == 403
    # Nor by a form, which needs no leave of the browser.
    del anyone.headers["Sec-Fetch-Site"]
    told = {"username": "anna", "password": "password-of-anna"}
    assert anyone.post("/api/session", data=told).status_code == 415


@pytest.mark.parametrize(
    "forged",
    [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
     {"Sec-Fetch-Site": "same-site"}, {"Origin": "http://["},
     # Its own name leads to this machine.
     {"Origin": "http://evil.example:1", "Host": "evil.example:1"}],
)  # fmt: skip
def test_no_other_site_announces_documents_where_there_is_no_secret(
    service, anyone, forged
) -> None:
    told = {"content": b'{"document_id": 1}', "headers": {"Content-Type": "text/plain", **forged}}
    assert anyone.post("/api/consume", **told).status_code == 403
    assert service.app.state.service.worker.inbox.events() == []
    assert anyone.post("/api/consume", json={"document_id": 1}).status_code == 202


@pytest.mark.parametrize("secret", ["geh\u00fctet", "voil\u00e0", "\u79d8\u5bc6"])
def test_a_secret_is_compared_as_the_hook_sends_it(serve, secret) -> None:
    service = serve(service_secret=secret)
    with httpx.Client(base_url=service.url, timeout=60) as client:
        for told, status in ((secret, 202), (secret + "x", 401), (secret[:-1], 401)):
            headers = {"Authorization": f"Bearer {told}".encode()}
            answer = client.post("/api/consume", json={"document_id": 1}, headers=headers)
            assert answer.status_code == status


def test_every_answer_carries_what_browsers_obey(service, anyone) -> None:
    for path in ("/", "/sign-in", "/api/review", "/nothing", "/metrics", "/api/openapi.json"):
        headers = anyone.get(path).headers
        policy = headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "access-control-allow-origin" not in headers
        assert "uvicorn" not in headers.get("server", "")


def test_an_origin_and_a_way_back_that_are_no_address(service, anyone) -> None:
    service.user("anna")
    told = {"username": "anna", "password": "password-of-anna"}
    assert anyone.post("/api/session", json=told, headers={"Origin": "http://["}).status_code == 403
    page = anyone.get("/sign-in?back=//[", headers=PAGE)
    assert page.status_code == 200
    assert 'value="/"' in page.text


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/sign-in", "application/x-www-form-urlencoded"), ("/api/session", "application/json"),
     ("/api/consume", "application/json"), ("/sign-in", "multipart/form-data; boundary=x")],
)  # fmt: skip
def test_who_hangs_up_in_the_middle_leaves_no_trace_in_the_log(service, caplog, path, kind) -> None:
    address = service.url.removeprefix("http://")
    head = f"POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: {kind}\r\n"
    host, port = address.split(":")
    with socket.create_connection((host, int(port))) as wire:
        wire.sendall(f"{head}Content-Length: 1000\r\n\r\nname=".encode())
    until(lambda: f'route="{path}"' in "".join(service.app.state.service.metrics.lines()))
    assert not [record for record in caplog.records if record.exc_info]


# --- open mode ---------------------------------------------------------------------------------


def test_open_to_this_machine_alone(serve) -> None:
    service = serve(service_open="true")
    service.add(LETTER), service.add(RESCAN)
    service.sync()
    with httpx.Client(base_url=service.url, timeout=60) as client:
        told = client.get("/api/session").json()
        assert (told["open"], told["superuser"]) == (True, True)
        item = client.get("/api/review").json()["items"][0]
        order = {"orders": [{"item": item["id"], "verdict": "same", "seen": item["seen"]}]}
        assert client.post("/api/review/decide", json=order).status_code == 403
        headers = {"X-CSRF-Token": told["csrf"]}
        # Another name that leads to 127.0.0.1, and a proxy before us.
        for bad in (
            {"Host": "evil.example"}, {"Host": "127.0.0.1.evil.example:80"}, {"Host": ""},
            {"X-Forwarded-For": "10.0.0.7"}, {"Forwarded": "for=10.0.0.7"},
        ):  # fmt: skip
            assert client.get("/api/review", headers=bad).status_code in {400, 403}
            assert client.get("/", headers=bad).status_code in {400, 403}
        assert client.post("/api/review/decide", json=order, headers=headers).status_code == 200
        act = client.get("/api/review/acts").json()[0]
        assert act["by"] == "this machine"


@pytest.mark.parametrize(
    ("host", "answer"),
    [("127.0.0.1:8760", True), ("localhost", True), ("[::1]:80", True), ("::1", True),
     ("127.8.9.1", True), ("localhost.evil.example", False), ("10.0.0.1", False), ("", False),
     ("evil@127.0.0.1", True), ("[", False), ("0.0.0.0", False)],
)  # fmt: skip
def test_what_this_machine_is_called(host: str, answer: bool) -> None:
    assert is_loopback(host) is answer


def test_open_to_the_world_is_refused(service) -> None:
    with pytest.raises(ConfigurationError, match="lets everybody in"):
        check_open(service.settings.having({"service.open": True, "service.host": "0.0.0.0"}))


def test_below_a_folder_of_a_proxy(serve) -> None:
    service = serve(service_root_path="duplicates/")
    service.user("anna")
    with httpx.Client(base_url=service.url) as client:
        answer = sign_in(client, "anna")
        assert "Path=/duplicates" in answer.headers["set-cookie"]
        assert client.get("/api/openapi.json").json()["servers"] == [{"url": "/duplicates"}]
        page = client.get("/", headers=PAGE)
        assert page.headers["location"].startswith("/duplicates/")


def test_whoever_signs_in_to_a_library_that_is_empty_is_shown_the_first_steps(service) -> None:
    service.user("anna")
    told = {"username": "anna", "password": "password-of-anna"}

    def led_to(back: str) -> str:
        with httpx.Client(base_url=service.url, timeout=60) as client:
            return client.post("/sign-in", data={**told, "back": back}).headers["location"]

    assert [led_to("/review?relation=near"), led_to("/search")] == ["/first-run", "/search"]
    service.add("Ein Brief, der lang genug ist, um verglichen zu werden. " * 5)
    service.sync()
    assert led_to("/review?relation=near") == "/review?relation=near"
