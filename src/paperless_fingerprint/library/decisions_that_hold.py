"""Which of the decisions that people made still hold, and what they do to judged pairs.

A dismissal holds for good, whatever becomes of the texts, until it is taken back: a pair that
somebody told apart must never come back by itself. A confirmation holds as long as the facts of
both documents are those that the person saw.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from paperless_fingerprint.fingerprints import digest
from paperless_fingerprint.grouping.groups import Decided
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.model import Decision, Key, Pair, Relation, StoredDocument, Verdict
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store

#: From this share of numbers on that are still there, the facts are the same.
_SAME_FACTS = 0.5


def holding(store: Store, ids: Collection[int] | None = None) -> Decided:
    """The decisions that hold, about all documents or about these."""
    return those_that_hold(store, store.decisions(ids))


def those_that_hold(store: Store, found: Collection[Decision]) -> Decided:
    confirmed = [
        decision
        for decision in found
        if decision.verdict is Verdict.CONFIRMED and (decision.facts_a or decision.facts_b)
    ]
    lapsed: set[str] = set()
    if confirmed:
        present = store.get({id for decision in confirmed for id in (decision.a, decision.b)})
        lapsed = {decision.key for decision in confirmed if not _holds(decision, present)}
    return Decided(decision for decision in found if decision.key not in lapsed)


def _holds(decision: Decision, present: dict[int, StoredDocument]) -> bool:
    for id, facts in ((decision.a, decision.facts_a), (decision.b, decision.facts_b)):
        record = present.get(id)
        if record is not None and facts:
            agreement = digest.compare(bytes.fromhex(facts), [record.fingerprint.facts])
            if agreement.numbers[0] < _SAME_FACTS:
                return False
    return True


def with_decisions(
    pairs: Iterable[Pair],
    judged: Collection[Key],
    decided: Decided,
    semantic: Mapping[Key, Pair] | None = None,
) -> list[Pair]:
    """What people said overrules what was judged: dismissed pairs go, confirmed ones are sure.

    `semantic` are the pairs that the semantic tier has stored, for whoever judges by words alone.
    What was confirmed as semantic stays that: two texts in two languages are no copies.
    """
    result = {
        (pair.a, pair.b): pair
        for pair in pairs
        if not decided.dismissed(pair.a, pair.b, pair.relation)
    }
    for key in judged:
        decision = decided.confirmed.get(key)
        if decision is None:
            continue
        found = result.get(key)
        if decision.relation is Relation.SEMANTIC and (
            found is None or found.relation is not Relation.SEMANTIC
        ):
            found = (semantic or {}).get(key) or Pair(*key, Relation.SEMANTIC, 1.0)
        found = found or Pair(*key, Relation.NEAR, 1.0)
        reason = (
            Reason("confirmed", {"by": decision.by})
            if decision.by
            else Reason("confirmed_by_a_person")
        )
        others = tuple(said for said in found.reasons if str(said) != str(reason))
        result[key] = replace(found, confidence=1.0, reasons=(reason, *others))
    return list(result.values())


def semantic_pairs(store: Store, ids: Collection[int] | None = None) -> dict[Key, Pair]:
    """What the semantic tier has stored, for with_decisions() and not_ours()."""
    return {(pair.a, pair.b): pair for pair in store.pairs(ids=ids, relation=Relation.SEMANTIC)}


def not_ours(semantic: Collection[Key], decided: Decided, settings: Settings) -> set[Key]:
    """Which of these an analysis by words may not remove: another tier's, while it is switched on."""
    if not settings.semantic.enabled:
        return set()
    return {key for key in semantic if not decided.dismissed(*key, Relation.SEMANTIC)}
