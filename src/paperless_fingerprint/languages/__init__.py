"""Texts in the language of whoever reads them; the command line and the logs stay English.

A text stands in the source in English, marked by `gettext` (as `_`), `ngettext` or, where it is
only named and translated later, `mark` and `mark_n`. `%(name)s` stands for a value, `%%` for a
percent sign. The translations are the .po files beside this one; `make texts` brings them up to
what the sources say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO

from paperless_fingerprint.languages import figures

#: What texts are written in, and what they are translated into.
ENGLISH = "en"
LANGUAGES = (ENGLISH, "de", "fr")

#: What texts of documents may be in, by ISO 639-1: the languages that Paperless's users scan. If it
#: may choose from all that it knows, the detector takes a badly read receipt for Welsh or Kabyle.
SPOKEN: Mapping[str, str] = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi",
    "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese",
    "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "nl": "Dutch", "no": "Norwegian",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak",
    "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "th": "Thai", "tr": "Turkish",
    "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip

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


def percent(share: float) -> str:
    """Never rounds up to certainty: 99.6 % is not 100 %."""
    shown = round(100 * share)
    return gettext("%(figure)s %%", figure=min(shown, 99) if share < 1 else shown)


def whole(number: float) -> str:
    return figures.number(number, locale())


def decimal(number: float, digits: int) -> str:
    return figures.number(number, locale(), digits)


def listed(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return gettext("%(some)s and %(last)s", some=", ".join(words[:-1]), last=words[-1])


def language_name(code: str) -> str:
    """'German' for de; the code where it has no name here."""
    if language() == ENGLISH:
        return SPOKEN.get(code, code)
    return figures.language_name(code, locale()) or code


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


def without_a_browser(setting: str) -> str:
    """The locale of what is written to nobody's browser, as a message that is sent."""
    from importlib.util import find_spec

    return setting if setting in LANGUAGES and find_spec("babel") else ENGLISH


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
    from importlib.resources import files

    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    compiled = BytesIO()
    with (files(__package__) / f"{language}.po").open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return GNUTranslations(compiled)
