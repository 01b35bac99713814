"""A conversation with Paperless: who asks, in which version of its API, and how often.

Paths, JSON and the errors of `request.py` are what the modules above it see. The token leaves in
one header, to one address, and nowhere else.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.paperless.refusals import (
    BrokenOffError,
    DeniedError,
    OversizedError,
    StrangeError,
    ThrottledError,
    UnavailableError,
    explanation,
    refusal,
)
from paperless_fingerprint.paperless.transport import (
    FileStream,
    Limits,
    Params,
    Reply,
    Request,
    Transport,
    checked_token,
    checked_url,
    is_cut_off,
    is_page,
    retry_after,
)

#: Versions of the API that this program was written for, the best one first.
KNOWN_API_VERSIONS = (10, 9)


@dataclass(frozen=True, slots=True)
class ServerVersion:
    #: '3.0.5'; empty where a proxy takes the header away.
    paperless: str
    #: The newest version of its API.
    newest_api: int
    #: The one that is used.
    api: int
    #: How far its clock is ahead of ours, to the second; None where it does not tell.
    clock_ahead_seconds: float | None = None


class Connection:
    """One Paperless, one user. Safe to share between threads."""

    def __init__(
        self,
        url: str,
        *,
        token: str = "",
        username: str = "",
        password: str = "",
        ca_file: Path | str | None = None,
        limits: Limits | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url, user, secret = checked_url(url)
        self._username, self._password = username or user, password or secret
        self._token = checked_token(token)
        if not self._token and not (self._username and self._password):
            raise ConfigurationError(
                "There is no way to sign in to Paperless. Set PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN "
                "(a token from 'My profile' in Paperless), or a user and a password."
            )
        self._from_password = not self._token
        self.limits = limits or Limits()
        self._sleep = sleep
        self._lock = threading.RLock()
        self._version: ServerVersion | None = None
        self._transport = Transport(self.url, ca_file=ca_file, limits=self.limits)
        self._owns_transport = True

    def for_token(self, token: str) -> Connection:
        """The same server for another person; closing it is up to the first one."""
        other = object.__new__(Connection)
        other.__dict__.update(self.__dict__)
        other._token = checked_token(token)
        other._from_password = False
        other._username = other._password = ""
        other._lock = threading.RLock()
        other._owns_transport = False
        return other

    def close(self) -> None:
        if self._owns_transport:
            self._transport.close()

    # --- version -------------------------------------------------------------------------------

    @property
    def version(self) -> ServerVersion:
        with self._lock:
            if self._version is None:
                self._version = self._ask_version()
            return self._version

    def _ask_version(self) -> ServerVersion:
        """Asked without naming a version, because an unknown one is answered with 406."""
        question = Request("GET", "/api/documents/", {"page_size": 1, "fields": "id"})
        reply = self._persistent(question)
        newest = reply.headers.get("X-Api-Version", "")
        if reply.status >= 400 and not newest:
            raise refusal(reply.status, question.what, reply.body)
        if not newest.isdigit():
            found = reply.json
            if not isinstance(found, Mapping) or "results" not in found:
                raise self._not_paperless(reply)
            newest = str(KNOWN_API_VERSIONS[-1])  # a proxy that passes on known headers only
        known = [version for version in KNOWN_API_VERSIONS if version <= int(newest)]
        paperless = reply.headers.get("X-Version", "")
        if not known:
            raise StrangeError(
                f"This Paperless ({paperless or 'unknown version'}) speaks version {newest} of its "
                f"API, and at least {KNOWN_API_VERSIONS[-1]} is needed: update it to 2.20 or later."
            )
        return ServerVersion(paperless, int(newest), known[0], _clock_ahead(reply))

    def _not_paperless(self, reply: Reply) -> StrangeError:
        said = explanation(reply.body[:2000])
        return StrangeError(
            Reason("not_paperless", {"address": self.url, "said": said or "an empty answer"}),
            status=reply.status,
            said=said,
        )

    # --- requests ------------------------------------------------------------------------------

    def get(self, path: str, params: Params | None = None, *, api: int | None = None) -> Any:
        return self.send("GET", path, params, api=api)

    def send(
        self,
        method: str,
        path: str,
        params: Params | None = None,
        *,
        json: Any = None,
        repeatable: bool = True,
        api: int | None = None,
    ) -> Any:
        """The JSON of the answer, None where it is empty.

        `repeatable`: doing it twice is the same as doing it once. Where it is not, a request is
        repeated only if it certainly had no effect.
        """
        request = Request(method, path, params, json, accept=_accept(api or self.version.api))
        reply = self._persistent(request, repeatable=repeatable)
        if reply.status == 406 and api is None:
            # The server was updated, or set back, since it was asked.
            with self._lock:
                self._version = None
            request = replace(request, accept=_accept(self.version.api))
            reply = self._persistent(request, repeatable=repeatable)
        if reply.status >= 400:
            raise refusal(reply.status, request.what, reply.body)
        if not reply.body.strip():
            return None
        found = reply.json
        if found is None and reply.body.strip() != b"null":
            raise UnavailableError(
                Reason("no_json", {"request": request.what, "said": explanation(reply.body)}),
                status=reply.status,
            )
        return found

    @contextmanager
    def stream(self, path: str, params: Params | None = None) -> Iterator[FileStream]:
        """A file, piece by piece. Tried once, because whoever looks at a picture can ask again; but
        a connection that was kept may have ended by now, which is nobody's business."""
        request = Request("GET", path, params, token=self._signed_in(), accept="*/*")
        with ExitStack() as stack:
            try:
                file = stack.enter_context(self._transport.stream(request))
            except BrokenOffError:
                file = stack.enter_context(self._transport.stream(request))
            yield file

    def sign_in(self, username: str, password: str, code: str = "") -> str:
        """A token for a person. Paperless limits how often that may be tried."""
        told = {"username": username, "password": password, **({"code": code} if code else {})}
        request = Request("POST", "/api/token/", json=told)
        reply = self._transport.once(request)
        said = explanation(reply.body)
        if reply.status == 429:
            wait = retry_after(reply) or 60.0
            raise ThrottledError(
                "Paperless takes no more attempts to sign in for now; try again in "
                f"{wait:.0f} seconds.",
                wait_seconds=wait,
                said=said,
            )
        if reply.status == 400:
            raise DeniedError(f"Paperless did not sign this user in: {said}", status=400, said=said)
        if reply.status >= 400:
            raise refusal(reply.status, request.what, reply.body)
        found = reply.json
        if not isinstance(found, Mapping) or not isinstance(found.get("token"), str):
            raise self._not_paperless(reply)
        return checked_token(found["token"])

    def _signed_in(self) -> str:
        with self._lock:
            if not self._token:
                self._token = self.sign_in(self._username, self._password)
            return self._token

    # --- tries ---------------------------------------------------------------------------------

    def _persistent(self, request: Request, *, repeatable: bool = True) -> Reply:
        signed_in_again = False
        attempt = 1
        while True:
            wait: float | None = None
            try:
                reply = self._transport.once(replace(request, token=self._signed_in()))
            except OversizedError:
                raise
            except ThrottledError as error:
                wait = self._bearable(error.wait_seconds, request)
                if attempt >= self.limits.attempts:
                    raise
            except UnavailableError as error:
                # Status 0: nothing of the request arrived.
                if attempt >= self.limits.attempts or not (repeatable or error.status == 0):
                    raise
            else:
                if reply.status == 401 and self._from_password and not signed_in_again:
                    # A token that a password was exchanged for can expire.
                    signed_in_again = True
                    with self._lock:
                        self._token = ""
                    continue
                if not _is_worth_repeating(reply, repeatable=repeatable):
                    return reply
                wait = self._bearable(retry_after(reply), request)
                if attempt >= self.limits.attempts:
                    return self._given_up(reply, request)
            pause = self.limits.first_pause_seconds * 2 ** (attempt - 1)
            # Spread out, so that several workers do not come back in the same instant.
            self._sleep(wait if wait is not None else pause * random.uniform(0.5, 1.0))
            attempt += 1

    def pause(self) -> None:
        """To be called before a second try that only the caller can decide on."""
        self._sleep(self.limits.first_pause_seconds)

    def _bearable(self, wait: float | None, request: Request) -> float | None:
        if wait is not None and wait > self.limits.longest_wait_seconds:
            raise ThrottledError(
                Reason("asks_to_wait", {"request": request.what, "seconds": round(wait)}),
                wait_seconds=wait,
            )
        return wait

    def _given_up(self, reply: Reply, request: Request) -> Reply:
        if reply.status == 429:
            raise ThrottledError(
                Reason("turned_away", {"request": request.what, "times": self.limits.attempts}),
                wait_seconds=retry_after(reply) or 60.0,
            )
        if reply.status < 400:
            raise self._not_paperless(reply)
        return reply


def _clock_ahead(reply: Reply) -> float | None:
    try:
        told = parsedate_to_datetime(reply.headers.get("Date", ""))
    except (TypeError, ValueError):
        return None
    return round(told.timestamp() - time.time())


def _accept(api: int) -> str:
    return f"application/json; version={api}"


def _is_worth_repeating(reply: Reply, *, repeatable: bool) -> bool:
    if reply.status in {429, 503}:
        return True  # it was turned away before anything was done
    if not repeatable:
        return False
    return reply.status in {500, 502, 504} or is_page(reply) or is_cut_off(reply)
