"""Forms and the letters written on them.

A `Sender` has a name, an address and habits; a `Form` is one kind of document of one sender, with
its wording and layout; a `Letter` says what is filled in. The same letter gives the same page
always, and every value in it has a name, so that one can be changed and nothing else.
"""

from __future__ import annotations

import random
import re
import textwrap
import tomllib
from dataclasses import dataclass, replace
from functools import cache, cached_property

from benchmarks.made.language import FOLDER, Language, between

_SLOT = re.compile(r"\{(a|d|m|n|r|p|p2|s|c)\}")
_SLOT_TYPES = {"a": "amount", "d": "date", "m": "month", "n": "n", "r": "ref", "p": "person",
               "p2": "person", "s": "firm", "c": "place"}  # fmt: skip

#: What a person has whoever writes to them; the first customers are the household's.
_OF_THE_HOUSE = ("name", "address", "birth", "phone", "account")


@cache
def book() -> dict:
    return tomllib.loads((FOLDER / "families.toml").read_text("utf-8"))


def families() -> list[str]:
    """All families, in a stable order."""
    return sorted(book()["families"])


@dataclass(frozen=True)
class Block:
    """A part of a page. `rows` are a table's, the clauses of a contract, or newspaper columns."""

    kind: str
    lines: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    mark: str = ""
    start: int = 1


Pages = tuple[tuple[Block, ...], ...]


@dataclass(frozen=True)
class Value:
    type: str
    text: str
    level: str


@dataclass(frozen=True)
class Printed:
    pages: Pages
    values: dict[str, Value]


@dataclass(frozen=True)
class Letter:
    """What is filled into a form: for whom, when (months since year 0), with which facts."""

    customer: int
    month: int
    seed: int
    amounts: int
    changed: tuple[tuple[str, str], ...] = ()


class Sender:
    def __init__(self, language: Language, seed: str) -> None:
        self.language, self.seed = language, seed
        rng = random.Random(f"sender {seed}")
        self.firm = " ".join([language.invented(rng), rng.choice(language.words("trades"))])
        if rng.random() < 0.4:
            self.firm = f"{language.invented(rng)} {self.firm}"
        self.place = rng.choice(language.words("places"))
        self.street = f"{rng.choice(language.words('streets'))} {rng.randrange(1, 120)}"
        self.phone = f"0{rng.randrange(20, 999)} {rng.randrange(10**5, 10**7)}"
        self.web = f"www.{rng.choice('abcdefgh')}{rng.randrange(10, 99)}-{rng.choice(['service', 'online', 'info'])}.example"
        self.iban = _iban(rng)
        self.tax_number = (
            f"{rng.randrange(10, 99)}/{rng.randrange(100, 999)}/{rng.randrange(10**4, 10**5)}"
        )
        self.dates = rng.choice(language.data["dates"])
        self.currency = rng.choice(language.data["currency"])
        self.currency_first = rng.random() < 0.25
        self.grouped = rng.random() < 0.7
        self.month_words = rng.random() < 0.7
        self.fixed_day = rng.choice([None, None, 1, 15, 28])
        self.reference = rng.choice(["{n}", "{n}", "RE-{n}", "{y}/{n}", "INV{n}", "K{n}-{y}", "{y}-{n}", "FA {n}"])  # fmt: skip
        self.in_sequence = rng.random() < 0.5
        self.digits = rng.randint(4, 8)
        self.separator = rng.choice([": ", ": ", " ", ":", " .... ", "\n"])

    def letterhead(self) -> tuple[str, ...]:
        rng = random.Random(f"head {self.seed}")
        lines = [
            self.firm if rng.random() < 0.7 else self.firm.upper(),
            f"{self.street} {rng.choice(['·', ',', '-', '|'])} {self.place}",
            f"{self.language.label('phone')} {self.phone}",
            self.web,
            f"{self.language.label('vat')} {self.tax_number}",
        ]
        return tuple(lines[: rng.randint(2, 5)])


def _iban(rng: random.Random) -> str:
    digits = "".join(str(rng.randrange(10)) for _ in range(20))
    return rng.choice(["DE", "FR", "NL", "PL", "GB"]) + " ".join(textwrap.wrap(digits, 4))


class Form:
    """One kind of document of one sender: the wording and order that all its letters share."""

    def __init__(self, sender: Sender, family: str, seed: str = "") -> None:
        self.sender, self.family = sender, family
        self.language = sender.language
        self.spec = book()["families"][family]
        self.seed = f"{sender.seed} {family} {seed}"
        rng = random.Random(f"form {self.seed}")
        self.narrow = self.spec.get("narrow", False)
        self.width = rng.randint(28, 44) if self.narrow else rng.choice([62, 75, 84, 92, 110])
        blocks = [b for b in self.spec["blocks"] if not b.startswith("?") or rng.random() < 0.5]
        movable = [b for b in blocks if b.startswith("*")]
        rng.shuffle(movable)
        blocks = [movable.pop() if b.startswith("*") else b for b in blocks]
        self.blocks = [b.lstrip("?*") for b in blocks]
        #: How a fact in the wording belongs: mostly to the letter, sometimes to all letters.
        weights = rng.choice([[7, 2, 1], [7, 2, 1], [2, 2, 6]])
        self.levels = rng.choices(["letter", "customer", "sender"], weights, k=13)
        #: Characters on a sheet, and whether its tables are short.
        self.sheet = rng.choice([2600, 2600, 2600, 1500, 900])
        self.short_tables = rng.random() < 0.4
        items = [*self.language.words("items")]
        items += [f"{rng.choice(items)} {self.language.invented(rng)}" for _ in range(20)]
        self.items = rng.sample(items, rng.randint(8, len(items)))
        self.header_again = rng.random() < 0.4
        self.page_numbers = rng.choice(["", "", "{label} {n}", "{n}/{of}", "- {n} -"])

    @cached_property
    def wording(self) -> dict[int, list[str]]:
        """The fixed sentences of each block."""
        texts = {}
        for place, block in enumerate(self.blocks):
            what, *rest = block.split()
            rng = random.Random(f"wording {place} {self.seed}")
            if what in {"text", "clauses", "sections", "paragraphs", "questions", "title"}:
                count = between(rng, rest[-1]) if rest and rest[-1][0].isdigit() else 1
                texts[place] = self._wording(what, rest, count, rng)
        return texts

    def _wording(self, what: str, rest: list[str], count: int, rng: random.Random) -> list[str]:
        speech = self.language
        if what == "text":
            if rest[0] == "letters":
                return speech.sentences("letters", rng, count)
            if rest[0] == "clauses":
                return speech.sentences("clauses", rng, count)
        if what == "clauses":
            clauses = speech.sentences("clauses", rng, count)
            return [f"{c} {speech.sentence(rng)}" if rng.random() < 0.5 else c for c in clauses]
        if what == "questions":
            return [speech.sentence(rng).rstrip(".") + "?" for _ in range(count)]
        return [speech.paragraph(rng) for _ in range(count)]

    def write(self, letter: Letter) -> Printed:
        return _Writer(self, letter).printed()

    def another(self, type: str, rng: random.Random, month: int = 0) -> str:
        """A value of this type, as this form writes it; of about that month, or of any."""
        month = month or 12 * rng.randint(2010, 2025) + rng.randrange(12)
        return _Writer(self, Letter(0, month, 0, 0)).drawn(type, "letter", rng)


class _Writer:
    def __init__(self, form: Form, letter: Letter) -> None:
        self.form, self.letter, self.sender = form, letter, form.sender
        self.language = form.language
        self.values: dict[str, Value] = {}
        self.changed = dict(letter.changed)
        self.slots = 0

    # Values

    def seed(self, level: str, name: str = "") -> str:
        if level == "customer" and self.letter.customer < 10 and name in _OF_THE_HOUSE:
            return f"{self.sender.seed.partition('-')[0]} household {self.letter.customer}"
        return {
            "sender": self.sender.seed,
            "customer": f"{self.sender.seed} customer {self.letter.customer}",
            "letter": f"{self.form.seed} letter {self.letter.seed}",
            "matter": f"{self.sender.seed} matter {self.letter.seed}",
            "amounts": f"{self.sender.seed} amounts {self.letter.amounts}",
        }[level]

    def value(self, name: str, type: str, level: str) -> str:
        if name in self.changed:
            text = self.changed[name]
        elif name in self.values:
            return self.values[name].text
        else:
            text = self.drawn(type, level, random.Random(f"{self.seed(level, name)} {name}"))
        self.values[name] = Value(type, text, level)
        return text

    def drawn(self, type: str, level: str, rng: random.Random) -> str:
        speech, sender = self.language, self.sender
        month = self.letter.month if level in {"letter", "matter", "amounts"} else 12 * rng.randint(1995, 2018) + rng.randrange(12)  # fmt: skip
        match type:
            case "amount":
                return self.amount(rng)
            case "n":
                return str(int(10 ** rng.uniform(0.5, 4)))
            case "date":
                day = sender.fixed_day or rng.randint(1, 28)
                return self.date(month + (rng.random() < 0.2), day)
            case "day":
                return self.date(month, rng.randint(1, 28))
            case "birth":
                return self.date(
                    12 * rng.randint(1935, 2004) + rng.randrange(12), rng.randint(1, 28)
                )
            case "month":
                return self.period(self.letter.month)
            case "time":
                return f"{rng.randint(7, 19):02d}:{rng.randrange(60):02d}"
            case "person":
                return speech.person(rng)
            case "place":
                return rng.choice(speech.words("places"))
            case "firm":
                return sender.firm
            case "address":
                return (
                    f"{rng.choice(speech.words('streets'))} {rng.randrange(1, 190)}, "
                    f"{rng.randrange(10**4, 10**5)} {rng.choice(speech.words('places'))}"
                )
            case "iban":
                return _iban(rng)
            case "phone":
                return f"0{rng.randrange(100, 999)} {rng.randrange(10**5, 10**7)}"
            case "id":
                return str(rng.randrange(10 ** (sender.digits - 1), 10**sender.digits))
            case "ref":
                return self.reference(rng, level)
            case "code":
                return f"{''.join(rng.choices('ABCDEFGHKLMPRSTX', k=rng.randint(1, 3)))}{rng.randrange(100, 99999)}"
            case "words":
                return " ".join(self.slotless(speech.sentence(rng)).split()[: rng.randint(2, 6)]).rstrip(",.") if speech.spaced else self.slotless(speech.sentence(rng))[: rng.randint(4, 10)]  # fmt: skip
        raise KeyError(type)

    def reference(self, rng: random.Random, level: str) -> str:
        if self.sender.in_sequence and level in {"letter", "matter"}:
            start = random.Random(f"first number {self.form.seed}").randrange(1000, 90000)
            number = start + (self.letter.month % 600) * 7 + rng.randrange(7)
        else:
            number = rng.randrange(10 ** (self.sender.digits - 1), 10**self.sender.digits)
        return self.sender.reference.format(n=number, y=self.letter.month // 12)

    def amount(self, rng: random.Random) -> str:
        cents = int(10 ** rng.uniform(2.3, 6))
        decimal = self.language.data["decimal"]
        whole = f"{cents // 100:,}" if self.sender.grouped else str(cents // 100)
        return f"{whole.replace(',', '.' if decimal == ',' else ',')}{decimal}{cents % 100:02d}"

    def money(self, text: str) -> str:
        unit = self.sender.currency
        return f"{unit} {text}" if self.sender.currency_first else f"{text} {unit}"

    def date(self, month: int, day: int) -> str:
        year, m = divmod(month, 12)
        name = self.language.words("months")[m]
        return self.sender.dates.format(day=day, month=name, m=m + 1, year=year, y2=year % 100)

    def period(self, month: int) -> str:
        year, m = divmod(month, 12)
        if self.sender.month_words:
            return f"{self.language.words('months')[m]} {year}"
        return f"{m + 1:02d}/{year}"

    def fill(self, text: str, *, own: bool = False) -> str:
        """Puts facts into the places of a sentence; what a letter says on its own is its alone."""

        def fact(match: re.Match[str]) -> str:
            slot = match[1]
            self.slots += 1
            if slot == "p":
                return self.value("name", "person", "customer")
            if slot == "p2":
                return self.value("officer", "person", "sender")
            if slot == "r":
                return self.value("number", "ref", "letter")
            level = "letter" if own else self.form.levels[self.slots % len(self.form.levels)]
            if slot == "a" and level == "letter":
                level = "amounts"
            text = self.value(f"{slot}{self.slots}", _SLOT_TYPES[slot], level)
            return self.money(text) if slot == "a" else text

        return _SLOT.sub(fact, text)

    def slotless(self, text: str) -> str:
        return re.sub(r" ?[(,]? ?\{\w+\}\)?", "", text)

    # Blocks

    def printed(self) -> Printed:
        pages: list[list[Block]] = [[]]
        for place, line in enumerate(self.form.blocks):
            what, *rest = line.split()
            self.slots = 100 * place
            if what == "page":
                pages.append([self.head()] if self.form.header_again else [])
                continue
            rest = [word.lstrip("?") for word in rest if not word.startswith("?")
                    or random.Random(f"{word} {self.form.seed}").random() < 0.5]  # fmt: skip
            pages[-1].append(getattr(self, what)(rest, place))
        if self.form.page_numbers and len(pages) > 1:
            for n, page in enumerate(pages, 1):
                text = self.form.page_numbers.format(
                    label=self.language.label("page"), n=n, of=len(pages)
                )
                page.append(Block("small", (text,)))
        return Printed(tuple(tuple(page) for page in pages), self.values)

    def labelled(self, key: str) -> str:
        label, (type, level) = self.language.label(key), book()["values"][key].split()
        name = "name" if type == "person" and level == "customer" else key
        return f"{label}{self.sender.separator}{self.value(name, type, level)}"

    def head(self, rest: list[str] = (), place: int = 0) -> Block:  # noqa: ARG002
        return Block("head", self.sender.letterhead())

    def shop(self, rest: list[str], place: int) -> Block:  # noqa: ARG002
        rng = random.Random(f"shop {self.form.seed}")
        lines = [self.sender.firm.upper(), self.sender.street, self.sender.place,
                 f"{self.language.label('phone')} {self.sender.phone}", f"{self.language.label('vat')} {self.sender.tax_number}"]  # fmt: skip
        return Block("head", tuple(lines[: rng.randint(3, 5)]))

    def refs(self, keys: list[str], place: int) -> Block:  # noqa: ARG002
        lines = [line for key in keys for line in self.labelled(key).split("\n")]
        return Block("lines", tuple(lines))

    def lines(self, what: list[str], place: int) -> Block:  # noqa: ARG002
        lines: list[str] = []
        for key in what:
            if key == "address":
                lines += [self.value("name", "person", "customer"),
                          *self.value("address", "address", "customer").split(", ")]  # fmt: skip
            elif key == "placedate":
                lines.append(f"{self.sender.place}, {self.value('date', 'date', 'letter')}")
            elif key == "datetime":
                lines.append(
                    f"{self.value('date', 'date', 'letter')} {self.value('time', 'time', 'letter')}  {self.value('number', 'ref', 'letter')}"
                )
            elif key == "balance":
                lines.append(
                    f"{self.language.label('opening')} {self.value('balance', 'amount', 'letter')}"
                )
            elif key == "parties":
                lines += [self.sender.firm, f"{self.sender.street}, {self.sender.place}",
                          self.value("name", "person", "customer"), self.value("address", "address", "customer")]  # fmt: skip
            elif key == "present":
                people = ", ".join(
                    self.value(f"present{k}", "person", "letter" if k > 2 else "sender")
                    for k in range(5)
                )
                lines.append(f"{self.language.label('present')}: {people}")
            else:
                lines += self.labelled(key).split("\n")
        return Block("lines", tuple(lines))

    def side(self, rest: list[str], place: int) -> Block:
        left, right = " ".join(rest).split("|")
        first = (
            self.lines(["address"], place)
            if left.strip() == "address"
            else self.refs(left.split()[1:], place)
        )
        return Block("side", first.lines, self.refs(right.split()[1:], place).lines)

    def title(self, keys: list[str], place: int) -> Block:
        words = []
        for key in keys:
            if key in {"period", "number", "code"}:
                type, level = book()["values"][key].split()
                words.append(self.value(key, type, level))
            elif key == "subject":
                text = self.slotless(self.form.wording[place][0]).split()
                words.append(" ".join(text[:7]).rstrip(",."))
            else:
                words.append(self.language.label(key))
        return Block("title", (" ".join(words) or self.language.label("report"),))

    def greet(self, rest: list[str], place: int) -> Block:  # noqa: ARG002
        name = self.value("name", "person", "customer")
        return Block("lines", (self.language.data["greeting"].format(p=name),))

    def close(self, rest: list[str], place: int) -> Block:  # noqa: ARG002
        return Block(
            "hand",
            (
                self.language.data["closing"],
                self.value("officer", "person", "sender"),
                self.sender.firm,
            ),
        )

    def foot(self, rest: list[str], place: int) -> Block:  # noqa: ARG002
        return Block(
            "small",
            (
                f"{self.sender.firm} · {self.sender.place} · IBAN {self.sender.iban} · {self.language.label('vat')} {self.sender.tax_number}",
            ),
        )

    def hand(self, rest: list[str], place: int) -> Block:  # noqa: ARG002
        return Block("hand", ())

    def cut(self, rest: list[str], place: int) -> Block:  # noqa: ARG002
        return Block("lines", ("- - - - - - - - - - - - - - - -",))

    def text(self, rest: list[str], place: int) -> Block:  # noqa: ARG002
        return Block("prose", tuple(self.fill(line) for line in self.form.wording[place]))

    def own(self, rest: list[str], place: int) -> Block:
        rng = random.Random(f"{self.seed('letter')} own {place}")
        count = between(rng, rest[1])
        if rest[0] == "agenda":
            parts = [
                f"{n}. {self.slotless(self.language.sentence(rng))}" for n in range(1, count + 1)
            ]
        else:
            parts = [self.language.paragraph(rng) for _ in range(count)]
        return Block("prose", tuple(self.fill(part, own=True) for part in parts))

    def clauses(self, rest: list[str], place: int) -> Block:  # noqa: ARG002
        rng = random.Random(f"mark {self.form.seed}")
        rows = []
        for clause in self.form.wording[place]:
            heading = self.slotless(self.language.sentence(rng))[: rng.randint(12, 30)].rpartition(
                " "
            )[0]
            rows.append((heading.rstrip(",."), self.fill(clause)))
        return Block(
            "clauses", rows=tuple(rows), mark=rng.choice(["§ {n}", "{n}.", "{n})", "Art. {n}"])
        )

    def sections(self, rest: list[str], place: int) -> Block:
        rng = random.Random(f"sections {self.form.seed}")
        clauses = self.clauses(rest, place)
        rows = tuple((*row, *(self.slotless(self.language.paragraph(rng)) for _ in range(rng.randint(0, 3)))) for row in clauses.rows)  # fmt: skip
        return replace(clauses, rows=rows)

    paragraphs = clauses

    def questions(self, rest: list[str], place: int) -> Block:  # noqa: ARG002
        lines = []
        for n, question in enumerate(self.form.wording[place], 1):
            answer = self.value(
                f"answer{n}",
                random.Random(f"{n} {self.form.seed}").choice(["n", "words", "date", "place"]),
                "letter",
            )
            lines += [f"{n}. {question}", answer]
        return Block("form", tuple(lines))

    def fields(self, keys: list[str], place: int) -> Block:  # noqa: ARG002
        rng = random.Random(f"fields {self.form.seed}")
        dots = rng.choice([" ........ ", " ____ ", ": ", " [ ] "])
        lines = []
        for key in keys:
            known = book()["values"].get(
                key, f"{key if key in {'place', 'time'} else 'words'} letter"
            )
            type, level = known.split()
            name = "name" if type == "person" and level == "customer" else key
            label = self.language.data["labels"].get(key, key)
            lines.append(f"{label}{dots}{self.value(name, type, level)}")
        return Block("form", tuple(lines))

    def sign(self, keys: list[str], place: int) -> Block:  # noqa: ARG002
        names = [
            self.language.label(key) if key in {"tenant", "landlord"} else self.labelled(key)
            for key in keys
        ]
        return Block(
            "hand",
            (
                f"{self.sender.place}, {self.value('signed', 'date', 'letter')}",
                "____________________",
                *" ".join(names).split("\n"),
            ),
        )

    def totals(self, keys: list[str], place: int) -> Block:  # noqa: ARG002
        lines = [
            f"{self.language.label(key)} {self.money(self.value(f'{key} amount', 'amount', 'amounts'))}"
            for key in keys
        ]
        return Block("table", rows=tuple(tuple(line.rsplit(" ", 2)) for line in lines))

    def table(self, rest: list[str], place: int) -> Block:
        *columns, span = rest
        rng = random.Random(
            f"{self.seed('amounts')} rows {place} {self.form.family if 'date' in columns else ''}"
        )
        known = self.language.data["labels"]
        rows = [tuple(known.get(c, known["item"]) for c in columns)]
        if random.Random(f"no header {place} {self.form.seed}").random() < 0.2:
            rows = []
        count = between(rng, span)
        for k in range(count if not self.form.short_tables else max(1, count // 3)):
            item = rng.randrange(10**6)
            rows.append(tuple(self.cell(c, k, f"row{place}.{k}.{c}", item) for c in columns))
        return Block("table", rows=tuple(rows))

    def cell(self, column: str, k: int, name: str, item: int) -> str:
        items = self.form.items
        match column:
            case "pos":
                return str(k + 1)
            case "item":
                return items[item % len(items)]
            case "entry":
                entries = self.language.words("entries")
                return f"{entries[item % len(entries)]} {self.language.invented(random.Random(item)) if item % 3 == 0 else ''}".strip()
            case "code":
                return f"{'ABCDEFKLMR'[item % 10]}{item % len(items) * 37 + 100}"
            case "qty" | "hours":
                return str(item % 9 + 1) if column == "qty" else self.value(name, "n", "amounts")
            case "unit":
                return ["kg", "l", "mg/dl", "m²", "cm", "%", "mmol/l"][item % 7]
            case "vat":
                return ["19%", "7%", "A", "B"][item % 4]
            case "usage":
                return self.value(name, "n", "amounts")
            case "date":
                return self.value(name, "day", "letter")
            case "time" | "place" | "phone":
                return self.value(name, column, "letter")
            case "number":
                return self.value(name, "ref", "matter")
            case "period":
                return self.period(self.letter.month - 11 + k)
            case "due":
                return self.value(name, "date", "letter")
        return self.value(name, "amount", "amounts")

    def masthead(self, rest: list[str], place: int) -> Block:  # noqa: ARG002
        return Block(
            "title",
            (
                self.sender.firm.upper(),
                f"{self.value('date', 'date', 'letter')} · {self.value('number', 'ref', 'letter')}",
            ),
        )

    def columns(self, rest: list[str], place: int) -> Block:
        """Articles one after the other, over the columns of the page."""
        rng = random.Random(f"{self.seed('letter')} articles {place}")
        count = between(rng, rest[0])
        articles = []
        for _ in range(rng.randint(count, 3 * count)):
            heading = " ".join(
                self.slotless(self.language.sentence(rng)).split()[: rng.randint(3, 7)]
            )
            body = [
                self.fill(self.language.paragraph(rng, 6), own=True)
                for _ in range(rng.randint(1, 5))
            ]
            articles.append((heading, *body))
        return Block("columns", rows=tuple(articles), mark=str(count))
