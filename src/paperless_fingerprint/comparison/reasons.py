"""Why two documents are what they are to each other, in short plain English."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paperless_fingerprint.comparison.changes.mark import Kind, Mark
from paperless_fingerprint.comparison.evidence.gather import Evidence
from paperless_fingerprint.model import Relation

if TYPE_CHECKING:
    from paperless_fingerprint.comparison.relation import Reading

#: From this severity on a difference is more than noise.
MATTERS = 2.0
_MOST_REASONS = 6
_MOST_CHARACTERS = 60
_ABOUT = {
    Kind.MONTH: "the month differs",
    Kind.NAME: "a name differs",
    Kind.FACT: "a number differs",
    Kind.AMOUNT: "an amount differs",
    Kind.WORD: "the wording differs",
}
#: What tells most is named first.
_ORDER = {Kind.MONTH: 0, Kind.FACT: 1, Kind.NAME: 2, Kind.AMOUNT: 3, Kind.WORD: 4, Kind.ADDED: 5}


def of(relation: Relation, evidence: Evidence, a: Reading, b: Reading) -> tuple[str, ...]:
    if relation in (Relation.TEMPLATE, Relation.RELATED):
        return tuple(_differences(evidence, a, b) or ["the texts share parts only"])[:_MOST_REASONS]
    said: list[str] = []
    if relation is Relation.CONTAINS:
        a_is_whole = evidence.coverage_a < evidence.coverage_b
        part = evidence.coverage_b if a_is_whole else evidence.coverage_a
        said.append(f"{part:.0%} of the shorter text lies in the longer".replace("%", " %"))
        said += _agreements(evidence, a)
        return tuple(said[:_MOST_REASONS])
    said += _agreements(evidence, a)
    least = min(evidence.coverage_a, evidence.coverage_b)
    said.append(f"{least:.0%} of the text".replace("%", " %"))
    if relation is Relation.VERSION:
        said += _differences(evidence, a, b)
        said += _additions(evidence, a, b, stamps=False)
    else:
        said += _additions(evidence, a, b, stamps=True)
        if evidence.moved >= 8:
            said.append("parts stand in another order")
        if evidence.noise >= 0.01:
            said.append(
                f"about {evidence.noise:.0%} of the letters were misread".replace("%", " %")
            )
    return tuple(said[:_MOST_REASONS])


def _agreements(evidence: Evidence, a: Reading) -> list[str]:
    """'same invoice number 2024-117 and total 118,20': what both texts state, as a spells it."""
    found: dict[str, str] = {}
    total = ""
    for place, kind, spelling in a.labelled:
        if evidence.alignment.to_b[place] >= 0:
            if kind == "total":
                total = spelling
            else:
                found.setdefault(kind, spelling)
    same = [f"{kind} {value}" for kind, value in found.items() if kind != "date"][:1]
    same += [f"total {total}"] if total else []
    if not same and "date" in found:
        same = [f"date {found['date']}"]
    return [f"same {' and '.join(same)}"] if same else []


def _differences(evidence: Evidence, a: Reading, b: Reading) -> list[str]:
    marks = [mark for mark in evidence.marks if mark.severity >= MATTERS]
    marks.sort(key=lambda mark: (_ORDER[mark.kind], -mark.severity, mark.difference.start_a))
    said: list[str] = []
    counts: dict[Kind, int] = {}
    for mark in marks:
        counts[mark.kind] = counts.get(mark.kind, 0) + 1
        if counts[mark.kind] <= 2:
            first, second = _spellings(mark, a, b)
            text = f"{_ABOUT.get(mark.kind, 'something differs')}: {first} / {second}"
            if text not in said:
                said.append(text)
    return said


def _spellings(mark: Mark, a: Reading, b: Reading) -> tuple[str, str]:
    item = mark.difference
    first = " ".join(a.side.tokens.spellings[item.start_a : item.end_a])
    second = " ".join(b.side.tokens.spellings[item.start_b : item.end_b])
    return _short(first), _short(second)


def _short(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"


def _additions(evidence: Evidence, a: Reading, b: Reading, *, stamps: bool) -> list[str]:
    """What one text alone has: a few words are a stamp or a footer, more are a passage."""
    said = []
    for mark in evidence.marks:
        item = mark.difference
        if mark.kind is not Kind.ADDED:
            continue
        only_a = item.start_a < item.end_a
        size = item.end_a - item.start_a if only_a else item.end_b - item.start_b
        reading = a if only_a else b
        start, end = (item.start_a, item.end_a) if only_a else (item.start_b, item.end_b)
        text = _short(" ".join(reading.side.tokens.spellings[start:end]))
        if stamps and 1 <= size <= 10 and any(c.isupper() for c in text) and len(text) >= 4:
            said.append((size, f"a stamp or a line was added: {text}"))
        elif size >= 5:
            said.append((size, f"a passage of {size} words is only in one: {text}"))
    said.sort(reverse=True)
    return [text for _, text in said[:2]]
