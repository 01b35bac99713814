"""What an address of the API is: its parameters, its body, its answer, and who may ask.

One table of these makes both the routes and the description of the API, so that the two cannot
differ. What is not described is refused: an unknown parameter is a mistake worth telling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.model import MAX_DOCUMENT_ID
from paperless_fingerprint.web import lane
from paperless_fingerprint.web.problems import Problem
from paperless_fingerprint.web.schemas import Schema, value_of
from paperless_fingerprint.web.sign_in import Visit, Visits

MOST_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    description: str
    schema: Schema
    required: bool = False
    where: str = "query"


@dataclass(frozen=True, slots=True)
class Call:
    request: Request
    visits: Visits
    visit: Visit | None
    values: Mapping[str, Any]
    body: Any = None

    @property
    def signed_in(self) -> Visit:
        assert self.visit is not None
        return self.visit


@dataclass(frozen=True, slots=True)
class ApiOperation:
    method: str
    path: str
    summary: str
    #: Gives a value of `answer`, or a whole Response.
    work: Callable[[Call], Any]
    #: A dataclass, tuple[…] of one, or a schema; None where a Response of `media` comes back.
    answer: Any = None
    parameters: tuple[Parameter, ...] = ()
    body: Any = None
    #: Further statuses besides 400, 401, 403, 404 and 503, and what each means.
    statuses: Mapping[int, str] = field(default_factory=dict)
    media: str = "application/json"
    #: Whether somebody must be signed in.
    private: bool = True
    status: int = 200

    @property
    def changes(self) -> bool:
        return self.method != "GET"


def id_parameter(name: str = "id", what: str = "The document.") -> Parameter:
    schema = {"type": "integer", "minimum": 1, "maximum": MAX_DOCUMENT_ID}
    return Parameter(name, what, schema, True, "path")


def routes_of(operations: Sequence[ApiOperation], visits: Visits) -> list[Route]:
    """One route a path, so that a method which is not there is a 405 that names those that are."""
    by_path: dict[str, dict[str, ApiOperation]] = {}
    for operation in operations:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    return [_route(path, found, visits) for path, found in by_path.items()]


def _route(path: str, found: Mapping[str, ApiOperation], visits: Visits) -> Route:
    async def endpoint(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await _answered(found[method], request, visits)

    pattern = path
    for operation in found.values():
        for parameter in operation.parameters:
            if parameter.where == "path" and parameter.schema["type"] == "integer":
                pattern = pattern.replace(f"{{{parameter.name}}}", f"{{{parameter.name}:int}}")
    return Route(pattern, endpoint, methods=sorted(found), name=path)


async def _answered(operation: ApiOperation, request: Request, visits: Visits) -> Response:
    visit = await run_in_threadpool(visits.of, request) if operation.private else None
    if operation.changes and visit is not None:
        await visits.check_csrf(request, visit)
    values = _values(operation, request)
    body = await _body(operation, request) if operation.body is not None else None
    call = Call(request, visits, visit, values, body)
    if operation.changes:
        found = await run_in_threadpool(operation.work, call)
    else:
        found = await lane.read(partial(operation.work, call), visits.comparing)
    if isinstance(found, Response):
        return found
    return json_response(found, operation.status)


def json_response(found: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(found), status, media_type="application/json")


async def _body(operation: ApiOperation, request: Request) -> Any:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem(415, "Not JSON", "Send the body as application/json.")
    content = b""
    async for piece in request.stream():
        content += piece
        if len(content) > MOST_BYTES:
            raise Problem(413, "Too long", f"A body may have {MOST_BYTES >> 10} KB at most.")
    try:
        told = orjson.loads(content)
    except orjson.JSONDecodeError:
        raise Problem(400, "Not JSON", "The body is not valid JSON.") from None
    return value_of(operation.body, told)


def _values(operation: ApiOperation, request: Request) -> dict[str, Any]:
    known = {parameter.name: parameter for parameter in operation.parameters}
    values: dict[str, Any] = dict(request.path_params)
    given = request.query_params
    for name in given:
        if name not in known or known[name].where != "query":
            raise UsageError(f"'{name[:40]}' is no parameter of this address.")
        if len(given.getlist(name)) > 1:
            raise UsageError(f"{name} is given more than once.")
    for name, parameter in known.items():
        if parameter.where == "path":
            values[name] = _checked_path(parameter, values[name])
        elif name in given:
            values[name] = parsed(parameter, given[name])
        elif parameter.required:
            raise UsageError(f"The parameter {name} is missing.")
        else:
            values[name] = parameter.schema.get("default")
    return values


def _checked_path(parameter: Parameter, value: Any) -> Any:
    low, high = parameter.schema.get("minimum"), parameter.schema.get("maximum")
    if low is not None and high is not None and not low <= value <= high:
        raise Problem(404, "Not found", "There is nothing at this address.")
    return value


def parsed(parameter: Parameter, text: str) -> Any:
    """The text of a query as its schema wants it."""
    schema, name = parameter.schema, parameter.name
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    if kind == "boolean":
        if text not in {"true", "false", "1", "0"}:
            raise UsageError(f"{name} is '{text[:20]}', but it is true or false.")
        return text in {"true", "1"}
    if kind in {"integer", "number"}:
        return _number(name, schema, text, whole=kind == "integer")
    if len(text) > schema.get("maxLength", 10_000):
        raise UsageError(f"{name} may have {schema.get('maxLength', 10_000):,} characters at most.")
    if "enum" in schema and text not in schema["enum"]:
        listed = ", ".join(each for each in schema["enum"] if each)
        raise UsageError(f"{name} is '{text[:20]}'; it can be {listed}.")
    return text


def _number(name: str, schema: Schema, text: str, *, whole: bool) -> int | float:
    low, high = schema.get("minimum", 0), schema.get("maximum", MAX_DOCUMENT_ID)
    wrong = UsageError(f"{name} is '{text[:20]}', but it is a number from {low:,} to {high:,}.")
    if not text.isascii() or len(text) > 24 or (whole and not text.isdigit()):
        raise wrong
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        raise wrong from None
    if not low <= value <= high:
        raise wrong
    return value
