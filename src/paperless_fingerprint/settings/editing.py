"""Changing a few values in the settings file, and nothing else that somebody has written there.

The new content is made and checked first, as a start of the program would check it, and then takes
the file's place at once: whoever reads meanwhile reads the old file or the new one.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.settings.registry import BY_KEY, Settings


class CannotChangeError(ConfigurationError):
    """The file cannot be changed from here, whatever the values are; the message says why, in the
    language of whoever reads it."""

    def __init__(self, text: str, /, **values: object) -> None:
        super().__init__(_(text, **values))


@dataclass(frozen=True, slots=True)
class Change:
    """What is to take the file's place; nothing is written yet."""

    path: Path
    old: bytes
    new: bytes
    #: Key → as it stands in the file, as TOML; None where it does not.
    before: Mapping[str, str | None]
    #: What the next start of the program would read.
    settings: Settings


def change(settings: Settings, wanted: Mapping[str, str | None]) -> Change:
    """`wanted`: key → its value as TOML, or None to leave it out of the file."""
    path = _changeable(settings, wanted)
    old = _content(path)
    new, before = _edited(old, wanted, path)
    sources = settings.sources
    assert sources is not None
    found = load(sources.flags, sources.environment, sources.file, content=new)
    return Change(path, old, new, before, found)


def texts(settings: Settings, keys: Mapping[str, Any]) -> dict[str, str | None]:
    """How these stand in the file now."""
    path = _changeable(settings, keys)
    return _edited(_content(path), dict.fromkeys(keys), path)[1]


def write(change: Change) -> None:
    """The file keeps its owner and its permissions."""
    try:
        if change.path.read_bytes() != change.old:
            raise CannotChangeError(
                "Someone else has just changed %(path)s. Nothing was saved; try again.",
                path=change.path,
            )
        _replace(change.path, change.new)
    except OSError as error:
        why = error.strerror or _("unknown")
        if error.errno in {errno.EBUSY, errno.EXDEV}:
            why = _("it is mounted on its own; mount its folder instead")
        raise CannotChangeError(
            "The settings file %(path)s cannot be replaced: %(why)s. Nothing was saved.",
            path=change.path,
            why=why,
        ) from error


# --- whether it can be done -------------------------------------------------------------------------


def _changeable(settings: Settings, keys: Mapping[str, Any]) -> Path:
    """The file itself, behind whatever links lead to it."""
    sources = settings.sources
    if sources is None or not sources.file.is_file():
        raise CannotChangeError(
            "The service was started without a settings file. Create one, name it with --config "
            "or PAPERLESS_FINGERPRINT_CONFIG, and restart the service."
        )
    for key in keys:
        setting, origin = BY_KEY[key], settings.origins.get(key)
        if origin == "environment":
            raise CannotChangeError(
                "%(setting)s is set by %(variable)s in the environment, which takes precedence "
                "over the settings file. Change it there.",
                setting=setting.label,
                variable=setting.variable,
            )
        if origin == "flag":
            raise CannotChangeError(
                "%(setting)s is set by an option on the command line, which takes precedence "
                "over the settings file.",
                setting=setting.label,
            )
    path = sources.file.resolve()
    if path.stat().st_dev != path.parent.stat().st_dev:
        raise CannotChangeError(
            "The settings file %(path)s is mounted on its own, so it cannot be replaced. Mount "
            "its folder instead, or change the file outside.",
            path=path,
        )
    for place in (path, path.parent):
        if not os.access(place, os.W_OK):
            raise CannotChangeError(
                "%(path)s cannot be written to by this service, as is usual in a container. "
                "Change the settings file outside and restart the service.",
                path=place,
            )
    return path


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CannotChangeError(
            "The settings file %(path)s cannot be read: %(why)s.", path=path, why=error.strerror
        ) from error


# --- its content ------------------------------------------------------------------------------------


def _edited(
    content: bytes, wanted: Mapping[str, str | None], path: Path
) -> tuple[bytes, dict[str, str | None]]:
    try:
        import tomlkit
        from tomlkit.exceptions import TOMLKitError
    except ImportError:
        raise CannotChangeError(
            "Saving needs the web parts: pip install 'paperless-fingerprint[web]'"
        ) from None
    try:
        document = tomlkit.parse(content)
        before = {key: _text(document, key) for key in wanted}
        for key, text in wanted.items():
            _put(document, key, text)
        return tomlkit.dumps(document).encode(), before
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise CannotChangeError(
            "The settings file %(path)s is no longer valid TOML: %(why)s. Nothing was saved.",
            path=path,
            why=error,
        ) from error


def _text(document: Any, key: str) -> str | None:
    section, _, name = key.rpartition(".")
    table = document.get(section) if section else document
    found = table.get(name) if isinstance(table, Mapping) else None
    return None if found is None else found.as_string()


def _put(document: Any, key: str, text: str | None) -> None:
    import tomlkit

    section, _, name = key.rpartition(".")
    if section and section not in document and text is not None:
        document[section] = tomlkit.table()
    table = document.get(section) if section else document
    if text is not None:
        table[name] = tomlkit.value(text)
    elif table is not None and name in table:
        table.remove(name)
        if section and not table.as_string().strip():
            document.remove(section)


# --- the disk ---------------------------------------------------------------------------------------


def _replace(path: Path, content: bytes) -> None:
    status = path.stat()
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            own = os.fstat(descriptor)
            if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
                os.fchown(descriptor, status.st_uid, status.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
            os.fsync(descriptor)
        Path(name).replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(name).unlink()
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
