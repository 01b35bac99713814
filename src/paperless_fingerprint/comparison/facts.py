"""What a text states: dates, amounts, references, IBANs, parties, addresses.

Every pattern is linear: bounded repetitions, and no two neighbours that match the same characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from paperless_fingerprint.text.lexicon import MONTHS

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
