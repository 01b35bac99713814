"""What goes wrong here, as the log keeps it."""

from __future__ import annotations

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
