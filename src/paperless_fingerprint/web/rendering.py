"""Templates, static files and the few helpers that all pages share.

Static files are named with a hash of their content, so a browser keeps them for good and still
never shows an old one. All of them are read into memory: an address that is none of theirs is 404,
whatever it looks like.
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from paperless_fingerprint.web.messages import ENGLISH, Messages

THEMES = ("system", "light", "dark")
THEME_COOKIE = "pf_theme"
_FOREVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class StaticFile:
    name: str
    content: bytes
    media_type: str
    digest: str

    @property
    def address(self) -> str:
        return f"/static/{self.digest}/{self.name}"


@cache
def static_files() -> Mapping[str, StaticFile]:
    found = {}
    for entry in (files(__package__) / "static").iterdir():
        content = entry.read_bytes()
        kind = mimetypes.guess_type(entry.name)[0] or "application/octet-stream"
        digest = hashlib.sha256(content).hexdigest()[:16]
        found[entry.name] = StaticFile(entry.name, content, kind, digest)
    return found


def static(request: Request) -> Response:
    found = static_files().get(request.path_params["name"])
    if found is None:
        return PlainTextResponse("There is no such file.", status_code=404)
    # An address with another hash is an old page's: it gets what there is now, but not for good.
    same = request.path_params["digest"] == found.digest
    return Response(
        found.content,
        media_type=found.media_type,
        headers={"Cache-Control": _FOREVER if same else "no-cache"},
    )


def percent(figure: float | None) -> str:
    """Never rounds up to certainty: 99.6 % is not 100 %."""
    if figure is None:
        return "–"
    shown = round(100 * figure)
    return f"{min(shown, 99) if figure < 1 else shown} %"


def size(count: float | None) -> str:
    if count is None:
        return "–"
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:,.0f} {unit}" if unit == "B" or count >= 100 else f"{count:,.1f} {unit}"
        count /= 1000
    raise AssertionError


def clipped(text: str | None, most: int = 200) -> str:
    """The layout clips by itself; this keeps ten thousand characters out of the page as such."""
    text = text or ""
    return text if len(text) <= most else text[: most - 1] + "…"


def day(moment: str | None) -> str:
    return (moment or "")[:10]


def minute(moment: str | None) -> str:
    return (moment or "")[:16].replace("T", " ")


def duration(seconds: float) -> str:
    t = words()
    if seconds < 90:
        return t.n("left.seconds", max(1, round(seconds)))
    if seconds < 5400:
        return t.n("left.minutes", round(seconds / 60))
    return t.n("left.hours", round(seconds / 3600))


def pages(count: int) -> str:
    return words().n("pages", count)


def thousands(number: float) -> str:
    return f"{number:,}"


def query_string(given: Mapping[str, Any], **changed: Any) -> str:
    """The same address with some parameters changed; empty ones are left out."""
    told = {**given, **changed}
    return urlencode({name: value for name, value in told.items() if value not in (None, "")})


@cache
def words() -> Messages:
    return Messages(ENGLISH)


@cache
def environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("paperless_fingerprint.web"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        undefined=jinja2.StrictUndefined,
    )
    made.filters.update(
        percent=percent,
        size=size,
        clipped=clipped,
        day=day,
        duration=duration,
        minute=minute,
        pages=pages,
        thousands=thousands,
    )
    made.globals.update(
        t=words(),
        query_string=query_string,
        themes=THEMES,
    )
    return made


def rendered(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    theme = request.cookies.get(THEME_COOKIE, "system")
    root = str(request.scope.get("root_path", ""))
    query = f"?{request.url.query}" if request.method == "GET" and request.url.query else ""
    text = (
        environment()
        .get_template(template)
        .render(
            theme=theme if theme in THEMES else "system",
            url=lambda path: root + path,
            static=lambda name: root + static_files()[name].address,
            # Where this page is, for forms that come back to it.
            address=request.url.path.removeprefix(root) + query,
            **values,
        )
    )
    return HTMLResponse(text, status_code=status, headers={"Cache-Control": "no-store"})
