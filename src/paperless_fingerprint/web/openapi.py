"""The description of the API, OpenAPI 3.1, made from its table of operations."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import paperless_fingerprint
from paperless_fingerprint.model import MAX_DOCUMENT_ID
from paperless_fingerprint.web.files import FILES, PICTURES
from paperless_fingerprint.web.operations import ApiOperation, Parameter
from paperless_fingerprint.web.schemas import Schema, schema_of
from paperless_fingerprint.web.search_api import OPENAPI_PATHS

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
_PLAN: Schema = {
    "type": "object",
    "description": "With `explain`: what the store would be asked, and how surely each share is "
    "found. The request itself is for superusers alone.",
    "properties": {
        "query": {"type": "string"},
        "terms": {"type": "array", "items": {"type": "object"}},
        "request": {},
        "notes": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["query", "terms", "notes"],
}
_STATUSES = {
    400: "The request is not understood.",
    401: "Nobody is signed in, or Paperless does not know the token.",
    403: "This person, or a request from elsewhere, may not do that.",
    404: "It does not exist, or may not be seen.",
    429: "Tried too often.",
    503: "The library or Paperless is away.",
}
#: What is not in the table of operations, because no value of ours comes back.
_ID = {
    "name": "id", "in": "path", "required": True, "description": "The document.",
    "schema": {"type": "integer", "minimum": 1, "maximum": MAX_DOCUMENT_ID},
}  # fmt: skip
_OTHERS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("/api/documents/{id}/thumb", "get", {
        "summary": "Its thumbnail.",
        "parameters": [_ID],
        "responses": {
            "200": {"description": "A picture.",
                    "content": {kind: {} for kind in sorted(PICTURES)}},
            "304": {"description": "The one that If-None-Match names."},
            "502": {"description": "Paperless has sent something else."},
        },
    }),
    ("/api/documents/{id}/preview", "get", {
        "summary": "Its file, as Paperless shows it.",
        "parameters": [_ID],
        "responses": {
            "200": {"description": "The file.", "content": {kind: {} for kind in sorted(FILES)}},
            "502": {"description": "Paperless has sent something else."},
        },
    }),
    ("/api/events", "get", {
        "summary": "Server-sent events: 'progress', with what /api/progress tells, after each "
        "change; a comment now and then as a sign of life.",
        "responses": {"200": {"description": "They go on until somebody hangs up.",
                              "content": {"text/event-stream": {}}}},
    }),
    ("/api/consume", "post", {
        "summary": "Something has happened to a document; for the hook and for workflows. Needs "
        "the secret of the service, where one is set: Authorization: Bearer <secret>.",
        "security": [],
        "requestBody": {"required": True, "content": {"application/json": {"schema": {
            "type": "object",
            "properties": {"document_id": {"type": "integer", "minimum": 1,
                                           "maximum": MAX_DOCUMENT_ID}},
            "required": ["document_id"],
        }}}},
        "responses": {"202": {"description": "It is kept.", "content": {"application/json": {
            "schema": {"type": "object", "properties": {"document_id": {"type": "integer"}},
                       "required": ["document_id"]}}}}},
    }),
)  # fmt: skip
_WITH_BODY = {413: "The body is too long.", 415: "The body is not JSON."}


def description(operations: Sequence[ApiOperation], root: str) -> dict[str, Any]:
    schemas: dict[str, Schema] = {"Problem": _PROBLEM}
    paths: dict[str, Any] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(
            operation, schemas
        )
    paths |= deepcopy(OPENAPI_PATHS)
    hits = paths["/api/search"]["get"]["responses"]["200"]["content"]["application/json"]
    hits["schema"] = {"anyOf": [hits["schema"], _PLAN]}
    for status in (403, 429, 503):
        paths["/api/search"]["get"]["responses"][str(status)] = _problem(_STATUSES[status])
    for path, method, found in _OTHERS:
        paths.setdefault(path, {})[method] = {
            **found,
            "responses": {
                **found["responses"],
                **{str(status): _problem(why) for status, why in _STATUSES.items()},
            },
        }
    paths["/api/consume"]["post"]["responses"] |= {
        str(status): _problem(why) for status, why in _WITH_BODY.items()
    }
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


def _operation(operation: ApiOperation, schemas: dict[str, Schema]) -> dict[str, Any]:
    statuses = dict(_STATUSES)
    if not operation.private:
        for status in (401, 403, 404, 429):
            statuses.pop(status)
    if operation.body is not None:
        statuses |= _WITH_BODY
    statuses |= dict(operation.statuses)
    responses: dict[str, Any] = {str(operation.status): _answer(operation, schemas)}
    for status, why in sorted(statuses.items()):
        responses.setdefault(str(status), _problem(why))
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


def _problem(why: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": why, "content": {"application/problem+json": {"schema": schema}}}


def _answer(operation: ApiOperation, schemas: dict[str, Schema]) -> dict[str, Any]:
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


def _name(operation: ApiOperation) -> str:
    parts = operation.path.strip("/").replace("{", "").replace("}", "")
    return f"{operation.method.lower()}_" + "".join(c if c.isalnum() else "_" for c in parts)
