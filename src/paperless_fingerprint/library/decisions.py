"""What people say about pairs, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.library import regroup
from paperless_fingerprint.library.clock import now_text
from paperless_fingerprint.library.decisions_that_hold import holding
from paperless_fingerprint.library.judging import Chunk, Judge, judge_chunk, with_decisions
from paperless_fingerprint.library.vocabulary import StoredVocabulary
from paperless_fingerprint.model import Decision, Pair, Relation, Verdict
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store


@dataclass(frozen=True, slots=True)
class Said:
    decision: Decision
    #: The pair as it is stored now; None when it is none any more.
    pair: Pair | None


def dismiss(
    store: Store, settings: Settings, a: int, b: int, *, by: str, relation: Relation | None = None
) -> Said:
    """These two are no duplicates (or not in this relation), and never will be."""
    decision = _about(store, a, b, Verdict.DISMISSED, by, relation)
    store.put_decision(decision)
    return Said(decision, _judge_again(store, settings, decision.a, decision.b))


def confirm(store: Store, settings: Settings, a: int, b: int, *, by: str) -> Said:
    """These two are what they were found to be; where nothing was found, duplicates."""
    key = (min(a, b), max(a, b))
    dismissed = [
        old
        for old in store.decisions([key[0]])
        if old.verdict is Verdict.DISMISSED and (old.a, old.b) == key
    ]
    # Kept with the word itself, because a later analysis by words alone would not know.
    is_semantic = _semantic_of(store, key) is not None or any(
        old.relation is Relation.SEMANTIC for old in dismissed
    )
    relation = Relation.SEMANTIC if is_semantic else None
    decision = _about(store, a, b, Verdict.CONFIRMED, by, relation)
    store.put_decision(decision)
    # A dismissal of one relation would still keep them apart.
    for old in dismissed:
        store.remove_decision(old.key)
    return Said(decision, _judge_again(store, settings, decision.a, decision.b))


def choose_primary(store: Store, settings: Settings, id: int, *, by: str) -> Decision:
    """This document is the one to keep of its group."""
    if not any(id in group.members for group in store.groups(ids=[id])):
        raise UsageError(
            f"Document {id} is in no group of duplicates, so there is nothing that it could be "
            "the primary of. 'paperless-fingerprint groups' lists them."
        )
    decision = Decision(id, id, Verdict.PRIMARY, now_text(), by)
    store.put_decision(decision)
    regroup.refresh(store, settings, {id})
    return decision


def undo(store: Store, settings: Settings, pair: tuple[int, int] | None = None) -> list[Decision]:
    """Take back what was said about a pair, or without one what was said last."""
    said = [d for d in store.decisions(pair) if d.verdict is not Verdict.SUCCEEDS]
    if pair is not None:
        said = [decision for decision in said if {decision.a, decision.b} == set(pair)]
    elif said:
        said = [max(said, key=lambda decision: (decision.at, decision.key))]
    for decision in said:
        store.remove_decision(decision.key)
        if decision.a == decision.b:
            regroup.refresh(store, settings, {decision.a})
        else:
            _judge_again(store, settings, decision.a, decision.b)
    return said


def _about(
    store: Store, a: int, b: int, verdict: Verdict, by: str, relation: Relation | None
) -> Decision:
    if a == b:
        raise UsageError(f"{a} and {b} are one document; a decision is about two.")
    a, b = sorted((a, b))
    present = store.get([a, b])
    for id in (a, b):
        if id not in present:
            raise UsageError(f"There is no document {id} in the library.")
    return Decision(
        a, b, verdict, now_text(), by, relation,
        present[a].fingerprint.facts.hex(), present[b].fingerprint.facts.hex(),
    )  # fmt: skip


def _judge_again(store: Store, settings: Settings, a: int, b: int) -> Pair | None:
    """Bring the stored pair and the groups into line with what was said."""
    documents = {id: record.document for id, record in store.get([a, b]).items()}
    judged = judge_chunk(Chunk(documents, [(a, b)]), Judge.of(settings), StoredVocabulary(store))
    stored = _semantic_of(store, (a, b))
    pairs = with_decisions(
        judged,
        [(a, b)] if len(documents) == 2 else [],
        holding(store, [a, b]),
        {(a, b): stored} if stored else None,
    )
    store.write_pairs(pairs, removing=[] if pairs else [(a, b)])
    changed = regroup.refresh(store, settings, {a, b})
    pairs = [changed.get((pair.a, pair.b), pair) for pair in pairs]
    if not pairs and settings.semantic.enabled:
        from paperless_fingerprint.library.semantic import look_again

        pairs = look_again(store, settings, (a, b))
    return pairs[0] if pairs else None


def _semantic_of(store: Store, key: tuple[int, int]) -> Pair | None:
    found = store.pairs(ids=[key[0]], relation=Relation.SEMANTIC)
    return next((pair for pair in found if (pair.a, pair.b) == key), None)
