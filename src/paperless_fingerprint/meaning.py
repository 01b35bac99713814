"""The semantic tier of an analysis: missing embeddings first, then the pairs they make.

Loaded only when `[semantic] enabled` is on. An embedder that is away stops nothing else.
"""

from __future__ import annotations

from collections.abc import Collection

from paperless_fingerprint.holding import holding
from paperless_fingerprint.judging import with_decisions
from paperless_fingerprint.model import Pair, Relation
from paperless_fingerprint.progress import Progress
from paperless_fingerprint.semantic.backfill import embed_missing
from paperless_fingerprint.semantic.embedders import configured_space
from paperless_fingerprint.semantic.pairs import semantic_pairs
from paperless_fingerprint.settings import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.vectors import open_vectors


def find_by_meaning(
    store: Store, settings: Settings, progress: Progress, analysed: Collection[int]
) -> list[Pair]:
    """Embed what lacks it, and store the semantic pairs of what is new or was analysed again."""
    vectors = open_vectors(store)
    new = set(vectors.missing(configured_space(settings), None))
    report = embed_missing(store, vectors, settings, progress)
    if report.in_words():
        progress.say(report.in_words())
    concerned = None if report.space_changed else sorted({*analysed, *new})
    if concerned is not None and not concerned:
        return []
    found = semantic_pairs(store, vectors, settings, concerned, progress)
    decided = holding(store, None if concerned is None else concerned)
    pairs = with_decisions(found, [(pair.a, pair.b) for pair in found], decided)
    kept = {(pair.a, pair.b) for pair in pairs}
    stale = [
        (link.a, link.b)
        for link in store.links(ids=concerned)
        if link.relation is Relation.SEMANTIC and (link.a, link.b) not in kept
    ]
    store.write_pairs(pairs, removing=stale)
    return pairs
