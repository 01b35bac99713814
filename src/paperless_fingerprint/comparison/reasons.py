"""Why two documents are what they are to each other, in short plain English."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paperless_fingerprint.comparison.evidence import Change, Evidence, Kind
from paperless_fingerprint.model import Relation

if TYPE_CHECKING:
    from paperless_fingerprint.comparison.relation import Reading

_MOST_REASONS = 6
_MOST_CHARACTERS = 60
_ABOUT = {
    Kind.DATE: "the date differs",
    Kind.NAME: "a name differs",
    Kind.NUMBER: "a number differs",
    Kind.AMOUNT: "an amount differs",
    Kind.WORD: "the wording differs",
}
#: What tells most is named first.
_ORDER = {Kind.DATE: 0, Kind.NUMBER: 1, Kind.NAME: 2, Kind.AMOUNT: 3, Kind.WORD: 4, Kind.ADDED: 5}


def of(relation: Relation, evidence: Evidence, a: Reading, b: Reading) -> tuple[str, ...]:
    if relation in (Relation.TEMPLATE, Relation.RELATED):
        return tuple(_differences(evidence, a, b) or ["the texts share parts only"])[:_MOST_REASONS]
    said: list[str] = []
    if relation is Relation.CONTAINS:
        part = max(evidence.a.coverage, evidence.b.coverage)
        said.append(f"{part:.0%} of the shorter text lies in the longer".replace("%", " %"))
        said += _agreements(evidence, a)
        return tuple(said[:_MOST_REASONS])
    said += _agreements(evidence, a)
    least = min(evidence.a.coverage, evidence.b.coverage)
    said.append(f"{least:.0%} of the text".replace("%", " %"))
    if relation is Relation.VERSION:
        said += _differences(evidence, a, b)
        said += _additions(evidence, a, b, stamps=False)
    else:
        said += _additions(evidence, a, b, stamps=True)
        if evidence.alignment.moved >= 8:
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
    # Where nothing is improbable enough by itself, what can be read on both sides is what differs.
    marks = [one for one in evidence.changes if one.matters] or [
        one for one in evidence.changes if one.is_legible and one.kind is not Kind.ADDED
    ]
    marks.sort(key=lambda one: (_ORDER[one.kind], -one.severity, one.a.start))
    said: list[str] = []
    counts: dict[Kind, int] = {}
    for change in marks:
        counts[change.kind] = counts.get(change.kind, 0) + 1
        if counts[change.kind] <= 2:
            first, second = _spellings(change, a, b)
            text = f"{_ABOUT.get(change.kind, 'something differs')}: {first} / {second}"
            if text not in said:
                said.append(text)
    return said


def _spellings(change: Change, a: Reading, b: Reading) -> tuple[str, str]:
    first = " ".join(a.tokens.spellings[change.a.start : change.a.end])
    second = " ".join(b.tokens.spellings[change.b.start : change.b.end])
    return _short(first), _short(second)


def _short(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"


def _additions(evidence: Evidence, a: Reading, b: Reading, *, stamps: bool) -> list[str]:
    """What one text alone has: a few words are a stamp or a footer, more are a passage."""
    said = []
    for change in evidence.changes:
        if change.kind is not Kind.ADDED:
            continue
        reading, span = (a, change.a) if change.a.size else (b, change.b)
        size = span.size
        text = _short(" ".join(reading.tokens.spellings[span.start : span.end]))
        if stamps and 1 <= size <= 10 and any(c.isupper() for c in text) and len(text) >= 4:
            said.append((size, f"a stamp or a line was added: {text}"))
        elif size >= 5:
            said.append((size, f"a passage of {size} words is only in one: {text}"))
    said.sort(reverse=True)
    return [text for _, text in said[:2]]
