"""The use cases of the semantic tier: embed what lacks it, and store the pairs that come of it.

Loaded only when `[semantic] enabled` is on. Whoever embeds holds a lock of its own, so that two
processes do not do the same work; the library's lock is held only while pairs are written, and a
new document never waits for an embedding. An embedder that is away stops nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass

from paperless_fingerprint.files.lock import FileLock
from paperless_fingerprint.library.decisions_that_hold import (
    holding,
    semantic_pairs,
    with_decisions,
)
from paperless_fingerprint.library.lock import library_lock
from paperless_fingerprint.model import Key, Link, Pair, Relation
from paperless_fingerprint.progress import Progress, Silent
from paperless_fingerprint.semantic import pending
from paperless_fingerprint.semantic.embedders.opening import configured_space
from paperless_fingerprint.semantic.embedding import EmbeddingReport, current_space, embed_missing
from paperless_fingerprint.semantic.pairs import pairs_around
from paperless_fingerprint.semantic.pending import Uncompared
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import open_vectors
from paperless_fingerprint.stores.vectors import Neighbours, VectorStore

#: Compared together, and looked for again by a run that was stopped.
_TOGETHER = 1_000
#: From so many documents on a copy of all vectors pays.
_MANY = 500

Held = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Compared:
    """What was found for some documents, and stored."""

    pairs: tuple[Pair, ...]
    #: Documents whose semantic pairs are others than before.
    changed: frozenset[int]


def embedding_lock(settings: Settings) -> FileLock:
    """Held by whoever embeds, and by whoever looks for pairs of what was embedded."""
    beside = library_lock(settings).path
    return FileLock(beside.with_name(beside.name + ".embedding"))


def embed(store: Store, settings: Settings, progress: Progress) -> EmbeddingReport:
    """Before an analysis: give every document that lacks one an embedding."""
    with closing(open_vectors(store)) as vectors:
        processes = settings.workers or os.cpu_count() or 1
        report = embed_missing(store, vectors, settings, progress, processes=processes)
    if report.embedded and not report.has_complaints:
        progress.say(report.in_words())
    return report


def expect(store: Store, ids: Collection[int]) -> None:
    """These are analysed by their words now, and their meanings are to be compared afterwards."""
    pending.write(store, pending.read(store).also(ids))


def compare_waiting(
    store: Store, settings: Settings, progress: Progress, held: Held = nullcontext
) -> list[Pair]:
    """After an analysis: the pairs of all that was not compared by meaning yet, stored."""
    with closing(open_vectors(store)) as vectors:
        found: dict[Key, Pair] = {}
        for some in compare_steps(store, vectors, settings, progress, held):
            found |= {(pair.a, pair.b): pair for pair in some.pairs}
        # A later stretch may have found something better.
        kept = {(link.a, link.b) for link in store.links(ids={id for key in found for id in key})}
        return [pair for key, pair in found.items() if key in kept]


def compare_steps(
    store: Store,
    vectors: VectorStore,
    settings: Settings,
    progress: Progress,
    held: Held = nullcontext,
    *,
    together: int = _TOGETHER,
) -> Iterator[Compared]:
    """So many documents at a time; a run that is stopped in between goes on where it was."""
    space = current_space(store, settings)
    left = pending.read(store)
    if not left or space != configured_space(settings):
        # While another model takes over, what it has embedded waits until all is there.
        return
    # To list all ids is much work for a server, and as a rule a handful is meant.
    wanted = sorted(store.text_hashes(left.ids)) if left.above is None else left.of(store.ids())
    neighbours: Neighbours = vectors.for_many(space) if len(wanted) > _MANY else vectors
    progress.begin("compare meanings", len(wanted))
    for start in range(0, len(wanted), together):
        batch = wanted[start : start + together]
        yield compare(store, vectors, settings, batch, held, neighbours)
        left = left.without(batch)
        pending.write(store, left)
        progress.advance(len(batch))
    pending.write(store, Uncompared())


def compare(
    store: Store,
    vectors: VectorStore,
    settings: Settings,
    ids: Collection[int],
    held: Held = nullcontext,
    neighbours: Neighbours | None = None,
) -> Compared:
    """Store the semantic pairs of these documents, and drop those that are none any more."""
    found, concerned = pairs_around(store, vectors, settings, ids, Silent(), neighbours)
    with held():
        return _stored(store, concerned, found)


def _stored(store: Store, ids: Collection[int], found: Collection[Pair]) -> Compared:
    """Words go first: a pair that they have explained since is theirs, and ghosts have none."""
    links = {(link.a, link.b): link for link in store.links(ids=ids)}
    before = {key: link for key, link in links.items() if link.relation is Relation.SEMANTIC}
    there = set(store.text_hashes({id for pair in found for id in (pair.a, pair.b)}))
    free = [
        pair
        for pair in found
        if {pair.a, pair.b} <= there and ((pair.a, pair.b) not in links.keys() - before.keys())
    ]
    decided = holding(store, ids)
    confirmed = {
        key
        for key, decision in decided.confirmed.items()
        if decision.relation is Relation.SEMANTIC and key in before
    }
    semantic = semantic_pairs(store, ids) if confirmed else {}
    pairs = with_decisions(
        free, {*((pair.a, pair.b) for pair in free), *confirmed}, decided, semantic
    )
    kept = {(pair.a, pair.b): pair.link for pair in pairs}
    store.write_pairs(pairs, removing=before.keys() - kept.keys())
    return Compared(tuple(pairs), _changed(before, kept))


def _changed(before: dict[Key, Link], after: dict[Key, Link]) -> frozenset[int]:
    keys = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    return frozenset(id for key in keys for id in key)


def language_of(store: Store, settings: Settings, id: int) -> str:
    """ISO 639-1, as it was found when the document was embedded; '' where it is not known."""
    with closing(open_vectors(store)) as vectors:
        found = vectors.get(current_space(store, settings), [id]).get(id)
    return found.language if found else ""


def look_again(store: Store, settings: Settings, key: Key) -> list[Pair]:
    """The pair that these two make by meaning, stored; after somebody took back what they said."""
    with closing(open_vectors(store)) as vectors:
        found = compare(store, vectors, settings, key)
    return [pair for pair in found.pairs if (pair.a, pair.b) == key]
