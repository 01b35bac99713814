"""A stand-in Paperless: a real HTTP server that behaves as Paperless-ngx does, for demo and tests.

    with StandIn(hook=Path("hooks/post_consume.py")) as paperless:
        client = PaperlessClient(Connection(paperless.url, token=paperless.token))

Everything is in memory. `paperless.library` may be filled and looked at directly,
`paperless.faults` makes the server misbehave, `paperless.consumption` takes uploads in and runs
the post-consume hook. Standard library only, so that the demo needs nothing but the package.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from paperless_fingerprint.demo.stand_in.consumption import Consumption
from paperless_fingerprint.demo.stand_in.faults import Fault, Faults
from paperless_fingerprint.demo.stand_in.library import Library
from paperless_fingerprint.demo.stand_in.server import Server
from paperless_fingerprint.model import Document
from paperless_fingerprint.web.limits import RateLimit

__all__ = ["Fault", "Faults", "Library", "StandIn"]


class StandIn:
    def __init__(
        self,
        documents: Iterable[Document] = (),
        *,
        major: int = 3,
        host: str = "127.0.0.1",
        port: int = 0,
        hook: Path | str | None = None,
        hook_environment: Mapping[str, str] | None = None,
        workers: int = 1,
        modified_delay_seconds: float = 0.0,
        sign_ins_a_minute: int = 5,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.library = Library(
            major=major, modified_delay_seconds=modified_delay_seconds, clock=clock
        )
        self.admin = self.library.people.add_user("admin", "admin", superuser=True)
        self.token = self.library.people.token_of(self.admin)
        self.library.load(documents)
        self.faults = Faults()
        self.consumption = Consumption(
            self.library, hook=hook, environment=hook_environment, workers=workers
        )
        #: How often each (method, path without query) was asked for.
        self.requests: Counter[tuple[str, str]] = Counter()
        self._count_lock = threading.Lock()
        #: Only the token endpoint is limited.
        self.sign_ins = RateLimit(sign_ins_a_minute, 60.0)
        self._server = Server(self, host, port)
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.05},
            name="stand-in Paperless",
            daemon=True,
        )

    @property
    def url(self) -> str:
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    def start(self) -> None:
        self._thread.start()
        self.consumption.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.close_connections()
        self._server.server_close()
        self._thread.join()
        self.consumption.stop()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def token_for(self, username: str, *permissions: str, groups: Iterable[int] = ()) -> str:
        """A new user with these permissions, and the token for it."""
        people = self.library.people
        user = people.add_user(username, username, permissions=permissions, groups=groups)
        return people.token_of(user)

    def count(self, method: str, path: str) -> None:
        with self._count_lock:
            self.requests[method, path.partition("?")[0]] += 1
