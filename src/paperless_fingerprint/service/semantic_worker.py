"""What `serve` does for the semantic tier: embeddings and their pairs, in a thread of their own.

An address that answers slowly must not hold up a new document, so this is not the worker's thread;
and it steps back while documents wait. Small batches are stored one by one: whoever kills the
process loses one of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from contextlib import ExitStack

from paperless_fingerprint.errors import FingerprintError, unexpected
from paperless_fingerprint.integration.feedback.asked import is_applied
from paperless_fingerprint.integration.feedback.ledger import Ledger
from paperless_fingerprint.integration.state import WorkerFile
from paperless_fingerprint.integration.sync import FEW
from paperless_fingerprint.library import semantic
from paperless_fingerprint.library.lock import library_lock, path_of
from paperless_fingerprint.progress import Progress, Silent
from paperless_fingerprint.semantic.embedders.base import Embedder, EmbedderError
from paperless_fingerprint.semantic.embedders.opening import configured_space, open_embedder
from paperless_fingerprint.semantic.embedding import EmbeddingReport, embed_missing, take_over
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import open_store, open_vectors
from paperless_fingerprint.stores.vectors import VectorStore

#: Embedded, compared and stored together: half a second of one core.
BATCH_DOCUMENTS = 8
#: Of a library that is compared as a whole, after a change of the model.
_COMPARED_TOGETHER = 32
#: Between two batches, so that others come to their turn at the lock and the processor.
_BREATH_SECONDS = 0.02
#: While documents wait in the inbox; where those cannot be done, this goes on all the same.
_STEP_BACK_SECONDS, _STEPS_BACK = 0.2, 50
#: While an `analyze` embeds.
_ELSEWHERE_SECONDS = 1.0
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 10.0, 900.0
#: A line in the log for each of so many parts of the work.
_LINES = 20


class MeaningWorker:
    def __init__(
        self,
        settings: Settings,
        progress: Progress | None = None,
        *,
        is_busy: Callable[[], bool] = lambda: False,
        owing: Callable[[], None] = lambda: None,
        opened: Callable[[Settings, Callable[[float], object]], Embedder] | None = None,
    ) -> None:
        self._settings = settings
        self._progress = progress or Silent()
        self._is_busy = is_busy
        self._owing = owing
        self._open = opened or (lambda settings, pause: open_embedder(settings, pause=pause))
        self._embedder: Embedder | None = None
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._wake.set()
        self._trouble = ""
        self._is_old_library = False
        #: Documents that have come, or None: to look for all that lack an embedding.
        self._news: set[int] | None = None
        self._guard = threading.Lock()
        #: A daemon: a request that is under way is not waited for, and nothing is lost by that.
        self._thread = threading.Thread(target=self._run, name="meanings", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, patience_seconds: float = 5.0) -> None:
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(patience_seconds)

    def use(self, settings: Settings) -> None:
        self._settings = settings

    def expect_all(self, store: Store) -> None:
        """All documents are judged anew by their words; then by their meaning, too."""
        with semantic.embedding_lock(self._settings).held():
            semantic.expect(store, store.ids())

    def wake(self, ids: Collection[int] | None = None, *, first: bool = False) -> None:
        """These documents have come, or nobody knows which.

        `first`: they are those of a library that nobody has seen before, and what is found there is
        written to Paperless when somebody says so.
        """
        with self._guard:
            self._is_old_library = self._is_old_library or first
            if ids is None:
                self._news = None
            elif self._news is not None:
                self._news.update(ids)
        self._wake.set()

    def _take_news(self) -> set[int] | None:
        with self._guard:
            news, self._news = self._news, set()
        return news

    def _run(self) -> None:
        pause = _FIRST_PAUSE_SECONDS
        while not self._stop.is_set():
            try:
                with ExitStack() as stack:
                    store = open_store(self._settings)
                    stack.callback(store.close)
                    vectors = open_vectors(store)
                    stack.callback(vectors.close)
                    stack.callback(self._close_embedder)
                    while self._wake.wait() and not self._stop.is_set():
                        self._wake.clear()
                        self.catch_up(store, vectors, self._take_news())
                        self._trouble, pause = "", _FIRST_PAUSE_SECONDS
            except FingerprintError as error:
                self._in_trouble(str(error))
            except Exception as error:
                # It outlives whatever it meets; what it was working on lacks its embedding still.
                secrets = self._settings.secrets()
                self._in_trouble(unexpected(error, secrets, known=self._trouble))
            self.wake()
            self._stop.wait(pause)
            pause = min(_LONGEST_PAUSE_SECONDS, pause * 2)

    def _in_trouble(self, why: str) -> None:
        if why != self._trouble and not self._stop.is_set():
            self._progress.say(
                f"Semantic tier: {why} It is tried again; the other tiers are not touched by this."
            )
        self._trouble = why

    # --- the work -------------------------------------------------------------------------------

    def catch_up(
        self, store: Store, vectors: VectorStore, ids: Collection[int] | None = None
    ) -> EmbeddingReport:
        """Until nothing (of `ids`) is missing, or somebody stops us. Errors are raised."""
        done = EmbeddingReport()
        # To look through a whole library is work for a server; a new document is known by its id.
        missing = vectors.missing(configured_space(self._settings), ids)
        old = self._is_old_library
        file = WorkerFile(path_of(self._settings))
        try:
            ledger = Ledger(file)
            # What is found in an old library is written when somebody says so: `apply`.
            applied = is_applied(store)
            tells = applied or (not old and len(missing) <= FEW)
            self._compare(store, vectors, ledger, tells=tells)
            for start in range(0, len(missing), BATCH_DOCUMENTS):
                batch = missing[start : start + BATCH_DOCUMENTS]
                report = self._embed(store, vectors, batch)
                if report is None:
                    return done
                done = report.with_earlier(done)
                self._compare(store, vectors, ledger, tells=tells)
                self._tell_progress(start + len(batch), len(missing))
            if ids is None:
                with semantic.embedding_lock(self._settings).held():
                    take_over(store, vectors, self._settings)
            self._compare(store, vectors, ledger, tells=tells)
        finally:
            file.close()
        if not self._stop.is_set():
            self._is_old_library = self._is_old_library and not old
        if done.embedded or done.has_complaints:
            self._progress.say(done.in_words())
        return done

    def _embed(
        self, store: Store, vectors: VectorStore, ids: Collection[int]
    ) -> EmbeddingReport | None:
        """None where somebody stops us."""
        while self._may_go_on():
            with semantic.embedding_lock(self._settings).tried() as is_ours:
                if is_ours:
                    report = embed_missing(
                        store, vectors, self._settings, Silent(), ids=ids, embedder=self._model()
                    )
                    if report.stopped:
                        raise EmbedderError(report.stopped)
                    return report
            self._stop.wait(_ELSEWHERE_SECONDS)
        return None

    def _compare(self, store: Store, vectors: VectorStore, ledger: Ledger, *, tells: bool) -> None:
        with semantic.embedding_lock(self._settings).tried() as is_ours:
            if not is_ours:
                return  # an `analyze` is at it, and does this, too
            for found in semantic.compare_steps(
                store,
                vectors,
                self._settings,
                Silent(),
                library_lock(self._settings).held,
                together=_COMPARED_TOGETHER,
            ):
                # What Paperless was told already is kept right in any case.
                owed = found.changed if tells else ledger.rows(found.changed).keys()
                if owed:
                    ledger.owe(owed)
                    self._owing()
                if not self._may_go_on():
                    return

    def _may_go_on(self) -> bool:
        self._stop.wait(_BREATH_SECONDS)
        for _ in range(_STEPS_BACK):
            if self._stop.is_set() or not self._is_busy():
                break
            self._stop.wait(_STEP_BACK_SECONDS)
        return not self._stop.is_set()

    def _model(self) -> Embedder:
        if self._embedder is None:
            self._embedder = self._open(self._settings, self._stop.wait)
        return self._embedder

    def _close_embedder(self) -> None:
        if self._embedder is not None:
            self._embedder.close()
            self._embedder = None

    def _tell_progress(self, done: int, of: int) -> None:
        part = max(_LINES * BATCH_DOCUMENTS, of // _LINES)
        if done < of and done // part > (done - BATCH_DOCUMENTS) // part:
            self._progress.say(f"Embedded {done:,} of {of:,} documents.")
