"""A cable to Paperless that can be pulled, also while an answer is under way."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

_AT_ONCE = 65_536


class Cable:
    """What goes through is passed on, unchanged."""

    def __init__(self, paperless: str) -> None:
        where = urlsplit(paperless)
        self._there = (where.hostname, where.port or 80)
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._wanted = b""
        self._lost: socket.socket | None = None
        self.url = ""
        self.is_pulled = False

    def pull(self) -> None:
        with self._lock:
            self.is_pulled = True
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def plug_in(self) -> None:
        self.is_pulled = False

    def pull_at(self, request: bytes) -> None:
        """Paperless does what it is told by the next request that begins so; its answer is lost."""
        self._wanted = request

    def carry(self, here: socket.socket) -> None:
        if self.is_pulled:
            return
        with socket.create_connection(self._there) as there:
            with self._lock:
                self._open |= {here, there}
            answers = threading.Thread(target=self._pass_on, args=(there, here))
            answers.start()
            self._pass_on(here, there)
            answers.join()
            with self._lock:
                self._open -= {here, there}

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(_AT_ONCE):
                if self._wanted and data.startswith(self._wanted):
                    self._wanted, self._lost = b"", other
                elif one is self._lost:
                    self.pull()
                    break
                other.sendall(data)
        for each in (one, other):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@contextmanager
def cable_to(paperless: str) -> Iterator[Cable]:
    cable = Cable(paperless)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            cable.carry(self.request)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        cable.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield cable
        finally:
            cable.pull()
            server.shutdown()
            thread.join()
