"""What every file of text/languages must hold."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from importlib import resources

import pytest

from paperless_fingerprint.text.languages import Language, languages
from paperless_fingerprint.text.lexicon import MONTHS, words_of_languages

FOLDER = resources.files("paperless_fingerprint.text.languages")
each_language = pytest.mark.parametrize("language", languages(), ids=lambda one: one.code)


def keys(told: dict[str, object], before: str = "") -> Iterator[str]:
    for name, value in told.items():
        if isinstance(value, dict):
            yield from keys(value, f"{name}.")
        else:
            yield before + name


def listed(language: Language) -> Iterable[tuple[str, ...]]:
    yield sum((*language.months, *language.short_months), ())
    yield sum(language.labels.values(), ())
    yield from (language.totals, language.legal_forms, language.common_words)


@each_language
def test_a_language_has_every_key_and_no_other(language: Language) -> None:
    told, known = (
        set(keys(tomllib.loads((FOLDER / f"{code}.toml").read_text("utf-8"))))
        for code in (language.code, "en")
    )
    assert told == known


@each_language
def test_a_language_has_twelve_months_and_lists_nothing_twice(language: Language) -> None:
    assert len(language.months) == len(language.short_months) == 12
    assert all(language.months)
    for names in listed(language):
        assert len(set(names)) == len(names), sorted(n for n in names if names.count(n) > 1)


def test_no_name_of_a_month_is_another_month_elsewhere() -> None:
    for language in languages():
        for months in (language.months, language.short_months):
            for number, names in enumerate(months, 1):
                assert {MONTHS[name] for name in names} <= {number}


def test_words_of_all_languages_are_known() -> None:
    assert len(words_of_languages()) == len(languages()) >= 8
    assert {"invoice", "rechnung", "grüssen", "facture", "umowa", "stycznia"} <= frozenset().union(
        *words_of_languages(), MONTHS
    )
