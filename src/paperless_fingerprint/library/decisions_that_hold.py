"""Which of the decisions that people made still hold.

A dismissal holds for good, whatever becomes of the texts, until it is taken back: a pair that
somebody told apart must never come back by itself. A confirmation holds as long as the facts of
both documents are those that the person saw.
"""

from __future__ import annotations

from collections.abc import Collection

from paperless_fingerprint.fingerprints import digest
from paperless_fingerprint.grouping.groups import Decided
from paperless_fingerprint.model import Decision, StoredDocument, Verdict
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
