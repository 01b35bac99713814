"""Two documents explained: the judgement, what each states, and their texts word by word."""

from __future__ import annotations

from dataclasses import dataclass

from paperless_fingerprint.comparison.evidence import Change as Found
from paperless_fingerprint.comparison.evidence import Evidence
from paperless_fingerprint.comparison.facts import Facts, read_facts
from paperless_fingerprint.comparison.relation import Judging, Reading, examine, weigh
from paperless_fingerprint.comparison.stretch import Place
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.model import Pair, Relation


@dataclass(frozen=True, slots=True)
class Change:
    """One stretch of the word diff: the same on both sides, or not."""

    a: str
    b: str
    same: bool
    #: What the change is about ('amount', 'date', 'name', 'number', 'word', 'added'), and whether
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
    #: Something else stands in one place of two clean texts.
    is_edited: bool = False

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
    """judge() and everything that a person wants to see; `changes` follow the order of a."""
    if a.document.id > b.document.id:
        a, b = b, a
    found = examine(a, b, judging)
    evidence = found.evidence or weigh(a, b, judging or Judging())
    return Comparison(
        found.pair,
        read_facts(a.document.content),
        read_facts(b.document.content),
        tuple(_changes(a, b, evidence)),
        evidence.noise if found.evidence else None,
        found.place,
        evidence.is_edited,
    )


def _changes(a: Reading, b: Reading, evidence: Evidence) -> list[Change]:
    spelled_a, spelled_b = a.tokens.spellings, b.tokens.spellings
    to_b = evidence.alignment.to_b
    starts: dict[int, list[Found]] = {}
    only_b: list[Found] = []
    for change in evidence.changes:
        if change.a.size:
            starts.setdefault(change.a.start, []).append(change)
        else:
            only_b.append(change)
    # What only b has is shown where its predecessor in b was matched.
    after = {match: i for i, match in enumerate(to_b) if match >= 0}
    for change in only_b:
        starts.setdefault(after.get(change.b.start - 1, -1) + 1, []).insert(0, change)
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
        for change in starts.get(i, ()):
            close()
            changes.append(
                Change(
                    " ".join(spelled_a[change.a.start : change.a.end]),
                    " ".join(spelled_b[change.b.start : change.b.end]),
                    same=False,
                    about=change.kind.name.lower(),
                    matters=change.matters,
                )
            )
            if change.a.size:
                skip = max(skip, change.a.end)
        if skip > i:
            i = skip
            continue
        if i < len(spelled_a):
            same.append(i)
        i += 1
    close()
    return changes
