"""Values as the JSON objects that scripts rely on, and as words for people."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from paperless_fingerprint.model import (
    Candidate,
    Decision,
    Document,
    Fingerprint,
    Group,
    Pair,
    VersionChain,
)


def pair_json(pair: Pair) -> dict[str, Any]:
    scores = pair.scores
    return {
        "a": pair.a,
        "b": pair.b,
        "relation": pair.relation.value,
        "confidence": _rounded(pair.confidence),
        "alone": _rounded(scores.alone),
        "score": _rounded(scores.score),
        "jaccard": _rounded(scores.jaccard),
        "containment_ab": _rounded(scores.containment_ab),
        "containment_ba": _rounded(scores.containment_ba),
        "fuzzy": _rounded(scores.fuzzy),
        "metadata": _rounded(scores.metadata),
        "title": _rounded(scores.title),
        "facts": _rounded(scores.facts),
        "semantic": _rounded(scores.semantic),
        "leader": pair.leader,
        "first_word": scores.first_word,
        "last_word": scores.last_word,
        "reasons": [str(reason) for reason in pair.reasons],
        "reason_codes": [reason.as_json() for reason in pair.reasons],
    }


def group_json(group: Group) -> dict[str, Any]:
    return {
        "id": group.id,
        "relation": group.relation.value,
        "confidence": _rounded(group.confidence),
        "primary": group.primary,
        "members": list(group.members),
        "pairs": [list(pair) for pair in group.pairs],
        "contradictions": [list(pair) for pair in group.contradictions],
    }


def chain_json(chain: VersionChain) -> dict[str, Any]:
    return {"version_chain_id": chain.id, "members": list(chain.members), "latest": chain.latest}


def document_json(document: Document) -> dict[str, Any]:
    """All but the text."""
    told = asdict(document) | {"tags": list(document.tags), "viewers": list(document.viewers)}
    del told["content"]
    return told


def fingerprint_json(fingerprint: Fingerprint) -> dict[str, Any]:
    return {
        "spec": fingerprint.spec,
        "text_hash": fingerprint.text_hash,
        "words": fingerprint.words,
        "shingles": fingerprint.shingles,
        "bands": len(fingerprint.bands) // 4,
        "sketch": len(fingerprint.sketch) // 8,
        "level": fingerprint.level,
    }


def candidate_json(candidate: Candidate) -> dict[str, Any]:
    return {
        "id": candidate.id,
        "jaccard": _rounded(candidate.jaccard),
        "containment": _rounded(candidate.containment),
        "reverse_containment": _rounded(candidate.reverse_containment),
        "shared_bands": candidate.shared_bands,
        "shared_hashes": candidate.shared_hashes,
        "same_text": candidate.same_text,
        "same_file": candidate.same_file,
    }


def decision_json(decision: Decision) -> dict[str, Any]:
    return {
        "a": decision.a,
        "b": decision.b,
        "verdict": decision.verdict.value,
        "relation": decision.relation.value if decision.relation else None,
        "at": decision.at,
        "by": decision.by,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
