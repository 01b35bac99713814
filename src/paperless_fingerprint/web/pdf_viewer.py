"""The files of pdf.js, which draws the pages of documents in the browser (web/pdfjs/README.md)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

#: Stands in the addresses: a browser keeps the files for good, and takes others after an upgrade.
VERSION = "6.5.438"
ADDRESS = f"/pdfjs/{VERSION}/"
_KINDS = {".mjs": "text/javascript", ".js": "text/javascript", ".ttf": "font/ttf"}
#: The worker reads files that strangers have made: it reaches nothing but what lies here.
_HEADERS = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'",
}


def routes() -> list[Route]:
    return [Route(f"{ADDRESS}{{path:path}}", _file, methods=["GET"])]


def _file(request: Request) -> Response:
    path = request.path_params["path"]
    if path not in _paths():
        return PlainTextResponse("There is no such file.", status_code=404)
    kind = _KINDS.get(PurePosixPath(path).suffix, "application/octet-stream")
    content = files(__package__).joinpath("pdfjs", *path.split("/")).read_bytes()
    return Response(content, media_type=kind, headers=_HEADERS)


@cache
def _paths() -> frozenset[str]:
    """An address that is none of these is 404, whatever it looks like."""
    root = files(__package__) / "pdfjs"
    folders = ("", "cmaps", "standard_fonts", "wasm")
    return frozenset(
        f"{folder}/{entry.name}".lstrip("/")
        for folder in folders
        for entry in root.joinpath(folder).iterdir()
        if entry.is_file()
    )
