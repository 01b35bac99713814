"""What a text states: dates, amounts, references, IBANs, parties, addresses.

Every pattern is linear: bounded repetitions, and no two neighbours that match the same characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import attrgetter
from typing import NamedTuple, TypeVar

from paperless_fingerprint.text.letters import is_word
from paperless_fingerprint.text.lexicon import MONTHS, labels, legal_forms, totals
from paperless_fingerprint.text.tokens import AMOUNT, NUMBER, Tokens, notes_of

_NUMBER_WORDS = r"(?:n\.?[ro°ºu]?\.?|no\.?|num(?:ber|mer|éro|ero)?\.?|número|numero|numer|#|:)"
_MONEY = r"\d{1,3}(?:[.,' ]\d{3}){0,3}[.,]\d{2}|\d{1,9}[.,]\d{2}"
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_ISO_DATE = re.compile(r"\b((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})\b")
_NUMBER_DATE = re.compile(r"\b(\d{1,2})([./-])\s?(\d{1,2})\2\s?((?:19|20)?\d\d)\b")
_DAY_MONTH = re.compile(
    r"\b(\d{1,2})(?:\.|st|nd|rd|th|er|º|ª)?\s{1,3}(?:de |d')?([^\W\d_]{3,12})\.?,?\s{1,3}(?:de )?((?:19|20)\d\d)\b"
)
_MONTH_DAY = re.compile(
    r"\b([^\W\d_]{3,12})\.?\s{1,3}(\d{1,2})(?:st|nd|rd|th)?,?\s{1,3}((?:19|20)\d\d)\b"
)
_MONTH_YEAR = re.compile(r"\b([^\W\d_]{3,12})\.?(?: de)?\s{1,3}((?:19|20)\d\d)\b")
_AMOUNT = re.compile(rf"(?<![\d.,])(?P<value>{_MONEY})(?![\d.,]*\d)")
_ADDRESS = re.compile(r"\b(?:[A-Z]{1,2}-)?\d{2}-?\d{2,3}(?: ?[A-Z]{2})? [^\W\d_][^\W\d_' -]{2,30}")


@dataclass(frozen=True, slots=True)
class Facts:
    """What a text states, each in a form that can be compared: ISO dates, plain amounts."""

    references: tuple[tuple[str, str], ...] = ()
    total: str | None = None
    dates: tuple[str, ...] = ()
    periods: tuple[str, ...] = ()
    amounts: tuple[str, ...] = ()
    ibans: tuple[str, ...] = ()
    parties: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


#: Facts stand at the beginning of a letter; a book is not read for them to its end.
_MOST_TEXT = 60_000
_MOST_OF_A_KIND = 50
#: A label stands a word or two before its number ('Rechnung Nr.', 'invoice no').
_BEFORE = 3


class Stated(NamedTuple):
    """What a text states at a place: 'total' '1387.30', spelled '1.387,30'."""

    #: 'total', 'date', 'period', 'amount', 'IBAN', 'party', 'address', or the name of a label.
    kind: str
    value: str
    start: int
    spelling: str


def stated(text: str) -> tuple[Stated, ...]:
    """In the order of the text."""
    text = text[:_MOST_TEXT]
    return tuple(sorted((*figures(text), *_others(text)), key=attrgetter("start")))


def figures(text: str) -> list[Stated]:
    """What is sure to have figures in it: without parties, addresses and months, which take longest
    to look for."""
    found = [
        *_references(text),
        *_amounts("total", _total_pattern(), text),
        *_amounts("amount", _AMOUNT, text),
        *_dates(text),
        *_ibans(text),
    ]
    return sorted(found, key=attrgetter("start"))


class Labelled(NamedTuple):
    """A token that a label stands before, and what that makes it: 'total', 'invoice number'."""

    place: int
    kind: str
    spelling: str


def labelled(tokens: Tokens) -> tuple[Labelled, ...]:
    """By the same labels as stated(), in a tenth of its time, which judging many pairs needs."""
    keys, spellings = tokens.keys, tokens.spellings
    found = []
    for i, key in enumerate(keys):
        if is_word(key) or len(key) < 3:
            continue
        # The nearest is asked first.
        said = [label for word in keys[max(0, i - _BEFORE) : i][::-1] for label in _says(word)]
        notes = notes_of(spellings[i])
        kind: str | None = None
        if notes & AMOUNT:
            kind = "total" if "total" in said else None
        elif len(key) >= 4:
            kind = next((label for label in said if label != "total"), None)
            if kind is None and notes & NUMBER and len(key) == 8 and len(spellings[i]) == 10:
                kind = "date"
        if kind:
            found.append(Labelled(i, kind, spellings[i]))
    return tuple(found)


@lru_cache(maxsize=1 << 14)
def _says(word: str) -> tuple[str, ...]:
    """Which labels this word is, or the end of."""
    return tuple(kind for kind, stems, ends in _stems() if word in ends or word.startswith(stems))


@cache
def _stems() -> list[tuple[str, tuple[str, ...], frozenset[str]]]:
    """Of each label with which letters its words begin, and which words it ends with."""
    found = []
    for kind, stems in {**labels(), "IBAN": ("iban",), "total": totals()}.items():
        whole = {stem for stem in stems if " " in stem or len(stem) <= 2}
        ends = frozenset(stem.rpartition(" ")[2] for stem in whole)
        found.append((kind, tuple(set(stems) - whole), ends))
    return found


def read_facts(text: str) -> Facts:
    found: dict[str, list[str]] = {}
    references = []
    for kind, value, _, _ in stated(text):
        found.setdefault(kind, []).append(value)
        if kind in labels():
            references.append((kind, value))
    return Facts(
        references=_once(references),
        total=found["total"][-1] if "total" in found else None,  # the last one is the one to pay
        dates=_once(found.get("date", ())),
        periods=_once(found.get("period", ())),
        amounts=_once(found.get("amount", ())),
        ibans=_once(found.get("IBAN", ())),
        parties=_once(found.get("party", ())),
        addresses=_once(found.get("address", ())),
    )


@cache
def _reference_pattern() -> re.Pattern[str]:
    kinds = "|".join(
        f"(?P<{kind.replace(' ', '_')}>{'|'.join(map(_beginning, stems))})"
        for kind, stems in labels().items()
    )
    return re.compile(
        # 'Rechnungsnummer', 'Invoice no.:', 'N° de facture' are all followed by the number itself.
        rf"\b(?:{kinds})[-\w]{{0,12}}[ .:°º]{{0,3}}{_NUMBER_WORDS}{{0,3}}[ .:°º]{{0,3}}"
        r"(?P<value>[A-Za-z]{0,5}[-/ ]?\d[\w/.-]{1,24})",
        re.IGNORECASE,
    )


def _beginning(stem: str) -> str:
    """'az' is a word, and not the beginning of 'Azubi'."""
    return re.escape(stem) + (r"\b" if len(stem) <= 2 else "")


@cache
def _total_pattern() -> re.Pattern[str]:
    names = "|".join(map(re.escape, totals()))
    return re.compile(rf"\b(?:{names})\b[^\d\n]{{0,25}}(?P<value>{_MONEY})", re.IGNORECASE)


@cache
def _party_pattern() -> re.Pattern[str]:
    forms = "|".join(map(re.escape, legal_forms()))
    return re.compile(rf"[^\W\d_][\w&.,'’ -]{{1,50}}[ ,](?:{forms})(?!\w)")


def _references(text: str) -> Iterator[Stated]:
    for match in _reference_pattern().finditer(text):
        kind = next(kind for kind in labels() if match[kind.replace(" ", "_")])
        value = match["value"].strip(" .,-/")
        yield Stated(kind, value, match.start("value"), value)


def _amounts(kind: str, pattern: re.Pattern[str], text: str) -> Iterator[Stated]:
    for match in pattern.finditer(text):
        yield Stated(kind, plain_amount(match["value"]), match.start("value"), match["value"])


def _ibans(text: str) -> Iterator[Stated]:
    for match in _IBAN.finditer(text):
        if 15 <= len(iban := match[0].replace(" ", "")) <= 34:
            yield Stated("IBAN", iban, match.start(), match[0])


def _others(text: str) -> Iterator[Stated]:
    for match in _MONTH_YEAR.finditer(text):
        if month := MONTHS.get(match[1].casefold()):
            yield Stated("period", f"{match[2]}-{month:02d}", match.start(), match[0])
    for match in _party_pattern().finditer(text):
        yield Stated("party", " ".join(match[0].split()), match.start(), match[0])
    for match in _ADDRESS.finditer(text):
        yield Stated("address", match[0], match.start(), match[0])


def plain_amount(written: str) -> str:
    """'1.387,30' and "1'387.30" are '1387.30'."""
    digits = "".join(c for c in written if c.isdigit())
    return f"{int(digits[:-2] or 0)}.{digits[-2:]}"


def _dates(text: str) -> Iterator[Stated]:
    for match in _ISO_DATE.finditer(text):
        yield from _date(match, match[1], int(match[2]), match[3])
    for match in _NUMBER_DATE.finditer(text):
        day, month = int(match[1]), int(match[3])
        # 4/28/2024 can only be the American order; what fits both ways is read day first.
        if month > 12 >= day:
            day, month = month, day
        yield from _date(match, match[4], month, str(day))
    for match in _DAY_MONTH.finditer(text):
        yield from _date(match, match[3], MONTHS.get(match[2].casefold()), match[1])
    for match in _MONTH_DAY.finditer(text):
        yield from _date(match, match[3], MONTHS.get(match[1].casefold()), match[2])


def _date(match: re.Match[str], year: str, month: int | None, day: str) -> Iterator[Stated]:
    if month and 1 <= month <= 12 and 1 <= int(day) <= 31:
        year = year if len(year) == 4 else f"20{year}"
        yield Stated("date", f"{year}-{month:02d}-{int(day):02d}", match.start(), match[0])


_T = TypeVar("_T")


def _once(values: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(values))[:_MOST_OF_A_KIND]
