"""One request, once: the only module that knows httpx.

It adds the token to a request, follows no redirect, keeps no cookie, and turns everything that can
happen to a connection into one of the errors of `request.py`.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cached_property
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx

from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.paperless.refusals import (
    BrokenOffError,
    OversizedError,
    StrangeError,
    UnavailableError,
    parsed,
    refusal,
)
from paperless_fingerprint.settings.addresses import parts_of

Params = Mapping[str, str | int | bool]
#: Clients that wait for the next request, each with one open connection.
_MOST_KEPT = 20


@dataclass(frozen=True, slots=True)
class Limits:
    connect_seconds: float = 10.0
    #: Between two pieces of an answer.
    read_seconds: float = 60.0
    #: For one whole answer.
    total_seconds: float = 300.0
    attempts: int = 4
    #: To be asked to wait longer is an error, so that nothing stands still for an hour.
    longest_wait_seconds: float = 60.0
    first_pause_seconds: float = 0.5
    most_bytes: int = 128 * 1024 * 1024


@dataclass(frozen=True)
class Reply:
    status: int
    #: Names in any case.
    headers: Mapping[str, str]
    body: bytes

    @cached_property
    def json(self) -> Any:
        """None where there is none."""
        return parsed(self.body)


@dataclass(frozen=True, slots=True)
class FileStream:
    content_type: str
    chunks: Iterator[bytes]


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    params: Params | None = None
    #: None where nothing is sent along.
    json: Any = None
    token: str = ""
    accept: str = "application/json"

    @property
    def what(self) -> str:
        """For messages; without the query, which may be long."""
        return f"{self.method} {self.path}"


class _Clients:
    """HTTP clients, each lent to one request at a time and closed by nobody else meanwhile.

    A client that threads share takes a connection for idle, and closes it, while another thread
    begins to use it: 'Bad file descriptor'.
    """

    def __init__(self, make: Callable[[], httpx.Client]) -> None:
        self._make = make
        # Entered twice where the garbage collector gives a forgotten stream back.
        self._lock = threading.RLock()
        self._kept: list[httpx.Client] = []
        self._is_closed = False

    @contextmanager
    def one(self) -> Iterator[httpx.Client]:
        with self._lock:
            client = self._kept.pop() if self._kept else None
        client = client or self._make()
        try:
            yield client
        finally:
            with self._lock:
                is_kept = not self._is_closed and len(self._kept) < _MOST_KEPT
                if is_kept:
                    self._kept.append(client)
            if not is_kept:
                client.close()

    def close(self) -> None:
        """Those that are lent are closed when they are given back."""
        with self._lock:
            self._is_closed = True
            kept, self._kept = self._kept, []
        for client in kept:
            client.close()


class Transport:
    """Safe to share between threads."""

    def __init__(self, url: str, *, ca_file: Path | str | None, limits: Limits) -> None:
        self.url = url
        self.limits = limits
        self._trust = _trust(ca_file)
        self._clients = _Clients(self._client)

    def _client(self) -> httpx.Client:
        return httpx.Client(
            verify=self._trust,
            follow_redirects=False,
            # A session cookie would outlive its token, and be shared between people.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            timeout=httpx.Timeout(self.limits.read_seconds, connect=self.limits.connect_seconds),
            headers={"User-Agent": "paperless-fingerprint"},
        )

    def close(self) -> None:
        self._clients.close()

    def once(self, request: Request) -> Reply:
        with self._sent(request) as response:
            try:
                body = _read(response, self.limits.most_bytes, self.limits.total_seconds)
            except httpx.HTTPError as error:
                raise UnavailableError(
                    Reason("half_an_answer", {"request": request.what})
                ) from error
        if response.is_redirect:
            to = _where(response.headers.get("Location", ""), self.url)
            raise StrangeError(
                Reason("leads_on", {"address": self.url, "to": to}), status=response.status_code
            )
        return Reply(response.status_code, response.headers, body)

    @contextmanager
    def stream(self, request: Request) -> Iterator[FileStream]:
        with self._sent(request) as response:
            if not response.is_success:
                raise refusal(response.status_code, request.what, _read(response, 1 << 20, 30.0))
            kind = response.headers.get("Content-Type", "application/octet-stream")
            yield FileStream(kind, _chunks(response, request.path))

    @contextmanager
    def _sent(self, request: Request) -> Iterator[httpx.Response]:
        with self._clients.one() as client:
            response = self._answered(client, request)
            try:
                yield response
            finally:
                response.close()

    def _answered(self, client: httpx.Client, request: Request) -> httpx.Response:
        built = client.build_request(
            request.method, self.url + request.path, params=request.params, json=request.json
        )
        built.headers["Accept"] = request.accept
        if request.token:
            built.headers["Authorization"] = f"Token {request.token}"
        try:
            return client.send(built, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            if "CERTIFICATE_VERIFY_FAILED" in str(error):
                raise ConfigurationError(Reason("certificate", {"address": self.url})) from error
            # Status 0 says that nothing of the request arrived.
            raise UnavailableError(
                Reason("away", {"address": self.url, "why": _reason(error)}), status=0
            ) from error
        except httpx.TimeoutException as error:
            seconds = round(self.limits.read_seconds)
            raise UnavailableError(
                Reason("no_answer", {"request": request.what, "seconds": seconds})
            ) from error
        except httpx.HTTPError as error:
            raise BrokenOffError(
                Reason("broke", {"request": request.what, "why": _reason(error)})
            ) from error


def checked_url(url: str) -> tuple[str, str, str]:
    """The address without what a user may have put before the host; that, apart."""
    parts = parts_of(url.strip())
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise _no_address()
    host, port = parts.hostname, parts.port
    name = f"[{host}]" if ":" in host else host
    path = parts.path.rstrip("/").removesuffix("/api").removesuffix("/dashboard")
    address = f"{parts.scheme}://{name}{f':{port}' if port else ''}{path}"
    try:
        httpx.URL(address)
    except httpx.InvalidURL:  # it has rules of its own about names
        raise _no_address() from None
    return address, unquote(parts.username or ""), unquote(parts.password or "")


def _no_address() -> ConfigurationError:
    return ConfigurationError(
        "The address of Paperless must look like http://paperless:8000 or "
        "https://paperless.example.org; set PAPERLESS_FINGERPRINT_PAPERLESS_URL."
    )


def checked_token(token: str) -> str:
    token = token.strip().removeprefix("Token ").strip()
    if not token.isascii() or any(c <= " " or c == "\x7f" for c in token):
        # The message of the HTTP library would repeat it.
        raise ConfigurationError(
            "The token for Paperless holds a character that no token has, perhaps a line break. "
            "Copy it again from 'My profile' in Paperless."
        )
    return token


def _trust(ca_file: Path | str | None) -> ssl.SSLContext:
    if not ca_file:
        return httpx.create_ssl_context()
    try:
        return ssl.create_default_context(cafile=str(ca_file))
    except OSError as error:  # SSLError is one, too
        raise ConfigurationError(
            f"The file {ca_file} cannot be used as a certificate authority ({error}). It must hold "
            "certificates in PEM form."
        ) from error


def _read(response: httpx.Response, most_bytes: int, total_seconds: float) -> bytes:
    started = time.monotonic()
    pieces: list[bytes] = []
    size = 0
    for piece in response.iter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > most_bytes:
            raise OversizedError(f"An answer of Paperless is longer than {most_bytes >> 20} MB.")
        if time.monotonic() - started > total_seconds:
            # A server that sends a byte now and then never exceeds the limit between two pieces.
            raise UnavailableError(Reason("slow", {"seconds": round(total_seconds)}))
    return b"".join(pieces)


def _chunks(response: httpx.Response, path: str) -> Iterator[bytes]:
    try:
        yield from response.iter_bytes()
    except httpx.HTTPError as error:
        raise UnavailableError(f"The file of {path} ended before it was complete.") from error


def is_page(reply: Reply) -> bool:
    """A page where JSON belongs: a proxy that says 'back soon', or another program."""
    kind = reply.headers.get("Content-Type", "")
    return reply.status < 400 and kind.startswith("text/html") and bool(reply.body.strip())


def is_cut_off(reply: Reply) -> bool:
    """JSON whose end is missing, though no length announced more."""
    return reply.status < 400 and bool(reply.body.strip()) and reply.json is None


def retry_after(reply: Reply) -> float | None:
    told = reply.headers.get("Retry-After", "").strip()
    if told.isdigit():
        return float(told)
    try:
        return max(0.0, parsedate_to_datetime(told).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _reason(error: Exception) -> str:
    return str(error).strip() or type(error).__name__


def _where(location: str, url: str) -> str:
    """Where a redirect leads, without what may be secret in its query."""
    parts = parts_of(location)
    if parts is None:
        return "what is no address"
    base = f"{parts.scheme}://{parts.hostname}" if parts.hostname else url
    return f"{base}{parts.path}"
