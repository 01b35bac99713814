"""Who makes a request: a browser with a session, a program with a token, or anybody in open mode."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import Response

from paperless_fingerprint.errors import ConfigurationError, NoPaperlessError, PaperlessError
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import ngettext
from paperless_fingerprint.library.search import Answer, Hit, Look
from paperless_fingerprint.library.search import Request as SearchRequest
from paperless_fingerprint.paperless.client import PaperlessClient
from paperless_fingerprint.paperless.refusals import DeniedError, RefusedError, ThrottledError
from paperless_fingerprint.review.person import OPEN_PERSON, READER, Person
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.settings.addresses import parts_of
from paperless_fingerprint.web.limits import RateLimit, network_of, same_name
from paperless_fingerprint.web.problems import Problem
from paperless_fingerprint.web.rights import Persons
from paperless_fingerprint.web.sessions import COOKIE, BrowserSession, Sessions

Found = TypeVar("Found")

CSRF_HEADER = "X-CSRF-Token"
CSRF_FIELD = "csrf"
_QUARTER = 900.0


class NotSignedIn(Problem):
    def __init__(self, message: str) -> None:
        super().__init__(401, "Not signed in", message, headers={"WWW-Authenticate": "Token"})
        self.message = message


class Refused(Problem):
    def __init__(self, detail: str) -> None:
        super().__init__(403, "Not allowed", detail)


@dataclass(frozen=True, slots=True)
class Visit:
    person: Person
    review: Review
    #: For forms; empty for programs, which need none.
    csrf: str = field(repr=False)
    #: None for whoever is not signed in.
    client: PaperlessClient | None = field(repr=False)
    #: Who that is with the rights of this moment (Persons.now); None for whoever is not signed in.
    now: Callable[..., Person] | None = field(default=None, repr=False)

    @property
    def paperless(self) -> PaperlessClient:
        """Paperless with this person's rights."""
        return self.client or self.review.paperless

    def search(self, request: SearchRequest) -> Answer:
        return self._still_seen(self.review.search.run, request, lambda answer: answer.hits)

    def look(self, request: SearchRequest) -> Look:
        return self._still_seen(self.review.search.look, request, lambda look: look.answer.hits)

    def explain(self, request: SearchRequest) -> dict[str, Any]:
        return self.review.search.explain(self._person_now(), request)

    def _still_seen(
        self,
        searched: Callable[[Person, SearchRequest], Found],
        request: SearchRequest,
        hits: Callable[[Found], Sequence[Hit]],
    ) -> Found:
        """What is shown is asked for by name: one document may have been taken away and another
        given, and then there are as many as before."""
        person = self._person_now()
        found = searched(person, request)
        ids = {hit.id for hit in hits(found)}
        if person.visible is None or not ids:
            return found
        try:
            is_seen = self.paperless.visible_ids(ids) == ids
        except PaperlessError as error:
            is_seen = not isinstance(error, DeniedError)
        return found if is_seen else searched(self._person_now(anew=True), request)

    def _person_now(self, *, anew: bool = False) -> Person:
        """With what Paperless lets them see at this moment: a total, too, tells which words stand
        in a document, and so does a document that others are compared with."""
        if self.now is None:
            return self.person
        try:
            return self.now(anew=anew)
        except DeniedError:
            raise NotSignedIn(_("Your Paperless account cannot view documents.")) from None
        except PaperlessError:
            return self.person  # away: what it said last counts

    def changeable(self, ids: Collection[int]) -> Collection[int]:
        """Those that Paperless lets this person change; while it is away, what is sure without."""
        try:
            return self.paperless.changeable_ids(ids)
        except DeniedError:
            return ()
        except PaperlessError:
            documents = self.review.mirror.catalogue.documents
            return [
                id for id in ids if id in documents and self.person.surely_may_change(documents[id])
            ]


class Visits:
    def __init__(self, review: Review, *, clock: Callable[[], float] = time.monotonic) -> None:
        settings = review.settings
        self.review = review
        #: No Paperless: nobody can sign in, and nothing can be changed.
        self.read_only = not settings.paperless.url
        self.is_open = bool(settings.service.open) or self.read_only
        self.sessions = Sessions(float(settings.service.session_hours) * 3600, clock=clock)
        self.persons = Persons(lambda: review.paperless, clock=clock)
        #: Comparisons wait for each other here and for nobody else, and nobody else for them.
        self.comparing = CapacityLimiter(1)
        self._open_csrf = secrets.token_urlsafe(32)
        self._root = normal_root(settings.service.root_path)
        self._by_address = RateLimit(30, _QUARTER, clock=clock)
        self._by_name = RateLimit(10, _QUARTER, clock=clock)
        self._by_token = RateLimit(120, _QUARTER, clock=clock)
        self.signed_in = 0
        self.turned_away = 0

    def close(self) -> None:
        self.persons.close()

    # --- who is it ------------------------------------------------------------------------------

    def of(self, request: Request) -> Visit:
        """Blocks, because Paperless may have to be asked."""
        token = token_of(request)
        if token is not None:
            return self._machine(request, token)
        if self.is_open:
            person = READER if self.read_only else OPEN_PERSON
            return Visit(person, self.review, self._open_csrf, None)
        cookie = request.cookies.get(COOKIE)
        if not cookie:
            raise NotSignedIn(_("Sign in with your Paperless account."))
        session = self.sessions.find(cookie)
        if session is None:
            raise NotSignedIn(_("Your session has ended. Sign in again; nothing is lost."))
        try:
            person = self.persons.of(session.token)
        except DeniedError:
            self.sessions.end(session.secret)
            raise NotSignedIn(
                _("Paperless no longer knows your session. Sign in again; nothing is lost.")
            ) from None
        return self._visit(person, session.csrf, session.token)

    def _machine(self, request: Request, token: str) -> Visit:
        address = network_of(_client(request))
        if not self.persons.knows(token):
            wait = self._by_token.attempt(address)
            if wait:
                raise _too_often(wait)
        try:
            person = self.persons.of(token)
        except (DeniedError, ConfigurationError, ValueError):
            raise NotSignedIn(_("Paperless does not know this token.")) from None
        return self._visit(person, "", token)

    def _visit(self, person: Person, csrf: str, token: str) -> Visit:
        return Visit(
            person, self.review, csrf, self.persons.client_of(token),
            partial(self.persons.now, token),
        )  # fmt: skip

    # --- forged requests ------------------------------------------------------------------------

    async def check_csrf(
        self, request: Request, visit: Visit, form: Mapping[str, Any] | None = None
    ) -> None:
        """For everything that changes something. Programs with a token need none: no browser sends
        that header by itself."""
        if token_of(request) is not None:
            return
        check_origin(request)
        told = request.headers.get(CSRF_HEADER) or (form or {}).get(CSRF_FIELD) or ""
        if not isinstance(told, str) or not hmac.compare_digest(
            told.encode(errors="replace"), visit.csrf.encode()
        ):
            raise Refused(
                _(
                    "This was not sent from a page of this session, so nothing was changed. Reload "
                    "the page and try again."
                )
            )
        if self.read_only and not request.url.path.endswith("/theme"):
            raise NoPaperlessError

    # --- in and out -----------------------------------------------------------------------------

    def sign_in(
        self,
        request: Request,
        *,
        username: str = "",
        password: str = "",
        code: str = "",
        token: str = "",
    ) -> BrowserSession:
        """Raises a Problem that says why not. The same answer for a wrong name and a wrong password."""
        check_origin(request)
        address, name = network_of(_client(request)), same_name(username)
        waits = [self._by_address.attempt(address)]
        if not token:
            waits.append(self._by_name.attempt(name))
        if any(waits):
            self.turned_away += 1
            raise _too_often(max(waits))
        by_name = not token
        try:
            if by_name:
                token = self.review.paperless.sign_in(username, password, code)
            token = token.strip().removeprefix("Token ").strip()
            self.persons.forget(token)
            self.persons.of(token)
        except ThrottledError as error:
            raise _too_often(error.wait_seconds) from None
        except (DeniedError, RefusedError, ConfigurationError, ValueError) as error:
            self.turned_away += 1
            said = getattr(error, "said", "")
            raise Problem(
                401,
                "Not signed in",
                _("Paperless did not sign you in: %(said)s", said=said)
                if said
                else _("Paperless did not sign you in: wrong username, password or token."),
            ) from None
        # With an account of one's own nobody buys more attempts at the names of others.
        self._by_address.take_back(address)
        if by_name:
            self._by_name.forgive(name)
        old = request.cookies.get(COOKIE)
        if old:
            self.sessions.end(old)
        self.signed_in += 1
        return self.sessions.begin(token)

    def put_cookie(self, request: Request, response: Response, session: BrowserSession) -> None:
        response.set_cookie(
            COOKIE,
            session.secret,
            max_age=int(float(self.review.settings.service.session_hours) * 3600),
            path=self._root or "/",
            httponly=True,
            # A link from Paperless must lead to a page that knows who comes.
            samesite="lax",
            secure=request.url.scheme == "https",
        )

    def sign_out(self, request: Request, response: Response) -> None:
        cookie = request.cookies.get(COOKIE)
        if cookie:
            self.sessions.end(cookie)
        response.delete_cookie(COOKIE, path=self._root or "/", httponly=True, samesite="lax")


def token_of(request: Request) -> str | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "token" and token.strip() else None


def check_origin(request: Request) -> None:
    """A browser says where a request comes from; a page of another site may send us nothing."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        if site in {"same-origin", "none"}:
            return
    else:
        origin = request.headers.get("origin")
        parts = None if origin is None else parts_of(origin)
        if origin is None or (parts is not None and parts.netloc == request.headers.get("host")):
            return
    raise Refused(_("This was sent from another site, so nothing was changed."))


def normal_root(told: object) -> str:
    """'/duplicates', or nothing."""
    root = str(told or "").strip().strip("/")
    return f"/{root}" if root else ""


def is_loopback(host: str) -> bool:
    """Whether a Host header or a client's address names this machine itself."""
    try:
        name = host if host.startswith("::") else urlsplit(f"//{host}").hostname
        if name is None or name == "localhost":
            return name is not None
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _client(request: Request) -> str:
    return request.client.host if request.client else ""


def _too_often(wait_seconds: float) -> Problem:
    wait = max(1, round(wait_seconds))
    return Problem(
        429,
        "Too many attempts",
        ngettext(
            "Too many attempts. Wait %(num)s second, then try again.",
            "Too many attempts. Wait %(num)s seconds, then try again.",
            wait,
        ),
        headers={"Retry-After": str(wait)},
    )
