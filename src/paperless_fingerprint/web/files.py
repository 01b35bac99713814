"""Pictures and files of documents, fetched from Paperless with the rights of whoever looks.

The address is made of the number of a document and of nothing else, no redirect is followed, and
what comes back is passed on only if it is a picture, a PDF or plain text of ordinary size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from hashlib import sha256
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.model import MAX_DOCUMENT_ID
from paperless_fingerprint.paperless.transport import FileStream
from paperless_fingerprint.web.problems import Problem
from paperless_fingerprint.web.sign_in import Visit, Visits

PICTURES = frozenset({"image/webp", "image/png", "image/jpeg"})
FILES = PICTURES | {"application/pdf", "text/plain"}
#: Asked of Paperless at one time; it has few workers itself.
_AT_ONCE = 8
_MOST_PICTURE_BYTES = 5 << 20
_MOST_FILE_BYTES = 200 << 20
#: A picture may be shown again for so long without asking; it belongs to one browser alone.
_PRIVATE = "private, max-age=600"
#: Where there is no Paperless to ask: a sheet of paper.
_NO_PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 104"><path fill="none" '
    'stroke="#888" stroke-width="2" d="M22 30h26l10 10v38H22z M48 30v10h10"/></svg>'
)
#: Nothing within the file may do anything. A PDF has to be shown by the browser's own viewer,
#: which an empty sandbox would not let start.
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; "
    "frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
}


def file_routes(visits: Visits) -> list[Route]:
    # Threads of their own: a Paperless that does not answer must not keep the pages waiting.
    limiter = CapacityLimiter(_AT_ONCE)

    async def thumbnail(request: Request) -> Response:
        return await to_thread.run_sync(_thumbnail, visits, request, limiter=limiter)

    async def preview(request: Request) -> Response:
        return await to_thread.run_sync(_preview, visits, request, limiter=limiter)

    return [
        Route("/thumb/{id:int}", thumbnail, methods=["GET"]),
        Route("/preview/{id:int}", preview, methods=["GET"]),
        Route("/api/documents/{id:int}/thumb", thumbnail, methods=["GET"]),
        Route("/api/documents/{id:int}/preview", preview, methods=["GET"]),
    ]


def _seen(visits: Visits, request: Request) -> tuple[Visit, int]:
    visit = visits.of(request)
    id = int(request.path_params["id"])
    if not 0 < id <= MAX_DOCUMENT_ID:
        raise _missing()
    if visit.review.mirror.catalogue.ready:
        visit.review.mirror.seen(visit.person, id)
    return visit, id


def _thumbnail(visits: Visits, request: Request) -> Response:
    visit, id = _seen(visits, request)
    if visits.read_only:
        return Response(_NO_PICTURE, media_type="image/svg+xml", headers=_HEADERS)
    with visit.paperless.thumbnail(id) as file:
        kind = _kind(file, PICTURES)
        content = b"".join(_bounded(file.chunks, _MOST_PICTURE_BYTES))
    tag = f'"{sha256(content).hexdigest()[:32]}"'
    headers = {**_HEADERS, "ETag": tag, "Cache-Control": _PRIVATE, "Vary": "Cookie, Authorization"}
    if tag in (told.strip() for told in request.headers.get("if-none-match", "").split(",")):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)


def _preview(visits: Visits, request: Request) -> Response:
    visit, id = _seen(visits, request)
    stack = ExitStack()
    try:
        kind, chunks = _opened(stack, visit.paperless.preview(id))
    except BaseException:
        stack.close()
        raise
    headers = {
        **_HEADERS,
        "Cache-Control": "private, no-store",
        "Content-Disposition": f'inline; filename="document-{id}.{kind.partition("/")[2]}"',
    }
    return Passed(chunks, stack.close, media_type=kind, headers=headers)


def _opened(
    stack: ExitStack, stream: AbstractContextManager[FileStream]
) -> tuple[str, Iterator[bytes]]:
    file = stack.enter_context(stream)
    return _kind(file, FILES), _bounded(file.chunks, _MOST_FILE_BYTES)


class Passed(StreamingResponse):
    """Gives its source back when it is over, also where whoever asked has hung up before the first
    piece was read."""

    def __init__(self, chunks: Iterator[bytes], close: Callable[[], None], **more: Any) -> None:
        super().__init__(chunks, **more)
        self._close = close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._close()


def _kind(file: FileStream, allowed: frozenset[str]) -> str:
    kind = file.content_type.partition(";")[0].strip().lower()
    if kind not in allowed:
        raise Problem(
            502, "Not shown",
            _("Paperless sent something other than an image, PDF or text, so it is not shown. Open "
              "the document in Paperless."),
        )  # fmt: skip
    return kind


def _bounded(chunks: Iterator[bytes], most: int) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > most:
            raise Problem(
                502, "Not shown",
                _("The file is larger than %(size)s MB. Open the document in Paperless.",
                  size=most >> 20),
            )  # fmt: skip
        yield chunk


def _missing() -> Problem:
    return Problem(404, "Not found", _("There is no such document that you are allowed to see."))
