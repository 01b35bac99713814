"""Bringing a group to its end on the page: what is kept, what it gets, and what goes to the trash."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from paperless_fingerprint.errors import PaperlessError
from paperless_fingerprint.integration.merging.plan import Taken
from paperless_fingerprint.review import queue, resolve
from paperless_fingerprint.review.resolve import Resolution, ResolveOrder
from paperless_fingerprint.review.visible import Unknown
from paperless_fingerprint.web.filtering import filters_of, given_of
from paperless_fingerprint.web.pages import changing, go, local, number_of, page, shown, text_of
from paperless_fingerprint.web.pages_review import last_of, said, that_is_there, with_parameters
from paperless_fingerprint.web.problems import Problem
from paperless_fingerprint.web.rendering import query_string
from paperless_fingerprint.web.sign_in import Visit

_MOST = 1_000


def routes() -> Sequence[Route]:
    return [
        Route("/review/resolve", changing(_resolve), methods=["POST"]),
        Route("/review/{item}/resolve", shown(_look), methods=["GET"]),
    ]


def _order(item: str, told: Iterable[tuple[str, str]], seen: str = "") -> ResolveOrder:
    """From the address or the form, which name things alike."""
    given = list(told)[:_MOST]

    def ids(name: str) -> tuple[int, ...]:
        found = (number_of(text) for key, text in given if key == name)
        return tuple(dict.fromkeys(id for id in found if id))

    taken = (text.rpartition(" ") for key, text in given if key == "take")
    take = tuple(Taken(key, id) for key, _, text in taken if key and (id := number_of(text)))
    return ResolveOrder(item, ids("keep"), take, ids("despite"), seen)


def _look(request: Request, visit: Visit) -> Response:
    given = request.query_params
    filters = filters_of(dict(given))
    id = request.path_params["item"]
    order = _order(id, given.multi_items())
    try:
        found = resolve.look(visit.review, visit.person, visit.paperless, order)
    except PaperlessError as error:
        return page(request, visit, "resolve_away.html", "groups", 503, item=id, why=str(error))
    neighbours = queue.neighbours(visit.review, visit.person, id, filters)
    kept = given_of(filters)
    suffix = f"?{query_string(kept)}" if kept else ""
    return page(
        request, visit, "resolve.html", "groups",
        found=found, item=found.item, order=order, neighbours=neighbours, given=kept,
        suffix=suffix, next_address=_after(neighbours.next, suffix),
        taken={each.key: each.document for each in order.take},
        titles={card.id: card.title for card in found.item.documents},
        chosen=_fields(found, order), said=said(request, visit),
    )  # fmt: skip


def _after(next: str | None, suffix: str) -> str:
    """The next group is brought to its end in the same way."""
    if next is None:
        return f"/review{suffix}"
    return f"/review/{next}/resolve{suffix}" if next.startswith("g") else f"/review/{next}{suffix}"


def _fields(found: Resolution, order: ResolveOrder) -> list[tuple[str, str]]:
    """What is shown, as the form sends it."""
    return [
        *(("keep", str(id)) for id in found.keep),
        *(("take", f"{each.key} {each.document}") for each in order.take),
        *(("despite", str(id)) for id in order.despite),
    ]


def _resolve(request: Request, visit: Visit, form: FormData) -> Response:
    back = local(text_of(form, "back"))
    told = [(key, value) for key, value in form.multi_items() if isinstance(value, str)]
    order = _order(text_of(form, "item"), told, text_of(form, "seen"))
    try:
        outcome = resolve.resolve(visit.review, visit.person, visit.paperless, order)
    except Unknown as error:
        raise Problem(410, "Gone", str(error)) from None
    if outcome.conflicts:
        return page(
            request, visit, "conflict.html", "groups", 409, conflicts=outcome.conflicts, back=back
        )
    to = that_is_there(visit, text_of(form, "next"), back)
    return go(request, with_parameters(to, said=resolve.VERDICT, act=last_of(outcome)))
