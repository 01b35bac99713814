"""Why two documents are what they are to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paperless_fingerprint.comparison.evidence import Change, Evidence, Kind
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.model import Relation

if TYPE_CHECKING:
    from paperless_fingerprint.comparison.relation import Reading

_MOST_REASONS = 6
_MOST_CHARACTERS = 60
_DIFFERS = {
    Kind.DATE: "date_differs",
    Kind.NAME: "name_differs",
    Kind.NUMBER: "number_differs",
    Kind.AMOUNT: "amount_differs",
    Kind.WORD: "wording_differs",
    Kind.ADDED: "something_differs",
}
#: What tells most is named first.
_ORDER = {Kind.DATE: 0, Kind.NUMBER: 1, Kind.NAME: 2, Kind.AMOUNT: 3, Kind.WORD: 4, Kind.ADDED: 5}


def of(relation: Relation, evidence: Evidence, a: Reading, b: Reading) -> tuple[Reason, ...]:
    if relation in (Relation.TEMPLATE, Relation.RELATED):
        return tuple(_differences(evidence, a, b) or [Reason("parts_shared")])[:_MOST_REASONS]
    said: list[Reason] = []
    if relation is Relation.CONTAINS:
        part = max(evidence.a.coverage, evidence.b.coverage)
        said.append(_share("part", part))
        said += _agreements(evidence, a)
        return tuple(said[:_MOST_REASONS])
    said += _agreements(evidence, a)
    least = min(evidence.a.coverage, evidence.b.coverage)
    said.append(_share("share", least))
    if relation is Relation.VERSION:
        said += _differences(evidence, a, b)
        said += _additions(evidence, a, b, stamps=False)
    else:
        said += _additions(evidence, a, b, stamps=True)
        if evidence.alignment.moved >= 8:
            said.append(Reason("reordered"))
        if evidence.noise >= 0.01:
            said.append(_share("misread", evidence.noise))
    return tuple(said[:_MOST_REASONS])


def _share(code: str, share: float) -> Reason:
    return Reason(code, {"share": round(share, 4)})


def _agreements(evidence: Evidence, a: Reading) -> list[Reason]:
    """'same invoice number 2024-117 and total 118,20': what both texts state, as a spells it."""
    found: dict[str, str] = {}
    total = ""
    for place, kind, spelling in a.labelled:
        if evidence.alignment.to_b[place] >= 0:
            if kind == "total":
                total = spelling
            else:
                found.setdefault(kind, spelling)
    # A date is the least that two texts can have in common.
    kinds = sorted(found, key=lambda kind: kind == "date")
    if total and (not kinds or kinds[0] == "date"):
        return [Reason("same_fact", {"kind": "total", "value": total})]
    if not kinds:
        return []
    same = {"kind": kinds[0], "value": found[kinds[0]]}
    if total:
        return [Reason("same_fact_and_total", {**same, "total": total})]
    return [Reason("same_fact", same)]


def _differences(evidence: Evidence, a: Reading, b: Reading) -> list[Reason]:
    # Where nothing is improbable enough by itself, what can be read on both sides is what differs.
    marks = [one for one in evidence.changes if one.matters] or [
        one for one in evidence.changes if one.is_legible and one.kind is not Kind.ADDED
    ]
    marks.sort(key=lambda one: (_ORDER[one.kind], -one.severity, one.a.start))
    said: list[Reason] = []
    counts: dict[Kind, int] = {}
    for change in marks:
        counts[change.kind] = counts.get(change.kind, 0) + 1
        if counts[change.kind] <= 2:
            first, second = _spellings(change, a, b)
            reason = Reason(_DIFFERS[change.kind], {"a": first, "b": second})
            if reason not in said:
                said.append(reason)
    return said


def _spellings(change: Change, a: Reading, b: Reading) -> tuple[str, str]:
    first = " ".join(a.tokens.spellings[change.a.start : change.a.end])
    second = " ".join(b.tokens.spellings[change.b.start : change.b.end])
    return _short(first), _short(second)


def _short(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"


def _additions(evidence: Evidence, a: Reading, b: Reading, *, stamps: bool) -> list[Reason]:
    """What one text alone has: a few words are a stamp or a footer, more are a passage."""
    said: list[tuple[int, Reason]] = []
    for change in evidence.changes:
        if change.kind is not Kind.ADDED:
            continue
        reading, span = (a, change.a) if change.a.size else (b, change.b)
        size = span.size
        text = _short(" ".join(reading.tokens.spellings[span.start : span.end]))
        if stamps and 1 <= size <= 10 and any(c.isupper() for c in text) and len(text) >= 4:
            said.append((size, Reason("stamp", {"text": text})))
        elif size >= 5:
            said.append((size, Reason("passage", {"words": size, "text": text})))
    said.sort(key=lambda one: -one[0])
    return [reason for _, reason in said[:2]]
