"""What Paperless's refusals mean, in one sentence each.

    PaperlessError
    ├── UnavailableError   it cannot be reached, or fails; the same request may succeed later
    │   ├── ThrottledError     it asks to wait longer than we are willing to
    │   └── OversizedError     the answer is longer than we take; ask for less at once
    ├── DeniedError        401 or 403: the token, or what its user may do
    ├── MissingError       404: does not exist, lies in the trash, or may not be seen
    ├── RefusedError       any other 4xx: what was sent is wrong
    └── StrangeError       the answer is none of Paperless's: another program, a login, a filter
                           that was ignored

Refusals come as `{"field": ["…"]}`, `{"detail": "…"}`, `{"error": "…"}`, as plain text or as a page
in HTML; `explanation` makes a sentence of each.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import orjson

from paperless_fingerprint.errors import PaperlessError
from paperless_fingerprint.languages.reasons import Reason

MOST_CHARACTERS = 300
#: Names under which the framework reports errors that belong to no single field.
#: So Paperless begins where one document may not be touched, or linked with.
_OF_ONE = "Insufficient permissions"
_WITHOUT_A_FIELD = frozenset({"detail", "error", "non_field_errors", "errors"})


class PaperlessAnswerError(PaperlessError):
    """An answer that is not the one hoped for."""

    def __init__(self, message: str | Reason, *, status: int | None = None, said: str = "") -> None:
        super().__init__(message)
        self.status = status
        #: Paperless's own words, without what we made of them.
        self.said = said


class UnavailableError(PaperlessAnswerError):
    pass


class BrokenOffError(UnavailableError):
    """Before an answer began, as where a connection that was kept is closed on the other side."""


class ThrottledError(UnavailableError):
    def __init__(self, message: str | Reason, *, wait_seconds: float, said: str = "") -> None:
        super().__init__(message, status=429, said=said)
        self.wait_seconds = wait_seconds


class OversizedError(UnavailableError):
    pass


class DeniedError(PaperlessAnswerError):
    #: Paperless says in JSON that a permission for the whole kind is missing, and in plain text
    #: that one document may not be touched.
    whole_kind = False


class MissingError(PaperlessAnswerError):
    pass


class RefusedError(PaperlessAnswerError):
    #: The names of the fields that Paperless complains about.
    fields: frozenset[str] = frozenset()


class StrangeError(PaperlessAnswerError):
    pass


def parsed(body: bytes) -> Any:
    """The JSON, or None where there is none."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        # It is strict: half a character, NaN and numbers of any length are none to it.
        with suppress(ValueError, RecursionError):
            return json.loads(body)
    return None


def explanation(body: bytes) -> str:
    """What the body of a refusal says, in any of its forms, on one line."""
    found = parsed(body)
    text = _spelt(found) if isinstance(found, (Mapping, list)) else _plain(body)
    text = re.sub(r"\s+", " ", text).strip()
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + "…"


def _spelt(found: Any) -> str:
    if isinstance(found, Mapping):
        parts = []
        for name, value in found.items():
            text = _spelt(value)
            if text:
                parts.append(text if name in _WITHOUT_A_FIELD else f"{name}: {text}")
        return "; ".join(parts)
    if isinstance(found, Sequence) and not isinstance(found, str):
        return "; ".join(filter(None, map(_spelt, found)))
    return "" if found is None else str(found)


def _plain(body: bytes) -> str:
    text = body[:20_000].decode(errors="replace")
    if "<html" not in text.lower() and "<!doctype" not in text.lower():
        return text
    title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", text, re.IGNORECASE | re.DOTALL)
    found = title or heading
    inner = re.sub(r"<[^>]+>", " ", found[1]) if found else ""
    return f"a page in HTML ({html.unescape(inner).strip() or 'without a title'})"


def refusal(status: int, what: str, body: bytes) -> PaperlessAnswerError:
    """The error for an answer with this status; `what` is 'GET /api/tags/'."""
    said = explanation(body)
    found = parsed(body)
    tail = f": {said}" if said else ""
    end = "" if tail.endswith((".", "…")) else "."
    if status == 401:
        return DeniedError(
            Reason("wrong_token", {"said": said or "HTTP 401"}),
            status=status,
            said=said,
        )
    if status == 403:
        denied = DeniedError(
            Reason("not_allowed", {"request": what, "said": tail + end, "menu": "Users & Groups"}),
            status=status,
            said=said,
        )
        denied.whole_kind = isinstance(found, Mapping) and not said.startswith(_OF_ONE)
        return denied
    if status == 404:
        return MissingError(
            f"Paperless knows nothing of {what}{tail}{end} It does not exist, lies in the trash, "
            "or may not be seen with this token.",
            status=status,
            said=said,
        )
    if status >= 500:
        return UnavailableError(
            Reason("failed", {"request": what, "status": status, "said": tail + end}),
            status=status,
            said=said,
        )
    refused = RefusedError(
        f"Paperless refused {what} with HTTP {status}{tail}{end}", status=status, said=said
    )
    if isinstance(found, Mapping):
        refused.fields = frozenset(map(str, found))
    return refused
