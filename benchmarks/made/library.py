"""A library of made documents, and what is true of every pair of them."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from benchmarks.made import forms, noise, revise
from benchmarks.made.forms import Block, Form, Letter, Pages, Sender
from benchmarks.made.language import language
from benchmarks.made.noise import Scan

#: Of the printed words so few were read: nobody can say what that is.
_LOST = 0.25
_SHORT = 20
#: Share of runs of three words under which a revision is another text to everybody.
_STILL_THE_TEXT = 0.25
#: How many letters of one form there are.
_SERIES = ([1, 2, 3, 5, 8, 14, 30], [22, 26, 17, 17, 10, 6, 2])


@dataclass(frozen=True)
class Held:
    """What of a letter stands in a document: which state of it, and which pages (None: all)."""

    state: int
    pages: frozenset[str] | None = None


@dataclass(frozen=True)
class Made:
    text: str
    printed: Counter[str]
    #: All runs of three printed words.
    runs: frozenset[tuple[str, ...]]
    read: Counter[str]
    #: The letter that it is, whole and alone; None for bundles and parts.
    whole: str | None
    holds: dict[str, Held]
    how: str
    form: Form
    created: str
    pages: int

    @property
    def clean(self) -> bool:
        return (self.printed & self.read).total() >= 0.98 * self.printed.total()

    @property
    def lost(self) -> bool:
        some = [w for w in self.printed if len(w) > 2 or not self.form.language.spaced]
        return sum(w in self.read for w in some) < _LOST * len(some)


@dataclass(frozen=True)
class Sheet:
    """A letter in one of its states, on paper."""

    key: str
    state: int
    pages: Pages
    form: Form
    letter: Letter
    how: str = ""


class Maker:
    def __init__(self, seed: int, families: list[str], languages: list[str]) -> None:
        self.rng = random.Random(f"library {seed}")
        self.seed, self.families, self.languages = seed, families, languages
        self.made: list[Made] = []
        self.sheets: list[Sheet] = []
        self.senders: list[Sender] = []
        weights = {"digital": 22, "clean": 12, "good": 24, "usual": 23, "poor": 14, "awful": 5}
        # Every household has a scanner of its own.
        self.weights = {q: w * self.rng.uniform(0.3, 1.7) for q, w in weights.items()}

    def make(self, size: int) -> None:
        rng = self.rng
        long = 0
        while len(self.made) < size * 0.94:
            family = rng.choice(self.families)
            spec = forms.book()["families"][family]
            if spec.get("edits") == "years":
                if long > size * 0.08:
                    continue
                before = len(self.made)
                self.revisions(self.form(family))
                long += len(self.made) - before
            elif spec.get("thread"):
                self.thread(self.form(family))
            else:
                self.series(self.form(family), size)
        self.bundles(max(2, size // 25))
        rng.shuffle(self.made)

    def form(self, family: str) -> Form:
        rng = self.rng
        if self.senders and rng.random() < 0.3:
            sender = rng.choice(self.senders)
        else:
            sender = Sender(
                language(rng.choice(self.languages)), f"{self.seed}-{len(self.senders)}"
            )
            self.senders.append(sender)
        return Form(sender, family, str(len(self.made)))

    # What is written

    def series(self, form: Form, size: int) -> None:
        """Letters on one form, alike as they are in life, with copies, corrections and parts."""
        rng = self.rng
        count = min(rng.choices(*_SERIES)[0], max(2, size // 6))
        # Two letters of one contract in two months would be one contract signed again.
        contract = form.spec.get("edits") == "contract"
        habit = "customers" if contract else rng.choice(["months", "months", "customers", "both"])
        first = Letter(rng.choice([0, 0, 1, 2, rng.randrange(10, 10**6)]), 12 * rng.randint(2008, 2025) + rng.randrange(12), rng.randrange(10**9), rng.randrange(10**9))  # fmt: skip
        same_amounts = rng.random() < 0.25
        letters = []
        for k in range(count):
            letter = replace(first, seed=rng.randrange(10**9))
            if not same_amounts:
                letter = replace(letter, amounts=letter.seed)
            if habit != "customers" and rng.random() < 0.95:
                letter = replace(letter, month=first.month + k)
            if habit != "months":
                letter = replace(letter, customer=rng.randrange(10, 10**6))
            letters.append(letter)
            # What is written anew each time is not the same in two of them.
            own = form.spec.get("edits") in {"none", "draft"}
            if not own and rng.random() < 0.35 / (1 + count / 8):
                letters += [t for t in [revise.twin(form, letter, rng)] if t]
        copying = 1.0 if count < 8 else 0.5
        for k, letter in enumerate(letters):
            self.life(form, letter, f"{form.seed}/{k}", copying)
        for other in form.spec.get("next", []):
            if rng.random() < 0.3 and other in self.families:
                kin = Form(form.sender, other, form.seed)
                for k, letter in enumerate(letters[:3]):
                    self.life(kin, letter, f"{kin.seed}/{k}", 0.5)

    def life(self, form: Form, letter: Letter, key: str, copying: float) -> None:
        rng = self.rng
        edits = form.spec.get("edits", "letter")
        sheet = self.sheet(form, letter, key)
        self.sheets.append(sheet)
        copies = rng.choices([1, 2, 3, 4], [45, 38, 12, 5])[0] if rng.random() < copying else 1
        for _ in range(copies):
            self.copy(sheet)
        draw = rng.random() / copying
        states = [sheet]
        if edits == "none":
            self.clippings(sheet)
        elif draw < 0.2:
            better = revise.corrected(form, letter, rng)
            if better:
                pages = self.sheet(form, better, key).pages
                if rng.random() < 0.25:  # and says so
                    pages = revise.edited(pages, 0.02, rng, form.language)
                states.append(Sheet(key, 1, pages, form, better, "correction"))
        elif draw < (0.55 if edits in {"contract", "draft"} else 0.4):
            share = min(0.6, rng.lognormvariate(-2.1, 0.9))
            changed = revise.edited(sheet.pages, share, rng, form.language)
            how = "edited"
            if edits == "draft" or (edits == "contract" and rng.random() < 0.4):
                changed, how = revise.drafted(changed, form.language.label("draft")), "draft"
            elif edits == "contract" and rng.random() < 0.5:
                later = form.another("date", rng)
                again = replace(letter, changed=(("date", later), ("signed", later)))
                pages = self.sheet(form, again, key).pages
                changed, how = revise.edited(pages, 0.01, rng, form.language), "signed again"
            if changed != sheet.pages:
                states.append(replace(sheet, state=1, pages=changed, how=how))
        if len(states) > 1 and rng.random() < 0.25:
            last = states[-1]
            again = revise.edited(last.pages, rng.uniform(0.01, 0.15), rng, form.language)
            if again != last.pages:
                states.append(replace(last, state=2, pages=again, how="edited"))
        for state in states[1:]:
            self.sheets.append(state)
            for _ in range(rng.choice([1, 1, 1, 2])):
                self.copy(state)
        if len(sheet.pages) > 1 and rng.random() < 0.35 * copying:
            self.part(rng.choice(states))

    def sheet(self, form: Form, letter: Letter, key: str) -> Sheet:
        again = Block("small", form.sender.letterhead()[:1]) if form.header_again else None
        return Sheet(
            key, 0, revise.paged(form.write(letter).pages, form.sheet, again), form, letter
        )

    def revisions(self, form: Form) -> None:
        """A long text over the years, from a few words to more than half of it changed."""
        rng = self.rng
        key = f"{form.seed}/0"
        letter = Letter(1, 12 * rng.randint(2008, 2020), rng.randrange(10**9), rng.randrange(10**9))
        sheet = self.sheet(form, letter, key)
        for state in range(rng.choice([2, 2, 3, 4, 6])):
            sheet = replace(sheet, state=state, how="years" if state else "")
            self.sheets.append(sheet)
            for _ in range(rng.choices([1, 2, 3], [6, 3, 1])[0]):
                self.copy(sheet)
            if len(sheet.pages) > 1 and rng.random() < 0.25:
                self.part(sheet)
            share = min(0.6, rng.lognormvariate(-2.3, 1.1))
            sheet = replace(sheet, pages=revise.edited(sheet.pages, share, rng, form.language))

    def thread(self, form: Form) -> None:
        """Mail and the answers to it, with what was written before in one of the usual ways."""
        rng = self.rng
        people = [form.language.person(rng) for _ in range(3)]
        style = rng.choice(["> ", "> ", "| ", "", "header", "header"])
        base = Letter(rng.randrange(10**6), 12 * rng.randint(2008, 2025), 0, 0)
        sent: list[tuple[str, list[str], dict[str, Held]]] = []
        for k in range(rng.randint(2, 6)):
            letter = replace(base, seed=rng.randrange(10**9), amounts=rng.randrange(10**9))
            pages = form.write(letter).pages
            date = form.another("date", rng)
            say = form.language.label
            header = [f"{say('from')}: {people[k % 3]}", f"{say('date')}: {date}", f"{say('to')}: {people[(k + 1) % 3]}", f"{say('subject')}: {'Re: ' * min(k, 2)}{' '.join(pages[0][0].lines)}"]  # fmt: skip
            body = [
                text
                for block in pages[0]
                for line in (*block.lines, "")
                for text in noise.wrapped(line, 76)
            ]
            key, holds, lines = f"{form.seed}/{k}", {f"{form.seed}/{k}": Held(0)}, list(body)
            if sent and rng.random() < 0.85:
                before_key, before, held = rng.choice(sent[-2:])
                kept = before
                if rng.random() < 0.2 and len(before) > 12:  # only a part of it is quoted
                    at = rng.randrange(len(before) // 2)
                    kept = before[at : at + len(before) // 2]
                    holds[before_key] = Held(0, frozenset({"quoted in part"}))
                    holds |= {k: replace(h, pages=frozenset({"quoted in part"})) for k, h in held.items() if k != before_key}  # fmt: skip
                else:
                    holds |= held
                if style == "header":
                    quoted = [f"-----{say('original')}-----", *kept]
                else:
                    lead = form.language.data["wrote"].format(d=date, p=people[(k - 1) % 3])
                    quoted = [lead, *(style + line for line in kept)]
                lines = [*quoted, "", *lines] if rng.random() < 0.25 else [*lines, "", *quoted]
            full = [*header, "", *lines]
            sent.append((key, full if style == "header" else lines, holds))
            sheet = Sheet(key, 0, ((Block("lines", tuple(full)),),), form, letter)
            self.sheets.append(sheet)
            for copy in range(rng.choice([1, 1, 1, 2])):
                quality = "digital" if copy == 0 and rng.random() < 0.8 else self.quality()
                self.copy(
                    sheet,
                    holds=holds,
                    scan=Scan(quality),
                    how="quote" if len(holds) > 1 else "mail",
                )

    def clippings(self, sheet: Sheet) -> None:
        articles = [
            (b, row) for page in sheet.pages for b in page if b.kind == "columns" for row in b.rows
        ]
        for number, (_, row) in enumerate(articles):
            if self.rng.random() < 0.15 and len(" ".join(row)) > 300:
                pages = ((Block("title", row[:1]), Block("prose", row[1:])),)
                held = {sheet.key: Held(0, frozenset({f"article {number}"}))}
                self.copy(replace(sheet, pages=pages), whole=None, holds=held, how="clipping")

    def part(self, sheet: Sheet) -> None:
        """Some pages of it: the last one lost, the first alone."""
        rng, count = self.rng, len(sheet.pages)
        chosen = rng.choice([range(count - 1), range(1), range(1, count), [rng.randrange(count)]])
        pages = tuple(sheet.pages[n] for n in chosen)
        held = Held(sheet.state, frozenset(f"page {n}" for n in chosen))
        if sum(len(t) for t in noise.words(pages)) > 150:
            self.copy(replace(sheet, pages=pages), whole=None, holds={sheet.key: held}, how="page")

    def bundles(self, count: int) -> None:
        rng = self.rng
        for _ in range(count):
            size = rng.choices([2, 3, 4, 7, 12], [40, 25, 20, 10, 5])[0]
            chosen = {s.key: s for s in rng.sample(self.sheets, min(size, len(self.sheets)))}
            sheets = list(chosen.values())
            if rng.random() < 0.4:  # the enclosure of a letter
                sheets = sheets[:1]
                cover = (
                    self.form("letter")
                    if "letter" in self.families
                    else self.form(rng.choice(self.families))
                )
                letter = Letter(
                    rng.randrange(10**6), sheets[0].letter.month, rng.randrange(10**9), 1
                )
                sheets.insert(0, self.sheet(cover, letter, f"{cover.seed}/0"))
            pages = tuple(page for s in sheets for page in s.pages)
            holds = {s.key: Held(s.state) for s in sheets}
            self.copy(replace(sheets[0], pages=pages), whole=None, holds=holds, how="bundle")

    # How it is read

    def quality(self) -> str:
        return self.rng.choices(list(self.weights), list(self.weights.values()))[0]

    def scan(self, sheet: Sheet) -> Scan:
        rng, speech = self.rng, sheet.form.language
        quality = self.quality()
        if quality == "digital" and rng.random() < 0.9:
            return Scan(quality)
        count = len(sheet.pages)
        order: tuple[int, ...] = ()
        if count > 1 and rng.random() < 0.25:
            turned = [*range(1, count), 0] if rng.random() < 0.4 else [*reversed(range(count))]
            order = tuple(turned if rng.random() < 0.7 else rng.sample(range(count), count))
        stamp = fax = ""
        if rng.random() < 0.12:
            stamp = rng.choice(speech.words("stamps")).format(d=sheet.form.another("date", rng))
        if rng.random() < 0.06:
            fax = f"{rng.randint(1, 28):02d}/{rng.randint(1, 12):02d} {rng.randint(1996, 2015)} {rng.randint(7, 19)}:{rng.randint(10, 59)} FAX {rng.randrange(10**6, 10**8)} {sheet.form.sender.firm.upper()} P. 0{rng.randint(1, 9)}"
        return Scan(
            quality=quality,
            burst=rng.random() < 0.13,
            stamp=stamp,
            fax=fax,
            page_order=order,
            across=rng.random()
            < (0.35 if any(b.kind == "columns" for b in sheet.pages[0]) else 0.12),
            lines_lost=rng.randint(1, 6) if rng.random() < 0.06 else 0,
            edge_lost=rng.random() < 0.03,
            shouting=rng.random() < (0.12 if sheet.form.narrow else 0.01),
            scribble=rng.random() < 0.1,
            unaccented=rng.random() < 0.05,
        )

    def copy(
        self, sheet: Sheet, *, whole: str | None = "", holds: dict[str, Held] | None = None,
        scan: Scan | None = None, how: str = "",
    ) -> None:  # fmt: skip
        scan = scan or self.scan(sheet)
        paper = f"{self.seed} {sheet.key} {sheet.state} {len(sheet.pages)}"
        text = noise.read(sheet.pages, paper, scan, self.rng, sheet.form.width)
        printed, read = noise.words(sheet.pages), noise.tokens(text)
        if not read:
            return
        marks = [n for n, on in (("burst", scan.burst), ("stamp", scan.stamp), ("fax", scan.fax), ("reordered", scan.page_order), ("across", scan.across), ("lines", scan.lines_lost)) if on]  # fmt: skip
        year, month = divmod(sheet.letter.month, 12)
        self.made.append(
            Made(
                text, Counter(printed), frozenset(zip(printed, printed[1:], printed[2:], strict=False)), Counter(read),
                sheet.key if whole == "" else whole, holds or {sheet.key: Held(sheet.state)},
                how or sheet.how or " ".join([scan.quality, *marks]), sheet.form,
                f"{year}-{month + 1:02d}-{self.rng.randint(1, 28):02d}", len(sheet.pages),
            )
        )  # fmt: skip


def documents(made: list[Made], rng: random.Random) -> list[dict]:
    """As Paperless has them; the title tells nothing."""
    kinds = ["document ({n})", "scan{n}", "Scan", "doc{n}", "IMG_{n}"]
    rows = []
    for id, one in enumerate(made, 1):
        name = rng.choice(kinds).format(n=rng.randrange(10, 10**6))
        added = f"{int(one.created[:4]) + rng.choice([0, 0, 0, 1, 4])}{one.created[4:]}"
        rows.append({
            "id": id, "title": name, "content": one.text,
            "correspondent": one.form.sender.firm if rng.random() < 0.7 else None,
            "document_type": None, "created": one.created if rng.random() < 0.7 else added,
            "added": added, "tags": [], "original_filename": f"{name}.pdf",
            "page_count": one.pages, "file_size": 20000 + 37 * len(one.text),
        })  # fmt: skip
    return rows


def truth(made: list[Made]) -> list[dict]:
    """Every pair of one sender, or with a letter in common."""
    groups: dict[str, set[int]] = {}
    for id, one in enumerate(made, 1):
        for name in {
            one.form.sender.seed,
            *one.holds,
            *map(_form, one.holds),
            *(_sender(k) for k in one.holds),
        }:
            groups.setdefault(name, set()).add(id)
    pairs = sorted(
        {pair for ids in groups.values() for pair in itertools.combinations(sorted(ids), 2)}
    )
    rows = []
    for a, b in pairs:
        label, relation = judge(made[a - 1], made[b - 1])
        rows.append({
            "a": a, "b": b, "relation": relation, "label": label,
            "family": made[a - 1].form.family, "language": made[a - 1].form.language.code,
            "how": [made[a - 1].how, made[b - 1].how],
        })  # fmt: skip
    return rows


def _form(key: str) -> str:
    return key.rpartition("/")[0]


def _sender(key: str) -> str:
    return key.split(" ", 1)[0]


def judge(a: Made, b: Made) -> tuple[str, str]:
    """Label and relation of two documents, by what they were made from."""
    label, relation = _by_origin(a, b)
    if label in {"version", "neg"} and _may_be_misread(a, b):
        return "ambiguous", f"{relation}, one character"
    if label in {"dup", "version", "partial"}:
        if a.lost or b.lost:
            return "lost", relation
        if min(a.read.total(), b.read.total()) < _SHORT:
            return "short", relation
    return label, relation


def _by_origin(a: Made, b: Made) -> tuple[str, str]:
    if a.whole is not None and a.whole == b.whole:
        if a.holds[a.whole].state == b.holds[b.whole].state:
            return "dup", _named(a, b, "rescan")
        if not _seen(a, b):
            return "ambiguous", "version-lost"
        if _alike(a, b) < _STILL_THE_TEXT:
            return "ambiguous", "written anew"
        return "version", _named(
            a, b, "version", {"correction", "edited", "draft", "signed again", "years"}
        )
    shared = a.holds.keys() & b.holds.keys()
    if shared:
        return _shared(a, b, shared)
    if {_form(k) for k in a.holds} & {_form(k) for k in b.holds}:
        whole = a.whole is not None and b.whole is not None
        relation = "template" if whole else "template-part"
        smaller, larger = (a, b) if a.printed.total() <= b.printed.total() else (b, a)
        seen = _seen(a, b) if whole else bool(_own(smaller, larger)[1])
        return ("neg", relation) if seen else ("ambiguous", f"{relation}-lost")
    return "neg", "same sender"


def _shared(a: Made, b: Made, shared: Iterable[str]) -> tuple[str, str]:
    """One holds the other, or both hold something."""
    how = _named(a, b, "part", {"page", "bundle", "quote", "clipping"})
    for part, all_ in ((a, b), (b, a)):
        if not part.holds.keys() <= all_.holds.keys() or part.holds == all_.holds:
            continue
        inside = [(part.holds[k], all_.holds[k]) for k in part.holds]
        if all(y.pages is None or (x.pages and x.pages < y.pages) for x, y in inside):
            if all(x.state == y.state for x, y in inside):
                return "partial", how
            overlap = (part.printed & all_.printed).total() / part.printed.total()
            return (
                ("partial", "contains-version") if overlap > 0.6 else ("ambiguous", "version-part")
            )
    if a.holds == b.holds:
        return "dup", f"{how} again"
    pages = [(a.holds[k].pages, b.holds[k].pages) for k in shared]
    if len(a.holds) == len(b.holds) == 1 and all(x and y and not x & y for x, y in pages):
        return "neg", "other page"
    return "ambiguous", "both hold it"


def _named(a: Made, b: Made, usual: str, names: set[str] = frozenset()) -> str:
    found = [one.how for one in (a, b) if one.how in names]
    if names:
        return found[0] if found else usual
    for mark in ("reordered", "across", "lines", "stamp", "fax", "burst", "digital"):
        if mark in a.how or mark in b.how:
            return f"{usual}-{mark}"
    return usual


def _own(a: Made, b: Made) -> tuple[set[str], set[str]]:
    """The words that only one sheet has, or has more often; and those of them that can be read."""
    own = {word for word, count in a.printed.items() if count > b.printed[word]}
    return own, {word for word in own if a.read[word] > b.printed[word]}


def _may_be_misread(a: Made, b: Made) -> bool:
    """Whether the sheets differ in single characters, and one reading has errors like that."""
    own_a, own_b = sorted(_own(a, b)[0]), sorted(_own(b, a)[0])
    if len(own_a) != len(own_b) or len(own_a) > 2 or (a.clean and b.clean):
        return False
    return all(
        len(x) == len(y) and sum(c != d for c, d in zip(x, y, strict=True)) == 1
        for x, y in zip(own_a, own_b, strict=True)
    )


def _seen(a: Made, b: Made) -> bool:
    """Whether what tells the sheets apart can be read on both."""
    sides = [_own(a, b), _own(b, a)]
    return all(seen or not own for own, seen in sides) and any(seen for _, seen in sides)


def _alike(a: Made, b: Made) -> float:
    return len(a.runs & b.runs) / max(1, len(a.runs | b.runs))
