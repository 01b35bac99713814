"""One thing that `doctor` looked at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    part: str
    ok: bool
    message: str
