"""Every text of the page has its translation, and nothing that is shown is left to chance."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

import texts
from paperless_fingerprint.integration.notify.message import heading_of, words_of
from paperless_fingerprint.languages import (
    ENGLISH,
    LANGUAGES,
    choose,
    figures,
    gettext,
    ngettext,
    percent,
    speaking,
    without_a_browser,
)
from paperless_fingerprint.settings.registry import REGISTRY

TRANSLATED = [language for language in LANGUAGES if language != ENGLISH]
#: Also those that a script fills in.
PLACEHOLDER = re.compile(r"%\((\w+)\)s|%%|(%)|(\{\w+\})")


@cache
def marked() -> Catalog:
    return texts.extracted()


@cache
def translated(language: str) -> Catalog:
    with texts.catalogue_file(language).open("rb") as file:
        return read_po(file, locale=language)


def forms(text: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    return () if text is None else (text,) if isinstance(text, str) else tuple(text)


def placeholders(text: str) -> set[str]:
    found = list(PLACEHOLDER.finditer(text))
    assert not any(each[2] for each in found), f"a lone % in {text!r}"
    return {each[1] or each[3] for each in found if each[1] or each[3]}


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_text_has_its_translation_and_every_translation_its_text(language: str) -> None:
    wanted = {message.id for message in marked() if message.id}
    found = {message.id: message for message in translated(language) if message.id}
    assert len(wanted) > 400
    assert sorted(map(str, wanted - found.keys())) == [], "run `make texts`, and translate"
    assert sorted(map(str, found.keys() - wanted)) == [], "run `make texts`"
    for message in found.values():
        assert all(forms(message.string)), f"no translation of {message.id}"
        assert not message.fuzzy, message.id


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_have_the_places_of_what_they_translate(language: str) -> None:
    for message in translated(language):
        if not message.id:
            continue
        wanted = set().union(*map(placeholders, forms(message.id)))
        assert len(forms(message.string)) == (2 if message.pluralizable else 1), message.id
        for text in forms(message.string):
            assert placeholders(text) == wanted, message.id


def test_texts_of_the_source_can_be_filled_in_and_hold_no_markup() -> None:
    for message in marked():
        for text in filter(None, forms(message.id)):
            assert text % dict.fromkeys(placeholders(text), "x")
            # They stand in attributes, too.
            assert not re.search(r'[<>&"]|&\w+;', text), text


def test_a_first_form_has_one_second_form() -> None:
    """A catalogue knows a text by its first form alone."""
    found = defaultdict(set)
    for path, _, text, _, _ in texts.found_in_sources():
        if isinstance(text, tuple):
            found[text[0]].add((text[1], path))
    assert {one: all for one, all in found.items() if len({other for other, _ in all}) > 1} == {}


def test_make_texts_would_change_nothing() -> None:
    for language in TRANSLATED:
        kept = texts.catalogue_file(language).read_text("utf-8")
        assert texts.as_text(texts.brought_up(language, marked())) == kept, "run `make texts`"


def test_no_finding_of_the_checkup_is_english_for_everybody() -> None:
    """First steps shows them on the page."""
    untranslated = [
        ast.unparse(argument)
        for path in (texts.SOURCES / "checkup").glob("*.py")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Finding"
        for argument in call.args[2:]
        for part in (argument.values if isinstance(argument, ast.JoinedStr) else [argument])
        if isinstance(part, ast.Constant) and re.search(r"[a-z] [a-z]", str(part.value))
    ]
    assert untranslated == []


def test_a_text_is_said_in_the_language_of_whoever_reads() -> None:
    assert gettext("Page %(page)s of %(pages)s", page=1, pages=2) == "Page 1 of 2"
    with speaking("de_CH"):
        assert gettext("Page %(page)s of %(pages)s", page=1, pages=2) == "Seite 1 von 2"
        assert ngettext("%(num)s page", "%(num)s pages", 1234) == "1’234 Seiten"
        assert percent(0.996) == "99\u00a0%"
        # Also where the same text is counted elsewhere.
        assert gettext("Two documents") == "Zwei Dokumente"
    with speaking("de"):
        assert ngettext("%(num)s page", "%(num)s pages", 1234) == "1.234 Seiten"
    with speaking("fr"):
        assert ngettext("%(num)s page", "%(num)s pages", 0) == "0 page"
        assert ngettext("%(num)s page", "%(num)s pages", 1234) == "1\u202f234 pages"
    assert ngettext("%(num)s page", "%(num)s pages", 0) == "0 pages"


@pytest.mark.parametrize(
    ("accepted", "setting", "expected"),
    [
        ("", "auto", "en"),
        ("de-DE,de;q=0.9,en;q=0.8", "auto", "de_DE"),
        ("en;q=0.5, fr-CA;q=0.9", "auto", "fr_CA"),
        ("it-IT,it;q=0.9,en-GB;q=0.2", "auto", "en_GB"),
        ("it,pl", "auto", "en"),
        ("de;q=0,fr", "auto", "fr"),
        ("*;q=x,,;;de", "auto", "en"),
        ("DE-at", "auto", "de_AT"),
        ("de-" + "x" * 5000, "auto", "de"),
        ("de-\u0660\u0661", "auto", "de"),
        # The setting wins; the region is still the person's.
        ("en-GB,de-CH;q=0.5", "de", "de_CH"),
        ("en-GB", "fr", "fr"),
        ("de-DE", "en", "en"),
    ],
)
def test_the_language_is_the_browsers_or_that_of_the_setting(
    accepted: str, setting: str, expected: str
) -> None:
    assert choose(accepted, setting) == expected


def test_the_setting_offers_what_there_is() -> None:
    (setting,) = (each for each in REGISTRY if each.key == "web.language")
    assert setting.choices == ("auto", *LANGUAGES)


@pytest.mark.parametrize(
    ("locale", "day", "minute"),
    [
        ("en", "Mar 9, 2024", "Mar 9, 2024, 2:05\u202fPM"),
        ("en_GB", "9 Mar 2024", "9 Mar 2024, 14:05"),
        ("de", "09.03.2024", "09.03.2024, 14:05"),
        ("fr", "9 mars 2024", "9 mars 2024, 14:05"),
        ("de_ZZ", "09.03.2024", "09.03.2024, 14:05"),
    ],
)
def test_dates_are_written_as_the_language_writes_them(locale: str, day: str, minute: str) -> None:
    assert figures.day("2024-03-09", locale) == day
    assert figures.day("2024-03-09T14:05:31Z", locale) == day
    assert figures.minute("2024-03-09T14:05:31+00:00", locale) == minute


def test_what_is_no_date_stays_as_it_is() -> None:
    assert figures.day("2024", "de") == "2024"
    assert figures.minute("0000-00-00T00:00", "de") == "0000-00-00 00:00"


def test_messages_that_are_sent_speak_the_language_of_the_setting() -> None:
    body = {
        "event": "duplicates.found",
        "count": 1200,
        "documents": [{"id": 12, "relation": "exact", "with": [3], "title": "Brief"}],
        "page": None,
    }
    assert (without_a_browser("auto"), without_a_browser("fr")) == ("en", "fr")
    with speaking(without_a_browser("de")):
        assert heading_of(body) == "1.200 neue Duplikate"
        assert words_of(body) == (
            "Dokument 12 (Brief) ist eine exakte Kopie von 3\nUnd 1.199 weitere."
        )
