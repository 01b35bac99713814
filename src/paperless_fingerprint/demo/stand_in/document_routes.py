"""Paths of documents: lists, one document, its files and notes, bulk edits, the trash."""

from __future__ import annotations

import re
from dataclasses import replace

from paperless_fingerprint.demo.stand_in import documents
from paperless_fingerprint.demo.stand_in.answers import (
    Answer,
    insufficient,
    no_permission,
    not_found,
)
from paperless_fingerprint.demo.stand_in.bulk import bulk_edit
from paperless_fingerprint.demo.stand_in.people import may_change, may_delete, may_view
from paperless_fingerprint.demo.stand_in.pictures import thumbnail
from paperless_fingerprint.demo.stand_in.routing import Request, route


@route(r"documents/", "GET")
def _documents(request: Request, _match: re.Match[str]) -> Answer:
    request.need("document")
    return Answer(body=documents.list_documents(request, request.library.documents))


@route(r"documents/(\d+)/", "GET", "PATCH", "DELETE")
def _document(request: Request, match: re.Match[str]) -> Answer:
    request.need("document")
    row = documents.document(request, int(match[1]))
    if request.method == "GET":
        return Answer(body=documents.show_document(request, row, detail=True))
    may = may_delete if request.method == "DELETE" else may_change
    if not may(request.user, row):
        raise no_permission()
    if request.method == "DELETE":
        documents.trash_document(request.library, row)
        return Answer(204, text="", content_type="")
    return Answer(body=documents.change_document(request, row))


@route(r"documents/(\d+)/root/", "GET")
def _root(request: Request, match: re.Match[str]) -> Answer:
    request.need("document")
    return Answer(body=documents.root_of(request, int(match[1])))


@route(r"documents/(\d+)/metadata/", "GET")
def _metadata(request: Request, match: re.Match[str]) -> Answer:
    request.need("document")
    row = documents.file_row(request, int(match[1]))
    return Answer(body=documents.show_metadata(row))


@route(r"documents/(\d+)/(?:download|preview)/", "GET")
def _file(request: Request, match: re.Match[str]) -> Answer:
    request.need("document")
    row = documents.file_row(request, int(match[1]))
    if request.query.get("original", "").lower() == "true":
        return Answer(data=row.file(), content_type=row.mime_type)
    data, kind = row.shown_file()
    return Answer(data=data, content_type=kind)


@route(r"documents/(\d+)/thumb/", "GET")
def _thumbnail(request: Request, match: re.Match[str]) -> Answer:
    request.need("document")
    row = documents.file_row(request, int(match[1]))
    return Answer(data=thumbnail(row.content, row.page_count), content_type="image/png")


@route(r"documents/(\d+)/notes/", "GET", "POST", "DELETE")
def _notes(request: Request, match: re.Match[str]) -> Answer:
    request.need("note")
    row = request.library.documents.get(int(match[1]))
    if row is None:
        raise not_found()
    allowed = may_view if request.method == "GET" else may_change
    if not allowed(request.user, row):
        raise insufficient()
    if request.method == "POST":
        documents.add_note(request.library, row, request.user, request.json())
    elif request.method == "DELETE":
        documents.delete_note(request.library, row, request.query.get("id", ""))
    return Answer(body=row.notes)


@route(r"documents/bulk_edit/", "POST")
def _bulk_edit(request: Request, _match: re.Match[str]) -> Answer:
    request.need("document", "change")
    return Answer(body=bulk_edit(request.library, request.user, request.json()))


@route(r"trash/", "GET", "POST")
def _trash(request: Request, _match: re.Match[str]) -> Answer:
    library = request.library
    if request.method == "POST":
        return Answer(body=documents.change_trash(library, request.user, request.json()))
    request.need("document")
    # The trash knows no filters at all.
    query = {n: v for n, v in request.query.items() if n in {"page", "page_size"}}
    return Answer(body=documents.list_documents(replace(request, query=query), library.trash))
