"""The HTTP server: who asks, in which version, and what goes wrong on purpose."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from paperless_fingerprint.demo.stand_in import (  # noqa: F401 - they enter their paths
    document_routes,
    label_routes,
    people_routes,
    upload_routes,
)
from paperless_fingerprint.demo.stand_in.answers import Answer, ApiError, refused
from paperless_fingerprint.demo.stand_in.browsing import page_at
from paperless_fingerprint.demo.stand_in.faults import Fault
from paperless_fingerprint.demo.stand_in.people import User
from paperless_fingerprint.demo.stand_in.routing import ROUTES, Handler, Request

if TYPE_CHECKING:
    from paperless_fingerprint.demo.stand_in import StandIn

_CSRF_PAGE = (
    "<!DOCTYPE html>\n<html lang='en'><head><title>403 Forbidden</title></head>"
    "<body><h1>Forbidden <span>(403)</span></h1>"
    "<p>CSRF verification failed. Request aborted.</p></body></html>\n"
)
_WORKING = frozenset({"GET", "HEAD", "OPTIONS"})
_MOST_BYTES = 256 * 1024 * 1024


class _GoneError(Exception):
    """The connection is to end without an answer."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    # Many clients at once is what the tests are for; the default queue of 5 refuses them.
    request_queue_size = 128
    allow_reuse_address = True

    def __init__(self, stand_in: StandIn, host: str, port: int) -> None:
        self.stand_in = stand_in
        self._open: set[socket.socket] = set()
        self._open_lock = threading.Lock()
        super().__init__((host, port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._open_lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._open_lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def close_connections(self) -> None:
        """A client that keeps its connection open would keep a thread of ours waiting for it."""
        with self._open_lock:
            waiting = list(self._open)
        for connection in waiting:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "granian"
    # Head and body leave in two pieces; without this, each answer waits 40 ms for the first one.
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: tests and the demo print what they have to say themselves."""

    def do_GET(self) -> None:
        self._answer()

    do_POST = do_PATCH = do_DELETE = do_PUT = do_OPTIONS = do_HEAD = do_GET  # noqa: N815

    def _answer(self) -> None:
        stand_in = self.server.stand_in
        try:
            body = self._body()
            stand_in.count(self.command, self.path)
            fault = stand_in.faults.draw(self.command, self.path)
            self._send(self._mangled_answer(fault, body), cut_off=fault is Fault.CUT_OFF)
        except (_GoneError, OSError):
            self.close_connection = True

    def _mangled_answer(self, fault: Fault | None, body: bytes) -> Answer:
        if fault is Fault.DROPPED:
            raise _GoneError
        answer = None if fault is None else self.server.stand_in.faults.answer(fault)
        if answer is None:
            answer = self._real_answer(body)
        if fault is Fault.LOST_ANSWER:
            raise _GoneError
        return answer

    def _body(self) -> bytes:
        length = int(self.headers.get("Content-Length") or 0)
        if length > _MOST_BYTES:
            raise _GoneError
        return self.rfile.read(length) if length else b""

    # --- who asks, and in which version --------------------------------------------------------

    def _real_answer(self, body: bytes) -> Answer:
        try:
            return self._dispatch(body)
        except ApiError as error:
            return error.answer

    def _dispatch(self, body: bytes) -> Answer:
        parts = urlsplit(self.path)
        path, query = parts.path, dict(parse_qsl(parts.query, keep_blank_values=True))
        library = self.server.stand_in.library
        if path == "/api/":
            return Answer(302, text="", headers={"Location": "schema/view/"}, versioned=False)
        if path == "/api/token/":
            if self.command != "POST":
                raise refused(405, f'Method "{self.command}" not allowed.')
            return self._token(body)
        if not path.endswith("/") or not path.startswith("/api/"):
            return self._no_slash(path)
        user = self._user()
        handlers, match = self._find(path)
        version = self._api_version()
        if self.command not in handlers:
            raise refused(405, f'Method "{self.command}" not allowed.')
        request = Request(
            method=self.command,
            path=path,
            query=query,
            where=f"http://{self.headers.get('Host', '')}{path}",
            user=user,
            api_version=version,
            body=body,
            content_type=self.headers.get("Content-Type", ""),
            library=library,
            consumption=self.server.stand_in.consumption,
        )
        with library.lock:
            library.settle(everything=False)
            return handlers[self.command](request, match)

    def _find(self, path: str) -> tuple[dict[str, Handler], re.Match[str]]:
        for pattern, handlers in ROUTES:
            match = pattern.match(path)
            if match is not None:
                return handlers, match
        raise refused(404, "Not found.")

    def _no_slash(self, path: str) -> Answer:
        """Django's pages, not the API's: a login for who reads, a refusal for who writes."""
        if self.command in _WORKING:
            library = self.server.stand_in.library
            if not path.startswith("/api/") and self._is_this_machine():
                with library.lock:
                    page = page_at(library, path)
                if page is not None:
                    return page
            to = {"Location": f"/accounts/login/?next={path}"}
            return Answer(302, text="", headers=to, versioned=False)
        return Answer(403, text=_CSRF_PAGE, versioned=False)

    def _is_this_machine(self) -> bool:
        """A page of another site may have its own name lead here."""
        name = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        return name in {"localhost", "127.0.0.1", "::1"}

    def _user(self) -> User:
        people = self.server.stand_in.library.people
        scheme, _, value = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "token":
            user = people.by_token(value.strip())
            if user is None:
                raise self._unauthorised("Invalid token.")
            return user
        raise self._unauthorised("Authentication credentials were not provided.")

    def _unauthorised(self, detail: str) -> ApiError:
        headers = {"WWW-Authenticate": "Token"}
        return ApiError(Answer(401, {"detail": detail}, headers=headers, versioned=False))

    def _api_version(self) -> int:
        versions = self.server.stand_in.library.api_versions
        found = re.search(r"version=([^;,\s]+)", self.headers.get("Accept", ""))
        if found is None:
            return versions[-1] if len(versions) == 2 else 1
        if not found[1].isdigit() or int(found[1]) not in versions:
            detail = 'Invalid version in "Accept" header.'
            raise ApiError(Answer(406, {"detail": detail}, versioned=False))
        return int(found[1])

    def _token(self, body: bytes) -> Answer:
        stand_in = self.server.stand_in
        wait = round(stand_in.sign_ins.attempt(""))
        if wait:
            detail = f"Request was throttled. Expected available in {wait} seconds."
            headers = {"Retry-After": str(wait)}
            return Answer(429, {"detail": detail}, headers=headers, versioned=False)
        try:
            told = json.loads(body)
        except ValueError:
            told = dict(parse_qsl(body.decode(errors="replace")))
        people = stand_in.library.people
        user = people.by_password(str(told.get("username")), str(told.get("password")))
        problem = "Unable to log in with provided credentials." if user is None else None
        if user is not None and user.code and told.get("code") != user.code:
            problem = "MFA code is required" if not told.get("code") else "Invalid MFA code"
        if user is None or problem:
            return Answer(400, {"non_field_errors": [problem]}, versioned=False)
        return Answer(body={"token": people.token_of(user)}, versioned=False)

    # --- the answer ----------------------------------------------------------------------------

    def _send(self, answer: Answer, *, cut_off: bool) -> None:
        if answer.data is not None:
            data, content_type = answer.data, answer.content_type
        elif answer.text is not None:
            data, content_type = answer.text.encode(), answer.content_type
        else:
            data = json.dumps(answer.body, ensure_ascii=False, separators=(",", ":")).encode()
            content_type = "application/json"
        self.send_response(answer.status)
        if content_type:
            self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        if answer.versioned:
            library = self.server.stand_in.library
            self.send_header("X-Api-Version", str(library.api_versions[-1]))
            self.send_header("X-Version", library.version)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if cut_off:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data[: len(data) // 2] if cut_off else data)
        if cut_off:
            self.close_connection = True
