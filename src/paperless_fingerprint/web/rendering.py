"""Templates, static files and the few helpers that all pages share.

Static files are named with a hash of their content, so a browser keeps them for good and still
never shows an old one. All of them are read into memory: an address that is none of theirs is 404,
whatever it looks like.
"""

from __future__ import annotations

import hashlib
import mimetypes
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

import jinja2
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from paperless_fingerprint import languages
from paperless_fingerprint.languages import figures, language, locale, ngettext
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.review.lines import with_facts
from paperless_fingerprint.review.views import Count
from paperless_fingerprint.review.views_queue import told_once
from paperless_fingerprint.web.messages import Messages

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
    return "–" if figure is None else languages.percent(figure)


def size(count: float | None) -> str:
    if count is None:
        return "–"
    units = (_("B"), _("kB"), _("MB"), _("GB"))
    power = 0
    while count >= 1000 and power < len(units) - 1:
        count /= 1000
        power += 1
    return (
        f"{figures.number(count, locale(), 0 if not power or count >= 100 else 1)} {units[power]}"
    )


def clipped(text: str | None, most: int = 200) -> str:
    """The layout clips by itself; this keeps ten thousand characters out of the page as such."""
    text = text or ""
    return text if len(text) <= most else text[: most - 1] + "…"


def day(moment: str | None) -> str:
    return figures.day(moment, locale()) if moment else ""


def minute(moment: str | None) -> str:
    return figures.minute(moment, locale()) if moment else ""


def duration(seconds: float) -> str:
    if seconds < 90:
        return ngettext("%(num)s second", "%(num)s seconds", max(1, round(seconds)))
    if seconds < 5400:
        return ngettext("%(num)s minute", "%(num)s minutes", round(seconds / 60))
    return ngettext("%(num)s hour", "%(num)s hours", round(seconds / 3600))


def pages(count: int) -> str:
    return ngettext("%(num)s page", "%(num)s pages", count)


def menu(counts: Sequence[Count], chosen: str, every: str) -> str:
    """The options of a select. Sixty names take longer to write than the rest of a page, and are
    the same from page to page."""
    return _menu(tuple(counts), chosen, every, locale())


@lru_cache(256)
def _menu(counts: tuple[Count, ...], chosen: str, every: str, _locale: str) -> str:
    return part("options")(counts, chosen, every)


def part(name: str) -> Callable[..., str]:
    """A macro of parts.html, for whoever needs it again and again."""
    found: Callable[..., str] = getattr(environment().get_template("parts.html").module, name)
    return found


def thousands(number: float) -> str:
    return figures.number(number, locale())


def decimals(number: float, digits: int = 2) -> str:
    return figures.number(number, locale(), digits)


def query_string(given: Mapping[str, Any], **changed: Any) -> str:
    """The same address with some parameters changed; empty ones are left out."""
    told = {**given, **changed}
    return urlencode({name: value for name, value in told.items() if value not in (None, "")})


@cache
def words() -> Messages:
    return Messages()


#: What means something in HTML.
_sign_in = re.compile("[&<>\"']").search


def _escaped(value: object) -> str:
    """For the text of a page: what escape() gives, without a value of its own for each of the
    thousands of names and numbers in it that need no escaping."""
    kind = type(value)
    if kind is int or (kind is str and not _sign_in(value)):  # type: ignore[call-overload]
        return str(value)
    return escape(value)


class _Generator(CodeGenerator):
    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.autoescape and not frame.eval_ctx.volatile:
            self.write("environment.escaped(")
        else:
            super()._output_child_pre(node, frame, finalize)


class _Environment(jinja2.Environment):
    code_generator_class = _Generator
    escaped = staticmethod(_escaped)
    getattr = staticmethod(getattr)  # type: ignore[assignment]


@cache
def environment() -> jinja2.Environment:
    made = _Environment(
        loader=jinja2.PackageLoader("paperless_fingerprint.web"),
        autoescape=True,
        extensions=["jinja2.ext.i18n"],
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
        decimals=decimals,
        duration=duration,
        facts=with_facts,
        minute=minute,
        pages=pages,
        thousands=thousands,
        once=told_once,
    )
    # {% trans %} hands its values over as the functions take them. A text holds no markup: it is
    # escaped with its values.
    made.newstyle_gettext = True  # type: ignore[attr-defined]
    made.globals.update(
        _=_,
        gettext=_,
        ngettext=ngettext,
        t=words(),
        menu=menu,
        query_string=query_string,
        themes=THEMES,
    )
    return made


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", ""))


def _places(request: Request) -> dict[str, Callable[[str], str]]:
    """Below the folder that a proxy may have put us into."""
    root = _root(request)
    return {
        "url": lambda path: root + path,
        "static": lambda name: root + static_files()[name].address,
    }


def filled(request: Request, template: str, **values: Any) -> str:
    return environment().get_template(template).render(**_places(request), **values)


def rendered(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    theme = request.cookies.get(THEME_COOKIE, "system")
    query = f"?{request.url.query}" if request.method == "GET" and request.url.query else ""
    text = filled(
        request,
        template,
        language=language(),
        # Without Paperless: nobody is signed in, and nothing can be changed.
        read_only=request.app.state.visits.read_only,
        theme=theme if theme in THEMES else "system",
        # Where this page is, for forms that come back to it.
        address=request.url.path.removeprefix(_root(request)) + query,
        **values,
    )
    return HTMLResponse(
        text,
        status_code=status,
        headers={"Cache-Control": "no-store", "Content-Language": language()},
    )
