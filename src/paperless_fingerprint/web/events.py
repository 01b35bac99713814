"""Server-sent events: the page hears how the work goes on, without asking again and again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from paperless_fingerprint.errors import FingerprintError
from paperless_fingerprint.review import progress
from paperless_fingerprint.web.problems import Problem
from paperless_fingerprint.web.sign_in import Visit, Visits

MOST_LISTENERS = 100
HEARTBEAT_SECONDS = 15.0
#: Not more often than this, however quickly the work goes on.
PACE_SECONDS = 0.25


class Events:
    def __init__(self, visits: Visits) -> None:
        self._visits = visits
        self.listeners = 0
        self._ended = False
        self._wakes: set[asyncio.Event] = set()

    async def endpoint(self, request: Request) -> Response:
        visit = await run_in_threadpool(self._visits.of, request)
        if self.listeners >= MOST_LISTENERS or self._ended:
            raise Problem(
                503, "Too many listeners",
                "Too many pages are listening at once; /api/progress tells the same when asked.",
                headers={"Retry-After": "30"},
            )  # fmt: skip
        self.listeners += 1
        return StreamingResponse(
            self._stream(request, visit),
            media_type="text/event-stream",
            # A proxy must not keep it until it is complete, which it never is.
            headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"},
        )

    def end(self) -> None:
        """When the service stops: nobody may hold it up by listening."""
        self._ended = True
        for wake in self._wakes:
            wake.set()

    async def _stream(self, request: Request, visit: Visit) -> AsyncIterator[bytes]:
        wake, loop = asyncio.Event(), asyncio.get_running_loop()

        def changed() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(wake.set)

        stop = visit.review.live.listen(changed)
        self._wakes.add(wake)
        told = b""
        try:
            yield b"retry: 3000\n\n"
            while not self._ended:
                wake.clear()
                try:
                    # Who was signed out meanwhile hears no more.
                    visit = await run_in_threadpool(self._visits.of, request)
                    view = await run_in_threadpool(progress.now, visit.review, visit.person)
                except (Problem, FingerprintError):
                    return
                data = orjson.dumps(view)
                yield b"event: progress\ndata: " + data + b"\n\n" if data != told else b": \n\n"
                told = data
                try:
                    await asyncio.wait_for(wake.wait(), HEARTBEAT_SECONDS)
                    await asyncio.sleep(0 if self._ended else PACE_SECONDS)
                except TimeoutError:
                    continue
        finally:
            stop()
            self._wakes.discard(wake)
            self.listeners -= 1
