"""The library in one SQLite file: nothing to install, several processes at once."""

from paperless_fingerprint.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
