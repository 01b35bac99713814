"""The description of the API, OpenAPI 3.1, made from its table of operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paperless_fingerprint
from paperless_fingerprint.web.operations import Operation, Parameter
from paperless_fingerprint.web.schemas import Schema, schema_of

_PROBLEM: Schema = {
    "type": "object",
    "description": "Problem details (RFC 9457).",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail"],
}
_STATUSES = {
    400: "The request is not understood.",
    401: "Nobody is signed in, or Paperless does not know the token.",
    403: "This person, or a request from elsewhere, may not do that.",
    404: "It does not exist, or may not be seen.",
    429: "Tried too often.",
    503: "The library or Paperless is away.",
}
_WITH_BODY = {413: "The body is too long.", 415: "The body is not JSON."}


def description(operations: Sequence[Operation], root: str) -> dict[str, Any]:
    schemas: dict[str, Schema] = {"Problem": _PROBLEM}
    paths: dict[str, Any] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(
            operation, schemas
        )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "paperless-fingerprint",
            "version": paperless_fingerprint.__version__,
            "description": "Duplicates, versions and parts in a Paperless-ngx library: see, decide,"
            " search. Whoever asks sees what Paperless lets that person see.",
        },
        "servers": [{"url": root or "/"}],
        "security": [{"token": []}, {"session": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "`Token <token>`, a token of Paperless, as for its own API.",
                },
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "paperless_fingerprint",
                    "description": "From signing in. Whatever changes something needs the header "
                    "X-CSRF-Token, too; GET /api/session tells it.",
                },
            },
        },
    }


def _operation(operation: Operation, schemas: dict[str, Schema]) -> dict[str, Any]:
    statuses = dict(_STATUSES)
    if not operation.private:
        for status in (401, 403, 404, 429):
            statuses.pop(status)
    if operation.body is not None:
        statuses |= _WITH_BODY
    statuses |= dict(operation.statuses)
    responses: dict[str, Any] = {str(operation.status): _answer(operation, schemas)}
    for status, why in sorted(statuses.items()):
        responses.setdefault(
            str(status),
            {
                "description": why,
                "content": {
                    "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
                },
            },
        )
    found: dict[str, Any] = {
        "summary": operation.summary,
        "operationId": _name(operation),
        "parameters": [_parameter(parameter) for parameter in operation.parameters],
        "responses": responses,
    }
    if not operation.private:
        found["security"] = []
    if operation.body is not None:
        found["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema_of(operation.body, schemas)}},
        }
    return found


def _answer(operation: Operation, schemas: dict[str, Schema]) -> dict[str, Any]:
    if operation.status == 204:
        return {"description": "Done."}
    if operation.answer is None:
        return {"description": operation.summary, "content": {operation.media: {}}}
    is_schema = isinstance(operation.answer, dict)
    schema = operation.answer if is_schema else schema_of(operation.answer, schemas)
    return {"description": operation.summary, "content": {operation.media: {"schema": schema}}}


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": parameter.where,
        "required": parameter.required,
        "description": parameter.description,
        "schema": parameter.schema,
    }


def _name(operation: Operation) -> str:
    parts = operation.path.strip("/").replace("{", "").replace("}", "")
    return f"{operation.method.lower()}_" + "".join(c if c.isalnum() else "_" for c in parts)
