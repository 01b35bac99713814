"""What is known of each language that letters are read in: a file each, `xx.toml`, with the same keys.

To add a language, write its file beside the others; nothing else in the program names languages.
`months` and `short_months` hold twelve lists, which may be empty, of names in small letters.
`labels` are the beginnings of the words that stand before a
number and say what it is ('rechnung' is also 'Rechnungsnummer'); one or two letters are a whole
word. `totals` stand before the amount to pay, `legal_forms` behind the name of a company.
`common_words` are a few hundred of everyday letters, bills and contracts: they make 'this is a
word' answerable in a library that is still small. tests/unit/test_languages.py tells what is
missing or stands twice; tests/unit/test_facts.py wants a date in the new language.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Language:
    """The keys of a file; everything but legal forms in small letters."""

    code: str
    months: tuple[tuple[str, ...], ...]
    short_months: tuple[tuple[str, ...], ...]
    #: Under 'invoice number', 'customer number' and so on.
    labels: dict[str, tuple[str, ...]]
    totals: tuple[str, ...]
    legal_forms: tuple[str, ...]
    common_words: tuple[str, ...]


@cache
def languages() -> tuple[Language, ...]:
    files = (file for file in resources.files(__package__).iterdir() if file.name.endswith(".toml"))
    return tuple(
        _language(file.name.removesuffix(".toml"), file.read_text("utf-8"))
        for file in sorted(files, key=lambda file: file.name)
    )


def _language(code: str, text: str) -> Language:
    told = tomllib.loads(text)
    return Language(
        code,
        tuple(map(tuple, told["months"])),
        tuple(map(tuple, told["short_months"])),
        {kind.replace("_", " "): tuple(stems) for kind, stems in told["labels"].items()},
        tuple(told["totals"]),
        tuple(told["legal_forms"]),
        tuple(told["common_words"].split()),
    )
