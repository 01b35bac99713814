"""The service: pages, API, the worker behind them, and how all of it is put together.

A module that has routes of its own is named in `ROUTES`: a function that takes the WebService and
gives a list of routes. It is asked once, when the service starts.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

import uvicorn
from anyio import to_thread
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from paperless_fingerprint.errors import ConfigurationError, FingerprintError
from paperless_fingerprint.model import MAX_DOCUMENT_ID
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.service.live import LiveProgress
from paperless_fingerprint.service.worker import Worker
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.web import api, openapi, operations
from paperless_fingerprint.web.events import Events
from paperless_fingerprint.web.files import file_routes
from paperless_fingerprint.web.metrics import Metrics, figures, text_of
from paperless_fingerprint.web.middleware import Guard
from paperless_fingerprint.web.problems import Problem, response_of
from paperless_fingerprint.web.sign_in import Visits, check_origin, is_loopback, normal_root
from paperless_fingerprint.web.visitors_search import searching_route

_MOST_BYTES = 64 * 1024
#: Each has a connection to the library with a cache of its own. With more of them pages are not
#: written sooner, only in less of an order, and the slowest take longer.
_THREADS = 6
#: https://paperless.example.org/documents/12/ or …/api/documents/12/
_IN_ADDRESS = re.compile(r"/documents/(\d{1,10})(?:/|$)")
#: A worker that has given no sign for so long hangs, whatever it is busy with.
_SILENT_SECONDS = 1800.0


@dataclass(frozen=True, slots=True)
class WebService:
    """What routes may need."""

    settings: Settings
    worker: Worker
    #: Closed when the service ends; routes put there what they have opened.
    stack: ExitStack
    review: Review
    visits: Visits
    metrics: Metrics
    events: Events


RoutesOf = Callable[[WebService], Sequence[BaseRoute]]


def _own_routes(service: WebService) -> Sequence[BaseRoute]:
    endpoints = _Endpoints(service)
    return [
        Route("/api/consume", endpoints.consume, methods=["POST"]),
        Route("/healthz", endpoints.health, methods=["GET"]),
        Route("/metrics", endpoints.metrics, methods=["GET"]),
    ]


def _api_routes(service: WebService) -> Sequence[BaseRoute]:
    table = api.operations(service.metrics)
    root = normal_root(service.settings.service.root_path)
    described = openapi.description(table, root)

    def description(_request: Request) -> Response:
        return operations.json_response(described)

    return [
        searching_route(service.visits),
        Route("/api/events", service.events.endpoint, methods=["GET"]),
        Route("/api/openapi.json", description, methods=["GET"]),
        *file_routes(service.visits),
        *operations.routes_of(table, service.visits),
    ]


def _page_routes(_service: WebService) -> Sequence[BaseRoute]:
    from paperless_fingerprint.web import (
        pages,
        pages_compare,
        pages_library,
        pages_list,
        pages_resolve,
        pages_resolve_many,
        pages_review,
        pages_search,
        pages_uncompared,
        pdf_viewer,
    )

    rooms = (
        pages, pages_list, pages_resolve, pages_resolve_many, pages_review, pages_search, pages_library,
        pages_compare, pages_uncompared, pdf_viewer,
    )  # fmt: skip
    return [route for room in rooms for route in room.routes()]


ROUTES: list[RoutesOf] = [_own_routes, _api_routes, _page_routes]


def make_app(
    settings: Settings,
    worker: Worker,
    live: LiveProgress | None = None,
    *,
    clock: Callable[[], float] = time.monotonic,
    patience_seconds: float = 1.0,
) -> Starlette:
    """`live` is what the worker tells its progress to."""
    from paperless_fingerprint.web.pages import render_problem

    check_open(settings)
    review = Review(settings, worker, live or LiveProgress(), patience_seconds=patience_seconds)
    visits = Visits(review, clock=clock)
    metrics = Metrics()
    events = Events(visits)
    service = WebService(settings, worker, ExitStack(), review, visits, metrics, events)
    service.stack.callback(review.stop)
    service.stack.callback(visits.close)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = _THREADS
        worker.start()
        review.start()
        try:
            yield
        finally:
            events.end()
            await run_in_threadpool(worker.stop)
            await run_in_threadpool(service.stack.close)

    handlers: Mapping[Any, Any] = dict.fromkeys(
        (HTTPException, Problem, FingerprintError, PermissionError), _in_one_form
    )
    app = Starlette(
        routes=[route for routes_of in ROUTES for route in routes_of(service)],
        lifespan=lifespan,
        exception_handlers=handlers,
        middleware=[
            Middleware(
                Guard, metrics=metrics, is_open=visits.is_open, language=settings.web.language
            ),
        ],
    )
    app.state.service = service
    app.state.visits = visits
    app.state.review = review
    app.state.render_problem = render_problem
    return app


def server_config(app: Starlette, settings: Settings, **more: Any) -> uvicorn.Config:
    """How uvicorn serves it: whoever is no proxy of ours cannot say where a request comes from."""
    proxies = [each.strip() for each in (settings.service.proxy or "").split(",") if each.strip()]
    for each in proxies:
        try:
            ipaddress.ip_network(each)
        except ValueError:
            raise ConfigurationError(
                f"[service] proxy is '{settings.service.proxy}', and '{each}' is no address; "
                "172.18.0.5 is one, and 172.18.0.0/16 a network."
            ) from None
    return uvicorn.Config(
        app,
        access_log=False,
        lifespan="on",
        root_path=normal_root(settings.service.root_path),
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies,
        # Which program answers here is nobody's business.
        server_header=False,
        **more,
    )


async def _in_one_form(request: Request, error: Exception) -> Response:
    return await run_in_threadpool(response_of, request, error)


def check_secret(settings: Settings) -> None:
    """Whoever may announce documents may keep us busy: only this machine may do so without."""
    if not settings.service.secret and not _is_local(settings.service.host):
        raise ConfigurationError(
            f"`serve` would listen on {settings.service.host} for everybody. Set "
            "PAPERLESS_FINGERPRINT_SERVICE_SECRET to a long random text, here and in the hook's "
            "environment, or listen on 127.0.0.1 alone."
        )


def check_open(settings: Settings) -> None:
    """Without sign-in nobody but this machine may come near."""
    if not settings.paperless.url and not _is_local(settings.service.host):
        raise ConfigurationError(
            f"Without Paperless nobody can sign in, and `serve` would listen on "
            f"{settings.service.host}. Set PAPERLESS_FINGERPRINT_PAPERLESS_URL and a token, or "
            "listen on 127.0.0.1, which shows the library to this machine alone."
        )
    if settings.service.open and not _is_local(settings.service.host):
        raise ConfigurationError(
            f"[service] open lets everybody in, and `serve` would listen on "
            f"{settings.service.host}. Listen on 127.0.0.1, or switch it off, so that people "
            "sign in with their account of Paperless."
        )


def _is_local(host: str) -> bool:
    return is_loopback(host)


class _Endpoints:
    def __init__(self, service: WebService) -> None:
        self._service = service
        self._worker = service.worker
        self._secret = (service.settings.service.secret or "").encode(errors="surrogateescape")
        self._accepted = 0
        self._refused = 0

    async def consume(self, request: Request) -> Response:
        """From the hook, `{"document_id": 12}`; from a workflow of Paperless, `doc_id`/`doc_url`."""
        if not self._is_known(request):
            self._refused += 1
            raise Problem(
                401, "Not known",
                "The secret is missing or wrong: Authorization: Bearer <secret>.",
                headers={"WWW-Authenticate": "Bearer"},
            )  # fmt: skip
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _MOST_BYTES:
                raise Problem(413, "Too long", "The body is too long.")
        number = document_of(body, request.headers.get("content-type", ""))
        if number is None:
            self._refused += 1
            raise Problem(
                400, "No document",
                'No document is named. Send {"document_id": 12}, or doc_id or doc_url as a '
                "workflow of Paperless fills them in.",
            )  # fmt: skip
        try:
            await run_in_threadpool(self._worker.announce, number)
        except FingerprintError:
            # Not 2xx: the hook keeps the event in its spool. Why is for our log, not for strangers.
            raise Problem(503, "Not now", "The event cannot be kept now.") from None
        self._accepted += 1
        return JSONResponse({"document_id": number}, status_code=202)

    def _is_known(self, request: Request) -> bool:
        if not self._secret:
            # This machine alone, and no page of another site in a browser on it; such a page may
            # even have its own name lead here.
            check_origin(request)
            if not is_loopback(request.headers.get("host", "")):
                raise Problem(
                    403, "Not allowed",
                    "Without a secret only this machine announces documents, by the name localhost "
                    "or 127.0.0.1. Set PAPERLESS_FINGERPRINT_SERVICE_SECRET on both sides.",
                )  # fmt: skip
            return True
        scheme, _, told = request.headers.get("authorization", "").partition(" ")
        # Headers come as Latin-1, whatever bytes were sent; the hook sends UTF-8.
        same = hmac.compare_digest(told.encode("latin-1").strip(), self._secret)
        return same and scheme.lower() == "bearer"

    async def health(self, _request: Request) -> Response:
        vitals, worker = self._worker.vitals, self._worker
        silent = vitals.last_sign_at and time.time() - vitals.last_sign_at > _SILENT_SECONDS
        ok = worker.is_alive and not silent
        status = "ok" if ok and not vitals.trouble else "waiting" if ok else "down"
        told = {"status": status, "settled": vitals.is_settled}
        return JSONResponse(told, status_code=200 if ok else 503)

    def metrics(self, _request: Request) -> Response:
        vitals = self._worker.vitals
        try:
            counts = self._worker.inbox.counts()
        except FingerprintError:
            counts = {}
        service = self._service
        lines = figures((
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
            ("first_sync_waits", "gauge", "Whether somebody has to start the first sync",
             int(vitals.first_sync_waits)),
            ("settled", "gauge", "Whether the order of arrival does not count any more",
             int(bool(vitals.is_settled))),
            ("last_sync_timestamp_seconds", "gauge", "End of the last sync", vitals.last_sync_at),
            ("up", "gauge", "Whether the worker runs and nothing is away",
             int(self._worker.is_alive and not vitals.trouble)),
            ("sessions", "gauge", "Browsers that are signed in", len(service.visits.sessions)),
            ("sign_ins_total", "counter", "People signed in", service.visits.signed_in),
            ("sign_ins_refused_total", "counter", "Sign-ins turned away",
             service.visits.turned_away),
            ("listeners", "gauge", "Pages that listen for progress", service.events.listeners),
            ("decisions_waiting", "gauge", "Decisions kept and not yet carried out",
             len(service.review.journal.waiting())),
        ))  # fmt: skip
        return PlainTextResponse(
            text_of([*lines, *service.metrics.lines()]),
            media_type="text/plain; version=0.0.4; charset=utf-8",
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
