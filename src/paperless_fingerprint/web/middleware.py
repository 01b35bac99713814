"""Around every request: headers that browsers obey, the Host in open mode, counting, and errors."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paperless_fingerprint.languages import choose, speaking
from paperless_fingerprint.web.metrics import Metrics
from paperless_fingerprint.web.problems import Problem, response_of
from paperless_fingerprint.web.sign_in import is_loopback

#: No inline script or style, nothing from elsewhere, and no other site may frame us.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; frame-src 'self'; "
    "object-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    # Who has signed out must not find pages in the browser's memory.
    "Cache-Control": "no-store",
}
#: A proxy has added these: the request comes from another machine, whatever its address says.
_FORWARDED = ("x-forwarded-for", "x-forwarded-host", "forwarded", "x-real-ip")


class Guard:
    def __init__(
        self,
        app: ASGIApp,
        *,
        metrics: Metrics,
        is_open: bool,
        language: str = "auto",
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._is_open = is_open
        self._language = language
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = self._clock(), 0

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        request = Request(scope, receive)
        with speaking(choose(request.headers.get("accept-language", ""), self._language)):
            try:
                if self._is_open:
                    _only_this_machine(request)
                await self._app(scope, receive, guarded)
            except Exception as error:
                if status:
                    raise  # half of an answer is out; the connection must break
                await response_of(request, error)(scope, receive, guarded)
            finally:
                self._metrics.count(route_of(scope), status, self._clock() - started)


def _only_this_machine(request: Request) -> None:
    """Without this, a page of another site could have its own name lead to 127.0.0.1 and look at
    everything from within the browser of whoever opens it."""
    host = request.headers.get("host", "")
    client = request.client.host if request.client else "127.0.0.1"
    if (
        not is_loopback(host)
        or not is_loopback(client)
        or any(name in request.headers for name in _FORWARDED)
    ):
        raise Problem(
            403,
            "Not allowed",
            "This service is open to this machine alone: use http://127.0.0.1 or "
            "http://localhost. For other machines switch [service] open off, so that people sign in.",
        )


def route_of(scope: Scope) -> str:
    """The pattern and not the path, of which there are as many as documents."""
    route: Any = scope.get("route")
    return str(getattr(route, "path", "other"))
