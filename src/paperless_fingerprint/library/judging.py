"""Judging many pairs: here or in several processes, each text read once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from paperless_fingerprint.comparison.relation import Judging, Reading, Thresholds, judge_all, read
from paperless_fingerprint.comparison.similarity import Weights
from paperless_fingerprint.errors import PartlyDone
from paperless_fingerprint.files.memory import give_back
from paperless_fingerprint.files.processes import ProcessDiedError, Processes
from paperless_fingerprint.library.budget import MOST_CHARACTERS, beginning, within_budget
from paperless_fingerprint.library.vocabulary import Rarity
from paperless_fingerprint.model import (
    STORED_RELATIONS,
    Document,
    Key,
    Pair,
    Relation,
    StoredDocument,
)
from paperless_fingerprint.settings.registry import Settings

#: Pairs of less confidence are not even kept for `tune`.
KEPT_FROM = 0.3


@dataclass(frozen=True, slots=True)
class Judge:
    """The settings that shape a judgement; goes to every process."""

    thresholds: Thresholds
    weights: Weights
    fuzzy_sample_size: int
    exact: bool
    near: bool
    #: [near] policy: a copy counts as a version, the one that came last being the newest.
    near_is_version: bool = False
    #: As in the fingerprints.
    shingle_words: int = 3

    @classmethod
    def of(cls, settings: Settings, *, believed_from: float = KEPT_FROM) -> Judge:
        """For storing, less sure pairs are kept too: `tune` needs them, and readers leave them out."""
        return cls(
            thresholds=Thresholds(
                similarity_threshold=believed_from,
                near=settings.near.threshold,
                version=settings.version.threshold,
                min_words=settings.min_words,
                exact_min_words=settings.exact_min_words,
            ),
            weights=Weights(
                jaccard=settings.weights.jaccard,
                fuzzy=settings.weights.fuzzy,
                metadata=settings.weights.metadata,
                title=settings.weights.title,
            ),
            fuzzy_sample_size=settings.fuzzy_sample_size,
            exact=settings.exact.enabled,
            near=settings.near.enabled,
            near_is_version=settings.near.policy == "version",
            shingle_words=settings.spec().shingle_words,
        )

    def judging(self, rarity: Rarity) -> Judging:
        """In the library that this tells of."""
        return Judging(
            vocabulary=rarity.words,
            runs=rarity.runs,
            thresholds=self.thresholds,
            weights=self.weights,
            fuzzy_sample_size=self.fuzzy_sample_size,
        )

    def after_policy(self, pair: Pair, a: Document, b: Document) -> Pair:
        if not (self.near_is_version and pair.relation is Relation.NEAR):
            return pair
        newest = max((a, b), key=lambda document: (document.added or "", document.id))
        return replace(pair, relation=Relation.VERSION, leader=newest.id)

    def is_kept(self, pair: Pair) -> bool:
        """Templates and strangers are never stored, nor what is switched off."""
        if pair.relation is Relation.EXACT:
            return self.exact
        return self.near and pair.relation in STORED_RELATIONS and pair.confidence >= KEPT_FROM


@dataclass(frozen=True, slots=True)
class Chunk:
    """Pairs to be judged and the documents that they speak of."""

    documents: Mapping[int, Document]
    pairs: Sequence[Key]

    @classmethod
    def of(cls, stored: Mapping[int, StoredDocument], pairs: Sequence[Key]) -> Chunk:
        ids = {id for pair in pairs for id in pair if id in stored}
        return cls({id: beginning(stored[id].document, MOST_CHARACTERS) for id in ids}, pairs)


def judge_chunk(
    chunk: Chunk,
    judge: Judge,
    rarity: Rarity,
    readings: dict[int, Reading] | None = None,
) -> list[Pair]:
    """`readings` are those of earlier chunks; what is read here is added to them."""
    readings = {} if readings is None else readings
    documents = chunk.documents

    def reading(document: Document) -> Reading:
        found = readings.get(document.id)
        if found is None or found.document != document:
            found = readings[document.id] = read(document, judge.shingle_words)
        return found

    pairs = []
    for a, b in chunk.pairs:
        if a in documents and b in documents:
            one, other = within_budget(documents[a], documents[b])
            pairs.append((reading(one), reading(other)))
    return [
        judge.after_policy(pair, documents[pair.a], documents[pair.b])
        for pair in judge_all(pairs, judge.judging(rarity))
        if judge.is_kept(pair)
    ]


#: The members of a family of forms come again from chunk to chunk.
_READINGS_KEPT = 120


def _remembering(judge: Judge, rarity: Rarity) -> Callable[[Chunk], list[Pair]]:
    readings: dict[int, Reading] = {}

    def judged(chunk: Chunk) -> list[Pair]:
        if len(readings) > _READINGS_KEPT:
            readings.clear()
        return judge_chunk(chunk, judge, rarity, readings)

    return judged


class JudgingPool:
    """Judges chunks in their order: in this process, or in several when there is enough to do."""

    def __init__(self, judge: Judge, rarity: Rarity, processes: int) -> None:
        self._given = judge, rarity
        self._processes: Processes[Chunk, list[Pair]] | None = None
        processes = processes or os.cpu_count() or 1
        if processes > 1:
            give_back()  # new processes would carry it along
            self._processes = Processes(processes, _remembering, self._given)

    def judged(self, chunks: Iterable[Chunk]) -> Iterator[list[Pair]]:
        if self._processes is None:
            yield from map(_remembering(*self._given), chunks)
            return
        try:
            yield from self._processes.done(chunks)
        except ProcessDiedError as error:
            raise PartlyDone(
                "A process that compares texts has died, most likely for want of memory. What "
                "was compared is kept, and the next run goes on there; set 'workers' to a "
                "lower number."
            ) from error

    def close(self) -> None:
        if self._processes is not None:
            self._processes.close()
