"""The plan of a term of likeness, for people: what is asked and how surely it finds."""

from __future__ import annotations

from typing import Any

from paperless_fingerprint.query.plan import SketchQuery, Source, expected_recall
from paperless_fingerprint.query.tree import Alike, Likeness

#: Times the asked overlap.
_FACTORS = (1.25, 1.0, 0.75, 0.5, 0.25)


def explained(term: Alike, source: Source, query: SketchQuery) -> dict[str, Any]:
    total = len(source.hashes)
    plan: dict[str, Any] = {
        "likeness": term.likeness.value,
        "source": source.id,
        "overlap": term.overlap,
        "probability": term.probability,
        "shingles": total,
        "level": source.level,
        "terms_asked": len(query.hashes),
        "boilerplate_left_out": query.drop_common,
        "groups": [],
    }
    if query.shingles is not None:
        plan["hits_have_shingles"] = list(query.shingles)
    for group in query.groups:
        asked: dict[str, Any] = {
            "levels": list(group.levels),
            "terms": group.asked,
            "minimum_matches": group.minimum,
        }
        if term.overlap and term.likeness is Likeness.FINGERPRINT:
            asked["expected_recall"] = {
                f"{100 * term.overlap * factor:.4g} %": round(
                    expected_recall(group, total, term.overlap * factor), 4
                )
                for factor in _FACTORS
                if term.overlap * factor <= 1
            }
        if group.least_score:
            asked["least_share"] = round(group.least_score, 4)
        plan["groups"].append(asked)
    return plan


def in_words(plan: dict[str, Any]) -> list[str]:
    """A line for the term, and one for each group."""
    share = "any overlap" if not plan["overlap"] else f"{100 * plan['overlap']:.4g} %"
    chance = (
        "" if plan["probability"] is None else f", found with {100 * plan['probability']:.4g} %"
    )
    lines = [
        f"{plan['likeness']} of document {plan['source']}: {share}{chance}; its "
        f"{plan['shingles']:,} shingles are kept at level {plan['level']}"
        + (" (hashes of boilerplate are left out)" if plan["boilerplate_left_out"] else "")
    ]
    for group in plan["groups"]:
        levels = ", ".join(str(level) for level in group["levels"])
        recall = "; ".join(
            f"a hit with {overlap} is found with {100 * found:.4g} %"
            for overlap, found in group.get("expected_recall", {}).items()
        )
        lines.append(
            f"  hits of level {levels}: {group['terms']:,} terms, "
            f"at least {group['minimum_matches']:,} of them" + (f"; {recall}" if recall else "")
        )
    if not plan["groups"]:
        lines.append("  nothing is left to ask for, so nothing is found")
    return lines
