"""Paths of uploads, of documents and of versions, and of the tasks that consume them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from paperless_fingerprint.demo.stand_in.answers import Answer, invalid, refused
from paperless_fingerprint.demo.stand_in.documents import document
from paperless_fingerprint.demo.stand_in.routing import Request, read_form, route


@route(r"documents/post_document/", "POST")
def _upload(request: Request, _match: re.Match[str]) -> Answer:
    request.need("document")
    form, files = read_form(request)
    if "document" not in files:
        raise invalid(document="No file was submitted.")
    name, mime_type, data = files["document"]
    more: dict[str, Any] = {}
    for key in ("title", "created"):
        if form.get(key):
            more[key] = form[key][0]
    for key in ("correspondent", "document_type", "archive_serial_number"):
        if form.get(key):
            more[key] = int(form[key][0])
    if form.get("tags"):
        more["tags"] = [int(tag) for tag in form["tags"]]
    owner = request.user.id
    task = request.consumption.upload(name, data, owner=owner, mime_type=mime_type, **more)
    return Answer(body=task)


@route(r"documents/(\d+)/update_version/", "POST")
def _upload_version(request: Request, match: re.Match[str]) -> Answer:
    request.need("document", "change")
    if request.library.major < 3:
        raise refused(404, "Not found.")
    row = document(request, int(match[1]))
    form, files = read_form(request)
    if "document" not in files:
        raise invalid(document="No file was submitted.")
    name, mime_type, data = files["document"]
    labels = form.get("version_label")
    label = labels[0] if labels else None
    task = request.consumption.upload(
        name, data, owner=row.owner, mime_type=mime_type, root=row.id, version_label=label
    )
    return Answer(body=task)


@route(r"tasks/", "GET")
def _tasks(request: Request, _match: re.Match[str]) -> Answer:
    request.need("paperlesstask")
    wanted = request.query.get("task_id")
    tasks = [t for t in request.library.tasks if wanted in {None, "", t["task_id"]}]
    if request.api_version < 10:
        return Answer(body=[_old_task(task) for task in tasks])
    return Answer(body=request.page(tasks, dict))


def _old_task(task: Mapping[str, Any]) -> dict[str, Any]:
    """Before version 10, tasks come as a bare list, and with other names."""
    related = task["related_document_ids"]
    return {
        "id": task["id"],
        "task_id": task["task_id"],
        "task_name": task["task_type"],
        "task_file_name": task["input_data"]["filename"],
        "date_created": task["date_created"],
        "date_done": task["date_done"],
        "type": "auto_task",
        "status": task["status"].upper(),
        "result": json.dumps(task["result_data"]) if task["result_data"] else None,
        "acknowledged": task["acknowledged"],
        "related_document": str(related[0]) if related else None,
        "owner": task["owner"],
    }
