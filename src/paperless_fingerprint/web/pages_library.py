"""The library in figures, the work in progress, and the first steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import ngettext
from paperless_fingerprint.library.thresholds import Thresholds
from paperless_fingerprint.review import first_run, library_view, progress, save_thresholds
from paperless_fingerprint.review.library_view import LibraryView
from paperless_fingerprint.settings.editing import CannotChangeError
from paperless_fingerprint.web import pictures
from paperless_fingerprint.web.pages import changing, go, number_of, page, shown, text_of
from paperless_fingerprint.web.pages_review import Notice
from paperless_fingerprint.web.problems import Problem
from paperless_fingerprint.web.rendering import rendered, words
from paperless_fingerprint.web.sign_in import Visit


def routes() -> Sequence[Route]:
    return [
        Route("/library", shown(_library), methods=["GET"]),
        Route("/library/thresholds", changing(_save), methods=["POST"]),
        Route("/library/thresholds/undo", changing(_put_back), methods=["POST"]),
        Route("/work", shown(_work), methods=["GET"]),
        Route("/work/now", shown(_work_now), methods=["GET"]),
        Route("/work/retry", changing(_retry), methods=["POST"]),
        Route("/first-run", shown(_first_run), methods=["GET"]),
        Route("/first-run", changing(_start), methods=["POST"]),
        Route("/first-run/labels", changing(_write_all), methods=["POST"]),
    ]


_RELATIONS = ("exact", "near", "version", "contains", "semantic")


def _library(request: Request, visit: Visit) -> Response:
    given = {name: _share(request.query_params.get(name)) for name in save_thresholds.KEYS}
    what = request.query_params.get("done", "")
    said = Notice(words()(f"done.thresholds.{what}")) if what in {"saved", "back"} else None
    return _library_page(request, visit, given, said=said)


def _library_page(
    request: Request, visit: Visit, given: Mapping[str, float | None], *, said: Notice | None = None,
    refused: str = "", status: int = 200,
) -> Response:  # fmt: skip
    view = library_view.view(visit.review, visit.person)
    now = Thresholds(view.similarity_threshold, view.near_threshold, view.version_threshold)
    told = {name: share for name, share in given.items() if share is not None}
    tried = replace(now, **told)
    preview = library_view.preview(visit.review, visit.person, **asdict(tried)) if told else None
    relations = sorted({each.name for bar in view.histogram for each in bar.counts}, key=_in_order)
    low, high = _span(view)
    return page(
        request, visit, "library.html", "library", status, said=said, refused=refused,
        view=view, now=now, tried=tried, preview=preview, relations=relations,
        chart=pictures.histogram(_rows(view, relations), low, high),
        threshold_at=pictures.across(view.similarity_threshold, low, high),
        then_at=pictures.across(tried.similarity, low, high) if preview else None,
        scurve=pictures.curve([(point.jaccard, point.found) for point in view.curve]),
        near_at=pictures.across(view.near_threshold),
        version_at=pictures.across(view.version_threshold),
    )  # fmt: skip


def _save(request: Request, visit: Visit, form: FormData) -> Response:
    given = {name: _share(text_of(form, name)) for name in save_thresholds.KEYS}
    told = {name: share for name, share in given.items() if share is not None}
    wanted = replace(Thresholds.of(visit.review.settings), **told)
    return _changed(
        request,
        visit,
        "saved",
        given,
        lambda: save_thresholds.save(visit.review, visit.person, wanted),
    )


def _put_back(request: Request, visit: Visit, _form: FormData) -> Response:
    return _changed(
        request, visit, "back", {}, lambda: save_thresholds.put_back(visit.review, visit.person)
    )


def _changed(
    request: Request, visit: Visit, what: str, given: Mapping[str, float | None],
    change: Callable[[], object],
) -> Response:  # fmt: skip
    try:
        change()
    except PermissionError as error:
        raise Problem(403, "Not allowed", str(error)) from None
    except CannotChangeError as error:
        return _library_page(request, visit, given, refused=str(error), status=409)
    except UsageError as error:
        return _library_page(request, visit, given, refused=str(error), status=400)
    return go(request, f"/library?done={what}#what-if")


def _in_order(relation: str) -> int:
    """The same colour for a relation, whatever else is there."""
    return _RELATIONS.index(relation) if relation in _RELATIONS else len(_RELATIONS)


def _share(told: str | None) -> float | None:
    """Percent, as people write it."""
    try:
        number = float((told or "").strip().rstrip("%").replace(",", "."))
    except ValueError:
        return None
    return round(min(1.0, max(0.0, number / 100)), 6) if number == number else None  # noqa: PLR0124  (nan)


def _span(view: LibraryView) -> tuple[float, float]:
    bars = view.histogram
    return (bars[0].low, bars[-1].high) if bars else (0.0, 1.0)


def _rows(view: LibraryView, relations: Sequence[str]) -> list[list[int]]:
    rows = []
    for bar in view.histogram:
        counts = {each.name: each.count for each in bar.counts}
        rows.append([counts.get(name, 0) for name in relations])
    return rows


# Work in progress ----------------------------------------------------------------------------


def _work(request: Request, visit: Visit) -> Response:
    view = progress.now(visit.review, visit.person)
    said = None
    retried = number_of(request.query_params.get("retried"))
    if retried is not None:
        said = Notice(
            ngettext("Trying %(num)s document again.", "Trying %(num)s documents again.", retried)
        )
    elif request.query_params.get("started"):
        said = Notice(_("The first sync has started."))
    return page(
        request, visit, "work.html", "work", view=view, said=said, trouble="",
        open_entries=progress.to_review(visit.review, visit.person),
    )  # fmt: skip


def _work_now(request: Request, visit: Visit) -> Response:
    """The part of the page that changes; the script asks for it when an event comes."""
    view = progress.now(visit.review, visit.person)
    return rendered(
        request, "progress.html", view=view, csrf=visit.csrf,
        open_entries=progress.to_review(visit.review, visit.person),
    )  # fmt: skip


def _retry(request: Request, visit: Visit, form: FormData) -> Response:
    id = number_of(text_of(form, "id"))
    try:
        count = progress.retry(visit.review, visit.person, None if id is None else [id])
    except PermissionError as error:
        raise Problem(403, "Not allowed", str(error)) from None
    return go(request, f"/work?retried={count}")


# First steps ---------------------------------------------------------------------------------


def _first_run(request: Request, visit: Visit) -> Response:
    found = first_run.look(visit.review, visit.person)
    labels = first_run.labels(visit.review) if found.synced and found.may_start else None
    return page(request, visit, "first_run.html", "", first=found, labels=labels)


def _write_all(request: Request, visit: Visit, _form: FormData) -> Response:
    try:
        first_run.write_all(visit.review, visit.person)
    except PermissionError as error:
        raise Problem(403, "Not allowed", str(error)) from None
    return go(request, "/first-run")


def _start(request: Request, visit: Visit, _form: FormData) -> Response:
    try:
        first_run.start(visit.review, visit.person)
    except PermissionError as error:
        raise Problem(403, "Not allowed", str(error)) from None
    return go(request, "/work?started=1")
