"""What was done that somebody may want undone: moved to the trash, merged. JSON lines, append-only.

Each act is written down before it happens, with all that is needed to take it back, so that a run
which dies in between leaves a line too many and never one too few.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.files import OWNER_ONLY
from paperless_fingerprint.languages.reasons import Reason

#: What only says what has become of another act.
_ABOUT_ACTS = frozenset({"merged", "undone"})


def _owner_only(path: str, flags: int) -> int:
    return os.open(path, flags, OWNER_ONLY)


@dataclass(frozen=True, slots=True)
class Act:
    number: int
    at: str
    #: 'merge', 'primary'; 'merged' ends a merge, 'undone' takes back another one.
    what: str
    document_id: int
    #: Who or what wanted it: 'policy replace', 'command line'.
    by: str
    details: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "at": self.at,
            "what": self.what,
            "document": self.document_id,
            "by": self.by,
            **self.details,
        }


class AuditLog:
    def __init__(self, path: Path) -> None:
        self.path = path
        #: What was read already, and up to where: a batch writes thousands of acts.
        self._read: list[Act] = []
        self._end = 0

    def write(self, at: str, what: str, document_id: int, by: str, **details: Any) -> Act:
        """On the disk when this returns. Whoever writes holds the library's lock."""
        acts = self.acts()
        act = Act(acts[-1].number + 1 if acts else 1, at, what, document_id, by, details)
        line = json.dumps(act.as_json(), ensure_ascii=False).encode() + b"\n"
        try:
            with open(self.path, "ab", opener=_owner_only) as file:
                if file.tell() and not self._ends_with_newline():
                    line = b"\n" + line  # whoever wrote before was cut off
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            told = {"path": str(self.path), "said": str(error.strerror)}
            raise StoreError(Reason("audit_log", told)) from error
        return act

    def _ends_with_newline(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"

    def acts(self) -> list[Act]:
        try:
            with self.path.open("rb") as file:
                if file.seek(0, os.SEEK_END) < self._end:
                    self._read, self._end = [], 0  # another file
                file.seek(self._end)
                lines, _, rest = file.read().rpartition(b"\n")
        except FileNotFoundError:
            self._read, self._end = [], 0
            return []
        except OSError as error:
            raise StoreError(
                f"The audit log {self.path} cannot be read: {error.strerror}."
            ) from error
        if lines:
            self._end += len(lines) + 1
            self._read += _acts_in(lines)
        # A line without an end may not be whole yet: it is looked at again.
        return [*self._read, *_acts_in(rest)]

    def standing(self) -> list[Act]:
        """What has not been taken back, the latest first."""
        acts = self.acts()
        undone = {act.details.get("act") for act in acts if act.what == "undone"}
        return [a for a in reversed(acts) if a.what not in _ABOUT_ACTS and a.number not in undone]

    def unfinished(self) -> list[Act]:
        """Merges that were begun and neither ended nor taken back, in their order."""
        acts = self.acts()
        over = {act.details.get("act") for act in acts if act.what in _ABOUT_ACTS}
        return [act for act in acts if act.what == "merge" and act.number not in over]

    def end_of(self, number: int) -> Act | None:
        """How this act ended: 'merged' or 'undone', the latest; nothing where it is under way."""
        return next((a for a in reversed(self.acts()) if a.what in _ABOUT_ACTS
                     and a.details.get("act") == number), None)  # fmt: skip

    def undone(self) -> list[Act]:
        """What somebody has taken back: never to be done again by a policy."""
        acts = self.acts()
        numbers = {act.details.get("act") for act in acts if act.what == "undone"}
        return [act for act in acts if act.number in numbers]


def _acts_in(lines: bytes) -> Iterator[Act]:
    for line in lines.splitlines():
        try:
            told = json.loads(line)
            number, at, what, id, by = (
                told.pop(name) for name in ("number", "at", "what", "document", "by")
            )
        except (ValueError, KeyError, AttributeError):
            continue  # the end of a line that was cut off by a power cut
        yield Act(number, at, what, id, by, told)
