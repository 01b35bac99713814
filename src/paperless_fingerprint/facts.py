"""What a text states: dates, amounts, references, IBANs, parties, addresses; and a small digest of
it that tells thousands of letters of one form apart before any two are aligned.

Every pattern is linear: bounded repetitions, and no two neighbours that match the same characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from zlib import crc32

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.known_words import MONTHS
from paperless_fingerprint.tokens import Tokens, tokenise

# --- What people call the facts, in the languages of Paperless's users -----------------------

_NUMBER_WORDS = r"(?:n\.?[ro°ºu]?\.?|no\.?|num(?:ber|mer|éro|ero)?\.?|número|numero|numer|#|:)"
_LABELS = {
    "invoice number": r"invoice|rechnungs?|beleg|facture|factura|fattura|factuur|faktur[ay]|fatura|nota fiscal",
    "customer number": r"customer|client|kunden|cliente?|klant|klienta|kundennr|abonné|abonado",
    "contract number": r"contract|vertrags?|contrat|contrato|contratto|contractn?|umow[ay]|policy|police|póliza|polizza|polis|apólice",
    "order number": r"order|bestell|auftrags?|commande|pedido|ordine|zamówieni[ea]|encomenda",
    "reference": r"reference|ref|aktenzeichen|zeichen|az|référence|referencia|riferimento|kenmerk|sygnatura|referência|mandatsreferenz",
}  # fmt: skip
_REFERENCE = re.compile(
    r"\b(?:" + "|".join(f"(?P<k{i}>{words})" for i, words in enumerate(_LABELS.values())) + r")"
    # 'Rechnungsnummer', 'Invoice no.:', 'N° de facture' are all followed by the number itself.
    rf"[-\w]{{0,12}}[ .:°º]{{0,3}}{_NUMBER_WORDS}{{0,3}}[ .:°º]{{0,3}}(?P<value>[A-Za-z]{{0,5}}[-/ ]?\d[\w/.-]{{1,24}})",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"\b(?:grand total|total due|total|amount due|balance due|gesamtbetrag|rechnungsbetrag|endbetrag|bruttobetrag|"
    r"zahlbetrag|gesamt|summe|total ttc|net à payer|montant total|importe total|totale|totaal|te betalen|"
    r"razem|do zapłaty|suma|valor total|montante total)\b[^\d\n]{0,25}(?P<value>\d{1,3}(?:[.,' ]\d{3}){0,3}[.,]\d{2}|\d{1,9}[.,]\d{2})",
    re.IGNORECASE,
)
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
_AMOUNT = re.compile(
    r"(?<![\d.,])(?P<value>\d{1,3}(?:[.,' ]\d{3}){0,3}[.,]\d{2}|\d{1,9}[.,]\d{2})(?![\d.,]*\d)"
)
_PARTY = re.compile(
    r"[^\W\d_][\w&.,'’ -]{1,50}[ ,](?:GmbH(?: & Co\. ?(?:KG|OHG))?|AG|KG|OHG|GbR|UG|e\.V\.|Ltd\.?|Inc\.?|LLC|PLC|"
    r"S\.?A\.?R?\.?L?|SAS|S\.L\.|S\.?r\.?l\.?|S\.p\.A\.|B\.?V\.?|N\.V\.|sp\. z o\.o\.|Lda\.?)(?!\w)"
)
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


def read_facts(text: str) -> Facts:
    text = text[:_MOST_TEXT]
    references = []
    for match in _REFERENCE.finditer(text):
        kind = next(k for i, k in enumerate(_LABELS) if match[f"k{i}"])
        references.append((kind, match["value"].strip(" .,-/")))
    total = None
    for match in _TOTAL.finditer(text):
        total = plain_amount(match["value"])  # the last total is the one to pay
    return Facts(
        references=_once(references),
        total=total,
        dates=_once(_dates(text)),
        periods=_once(
            f"{match[2]}-{month:02d}"
            for match in _MONTH_YEAR.finditer(text)
            if (month := MONTHS.get(match[1].casefold()))
        ),
        amounts=_once(plain_amount(match["value"]) for match in _AMOUNT.finditer(text)),
        ibans=_once(
            iban
            for match in _IBAN.finditer(text)
            if 15 <= len(iban := match[0].replace(" ", "")) <= 34
        ),
        parties=_once(" ".join(match[0].split()) for match in _PARTY.finditer(text)),
        addresses=_once(match[0] for match in _ADDRESS.finditer(text)),
    )


def plain_amount(written: str) -> str:
    """'1.387,30' and "1'387.30" are '1387.30'."""
    digits = "".join(c for c in written if c.isdigit())
    return f"{int(digits[:-2] or 0)}.{digits[-2:]}"


def _dates(text: str) -> list[str]:
    found: list[tuple[int, str]] = []

    def add(at: int, year: str, month: int | None, day: str) -> None:
        if month and 1 <= month <= 12 and 1 <= int(day) <= 31:
            year = year if len(year) == 4 else f"20{year}"
            found.append((at, f"{year}-{month:02d}-{int(day):02d}"))

    for m in _ISO_DATE.finditer(text):
        add(m.start(), m[1], int(m[2]), m[3])
    for m in _NUMBER_DATE.finditer(text):
        day, month = int(m[1]), int(m[3])
        # 4/28/2024 can only be the American order; what fits both ways is read day first.
        if month > 12 >= day:
            day, month = month, day
        add(m.start(), m[4], month, str(day))
    for m in _DAY_MONTH.finditer(text):
        add(m.start(), m[3], MONTHS.get(m[2].casefold()), m[1])
    for m in _MONTH_DAY.finditer(text):
        add(m.start(), m[3], MONTHS.get(m[1].casefold()), m[2])
    return [date for _, date in sorted(found)]


_T = TypeVar("_T")


def _once(values: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(values))[:_MOST_OF_A_KIND]


# --- The digest of the facts that is stored with a fingerprint ---------------------------------

#: Values of each of the two kinds that are kept.
MOST_PACKED = 64
_HEADER = 4


def pack_facts(text: str) -> bytes:
    """Hashes of the numbers and of a sample of the ordinary words of a text, 4 bytes each.

    Four header values (the level and the count of numbers, of words), then the sorted hashes of
    the numbers, then those of the words. Each kind is thinned by powers of two, as a levelled
    sketch is, until MOST_PACKED are left: two documents are compared at the higher level.
    The words measure how noisy the pair is; without them nobody knows what missing numbers mean.
    """
    return pack_tokens(tokenise(text))


def pack_tokens(tokens: Tokens) -> bytes:
    numbers: list[str] = []
    words: list[str] = []
    for key in set(tokens.keys):
        if key.isalpha():
            if len(key) >= 5:
                words.append(key)
        elif len(key) >= 2:
            numbers.append(key)
    numbers_level, packed_numbers = _thin(numbers)
    words_level, packed_words = _thin(words)
    header = [numbers_level, len(packed_numbers), words_level, len(packed_words)]
    return np.array(header + packed_numbers + packed_words, dtype="<u4").tobytes()


def _thin(values: list[str]) -> tuple[int, list[int]]:
    hashes = sorted({_mixed(value) for value in values})
    level = 0
    while len(hashes) > MOST_PACKED and level < 31:
        level += 1
        limit = 1 << (32 - level)
        hashes = [value for value in hashes if value < limit]
    return level, hashes


def _mixed(value: str) -> int:
    # CRC is linear: neighbouring numbers get neighbouring sums. The multiplication spreads them.
    return crc32(value.encode()) * 0x9E3779B1 >> 3 & 0xFFFFFFFF


def plausible(
    facts: bytes,
    others: Sequence[bytes],
    *,
    fewest: int = 6,
    slack: float = 0.25,
) -> npt.NDArray[np.bool_]:
    """Which of many documents may be the same as this one, a version or a part of it.

    Implausible is a document whose ordinary words agree with ours and whose numbers do not: the
    same form with other facts. Where too little is known, everything is plausible.
    """
    mine = np.frombuffer(facts, dtype="<u4")
    result = np.ones(len(others), dtype=bool)
    if len(mine) < _HEADER or not others:
        return result
    lengths = np.fromiter((len(other) // 4 for other in others), dtype=np.int64, count=len(others))
    known = lengths >= _HEADER
    if not known.all():
        kept = np.flatnonzero(known).tolist()
        result[kept] = plausible(facts, [others[i] for i in kept], fewest=fewest, slack=slack)
        return result
    values = np.frombuffer(b"".join(others), dtype="<u4")
    starts = np.zeros(len(others), dtype=np.int64)
    np.cumsum(lengths[:-1], out=starts[1:])
    numbers = _shared(mine, values, starts, lengths, 0)
    words = _shared(mine, values, starts, lengths, 1)
    judged = (numbers.fewest >= fewest) & (words.fewest >= fewest)
    kept_words = words.shared / np.maximum(words.fewest, 1)
    # Of true pairs, 99 in 100 keep more numbers than this (benchmarks/relation_cases.py, and real
    # scans); the fewer numbers there are, the more the share is left to chance.
    expected = numbers.fewest * np.maximum(0.12, 0.75 * kept_words - 0.1)
    implausible = judged & (numbers.shared < expected - slack * np.sqrt(numbers.fewest))
    result[implausible] = False
    return result


@dataclass(frozen=True, slots=True)
class _Shared:
    shared: npt.NDArray[np.int64]
    #: The number of values on the side that has fewer.
    fewest: npt.NDArray[np.int64]


def _shared(
    mine: npt.NDArray[np.uint32],
    values: npt.NDArray[np.uint32],
    starts: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
    kind: int,
) -> _Shared:
    numbers = int(mine[1])
    own = mine[_HEADER : _HEADER + numbers] if kind == 0 else mine[_HEADER + numbers :]
    own_level = int(mine[2 * kind])
    levels = np.maximum(values[starts + 2 * kind], own_level)
    # Below this limit both samples are complete.
    limits = (np.uint64(1) << (np.uint64(32) - levels.astype(np.uint64))).astype(np.uint64)
    counts = values[starts + 1].astype(np.int64)
    begin = starts + _HEADER + (counts if kind else 0)
    end = starts + lengths if kind else starts + _HEADER + counts
    inside = values.astype(np.uint64) < np.repeat(limits, lengths)
    found = np.zeros(len(values) + 1, dtype=np.int64)
    held = np.zeros(len(values) + 1, dtype=np.int64)
    if len(own):
        at = np.minimum(np.searchsorted(own, values), len(own) - 1)
        np.cumsum((own[at] == values) & inside, out=found[1:])
    np.cumsum(inside, out=held[1:])
    own_held = np.searchsorted(own.astype(np.uint64), limits)
    return _Shared(found[end] - found[begin], np.minimum(held[end] - held[begin], own_held))
