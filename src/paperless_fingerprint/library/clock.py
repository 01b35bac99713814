"""A moment as text, in the one form in which all of it is kept: ISO 8601 in UTC, ending in Z."""

from __future__ import annotations

from datetime import UTC, datetime


def now_text() -> str:
    """To the microsecond, so that of two words on one subject the later one is known."""
    return text_at(datetime.now(UTC))


def text_at(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def text_of(seconds: float) -> str:
    """To the second, for people."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
