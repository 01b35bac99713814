"""What happens to a letter after it was written: pages, edits, drafts, corrections."""

from __future__ import annotations

import random
import re
from dataclasses import replace

from benchmarks.made.forms import Block, Form, Letter, Pages, Printed, Value
from benchmarks.made.language import Language

_SENTENCE_END = re.compile(r"(?<=[.!?。؟।])\s*")
#: What makes a letter this letter; all else in it can be corrected.
IDENTITY = ("number", "name", "date", "period", "policy", "employee", "customer", "account",
            "insured", "birth", "phone", "meter", "address", "order", "subject", "signed")  # fmt: skip


def paged(pages: Pages, sheet: int, again: Block | None) -> Pages:
    """What is longer than a sheet goes on over several, some with the letterhead again."""
    out: list[list[Block]] = []
    for page in pages:
        out.append([])
        room = sheet
        for block in page:
            for piece in _pieces(block):
                size = sum(map(len, (*piece.lines, *(c for row in piece.rows for c in row))))
                if size > room and room < sheet * 0.8:
                    out.append([again] if again else [])
                    room = sheet
                room -= size
                last = out[-1][-1] if out[-1] else None
                if last and last.kind == piece.kind and piece.kind in {"prose", "clauses", "table"} and last.mark == piece.mark:  # fmt: skip
                    out[-1][-1] = replace(
                        last, lines=last.lines + piece.lines, rows=last.rows + piece.rows
                    )
                else:
                    out[-1].append(piece)
    return tuple(tuple(page) for page in out)


def _pieces(block: Block) -> list[Block]:
    if block.kind == "prose":
        return [replace(block, lines=(line,)) for line in block.lines]
    if block.kind in {"clauses", "table"}:
        return [
            replace(block, rows=(row,), start=n) for n, row in enumerate(block.rows, block.start)
        ]
    return [block]


def edited(pages: Pages, share: float, rng: random.Random, speech: Language) -> Pages:
    """The text with a share of its words written anew, here a word, there a clause."""
    blocks = [list(page) for page in pages]
    places = [
        (p, b)
        for p, page in enumerate(blocks)
        for b, block in enumerate(page)
        if block.kind in {"prose", "clauses"}
    ]
    if not places:
        return pages
    sizes = [_size(blocks[p][b], speech) for p, b in places]
    budget = max(1, round(share * sum(sizes)))
    fine = rng.random()  # some revise words, others whole clauses
    for _ in range(400):
        if budget <= 0:
            break
        p, b = rng.choices(places, sizes)[0]
        block, spent = _edited_block(blocks[p][b], fine, rng, speech)
        blocks[p][b] = block
        budget -= spent
    return tuple(tuple(page) for page in blocks)


def _size(block: Block, speech: Language) -> int:
    text = " ".join((*block.lines, *(c for row in block.rows for c in row)))
    return len(text.split()) if speech.spaced else len(text) // 2


def _fresh(speech: Language, rng: random.Random) -> str:
    text = re.sub(r" ?[(,]? ?\{[^n]\w*\}\)?", "", speech.sentence(rng))
    return text.replace("{n}", str(rng.randrange(2, 900)))


def _edited_block(
    block: Block, fine: float, rng: random.Random, speech: Language
) -> tuple[Block, int]:
    rows = [list(row) for row in block.rows] or [[line] for line in block.lines]
    k = rng.randrange(len(rows))
    draw = rng.random()
    spent = 1
    if draw < 0.12 * (1 - fine) and len(rows) > 3:
        gone = rows.pop(k)
        spent = sum(_count(text, speech) for text in gone)
    elif draw < 0.3 * (1 - fine):
        added = [_fresh(speech, rng) for _ in range(rng.randint(1, 3))]
        row = (
            [added[0].split(",")[0][:20].rstrip("."), " ".join(added)]
            if block.rows
            else [" ".join(added)]
        )
        rows.insert(k, row)
        spent = sum(_count(text, speech) for text in row)
    elif draw < 0.33 * (1 - fine) and len(rows) > 2:
        rows.insert(rng.randrange(len(rows)), rows.pop(k))
        spent = 5
    else:
        at = len(rows[k]) - 1
        rows[k][at], spent = _edited_text(rows[k][at], fine, rng, speech)
        if not rows[k][at] and len(rows) > 1:
            del rows[k]
    if block.rows:
        return replace(block, rows=tuple(map(tuple, rows))), spent
    return replace(block, lines=tuple(row[0] for row in rows)), spent


def _count(text: str, speech: Language) -> int:
    return len(text.split()) if speech.spaced else len(text) // 2


def _edited_text(text: str, fine: float, rng: random.Random, speech: Language) -> tuple[str, int]:
    sentences = [s for s in _SENTENCE_END.split(text) if s]
    gap = " " if speech.spaced else ""
    k = rng.randrange(len(sentences)) if sentences else 0
    draw = rng.random() + 0.4 * (0.5 - fine)
    if not sentences or draw < 0.1:
        sentences.insert(k, _fresh(speech, rng))
        return gap.join(sentences), _count(sentences[k], speech)
    if draw < 0.2 and len(sentences) > 1:
        return gap.join(sentences[:k] + sentences[k + 1 :]), _count(sentences[k], speech)
    if draw > 0.8:
        sentences[k] = _fresh(speech, rng)
        return gap.join(sentences), _count(sentences[k], speech)
    other = _fresh(speech, rng)
    mine = sentences[k].split() if speech.spaced else list(sentences[k])
    theirs = other.split() if speech.spaced else list(other)
    size = min(rng.randint(1, 4), len(mine))
    at, start = rng.randrange(len(mine) - size + 1), rng.randrange(len(theirs))
    mine[at : at + size] = [
        w.strip(".,") for w in theirs[start : start + max(1, size + rng.randint(-1, 1))]
    ]
    sentences[k] = gap.join(mine)
    return gap.join(sentences), size if speech.spaced else max(1, size // 2)


def drafted(pages: Pages, mark: str) -> Pages:
    """With the mark of a draft, and not signed."""
    first = (Block("title", (mark,)), *pages[0])
    return (first, *(tuple(b for b in page if b.kind != "hand") for page in pages[1:]))


def correctable(printed: Printed) -> list[str]:
    return [
        name
        for name, value in printed.values.items()
        if name not in IDENTITY and not name.startswith("present") and value.level in {"letter", "amounts"}
        and value.type != "words"
    ]  # fmt: skip


def corrected(form: Form, letter: Letter, rng: random.Random) -> Letter | None:
    """The same letter with one or some of its facts put right."""
    printed = form.write(letter)
    names = correctable(printed)
    if not names or not {"number", "date"} & printed.values.keys():
        return None
    chosen = rng.sample(names, min(len(names), rng.choice([1, 1, 1, 2, 2, 3, 4, 8])))
    if "number" in printed.values and "name" in printed.values and rng.random() < 0.1:
        chosen = ["name"]
    changes = {
        name: changed(form, printed.values[name], letter.month, rng, slight=name == "name" or rng.random() < 0.3)
        for name in chosen
    }  # fmt: skip
    return replace(letter, changed=(*letter.changed, *changes.items()))


def twin(form: Form, letter: Letter, rng: random.Random) -> Letter | None:
    """Another letter that differs in one or two of the facts that make it another one."""
    values = form.write(letter).values
    # The same contract with another date would be one that was signed again.
    kinds = (
        ("name",) if form.spec.get("edits") == "contract" else ("date", "period", "name", "code")
    )
    own = [n for n in kinds if n in values]
    if "number" in values:
        chosen = ["number", *rng.sample(own, min(len(own), rng.choice([0, 0, 1, 2])))]
    elif own:
        chosen = rng.sample(own, 1)
    else:
        return None
    changes = {
        n: changed(form, values[n], letter.month, rng, slight=n != "name" and rng.random() < 0.6)
        for n in chosen
    }
    return replace(letter, changed=tuple(changes.items()))


def changed(form: Form, value: Value, month: int, rng: random.Random, *, slight: bool) -> str:
    """Another value of the type; slightly other: a digit, a letter, some days or a month."""
    text = value.text
    for _ in range(20):
        if slight and value.type in {"date", "day", "month"}:
            text = form.another(value.type, rng, month + rng.choice([-1, 0, 0, 1, 2]))
        elif slight and value.type == "person":
            k = rng.randrange(len(text))
            if text[k].isalpha():
                letters = form.language.words("last")[0].lower()
                text = text[:k] + rng.choice(letters) + text[k + 1 :]
        elif slight and any(c.isdigit() for c in text):
            k = rng.choice([k for k, c in enumerate(text) if c.isdigit()])
            text = text[:k] + rng.choice("123456789") + text[k + 1 :]
        else:
            text = form.another(value.type, rng)
        if text != value.text:
            break
    return text
