"""A lock that all processes of one machine respect."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.files import OWNER_ONLY
from paperless_fingerprint.languages.reasons import Reason


class FileLock:
    """One holder among all processes and threads; a holder that is killed lets go."""

    def __init__(self, path: Path) -> None:
        self.path = path
        #: While it is held through this object.
        self._held: int | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        descriptor = self._open()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            self._held = descriptor
            yield
        finally:
            self._held = None
            os.close(descriptor)

    @contextmanager
    def let_go(self) -> Iterator[None]:
        """For whoever holds it: others may have it until this is left. What was read before may be
        otherwise then."""
        descriptor, self._held = self._held, None
        if descriptor is None:
            raise ValueError(f"{self.path} is let go by somebody who does not hold it.")
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            self._held = descriptor

    @contextmanager
    def tried(self) -> Iterator[bool]:
        """Whether it could be had without waiting."""
        descriptor = self._open()
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(descriptor)

    def _open(self) -> int:
        try:
            return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, OWNER_ONLY)
        except OSError as error:
            told = {"path": str(self.path), "said": str(error.strerror)}
            raise StoreError(Reason("lock_file", told)) from error
