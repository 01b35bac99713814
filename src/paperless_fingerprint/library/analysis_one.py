"""One document that has come or changed: looked up in the library, compared with what is like it.

The steps are those of analysis.py. Each question to the store is a journey where that is a server,
so each step asks once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from paperless_fingerprint.candidates.rules import Sketched, worth_comparing
from paperless_fingerprint.fingerprints.rarity import Runs, RunTable
from paperless_fingerprint.grouping.groups import Decided
from paperless_fingerprint.grouping.rivals import as_before
from paperless_fingerprint.library import regroup
from paperless_fingerprint.library.analysis_report import Tally
from paperless_fingerprint.library.decisions_that_hold import (
    not_ours,
    semantic_pairs,
    those_that_hold,
    with_decisions,
)
from paperless_fingerprint.library.judging import Chunk, Judge, judge_chunk
from paperless_fingerprint.library.vocabulary import Rarity, StoredVocabulary
from paperless_fingerprint.model import Candidate, Key, Link, Pair, Relation, StoredDocument
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Pending, Store
from paperless_fingerprint.text.normalise import words


def analyse_one(
    store: Store,
    settings: Settings,
    item: Pending,
    vocabulary: StoredVocabulary,
    tally: Tally | None = None,
) -> list[Pair]:
    """Its pairs and groups, stored when this returns."""
    tally = tally or Tally()
    known = _known(store, item.id)
    if known is None:
        store.mark_analysed([item])
        return []
    found, runs = _find(store, known, tally)
    # In one go: each question is a journey where the store is a server.
    vocabulary.look_up({word for each in found.documents.values() for word in words(each.content)})
    judged = judge_chunk(found, Judge.of(settings), Rarity(vocabulary, runs))
    pairs = with_decisions(judged, found.pairs, known.decided, known.semantic)
    pairs = _store(store, settings, known, pairs, tally)
    store.mark_analysed([item])
    return pairs


@dataclass(frozen=True, slots=True)
class _Known:
    """The document, and what the library says about it so far."""

    record: StoredDocument
    decided: Decided
    links: tuple[Link, ...]
    semantic: Mapping[Key, Pair]

    @property
    def id(self) -> int:
        return self.record.document.id

    @property
    def stored(self) -> set[Key]:
        return {(link.a, link.b) for link in self.links}

    def partners(self, keys: Collection[Key]) -> set[int]:
        return {b if a == self.id else a for a, b in keys if self.id in {a, b}}


def _known(store: Store, id: int) -> _Known | None:
    record = store.get([id]).get(id)
    if record is None:
        return None
    around = store.connections([id])
    is_semantic = any(link.relation is Relation.SEMANTIC for link in around.links)
    return _Known(
        record,
        those_that_hold(store, around.decisions),
        around.links,
        semantic_pairs(store, [id]) if is_semantic else {},
    )


def _find(store: Store, known: _Known, tally: Tally) -> tuple[Chunk, Runs]:
    """What it is to be compared with: the best candidates, and what was confirmed in any case; and
    how many of all candidates hold the same runs of words."""
    own = known.record
    found = store.candidates(
        own.fingerprint, checksum=own.document.checksum, excluding=own.document.id
    )
    confirmed = known.partners(known.decided.confirmed)
    # Partners of old are judged again, found or not.
    again = known.partners(known.stored) | confirmed
    candidates = {id: Candidate(id, jaccard=1.0) for id in again} | {
        each.id: each for each in found
    }
    others = store.get(candidates.keys())
    same = {each.id for each in found if each.same_file or each.same_text}
    rest = [id for id in others if id not in same]
    kept = worth_comparing(
        own.fingerprint,
        [others[id].fingerprint for id in rest],
        Sketched.of([candidates[id] for id in rest]),
    )
    worth = ((same | confirmed) & others.keys()) | {rest[place] for place in kept.tolist()}
    pairs = [(min(id, known.id), max(id, known.id)) for id in sorted(worth)]
    tally.documents += 1
    tally.candidates += len(found)
    tally.compared += len(pairs)
    around = {**others, known.id: own}
    runs = RunTable.of(each.fingerprint.sketch for each in around.values())
    return Chunk.of(around, pairs), runs


def _store(
    store: Store, settings: Settings, known: _Known, pairs: list[Pair], tally: Tally
) -> list[Pair]:
    """The pairs as they are in the end, once their rivals are heard."""
    pairs = as_before(pairs, known.links)
    gone = known.stored - {(pair.a, pair.b) for pair in pairs}
    store.write_pairs(pairs, removing=gone - not_ours(known.semantic, known.decided, settings))
    changed = regroup.refresh(store, settings, {known.id, *known.partners(known.stored)})
    tally.add(pairs)
    tally.correct(changed)
    return [changed.get((pair.a, pair.b), pair) for pair in pairs]
