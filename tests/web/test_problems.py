"""What goes wrong here, as the log keeps it."""

from __future__ import annotations

import pytest
from waiting import until

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.review import library_view


def test_a_stack_trace_in_the_log_has_no_secret_in_it(serve, stand_in, monkeypatch, caplog) -> None:
    secret = "a-secret-of-the-service"
    service = serve(service_secret=secret)
    service.user("vera", superuser=True)

    def broken(*_arguments: object) -> None:
        raise RuntimeError(f"sent {secret} and {stand_in.token} to nobody")

    monkeypatch.setattr(library_view, "view", broken)
    with service.browser("vera") as browser:
        answer = browser.get("/api/library")
    assert answer.status_code == 500
    assert "RuntimeError" in caplog.text
    assert "in broken" in caplog.text
    for hidden in (secret, stand_in.token):
        assert hidden not in caplog.text + answer.text


@pytest.mark.parametrize("is_known", [True, False], ids=["of ours", "unexpected"])
def test_the_log_is_english_whoever_asks(serve, monkeypatch, caplog, is_known) -> None:
    service = serve()
    service.user("vera", superuser=True)

    def broken(*_arguments: object) -> None:
        away = StoreError(Reason("library_file", {"path": "/x", "what": "disk_full"}))
        if is_known:
            raise away
        raise RuntimeError(away) from away

    monkeypatch.setattr(library_view, "view", broken)
    with service.browser("vera") as browser:
        answer = browser.get("/api/library", headers={"Accept-Language": "de"})
    assert "Bibliothek" in answer.text or "hätte nicht passieren" in answer.text
    assert "The library /x cannot be used: the disk is full." in caplog.text
    assert "Die Bibliothek /x" not in caplog.text


def test_why_the_library_cannot_be_used_is_shown_in_ones_own_language(serve, monkeypatch) -> None:
    service = serve()
    service.user("vera", superuser=True)

    def full() -> None:
        raise StoreError(Reason("library_file", {"path": "/x", "what": "disk_full"}))

    monkeypatch.setattr(service.review.mirror, "refresh", full)
    until(lambda: service.review.mirror.trouble, "the trouble")
    with service.browser("vera") as browser:
        headers = {"Accept": "text/html", "Accept-Language": "de"}
        page = browser.get("/work", headers=headers).text
    assert "Die Bibliothek /x kann nicht benutzt werden: Der Datenträger ist voll." in page
