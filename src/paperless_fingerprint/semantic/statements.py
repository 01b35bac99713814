"""What a text states in any language: amounts, dates, numbers, references, names.

Words change when a text is translated or re-typed; '1.240,00 €' becomes '€1,240.00' and '5 mars
2024' becomes '05.03.2024', but they state the same. So each is brought into one form here. That
two letters of one form name different amounts shows even where they are in two languages.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from enum import IntEnum

from paperless_fingerprint.text.lexicon import MONTHS

#: A longer text states more than decides anything; the beginning and the end hold what matters.
_CHARACTERS = 60_000


class Kind(IntEnum):
    DATE = 0
    AMOUNT = 1
    REFERENCE = 2
    NUMBER = 3
    NAME = 4


@dataclass(frozen=True, slots=True)
class Statement:
    kind: Kind
    #: All that it can mean: '05/02/2024' is a day of February or of May.
    readings: frozenset[str]


@dataclass(frozen=True, slots=True)
class Statements:
    found: tuple[Statement, ...]
    #: Octets of the text. A Chinese character is about as many of them as it is letters elsewhere.
    size: int
    #: All words, casefolded: a name of another text may stand here in small letters.
    words: frozenset[str]


# Month names as a regular expression, longest first, so that 'sept' does not win over 'september'.
_MONTH = "|".join(sorted(map(re.escape, MONTHS), key=lambda name: (-len(name), name)))
_DAY = r"(\d{1,2})(?:\s?(?:st|nd|rd|th|er|re|º|ª|°|o)\b)?\.?"
_DATES = re.compile(
    rf"""
      (?<![\w.,/-]) (?P<iso>\d{{4}}[-./]\d{{1,2}}[-./]\d{{1,2}}) (?![\w/-])
    | (?<![\w.,/-]) (?P<numeric>\d{{1,2}}[./-]\s?\d{{1,2}}[./-]\s?(?:\d{{4}}|\d{{2}})) (?![\w/-])
    | (?P<cjk>\d{{4}}\s?[年년]\s?\d{{1,2}}\s?[月월](?:\s?\d{{1,2}}\s?[日일])?)
    | (?<!\w) (?:{_DAY.replace("(", "(?P<day>", 1)}\s{{0,3}}(?:of\s|de\s|d[’']\s?)?)?
      \s{{0,2}}(?P<month>{_MONTH})\b\.? (?:\s{{1,3}}(?P<us_day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d|[.:,]\d))?
      ,? \s{{0,3}}(?:de\s|del\s|of\s)? (?P<year>(?:19|20)\d\d)? (?!\w)
    """,
    re.VERBOSE,
)
# Digits with what stands between them, and letters before or behind: amounts, numbers, references.
_NUMBERS = re.compile(
    r"(?<![^\W_])(?:[^\W\d_]{1,6}[-/.]?){0,3}\d[^\W_]*(?:(?:[.,:/'’\-]|(?<=\d)[ \u00a0\u202f](?=\d{3}(?!\d)))[^\W_]+){0,8}"
)
_SPACES = re.compile(r"[ \u00a0\u202f]")
_AMOUNT = re.compile(r"\d{1,3}(?:[.,'’]\d{3})*[.,]\d{2}|\d+[.,]\d{2}")
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,'’]\d{3})+")
_DECIMAL = re.compile(r"\d+[.,]\d+")
_WORD = re.compile(r"[^\W\d_]{2,40}")
_NOT_ALNUM = re.compile(r"[\W_]+")
# Names of commands, fields and files are the same in every language: some_thing, someThing.
_CODE = re.compile(r"\b[^\W\d_]\w{0,30}_\w{0,30}[^\W_]\b|\b[a-z]{2,15}[A-Z][a-z]\w{0,30}\b")
# In the middle of a sentence: every language begins one, and a line, with a capital.
_NAME = re.compile(r"(?<=[^\W_][ ,(])[^\W\d_a-zß-ÿ][^\W\d_]{2,39}")


def statements(text: str) -> Statements:
    size = len(" ".join(text.split()).encode("utf-8", "replace"))
    if len(text) > _CHARACTERS:
        text = text[: _CHARACTERS // 2] + "\n" + text[-_CHARACTERS // 2 :]
    text = unicodedata.normalize("NFKC", text)
    found: dict[Statement, None] = {}
    rest: list[str] = []
    end = 0
    lowered = text.casefold()
    if len(lowered) != len(text):
        # Places must be the same in both; 'ß' is rare enough to lose the names for.
        text = lowered
    for match in _DATES.finditer(lowered):
        readings = _date_readings(match)
        if readings:
            found[Statement(Kind.DATE, readings)] = None
            rest.append(lowered[end : match.start()])
            end = match.end()
    rest.append(lowered[end:])
    for match in _NUMBERS.finditer(" \n ".join(rest)):
        statement = _number(match[0])
        if statement:
            found[statement] = None
    for match in _NAME.finditer(text):
        name = match[0].casefold()
        if name not in MONTHS:
            found[Statement(Kind.NAME, frozenset({name}))] = None
    for match in _CODE.finditer(text):
        found[Statement(Kind.REFERENCE, frozenset({match[0].casefold()}))] = None
    return Statements(tuple(found), size, frozenset(_WORD.findall(lowered)))


def _date_readings(match: re.Match[str]) -> frozenset[str]:
    if match["iso"]:
        year, month, day = map(int, re.split(r"[-./]", match["iso"]))
        return _valid((year, month, day))
    if match["numeric"]:
        first, second, year = (int(part) for part in re.split(r"[-./]", match["numeric"]))
        year += 2000 if year < 70 else 1900 if year < 100 else 0
        return _valid((year, second, first), (year, first, second))
    if match["cjk"]:
        parts = [int(part) for part in re.findall(r"\d+", match["cjk"])]
        return _valid((parts[0], parts[1], parts[2])) if len(parts) == 3 else _month(*parts)
    month = MONTHS[match["month"]]
    written_day = match["day"] or match["us_day"]
    if not match["year"]:
        # 'may' and 'mars' are words, too; a day beside it makes it a date of an unnamed year.
        return frozenset({f"--{month:02}-{int(written_day):02}"}) if written_day else frozenset()
    year = int(match["year"])
    return _valid((year, month, int(written_day))) if written_day else _month(year, month)


def _valid(*dates: tuple[int, int, int]) -> frozenset[str]:
    readings = set()
    for year, month, day in dates:
        try:
            readings.add(date(year, month, day).isoformat())
        except ValueError:
            continue
    return frozenset(readings)


def _month(year: int, month: int) -> frozenset[str]:
    return frozenset({f"{year}-{month:02}"}) if 1 <= month <= 12 else frozenset()


def _number(written: str) -> Statement | None:
    text = _SPACES.sub("", written)
    if _AMOUNT.fullmatch(text):
        whole, cents = _NOT_ALNUM.sub("", text[:-3]).lstrip("0") or "0", text[-2:]
        value = whole if cents == "00" else f"{whole}.{cents}"
        return Statement(Kind.AMOUNT, frozenset({value}))
    if text.isdigit():
        kind = Kind.REFERENCE if len(text) >= 5 else Kind.NUMBER
        return Statement(kind, frozenset({text.lstrip("0") or "0"}))
    if _THOUSANDS.fullmatch(text):
        whole = _NOT_ALNUM.sub("", text)
        return Statement(Kind.NUMBER, frozenset({whole, _decimal(text)}))
    if _DECIMAL.fullmatch(text):
        return Statement(Kind.NUMBER, frozenset({_decimal(text)}))
    bare = _NOT_ALNUM.sub("", text)
    if sum(map(str.isdigit, bare)) < 2:
        return None
    return Statement(Kind.REFERENCE, frozenset({bare}))


def _decimal(text: str) -> str:
    whole, _, digits = text.replace(",", ".").rpartition(".")
    digits = digits.rstrip("0")
    whole = _NOT_ALNUM.sub("", whole).lstrip("0") or "0"
    return f"{whole}.{digits}" if digits else whole
