"""What a request is, and the register in which handlers enter themselves by path and method."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from paperless_fingerprint.demo.stand_in.answers import Answer, invalid, no_permission, refused
from paperless_fingerprint.demo.stand_in.consumption import Consumption
from paperless_fingerprint.demo.stand_in.filters import page_of
from paperless_fingerprint.demo.stand_in.library import Library
from paperless_fingerprint.demo.stand_in.people import User

T = TypeVar("T")
_ACTIONS = {"GET": "view", "POST": "add", "PATCH": "change", "DELETE": "delete"}


@dataclass(slots=True)
class Request:
    method: str
    path: str
    query: dict[str, str]
    #: The address with which pages point to each other.
    where: str
    user: User
    api_version: int
    body: bytes
    content_type: str
    library: Library
    consumption: Consumption

    def json(self) -> dict[str, Any]:
        try:
            told = json.loads(self.body or b"{}")
        except ValueError as error:
            raise refused(400, f"JSON parse error - {error}") from None
        if not isinstance(told, dict):
            raise invalid(non_field_errors="Invalid data. Expected a dictionary.")
        return told

    def need(self, kind: str, action: str = "") -> None:
        """The permission for what the method does, unless another action is named."""
        if not self.library.people.has(self.user, f"{action or _ACTIONS[self.method]}_{kind}"):
            raise no_permission()

    def full_perms(self) -> bool:
        return self.query.get("full_perms", "").lower() in {"true", "1"}

    def page(
        self, items: Sequence[T], show: Callable[[T], Any], id_of: Callable[[T], int] | None = None
    ) -> dict[str, Any]:
        """Before version 10 with the ids of all pages, where a list has them."""
        ids = None if id_of is None or self.api_version >= 10 else [id_of(item) for item in items]
        return page_of(items, self.query, self.where, show, ids)


Handler = Callable[[Request, re.Match[str]], Answer]
ROUTES: list[tuple[re.Pattern[str], dict[str, Handler]]] = []


def route(pattern: str, *methods: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        compiled = re.compile(f"^/api/{pattern}$")
        for known, handlers in ROUTES:
            if known.pattern == compiled.pattern:
                handlers.update(dict.fromkeys(methods, handler))
                return handler
        ROUTES.append((compiled, dict.fromkeys(methods, handler)))
        return handler

    return register


def read_form(request: Request) -> tuple[dict[str, list[str]], dict[str, tuple[str, str, bytes]]]:
    """multipart/form-data: fields, and files as (name, type, content)."""
    boundary = re.search(r'boundary="?([^";]+)', request.content_type)
    form: dict[str, list[str]] = {}
    files: dict[str, tuple[str, str, bytes]] = {}
    if boundary is None:
        return form, files
    for part in request.body.split(b"--" + boundary[1].encode())[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        content = content.removesuffix(b"\r\n")
        text = head.decode(errors="replace")
        name = re.search(r'name="([^"]*)"', text)
        file_name = re.search(r'filename="([^"]*)"', text)
        kind = re.search(r"Content-Type: *([^\r\n;]+)", text, re.IGNORECASE)
        if name is None:
            continue
        if file_name is None:
            form.setdefault(name[1], []).append(content.decode(errors="replace"))
        else:
            mime_type = kind[1].strip() if kind else "text/plain"
            files[name[1]] = (file_name[1], mime_type, content)
    return form, files
