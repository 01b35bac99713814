"""What a handler gives back, and the errors in the many forms that Paperless has for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SERVER_ERROR_PAGE = (
    "<!doctype html>\n<html lang='en'>\n<head><title>Server Error (500)</title></head>\n"
    "<body><h1>Server Error (500)</h1></body>\n</html>\n"
)


@dataclass(slots=True)
class Answer:
    status: int = 200
    #: JSON where `text` and `data` are None.
    body: Any = None
    text: str | None = None
    data: bytes | None = None
    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    #: The token endpoint, 401 and 406 do not name the version.
    versioned: bool = True


class ApiError(Exception):
    """Raised anywhere below a handler; becomes the answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


def invalid(**fields: Any) -> ApiError:
    """400 in the form {"field": ["…"]}."""
    return ApiError(Answer(400, {k: [v] if isinstance(v, str) else v for k, v in fields.items()}))


def refused(status: int, detail: str) -> ApiError:
    """{"detail": "…"}."""
    return ApiError(Answer(status, {"detail": detail}))


def not_found(what: str = "Document") -> ApiError:
    return refused(404, f"No {what} matches the given query.")


def no_permission() -> ApiError:
    """What the permissions of a kind of object say: JSON."""
    return refused(403, "You do not have permission to perform this action.")


def insufficient() -> ApiError:
    """What the permissions of one document say in bulk, metadata and download: plain text."""
    return ApiError(Answer(403, text="Insufficient permissions"))


def server_error() -> ApiError:
    return ApiError(Answer(500, text=SERVER_ERROR_PAGE))
