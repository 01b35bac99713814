"""Arrays that are not needed for the moment, in a file that nobody else sees and that is gone when the
process ends, however it ends."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.errors import StoreError


@dataclass(frozen=True, slots=True)
class Stretch:
    offset: int
    count: int
    kind: np.dtype[Any]


class Scratch:
    def __init__(self, file: IO[bytes], folder: Path) -> None:
        self._file = file
        self._folder = folder
        self._end = 0

    def put(self, values: npt.NDArray[Any]) -> Stretch:
        stretch = Stretch(self._end, len(values), values.dtype)
        try:
            self._file.seek(self._end)
            self._file.write(np.ascontiguousarray(values).data)
            self._file.flush()
        except OSError as error:
            raise StoreError(
                f"The folder {self._folder} has no room for what an analysis puts aside "
                f"({self._end / 1e6:,.0f} MB so far, 2 KB a document; {error.strerror}). Make room "
                "and run the command again; nothing was lost."
            ) from error
        self._end += values.nbytes
        return stretch

    def take(self, name: Stretch) -> npt.NDArray[Any]:
        found = np.empty(name.count, name.kind)
        self._file.seek(name.offset)
        self._file.readinto(found.data)  # type: ignore[attr-defined]
        return found


@contextmanager
def scratch_in(folder: Path) -> Iterator[Scratch]:
    """In this folder, where the disk is as large as a library needs; else where the system has it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        opened = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - below
    except OSError:
        folder = Path(tempfile.gettempdir())
        opened = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
    with opened as file:
        yield Scratch(file, folder)
