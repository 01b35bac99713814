"""/api/uncompared: what could not be compared, and having its text recognised again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import Response

from paperless_fingerprint.review import uncompared
from paperless_fingerprint.web.operations import ApiOperation, Call, Parameter


@dataclass(frozen=True, slots=True)
class Documents:
    ids: tuple[int, ...]


_FILTERS = (
    Parameter("reason", "Only those that could not be compared for this reason.",
              {"type": "string", "enum": ["", *uncompared.REASONS], "default": ""}),
    Parameter("text", "Only with these words in the title or the file's name.",
              {"type": "string", "maxLength": 200, "default": ""}),
)  # fmt: skip
_PAGE = (
    Parameter("page", "Which page.",
              {"type": "integer", "minimum": 1, "maximum": 1_000_000, "default": 1}),
    Parameter("per_page", "Documents on a page.",
              {"type": "integer", "minimum": 1, "maximum": uncompared.MOST_PER_PAGE, "default": 50}),
)  # fmt: skip


def operations() -> Sequence[ApiOperation]:
    return (
        ApiOperation("GET", "/api/uncompared", "What could not be compared, and why.",
                  _listed, uncompared.UncomparedList, (*_FILTERS, *_PAGE)),
        ApiOperation("GET", "/api/uncompared.csv", "The whole list, for a spreadsheet.",
                  _as_csv, None, _FILTERS, media="text/csv"),
        ApiOperation("POST", "/api/uncompared/reprocess",
                  "Have Paperless recognise the text of these documents again.",
                  _reprocess, uncompared.Reprocessed, body=Documents),
    )  # fmt: skip


def _listed(call: Call) -> uncompared.UncomparedList:
    visit = call.signed_in
    return uncompared.listed(visit.review, visit.person, **call.values)


def _as_csv(call: Call) -> Response:
    visit = call.signed_in
    found = uncompared.listed(visit.review, visit.person, **call.values, per_page=10**9)
    return Response(
        uncompared.as_csv(found.documents),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="not-compared.csv"'},
    )


def _reprocess(call: Call) -> uncompared.Reprocessed:
    visit = call.signed_in
    return uncompared.reprocess(visit.review, visit.person, visit.paperless, call.body.ids)
