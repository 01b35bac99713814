"""GET /api/search: the query language for other programs.

Hits have the fields of `search --json`. Errors are problem details (RFC 9457). Who asks is said by
a function that is handed in, and everything is filtered for that asker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse
from starlette.routing import Route

from paperless_fingerprint.errors import FingerprintError, StoreError, UsageError
from paperless_fingerprint.library.search import SORTS, Request, Search
from paperless_fingerprint.query.language import MAX_CHARACTERS, QueryError
from paperless_fingerprint.query.searcher import Asker, Scope, SearchTooLongError

DEFAULT_LIMIT = 25
MAX_LIMIT = 1000
MAX_OFFSET = 10_000

#: Raises PermissionError for who is nobody.
AskerOf = Callable[[HttpRequest], Asker]


def search_route(search: Search, asker_of: AskerOf) -> Route:
    def endpoint(http: HttpRequest) -> JSONResponse:
        try:
            asker = asker_of(http)
            request, explain = _request(http.query_params, asker)
            if explain:
                return JSONResponse(_for(asker, search.explain(request)))
            if _yes(http.query_params, "passages"):
                look = search.look(request)
                answer, more = look.answer, {id: asdict(s) for id, s in look.shown.items()}
                offers = [asdict(offer) for offer in look.offers]
            else:
                answer, more, offers = search.run(request), {}, None
        except PermissionError as error:
            return problem(401, "Not signed in", str(error) or "Sign in, or send a token.")
        except QueryError as error:
            return problem(
                400, "The query is not understood", error.reason, position=error.position
            )
        except SearchTooLongError as error:
            return problem(503, "The search took too long", str(error))
        except UsageError as error:
            return problem(400, "The request is not understood", str(error))
        except StoreError:
            # What the store says names paths and addresses; that is for the log, not for strangers.
            return problem(503, "The library is not available", "Try again in a moment.")
        except FingerprintError as error:
            return problem(500, "The search failed", str(error))
        return JSONResponse(
            {
                "total": answer.total,
                "total_is_exact": answer.total_is_exact,
                "next": answer.next or None,
                "notes": list(answer.notes),
                "hits": [asdict(hit) | _passages_of(more.get(hit.id)) for hit in answer.hits],
                **({} if offers is None else {"offers": offers}),
            }
        )

    # Not async: it runs in a thread of its own, and the store may be waited for.
    return Route("/api/search", endpoint, methods=["GET"], name="search")


def _passages_of(shown: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"passages": shown} if shown else {}


def problem(status: int, title: str, detail: str, **more: Any) -> JSONResponse:
    return JSONResponse(
        {"type": "about:blank", "title": title, "status": status, "detail": detail, **more},
        status_code=status,
        media_type="application/problem+json",
    )


def _request(given: Mapping[str, str], asker: Asker) -> tuple[Request, bool]:
    unknown = set(given) - {parameter["name"] for parameter in _PARAMETERS}
    if unknown:
        raise UsageError(f"'{min(unknown)}' is no parameter of this search.")
    if "q" not in given:
        raise UsageError("The parameter q, the query, is missing.")
    request = Request(
        given["q"],
        Scope(asker, _yes(given, "history")),
        limit=_number(given, "limit", DEFAULT_LIMIT, MAX_LIMIT),
        offset=_number(given, "offset", 0, MAX_OFFSET),
        after=given.get("after", ""),
        sort=given.get("sort", "best"),
        verify_all=_yes(given, "all"),
    )
    return request, _yes(given, "explain")


def _number(given: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = given.get(name, str(default))
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) > most:
        raise UsageError(f"{name} is '{text[:20]}', but it is a number from 0 to {most:,}.")
    return int(text)


def _yes(given: Mapping[str, str], name: str) -> bool:
    text = given.get(name, "false").lower()
    if text not in {"true", "false", "1", "0"}:
        raise UsageError(f"{name} is '{text[:20]}', but it is true or false.")
    return text in {"true", "1"}


def _for(asker: Asker, plan: dict[str, Any]) -> dict[str, Any]:
    """The request to the store holds ids and words of documents that the asker may not view."""
    return plan if asker.superuser else {k: v for k, v in plan.items() if k != "request"}


def _parameter(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name, "in": "query", "required": name == "q", "description": description,
        "schema": schema,
    }  # fmt: skip


_YES_NO = {"type": "boolean", "default": False}
_PARAMETERS = [
    _parameter("q", "The query, as in docs/query.md.",
               {"type": "string", "maxLength": MAX_CHARACTERS,
                "example": "FINGERPRINT:1234_20_80 AND invoice"}),
    _parameter("limit", "Hits in the answer.",
               {"type": "integer", "minimum": 0, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT}),
    _parameter("offset", "Hits to skip.",
               {"type": "integer", "minimum": 0, "maximum": MAX_OFFSET, "default": 0}),
    _parameter("after", "`next` of the page before; stable while documents are written.",
               {"type": "string"}),
    _parameter("sort", "The order of the hits.",
               {"type": "string", "enum": list(SORTS), "default": "best"}),
    _parameter("history", "Older versions too.", _YES_NO),
    _parameter("all", "Verify every candidate instead of the best 1,000.", _YES_NO),
    _parameter("passages", "With each hit, where the words stand in it and what it shares with the "
               "source of a FINGERPRINT term; with no hit, words that may have been meant.", _YES_NO),
    _parameter("explain", "The plan instead of the hits.", _YES_NO),
]  # fmt: skip
_PIECES = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "As it stands in the document."},
            "found": {"type": "boolean"},
        },
    },
}
_PASSAGES = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "pieces": _PIECES,
            "page": {"type": ["integer", "null"]},
            "about_of": {
                "type": ["integer", "null"],
                "description": "The number of pages, where the page is an estimate.",
            },
            "words": {"type": ["integer", "null"], "description": "Shared in a row."},
        },
    },
}
_SPELLINGS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"word": {"type": "string"}, "query": {"type": "string"}},
    },
}
_SHARE = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_PROBLEM = {
    "description": "Problem details (RFC 9457); `position` is the place in the query, from 0.",
    "content": {
        "application/problem+json": {
            "schema": {
                "type": "object",
                "properties": {
                    "type": {"type": "string"},
                    "title": {"type": "string"},
                    "status": {"type": "integer"},
                    "detail": {"type": "string"},
                    "position": {"type": "integer"},
                },
            }
        }
    },
}
#: For `paths` of the OpenAPI description of the whole service.
OPENAPI_PATHS: dict[str, Any] = {
    "/api/search": {
        "get": {
            "operationId": "search",
            "summary": "Find documents by words and by likeness",
            "parameters": _PARAMETERS,
            "responses": {
                "200": {
                    "description": "The hits that the asker may view, best first.",
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["total", "total_is_exact", "next", "notes", "hits"],
                                "properties": {
                                    "total": {"type": "integer"},
                                    "total_is_exact": {
                                        "type": "boolean",
                                        "description": "false: there are at least `total`.",
                                    },
                                    "next": {"type": ["string", "null"]},
                                    "notes": {"type": "array", "items": {"type": "string"}},
                                    "hits": {
                                        "type": "array",
                                        "items": {
                                            "type": "object",
                                            "properties": {
                                                "id": {"type": "integer"},
                                                "uuid": {"type": "string", "format": "uuid"},
                                                "title": {"type": "string"},
                                                "jaccard": _SHARE,
                                                "containment": {
                                                    **_SHARE,
                                                    "description": "Of the source, in the hit.",
                                                },
                                                "reverse_containment": {
                                                    **_SHARE,
                                                    "description": "Of the hit, in the source.",
                                                },
                                                "distance": {
                                                    **_SHARE,
                                                    "description": "1 - jaccard.",
                                                },
                                                "is_latest": {"type": "boolean"},
                                                "score": {"type": ["number", "null"]},
                                                "passages": {
                                                    "type": "object",
                                                    "description": "Where they are asked for.",
                                                    "properties": {
                                                        "source": {"type": ["integer", "null"]},
                                                        "title": _PIECES,
                                                        "found": _PASSAGES,
                                                        "shared": _PASSAGES,
                                                    },
                                                },
                                            },
                                        },
                                    },
                                    "offers": {
                                        "type": "array",
                                        "description": "Where passages are asked for.",
                                        "items": {
                                            "type": "object",
                                            "properties": {
                                                "word": {"type": "string"},
                                                "near": _SPELLINGS,
                                                "containing": _SPELLINGS,
                                                "any_containing": {"type": "string"},
                                            },
                                        },
                                    },
                                },
                            }
                        }
                    },
                },
                "400": _PROBLEM,
                "401": _PROBLEM,
                "503": _PROBLEM,
            },
        }
    }
}
