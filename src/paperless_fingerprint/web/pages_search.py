"""Search, and what lies around one document."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.routing import Route

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.library.search import Look
from paperless_fingerprint.query.language import QueryError
from paperless_fingerprint.query.passages import Passage, Piece
from paperless_fingerprint.query.searcher import Scope, SearchTooLongError
from paperless_fingerprint.review import neighbourhood
from paperless_fingerprint.review.views import Card
from paperless_fingerprint.review.visible import Unknown
from paperless_fingerprint.web import pictures
from paperless_fingerprint.web.pages import page, shown
from paperless_fingerprint.web.rendering import query_string, words
from paperless_fingerprint.web.sign_in import Visit

_PER_PAGE = 10
_SORTS = ("best", "containment", "jaccard", "within", "created", "added", "pages", "id")
_HELPS = (
    ("invoice march", "words"),
    ("invoice AND (march OR april) -reminder", "or"),
    ("title:contract created:[2023 TO 2024]", "field"),
    ('"flat rate" tag:tax', "phrase"),
    ("Rech*ng", "pattern"),
    ("FINGERPRINT:12", "fingerprint"),
    ("FINGERPRINT:12_20", "fingerprint_share"),
    ("FINGERPRINT:12_20_80", "fingerprint_fast"),
    ("SIMILAR:12_60", "similar"),
    ("WITHIN:12_90", "within"),
)


def routes() -> Sequence[Route]:
    return [
        Route("/search", shown(_search), methods=["GET"]),
        Route("/documents/{id:int}", shown(_document), methods=["GET"]),
    ]


@dataclass(frozen=True, slots=True)
class Help:
    example: str
    #: Where the example is tried.
    address: str
    meaning: str


def _helps() -> tuple[Help, ...]:
    t = words()
    return tuple(
        Help(example, query_string({"q": example}), t(f"help.{key}")) for example, key in _HELPS
    )


def _sorts() -> tuple[tuple[str, str], ...]:
    return tuple((name, words()(f"sort.{name}")) for name in _SORTS)


@dataclass(frozen=True, slots=True)
class QueryProblem:
    reason: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A hit with what the library knows of the document, and its other versions."""

    id: int
    title: str
    address: str
    is_latest: bool
    jaccard: float | None
    containment: float | None
    reverse_containment: float | None
    correspondent: str | None
    document_type: str | None
    created: str | None
    versions: tuple[Card, ...]
    #: The page that compares it: with the source of the query, or with what it belongs to.
    here: str
    title_pieces: tuple[Piece, ...]
    passages: tuple[Passage, ...]


def _search(http: HttpRequest, visit: Visit) -> Response:
    from paperless_fingerprint.library.search import Request

    given = dict(http.query_params)
    q = given.get("q", "").strip()
    sort = given.get("sort", "best")
    sort = sort if sort in _SORTS else "best"
    history, verify_all, explain = (bool(given.get(name)) for name in ("history", "all", "explain"))
    values: dict[str, Any] = {
        "q": q, "sort": sort, "sorts": _sorts(), "history": history, "verify_all": verify_all,
        "explain": explain, "helps": _helps(), "given": given, "answer": None, "hits": (),
        "plan": None, "problem": None, "offers": (),
    }  # fmt: skip
    status = 200
    if q:
        request = Request(
            q, Scope(visit.person.asker, history), limit=_PER_PAGE, after=given.get("after", ""),
            sort=sort, verify_all=verify_all,
        )  # fmt: skip
        try:
            look = visit.look(request)
            values["answer"], values["offers"] = look.answer, look.offers
            values["hits"] = _shown(visit, look)
            if explain:
                values["plan"] = _plan(visit, visit.explain(request))
        except QueryError as error:
            status, values["problem"] = 400, QueryProblem(error.reason, error.position)
        except SearchTooLongError as error:
            status, values["problem"] = 503, QueryProblem(str(error))
        except UsageError as error:
            status, values["problem"] = 400, QueryProblem(str(error))
    return page(http, visit, "search.html", "search", status, **values)


def _shown(visit: Visit, look: Look) -> list[ShownHit]:
    hits = look.answer.hits
    ids = [hit.id for hit in hits]
    chains = visit.review.mirror.chains_of(visit.person, ids)
    wanted = {*ids, *(id for chain in chains.values() for id in chain)}
    cards = visit.review.mirror.cards(visit.person, wanted)
    found = []
    for hit in hits:
        card = cards.get(hit.id)
        told = look.shown.get(hit.id)
        others = [cards[id] for id in chains.get(hit.id, ()) if id != hit.id and id in cards]
        found.append(
            ShownHit(
                hit.id, hit.title, visit.review.mirror.address_of(hit.id), hit.is_latest,
                hit.jaccard, hit.containment, hit.reverse_containment,
                card.correspondent if card else None,
                card.document_type if card else None,
                card.created if card else None,
                tuple(others),
                _compared(hit.id, told.source if told else None),
                told.title if told else (Piece(hit.title, False),),
                (*told.shared, *told.found) if told else (),
            )
        )  # fmt: skip
    return found


def _compared(id: int, source: int | None) -> str:
    if source is None or source == id:
        return f"/compare/{id}"
    return f"/review/p{min(id, source)}-{max(id, source)}"


def _plan(visit: Visit, plan: Mapping[str, Any]) -> str:
    """The request to the store holds ids and words of documents that the asker may not view."""
    told = {k: v for k, v in plan.items() if k != "request" or visit.person.superuser}
    return json.dumps(told, indent=2, ensure_ascii=False, default=str)[:20_000]


# A document and what lies around it ---------------------------------------------------------


def _document(http: HttpRequest, visit: Visit) -> Response:
    id = http.path_params["id"]
    centre = visit.review.mirror.cards(visit.person, [id]).get(id)
    if centre is None:
        raise Unknown(_("There is no document %(id)s that you are allowed to see.", id=id))
    wide = bool(http.query_params.get("wide"))
    around = neighbourhood.around(visit.review, visit.person, id, wide=wide)
    return page(
        http, visit, "around.html", "",
        centre=centre, around=around, wide=wide,
        graph=pictures.graph(around.nodes, around.edges),
        nearby=_nearby(around),
        steps=neighbourhood.versions(visit.review, visit.person, id),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Nearby:
    node: neighbourhood.Node
    #: By which it hangs from what it was found through.
    edge: neighbourhood.Edge


def _nearby(around: neighbourhood.Neighbourhood) -> list[Nearby]:
    """The nearest first; of those that are no nearer, in the order of the picture."""
    edges = {frozenset((edge.a, edge.b)): edge for edge in around.edges}
    found = [
        Nearby(node, edges[frozenset((node.id, node.via))])
        for node in around.nodes
        if node.via is not None
    ]
    return sorted(found, key=lambda each: (each.node.depth, each.edge.distance or 0.0))
