"""A library without Paperless: it is shown to whoever sits at this machine, and nothing changes."""

from __future__ import annotations

import httpx
import pytest

from paperless_fingerprint.integration.context import open_inbox
from paperless_fingerprint.library.analysis import analyse
from paperless_fingerprint.library.intake import take_in
from paperless_fingerprint.model import Document
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.stores.opening import open_store
from serving import Service

LETTER = (
    "Stadtwerke Köln, Parkgürtel 24. Rechnung Nr. 2024-117 vom 3. März 2024 an Frau Erika "
    "Sommer, Rosenweg 5. Wir berechnen Ihnen für die Lieferung von Strom im Zeitraum vom 1. Februar "
    "bis 29. Februar 2024 den Betrag von 118,20 Euro. Der Zählerstand betrug 45.213 kWh."
)


def imported(service: Service) -> None:
    store = open_store(service.settings)
    try:
        letters = [
            Document(1, content=LETTER, title="Strom"),
            Document(2, content=LETTER.replace("Köln", "Koln"), title="Scan 7"),
        ]
        take_in(store, letters, service.settings.spec())
        analyse(store, service.settings, Silent())
    finally:
        store.close()


@pytest.fixture
def service(serve) -> Service:
    return serve(before=imported, with_worker=True, paperless_url="", paperless_token="")


@pytest.fixture
def browser(service):
    with httpx.Client(base_url=service.url, timeout=60) as client:
        client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
        yield client


def test_it_is_listed_compared_and_searched(browser) -> None:
    [item] = browser.get("/api/review").json()["items"]
    assert {document["id"] for document in item["documents"]} == {1, 2}
    assert browser.get("/api/pairs/1/2").json()["relation"] == "near"
    assert [hit["id"] for hit in browser.get("/api/search?q=Zählerstand").json()["hits"]] == [1, 2]
    for path in ("/review", f"/review/{item['id']}", "/search?q=strom", "/documents/1", "/library",
                 "/work", "/decisions", "/first-run"):  # fmt: skip
        answer = browser.get(path)
        assert answer.status_code == 200, path
    assert browser.get("/").headers["location"] == "/review"
    assert browser.get("/thumb/1").headers["content-type"] == "image/svg+xml"
    assert browser.get("/healthz").json()["status"] == "ok"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/review/decide", {"orders": [{"item": "g1", "verdict": "same", "seen": ""}]}),
        ("/api/review/undo", {}),
        ("/api/first-run/sync", None),
        ("/api/labels", None),
        ("/api/progress/retry", {}),
    ],
)
def test_what_would_change_something_says_why_it_cannot(browser, path, body) -> None:
    answer = browser.post(path, json=body)
    assert answer.status_code == 409
    assert "No Paperless stands beside this library" in answer.json()["detail"]
    assert "“confirm” and “dismiss”" in answer.json()["detail"]
    assert browser.get("/api/review/acts").json() == []


def test_nobody_announces_documents_and_nobody_signs_in(service, browser) -> None:
    assert browser.post("/api/consume", json={"document_id": 1}).status_code == 503
    file, inbox = open_inbox(service.settings)
    try:
        assert inbox.counts()["waiting"] == 0
    finally:
        file.close()
    answer = browser.post("/api/session", json={"username": "anna", "password": "x"})
    assert answer.status_code == 409


def test_the_page_has_no_buttons_that_decide(browser) -> None:
    [item] = browser.get("/api/review").json()["items"]
    for path in ("/review", f"/review/{item['id']}"):
        text = browser.get(path).text
        assert "/review/decide" not in text, path
        assert 'href=""' not in text, path
        assert "nothing can be changed here" in text, path
        assert "Your Paperless account" not in text, path
        assert "data-see" not in text, path
    assert "<button" not in browser.get("/first-run").text.partition("Check again")[2]
    assert browser.post("/theme", data={"theme": "dark", "back": "/review"}).status_code == 303
