"""The whole service for tests: a real uvicorn in a thread, the stand-in Paperless, either store.

The worker does not run by itself unless a test asks for it, so that a test decides what happens
when; a decision is carried out by the service's own thread all the same.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.integration import consume
from paperless_fingerprint.integration import sync as syncing
from paperless_fingerprint.integration.context import open_workplace
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.service.live import LiveProgress
from paperless_fingerprint.service.worker import Worker
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.web.app import make_app, server_config

RIGHTS = ("view_document", "change_document", "view_uisettings")


class Clock:
    """Moves when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class RestingWorker(Worker):
    """Alive, and does nothing by itself."""

    @property
    def is_alive(self) -> bool:
        return True

    def start(self) -> None:
        pass

    def stop(self) -> None:
        self._file.close()


class Service:
    def __init__(self, folder: Path, paperless: StandIn, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.paperless = paperless
        self.environment = {
            "PAPERLESS_FINGERPRINT_STORE": f"sqlite:///{folder}/library.db",
            "PAPERLESS_FINGERPRINT_PAPERLESS_URL": paperless.url,
            "PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN": paperless.token,
            "PAPERLESS_FINGERPRINT_SPOOL": str(folder / "spool"),
            "PAPERLESS_FINGERPRINT_INBOX_FILE": f"{folder}/library.inbox.db",
            "PAPERLESS_FINGERPRINT_INBOX_FIRST_PAUSE_SECONDS": "0",
            "PAPERLESS_FINGERPRINT_PAPERLESS_WRITES_PER_SECOND": "1000",
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_DATA_HOME": str(folder / "data"),
            **{f"PAPERLESS_FINGERPRINT_{name.upper()}": v for name, v in environment.items()},
        }
        self.clock = Clock()
        self.url = ""
        self.app: Any = None

    @property
    def settings(self) -> Settings:
        return load(environment=self.environment)

    @property
    def review(self) -> Review:
        return self.app.state.review

    def add(self, content: str, **more: Any) -> int:
        return self.paperless.library.add(content, **more).id

    def sync(self) -> None:
        """As the worker does it, and the service has seen it when this returns."""
        with open_workplace(self.settings) as place:
            first = syncing.is_first(place)
            syncing.sync(place)
            for _ in syncing.follow_up(place, first=first):
                pass
        self.look()

    def consume(self, *ids: int) -> None:
        with open_workplace(self.settings) as place:
            place.inbox.add(ids)
            assert not consume.drain(place).outage
        self.look()

    def look(self) -> None:
        if self.app is not None:
            self.review.mirror.refresh()

    def user(self, name: str, *, superuser: bool = False, **more: Any) -> int:
        more.setdefault("permissions", RIGHTS)
        people = self.paperless.library.people
        return people.add_user(name, f"password-of-{name}", superuser=superuser, **more).id

    def token(self, name: str) -> str:
        people = self.paperless.library.people
        return people.token_of(next(u for u in people.users.values() if u.username == name))

    @contextmanager
    def machine(self, name: str = "") -> Iterator[httpx.Client]:
        """A program with a token; by default that of the stand-in's administrator."""
        token = self.token(name) if name else self.paperless.token
        with httpx.Client(
            base_url=self.url, headers={"Authorization": f"Token {token}"}, timeout=60
        ) as client:
            yield client

    @contextmanager
    def browser(self, name: str) -> Iterator[httpx.Client]:
        """Signed in; its requests carry the session and the CSRF token."""
        with httpx.Client(base_url=self.url, timeout=60) as client:
            told = client.post(
                "/api/session", json={"username": name, "password": f"password-of-{name}"}
            )
            assert told.status_code == 200, told.text
            client.headers["X-CSRF-Token"] = told.json()["csrf"]
            yield client


@contextmanager
def served(
    folder: Path,
    paperless: StandIn,
    *,
    with_worker: bool = False,
    patience_seconds: float = 30.0,
    before: Any = None,
    **environment: str,
) -> Iterator[Service]:
    """`before` is called with the Service before it starts, to fill the library."""
    service = Service(folder, paperless, environment)
    if before is not None:
        before(service)
    settings = service.settings
    live = LiveProgress()
    worker = (Worker if with_worker else RestingWorker)(settings, live)
    app = make_app(settings, worker, live, clock=service.clock, patience_seconds=patience_seconds)
    service.app = app
    listener = socket.create_server(("127.0.0.1", 0))
    service.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    server = uvicorn.Server(
        server_config(app, settings, log_level="error", timeout_graceful_shutdown=5)
    )
    thread = threading.Thread(target=server.run, args=([listener],), name="served")
    thread.start()
    try:
        # The socket listens already: the first answer comes when the service has started.
        assert httpx.get(f"{service.url}/healthz", timeout=60).status_code == 200
        service.review.mirror.refresh()
        yield service
    finally:
        server.should_exit = True
        thread.join(60)
        listener.close()
        assert not thread.is_alive()
