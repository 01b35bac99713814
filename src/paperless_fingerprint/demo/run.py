"""The demo's way: upload to the stand-in Paperless, hook, spool, inbox, tags; and the page over it."""

from __future__ import annotations

import hashlib
import os
import socket
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.demo.stand_in.library import PDF, as_row, is_locked
from paperless_fingerprint.demo.stand_in.pdf import locked, pdf_of
from paperless_fingerprint.integration.consume import drain
from paperless_fingerprint.integration.context import Workplace, open_workplace
from paperless_fingerprint.library import outdated
from paperless_fingerprint.model import Document
from paperless_fingerprint.progress import Progress
from paperless_fingerprint.settings.registry import Settings, Sources

_MODE = 0o755


@dataclass(frozen=True, slots=True)
class Told:
    """What Paperless shows about a document, as far as it comes from us."""

    id: int
    title: str
    tags: tuple[str, ...]
    fields: tuple[tuple[str, object], ...]


@contextmanager
def demo_office(
    folder: Path, settings: Settings, progress: Progress
) -> Iterator[tuple[StandIn, Workplace]]:
    """A Paperless of our own with the hook in it, and an empty library; all of it in `folder`."""
    hook, environment = _hook_in(folder)
    with StandIn(hook=hook, hook_environment=environment, workers=os.cpu_count() or 1) as paperless:
        own = {
            "store": f"sqlite:///{folder / 'library.db'}",
            "paperless.url": paperless.url,
            "paperless.token": paperless.token,
            "paperless.ca_file": None,
            "spool": environment["PAPERLESS_FINGERPRINT_SPOOL"],
            "inbox.file": None,
            "exact.policy": "warn",
            # The page is for whoever sits here, and for nobody else.
            "service.open": True,
            "service.host": "127.0.0.1",
            "service.root_path": None,
            "service.first_sync": "start",
            "paperless.public_url": None,
        }
        sources = Sources(own, {}, _settings_file_in(folder, settings))
        with open_workplace(replace(settings.having(own), sources=sources), progress) as place:
            yield paperless, place


def upload(paperless: StandIn, documents: Iterable[Document], progress: Progress) -> None:
    """As if from the consumption folder; the hook runs after each, and leaves its event."""
    waiting = list(documents)
    progress.begin("upload", len(waiting))
    for document in waiting:
        _upload(paperless, document)
    paperless.consumption.wait()


def do_inbox(place: Workplace) -> int:
    place.progress.begin("inbox")
    return drain(place).done


def told(paperless: StandIn, uploaded: Iterable[Document]) -> list[Told]:
    """Documents that got something of ours, in the order of their ids."""
    library = paperless.library
    own_tags = {document.id: set(document.tags) for document in uploaded}
    found = []
    with library.lock:
        for row in sorted(library.documents.values(), key=lambda row: row.id):
            names = [library.labels["tags"][tag].name for tag in row.tags]
            tags = tuple(name for name in names if name not in own_tags.get(row.id, ()))
            fields = tuple((library.fields[n].name, v) for n, v in row.custom_fields.items())
            if tags or fields:
                found.append(Told(row.id, row.title, tags, fields))
    return found


@contextmanager
def page_open(settings: Settings, *, patience_seconds: float = 1.0) -> Iterator[str]:
    """The page over the demo's library, for as long as somebody looks; gives its address."""
    import uvicorn

    from paperless_fingerprint.service.live import LiveProgress
    from paperless_fingerprint.service.worker import Worker
    from paperless_fingerprint.web.app import make_app, server_config

    live = LiveProgress()
    app = make_app(settings, Worker(settings, live), live, patience_seconds=patience_seconds)
    config = server_config(
        app, settings, log_level="warning", ws="none", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    with _listening(settings.service.port) as listener:
        # Off the main thread it leaves Ctrl-C alone.
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="page")
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError:
        # Perhaps `serve` itself runs on this machine; the demo may be anywhere.
        return socket.create_server(("127.0.0.1", 0))


def _settings_file_in(folder: Path, settings: Settings) -> Path:
    """So that thresholds can be saved on the page, and nothing is written to any file of yours."""
    file = folder / "settings.toml"
    lines = (f"{key} = {settings.value(key)}\n" for key in outdated.KEYS)
    file.write_text("# Of the demo alone, and gone with it.\n" + "".join(lines))
    return file


def _hook_in(folder: Path) -> tuple[Path, dict[str, str]]:
    """The hook as a file of its own, with a Python that does not know this program: a spool alone,
    as where Paperless runs in a container. Otherwise each upload would start a worker."""
    packaged = files("paperless_fingerprint") / "hooks" / "post_consume.py"
    here = Path(__file__).resolve().parents[3] / "hooks" / "post_consume.py"
    hook = folder / "post_consume.py"
    hook.write_bytes(packaged.read_bytes() if packaged.is_file() else here.read_bytes())
    hook.chmod(_MODE)
    programs = folder / "bin"
    programs.mkdir()
    python = getattr(sys, "_base_executable", "") or sys.executable
    (programs / "python3").symlink_to(python)
    return hook, {
        "PATH": str(programs),
        "PAPERLESS_FINGERPRINT_SPOOL": str(folder / "spool"),
        "PAPERLESS_FINGERPRINT_SERVICE_URL": "",
    }


def _upload(paperless: StandIn, document: Document) -> None:
    library = paperless.library

    def label(kind: str, name: str) -> int:
        with library.lock:
            for known in library.labels[kind].values():
                if known.name == name:
                    return known.id
            return library.add_label(kind, name).id

    more = as_row(document, label)
    more.setdefault("checksum", hashlib.sha256(document.content.encode()).hexdigest())
    owner = int(document.owner) if document.owner is not None else None
    data = document.content.encode()
    if is_locked(document):
        data, more["mime_type"] = locked(pdf_of("")), PDF
    name = document.original_filename or f"{document.id}.txt"
    paperless.consumption.upload(name, data, owner=owner, **more)
