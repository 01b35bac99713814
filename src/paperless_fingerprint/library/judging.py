"""Judging many pairs: here or in several processes, each text read once."""

from __future__ import annotations

import gc
import multiprocessing
import os
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from paperless_fingerprint.comparison.relation import Judging, Reading, Thresholds, judge_all, read
from paperless_fingerprint.comparison.similarity import Weights
from paperless_fingerprint.errors import PartlyDone
from paperless_fingerprint.files.memory import give_back
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


#: The members of a family of forms come again from chunk to chunk.
_readings: dict[int, Reading] = {}
_READINGS_KEPT = 120


def _work(asked: Connection, judge: Judge, rarity: Rarity) -> None:
    """What one process does: answers with pairs, or with the error that there was."""
    # Of a lack of memory it dies, which the one that asks is told by its silence.
    with suppress(EOFError, OSError, MemoryError, RuntimeError):
        end_with_parent()
        # What was there before is shared with the process that this one came from, as long as nobody
        # writes to it; to look for cycles in it would be to write to all of it.
        gc.freeze()
        while True:
            answer: list[Pair] | Exception
            try:
                answer = _judge_and_remember(asked.recv(), judge, rarity)
            except (EOFError, OSError):
                raise
            except Exception as error:
                error.add_note(traceback.format_exc())
                answer = error
            asked.send(answer)


def _judge_and_remember(chunk: Chunk, judge: Judge, rarity: Rarity) -> list[Pair]:
    if len(_readings) > _READINGS_KEPT:
        _readings.clear()
    return judge_chunk(chunk, judge, rarity, _readings)


class JudgingPool:
    """Judges chunks in their order: in this process, or in several when there is enough to do.

    The library's executors keep threads beside, and where one of these dies of a lack of memory,
    everybody waits for ever. Here a pipe breaks.
    """

    def __init__(self, judge: Judge, rarity: Rarity, processes: int) -> None:
        self._judge, self._rarity = judge, rarity
        self._workers: dict[Connection, BaseProcess] = {}
        processes = processes or os.cpu_count() or 1
        if processes > 1:
            give_back()  # new processes would carry it along
            for _ in range(processes):
                self._start()

    def _start(self) -> None:
        ours, theirs = multiprocessing.Pipe()
        given = (theirs, self._judge, self._rarity)
        worker = multiprocessing.Process(target=_work, args=given, daemon=True)
        worker.start()
        theirs.close()  # that of a process that has died is open nowhere
        self._workers[ours] = worker

    def judged(self, chunks: Iterable[Chunk]) -> Iterator[list[Pair]]:
        if not self._workers:
            for chunk in chunks:
                yield _judge_and_remember(chunk, self._judge, self._rarity)
            return
        # Only a few chunks at a time are on their way: their texts are in memory.
        coming = enumerate(chunks)
        under_way: dict[Connection, int] = {}
        judged: dict[int, list[Pair]] = {}
        idle = list(self._workers)
        turn = 0
        while True:
            for worker, (number, chunk) in zip(idle, coming, strict=False):
                with _told_of_death():
                    worker.send(chunk)
                under_way[worker] = number
            while turn in judged:
                yield judged.pop(turn)
                turn += 1
            if not under_way:
                return
            ready = wait(list(under_way))
            idle = [worker for worker in under_way if worker in ready]
            for worker in idle:
                with _told_of_death():
                    answer = worker.recv()
                if isinstance(answer, Exception):
                    raise answer
                judged[under_way.pop(worker)] = answer

    def close(self) -> None:
        for connection, worker in self._workers.items():
            connection.close()
            worker.kill()  # nobody waits for what it is at
            worker.join()


@contextmanager
def _told_of_death() -> Iterator[None]:
    try:
        yield
    except (EOFError, ConnectionError) as error:
        raise PartlyDone(
            "A process that compares texts has died, most likely for want of memory. What "
            "was compared is kept, and the next run goes on there; set 'workers' to a "
            "lower number."
        ) from error
