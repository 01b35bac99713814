"""Writes labelled cases for the judgement of pairs: relation_cases.py OUT_FOLDER [--seed 1] [--senders 24]

--families NAMES (of case_forms.py, comma-separated) takes other kinds of pages than letters, with
rougher scans and other edits: for testing on kinds that were not fitted on.
--scanned prints the pages, scans them badly and has tesseract read them, instead of misreading
letters at random (scanned_pages.py says what it needs): minutes instead of seconds, and no Chinese
or Japanese.

OUT_FOLDER gets docs.jsonl and truth.json in the format of evaluate.py. Every sender has a form of
its own (order, sentences, tables, footers), in eight languages, Chinese and Japanese. Of its
letters some come again: with 1, 3, 5 or 10 % of the characters misread in one copy or in both,
with a stamp, with pages or columns in another order, as a part of a bundle, quoted in a reply,
with 2 to 15 % of the words edited, with corrected amounts. And some are look-alikes: another
month, another customer, the same amounts with another month, one name or one month word as the
only difference. EVERY pair is labelled, by what the two documents were made from.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import textwrap
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import case_forms
import case_texts as texts
from paperless_fingerprint.comparison.relation import Thresholds
from paperless_fingerprint.text.normalise import words

CONFUSED = "0O 1l 5S 8B rnm cle hb uii vy tf ij 6G 2Z 9g ao ec".split()
PAIRS = [(p[: len(p) - 1], p[-1]) for p in CONFUSED]
SWAPS = PAIRS + [(y, x) for x, y in PAIRS]
#: Of the printed words so few were read: as the labelled scans have it, that is a lost page.
_NEARLY_DESTROYED = 0.5
LETTERS = "abcdefghijklmnoprstuvwz"
STAMPS = {
    "en": "RECEIVED {d}|PAID {d}|COPY|Scanned {d} 14:2{k}", "de": "EINGEGANGEN {d}|BEZAHLT am {d}|KOPIE|Eingang {d} Abt. {k}",
    "fr": "REÇU LE {d}|PAYÉ {d}|COPIE", "es": "RECIBIDO {d}|PAGADO|COPIA", "it": "RICEVUTO {d}|PAGATO|COPIA",
    "nl": "ONTVANGEN {d}|BETAALD {d}|KOPIE", "pl": "WPŁYNĘŁO {d}|ZAPŁACONO|KOPIA", "pt": "RECEBIDO {d}|PAGO {d}|CÓPIA",
    "zh": "已收 {d}|复印件", "ja": "受領 {d}|写し",
}  # fmt: skip


@dataclass
class Case:
    """One document: its pages of lines, and what it was made from."""

    pages: list[list[str]]
    made_from: frozenset[tuple[str, int]]
    whole: bool = True
    form: str = ""
    language: str = "en"
    how: str = "original"
    meta: dict = field(default_factory=dict)
    #: What stood in it before it was scanned.
    lines: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Values:
    name: str
    other_name: str
    year: int
    month: int
    seed: int
    fixed_amounts: bool = False


class Sender:
    """A form: what all letters of one sender have in common."""

    def __init__(
        self, rng: random.Random, number: int, language: str, kind: str = "letter"
    ) -> None:
        self.rng, self.number, self.language, self.kind = rng, number, language, kind
        self.cjk = language in texts.CJK
        self.firm = f"{rng.choice(texts.FIRMS)} {rng.choice(texts.FIRMS)}"
        self.place = rng.choice(texts.CJK_PLACES if self.cjk else texts.PLACES)
        self.iban = f"{rng.choice(['DE', 'FR', 'NL', 'PL'])}{rng.randrange(10**19, 10**20)}"
        self.phone = f"0{rng.randrange(100, 999)} {rng.randrange(10**5, 10**7)}"
        self.style = (
            rng.choice(["words", "dots", "iso"]) if not self.cjk else rng.choice(["cjk", "iso"])
        )
        self.prefix = rng.choice(["", "RE-", "2024/", "INV", "K", "FA "])
        self.currency = rng.choice(["€", "EUR", "zł"] if language == "pl" else ["€", "EUR", "£"])
        self.decimal = "." if language in ("en", "zh", "ja") else ","
        self.table = rng.random() < 0.65
        self.columns_apart = rng.random() < 0.5
        if self.cjk:
            _, sentences = texts.CJK[language]
            first, *middle, last = sentences.split("|")
            self.open, self.close = first, last
            self.body = rng.sample(middle, min(len(middle), rng.randrange(5, 9)))
        else:
            firm = rng.choice(texts.TRADES[language].split())
            self.firm += " " + firm
            self.open, self.close = texts.GREETING[language].split("|")
            pool = texts.SENTENCES[language].split("\n")
            self.body = rng.sample(pool, rng.randrange(4, 12))
        self.plain = [s for s in self.body if "{" not in s]
        self.labels = texts.LABELS.get(language, texts.LABELS["en"]).split("|")
        self.footer = rng.random() < 0.6

    def date(self, rng: random.Random, year: int, month: int, day: int | None = None) -> str:
        day = day or rng.randrange(1, 29)
        if self.style == "cjk":
            return f"{year}年{month}月{day}日"
        if self.style == "iso":
            return f"{year}-{month:02d}-{day:02d}"
        if self.style == "dots":
            return f"{day:02d}.{month:02d}.{year}"
        name = texts.MONTHS[self.language].split()[month - 1]
        return {"en": f"{name} {day}, {year}", "de": f"{day}. {name} {year}"}.get(
            self.language, f"{day} {name} {year}"
        )

    def amount(self, rng: random.Random, low: int = 900, high: int = 190000) -> str:
        cents = rng.randrange(low, high)
        whole = f"{cents // 100:,}".replace(",", "." if self.decimal == "," else ",")
        return f"{whole}{self.decimal}{cents % 100:02d}"

    def letter(self, v: Values) -> list[list[str]]:
        """A letter of two halves (pages): header and table, then the text."""
        if self.kind != "letter" and not self.cjk:
            return case_forms.pages(self, self.kind, v)
        rng = random.Random(v.seed)
        fixed = random.Random(self.number if v.fixed_amounts else v.seed + 1)
        month = (
            f"{v.year}年{v.month}月"
            if self.cjk
            else f"{texts.MONTHS[self.language].split()[v.month - 1]} {v.year}"
        )
        lab = self.labels
        reference = f"{self.prefix}{rng.randrange(10000, 999999)}"
        customer = random.Random(v.name + self.firm).randrange(10**5, 10**7)
        date = self.date(rng, v.year, v.month)
        street = random.Random(v.name).randrange(1, 190)
        top = [
            f"{self.firm}",
            f"{self.phone} {self.place}",
            v.name,
            f"{street} {random.Random(v.name).choice(texts.PLACES)}",
        ]
        if self.number % 3 == 0:
            top += [f"{lab[3]} {customer}"]
        top += [f"{lab[1]} {reference}", f"{lab[2]} {date}"]
        if self.table:
            top += [lab[4], lab[5], lab[6], lab[7]] if self.columns_apart else [" ".join(lab[4:8])]
            names = fixed.sample(
                texts.ITEMS.get(self.language, texts.ITEMS["en"]).split("|"), fixed.randrange(2, 6)
            )
            rows = [
                (
                    n,
                    str(fixed.randrange(1, 9)),
                    self.amount(fixed, 200, 9000),
                    self.amount(fixed, 900, 60000),
                )
                for n in names
            ]
            top += [f"{n} {q} {p} {a} {self.currency}" for n, q, p, a in rows]
            top += [
                f"{lab[8]} {self.amount(fixed)}",
                f"{lab[9]} {self.amount(fixed)} {self.currency}",
            ]
        amounts = itertools.cycle([f"{self.amount(fixed)} {self.currency}" for _ in range(4)])
        text = [self.open.format(p=v.name, c=self.place)]
        for sentence in self.body:
            text.append(  # noqa: PERF401 - the order of the random numbers is easier to see
                sentence.format(
                    d=self.date(rng, v.year, v.month % 12 + 1),
                    m=month,
                    a=next(amounts),
                    n=fixed.randrange(100, 9999),
                    r=reference,
                    p=v.name,
                    p2=v.other_name,
                    s=self.firm,
                    c=self.place,
                )
            )
        text += [self.close, v.other_name, self.firm]
        if self.footer:
            text += [f"IBAN {self.iban} {self.place}"]
        return [top, text]

    def person(self, rng: random.Random) -> str:
        if self.cjk:
            return rng.choice(texts.CJK[self.language][0].split())
        first, last = texts.NAMES[self.language]
        return f"{rng.choice(first.split())} {rng.choice(last.split())}"


def damage(text: str, rate: float, rng: random.Random) -> str:
    """Misreads about `rate` of the characters: confusions, wrong letters, lost and added ones."""
    out = []
    i = 0
    while i < len(text):
        c = text[i]
        if c == "\n" or rng.random() >= rate:
            out.append(c)
            i += 1
            continue
        kind = rng.random()
        swaps = [(x, y) for x, y in SWAPS if text.startswith(x, i)]
        if kind < 0.55 and swaps:
            x, y = rng.choice(swaps)
            out.append(y)
            i += len(x)
            continue
        if c.isdigit():
            if kind < 0.85:
                out.append(rng.choice("0123456789"))
        elif "\u3040" < c < "\u9fff":
            out.append(chr(ord(c) + rng.randrange(1, 60)) if kind < 0.8 else "")
        elif kind < 0.75:
            out.append(rng.choice(LETTERS))
        elif kind < 0.85:
            out.append(c + rng.choice(LETTERS + ".,'"))
        elif kind < 0.92 and c == " ":
            pass
        elif kind >= 0.92:
            out.append(c + " ")
        i += 1
    return "".join(out)


#: With --scanned: what is to be printed; its place stands for the text until it has been read.
PRINTS: list | None = None
#: Words. What an edit of fewer did may as well have been misread.
FEWEST_EDITED = 4


def scan(pages: list[list[str]], rate: float, rng: random.Random, language: str, how: str) -> str:
    if PRINTS is not None:
        return print_later(pages, rate, rng, language, how)
    pages = wrap(pages, rng.choice([60, 75, 90, 90, 200]))
    if "lines" in how and rng.random() < 0.7:
        page = rng.choice(pages)
        if len(page) > 6:
            del page[rng.randrange(len(page))]
    if "columns" in how:
        for page in pages:
            # The last column of the rows that end in a price is read after them all.
            ends = [
                (k, re.search(r" ([\d.,]+(?: \S{1,3})?)$", line)) for k, line in enumerate(page)
            ]
            hits = [(k, m) for k, m in ends if m]
            if len(hits) >= 3:
                moved = [m[1] for _, m in hits]
                for k, m in hits:
                    page[k] = page[k][: m.start()]
                at = hits[-1][0] + 1 if rng.random() < 0.6 else len(page)
                page[at:at] = moved
    if "stamp" in how:
        stamp = rng.choice(STAMPS[language].split("|")).format(
            d=f"{rng.randrange(1, 28):02d}.{rng.randrange(1, 12):02d}.2025", k=rng.randrange(9)
        )
        page = pages[0]
        page.insert(rng.choice([0, len(page), rng.randrange(len(page))]), stamp)
    if "reordered" in how:
        pages = pages[1:] + pages[:1]
    if "rubbish" in how:
        for _ in range(rng.randrange(2, 6)):
            page = rng.choice(pages)
            page.insert(
                rng.randrange(len(page) + 1),
                " ".join(
                    "".join(rng.choice("il|._-~°abETr") for _ in range(rng.randrange(1, 5)))
                    for _ in range(rng.randrange(1, 4))
                ),
            )
    if "smudge" in how:
        for _ in range(rng.randrange(1, 3)):
            smudge(rng.choice(pages), rng)
    if "rough" in how:
        pages = [roughen(page, rng) for page in pages]
    if "digits" in how:
        pages = [[misread_digits(line, rng) for line in page] for page in pages]
    return damage("\n\n".join("\n".join(page) for page in pages), rate, rng)


def print_later(
    pages: list[list[str]], rate: float, rng: random.Random, language: str, how: str
) -> str:
    from scanned_pages import FONTS, Print

    pages = wrap(pages, 90)
    if rate == 0 and not how and rng.random() < 0.5:
        return "\n\n".join("\n".join(page) for page in pages)  # born digital
    if "reordered" in how:
        pages = pages[1:] + pages[:1]
    stamp = ""
    if "stamp" in how:
        stamp = rng.choice(STAMPS[language].split("|")).format(
            d=f"{rng.randrange(1, 28):02d}.{rng.randrange(1, 12):02d}.2025", k=rng.randrange(9)
        )
    # A letter keeps the type of its form: the wording of its first line decides.
    font = FONTS[random.Random(pages[0][0] if pages[0] else "").randrange(len(FONTS))]
    printed = Print(
        tuple(map(tuple, pages)), max(rate, 0.002), language, font, rng.randrange(2**32), stamp
    )
    PRINTS.append(printed)
    return f"\0{len(PRINTS) - 1}"


ACCENTS = str.maketrans("éèêëäåáàâãöóòôõüúùûíìîïçñßłśźżćńęą", "6eeea4aaaao6o0ouuuuiiiicnBls22enqq")


def roughen(page: list[str], rng: random.Random) -> list[str]:
    """What happens to a bad page as a whole: a few of the things that engines do to it."""
    page = list(page)
    for _ in range(rng.randrange(1, 3)):
        at = rng.randrange(len(page))
        what = rng.randrange(8)
        if what == 0:  # a crease: a few lines with a third of the letters wrong
            for k in range(at, min(len(page), at + rng.randrange(1, 4))):
                page[k] = damage(page[k], 0.3, rng)
        elif what == 1:  # a line that nobody can read
            page[at] = " ".join(
                "".join(rng.choice("aeoilrtnsETLIPOA10.|") for _ in range(rng.randrange(1, 7)))
                for _ in page[at].split()
            )
        elif what == 2:  # the edge of the page is lost
            page = (
                page[rng.randrange(1, 3) :] if rng.random() < 0.5 else page[: -rng.randrange(1, 3)]
            )
            page = page or ["."]
        elif what == 3:  # a table is read cell by cell, column after column
            rows = [k for k, line in enumerate(page) if len(re.findall(r"\d[.,]\d\d\b", line)) >= 1]
            if len(rows) >= 4:
                cells = [page[k].rsplit(" ", 2) for k in rows]
                columns = list(itertools.zip_longest(*cells, fillvalue=""))
                page[rows[0] : rows[-1] + 1] = [
                    *(page[k] for k in range(rows[0], rows[-1]) if k not in rows),
                    *(cell for column in columns for cell in column if cell),
                ]
        elif what == 4:  # commas and points fall through
            page = [
                re.sub(r"(?<=\d)[.,](?=\d)", rng.choice(["", " "]), line)
                if rng.random() < 0.5
                else line
                for line in page
            ]
        elif what == 5:  # read with the wrong language
            page = [line.translate(ACCENTS) for line in page]
        elif what == 6:  # spaces within words, words run together
            page = [
                re.sub(r"(?<=\w) (?=\w)", lambda _: "" if rng.random() < 0.06 else " ", line)
                for line in page
            ]
        else:
            page = [misread_digits(line, rng) for line in page]
    return page


def rewrite(pages: list[list[str]], rng: random.Random, pool: list[str]) -> list[list[str]]:
    """A next draft: a sentence more, one less, one in other words, or two or three words changed."""
    text = list(pages[1])
    pool = [s for s in pool if "{" not in s]
    prose = [k for k, line in enumerate(text) if len(line.split()) >= 8]
    kind = rng.randrange(4)
    at = rng.choice(prose) if prose else 0
    if kind == 0 or not prose:
        text.insert(rng.randrange(0, len(text)), rng.choice(pool))
    elif kind == 1 and len(prose) >= 4:
        del text[at]
    elif kind == 2:
        words, other = text[at].split(), rng.choice(pool).split()
        keep = rng.randrange(3, max(4, len(words) // 2 + 1))
        text[at] = " ".join(words[:keep] + other[keep:])
    else:
        words = text[at].split()
        start, size = rng.randrange(1, len(words) - 4), rng.randrange(2, 5)
        words[start : start + size] = rng.choice(pool).split()[2 : 2 + rng.randrange(2, 6)]
        text[at] = " ".join(words)
    return [pages[0], text]


def smudge(page: list[str], rng: random.Random) -> None:
    """A stamp or a crease over a few words: what the engine makes of them is short and wild."""
    k = rng.randrange(len(page))
    words = page[k].split()
    if len(words) < 2:
        return
    at, size = rng.randrange(len(words)), rng.randrange(1, 7)
    wild = [
        "".join(rng.choice("aeoilrtnsELTIPOA10") for _ in range(rng.randrange(1, 8)))
        for _ in range(rng.randrange(0, size + 1))
    ]
    words[at : at + size] = wild
    page[k] = " ".join(words)


def misread_digits(line: str, rng: random.Random) -> str:
    """A faint print: some numbers lose their first digit, or one or two are taken for others."""

    def read(match: re.Match[str]) -> str:
        number = match[0]
        if rng.random() > 0.12:
            return number
        if rng.random() < 0.35:
            return number[rng.randrange(1, 3) :]
        for _ in range(rng.randrange(1, 3)):
            i = rng.randrange(len(number))
            if number[i].isdigit():
                number = (
                    number[:i]
                    + {
                        "1": "4",
                        "4": "1",
                        "3": "8",
                        "8": "3",
                        "5": "6",
                        "6": "5",
                        "0": "9",
                        "9": "0",
                        "7": "1",
                        "2": "7",
                    }[number[i]]
                    + number[i + 1 :]
                )
        return number

    return re.sub(r"\d[\d.,]{3,}", read, line)


def wrap(pages: list[list[str]], width: int) -> list[list[str]]:
    """Long sentences run on over the lines of a paragraph, as they do on paper."""
    wrapped = []
    for page in pages:
        lines, prose = [], []
        for line in [*page, ""]:
            if len(line) > 45 and " " in line:
                prose.append(line)
                continue
            if prose:
                lines += textwrap.wrap(" ".join(prose), width, break_on_hyphens=False)
                prose = []
            if line:
                lines.append(line)
        wrapped.append(lines)
    return wrapped


def edit(
    pages: list[list[str]], share: float, rng: random.Random, pool: list[str]
) -> list[list[str]]:
    """Edits a share of the words of the text, here and there a few in a row; facts stay mostly."""
    text = list(pages[1])
    words = " ".join(pool).replace("{", "").replace("}", "").split()
    budget = max(2, int(share * sum(len(line.split()) for line in text)))
    if rng.random() < 0.5:
        sentence = rng.choice(pool)
        if "{" not in sentence:
            text.insert(rng.randrange(1, len(text) - 2), sentence)
            budget -= 6
    while budget > 0:
        k = rng.randrange(0, len(text) - 2)
        line = text[k].split()
        plain = [i for i, w in enumerate(line) if w.isalpha() and w.islower()]
        if not plain:
            budget -= 1
            continue
        i = rng.choice(plain)
        run = rng.randrange(1, 4)
        line[i : i + run] = [
            rng.choice(words).strip(".,") for _ in range(rng.choice([run, run, run + 1]))
        ]
        text[k] = " ".join(line)
        budget -= run
    return [pages[0], text]


def correct(pages: list[list[str]], rng: random.Random, sender: Sender) -> list[list[str]] | None:
    """Changes three to five amounts, nothing else."""
    places = [
        (p, k, m.span())
        for p, page in enumerate(pages)
        for k, line in enumerate(page)
        for m in re.finditer(r"\d[\d.,]*[.,]\d\d(?!\d)(?![.]\d)", line)
    ]
    if len(places) < 5:
        return None
    out = [list(page) for page in pages]
    for p, k, (start, end) in sorted(rng.sample(places, rng.randrange(3, 6)), reverse=True):
        out[p][k] = out[p][k][:start] + sender.amount(rng) + out[p][k][end:]
    return out


def receipt(rng: random.Random, firm: str, lang: str) -> list[list[str]]:
    items = texts.ITEMS[lang].replace("|", " ").split()
    lines = [firm, f"{rng.choice(texts.PLACES)} {rng.randrange(1, 99)}"]
    lines += [
        f"{rng.choice(items).upper()} {rng.randrange(1, 40)}.{rng.randrange(100):02d}"
        for _ in range(rng.randrange(4, 8))
    ]
    lines += [
        f"{texts.LABELS[lang].split('|')[9].upper()} {rng.randrange(20, 99)}.{rng.randrange(100):02d}"
    ]
    lines += [
        f"{rng.randrange(1, 28):02d}/{rng.randrange(1, 13):02d}/{rng.randrange(2018, 2025)} {rng.randrange(8, 20)}:{rng.randrange(10, 60)}",
        f"{rng.choice(['KASSE', 'POS', 'TERM'])} {rng.randrange(1, 9)} BON {rng.randrange(1000, 9999)}",
    ]
    return [lines]


def make(
    seed: int, senders: int, families: tuple[str, ...] = ("letter",)
) -> tuple[list[dict], list[dict]]:
    rng = random.Random(seed)
    rough = families != ("letter",)
    languages = [*texts.SENTENCES, "zh", "ja", "de", "en"]
    if PRINTS is not None:
        languages = [*texts.SENTENCES]
    cases: list[Case] = []
    letters: list[tuple[Sender, Values, list[list[str]], str]] = []
    for number in range(senders):
        language = languages[(number + seed) % len(languages)]
        sender = Sender(rng, number, language, families[number % len(families)])
        form = f"form{number}"
        people = [sender.person(rng) for _ in range(4)]
        fixed = rng.random() < 0.35
        base = Values(
            people[0],
            people[1],
            rng.randrange(2015, 2025),
            rng.randrange(1, 13),
            rng.randrange(10**9),
            fixed,
        )
        months = [base]
        for k in range(2):
            month = (base.month + k) % 12 + 1
            months.append(
                Values(
                    people[0],
                    people[1],
                    base.year + (month < base.month),
                    month,
                    rng.randrange(10**9),
                    fixed,
                )
            )
        months.append(
            Values(people[2], people[1], base.year, base.month, rng.randrange(10**9), fixed)
        )
        for k, values in enumerate(months):
            letters.append((sender, values, sender.letter(values), f"{form}/{k}"))
        first = sender.letter(base)
        # Nothing but the name differs; nothing but the month.
        named = [[line.replace(people[0], people[3]) for line in page] for page in first]
        if people[3] != people[0] and named != first:
            letters.append((sender, replace(base, name=people[3]), named, f"{form}/name"))
        if not sender.cjk:
            names = texts.MONTHS[language].split()
            other = names[(base.month + 5) % 12]
            renamed = [
                [re.sub(rf"\b{names[base.month - 1]}\b", other, line) for line in page]
                for page in first
            ]
            changed = [
                sum(x != y for x, y in zip(p, q, strict=True))
                for p, q in zip(renamed, first, strict=True)
            ]
            if sum(changed):
                letters.append((sender, base, renamed, f"{form}/month"))
    # Fixed by seed and place, so that adding a kind of case does not reshuffle the others.
    rates = [
        (0, 0),
        (0.01, 0),
        (0.03, 0),
        (0.05, 0),
        (0.1, 0),
        (0.01, 0.01),
        (0.03, 0.03),
        (0.05, 0.05),
    ]
    hows = [
        "",
        "",
        "stamp",
        "columns",
        "reordered",
        "stamp rubbish",
        "lines columns",
        "rubbish",
        "reordered stamp",
        "smudge",
        "digits",
        "smudge columns digits",
        "smudge stamp",
    ]
    if rough:
        hows += ["rough", "rough", "rough stamp", "rough smudge"]
    turn = itertools.cycle(rates)
    for sender, values, pages, name in letters:
        meta = {"correspondent": sender.firm, "created": f"{values.year}-{values.month:02d}-15"}
        origin = frozenset({(name, 0)})

        def add(
            pages,
            rate,
            how,
            made_from,
            whole=True,
            label="",
            sender=sender,
            meta=meta,
            name=name,
            shows=None,
        ):
            form = name.split("/")[0]
            text = scan(pages, rate, rng, sender.language, how)
            cases.append(
                Case(
                    [[text]],
                    made_from,
                    whole,
                    form,
                    sender.language,
                    label or how or "plain",
                    meta,
                    lines_of(shows or pages),
                )
            )

        one, both = next(turn)
        add(pages, both, "", origin, label=f"noise {both:.0%}")
        draw = rng.random()
        if draw < 0.55:
            add(pages, one, rng.choice(hows), origin, label=f"noise {one:.0%}/{both:.0%}")
        if draw < 0.1:
            add(pages, 0.02, rng.choice(hows), origin)
        if 0.45 < draw < 0.65 and not sender.cjk:
            share = rng.uniform(0.02, 0.15)
            pool = texts.SENTENCES[sender.language].split("\n")
            if rough:
                pool = case_forms.CLAUSES[sender.language].split("\n")
            add(
                rewrite(pages, rng, pool)
                if rough and rng.random() < 0.6
                else edit(pages, share, rng, pool),
                rng.choice([0, 0.003, 0.01]),
                "",
                frozenset({(name, 1)}),
                label="version",
            )
        elif 0.65 < draw < 0.78:
            corrected = correct(pages, rng, sender)
            if corrected:
                add(
                    corrected,
                    rng.choice([0, 0.003, 0.01]),
                    "",
                    frozenset({(name, 2)}),
                    label="correction",
                )
        elif 0.78 < draw < 0.9 and not sender.cjk:
            reply = [
                [
                    values.name,
                    sender.firm,
                    f"{rng.randrange(1, 28)}.{rng.randrange(1, 13)}.{values.year}",
                ],
                [
                    *rng.sample(
                        texts.SENTENCES[sender.language]
                        .replace("{d}", "")
                        .replace("{n}", "")
                        .replace("{a}", "")
                        .replace("{p2}", "")
                        .replace("{m}", "")
                        .replace("{c}", "")
                        .replace("{r}", "")
                        .split("\n"),
                        4,
                    ),
                    sender.labels[13],
                ],
            ]
            quoted = [("> " if seed % 2 else "") + line for page in pages for line in page][
                rng.choice([0, 0, 4]) :
            ]
            add(
                [*reply, quoted],
                rng.choice([0, 0.01]),
                "",
                origin,
                whole=False,
                label="quote",
                shows=[quoted],
            )
    # Forms with free text: the same two parties and no facts of their own, other words in the
    # fields. (With one reference, date and total they would be versions: see design.)
    for number in range(max(3, senders // 5)):
        language = rng.choice([*texts.SENTENCES])
        sender = Sender(rng, 2000 + number, language)
        sender.body = [s for s in sender.body if not re.search(r"\{[damnr]", s)]
        plain = [s for s in texts.SENTENCES[language].split("\n") if "{" not in s]
        plain = [s for s in plain if s not in sender.body]
        sender.body += rng.sample(plain, min(len(plain), max(0, 8 - len(sender.body))))
        sender.table = False
        values = Values(sender.person(rng), sender.person(rng), 2020, 5, rng.randrange(10**9))
        blank = sender.letter(values)
        blank[0] = [line for line in blank[0] if not line.startswith(tuple(sender.labels[1:3]))]
        fields = rng.sample(
            range(1, len(blank[1]) - 2), min(len(blank[1]) - 3, rng.randrange(3, 6))
        )
        pool = " ".join(
            texts.SENTENCES[language].replace("{", " ").replace("}", " ").split("\n")
        ).split()
        for k in range(4):
            text = list(blank[1])
            for place in fields:
                at = rng.randrange(0, max(1, len(text[place].split()) - 2))
                size = rng.randrange(3, 12)
                words = text[place].split()
                words[at : at + rng.randrange(2, 9)] = rng.sample(pool, size)
                text[place] = " ".join(words)
            origin = frozenset({(f"free{number}/{k}", 0)})
            for rate in (0.0, 0.01)[: 2 if k == 0 else 1]:
                page = scan([blank[0], text], rate, rng, language, "")
                cases.append(
                    Case([[page]], origin, True, f"free{number}", language, "free text", {})
                )
    # Long documents: many sentences, each with figures of its own.
    for number in range(3):
        language = rng.choice([*texts.SENTENCES])
        sender = Sender(rng, 1000 + number, language)
        sender.body = texts.SENTENCES[language].split("\n")
        letters_in_it = [
            sender.letter(
                Values(
                    sender.person(rng),
                    sender.person(rng),
                    rng.randrange(2015, 2025),
                    rng.randrange(1, 13),
                    rng.randrange(10**9),
                )
            )
            for _ in range(rng.randrange(6, 20))
        ]
        pages = [page for letter in letters_in_it for page in letter]
        whole, changed = (f"long{number}/0", 0), (f"long{number}/0", 1)
        edited = list(pages)
        for k in range(1, len(pages), 2):
            edited[k - 1 : k + 1] = edit(
                [pages[k - 1], pages[k]], rng.uniform(0.03, 0.12), rng, sender.body
            )
        for made, rate, how, origin in (
            (pages, 0.0, "", whole),
            (pages, 0.01, "lines stamp", whole),
            (edited, 0.005, "", changed),
        ):
            text = scan(made, rate, rng, language, how)
            cases.append(
                Case(
                    [[text]],
                    frozenset({origin}),
                    True,
                    f"long{number}",
                    language,
                    "version" if origin is changed else "long " + how,
                    {},
                )
            )
    # Bundles of letters that are not from one form.
    for size in (3, 5, 12, 25):
        chosen = rng.sample(letters, min(size, len(letters)))
        seen: dict[str, tuple] = {letter[3].split("/")[0]: letter for letter in chosen}
        picked = list(seen.values())
        pages = [page for letter in picked for page in letter[2]]
        text = scan(pages, rng.choice([0, 0.01]), rng, picked[0][0].language, "")
        cases.append(
            Case(
                [[text]],
                frozenset((letter[3], 0) for letter in picked),
                False,
                "bundle",
                picked[0][0].language,
                "bundle",
                {},
                lines_of(pages),
            )
        )
    for number in range(max(4, senders // 3)):
        firm, lang = f"{rng.choice(texts.FIRMS)} Markt", rng.choice([*texts.SENTENCES])
        for k in range(3):
            pages = receipt(rng, firm, lang)
            made_from = frozenset({(f"receipt{number}/{k}", 0)})
            for rate in (0.0, 0.02)[: 2 if k < 2 else 1]:
                text = scan(pages, rate, rng, lang, "columns" if rate and k else "")
                cases.append(
                    Case(
                        [[text]],
                        made_from,
                        True,
                        f"receipt{number}",
                        lang,
                        "receipt",
                        {"correspondent": firm},
                    )
                )
    rng.shuffle(cases)
    docs = []
    for id, case in enumerate(cases, 1):
        text = case.pages[0][0]
        docs.append(
            {
                "id": id,
                "title": f"scan {id}",
                "content": text,
                **case.meta,
                "original_filename": f"scan_{id}.pdf",
                "page_count": 1 + len(text) // 2500,
            }
        )
    return docs, label_pairs(cases, {letter[3]: lines_of(letter[2]) for letter in letters})


def lines_of(pages: list[list[str]]) -> frozenset[str]:
    return frozenset(line.removeprefix("> ") for page in pages for line in page)


def nothing_tells_apart(part: Case, other: Case, originals: dict[str, frozenset[str]]) -> bool:
    """Whether all that the two letters differ in was left out of what was quoted from one."""
    for name in {n for n, _ in part.made_from}:
        for rival in {n for n, _ in other.made_from}:
            if name.split("/")[0] == rival.split("/")[0] and name != rival:
                theirs = originals.get(rival, frozenset())
                if (originals.get(name, frozenset()) - theirs) & part.lines:
                    return False
    return True


def words_edited(a: Case, b: Case) -> int:
    only_a, only_b = (
        Counter(word for line in one.lines - other.lines for word in line.split())
        for one, other in ((a, b), (b, a))
    )
    return max((only_a - only_b).total(), (only_b - only_a).total())


def label_pairs(cases: list[Case], originals: dict[str, frozenset[str]]) -> list[dict]:
    pairs = []
    for (i, a), (j, b) in itertools.combinations(enumerate(cases, 1), 2):
        names_a, names_b = {n for n, _ in a.made_from}, {n for n, _ in b.made_from}
        shared = names_a & names_b
        how = a.how if a.how != "plain" and not a.how.startswith("noise 0%") else b.how
        if a.whole and b.whole:
            if a.made_from == b.made_from:
                label, relation = (
                    "dup",
                    f"{a.language if a.language in ('zh', 'ja') else 'copy'} {how}"
                    if "receipt" not in how
                    else "receipt",
                )
            elif shared:
                label, relation = (
                    "version",
                    next((c.how for c in (a, b) if c.how in ("version", "correction")), "version"),
                )
                if relation == "version" and words_edited(a, b) < FEWEST_EDITED:
                    label, relation = "ambiguous", "hardly edited"
            elif a.form == b.form:
                kinds = {n.split("/")[1] for n in names_a | names_b} & {"name", "month"}
                kinds |= {"free text"} if a.form.startswith("free") else set()
                label, relation = "neg", f"template {' '.join(sorted(kinds))}".strip()
            else:
                continue
        elif shared:
            if a.whole or b.whole:
                label, relation = "partial", next(c.how for c in (a, b) if not c.whole)
            else:
                label, relation = "ambiguous", "both hold it"
        elif {n.split("/")[0] for n in names_a} & {n.split("/")[0] for n in names_b}:
            label, relation = "neg", "template in bundle"
            if any(
                not part.whole and nothing_tells_apart(part, other, originals)
                for part, other in ((a, b), (b, a))
            ):
                label, relation = "ambiguous", "nothing tells them apart"
        else:
            continue
        relation = re.sub(
            r" (stamp|columns|reordered|rubbish|lines|smudge|digits|rough).*", r" \1", relation
        )
        pairs.append(
            {
                "a": i,
                "b": j,
                "relation": relation,
                "label": label,
                "how": [a.how, b.how],
                "language": a.language,
                "family": a.form,
            }
        )
    return pairs


def main() -> None:
    global PRINTS  # noqa: PLW0603
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--senders", type=int, default=24)
    parser.add_argument("--families", default="letter", help=", ".join(case_forms.FAMILIES))
    parser.add_argument("--scanned", action="store_true")
    options = parser.parse_args()
    if options.scanned:
        PRINTS = []
    docs, pairs = make(options.seed, options.senders, tuple(options.families.split(",")))
    if PRINTS:
        from scanned_pages import read_all, share_read

        texts_read = read_all(PRINTS)
        lost = set()
        for doc in docs:
            if doc["content"].startswith("\0"):
                number = int(doc["content"][1:])
                doc["content"] = texts_read[number]
                if share_read(PRINTS[number], texts_read[number]) < _NEARLY_DESTROYED:
                    lost.add(doc["id"])
        # Nobody can say what a page is that cannot be read.
        for pair in pairs:
            if pair["label"] != "neg" and lost & {pair["a"], pair["b"]}:
                pair["label"] = "lost"
    # Texts of fewer words enter no comparison, whoever reads them.
    short = {doc["id"] for doc in docs if len(words(doc["content"])) < Thresholds().min_words}
    for pair in pairs:
        if pair["label"] != "neg" and short & {pair["a"], pair["b"]}:
            pair["label"] = "short"
    options.folder.mkdir(parents=True, exist_ok=True)
    with (options.folder / "docs.jsonl").open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(doc, ensure_ascii=False) + "\n" for doc in docs)
    truth = {"seed": options.seed, "documents": len(docs), "pairs": pairs}
    (options.folder / "truth.json").write_text(json.dumps(truth), "utf-8")


if __name__ == "__main__":
    main()
