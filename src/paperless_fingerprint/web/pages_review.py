"""One entry of the list, two documents side by side, and deciding about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.review import decide, pair, preview, queue, together
from paperless_fingerprint.review.decide import ActView, DecisionOutcome
from paperless_fingerprint.review.lines import blocks_of
from paperless_fingerprint.review.orders import DecisionOrder
from paperless_fingerprint.review.views_queue import Item, told_once
from paperless_fingerprint.review.visible import Unknown
from paperless_fingerprint.web import pdf_viewer
from paperless_fingerprint.web.filtering import filters_of, given_of
from paperless_fingerprint.web.pages import (
    changing,
    go,
    local,
    number_of,
    page,
    remember,
    shown,
    text_of,
)
from paperless_fingerprint.web.problems import Problem
from paperless_fingerprint.web.rendering import clipped, query_string, words
from paperless_fingerprint.web.sign_in import Visit

_MOST_NAMED = 4
#: Characters of what was not done and why; all of it stands on the page of the decisions.
_MOST_OF_WHY = 400
#: What an address says of one entry alone.
_OF_ONE_ENTRY = frozenset({"with", "keep", "take", "despite"})


def routes() -> Sequence[Route]:
    return [
        Route("/review/decide", changing(_decide), methods=["POST"]),
        Route("/review/undo", changing(_undo), methods=["POST"]),
        Route("/review/{item}", shown(_item), methods=["GET"]),
        Route("/review/{item}/changes", shown(_changes), methods=["GET"]),
        Route("/decisions", shown(_decisions), methods=["GET"]),
    ]


@dataclass(frozen=True, slots=True)
class Notice:
    """What has just happened, for the line at the top; `undo` is the act that can be undone."""

    text: str
    undo: int | None = None


# One entry -----------------------------------------------------------------------------------


def _item(request: Request, visit: Visit) -> Response:
    review, person = visit.review, visit.person
    given = dict(request.query_params)
    filters = filters_of(given)
    id = request.path_params["item"]
    found = queue.item(review, person, id)
    one, other = _shown_pair(found, number_of(given.get("with")))
    view = pair.side_by_side(review, person, one, other)
    neighbours = queue.neighbours(review, person, id, filters)
    own_filters = given_of(filters)
    suffix = query_string(own_filters)
    suffix = f"?{suffix}" if suffix else ""
    # In a larger group 'different' is about the one that is compared with the primary.
    stranger = None
    if found.kind == "group" and found.size > 2:
        stranger = next((n for n in (other, one) if n != found.primary), None)
    next_member = _next_member(found, one, other)
    following = f"/review/{neighbours.next}{suffix}" if neighbours.next else f"/review{suffix}"
    # Back in the list where this entry stands, or stood.
    place = (neighbours.position - 1) // filters.per_page + 1
    in_list = query_string(own_filters, page=place if place > 1 else "")
    own = query_string(own_filters, **{"with": next_member})
    columns = _columns(request)
    here = {name: value for name, value in given.items() if name not in {"said", "act"}}
    response = page(
        request, visit, "item.html", "groups",
        item=found, pair=view, kind=found.kind, size=found.size, members=found.documents,
        state=found.state, words=told_once(found.words), waiting=found.waiting, neighbours=neighbours,
        list_address=f"/review?{in_list}#{id}", heading=_heading(found), suffix=suffix,
        given=own_filters, stranger=stranger,
        next_member=next_member, next_address=following,
        # Not by the group's own number, which may be the one that leaves it.
        after_stranger=f"/review/g{found.primary}?{own}", said=said(request, visit),
        same_kind=_SAME_KINDS.get(view.relation, found.kind) if found.kind == "pair" else found.kind,
        blocks=blocks_of(view.segments), columns=columns, pdfjs=pdf_viewer.ADDRESS,
        other_columns=f"?{query_string(here, columns='one' if columns == 'two' else 'two')}",
    )  # fmt: skip
    if given.get("columns") == columns:
        remember(request, response, COLUMNS_COOKIE, columns)
    return response


def _columns(request: Request) -> str:
    """Texts side by side or in one column: as asked for now, or the last time."""
    told = request.query_params.get("columns") or request.cookies.get(COLUMNS_COOKIE)
    return told if told in COLUMNS else COLUMNS[0]


COLUMNS = ("two", "one")
COLUMNS_COOKIE = "pf_columns"


def _changes(request: Request, visit: Visit) -> Response:
    """What Paperless would be told of either decision: a part of the entry's page that it does not
    wait for."""
    id = request.path_params["item"]
    stranger = number_of(request.query_params.get("document"))

    def told(verdict: str, document: int | None) -> preview.Preview:
        order = DecisionOrder(id, verdict, "", document)
        return preview.preview(visit.review, visit.person, [order])

    return page(
        request, visit, "changes.html", "groups",
        item=queue.item(visit.review, visit.person, id),
        told=(("same", told("same", None)), ("different", told("different", stranger))),
    )  # fmt: skip


#: For two documents on their own: what 'same' means there.
_SAME_KINDS = {"version": "versions", "contains": "contains", "semantic": "semantic"}


def _heading(found: Item) -> str:
    return found.documents[0].title if found.documents else ""


def _shown_pair(found: Item, wanted: int | None) -> tuple[int, int]:
    """The one to keep beside the wanted member; without a wish the surest pair."""
    ids = [card.id for card in found.documents]
    if wanted not in ids or len(ids) < 3:
        return found.pair
    assert wanted is not None
    if found.kind == "versions":
        # A version is compared with the one before it.
        at = max(1, ids.index(wanted))
        return ids[at - 1], ids[at]
    beside = found.primary if found.primary != wanted else next(n for n in ids if n != wanted)
    return (min(beside or 0, wanted), max(beside or 0, wanted))


def _next_member(found: Item, one: int, other: int) -> int | None:
    ids = [card.id for card in found.documents]
    if len(ids) < 3:
        return None
    if found.kind != "versions":
        ids = [id for id in ids if id != found.primary]
    now = next((n for n in (other, one) if n in ids), ids[0])
    return ids[(ids.index(now) + 1) % len(ids)]


# Deciding ------------------------------------------------------------------------------------


def _decide(request: Request, visit: Visit, form: FormData) -> Response:
    back = local(text_of(form, "back"))
    verdict = text_of(form, "verdict")
    order = DecisionOrder(
        text_of(form, "item"), verdict, text_of(form, "seen"), number_of(text_of(form, "document"))
    )
    try:
        outcome = decide.decide(visit.review, visit.person, [order], changeable=visit.changeable)
    except Unknown as error:
        # It was there when the page was made, or so the form says.
        raise Problem(410, "Gone", str(error)) from None
    if outcome.conflicts:
        return page(
            request, visit, "conflict.html", "groups", 409, conflicts=outcome.conflicts, back=back
        )
    to = that_is_there(visit, text_of(form, "next"), text_of(form, "otherwise"), back)
    return go(request, with_parameters(to, said=verdict, act=last_of(outcome)))


def _undo(request: Request, visit: Visit, form: FormData) -> Response:
    number = number_of(text_of(form, "number"))
    back = local(text_of(form, "back"))
    try:
        outcome = decide.undo(visit.review, visit.person, number, changeable=visit.changeable)
    except Unknown:
        return go(request, with_parameters(back, said="nothing"))
    if outcome.conflicts:
        return page(
            request, visit, "conflict.html", "groups", 409, conflicts=outcome.conflicts, back=back
        )
    to = back
    if len(outcome.items) == 1 and urlsplit(back).path.startswith("/review/"):
        # Back to where it was said, so that it can be said otherwise; in the same list.
        given = {k: v for k, v in parse_qsl(urlsplit(back).query) if k not in _OF_ONE_ENTRY}
        place = "/resolve" if urlsplit(back).path.endswith("/resolve") else ""
        to = f"/review/{outcome.items[0].id}{place}?{query_string(given)}"
    return go(request, with_parameters(to, said="undo", act=last_of(outcome)))


def that_is_there(visit: Visit, *addresses: str) -> str:
    """The first of these whose entry a decision has left in place."""
    for address in filter(None, map(partial(local, otherwise=""), addresses)):
        path = urlsplit(address).path
        if not path.startswith("/review/"):
            return address
        try:
            item = path.removeprefix("/review/").removesuffix("/resolve")
            queue.item(visit.review, visit.person, item)
        except Unknown:
            continue
        return address
    return "/review"


def last_of(outcome: DecisionOutcome) -> str:
    return str(outcome.acts[-1].number) if outcome.acts else ""


def with_parameters(address: str, **more: str) -> str:
    """The address with other parameters; what was said the last time is dropped."""
    parts = urlsplit(address)
    given = {k: v for k, v in parse_qsl(parts.query) if k not in {"said", "act"}}
    return f"{parts.path}?{query_string(given, **more)}"


def said(request: Request, visit: Visit) -> Notice | None:
    told = request.query_params.get("said", "")
    if told == "none":
        return Notice(_("Nothing was selected. Select the entries that you want to decide on."))
    if told == "nothing":
        return Notice(_("You have nothing to undo."))
    number = number_of(request.query_params.get("act"))
    if number is None or not words().has(f"done.{told}"):
        return None
    acts = decide.told(visit.review, visit.person, number)
    if not acts:
        return None
    return Notice(_in_words(visit, acts), number if any(act.may_undo for act in acts) else None)


def _in_words(visit: Visit, acts: Sequence[ActView]) -> str:
    """Of one act its documents; of many the first of each."""
    t = words()
    ids = [act.documents[0] for act in acts] if len(acts) > 1 else acts[0].documents
    cards = visit.review.mirror.cards(visit.person, ids[:_MOST_NAMED])
    named = [
        # Isolated, so that a title in another script does not turn the sentence around.
        f"\u2068{clipped(cards[id].title, 50)}\u2069 ({id})"
        if id in cards and cards[id].title
        else str(id)
        for id in ids[:_MOST_NAMED]
    ]
    if len(ids) > _MOST_NAMED:
        named.append("…")
    what, told = acts[0].verdict, ", ".join(named)
    whys = clipped(" ".join(dict.fromkeys(act.why for act in acts if act.why)), _MOST_OF_WHY)
    if all(act.state == "refused" for act in acts):
        return _("Not done: %(ids)s. %(why)s", ids=told, why=whys)
    if len(acts) > 1:
        text = t.n(f"done.many.{what}", len(acts), ids=told)
    else:
        text = t(f"done.{what}", ids=told)
    text = f"{text} {whys}".strip()
    if not any(act.state == "waiting" for act in acts):
        return text
    return f"{text} {_('It will be carried out as soon as the library is free.')}"


def _decisions(request: Request, visit: Visit) -> Response:
    found = together.latest(visit.review, visit.person)
    return page(request, visit, "decisions.html", "", batches=found, said=said(request, visit))
