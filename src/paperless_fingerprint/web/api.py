"""Everything that the page can do, for other programs: the table of what /api answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from starlette.responses import Response

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.library.thresholds import Thresholds
from paperless_fingerprint.model import STORED_RELATIONS
from paperless_fingerprint.review import (
    decide,
    decide_many,
    first_run,
    library_view,
    neighbourhood,
    pair,
    preview,
    progress,
    queue,
    save_thresholds,
)
from paperless_fingerprint.review.orders import DecisionOrder
from paperless_fingerprint.review.preview import Preview
from paperless_fingerprint.review.sorting import SORTS
from paperless_fingerprint.review.views_queue import STATES, Filters, Item, Queue, QueueNeighbours
from paperless_fingerprint.web import api_uncompared, resolve_api
from paperless_fingerprint.web.metrics import Metrics
from paperless_fingerprint.web.operations import (
    ApiOperation,
    Call,
    Parameter,
    id_parameter,
    json_response,
)
from paperless_fingerprint.web.problems import Problem
from paperless_fingerprint.web.sign_in import Visit


@dataclass(frozen=True, slots=True)
class Credentials:
    """Name and password of Paperless (and a code, where a second factor is asked for), or a token."""

    username: str = ""
    password: str = ""
    code: str = ""
    token: str = ""


@dataclass(frozen=True, slots=True)
class Whoami:
    name: str
    superuser: bool
    may_decide: bool
    #: For the header X-CSRF-Token; empty for programs that send a token.
    csrf: str
    open: bool


@dataclass(frozen=True, slots=True)
class Orders:
    orders: tuple[DecisionOrder, ...]


@dataclass(frozen=True, slots=True)
class Undo:
    #: The act to take back; null is the last of whoever asks.
    number: int | None = None


@dataclass(frozen=True, slots=True)
class ManyDecided:
    #: Of the first act; what GET /api/review/batches/{number} and undo take.
    number: int
    items: int


@dataclass(frozen=True, slots=True)
class WantedThresholds:
    """From 0 to 1; what is null or left out stays as it is."""

    similarity: float | None = None
    near: float | None = None
    version: float | None = None


@dataclass(frozen=True, slots=True)
class Retry:
    #: Documents; null is all that failed.
    ids: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Counted:
    count: int


def _text(name: str, description: str, **schema: Any) -> Parameter:
    return Parameter(name, description, {"type": "string", "default": "", **schema})


def _count(name: str, description: str, low: int, high: int, default: int) -> Parameter:
    schema = {"type": "integer", "minimum": low, "maximum": high, "default": default}
    return Parameter(name, description, schema)


def _share(name: str, description: str) -> Parameter:
    return Parameter(name, description, {"type": "number", "minimum": 0, "maximum": 1})


_RELATIONS = ["", *sorted(relation.value for relation in STORED_RELATIONS)]
_DAY = {"pattern": r"^(\d{4}-\d\d-\d\d)?$", "maxLength": 10}
_FILTERS = (
    _text("relation", "Only this relation.", enum=_RELATIONS),
    _text("correspondent", "Only where a document has this correspondent.", maxLength=200),
    _text("document_type", "Only where a document has this type.", maxLength=200),
    _text("since", "Only where a document was created on this day or later.", **_DAY),
    _text("until", "Only where a document was created on this day or earlier.", **_DAY),
    _text("tag", "Only where a document has this tag.", maxLength=200),
    _text("text", "Only where each of these words stands in a title, or in the name of a "
          "correspondent, type or tag.", maxLength=300),
    Parameter("confidence_from", "Only this sure or surer.",
              {"type": "number", "minimum": 0, "maximum": 1, "default": 0.0}),
    Parameter("confidence_to", "Only this sure or less.",
              {"type": "number", "minimum": 0, "maximum": 1, "default": 1.0}),
    Parameter("sort", "In which order: how sure (surest or least sure first), when the latest "
              "document was added, how many documents, what could be freed, or the title.",
              {"type": "string", "enum": list(SORTS), "default": "sure"}),
    Parameter("state", "Only this state; empty is all of them.",
              {"type": "string", "enum": ["", *STATES], "default": "open"}),
)  # fmt: skip
_PAGE = (
    _count("page", "Which page.", 1, 1_000_000, 1),
    _count("per_page", "Items on a page.", 1, queue.MOST_PER_PAGE, 15),
)
_ITEM = Parameter(
    "item", "'g12', 'v12' or 'p12-40'.",
    {"type": "string", "pattern": r"^([gv][0-9]{1,10}|p[0-9]{1,10}-[0-9]{1,10})$"}, True, "path",
)  # fmt: skip
_CONFLICT = {
    409: "Someone else has already decided this, or the documents have changed; `conflicts` says what."
}

_NOT_CHANGEABLE = {409: "The settings file cannot be changed from here; `detail` says why."}


def _filters(values: Any) -> Filters:
    return Filters(**values)


# --- session ------------------------------------------------------------------------------------


def _whoami(call: Call) -> Whoami:
    return _described(call.signed_in, is_open=call.visits.is_open)


def _described(visit: Visit, *, is_open: bool) -> Whoami:
    person = visit.person
    return Whoami(person.name, person.superuser, person.may_decide, visit.csrf, is_open)


def _sign_in(call: Call) -> Response:
    told: Credentials = call.body
    session = call.visits.sign_in(call.request, **asdict(told))
    person = call.visits.persons.of(session.token)
    found = Whoami(
        person.name, person.superuser, person.may_decide, session.csrf, call.visits.is_open
    )
    response = json_response(found)
    call.visits.put_cookie(call.request, response, session)
    return response


def _sign_out(call: Call) -> Response:
    response = Response(status_code=204)
    call.visits.sign_out(call.request, response)
    return response


# --- review -------------------------------------------------------------------------------------


def _queue(call: Call) -> Queue:
    visit = call.signed_in
    return queue.listed(visit.review, visit.person, _filters(call.values))


def _item(call: Call) -> Item:
    visit = call.signed_in
    return queue.item(visit.review, visit.person, call.values["item"])


def _neighbours(call: Call) -> QueueNeighbours:
    visit = call.signed_in
    values = dict(call.values)
    return queue.neighbours(visit.review, visit.person, values.pop("item"), _filters(values))


def _pair(call: Call) -> pair.PairView:
    visit = call.signed_in
    return pair.side_by_side(visit.review, visit.person, call.values["a"], call.values["b"])


def _decide(metrics: Metrics, call: Call) -> decide.DecisionOutcome:
    visit, told = call.signed_in, call.body
    outcome = decide.decide(visit.review, visit.person, told.orders, changeable=visit.changeable)
    return _told(metrics, outcome)


def _undo(metrics: Metrics, call: Call) -> decide.DecisionOutcome:
    visit = call.signed_in
    outcome = decide.undo(visit.review, visit.person, call.body.number, changeable=visit.changeable)
    return _told(metrics, outcome)


def _told(metrics: Metrics, outcome: decide.DecisionOutcome) -> decide.DecisionOutcome:
    for act in outcome.acts:
        metrics.decided(act.verdict, act.state)
    if outcome.conflicts:
        for conflict in outcome.conflicts:
            metrics.decided(conflict.order.verdict, "conflict")
        raise Problem(
            409, "Someone else has already decided this", outcome.conflicts[0].happened,
            conflicts=[asdict(conflict) for conflict in outcome.conflicts],
        )  # fmt: skip
    return outcome


def _preview(call: Call) -> Preview:
    visit = call.signed_in
    return decide.preview(visit.review, visit.person, call.body.orders)


def _preview_many(call: Call) -> decide_many.ManyDecisionPreview:
    visit = call.signed_in
    return decide_many.look(visit.review, visit.person, call.body)


def _decide_many(metrics: Metrics, call: Call) -> ManyDecided:
    visit = call.signed_in
    outcome = decide_many.decide_many(
        visit.review, visit.person, call.body, changeable=visit.changeable
    )
    if outcome is None:
        raise Problem(
            409, "Changed", "The list has changed since the preview; nothing was decided."
        )
    acts = _told(metrics, outcome).acts
    return ManyDecided(acts[0].number, len(acts))


def _acts(call: Call) -> tuple[decide.ActView, ...]:
    visit = call.signed_in
    return decide.acts(
        visit.review, visit.person, limit=call.values["limit"], before=call.values["before"] or None
    )


# --- documents, library, work -------------------------------------------------------------------


def _around(call: Call) -> neighbourhood.Neighbourhood:
    visit, values = call.signed_in, call.values
    return neighbourhood.around(visit.review, visit.person, values["id"], wide=values["wide"])


def _versions(call: Call) -> tuple[neighbourhood.Step, ...]:
    visit = call.signed_in
    return neighbourhood.versions(visit.review, visit.person, call.values["id"])


def _library(call: Call) -> library_view.LibraryView:
    visit = call.signed_in
    return library_view.view(visit.review, visit.person)


def _thresholds(call: Call) -> library_view.ThresholdPreview:
    visit = call.signed_in
    return library_view.preview(visit.review, visit.person, **call.values)


def _save_thresholds(call: Call) -> save_thresholds.ThresholdState:
    visit, told = call.signed_in, call.body
    now = Thresholds.of(visit.review.settings)
    given = {name: value for name, value in asdict(told).items() if value is not None}
    return save_thresholds.save(visit.review, visit.person, replace(now, **given))


def _put_thresholds_back(call: Call) -> save_thresholds.ThresholdState:
    visit = call.signed_in
    return save_thresholds.put_back(visit.review, visit.person)


def _progress(call: Call) -> progress.ProgressView:
    visit = call.signed_in
    return progress.now(visit.review, visit.person)


def _retry(call: Call) -> Counted:
    visit, ids = call.signed_in, call.body.ids
    if ids is not None and len(ids) > 1000:
        raise UsageError("At most 1,000 documents can be named.")
    return Counted(progress.retry(visit.review, visit.person, None if ids is None else list(ids)))


def _first_run(call: Call) -> first_run.FirstRun:
    visit = call.signed_in
    return first_run.look(visit.review, visit.person)


def _start(call: Call) -> Response:
    visit = call.signed_in
    first_run.start(visit.review, visit.person)
    return Response(status_code=204)


def _labels(call: Call) -> preview.LabelsView:
    if not call.signed_in.person.superuser:
        raise PermissionError("Only a superuser of Paperless sees what is written about all.")
    return first_run.labels(call.signed_in.review)


def _write_all(call: Call) -> Response:
    first_run.write_all(call.signed_in.review, call.signed_in.person)
    return Response(status_code=204)


def operations(metrics: Metrics) -> Sequence[ApiOperation]:
    return (
        ApiOperation("GET", "/api/session", "Who asks.", _whoami, Whoami),
        ApiOperation("POST", "/api/session", "Sign in with an account or a token of Paperless.",
                  _sign_in, Whoami, body=Credentials, private=False,
                  statuses={401: "Paperless did not sign this person in.",
                            403: "Sent from another site.", 429: "Tried too often."}),
        ApiOperation("DELETE", "/api/session", "Sign out.", _sign_out, status=204),
        ApiOperation("GET", "/api/review", "What there is to decide about, surest first.",
                  _queue, Queue, (*_FILTERS, *_PAGE)),
        ApiOperation("GET", "/api/review/acts", "What was decided, the latest first.",
                  _acts, tuple[decide.ActView, ...],
                  (_count("limit", "How many.", 1, 500, 50),
                   _count("before", "Only acts with a lower number; 0 is none.", 0, 2**31 - 1, 0))),
        ApiOperation("POST", "/api/review/decide", "Decide; all of it or nothing.",
                  lambda call: _decide(metrics, call), decide.DecisionOutcome, body=Orders, statuses=_CONFLICT),
        *resolve_api.operations(partial(_told, metrics)),
        ApiOperation("POST", "/api/review/preview", "What Paperless would be told.",
                  _preview, Preview, body=Orders),
        ApiOperation("POST", "/api/review/decide-many/preview",
                  "What would be decided about all that match, and what Paperless would be told of "
                  "the first of it.",
                  _preview_many, decide_many.ManyDecisionPreview, body=decide_many.ManyDecision),
        ApiOperation("POST", "/api/review/decide-many",
                  "Decide the same about all that match; all of it or nothing.",
                  lambda call: _decide_many(metrics, call), ManyDecided,
                  body=decide_many.ManyDecision, statuses=_CONFLICT),
        ApiOperation("POST", "/api/review/undo", "Take back an act, or the last one.",
                  lambda call: _undo(metrics, call), decide.DecisionOutcome, body=Undo, statuses=_CONFLICT),
        ApiOperation("GET", "/api/review/{item}", "One item.", _item, Item, (_ITEM,)),
        ApiOperation("GET", "/api/review/{item}/neighbours", "What stands before and after it.",
                  _neighbours, QueueNeighbours, (_ITEM, *_FILTERS)),
        ApiOperation("GET", "/api/pairs/{a}/{b}", "Two documents side by side.", _pair, pair.PairView,
                  (id_parameter("a", "One document."), id_parameter("b", "The other."))),
        ApiOperation("GET", "/api/documents/{id}/neighbourhood", "The distance graph around it.",
                  _around, neighbourhood.Neighbourhood,
                  (id_parameter(),
                   Parameter("wide", "Also what only shares some text; takes longer.",
                             {"type": "boolean", "default": False}))),
        ApiOperation("GET", "/api/documents/{id}/versions", "Its versions, oldest first.",
                  _versions, tuple[neighbourhood.Step, ...], (id_parameter(),)),
        ApiOperation("GET", "/api/library", "The library in figures.", _library, library_view.LibraryView),
        ApiOperation("GET", "/api/library/thresholds", "What other thresholds would change.",
                  _thresholds, library_view.ThresholdPreview,
                  (_share("similarity", "similarity_threshold"), _share("near", "[near] threshold"),
                   _share("version", "[version] threshold"))),
        ApiOperation("PUT", "/api/library/thresholds",
                  "Save other thresholds in the settings file, and go by them from now on.",
                  _save_thresholds, save_thresholds.ThresholdState, body=WantedThresholds,
                  statuses=_NOT_CHANGEABLE),
        ApiOperation("POST", "/api/library/thresholds/undo",
                  "Put back the thresholds from before somebody saved others.",
                  _put_thresholds_back, save_thresholds.ThresholdState, statuses=_NOT_CHANGEABLE),
        ApiOperation("GET", "/api/progress", "What is being done now.", _progress, progress.ProgressView),
        ApiOperation("POST", "/api/progress/retry", "Try failures again now.", _retry, Counted,
                  body=Retry),
        ApiOperation("GET", "/api/first-run", "Whether all is connected.", _first_run, first_run.FirstRun),
        ApiOperation("POST", "/api/first-run/sync", "Sync now, also for the first time.", _start,
                  status=204),
        ApiOperation("GET", "/api/labels", "What is written to Paperless, and what would be if all "
                  "were.", _labels, preview.LabelsView),
        ApiOperation("POST", "/api/labels", "Write about the whole library to Paperless, and keep it "
                  "right.", _write_all, status=204),
        *api_uncompared.operations(),
    )  # fmt: skip
