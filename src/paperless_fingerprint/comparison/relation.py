"""What two documents are to each other, and why: the judgement of one pair.

Pure functions over readings: read() is done once a document, judge() once a pair. The steps get
dearer from one to the next, and most pairs end early: files and texts that are identical, texts
that share too little, forms whose facts differ; only then the differences are weighed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeAlias

from paperless_fingerprint.comparison import reasons
from paperless_fingerprint.comparison.alignment import equal_tokens, replaced_share
from paperless_fingerprint.comparison.evidence.gather import Evidence, weigh
from paperless_fingerprint.comparison.facts import Labelled, labelled
from paperless_fingerprint.comparison.judgement import (
    STARTING_ODDS,
    Chances,
    chances_of,
    is_enough,
    is_filled_in_otherwise,
)
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
from paperless_fingerprint.fingerprints.shingles import Overlap, overlap_of_sets
from paperless_fingerprint.model import (
    STORED_RELATIONS,
    Document,
    Pair,
    PairScore,
    Relation,
)
from paperless_fingerprint.text.lexicon import NoVocabulary, Vocabulary
from paperless_fingerprint.text.normalise import normalise
from paperless_fingerprint.text.tokens import tokenise

#: A text of fewer distinct shingles says the same thing over and over.
FEWEST_SHINGLES = 5
#: Forms told apart by whole passages are as sure as it gets without looking at each fact.
FILLED_IN_CONFIDENCE = 0.9
# The odds that a pair starts with: candidates are known to be likelier duplicates than the curves
# say. A clean page speaks for itself. A misread one may be claimed by several letters of its form,
# which lowers all of them afterwards (see grouping/rivals.py), so each may start with more; a part, which has
# fewer rivals, with less of that.
_CLEAN_ODDS = 3.0
_ODDS_OF_PART = 6.0
_MISREAD = 0.003


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

    @cached_property
    def text(self) -> str:
        """The normalised text: the same in two documents when they say the same."""
        return normalise(self.document.content)

    @cached_property
    def _words(self) -> list[str]:
        return self.text.split()

    @property
    def words(self) -> int:
        return len(self._words)

    @cached_property
    def shingles(self) -> frozenset[int]:
        """Hashes of this process alone: they never leave it."""
        words = self._words
        columns = [words[start:] for start in range(self._shingle_words)]
        return frozenset(map(hash, zip(*columns, strict=False)))

    @cached_property
    def labelled(self) -> tuple[Labelled, ...]:
        return labelled(self.side.tokens)

    @cached_property
    def side(self) -> Side:
        return Side(tokenise(self.document.content), self._words)


def read(document: Document, shingle_words: int = 3) -> Reading:
    """`shingle_words` as in the fingerprints: the reported overlap is that of the same shingles."""
    return Reading(document, shingle_words)


@dataclass(frozen=True, slots=True)
class Told:
    """What two texts tell of each other, whatever documents they stand in."""

    relation: Relation
    confidence: float
    why: tuple[str, ...]
    #: Of the texts; the documents have their say later.
    scores: PairScore | None = None
    place: Place | None = None
    #: Of a part and a whole: whether the first is the whole.
    a_is_whole: bool = False


#: By the texts of both, in their order.
Remembered: TypeAlias = dict[tuple[str, str], Told]


@dataclass(frozen=True, slots=True)
class Judgement:
    """A pair and what it rests on; `evidence` is None where the pair was decided without."""

    pair: Pair
    evidence: Evidence | None
    place: Place | None = None


def judge(
    a: Reading,
    b: Reading,
    *,
    vocabulary: Vocabulary | None = None,
    thresholds: Thresholds | None = None,
    weights: Weights | None = None,
    fuzzy_sample_size: int = FUZZY_SAMPLE_SIZE,
    explain: bool = False,
    remembered: Remembered | None = None,
) -> Pair:
    """The relation of two documents, with scores, confidence and reasons.

    What is no duplicate gets its scores and reasons only where `explain` asks for them: most
    pairs of a library are members of one form, and nobody will read about each of them.
    What was found out of two texts is `remembered` for other documents that hold the same.
    """
    a, b = _in_order(a, b)
    if remembered is None or _is_same_file(a, b):
        remembered = {}
    texts = (a.document.content, b.document.content)
    told = remembered.get(texts)
    if told is None:
        limits = thresholds or Thresholds()
        told, _ = _tell(a, b, vocabulary, limits, fuzzy_sample_size, explain=explain)
        remembered[texts] = told
    return _pair(told, a, b, weights or Weights())


def examine(
    a: Reading,
    b: Reading,
    *,
    vocabulary: Vocabulary | None = None,
    thresholds: Thresholds | None = None,
    weights: Weights | None = None,
    fuzzy_sample_size: int = FUZZY_SAMPLE_SIZE,
    explain: bool = True,
) -> Judgement:
    """judge() with the evidence kept, for those who show it."""
    a, b = _in_order(a, b)
    limits = thresholds or Thresholds()
    told, evidence = _tell(a, b, vocabulary, limits, fuzzy_sample_size, explain=explain)
    return Judgement(_pair(told, a, b, weights or Weights()), evidence, told.place)


def _in_order(a: Reading, b: Reading) -> tuple[Reading, Reading]:
    return (b, a) if a.document.id > b.document.id else (a, b)


def _is_same_file(a: Reading, b: Reading) -> bool:
    return bool(a.document.checksum) and a.document.checksum == b.document.checksum


def _tell(
    a: Reading,
    b: Reading,
    vocabulary: Vocabulary | None,
    limits: Thresholds,
    fuzzy_sample_size: int,
    *,
    explain: bool,
) -> tuple[Told, Evidence | None]:
    def scores(relation: Relation, facts: float | None = None) -> PairScore | None:
        if explain or relation in STORED_RELATIONS:
            shared = overlap_of_sets(a.shingles, b.shingles)
            return _scores_of_texts(a, b, shared, facts, fuzzy_sample_size)
        return None

    def decided(relation: Relation, confidence: float, *why: str) -> tuple[Told, None]:
        return Told(relation, confidence, why, scores(relation)), None

    if _is_same_file(a, b):
        return decided(Relation.EXACT, 1.0, "the files are identical")
    if min(a.words, b.words) >= limits.exact_min_words and a.text == b.text:
        return decided(Relation.EXACT, 1.0, "the texts are identical")
    if min(a.words, b.words) < limits.min_words:
        return decided(Relation.RELATED, 0.0, "too little text to compare")
    keys_a, keys_b = a.side.tokens.keys, b.side.tokens.keys
    shorter = min(len(keys_a), len(keys_b))
    passages, share = replaced_share(keys_a, keys_b)
    filled_in = is_filled_in_otherwise(passages, share, shorter)
    if filled_in and not explain:
        return decided(Relation.TEMPLATE, FILLED_IN_CONFIDENCE)
    if min(len(a.shingles), len(b.shingles)) < FEWEST_SHINGLES:
        return decided(Relation.RELATED, 0.0, "the same words over and over")
    shared = overlap_of_sets(a.shingles, b.shingles)
    if (
        shared.containment < limits.containment
        and equal_tokens(keys_a, keys_b) < limits.equal_tokens * shorter
    ):
        return decided(Relation.RELATED, 0.0, "the texts share too little")
    enough = None if explain else partial(is_enough, passages, share)
    evidence = weigh(a.side, b.side, vocabulary or NoVocabulary(), enough)
    evidence = replace(evidence, passages=passages, replaced_share=share)
    if filled_in:
        relation, confidence = Relation.TEMPLATE, FILLED_IN_CONFIDENCE
    else:
        chances = chances_of(evidence, len(keys_a), len(keys_b))
        relation, confidence = _decide(chances, evidence, shared, limits)
    place, a_is_whole = None, evidence.coverage_a < evidence.coverage_b
    if relation is Relation.CONTAINS:
        place = place_of(evidence.alignment, (a if a_is_whole else b).side, in_a=a_is_whole)
    why: tuple[str, ...] = ()
    if explain or relation in STORED_RELATIONS:
        why = reasons.of(relation, evidence, a, b)
    facts = max(evidence.facts_kept_a, evidence.facts_kept_b) if evidence.numbers else None
    return Told(relation, confidence, why, scores(relation, facts), place, a_is_whole), evidence


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
    chances: Chances, evidence: Evidence, shared: Overlap, limits: Thresholds
) -> tuple[Relation, float]:
    answers = (
        (chances.near, Relation.NEAR),
        (chances.version, Relation.VERSION),
        (chances.contains, Relation.CONTAINS),
    )
    chance, relation = max(answers)
    # Torn between a bad scan and an edited letter it is one of the two; what must be sure is that
    # it is no other document.
    most = _ODDS_OF_PART if relation is Relation.CONTAINS else STARTING_ODDS
    start = _CLEAN_ODDS + (most - _CLEAN_ODDS) * min(1.0, evidence.noise / _MISREAD)
    confidence = _confident(chance / max(1e-9, chance + chances.other), start)
    believed = confidence >= limits.similarity_threshold
    if evidence.numbers == 0 and relation is not Relation.CONTAINS:
        # The page holds no facts: the text alone must be convincing.
        level = limits.near if relation is Relation.NEAR else limits.version
        believed = believed and shared.jaccard >= level
    if believed:
        return relation, confidence
    alike = max(evidence.coverage_a, evidence.coverage_b) >= 0.6
    if alike and chances.other >= 0.5 and evidence.numbers:
        return Relation.TEMPLATE, _confident(chances.other, _CLEAN_ODDS)
    return Relation.RELATED, 1 - confidence


def _confident(chance: float, start: float) -> float:
    """`start` is the odds to begin with."""
    chance = min(max(chance, 1e-6), 1 - 1e-6)
    odds = start * chance / (1 - chance)
    return odds / (1 + odds)


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
