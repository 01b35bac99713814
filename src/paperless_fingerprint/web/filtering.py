"""The list's filters and order in an address, and what of the list was chosen in a form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import parse_qsl

from starlette.datastructures import FormData

from paperless_fingerprint.review.orders import DecisionOrder
from paperless_fingerprint.review.selection import Selection
from paperless_fingerprint.review.sorting import SORTS
from paperless_fingerprint.review.views_queue import Filters
from paperless_fingerprint.web.pages import number_of, text_of

PER_PAGE = (25, 50, 100, 200)
_USUAL = Filters(per_page=50)
#: Names in the address, and in Filters.
_TEXTS = {
    "relation": "relation", "correspondent": "correspondent", "type": "document_type",
    "since": "since", "until": "until", "state": "state", "tag": "tag", "q": "text", "sort": "sort",
}  # fmt: skip
#: In percent, as people write it.
_SHARES = {"sure": "confidence_from", "sure_to": "confidence_to"}
_MOST_CHARACTERS = 300


def filters_of(given: Mapping[str, str]) -> Filters:
    """What is no figure or no order is passed over: it comes from an address that somebody typed."""
    texts = {own: given[name][:_MOST_CHARACTERS] for name, own in _TEXTS.items() if given.get(name)}
    if texts.get("sort") not in SORTS:
        texts.pop("sort", None)
    found = replace(_USUAL, **texts)  # type: ignore[arg-type]
    shares = {own: _share(given.get(name)) for name, own in _SHARES.items()}
    told = {own: share for own, share in shares.items() if share is not None}
    per_page = number_of(given.get("per_page"))
    return replace(
        found,
        **told,  # type: ignore[arg-type]
        page=max(1, number_of(given.get("page")) or 1),
        per_page=per_page if per_page in PER_PAGE else _USUAL.per_page,
    )


def _share(told: str | None) -> float | None:
    number = number_of((told or "").strip().rstrip("%").strip())
    return None if number is None else min(100, number) / 100


def given_of(filters: Filters) -> dict[str, str]:
    """For the address: what is not as always. Without the page."""
    given = {name: str(getattr(filters, own)) for name, own in _TEXTS.items()}
    usual = {name: str(getattr(_USUAL, own)) for name, own in _TEXTS.items()}
    for name, own in _SHARES.items():
        given[name], usual[name] = (f"{100 * getattr(each, own):.0f}" for each in (filters, _USUAL))
    given["per_page"], usual["per_page"] = str(filters.per_page), str(_USUAL.per_page)
    return {name: value for name, value in given.items() if value != usual[name]}


def narrows(given: Mapping[str, str]) -> int:
    """How many filters there are, beside state and order."""
    return len(given.keys() - {"state", "sort", "per_page"})


def selection_of(form: FormData) -> Selection:
    """Ticked one by one, or all that match without what was unticked again."""
    if text_of(form, "all"):
        left_out = tuple(str(each) for each in form.getlist("except"))
        return Selection(left_out, filters_of(dict(parse_qsl(text_of(form, "query")))))
    return Selection(tuple(order.item for order in ticked(form, "")))


def ticked(form: FormData, verdict: str) -> Sequence[DecisionOrder]:
    """Each with what was shown of it when it was ticked."""
    orders = []
    for each in form.getlist("pick"):
        item, _, seen = str(each).partition(" ")
        orders.append(DecisionOrder(item, verdict, seen))
    return orders
