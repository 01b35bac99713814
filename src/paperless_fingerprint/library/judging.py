"""Judging many pairs: here or in several processes, each text read once."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import islice

from paperless_fingerprint.comparison.relation import Judging, Reading, Thresholds, judge_all, read
from paperless_fingerprint.comparison.similarity import Weights
from paperless_fingerprint.errors import PartlyDone
from paperless_fingerprint.files.memory import give_back_what_is_freed
from paperless_fingerprint.files.processes import end_with_parent
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


_state: tuple[Judge, Rarity] | None = None
#: The members of a family of forms come again from chunk to chunk.
_readings: dict[int, Reading] = {}
_READINGS_KEPT = 120


def _begin(judge: Judge, rarity: Rarity) -> None:
    global _state  # noqa: PLW0603  (one process, one judge: sent once instead of with each chunk)
    _state = (judge, rarity)
    end_with_parent()
    # What was there before is shared with the process that this one came from, as long as nobody
    # writes to it; to look for cycles in it would be to write to all of it.
    gc.freeze()


def _work(chunk: Chunk) -> list[Pair]:
    assert _state is not None
    return _judge_and_remember(chunk, *_state)


def _judge_and_remember(chunk: Chunk, judge: Judge, rarity: Rarity) -> list[Pair]:
    if len(_readings) > _READINGS_KEPT:
        _readings.clear()
    return judge_chunk(chunk, judge, rarity, _readings)


class JudgingPool:
    """Judges chunks in their order: in this process, or in several when there is enough to do."""

    def __init__(self, judge: Judge, rarity: Rarity, processes: int) -> None:
        self._judge, self._rarity = judge, rarity
        self._pool: ProcessPoolExecutor | None = None
        self._processes = processes or os.cpu_count() or 1
        if self._processes > 1:
            give_back_what_is_freed()  # new processes would carry it along
            self._pool = ProcessPoolExecutor(
                self._processes, initializer=_begin, initargs=(judge, rarity)
            )

    def judged(self, chunks: Iterable[Chunk]) -> Iterator[list[Pair]]:
        if self._pool is None:
            for chunk in chunks:
                yield _judge_and_remember(chunk, self._judge, self._rarity)
            return
        # Only a few chunks at a time are on their way: their texts are in memory.
        coming = iter(chunks)
        under_way: list[Future[list[Pair]]] = [
            self._pool.submit(_work, chunk) for chunk in islice(coming, self._processes + 1)
        ]
        while under_way:
            try:
                done = under_way.pop(0).result()
                under_way.extend(self._pool.submit(_work, chunk) for chunk in islice(coming, 1))
            except BrokenProcessPool as error:
                raise PartlyDone(
                    "A process that compares texts has died, most likely for want of memory. What "
                    "was compared is kept, and the next run goes on there; set 'workers' to a "
                    "lower number."
                ) from error
            yield done

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
