"""Pictures and files through us: only of documents, only from Paperless, only what they should be."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

import anyio
import httpx
import pytest
from paperless_work import LETTER

from paperless_fingerprint.demo.stand_in import Fault, document_routes
from paperless_fingerprint.web.files import Passed


@pytest.fixture
def letter(service):
    service.user("anna")
    id = service.add(LETTER)
    service.sync()
    return service, id


def raw(url: str, path: str, token: str) -> tuple[int, bytes]:
    """As it is, without what a client makes of '..' first."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    try:
        connection.putrequest("GET", path, skip_accept_encoding=True)
        connection.putheader("Authorization", f"Token {token}")
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_a_thumbnail_is_kept_by_the_browser_alone(letter) -> None:
    service, id = letter
    with service.browser("anna") as client:
        answer = client.get(f"/thumb/{id}")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "image/png"
        assert answer.content.startswith(b"\x89PNG")
        assert answer.headers["cache-control"].startswith("private")
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        tag = answer.headers["etag"]
        again = client.get(f"/thumb/{id}", headers={"If-None-Match": f'"other", {tag}'})
        assert (again.status_code, again.content) == (304, b"")
        assert client.get(f"/api/documents/{id}/thumb").content == answer.content
    with httpx.Client(base_url=service.url) as nobody:
        assert nobody.get(f"/thumb/{id}").status_code == 401


@pytest.mark.parametrize(
    "path",
    [
        "/thumb/../../etc/passwd", "/thumb/..%2f..%2fapi%2fusers", "/thumb/1/../../api/users/",
        "/thumb/1%2f..%2f2", "/thumb/-1", "/thumb/0", "/thumb/99999999999999999999", "/thumb/1.5",
        "/thumb/1%00", "/thumb/http://evil.example/", "//evil.example/thumb/1", "/thumb/%D9%A3",
        "/thumb/1;2", "/preview/..%2f1", "/thumb/2147483648", "/static/..%2f..%2fpyproject.toml",
        "/static/x/../../../settings.py", "/thumb/%31%2e%2e",
    ],
)  # fmt: skip
def test_path_tricks(letter, path: str) -> None:
    service, _ = letter
    before = service.paperless.requests.copy()
    status, body = raw(service.url, path, service.paperless.token)
    assert status in {400, 404}, body
    assert b"root:" not in body
    asked = service.paperless.requests - before
    assert not [key for key in asked if "thumb" in key[1] or "preview" in key[1]]


def test_a_whole_address_is_no_errand_to_somewhere_else(letter) -> None:
    service, id = letter
    status, _ = raw(service.url, f"http://evil.example/thumb/{id}", service.paperless.token)
    assert status in {200, 400, 404}  # ours or nothing; never that of another host


@pytest.mark.parametrize("fault", [Fault.HTML, Fault.REDIRECT, Fault.SERVER_ERROR, Fault.DROPPED])
def test_what_is_no_picture_is_not_passed_on(letter, fault: Fault) -> None:
    service, id = letter
    with service.machine() as client:
        for kind in ("thumb", "preview"):
            service.paperless.faults.next(fault, 2, path=f"/{kind}/")
            answer = client.get(f"/{kind}/{id}")
            assert answer.status_code in {502, 503}
            assert answer.headers["content-type"] == "application/problem+json"
            assert "elsewhere" not in answer.text
            assert "nginx" not in answer.text
            service.paperless.faults.clear()


def test_a_connection_that_has_ended_is_nobodys_business(letter) -> None:
    service, id = letter
    with service.machine() as client:
        for kind in ("thumb", "preview"):
            service.paperless.faults.next(Fault.DROPPED, path=f"/{kind}/")
            assert client.get(f"/{kind}/{id}").status_code == 200


def test_a_picture_that_has_no_end(letter, monkeypatch) -> None:
    service, id = letter

    monkeypatch.setattr(document_routes, "thumbnail", lambda *_: b"\x89PNG" + b"\0" * (6 << 20))
    with service.machine() as client:
        answer = client.get(f"/thumb/{id}")
        assert answer.status_code == 502
        assert "larger" in answer.json()["detail"]


def test_a_file_is_shown_within_the_page(letter) -> None:
    service, id = letter
    with service.machine() as client:
        answer = client.get(f"/preview/{id}")
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/plain")
        assert answer.headers["content-disposition"].startswith("inline")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
        assert client.get("/preview/999").status_code == 404
        service.paperless.library.documents[id].mime_type = "text/html"
        assert client.get(f"/preview/{id}").status_code == 502


def test_a_file_is_given_back_where_somebody_hangs_up_before_its_first_piece() -> None:
    happened = []

    async def receive() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(_message: object) -> None:
        happened.append("sent")

    def pieces():
        happened.append("read")
        yield b"piece"

    async def ask() -> None:
        response = Passed(pieces(), lambda: happened.append("closed"))
        await response({"type": "http", "asgi": {"spec_version": "2.0"}}, receive, send)

    anyio.run(ask)
    assert happened[-1] == "closed"
    assert happened.count("closed") == 1
