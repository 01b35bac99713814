"""What two documents are to each other, and why: the judgement of one pair.

Pure functions over readings: read() is done once a document, judge() once a pair. The steps get
dearer from one to the next, and most pairs end early: files and texts that are identical, texts
that share too little, forms whose facts differ; only then the differences are weighed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from paperless_fingerprint.comparison import reasons
from paperless_fingerprint.comparison.alignment import equal_tokens
from paperless_fingerprint.comparison.evidence import Evidence, gather
from paperless_fingerprint.comparison.facts import Labelled, labelled
from paperless_fingerprint.comparison.judgement import Chances, JudgementSpec, learned
from paperless_fingerprint.comparison.shared import Look, look
from paperless_fingerprint.comparison.side import Side
from paperless_fingerprint.comparison.similarity import (
    FUZZY_SAMPLE_SIZE,
    Weights,
    fuzzy_text,
    metadata_alike,
    sample,
    title_alike,
    weighted_sum,
)
from paperless_fingerprint.comparison.stretch import Place, place_of
from paperless_fingerprint.fingerprints.rarity import Runs
from paperless_fingerprint.fingerprints.shingles import Hashes, Overlap, overlap, shingle_hashes
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.model import (
    STORED_RELATIONS,
    Document,
    Pair,
    PairScore,
    Relation,
)
from paperless_fingerprint.text.lexicon import Vocabulary
from paperless_fingerprint.text.normalise import normalise
from paperless_fingerprint.text.tokens import Tokens, tokenise

#: A text of fewer distinct shingles says the same thing over and over.
FEWEST_SHINGLES = 5
#: So much of one of two texts stands in the other, or they are nothing that a person would compare.
_COVERED = 0.6
#: How sure it is that two documents are none other where a first look leaves no hope.
_NO_HOPE = 0.99


@dataclass(frozen=True, slots=True)
class Thresholds:
    #: Levels of jaccard at which text alone may decide, where both documents hold no facts.
    near: float = 0.85
    version: float = 0.75
    #: The confidence from which on a relation is believed.
    similarity_threshold: float = 0.75
    #: Under this many words there is no near comparison, under those not even an exact one.
    min_words: int = 20
    exact_min_words: int = 8
    #: Share of the smaller text's tokens that must match in order, or of its shingles anywhere.
    equal_tokens: float = 0.2
    containment: float = 0.12


class Reading:
    """A document as the judgement needs it; what is dear is found out when somebody asks."""

    def __init__(self, document: Document, shingle_words: int = 3) -> None:
        self.document = document
        self._shingle_words = shingle_words
        self._side: Side | None = None

    @cached_property
    def text(self) -> str:
        """The normalised text: the same in two documents when they say the same."""
        return normalise(self.document.content)

    @cached_property
    def words(self) -> int:
        return self.text.count(" ") + 1 if self.text else 0

    @cached_property
    def shingles(self) -> Hashes:
        """None where there are fewer words than a shingle has."""
        if self.words < self._shingle_words:
            return np.empty(0, np.uint64)
        return shingle_hashes(self.text, self._shingle_words)

    @cached_property
    def labelled(self) -> tuple[Labelled, ...]:
        return labelled(self.tokens)

    @cached_property
    def tokens(self) -> Tokens:
        return tokenise(self.document.content)

    def side(self, vocabulary: Vocabulary | None, runs: Runs | None) -> Side:
        """As it stands in the library that these two tell of."""
        known = self._side
        if known is None or (known.vocabulary, known.runs) != (vocabulary, runs):
            known = self._side = Side(
                self.tokens,
                vocabulary,
                runs,
                shingles=len(self.shingles),
                shingle_words=self._shingle_words,
            )
        return known


def read(document: Document, shingle_words: int = 3) -> Reading:
    """`shingle_words` as in the fingerprints: the reported overlap is that of the same shingles."""
    return Reading(document, shingle_words)


@dataclass(frozen=True, slots=True)
class Told:
    """What two texts tell of each other, whatever documents they stand in."""

    relation: Relation
    confidence: float
    why: tuple[Reason, ...]
    #: Of the texts; the documents have their say later.
    scores: PairScore | None = None
    place: Place | None = None
    #: Of a part and a whole: whether the first is the whole.
    a_is_whole: bool = False
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """A pair and what it rests on; `evidence` is None where the pair was decided without."""

    pair: Pair
    evidence: Evidence | None
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Judging:
    """What shapes a judgement besides the two texts: the library around them, and the settings."""

    vocabulary: Vocabulary | None = None
    runs: Runs | None = None
    thresholds: Thresholds = Thresholds()
    weights: Weights = field(default_factory=Weights)
    fuzzy_sample_size: int = FUZZY_SAMPLE_SIZE
    #: What was learned; without it, what comes with the program.
    spec: JudgementSpec | None = None
    #: What is no duplicate gets its scores and reasons only where somebody wants to read about it:
    #: most pairs of a library are members of one form.
    explain: bool = False


def judge(a: Reading, b: Reading, judging: Judging | None = None) -> Pair:
    """The relation of two documents, with scores, confidence and reasons."""
    return judge_all([(a, b)], judging)[0]


def judge_all(
    pairs: Sequence[tuple[Reading, Reading]], judging: Judging | None = None
) -> list[Pair]:
    """judge() of many, which costs less: what was learned is asked about all of them at once.

    Copies of one text are to others what it is: two texts are compared once.
    """
    judging = judging or Judging()
    ordered = [_in_order(a, b) for a, b in pairs]
    told = _tell(ordered, judging)
    return [_pair(one, a, b, judging.weights) for one, (a, b) in zip(told, ordered, strict=True)]


def examine(a: Reading, b: Reading, judging: Judging | None = None) -> Judgement:
    """judge() with the evidence kept, for those who show it."""
    judging = replace(judging or Judging(), explain=True)
    a, b = _in_order(a, b)
    (told,) = _tell([(a, b)], judging)
    return Judgement(_pair(told, a, b, judging.weights), told.evidence, told.place)


def weigh(a: Reading, b: Reading, judging: Judging) -> Evidence:
    """What speaks for and against the two, whatever may have decided without."""
    return gather(*_sides(a, b, judging), _look(a, b, judging))


def _look(a: Reading, b: Reading, judging: Judging) -> Look:
    return look(*_sides(a, b, judging), overlap(a.shingles, b.shingles))


def _sides(a: Reading, b: Reading, judging: Judging) -> tuple[Side, Side]:
    vocabulary, runs = judging.vocabulary, judging.runs
    return a.side(vocabulary, runs), b.side(vocabulary, runs)


def _in_order(a: Reading, b: Reading) -> tuple[Reading, Reading]:
    return (b, a) if a.document.id > b.document.id else (a, b)


def _is_same_file(a: Reading, b: Reading) -> bool:
    return bool(a.document.checksum) and a.document.checksum == b.document.checksum


def _tell(pairs: Sequence[tuple[Reading, Reading]], judging: Judging) -> list[Told]:
    """Of each pair; those that need no evidence are told at once, the others together."""
    told: list[Told | None] = []
    # By their texts: where each was met first.
    met: dict[tuple[str, str], int] = {}
    same: dict[int, int] = {}
    looked: dict[int, Look] = {}
    for place, (a, b) in enumerate(pairs):
        texts = (a.document.content, b.document.content)
        at_once = _tell_at_once(a, b, judging)
        told.append(at_once)
        if at_once is not None:
            continue
        first = met.setdefault(texts, place)
        if first != place:
            same[place] = first
        else:
            looked[place] = _look(a, b, judging)
    spec = judging.spec or learned()
    if looked and not judging.explain:
        hopeless = spec.hopeless([first.figures for first in looked.values()])
        for place, no_hope in zip(list(looked), hopeless, strict=True):
            if no_hope:
                told[place] = Told(Relation.TEMPLATE, _NO_HOPE, ())
                del looked[place]
    weighed = {
        place: gather(*_sides(*pairs[place], judging), first) for place, first in looked.items()
    }
    if weighed:
        chances = spec.chances([evidence.features for evidence in weighed.values()])
        for (place, evidence), chance in zip(weighed.items(), chances, strict=True):
            told[place] = _tell_by_evidence(*pairs[place], evidence, chance, judging)
    for place, first in same.items():
        told[place] = told[first]
    return [one for one in told if one is not None]


def _tell_at_once(a: Reading, b: Reading, judging: Judging) -> Told | None:
    """What needs no evidence: the same, or next to nothing in common."""
    limits = judging.thresholds

    def decided(relation: Relation, confidence: float, why: str) -> Told:
        return Told(relation, confidence, (Reason(why),), _scores(a, b, relation, None, judging))

    if _is_same_file(a, b):
        return decided(Relation.EXACT, 1.0, "same_file")
    if min(a.words, b.words) >= limits.exact_min_words and a.text == b.text:
        return decided(Relation.EXACT, 1.0, "same_text")
    if min(a.words, b.words) < limits.min_words:
        return decided(Relation.RELATED, 0.0, "too_short")
    if min(len(a.shingles), len(b.shingles)) < FEWEST_SHINGLES:
        return decided(Relation.RELATED, 0.0, "repetitive")
    keys_a, keys_b = a.tokens.keys, b.tokens.keys
    if overlap(a.shingles, b.shingles).containment < limits.containment and equal_tokens(
        keys_a, keys_b
    ) < limits.equal_tokens * min(len(keys_a), len(keys_b)):
        return decided(Relation.RELATED, 0.0, "little_shared")
    return None


def _tell_by_evidence(
    a: Reading, b: Reading, evidence: Evidence, chances: Chances, judging: Judging
) -> Told:
    shared = overlap(a.shingles, b.shingles)
    relation, confidence = _decide(chances, evidence, shared, judging.thresholds)
    place, a_is_whole = None, evidence.a.coverage < evidence.b.coverage
    if relation is Relation.CONTAINS:
        whole, part = (a, b) if a_is_whole else (b, a)
        place = place_of(evidence.alignment, part.tokens, whole.tokens, in_a=a_is_whole)
    why: tuple[Reason, ...] = ()
    if judging.explain or relation in STORED_RELATIONS:
        why = reasons.of(relation, evidence, a, b)
    return Told(
        relation,
        confidence,
        why,
        _scores(a, b, relation, evidence.numbers_kept, judging),
        place,
        a_is_whole,
        evidence,
    )


def _scores(
    a: Reading, b: Reading, relation: Relation, facts: float | None, judging: Judging
) -> PairScore | None:
    if judging.explain or relation in STORED_RELATIONS:
        shared = overlap(a.shingles, b.shingles)
        return _scores_of_texts(a, b, shared, facts, judging.fuzzy_sample_size)
    return None


def _pair(told: Told, a: Reading, b: Reading, weights: Weights) -> Pair:
    """What the texts tell, with what the documents add."""
    leader = None
    if told.relation is Relation.CONTAINS:
        leader = (a if told.a_is_whole else b).document.id
    elif told.relation is Relation.VERSION:
        leader = newer(a.document, b.document).id
    scores = PairScore()
    if told.scores is not None:
        scores = replace(
            told.scores,
            metadata=_rounded(metadata_alike(a.document, b.document)),
            title=_rounded(title_alike(a.document.title, b.document.title)),
        )
        scores = replace(scores, score=round(weighted_sum(scores, weights), 4))
    if told.place is not None:
        scores = replace(scores, first_word=told.place.first_word, last_word=told.place.last_word)
    confidence = round(told.confidence, 4)
    return Pair(a.document.id, b.document.id, told.relation, confidence, scores, told.why, leader)


def newer(a: Document, b: Document) -> Document:
    """By the date on it, then by when it was added, then by its id."""
    for one, other in ((a.created, b.created), (a.added, b.added)):
        if one and other and one[:10] != other[:10]:
            return a if one > other else b
    return a if a.id > b.id else b


def _decide(
    chances: Chances,
    evidence: Evidence,
    shared: Overlap,
    limits: Thresholds,
) -> tuple[Relation, float]:
    if max(evidence.a.coverage, evidence.b.coverage) < _COVERED:
        return Relation.RELATED, chances.other
    confidence = chances.related
    # One fact that differs between clean texts is a correction, and nobody's copy.
    near = 0.0 if evidence.is_edited else chances.near
    answers = (
        (near, Relation.NEAR),
        (chances.version, Relation.VERSION),
        (chances.contains, Relation.CONTAINS),
    )
    _, relation = max(answers)
    believed = confidence >= limits.similarity_threshold
    if evidence.is_silent and relation is not Relation.CONTAINS:
        # The page holds no facts: the text alone must be convincing.
        level = limits.near if relation is Relation.NEAR else limits.version
        believed = believed and shared.jaccard >= level
    if believed:
        return relation, confidence
    if chances.other >= 0.5 and any(change.matters for change in evidence.changes):
        return Relation.TEMPLATE, chances.other
    return Relation.RELATED, chances.other


def _scores_of_texts(
    a: Reading, b: Reading, shared: Overlap, facts: float | None, fuzzy_sample_size: int
) -> PairScore:
    shingled = shared.a > 0 and shared.b > 0
    fuzzy = None
    if a.words and b.words:
        fuzzy = fuzzy_text(sample(a.text, fuzzy_sample_size), sample(b.text, fuzzy_sample_size))
    return PairScore(
        jaccard=_rounded(shared.jaccard if shingled else None),
        containment_ab=_rounded(shared.containment_ab if shingled else None),
        containment_ba=_rounded(shared.containment_ba if shingled else None),
        fuzzy=_rounded(fuzzy),
        facts=_rounded(facts),
    )


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 4)
