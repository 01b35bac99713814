"""One thing that `doctor` looked at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    part: str
    ok: bool
    message: str
    #: False: it could not be looked at from here, or there is nothing to look at; nothing speaks
    #: against it, and nothing for it.
    checked: bool = True
