"""Who may change a library, and where the files lie that belong to it."""

from __future__ import annotations

from pathlib import Path

from paperless_fingerprint.files.lock import FileLock
from paperless_fingerprint.settings.registry import Settings, default_data_folder

_SQLITE = "sqlite:///"


def path_of(settings: Settings) -> Path:
    """Beside an SQLite library, else in the data folder; named after the library it belongs to."""
    if settings.inbox.file:
        return Path(settings.inbox.file).expanduser()
    store = str(settings.store)
    if store.startswith(_SQLITE):
        library = Path(store.removeprefix(_SQLITE)).expanduser()
        return library.with_name(f"{library.stem}.inbox.db")
    return default_data_folder() / f"{settings.elasticsearch.prefix}.inbox.db"


def library_lock(settings: Settings) -> FileLock:
    """Held by whoever analyses or writes to Paperless: groups are never made twice at a time."""
    path = path_of(settings)
    path.parent.mkdir(parents=True, exist_ok=True)
    return FileLock(path.with_name(path.name + ".lock"))
