"""Fitting the scale of likeness anew from what people have decided: `tune --semantic`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.fingerprints.shingles import overlap, shingle_hashes
from paperless_fingerprint.model import Decision, Relation, Verdict
from paperless_fingerprint.semantic.agreement import Commonness, agreement
from paperless_fingerprint.semantic.calibration import FLAG, LabelledPair, Scale, fit
from paperless_fingerprint.semantic.embedding import current_space, put_scale, scale_of
from paperless_fingerprint.semantic.judgement import OVERLAP_OF_NEAR
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.vectors import VectorStore, decoded
from paperless_fingerprint.text.normalise import normalise

#: With fewer than these of each kind nothing is fitted.
_FEWEST = 3
#: A pair whose facts differ was dismissed for that, whatever its likeness.
_KEPT_AT_LEAST = 0.65


@dataclass(frozen=True, slots=True)
class SemanticTuning:
    """What a new scale rests on, and what it would change."""

    before: Scale
    after: Scale
    same: int
    different: int
    #: Decided pairs that the likeness alone tells rightly at the threshold, before and after.
    right_before: int
    right_after: int

    def as_json(self) -> dict[str, float | int]:
        return {
            "same": self.same,
            "different": self.different,
            "right_before": self.right_before,
            "right_after": self.right_after,
            "flag_cosine_before": round(self.before.cosine(FLAG), 4),
            "flag_cosine_after": round(self.after.cosine(FLAG), 4),
        }

    def in_words(self) -> str:
        decided = self.same + self.different
        return (
            f"{decided} decided pairs ({self.same} the same, {self.different} not). A likeness of "
            f"{FLAG} is a cosine of {self.before.cosine(FLAG):.2f} now and would be "
            f"{self.after.cosine(FLAG):.2f}; by likeness alone {self.right_before} of them are "
            f"told rightly now, {self.right_after} then."
        )


def tune(
    store: Store, vectors: VectorStore, settings: Settings, *, keep: bool = False
) -> SemanticTuning:
    """Fit the scale from confirmed and dismissed pairs; with `keep`, use it from now on."""
    space = current_space(store, settings)
    before = scale_of(store, space)
    if before is None:
        raise UsageError(
            "No document has an embedding yet, so there is nothing to tune. Set [semantic] enabled "
            "to true and run 'paperless-fingerprint analyze' first."
        )
    labelled = _labelled(store, vectors, settings, space)
    same = sum(pair.same for pair in labelled)
    if min(same, len(labelled) - same) < _FEWEST:
        raise UsageError(
            f"{same} confirmed and {len(labelled) - same} dismissed semantic pairs are too few to "
            f"tune with; at least {_FEWEST} of both are needed. Go on with 'confirm' and 'dismiss'."
        )
    after = fit(labelled, prior=before, source=f"{len(labelled)} decisions")
    if keep:
        put_scale(store, space, after)
    threshold = settings.semantic.threshold

    def right(scale: Scale) -> int:
        return sum((scale.likeness(pair.cosine) >= threshold) == pair.same for pair in labelled)

    return SemanticTuning(before, after, same, len(labelled) - same, right(before), right(after))


def _labelled(
    store: Store, vectors: VectorStore, settings: Settings, space: str
) -> list[LabelledPair]:
    decisions = [decision for decision in store.decisions() if _bears_on_meaning(decision)]
    ids = {id for decision in decisions for id in (decision.a, decision.b)}
    stored = {id: one for id, one in vectors.get(space, ids).items() if one.codes}
    texts = store.texts(ids)
    nothing_common = Commonness(())
    labelled = []
    for decision in decisions:
        a, b = stored.get(decision.a), stored.get(decision.b)
        if a is None or b is None or decision.a not in texts or decision.b not in texts:
            continue
        if a.language == b.language and _is_of_near(
            texts[decision.a], texts[decision.b], settings.fingerprint.shingle_words
        ):
            continue
        same = decision.verdict is Verdict.CONFIRMED
        facts = agreement(a.facts, b.facts, nothing_common)
        if not same and facts.least and facts.kept < _KEPT_AT_LEAST:
            continue
        cosine = float(np.dot(decoded(a.codes), decoded(b.codes)))
        labelled.append(LabelledPair(cosine, same))
    return labelled


def _bears_on_meaning(decision: Decision) -> bool:
    if decision.verdict is Verdict.CONFIRMED:
        return True
    return decision.verdict is Verdict.DISMISSED and decision.relation in {None, Relation.SEMANTIC}


def _is_of_near(a: str, b: str, shingle_words: int) -> bool:
    """Copies are told by their words; their cosine of 1 teaches nothing about translations."""
    shared = overlap(
        shingle_hashes(normalise(a), shingle_words), shingle_hashes(normalise(b), shingle_words)
    )
    return max(shared.containment_ab, shared.containment_ba) >= OVERLAP_OF_NEAR
