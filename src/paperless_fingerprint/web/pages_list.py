"""The list of what there is to decide about, and deciding about many of it at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.review import decide, queue, selection
from paperless_fingerprint.review.decide import DecisionOutcome
from paperless_fingerprint.review.decide_many import ManyDecision, decide_many
from paperless_fingerprint.review.orders import MOST_PREVIEWED
from paperless_fingerprint.review.selection import Selection
from paperless_fingerprint.review.sorting import SORTS
from paperless_fingerprint.web import entries
from paperless_fingerprint.web.filtering import (
    PER_PAGE,
    filters_of,
    given_of,
    narrows,
    selection_of,
    ticked,
)
from paperless_fingerprint.web.pages import at, changing, go, local, page, shown, text_of
from paperless_fingerprint.web.pages_review import said, with_parameters
from paperless_fingerprint.web.rendering import query_string
from paperless_fingerprint.web.sign_in import Visit

_VIEWS = ("rows", "cards")
_VIEW_COOKIE = "pf_list"
#: A year.
_REMEMBERED_SECONDS = 31_536_000
#: Entries that are named in a preview; where more are chosen than can be imagined, these are the
#: examples of what Paperless is told.
_NAMED = 50
_EXAMPLES = 20


def routes() -> Sequence[Route]:
    return [
        Route("/review", shown(_list), methods=["GET"]),
        Route("/review/preview", changing(_preview), methods=["POST"]),
        Route("/review/decide-many", changing(_decide), methods=["POST"]),
    ]


def _list(request: Request, visit: Visit) -> Response:
    filters = filters_of(request.query_params)
    found = queue.stretch(visit.review, visit.person, filters)
    if filters.page > found.pages:
        filters = replace(filters, page=found.pages)
        found = queue.stretch(visit.review, visit.person, filters)
    given = given_of(filters)
    given_query = query_string(given)
    wanted = request.query_params.get("view")
    view = next((v for v in (wanted, request.cookies.get(_VIEW_COOKIE)) if v in _VIEWS), "rows")
    first = (filters.page - 1) * filters.per_page
    response = page(
        request, visit, "groups.html", "groups",
        queue=found, sight=found.sight, filters=filters, given=given, given_query=given_query, view=view,
        entries=entries.written(
            request, visit, found.sight, found.entries, view, f"?{given_query}" if given_query else ""
        ),
        views=_VIEWS, sorts=list(SORTS), sizes=PER_PAGE, narrows=narrows(given),
        here=query_string(given, page=filters.page if filters.page > 1 else ""),
        first=first + 1, last=first + len(found.entries),
        state_counts={each.name: each.count for each in found.sight.states},
        said=said(request, visit), trouble=found.trouble or None,
    )  # fmt: skip
    if wanted == view:
        response.set_cookie(
            _VIEW_COOKIE, view, max_age=_REMEMBERED_SECONDS, samesite="lax", httponly=True,
            path=at(request, "") or "/",
        )  # fmt: skip
    return response


def _preview(request: Request, visit: Visit, form: FormData) -> Response:
    back = local(text_of(form, "back"))
    if not (text_of(form, "all") or form.getlist("pick")):
        return go(request, with_parameters(back, said="none"))
    return _previewed(request, visit, form)


def _previewed(
    request: Request, visit: Visit, form: FormData, *, note: str = "", status: int = 200
) -> Response:
    verdict, is_all = text_of(form, "verdict"), bool(text_of(form, "all"))
    found = selection.chosen(visit.review, visit.person, selection_of(form))
    # To imagine what each changes takes longer than to do it; of many some are examples, and only
    # where somebody asks for them.
    few, examples = len(found) <= MOST_PREVIEWED, bool(text_of(form, "examples"))
    some = Selection(tuple(e.id for e in found[: MOST_PREVIEWED if few else _EXAMPLES]))
    planned = None
    if some.items and (few or examples):
        orders = selection.orders(visit.review, visit.person, some, verdict)
        planned = decide.preview(visit.review, visit.person, orders)
    sight = visit.review.mirror.sight(visit.person)
    return page(
        request, visit, "preview.html", "groups", status,
        preview=planned, count=len(found), verdict=verdict,
        entries=entries.written(request, visit, sight, found[:_NAMED], "names"), more=len(found) - _NAMED,
        back=local(text_of(form, "back")), note=note, examples=0 if few else len(some.items),
        picked=[] if is_all else [str(each) for each in form.getlist("pick")],
        left_out=[str(each) for each in form.getlist("except")] if is_all else [],
        query=text_of(form, "query"), all_shown=selection.digest(found) if is_all else "",
    )  # fmt: skip


def _decide(request: Request, visit: Visit, form: FormData) -> Response:
    back = local(text_of(form, "back"))
    verdict = text_of(form, "verdict")
    outcome: DecisionOutcome | None
    if text_of(form, "all"):
        order = ManyDecision(selection_of(form), verdict, text_of(form, "all_shown"))
        outcome = decide_many(visit.review, visit.person, order, changeable=visit.changeable)
        if outcome is None:
            note = _("The list has changed since you looked. Nothing was decided; check again.")
            return _previewed(request, visit, form, note=note, status=409)
    else:
        orders = ticked(form, verdict)
        if not orders:
            return go(request, with_parameters(back, said="none"))
        outcome = decide.decide(visit.review, visit.person, orders, changeable=visit.changeable)
    if outcome.conflicts:
        return page(
            request, visit, "conflict.html", "groups", 409, conflicts=outcome.conflicts, back=back
        )
    act = str(outcome.acts[0].number)
    return go(request, with_parameters(back, said=verdict, act=act))
