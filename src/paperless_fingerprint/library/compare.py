"""Two documents of the library side by side: what `compare A B` and the review page show."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from paperless_fingerprint.comparison.diff import Comparison, compare
from paperless_fingerprint.comparison.relation import read
from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.library.as_json import decision_json, pair_json
from paperless_fingerprint.library.budget import within_budget
from paperless_fingerprint.library.judging import Judge
from paperless_fingerprint.library.regroup import among_rivals
from paperless_fingerprint.library.vocabulary import Rarity
from paperless_fingerprint.model import Decision, Document, Relation
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store


@dataclass(frozen=True, slots=True)
class Compared:
    a: Document
    b: Document
    comparison: Comparison
    decisions: tuple[Decision, ...]

    def as_json(self) -> dict[str, Any]:
        found = self.comparison
        return {
            **pair_json(found.pair),
            "noise": found.noise,
            "place": asdict(found.place) if found.place else None,
            "facts_a": asdict(found.facts_a),
            "facts_b": asdict(found.facts_b),
            "changes": [asdict(change) for change in found.changes],
            "decisions": [decision_json(decision) for decision in self.decisions],
        }


def what_was_edited(store: Store, settings: Settings, a: int, b: int) -> list[tuple[str, str]]:
    """What stands in one of two clean texts in place of what stands in the other; nothing where the
    differences may be a scanner's."""
    stored = store.get([a, b])
    if len(stored) < 2:
        return []
    judge = Judge.of(settings)
    one, other = (read(stored[id].document, judge.shingle_words) for id in sorted((a, b)))
    found = compare(
        one,
        other,
        judge.judging(Rarity.around(store, list(stored.values()))),
    )
    if not found.is_edited:
        return []
    edited = [(c.a, c.b) for c in found.changes if c.matters and c.a and c.b]
    return edited if a < b else [(first, second) for second, first in edited]


def compare_documents(store: Store, settings: Settings, a: int, b: int) -> Compared:
    if a == b:
        raise UsageError(f"{a} and {b} are one document; name two.")
    a, b = sorted((a, b))
    stored = store.get([a, b])
    for id in (a, b):
        if id not in stored:
            raise UsageError(f"There is no document {id} in the library.")
    judge = Judge.of(settings, believed_from=settings.similarity_threshold)
    left, right = within_budget(stored[a].document, stored[b].document)
    comparison = compare(
        read(left, judge.shingle_words),
        read(right, judge.shingle_words),
        judge.judging(Rarity.around(store, list(stored.values()))),
    )
    pair, rivals = among_rivals(store, comparison.pair)
    if rivals:
        if pair.confidence < settings.similarity_threshold:
            pair = replace(pair, relation=Relation.RELATED, leader=None)
        pair = replace(pair, reasons=(rivals[0].reason, *pair.reasons))
        comparison = replace(comparison, pair=pair)
    said = tuple(d for d in store.decisions([a]) if (d.a, d.b) == (a, b))
    return Compared(stored[a].document, stored[b].document, comparison, said)
