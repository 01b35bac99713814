"""Whether other users of this machine can read what was made of the texts."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from paperless_fingerprint.checkup.finding import Finding, Part
from paperless_fingerprint.library.lock import path_of
from paperless_fingerprint.settings.registry import Settings


def examine(settings: Settings) -> Iterator[Finding]:
    open_to_all = sorted(path for path in _files(settings) if path.stat().st_mode & stat.S_IRWXO)
    if open_to_all:
        yield Part("files").amiss(
            "Every user of this computer can read the texts of documents: files made by an "
            "earlier version are open to all. Run: chmod 600 %(files)s",
            files=" ".join(map(str, open_to_all)),
        )


def _files(settings: Settings) -> Iterator[Path]:
    """Library, inbox, review and all else that lies beside it under its name."""
    beside = path_of(settings)
    name = beside.stem.removesuffix(".inbox")
    if beside.parent.is_dir():
        yield from (
            path
            for path in beside.parent.iterdir()
            if path.name.startswith(f"{name}.") and path.is_file() and not path.is_symlink()
        )
