"""A small proxy in front of a node: TLS and authentication, which a node from packages lacks, and
answers of its own where a test wants the server to misbehave.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Answer:
    status: int
    body: object
    headers: dict[str, str] = field(default_factory=lambda: {"X-Elastic-Product": "Elasticsearch"})


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: bytes


#: Looks at a request; None lets it through.
Intercept = Callable[[Request], "Answer | None"]
#: Looks at the node's answer to it and may change it.
Change = Callable[[Request, dict], dict]


def basic(username: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def handle_error(self, request, client_address):
        """A client that breaks off (an untrusted certificate) is what some tests are about."""


class Proxy:
    def __init__(self, server: _Server, scheme: str) -> None:
        self._server = server
        self.requests: list[Request] = []
        self.intercept: Intercept = lambda _: None
        self.change: Change = lambda _, answer: answer
        self.url = f"{scheme}://localhost:{server.server_port}"


@contextlib.contextmanager
def proxy_for(
    node: str, *, tls: ssl.SSLContext | None = None, authorization: str | None = None
) -> Iterator[Proxy]:
    target = urlsplit(node)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 10

        def setup(self):
            if tls is not None:
                self.request = tls.wrap_socket(self.request, server_side=True)
            super().setup()

        def finish(self):
            super().finish()
            self.request.close()

        def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            request = Request(self.command, self.path, self.rfile.read(length))
            proxy.requests.append(request)
            made = self.refused() or proxy.intercept(request)
            if made is not None:
                body = json.dumps(made.body).encode()
                self.answer(made.status, body, {"Content-Type": "application/json", **made.headers})
                return
            connection = http.client.HTTPConnection(target.hostname, target.port, timeout=120)
            with contextlib.closing(connection):
                kept = ("Content-Type", "Accept")
                headers = {name: self.headers[name] for name in kept if self.headers[name]}
                connection.request(self.command, self.path, request.body, headers)
                given = connection.getresponse()
                body = given.read()
                headers = {
                    name: value
                    for name, value in given.getheaders()
                    if name.lower() in {"content-type", "x-elastic-product"}
                }
            if body.startswith(b"{"):
                body = json.dumps(proxy.change(request, json.loads(body))).encode()
            self.answer(given.status, body, headers)

        def refused(self) -> Answer | None:
            if authorization is None or self.headers.get("Authorization") == authorization:
                return None
            reason = "unable to authenticate user for REST request"
            return Answer(401, {"error": {"type": "security_exception", "reason": reason}})

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = handle_any  # noqa: N815

        def log_message(self, *_arguments: object) -> None:
            """Nothing: what went through stands in `requests`."""

    with _Server(("127.0.0.1", 0), Handler) as server:
        proxy = Proxy(server, "https" if tls else "http")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield proxy
        finally:
            server.shutdown()
            thread.join()
