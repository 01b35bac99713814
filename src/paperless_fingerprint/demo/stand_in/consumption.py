"""What happens to an upload: a worker takes it in, then runs the post-consume hook and waits for it.

The hook gets what Paperless gives it: its environment (and eight arguments in version 2), pipes
for stdout and stderr that are read to their end, so that a child left in the background with an
inherited descriptor blocks consumption here as it does there.
"""

from __future__ import annotations

import os
import queue
import subprocess
import threading
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from paperless_fingerprint.demo.stand_in.library import Library, Row

_HOOK_LIMIT_SECONDS = 1800.0


@dataclass(slots=True)
class Upload:
    task: dict[str, Any]
    file_name: str
    mime_type: str
    data: bytes
    #: Set where a new version of a document is uploaded.
    root: int | None = None
    #: Title, tags and so on, as the form gave them.
    more: dict[str, Any] = field(default_factory=dict)


class Consumption:
    def __init__(
        self,
        library: Library,
        *,
        hook: Path | str | None = None,
        environment: Mapping[str, str] | None = None,
        workers: int = 1,
    ) -> None:
        self.library = library
        self.hook = hook
        #: What the worker's own environment adds for the hook; the settings of the hook, usually.
        self.environment = dict(environment or {})
        #: As Paperless does where it is told to.
        self.refuse_duplicates = False
        #: What hooks wrote, as it would land in Paperless's log: (document id, stdout, stderr).
        self.log: list[tuple[int, str, str]] = []
        self._queue: queue.Queue[Upload | None] = queue.Queue()
        self._threads = [
            threading.Thread(target=self._work, name=f"consumer-{number}", daemon=True)
            for number in range(workers)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()

    def wait(self) -> None:
        """Until everything that was uploaded has been consumed, hooks included."""
        self._queue.join()

    def upload(
        self,
        file_name: str,
        data: bytes,
        *,
        owner: int | None,
        mime_type: str = "text/plain",
        root: int | None = None,
        **more: Any,
    ) -> str:
        """The task's id. The document exists once the task says so."""
        library = self.library
        title = {"title": more["title"]} if more.get("title") else {}
        overrides = {"filename": file_name, **title, "owner_id": owner}
        with library.lock:
            task: dict[str, Any] = {
                "id": library.number("task"),
                "task_id": str(uuid.uuid4()),
                "task_type": "consume_file",
                "task_type_display": "Consume File",
                "trigger_source": "api_upload",
                "trigger_source_display": "API Upload",
                "status": "pending",
                "status_display": "Pending",
                "date_created": library.now_text(),
                "date_started": None,
                "date_done": None,
                "duration_seconds": None,
                "wait_time_seconds": None,
                "input_data": {
                    "filename": file_name,
                    "mime_type": mime_type,
                    "overrides": {**overrides, "skip_asn_if_exists": False},
                },
                "result_data": None,
                "related_document_ids": [],
                "acknowledged": False,
                "owner": owner,
            }
            library.tasks.append(task)
        self._queue.put(Upload(task, file_name, mime_type, data, root, {**more, "owner": owner}))
        return str(task["task_id"])

    def _work(self) -> None:
        while True:
            upload = self._queue.get()
            try:
                if upload is None:
                    return
                self._consume(upload)
            finally:
                self._queue.task_done()

    def _consume(self, upload: Upload) -> None:
        library, task = self.library, upload.task
        task["date_started"] = library.now_text()
        task["status"], task["status_display"] = "started", "Started"
        checksum = library.checksum(upload.data)
        with library.lock:
            twin = self._twin(checksum) if self.refuse_duplicates else None
            if twin is not None:
                in_trash = twin.deleted_at is not None
                task["related_document_ids"] = [twin.id]
                self._finish(
                    task, "failure", {"duplicate_of": twin.id, "duplicate_in_trash": in_trash}
                )
                return
            row = self._store(upload)
        trouble = self._run_hook(row, str(task["task_id"]))
        if trouble is None:
            task["related_document_ids"] = [row.id]
            self._finish(task, "success", {"document_id": row.id})
        else:
            # The document stays, and its owner is told that the upload failed.
            message = f"{upload.file_name}: Error while executing post-consume script: {trouble}"
            self._finish(
                task,
                "failure",
                {"error_type": "ConsumerError", "error_message": message, "traceback": ""},
            )

    def _twin(self, checksum: str) -> Row | None:
        for rows in (self.library.documents, self.library.trash):
            for row in rows.values():
                if row.checksum == checksum:
                    return row
        return None

    def _store(self, upload: Upload) -> Row:
        more = dict(upload.more)
        title = more.pop("title", None) or Path(upload.file_name).stem
        if upload.root is None:
            inbox = [t.id for t in self.library.labels["tags"].values() if t.is_inbox_tag]
            more["tags"] = list(dict.fromkeys([*more.get("tags", ()), *inbox]))
        else:
            more = {"version_label": more.get("version_label")}
        return self.library.add(
            _text_of(upload.data, upload.mime_type),
            title=title,
            data=upload.data,
            root=upload.root,
            original_file_name=upload.file_name,
            mime_type=upload.mime_type,
            **more,
        )

    def _finish(self, task: dict[str, Any], status: str, result: dict[str, Any]) -> None:
        done = self.library.now_text()
        task["status"], task["status_display"] = status, status.title()
        task["date_done"] = done
        created, started, ended = (
            datetime.fromisoformat(moment)
            for moment in (task["date_created"], task["date_started"], done)
        )
        task["duration_seconds"] = (ended - started).total_seconds()
        task["wait_time_seconds"] = (started - created).total_seconds()
        task["result_data"] = result

    # --- the hook ------------------------------------------------------------------------------

    def _run_hook(self, row: Row, task_id: str) -> str | None:
        """None, or what Paperless would say went wrong."""
        if self.hook is None:
            return None
        environment = {
            **os.environ,
            # Paperless's worker has secrets of its own in its environment; the hook sees them.
            "PAPERLESS_SECRET_KEY": "a-secret-key-that-must-not-be-logged",
            **self.environment,
            **self.hook_environment(row, task_id),
        }
        arguments = [str(self.hook)]
        if self.library.major < 3:
            arguments += self._arguments(row, environment)
        try:
            done = subprocess.run(  # noqa: S603 - the hook is what the caller named
                arguments,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=_HOOK_LIMIT_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        out, err = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
        self.log.append((row.id, out, err))
        if done.returncode < 0:
            return f"Command '{arguments}' died with signal {-done.returncode}."
        if done.returncode > 0:
            return f"Command '{arguments}' returned non-zero exit status {done.returncode}."
        return None

    def hook_environment(self, row: Row, task_id: str) -> dict[str, str]:
        library = self.library

        def name(kind: str, number: int | None) -> str:
            label = library.labels[kind].get(number or 0)
            return label.name if label else "None"

        owner = library.people.users.get(row.owner or 0)
        tags = ",".join(name("tags", tag) for tag in row.tags)
        folder = "/usr/src/paperless/media/documents"
        return {
            "DOCUMENT_ID": str(row.id),
            "DOCUMENT_TYPE": name("document_types", row.document_type),
            "DOCUMENT_CREATED": row.created,
            "DOCUMENT_MODIFIED": row.modified,
            "DOCUMENT_ADDED": row.added,
            "DOCUMENT_FILE_NAME": f"{row.created} {row.title}.txt",
            "DOCUMENT_SOURCE_PATH": f"{folder}/originals/{row.id:07d}.txt",
            "DOCUMENT_ARCHIVE_PATH": "None",
            "DOCUMENT_THUMBNAIL_PATH": f"{folder}/thumbnails/{row.id:07d}.webp",
            "DOCUMENT_DOWNLOAD_URL": f"/api/documents/{row.id}/download/",
            "DOCUMENT_THUMBNAIL_URL": f"/api/documents/{row.id}/thumb/",
            "DOCUMENT_OWNER": owner.username if owner else "None",
            "DOCUMENT_CORRESPONDENT": name("correspondents", row.correspondent),
            "DOCUMENT_TAGS": tags,
            "DOCUMENT_ORIGINAL_FILENAME": row.original_file_name or "",
            "TASK_ID": task_id,
        }

    def _arguments(self, row: Row, environment: Mapping[str, str]) -> list[str]:
        names = ("FILE_NAME", "SOURCE_PATH", "THUMBNAIL_PATH", "DOWNLOAD_URL", "THUMBNAIL_URL")
        rest = [environment[f"DOCUMENT_{name}"] for name in (*names, "CORRESPONDENT", "TAGS")]
        return [str(row.id), *rest]


def _text_of(data: bytes, mime_type: str) -> str:
    """There is no OCR here: a file that is no text has none."""
    return data.decode(errors="replace") if mime_type.startswith("text/") else ""
