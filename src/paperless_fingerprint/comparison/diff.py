"""Two documents explained: the judgement, what each states, and their texts word by word."""

from __future__ import annotations

from dataclasses import dataclass

from paperless_fingerprint.comparison import reasons
from paperless_fingerprint.comparison.changes.mark import Mark
from paperless_fingerprint.comparison.evidence.gather import Evidence, weigh
from paperless_fingerprint.comparison.facts import Facts, read_facts
from paperless_fingerprint.comparison.relation import Reading, Thresholds, examine
from paperless_fingerprint.comparison.similarity import FUZZY_SAMPLE_SIZE, Weights
from paperless_fingerprint.comparison.stretch import Place
from paperless_fingerprint.model import Pair, Relation
from paperless_fingerprint.text.lexicon import NoVocabulary, Vocabulary


@dataclass(frozen=True, slots=True)
class Change:
    """One stretch of the word diff: the same on both sides, or not."""

    a: str
    b: str
    same: bool
    #: What the change is about ('amount', 'month', 'name', 'fact', 'word', 'added'), and whether
    #: it is more than noise.
    about: str = ""
    matters: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """A pair explained: the judgement, what each text states, and the word diff."""

    pair: Pair
    facts_a: Facts
    facts_b: Facts
    changes: tuple[Change, ...]
    noise: float | None
    place: Place | None

    @property
    def relation(self) -> Relation:
        return self.pair.relation

    @property
    def confidence(self) -> float:
        return self.pair.confidence

    @property
    def reasons(self) -> tuple[str, ...]:
        return self.pair.reasons


def compare(
    a: Reading,
    b: Reading,
    *,
    vocabulary: Vocabulary | None = None,
    thresholds: Thresholds | None = None,
    weights: Weights | None = None,
    fuzzy_sample_size: int = FUZZY_SAMPLE_SIZE,
) -> Comparison:
    """judge() and everything that a person wants to see; `changes` follow the order of a."""
    if a.document.id > b.document.id:
        a, b = b, a
    found = examine(
        a,
        b,
        vocabulary=vocabulary,
        thresholds=thresholds,
        weights=weights,
        fuzzy_sample_size=fuzzy_sample_size,
    )
    evidence = found.evidence or weigh(a.side, b.side, vocabulary or NoVocabulary())
    return Comparison(
        found.pair,
        read_facts(a.document.content),
        read_facts(b.document.content),
        tuple(_changes(a, b, evidence)),
        evidence.noise if found.evidence else None,
        found.place,
    )


def _changes(a: Reading, b: Reading, evidence: Evidence) -> list[Change]:
    spelled_a, spelled_b = a.side.tokens.spellings, b.side.tokens.spellings
    to_b = evidence.alignment.to_b
    starts: dict[int, list[Mark]] = {}
    only_b: list[Mark] = []
    for mark in evidence.marks:
        item = mark.difference
        if item.start_a < item.end_a:
            starts.setdefault(item.start_a, []).append(mark)
        else:
            only_b.append(mark)
    # What only b has is shown where its predecessor in b was matched.
    after = {match: i for i, match in enumerate(to_b) if match >= 0}
    for mark in only_b:
        starts.setdefault(after.get(mark.difference.start_b - 1, -1) + 1, []).insert(0, mark)
    changes: list[Change] = []
    same: list[int] = []

    def close() -> None:
        if same:
            text = " ".join(spelled_a[i] for i in same)
            changes.append(Change(text, text, same=True))
            same.clear()

    i = 0
    while i <= len(spelled_a):
        skip = i
        for mark in starts.get(i, ()):
            close()
            item = mark.difference
            changes.append(
                Change(
                    " ".join(spelled_a[item.start_a : item.end_a]),
                    " ".join(spelled_b[item.start_b : item.end_b]),
                    same=False,
                    about=mark.kind.name.lower(),
                    matters=mark.severity >= reasons.MATTERS,
                )
            )
            if item.start_a < item.end_a:
                skip = max(skip, item.end_a)
        if skip > i:
            i = skip
            continue
        if i < len(spelled_a):
            same.append(i)
        i += 1
    close()
    return changes
