"""The pages: what each has in common, signing in, and what is shown when something goes wrong.

They work as plain forms and links; static/page.js only adds keys, decisions without a new page,
and live progress. What they show comes from the package `review`, which also says who may see it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from paperless_fingerprint.errors import FingerprintError
from paperless_fingerprint.review import first_run
from paperless_fingerprint.settings.addresses import parts_of
from paperless_fingerprint.web import lane
from paperless_fingerprint.web.problems import Problem
from paperless_fingerprint.web.rendering import THEME_COOKIE, THEMES, rendered, static, words
from paperless_fingerprint.web.sessions import COOKIE
from paperless_fingerprint.web.sign_in import NotSignedIn, Visit, Visits

Endpoint = Callable[[Request], Awaitable[Response]]
#: A year.
_REMEMBERED_SECONDS = 31_536_000


def routes() -> Sequence[BaseRoute]:
    return [
        Route("/static/{digest}/{name}", static, name="static"),
        Route("/", shown(_start)),
        Route("/sign-in", _sign_in_form, methods=["GET"]),
        Route("/sign-in", _sign_in, methods=["POST"]),
        Route("/sign-out", changing(_sign_out), methods=["POST"]),
        Route("/theme", changing(_set_theme), methods=["POST"]),
    ]


# What all pages share ------------------------------------------------------------------------


def visits_of(request: Request) -> Visits:
    found: Visits = request.app.state.visits
    return found


def shown(handler: Callable[[Request, Visit], Response]) -> Endpoint:
    """A page to look at: for whoever is signed in, in a thread, because the store is waited for."""

    def work(request: Request) -> Response:
        try:
            visit = visits_of(request).of(request)
        except NotSignedIn as nobody:
            return to_sign_in(request, nobody)
        return handler(request, visit)

    async def endpoint(request: Request) -> Response:
        return await lane.read(partial(work, request), visits_of(request).comparing)

    return endpoint


def changing(handler: Callable[[Request, Visit, FormData], Response]) -> Endpoint:
    """A form that was sent: it must come from a page of ours."""

    async def endpoint(request: Request) -> Response:
        visits = visits_of(request)
        try:
            visit = await run_in_threadpool(visits.of, request)
        except NotSignedIn as nobody:
            return to_sign_in(request, nobody)
        form = await request.form(max_files=0, max_fields=1000)
        await visits.check_csrf(request, visit, form)
        return await run_in_threadpool(handler, request, visit, form)

    return endpoint


def page(
    request: Request, visit: Visit, template: str, section: str, status: int = 200, **values: Any
) -> Response:
    """A template inside the frame that all pages have."""
    if values.get("trouble") is None:
        values["trouble"] = _trouble(visit)
    values.setdefault("said", None)
    return rendered(
        request, template, status, person=visit.person, csrf=visit.csrf, section=section, **values
    )


def _trouble(visit: Visit) -> str:
    from paperless_fingerprint.review import progress

    try:
        found = progress.now(visit.review, visit.person)
    except FingerprintError as error:
        return str(error)
    return found.trouble if found.status != "ok" else ""


def at(request: Request, path: str) -> str:
    """Below the folder that a proxy may have put us into."""
    return str(request.scope.get("root_path", "")) + path


def go(request: Request, path: str) -> Response:
    """303: whatever was sent is not sent again by a reload."""
    return RedirectResponse(at(request, path), status_code=303)


def local(told: object, otherwise: str = "/review") -> str:
    """Where to go back to: a place of ours and nowhere else, whatever the form says."""
    text = told if isinstance(told, str) else ""
    parts = parts_of(text)
    if (
        parts is None
        or parts.scheme
        or parts.netloc
        or not text.startswith("/")
        or len(text) > 4000
    ):
        return otherwise
    if text.startswith(("//", "/\\")) or not text.isprintable():
        return otherwise
    return text


def text_of(form: FormData, name: str) -> str:
    found = form.get(name)
    return found if isinstance(found, str) else ""


def number_of(text: str | None) -> int | None:
    text = text or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 11 else None


# Signing in ----------------------------------------------------------------------------------


def _start(request: Request, visit: Visit) -> Response:
    return go(request, "/first-run" if first_run.is_needed(visit.review) else "/review")


def to_sign_in(request: Request, nobody: NotSignedIn) -> Response:
    """The message is shown there; what was asked for is found again afterwards."""
    if request.method not in {"GET", "HEAD"}:
        return _sign_in_page(request, "/review", nobody.message, status=401)
    here = request.url.path.removeprefix(str(request.scope.get("root_path", "")))
    here += f"?{request.url.query}" if request.url.query else ""
    if here == "/":
        return go(request, "/sign-in")
    return go(request, f"/sign-in?back={quote(here, safe='')}")


def _sign_in_form(request: Request) -> Response:
    back = local(request.query_params.get("back"), "/")
    try:
        visits_of(request).of(request)
    except NotSignedIn as nobody:
        # A cookie from yesterday says that a session has ended; without one nothing is said.
        message = nobody.message if COOKIE in request.cookies else ""
        return _sign_in_page(request, back, message)
    return go(request, back)


def _sign_in_page(
    request: Request, back: str, message: str = "", *, status: int = 200, failed: bool = False,
    username: str = "", open_more: bool = False,
) -> Response:  # fmt: skip
    return rendered(
        request, "sign_in.html", status, person=None, csrf="", trouble="", said=None, section="",
        back=back, message=message, failed=failed, username=username, open_more=open_more,
    )  # fmt: skip


async def _sign_in(request: Request) -> Response:
    form = await request.form(max_files=0, max_fields=20)
    return await run_in_threadpool(_signed_in, request, form)


def _signed_in(request: Request, form: FormData) -> Response:
    visits = visits_of(request)
    back = local(text_of(form, "back"), "/")
    told = {name: text_of(form, name).strip() for name in ("username", "code", "token")}
    try:
        if told["token"]:
            session = visits.sign_in(request, token=told["token"])
        else:
            session = visits.sign_in(
                request,
                username=told["username"],
                password=text_of(form, "password"),
                code=told["code"],
            )
    except Problem as problem:
        return _sign_in_page(
            request, back, problem.detail, status=problem.status, failed=True,
            username=told["username"], open_more=bool(told["token"] or told["code"]),
        )  # fmt: skip
    if back.partition("?")[0] == "/review" and first_run.is_needed(visits.review):
        back = "/first-run"  # there is no list yet, and this is what makes one
    response = go(request, back)
    visits.put_cookie(request, response, session)
    return response


def _sign_out(request: Request, _visit: Visit, _form: FormData) -> Response:
    response = go(request, "/sign-in")
    visits_of(request).sign_out(request, response)
    return response


def _set_theme(request: Request, _visit: Visit, form: FormData) -> Response:
    response = go(request, local(text_of(form, "back")))
    theme = text_of(form, "theme")
    if theme in THEMES:
        remember(request, response, THEME_COOKIE, theme)
    return response


def remember(request: Request, response: Response, name: str, value: str) -> None:
    """How somebody likes the pages, in the browser alone."""
    response.set_cookie(
        name, value, max_age=_REMEMBERED_SECONDS, samesite="lax", httponly=True,
        path=at(request, "") or "/",
    )  # fmt: skip


# When something goes wrong ------------------------------------------------------------------


def render_problem(request: Request, problem: Problem) -> Response:
    """An error as a page, with the frame where it is known who looks."""
    if problem.status == 401:
        return to_sign_in(request, NotSignedIn(problem.detail))
    try:
        visit = visits_of(request).of(request)
        person, csrf = visit.person, visit.csrf
    except Exception:
        # Whatever is broken, the page that says so must not break, too.
        person, csrf = None, ""
    heading = words().get(f"problem.{problem.status}") or problem.title
    return rendered(
        request, "problem.html", problem.status, person=person, csrf=csrf, trouble="", said=None,
        section="", heading=heading, number=problem.status, detail=problem.detail,
    )  # fmt: skip
