"""Texts in the language of whoever reads them; the command line and the logs stay English.

A text stands in the source in English, marked by `gettext` (as `_`), `ngettext` or, where it is
only named and translated later, `mark` and `mark_n`. `%(name)s` stands for a value, `%%` for a
percent sign. The translations are the .po files beside this one; `make texts` brings them up to
what the sources say.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO

from paperless_fingerprint.languages import figures

#: What texts are written in, and what they are translated into.
ENGLISH = "en"
LANGUAGES = (ENGLISH, "de", "fr")

#: A language, maybe with a region that numbers and dates go by: de, de_AT. Each request has its own,
#: and hands it on to the threads that work for it.
_chosen: ContextVar[str] = ContextVar("language", default=ENGLISH)


def gettext(text: str, /, **values: object) -> str:
    return _catalogue(language()).gettext(text) % values


def ngettext(one: str, other: str, count: int, /, **values: object) -> str:
    """`%(num)s` stands for the count, written as the language does."""
    text = _catalogue(language()).ngettext(one, other, count)
    return text % {"num": figures.number(count, locale()), **values}


def mark(text: str) -> str:
    """A text that is translated when it is known who reads it."""
    return text


def mark_n(one: str, other: str) -> tuple[str, str]:
    return one, other


def language() -> str:
    return _chosen.get()[:2]


def locale() -> str:
    return _chosen.get()


@contextmanager
def speaking(locale: str) -> Iterator[None]:
    token = _chosen.set(locale)
    try:
        yield
    finally:
        _chosen.reset(token)


def choose(accepted: str, setting: str = "auto") -> str:
    """The locale for a browser that sends this Accept-Language, unless the setting says another."""
    offered = LANGUAGES if setting == "auto" else (setting,)
    for wanted in _in_order(accepted):
        name, _, region = wanted.partition("-")
        if name.lower() in offered:
            known = len(region) == 2 and region.isascii() and region.isalpha()
            return f"{name.lower()}_{region.upper()}" if known else name.lower()
    return offered[0]


def _in_order(accepted: str) -> list[str]:
    """The languages of an Accept-Language header, best first; what is malformed counts least."""
    found = []
    for each in accepted[:1000].replace(" ", "").split(","):
        name, _, weight = each.partition(";q=")
        try:
            found.append((float(weight or 1), name))
        except ValueError:
            continue
    return [name for weight, name in sorted(found, key=lambda one: -one[0]) if weight > 0]


@cache
def _catalogue(language: str) -> NullTranslations:
    if language == ENGLISH:
        return NullTranslations()
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    compiled = BytesIO()
    with (files(__package__) / f"{language}.po").open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return GNUTranslations(compiled)
