"""The service: POST /api/consume, /healthz, /metrics, the search, and the pages.

A module that has routes of its own is named in `ROUTES`: a function that takes the Service and
gives a list of routes. It is asked once, when the service starts.
"""

from __future__ import annotations

import hmac
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from paperless_fingerprint.errors import ConfigurationError, FingerprintError
from paperless_fingerprint.model import MAX_DOCUMENT_ID
from paperless_fingerprint.settings import Settings
from paperless_fingerprint.web.searching import search_routes
from paperless_fingerprint.worker import Worker

_MOST_BYTES = 64 * 1024
#: https://paperless.example.org/documents/12/ or …/api/documents/12/
_IN_ADDRESS = re.compile(r"/documents/(\d{1,10})(?:/|$)")
#: A worker that has given no sign for so long hangs, whatever it is busy with.
_SILENT_SECONDS = 1800.0


@dataclass(frozen=True, slots=True)
class Service:
    """What routes may need."""

    settings: Settings
    worker: Worker
    #: Closed when the service ends; routes put there what they have opened.
    stack: ExitStack


RoutesOf = Callable[[Service], Sequence[BaseRoute]]


def _own_routes(service: Service) -> Sequence[BaseRoute]:
    endpoints = _Endpoints(service)
    return [
        Route("/api/consume", endpoints.consume, methods=["POST"]),
        Route("/healthz", endpoints.health, methods=["GET"]),
        Route("/metrics", endpoints.metrics, methods=["GET"]),
    ]


def _search_routes(service: Service) -> Sequence[BaseRoute]:
    routes, search = search_routes(service.settings)
    service.stack.callback(search.close)
    return routes


#: The pages add theirs here.
ROUTES: list[RoutesOf] = [_own_routes, _search_routes]


def make_app(settings: Settings, worker: Worker) -> Starlette:
    service = Service(settings, worker, ExitStack())

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        worker.start()
        try:
            yield
        finally:
            await run_in_threadpool(worker.stop)
            service.stack.close()

    app = Starlette(
        routes=[route for routes_of in ROUTES for route in routes_of(service)], lifespan=lifespan
    )
    app.state.service = service
    return app


def check_secret(settings: Settings) -> None:
    """Whoever may announce documents may keep us busy: only this machine may do so without."""
    if not settings["service.secret"] and not _is_local(settings["service.host"]):
        raise ConfigurationError(
            f"`serve` would listen on {settings['service.host']} for everybody. Set "
            "PAPERLESS_FINGERPRINT_SERVICE_SECRET to a long random text, here and in the hook's "
            "environment, or listen on 127.0.0.1 alone."
        )


def _is_local(host: str) -> bool:
    return host in {"localhost", "::1"} or host.startswith("127.")


class _Endpoints:
    def __init__(self, service: Service) -> None:
        self._worker = service.worker
        self._secret = str(service.settings["service.secret"] or "")
        self._accepted = 0
        self._refused = 0

    async def consume(self, request: Request) -> Response:
        """From the hook, `{"document_id": 12}`; from a workflow of Paperless, `doc_id`/`doc_url`."""
        if not self._is_known(request):
            self._refused += 1
            return JSONResponse(
                {"detail": "The secret is missing or wrong: Authorization: Bearer <secret>."},
                status_code=401,
                headers={"WWW-Authenticate": "Bearer"},
            )
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _MOST_BYTES:
                return JSONResponse({"detail": "The body is too long."}, status_code=413)
        number = document_of(body, request.headers.get("content-type", ""))
        if number is None:
            self._refused += 1
            return JSONResponse(
                {
                    "detail": 'No document is named. Send {"document_id": 12}, or doc_id or '
                    "doc_url as a workflow of Paperless fills them in."
                },
                status_code=400,
            )
        try:
            await run_in_threadpool(self._worker.announce, number)
        except FingerprintError:
            # Not 2xx: the hook keeps the event in its spool. Why is for our log, not for strangers.
            return JSONResponse({"detail": "The event cannot be kept now."}, status_code=503)
        self._accepted += 1
        return JSONResponse({"document_id": number}, status_code=202)

    def _is_known(self, request: Request) -> bool:
        if not self._secret:
            return True
        scheme, _, told = request.headers.get("authorization", "").partition(" ")
        same = hmac.compare_digest(told.strip().encode(), self._secret.encode())
        return same and scheme.lower() == "bearer"

    async def health(self, _request: Request) -> Response:
        vitals, worker = self._worker.vitals, self._worker
        silent = vitals.last_sign_at and time.time() - vitals.last_sign_at > _SILENT_SECONDS
        ok = worker.is_alive and not silent
        status = "ok" if ok and not vitals.trouble else "waiting" if ok else "down"
        return JSONResponse({"status": status}, status_code=200 if ok else 503)

    def metrics(self, _request: Request) -> Response:
        vitals = self._worker.vitals
        try:
            counts = self._worker.inbox.counts()
        except FingerprintError:
            counts = {}
        lines: list[str] = []
        for name, kind, help, value in (
            ("inbox_waiting", "gauge", "Documents that wait", counts.get("waiting")),
            ("inbox_failed", "gauge", "Documents that failed for good", counts.get("failed")),
            ("documents_done_total", "counter", "Documents done", vitals.documents_done),
            ("documents_gone_total", "counter", "Events of documents that are gone",
             vitals.documents_gone),
            ("document_failures_total", "counter", "Tries that failed", vitals.documents_failed),
            ("events_accepted_total", "counter", "Announcements taken", self._accepted),
            ("events_refused_total", "counter", "Announcements turned away", self._refused),
            ("syncs_total", "counter", "Syncs that came to their end", vitals.syncs),
            ("outages_total", "counter", "Times that Paperless or the store was away",
             vitals.outages),
            ("last_sync_timestamp_seconds", "gauge", "End of the last sync", vitals.last_sync_at),
            ("up", "gauge", "Whether the worker runs and nothing is away",
             int(self._worker.is_alive and not vitals.trouble)),
        ):  # fmt: skip
            if value is not None:
                full = f"paperless_fingerprint_{name}"
                lines += [f"# HELP {full} {help}.", f"# TYPE {full} {kind}", f"{full} {value}"]
        return PlainTextResponse(
            "\n".join(lines) + "\n", media_type="text/plain; version=0.0.4; charset=utf-8"
        )


def document_of(body: bytes, content_type: str) -> int | None:
    """The id that the body names, as JSON or as a form, in any of its spellings."""
    told: Mapping[str, Any]
    if "application/x-www-form-urlencoded" in content_type:
        told = {
            name: values[-1] for name, values in parse_qs(body.decode(errors="replace")).items()
        }
    else:
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            return None
        if not isinstance(found, Mapping):
            return None
        told = found
    for name in ("document_id", "doc_id", "id"):
        number = _number(told.get(name))
        if number is not None:
            return number
    address = told.get("doc_url") or told.get("document_url") or told.get("url")
    match = _IN_ADDRESS.search(address) if isinstance(address, str) else None
    return _number(match[1]) if match else None


def _number(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value) if len(value.strip()) < 11 else 0
    if type(value) is int and 0 < value <= MAX_DOCUMENT_ID:
        return value
    return None
