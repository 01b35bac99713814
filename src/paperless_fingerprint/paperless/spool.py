"""The folder in which the post-consume hook leaves its events.

One small file an event: `{"format": 1, "document_id": 12, "time_ns": …}`, named so that sorting by
name is sorting by time. The hook writes it under a name that starts with a dot and renames it, so
that a reader sees all of it or nothing. An event is given up by its reader alone, with `remove`,
once it is safe elsewhere; a reader that dies before that finds it again.

`hooks/post_consume.py` writes the same format without this module, because Paperless's Python does
not have our package; a test holds the two together.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.model import MAX_DOCUMENT_ID

FORMAT = 1
SUFFIX = ".json"
WAITING_SUFFIX = ".json.tmp"
#: Files that are no event are moved there: out of the way, and visible.
DAMAGED = "damaged"
#: No event is longer; whatever is, was not written by us, and is not read into memory.
MOST_BYTES = 4096
#: A hook lives for two seconds. A file that it has not renamed after a minute never will be.
ABANDONED_SECONDS = 60.0
_IN_DOCKER = Path("/usr/src/paperless/data")


class SpoolError(ConfigurationError):
    """The folder cannot be read or written."""


@dataclass(frozen=True, slots=True)
class SpooledEvent:
    """A document that Paperless has consumed, and the file that says so."""

    document_id: int
    time_ns: int
    path: Path


def default_folder() -> Path:
    """Where the hook writes when nothing is set; the same order of preference as in the hook."""
    data = Path(os.environ.get("PAPERLESS_DATA_DIR", "").strip() or _IN_DOCKER)
    if not (data.is_absolute() and data.is_dir()):
        data = _IN_DOCKER
    if data.is_dir():
        return data / "paperless-fingerprint" / "spool"
    told = os.environ.get("XDG_STATE_HOME")
    state = Path(told) if told else Path.home() / ".local" / "state"
    return state / "paperless-fingerprint" / "spool"


def folder_of(setting: str) -> Path:
    """The folder that a setting names: relative to the home folder, not to where we stand."""
    told = setting.strip()
    return Path.home() / Path(told).expanduser() if told else default_folder()


class Spool:
    def __init__(self, folder: Path, *, abandoned_seconds: float = ABANDONED_SECONDS) -> None:
        self.folder = folder
        self._abandoned_seconds = abandoned_seconds

    def events(self) -> Iterator[SpooledEvent]:
        """What waits, oldest first. What is no event is set aside on the way."""
        for name in self._names():
            event = self._read(self.folder / name)
            if event is not None:
                yield event

    def remove(self, event: SpooledEvent) -> None:
        """Call it once the event is safe elsewhere. Another reader may have been faster."""
        try:
            event.path.unlink(missing_ok=True)
        except OSError as error:
            raise SpoolError(
                f"The event {event.path} could not be removed: {error.strerror}. "
                "The spool must belong to, or be writable for, the user that runs the worker."
            ) from error

    def sync(self) -> None:
        """Make removals last; once for many, because it is the slow part."""
        with contextlib.suppress(OSError):  # some network file systems refuse
            descriptor = os.open(self.folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def damaged(self) -> list[Path]:
        """Files that were set aside because they are no events; for `inbox` and `doctor`."""
        with contextlib.suppress(OSError):
            return sorted(path for path in (self.folder / DAMAGED).iterdir() if path.is_file())
        return []

    def unreadable(self) -> list[Path]:
        """Events that wait and that this user may not read; for `doctor`."""
        found = []
        for name in self._names():
            try:
                _content(self.folder / name)
            except FileNotFoundError:
                continue
            except OSError:
                found.append(self.folder / name)
        return found

    def _names(self) -> list[str]:
        self._rescue_abandoned()
        try:
            names = os.listdir(self.folder)  # noqa: PTH208 - names alone, a hundred thousand at times
        except FileNotFoundError:
            return []  # no hook has written anything yet
        except OSError as error:
            raise SpoolError(
                f"The spool {self.folder} cannot be read: {error.strerror}. "
                "It must be a folder that the user of this worker may read and write."
            ) from error
        return sorted(name for name in names if name.endswith(SUFFIX) and not name.startswith("."))

    def _rescue_abandoned(self) -> None:
        """A hook that was killed between writing and renaming leaves a whole event behind."""
        oldest_possible = time.time() - self._abandoned_seconds
        with contextlib.suppress(OSError):
            for path in self.folder.glob(f".*{WAITING_SUFFIX}"):
                with contextlib.suppress(OSError):
                    if path.stat().st_mtime > oldest_possible:
                        continue
                    if _parse(_content(path)) is None:
                        self._set_aside(path)
                    else:
                        path.rename(self.folder / path.name[1:].removesuffix(".tmp"))

    def _read(self, path: Path) -> SpooledEvent | None:
        try:
            found = _parse(_content(path))
        except FileNotFoundError:
            return None  # another reader was faster
        except OSError:
            # Not readable now (permissions, a failing disk): it stays, and is tried again.
            return None
        if found is None:
            self._set_aside(path)
            return None
        return SpooledEvent(found[0], found[1], path)

    def _set_aside(self, path: Path) -> None:
        name = path.name.lstrip(".")
        with contextlib.suppress(OSError):
            aside = self.folder / DAMAGED
            aside.mkdir(exist_ok=True)
            if (aside / name).exists():
                name = f"{name}.{secrets.token_hex(4)}"
            path.rename(aside / name)


def _content(path: Path) -> bytes:
    """OSError where it is no regular file: opening a pipe would wait for whoever writes to it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
        return file.read(MOST_BYTES + 1)


def _parse(content: bytes) -> tuple[int, int] | None:
    """The document's id and the time, or None where this is no event."""
    if len(content) > MOST_BYTES:
        return None
    try:
        found = json.loads(content)
        if found["format"] != FORMAT:
            return None
        number, moment = found["document_id"], found.get("time_ns", 0)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if type(number) is not int or not 0 < number <= MAX_DOCUMENT_ID or type(moment) is not int:
        return None
    return number, moment
