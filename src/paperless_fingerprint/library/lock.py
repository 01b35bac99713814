"""Who may change a library, and where the files lie that belong to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from paperless_fingerprint.files.lock import FileLock
from paperless_fingerprint.settings.registry import Settings, default_data_folder
from paperless_fingerprint.stores.lease import ElsewhereError, Lease
from paperless_fingerprint.stores.opening import lease_of

_SQLITE = "sqlite:///"


def library_file(settings: Settings) -> Path | None:
    """None where the library is an Elasticsearch."""
    store = str(settings.store)
    return Path(store.removeprefix(_SQLITE)).expanduser() if store.startswith(_SQLITE) else None


def path_of(settings: Settings) -> Path:
    """Beside an SQLite library, else in the data folder; named after the library it belongs to."""
    if settings.inbox.file:
        return Path(settings.inbox.file).expanduser()
    library = library_file(settings)
    if library is not None:
        return library.with_name(f"{library.stem}.inbox.db")
    return default_data_folder() / f"{settings.elasticsearch.prefix}.inbox.db"


def path_of_journal(settings: Settings) -> Path:
    """What was decided on the page and through the API."""
    return _beside(settings, ".review.db")


def path_of_outbox(settings: Settings) -> Path:
    """Notifications that wait."""
    return _beside(settings, ".notify.db")


def path_of_audit(settings: Settings) -> Path:
    """What was moved or merged in Paperless."""
    return _beside(settings, ".audit.jsonl")


def _beside(settings: Settings, ending: str) -> Path:
    path = path_of(settings)
    return path.with_name(path.stem.removesuffix(".inbox") + ending)


class LibraryLock(FileLock):
    """Where other machines reach the library, none of them works on it meanwhile, either."""

    def __init__(self, settings: Settings) -> None:
        path = path_of(settings)
        path.parent.mkdir(parents=True, exist_ok=True)
        super().__init__(path.with_name(path.name + ".lock"))
        self._settings = settings

    @property
    def lease(self) -> Lease:
        return lease_of(self._settings, self.path.with_suffix(".lease"))

    @contextmanager
    def held(self) -> Iterator[None]:
        with self.lease.kept(), super().held():
            yield

    @contextmanager
    def tried(self) -> Iterator[bool]:
        with super().tried() as is_here, ExitStack() as kept:
            is_elsewhere = False
            if is_here:
                try:
                    kept.enter_context(self.lease.kept())
                except ElsewhereError:
                    is_elsewhere = True
            yield is_here and not is_elsewhere


def library_lock(settings: Settings) -> LibraryLock:
    """Held by whoever analyses or writes to Paperless: groups are never made twice at a time."""
    return LibraryLock(settings)


def turn_lock(settings: Settings) -> FileLock:
    """Held by whoever does an event; taken before the library's lock."""
    beside = library_lock(settings).path
    return FileLock(beside.with_name(beside.name + ".turn"))
