"""Keeping one of each of many groups on the page: the rules, what they would do, and how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qsl

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from paperless_fingerprint.errors import PaperlessError
from paperless_fingerprint.paperless.refusals import DeniedError
from paperless_fingerprint.review import resolve_many
from paperless_fingerprint.review.resolve_many import WHY_NOT, ManyOrder
from paperless_fingerprint.review.selection import Selection
from paperless_fingerprint.web.filtering import filters_of, given_of, selection_of
from paperless_fingerprint.web.pages import changing, go, local, number_of, page, shown, text_of
from paperless_fingerprint.web.pages_review import said, with_parameters
from paperless_fingerprint.web.rendering import query_string, rendered
from paperless_fingerprint.web.sign_in import Visit

_MOST = 2_000
#: One rule after the other, as long as they leave it open.
_RULES_SHOWN = 3


def routes() -> Sequence[Route]:
    return [
        Route("/resolve-many", shown(_look), methods=["GET"]),
        Route("/resolve-many", changing(_from_list), methods=["POST"]),
        Route("/resolve-many/start", changing(_start), methods=["POST"]),
        Route("/batches/{number:int}", shown(_batch), methods=["GET"]),
        Route("/batches/{number:int}/now", shown(_now), methods=["GET"]),
    ]


def _from_list(request: Request, _visit: Visit, form: FormData) -> Response:
    """What is ticked in the list becomes an address, which one can come back to."""
    told = selection_of(form)
    if told.filters is None and not told.items:
        return go(request, with_parameters(local(text_of(form, "back")), said="none"))
    given = {} if told.filters is None else given_of(told.filters)
    name = "pick" if told.filters is None else "except"
    picks = "".join(f"&{query_string({name: item})}" for item in told.items[:_MOST])
    return go(request, f"/resolve-many?{query_string(given)}{picks}".replace("?&", "?"))


def _order(query: str, seen: str = "") -> ManyOrder:
    told = parse_qsl(query)[:_MOST]
    given = dict(told)

    def every(name: str) -> list[str]:
        return [text for key, text in told if key == name and text]

    picks = every("pick")
    selection = (
        Selection(tuple(picks)) if picks else Selection(tuple(every("except")), filters_of(given))
    )
    ids = (number_of(text) for text in given.get("protected", "").replace(",", " ").split())
    return ManyOrder(
        selection,
        tuple(dict.fromkeys(every("rule"))) or ("primary",),
        number_of(given.get("path")),
        tuple(dict.fromkeys(every("spare_tag"))),
        number_of(given.get("spare_path")),
        tuple(id for id in ids if id),
        seen,
    )


def _look(request: Request, visit: Visit) -> Response:
    return _shown(request, visit, request.url.query)


def _shown(request: Request, visit: Visit, query: str, *, changed: bool = False) -> Response:
    order = _order(query)
    try:
        found = resolve_many.look(visit.review, visit.person, visit.paperless, order)
        paths = visit.paperless.storage_paths()
    except DeniedError:
        raise
    except PaperlessError as error:
        return page(request, visit, "resolve_away.html", "groups", 503, item="", why=str(error))
    told = parse_qsl(query)[:_MOST]
    sight = visit.review.mirror.sight(visit.person)
    return page(
        request, visit, "resolve_many.html", "groups", 409 if changed else 200,
        found=found, order=order, query=query, changed=changed, why_not=WHY_NOT,
        rules=resolve_many.RULES, places=range(_RULES_SHOWN), paths=paths, tags=sight.tags,
        chosen=[(k, v) for k, v in told if k in _OF_THE_LIST],
        back=f"/review?{query_string(given_of(order.selection.filters))}"
        if order.selection.filters is not None
        else "/review",
    )  # fmt: skip


#: What of an address says which groups are meant.
_OF_THE_LIST = frozenset(
    "pick except relation correspondent type since until state tag q sort sure sure_to".split()
)


def _start(request: Request, visit: Visit, form: FormData) -> Response:
    query = text_of(form, "query")
    order = _order(query, text_of(form, "seen"))
    started = resolve_many.resolve(visit.review, visit.person, visit.paperless, order)
    if not started.number:
        return _shown(request, visit, query, changed=True)
    return go(request, f"/batches/{started.number}")


def _batch(request: Request, visit: Visit) -> Response:
    number = request.path_params["number"]
    found = resolve_many.batch(visit.review, visit.person, number)
    return page(
        request, visit, "batch.html", "groups", batch=found, said=said(request, visit),
        version=visit.review.live.version,
    )  # fmt: skip


def _now(request: Request, visit: Visit) -> Response:
    found = resolve_many.batch(visit.review, visit.person, request.path_params["number"])
    return rendered(request, "batch_now.html", batch=found, csrf=visit.csrf)
