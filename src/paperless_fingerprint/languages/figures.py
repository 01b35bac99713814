"""Numbers and dates as a locale (de, en_GB) writes them."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babel import Locale

#: A page shows the same few hundred again and again, and Babel takes its time over each.
_KEPT = 4_096


@lru_cache(_KEPT)
def number(value: float, locale: str, digits: int = 0) -> str:
    """Rounded to that many digits after the point, all of which are shown."""
    if locale.startswith("en"):
        return f"{value:,.{digits}f}"
    from babel.numbers import format_decimal

    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    return format_decimal(value, pattern, _known(locale))


@lru_cache(_KEPT)
def day(moment: str, locale: str) -> str:
    """Of an ISO date or date and time; what is none stays as it is."""
    from babel.dates import format_date

    parsed = _parsed(moment)
    return moment[:10] if parsed is None else format_date(parsed, "medium", _known(locale))


@lru_cache(_KEPT)
def minute(moment: str, locale: str) -> str:
    from babel.dates import format_time

    parsed = _parsed(moment)
    if parsed is None:
        return moment[:16].replace("T", " ")
    return f"{day(moment, locale)}, {format_time(parsed, 'short', locale=_known(locale))}"


def language_name(code: str, locale: str) -> str | None:
    return _known(locale).languages.get(code)


def _parsed(moment: str) -> datetime | None:
    try:
        # As it was written: whoever reads it compares it with what Paperless shows.
        return datetime.fromisoformat(moment).replace(tzinfo=None)
    except ValueError:
        return None


@lru_cache(64)
def _known(locale: str) -> Locale:
    """A browser may name a region that nobody has written rules for."""
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(locale)
    except (ValueError, UnknownLocaleError):
        return Locale.parse(locale[:2])
