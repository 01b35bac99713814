"""Two documents explained: the judgement, what each states, and their texts piece by piece."""

from __future__ import annotations

from dataclasses import dataclass

from paperless_fingerprint.comparison.facts import Facts, read_facts
from paperless_fingerprint.comparison.relation import Judging, Reading, examine, weigh
from paperless_fingerprint.comparison.stretch import Place
from paperless_fingerprint.comparison.wording import Change, changes_of
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.model import Document, Pair, Relation


@dataclass(frozen=True, slots=True)
class Comparison:
    """A pair explained: the judgement, what each text states, and what differs."""

    pair: Pair
    documents: tuple[Document, Document]
    changes: tuple[Change, ...]
    noise: float | None
    place: Place | None
    #: Something else stands in one place of two clean texts.
    is_edited: bool = False

    @property
    def facts_a(self) -> Facts:
        return read_facts(self.documents[0].content)

    @property
    def facts_b(self) -> Facts:
        return read_facts(self.documents[1].content)

    @property
    def relation(self) -> Relation:
        return self.pair.relation

    @property
    def confidence(self) -> float:
        return self.pair.confidence

    @property
    def reasons(self) -> tuple[Reason, ...]:
        return self.pair.reasons


def compare(a: Reading, b: Reading, judging: Judging | None = None) -> Comparison:
    """judge() and everything that a person wants to see."""
    if a.document.id > b.document.id:
        a, b = b, a
    judging = judging or Judging()
    found = examine(a, b, judging)
    evidence = found.evidence or weigh(a, b, judging)
    sides = a.side(judging.vocabulary, judging.runs), b.side(judging.vocabulary, judging.runs)
    return Comparison(
        found.pair,
        (a.document, b.document),
        changes_of(a.document.content, b.document.content, *sides, evidence),
        evidence.noise if found.evidence else None,
        found.place,
        evidence.is_edited,
    )
