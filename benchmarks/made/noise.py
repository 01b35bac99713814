"""What scanners and OCR engines make of a page.

Damage is local: every sheet has its weak lines, tables and headings read worse than prose, and
errors come in runs. How often, how long and of what kind was counted on pairs of real readings
(word errors of half of the good scans stay under 4 %, of bad receipts and forms over 45 %; two
thirds of the runs are of one word, one in fifteen of more than five).
"""

from __future__ import annotations

import random
import re
import textwrap
import unicodedata
from dataclasses import dataclass

from benchmarks.made.forms import Block, Pages

#: Median of the share of words that are misread, and its spread (of a log-normal distribution).
QUALITIES = {
    "digital": (0.0, 0.0), "clean": (0.004, 0.8), "good": (0.018, 0.9), "usual": (0.055, 0.9),
    "poor": (0.12, 0.7), "awful": (0.32, 0.5),
}  # fmt: skip
#: How much worse than prose such blocks are read.
_WORSE = {"prose": 0.7, "clauses": 0.7, "columns": 1.0, "lines": 1.0, "side": 1.1, "small": 1.6,
          "head": 1.8, "title": 1.5, "form": 1.7, "table": 1.6, "hand": 2.0}  # fmt: skip
_CONFUSED = """0O O0 1l l1 1I I1 5S S5 8B B8 6G 2Z Z2 9g rnm mrn clid dcl hb bh uv vu ec ce ao oa tf ft
ij ji l! !l il li nu un ftt tt fi ﬁ wvv vvw Oo €e €£ $S ßB äa öo üii éè èé çc ñn ąa ęe łl śs žz
Яя ып пн нп ші щш ёе бб6 зЗ3 оo аa еe рp сc""".split()
_SWAPS = [(p[0], p[1:]) for p in _CONFUSED if len(p) == 2] + [("rn", "m"), ("m", "rn"), ("cl", "d"), ("d", "cl"), ("w", "vv"), ("li", "h"), ("h", "li")]  # fmt: skip
_DIGITS = {"0": "O689", "1": "l7I4", "2": "7Z", "3": "85", "4": "19", "5": "S63", "6": "580", "7": "12", "8": "B360", "9": "04g"}  # fmt: skip
_RUBBISH = "|~—_-.,:;'°=«»*•®©¢"
_UNSPACED = r"\u0e00-\u0e7f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_UNIT = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_ACCENT = re.compile("[\u0300-\u030c\u0327\u0328]")


@dataclass(frozen=True)
class Scan:
    """How a sheet was read: what the engine, the scanner and a tired person did to it."""

    quality: str = "usual"
    burst: bool = False
    stamp: str = ""
    fax: str = ""
    page_order: tuple[int, ...] = ()
    across: bool = False
    lines_lost: int = 0
    edge_lost: bool = False
    shouting: bool = False
    scribble: bool = False
    unaccented: bool = False


@dataclass
class _Engine:
    """One reading: its habits hold for the whole of it."""

    rng: random.Random
    level: float
    swaps: list[tuple[str, str, float]]
    letters: str
    unspaced_gap: float


def read(pages: Pages, sheet: str, scan: Scan, rng: random.Random, width: int = 84) -> str:
    """The text of one reading. `sheet` names the paper: its weak places are in every reading."""
    paper = random.Random(f"paper {sheet}")
    weak = {kind: worse * paper.lognormvariate(0, 0.4) for kind, worse in _WORSE.items()}
    median, spread = QUALITIES[scan.quality]
    level = min(0.8, median * rng.lognormvariate(0, spread)) if median else 0.0
    letters = "".join(c for page in pages for block in page for line in _raw(block) for c in line)
    engine = _Engine(
        rng, level,
        [(*rng.choice(_SWAPS), rng.uniform(0.05, 0.8)) for _ in range(rng.randrange(4))] if level else [],
        re.sub(r"[\s\d]", "", letters)[:4000] or "x",
        rng.random() * 0.6 if rng.random() < 0.2 else 0.0,
    )  # fmt: skip
    digital = scan.quality == "digital"
    if digital:
        width = rng.choice([width, width, 10**6])
    order = scan.page_order or range(len(pages))
    across = rng.random() < (0.75 if not scan.across else 0.3)
    by_column = scan.across or rng.random() < 0.06
    out = []
    for number in order:
        printed = [
            (line, block.kind)
            for block in pages[number]
            for line in _lines(block, width, rng, across=across, by_column=by_column)
        ]
        weights = _weights(len(printed), paper, rng)
        lines: list[str] = []
        burst = _burst(len(printed), rng) if scan.burst else {}
        for k, ((line, kind), weight) in enumerate(zip(printed, weights, strict=True)):
            rate = min(0.97, burst.get(k, 0.0) + level * weak[kind] * weight)
            lines.append(_line(line, kind, rate, engine))
            if kind == "hand" and not digital and rng.random() < 0.2:  # a signature, a note
                lines.append(" ".join(_wild(engine) for _ in range(rng.randint(1, 4))))
        _disturb(lines, scan, engine, first=number == order[0])
        out.append("\n".join(line for line in lines if line.strip() or rng.random() < 0.3))
    text = "\n\n".join(out)
    if scan.shouting:
        text = text.upper()
    if scan.unaccented:
        text = unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", text)))
    for x, y, share in engine.swaps:
        text = re.sub(
            re.escape(x),
            lambda m, y=y, s=share: y if rng.random() < s * min(1, 8 * level) else m[0],
            text,
        )
    return text


def _raw(block: Block) -> list[str]:
    return [*block.lines, *block.beside, *(cell for row in block.rows for cell in row)]


def words(pages: Pages) -> list[str]:
    """All words that are printed."""
    text = " ".join(line for page in pages for block in page for line in _raw(block))
    return tokens(text)


def tokens(text: str) -> list[str]:
    return re.findall(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+", text.lower())


def wrapped(text: str, width: int) -> list[str]:
    if " " in text[: width + 1] or len(text) <= width:
        return textwrap.wrap(text, width, break_on_hyphens=False) or [""]
    step = max(10, width // 2)  # scripts without spaces, twice as wide
    return [text[k : k + step] for k in range(0, len(text), step)]


def _lines(
    block: Block, width: int, rng: random.Random, *, across: bool, by_column: bool
) -> list[str]:
    """The lines of a block in the order in which they are read."""
    match block.kind:
        case "prose":
            return [line for text in block.lines for line in (*wrapped(text, width), "")]
        case "clauses":
            lines = []
            for n, (heading, *texts) in enumerate(block.rows, block.start):
                lines.append(f"{block.mark.format(n=n)} {heading}".strip())
                lines += [line for text in texts for line in wrapped(text, width)] + [""]
            return lines
        case "side":
            left, right = list(block.lines), list(block.beside)
            if not across:
                return left + right if rng.random() < 0.7 else right + left
            longest = max(len(left), len(right))
            left += [""] * (longest - len(left))
            right += [""] * (longest - len(right))
            return [f"{x} {y}".strip() for x, y in zip(left, right, strict=True)]
        case "table":
            if by_column and len(block.rows) > 1:
                wide = max(map(len, block.rows))
                return [row[c] for c in range(wide) for row in block.rows if c < len(row)]
            return [" ".join(row) for row in block.rows]
        case "columns":
            return _columns(block, rng, by_column=by_column)
    return [*block.lines, ""]


def _columns(block: Block, rng: random.Random, *, by_column: bool) -> list[str]:
    """A newspaper: its columns one after the other, or read across, or some in another order."""
    count = int(block.mark)
    narrow = 110 // count
    lines = [line for article in block.rows for text in article for line in wrapped(text, narrow)]
    height = -(-len(lines) // count)
    columns = [lines[k : k + height] for k in range(0, len(lines), height)]
    if by_column:  # that is: wrongly
        if rng.random() < 0.4:
            return [" ".join(c[k] for c in columns if k < len(c)) for k in range(height)]
        rng.shuffle(columns)
    return [line for column in columns for line in column]


def _weights(count: int, paper: random.Random, rng: random.Random) -> list[float]:
    """How much worse each line is than the page: some of it is the paper's, some the scan's."""
    weights, mine, papers = [], 1.0, 1.0
    for _ in range(count):
        if paper.random() < 0.5:
            papers = paper.gammavariate(1.2, 1 / 1.2)
        if rng.random() < 0.5:
            mine = rng.gammavariate(0.7, 1 / 0.7)
        weights.append(0.5 * papers + 0.5 * mine)
    return weights


def _burst(count: int, rng: random.Random) -> dict[int, float]:
    """A smear, a crease or a thumb: a few lines in which hardly anything can be read."""
    hit = {}
    for _ in range(rng.randint(1, 3)):
        at, size = rng.randrange(max(1, count)), rng.randint(1, max(1, min(8, count // 4)))
        share = rng.uniform(0.3, 0.95)
        hit |= dict.fromkeys(range(at, at + size), share)
    return hit


def _line(line: str, kind: str, rate: float, engine: _Engine) -> str:
    rng = engine.rng
    if rate == 0 or not line.strip():
        return line
    if rng.random() < 0.12 * rate:
        return ""
    if kind in {"table", "form", "head"} and rng.random() < 0.35 * rate:
        return " ".join(_wild(engine) for _ in range(rng.randint(1, 2 + len(line.split()))))
    if rng.random() < 0.2 * rate:  # the rest of the line is not there
        line = line[: rng.randrange(len(line))]
    out: list[str] = []
    at, run = 0, 0.0
    for match in _UNIT.finditer(line):
        gap = line[at : match.start()]
        at = match.end()
        unit, glyph = match[0], len(match[0]) == 1 and match[0] > "\u0e00"
        chance = (rate / 3 if glyph else rate) + run
        if rng.random() < chance:
            unit, gap = _misread(unit, gap, rate, engine)
            run = 0.18 * (1 - rate)
        else:
            run = 0.0
        if glyph and not gap and engine.unspaced_gap and rng.random() < engine.unspaced_gap:
            gap = " "
        out += [gap, unit]
    text = "".join(out).strip()
    if kind in {"table", "form"} and rng.random() < 0.5 * rate:
        edge = "".join(rng.choices(_RUBBISH, k=rng.randint(1, 3)))
        text = rng.choice([f"{edge} {text}", f"{text} {edge}", f"{text} |"])
    return text


def _misread(unit: str, gap: str, rate: float, engine: _Engine) -> tuple[str, str]:
    """One word as the engine gives it, and what stands before it."""
    rng = engine.rng
    draw = rng.random() - 0.2 * rate  # the worse the line, the wilder
    if draw < 0.1:
        return _wild(engine, len(unit)), gap
    if draw < 0.28:
        return "", gap
    if draw < 0.42:
        return unit, f"{gap}{' '.join(_wild(engine) for _ in range(rng.choice([1, 1, 1, 2, 4])))} "
    if draw < 0.49:
        if len(unit) > 3 and rng.random() < 0.5:
            cut = rng.randrange(1, len(unit))
            return f"{unit[:cut]} {unit[cut:]}", gap
        return unit, ""
    if draw < 0.52:
        return rng.choice([unit.lower(), unit.upper(), unit.capitalize()]), gap
    if draw < 0.76:
        edge = rng.choice([".", ",", ":", ";", "'", "-", "|", "*"])
        bare = unit.strip(".,:;'-()") or unit
        if bare != unit and rng.random() < 0.6:
            return rng.choice([bare, bare + edge]), gap
        return rng.choice(
            [
                f"{unit}{edge}",
                f"{edge}{unit}",
                re.sub(r"[.,]", rng.choice([" ", "", ",", "."]), unit),
            ]
        ), gap
    return _letters(unit, engine), gap


def _letters(unit: str, engine: _Engine) -> str:
    """One or a few letters taken for others."""
    rng = engine.rng
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if not unit:
            break
        swaps = [(x, y) for x, y in _SWAPS if x in unit]
        k = rng.randrange(len(unit))
        if unit[k] in _DIGITS:
            unit = unit[:k] + rng.choice(_DIGITS[unit[k]]) + unit[k + 1 :]
        elif swaps and rng.random() < 0.5:
            x, y = rng.choice(swaps)
            unit = unit.replace(x, y, 1)
        else:
            new = rng.choice(["", rng.choice(engine.letters), rng.choice(engine.letters)])
            unit = unit[:k] + new + unit[k + 1 :]
    return unit


def _wild(engine: _Engine, length: int = 0) -> str:
    rng = engine.rng
    if rng.random() < 0.3:
        return "".join(rng.choices(_RUBBISH, k=rng.randint(1, 3)))
    length = max(1, (length or rng.randint(1, 5)) + rng.randint(-2, 2))
    pool = engine.letters if rng.random() < 0.8 else "aeoilrtnsETLIPOA10"
    return "".join(rng.choices(pool, k=length))


def _disturb(lines: list[str], scan: Scan, engine: _Engine, *, first: bool) -> None:
    """What falls on a page as a whole."""
    rng = engine.rng
    if scan.lines_lost and len(lines) > 6:
        at = rng.randrange(len(lines) - 2)
        del lines[at : at + min(scan.lines_lost, len(lines) // 3)]
    if scan.edge_lost:
        left, cut = rng.random() < 0.5, rng.randint(1, 4)
        lines[:] = [line[cut:] if left else line[:-cut] for line in lines]
    if scan.scribble:
        for _ in range(rng.randint(1, 4)):
            scrawl = " ".join(_wild(engine) for _ in range(rng.randint(1, 4)))
            lines.insert(rng.randrange(len(lines) + 1), scrawl)
    if scan.stamp and first:
        at = rng.choice([0, len(lines), rng.randrange(len(lines) + 1)])
        if at < len(lines) and rng.random() < 0.6:  # over something printed
            lines[at] = _line(lines[at], "table", 0.8, engine)
        lines.insert(at, _line(scan.stamp, "title", engine.level, engine))
    if scan.fax:
        lines.insert(0, _line(scan.fax, "small", max(0.1, engine.level), engine))
