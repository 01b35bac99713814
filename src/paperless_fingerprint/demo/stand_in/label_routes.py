"""Paths of tags, correspondents, document types and custom fields."""

from __future__ import annotations

import re
from functools import partial

from paperless_fingerprint.demo.stand_in import fields, labels
from paperless_fingerprint.demo.stand_in.answers import Answer, no_permission
from paperless_fingerprint.demo.stand_in.people import may_change
from paperless_fingerprint.demo.stand_in.routing import Request, route

_KINDS = {
    "tags": "tag", "correspondents": "correspondent", "document_types": "documenttype",
    "storage_paths": "storagepath",
}  # fmt: skip


@route(r"(tags|correspondents|document_types|storage_paths)/", "GET", "POST")
def _labels(request: Request, match: re.Match[str]) -> Answer:
    library, kind, user = request.library, match[1], request.user
    request.need(_KINDS[kind])
    if request.method == "POST":
        label = labels.create_label(library, kind, user, request.json())
        return Answer(201, labels.show_label(library, kind, label, user))
    return Answer(body=labels.list_labels(request, kind))


@route(r"(tags|correspondents|document_types|storage_paths)/(\d+)/", "GET", "PATCH", "DELETE")
def _label(request: Request, match: re.Match[str]) -> Answer:
    library, kind, user = request.library, match[1], request.user
    request.need(_KINDS[kind])
    label = labels.label_of(library, kind, int(match[2]), user)
    if request.method != "GET" and not may_change(user, label):
        raise no_permission()
    if request.method == "DELETE":
        labels.delete_label(library, kind, label.id)
        return Answer(204, text="", content_type="")
    if request.method == "PATCH":
        labels.change_label(library, kind, label, request.json())
    counts, full = labels.counts_of(library, kind), request.full_perms()
    shown = labels.show_label(library, kind, label, user, counts=counts, full_perms=full)
    return Answer(body=shown)


@route(r"custom_fields/", "GET", "POST")
def _fields(request: Request, _match: re.Match[str]) -> Answer:
    library = request.library
    request.need("customfield")
    if request.method == "POST":
        field = fields.create_field(library, request.json())
        return Answer(201, fields.show_field(library, field, counted=False))
    found = sorted(library.fields.values(), key=lambda field: field.name.lower())
    wanted = request.query.get("name__iexact", "").lower()
    if wanted:
        found = [field for field in found if field.name.lower() == wanted]
    show = partial(fields.show_field, library)
    return Answer(body=request.page(found, show, lambda field: field.id))


@route(r"custom_fields/(\d+)/", "GET", "PATCH", "DELETE")
def _field(request: Request, match: re.Match[str]) -> Answer:
    request.need("customfield")
    library = request.library
    field = fields.custom_field(library, int(match[1]))
    if request.method == "DELETE":
        fields.delete_field(library, field.id)
        return Answer(204, text="", content_type="")
    if request.method == "PATCH":
        told = request.json()
        field.name = told.get("name", field.name)
        field.data_type = told.get("data_type", field.data_type)
    return Answer(body=fields.show_field(library, field))
