"""What was done that somebody may want undone: moved to the trash, merged. JSON lines, append-only.

Each act is written down before it happens, with all that is needed to take it back, so that a run
which dies in between leaves a line too many and never one too few.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
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


@dataclass(slots=True)
class _Known:
    """The acts, and what each question looks them up by: a batch writes thousands, and asks after each."""

    acts: list[Act] = field(default_factory=list)
    #: Number → how that act ended, the latest.
    ends: dict[int, Act] = field(default_factory=dict)
    undone: set[int] = field(default_factory=set)
    #: Merges that were begun and have not ended.
    begun: dict[int, Act] = field(default_factory=dict)
    #: The name that whoever ordered them gave to merges → those, in their order.
    ordered: defaultdict[str, list[Act]] = field(default_factory=lambda: defaultdict(list))

    def take(self, acts: Iterable[Act]) -> None:
        for act in acts:
            self.acts.append(act)
            if act.what == "merge":
                self.begun[act.number] = act
                self.ordered[act.details.get("key", "")].append(act)
            elif act.what in _ABOUT_ACTS:
                about = act.details.get("act", 0)
                self.ends[about] = act
                self.begun.pop(about, None)
                if act.what == "undone":
                    self.undone.add(about)


class AuditLog:
    def __init__(self, path: Path) -> None:
        self.path = path
        #: What was read already, and up to where.
        self._known = _Known()
        self._end = 0

    def write(self, at: str, what: str, document_id: int, by: str, **details: Any) -> Act:
        """On the disk when this returns. Whoever writes holds the library's lock."""
        acts = self._look().acts
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

    def _look(self) -> _Known:
        try:
            with self.path.open("rb") as file:
                if file.seek(0, os.SEEK_END) < self._end:
                    self._known, self._end = _Known(), 0  # another file
                file.seek(self._end)
                lines, _, rest = file.read().rpartition(b"\n")
        except FileNotFoundError:
            self._known, self._end = _Known(), 0
            return self._known
        except OSError as error:
            raise StoreError(
                f"The audit log {self.path} cannot be read: {error.strerror}."
            ) from error
        if lines:
            self._end += len(lines) + 1
            self._known.take(_acts_in(lines))
        if not rest:
            return self._known
        # A line without an end may not be whole yet: it is looked at again.
        found = _Known()
        found.take([*self._known.acts, *_acts_in(rest)])
        return found

    def acts(self) -> list[Act]:
        return list(self._look().acts)

    def standing(self) -> list[Act]:
        """What has not been taken back, the latest first."""
        known = self._look()
        return [a for a in reversed(known.acts)
                if a.what not in _ABOUT_ACTS and a.number not in known.undone]  # fmt: skip

    def unfinished(self) -> list[Act]:
        """Merges that were begun and neither ended nor taken back, in their order."""
        return list(self._look().begun.values())

    def merge_of(self, key: str) -> Act | None:
        """The merge that was ordered by that name and stands."""
        known = self._look()
        found = reversed(known.ordered.get(key, ()))
        return next((act for act in found if act.number not in known.undone), None)

    def end_of(self, number: int) -> Act | None:
        """How this act ended: 'merged' or 'undone', the latest; nothing where it is under way."""
        return self._look().ends.get(number)

    def undone(self) -> list[Act]:
        """What somebody has taken back: never to be done again by a policy."""
        known = self._look()
        return [act for act in known.acts if act.number in known.undone]


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
