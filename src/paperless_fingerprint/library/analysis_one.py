"""One document that has come or changed: looked up in the library, compared with what is like it.

The steps are those of analysis.py. Each question to the store is a journey where that is a server,
so each step asks once. While long texts are compared, others may have the library: what was read is
looked at again before anything is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

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
from paperless_fingerprint.library.settled import unsettle
from paperless_fingerprint.library.vocabulary import Rarity, StoredVocabulary
from paperless_fingerprint.model import (
    Candidate,
    Decision,
    Key,
    Link,
    Pair,
    Relation,
    StoredDocument,
)
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Pending, Store
from paperless_fingerprint.text.normalise import words

#: Lets others have what the caller holds, until it is left.
LetGo = Callable[[], AbstractContextManager[None]]

#: So many characters are compared in a few tenths of a second, which nobody minds waiting for.
_LONG = 200_000
#: Whoever is disturbed so often keeps the library for himself.
_DISTURBED = 3


def analyse_one(
    store: Store,
    settings: Settings,
    item: Pending,
    vocabulary: StoredVocabulary,
    tally: Tally | None = None,
    *,
    let_go: LetGo = nullcontext,
) -> None:
    """Its pairs and groups, stored when this returns. The caller holds the library's lock, which
    `let_go` gives out of hand while long texts are compared."""
    judge, tally = Judge.of(settings), tally or Tally()
    for disturbed in range(_DISTURBED + 1):
        known = _known(store, item.id)
        if known is None:
            store.mark_analysed([item])
            return
        found = _find(store, known)
        # In one go: each question is a journey where the store is a server.
        vocabulary.look_up(
            {word for each in found.chunk.documents.values() for word in words(each.content)}
        )
        rarity = Rarity(vocabulary, found.runs)
        if found.characters < _LONG or disturbed == _DISTURBED:
            judged = judge_chunk(found.chunk, judge, rarity)
            _store(store, settings, item, known, found, judged, tally)
            return
        with let_go():
            judged = judge_chunk(found.chunk, judge, rarity)
        waiting = store.pending(ids=[item.id])
        if not waiting:
            return  # somebody else has done it, or it is gone
        if [item] == waiting and known == _known(store, item.id) and found.is_as_in(store):
            _store(store, settings, item, known, found, judged, tally)
            return
        [item] = waiting
        unsettle(store, 1)  # others may have settled the library in between


@dataclass(frozen=True, slots=True)
class _Known:
    """The document, and what the library says about it so far."""

    record: StoredDocument
    decisions: frozenset[Decision]
    #: Of the decisions, those that hold.
    decided: Decided = field(compare=False)
    links: frozenset[Link]
    semantic: Mapping[Key, Pair]

    @property
    def id(self) -> int:
        return self.record.document.id

    @property
    def stored(self) -> set[Key]:
        return {(link.a, link.b) for link in self.links}

    def partners(self, keys: Collection[Key]) -> set[int]:
        return {b if a == self.id else a for a, b in keys if self.id in {a, b}}


@dataclass(frozen=True, slots=True)
class _Found:
    """What it is to be compared with: the best candidates, and what was confirmed in any case; and
    how many of all candidates hold the same runs of words."""

    chunk: Chunk
    runs: Runs
    #: All of them, as they were read.
    around: Mapping[int, StoredDocument]
    candidates: int

    @property
    def characters(self) -> int:
        return sum(len(document.content) for document in self.chunk.documents.values())

    def is_as_in(self, store: Store) -> bool:
        return store.get(self.around.keys()) == self.around


def _known(store: Store, id: int) -> _Known | None:
    record = store.get([id]).get(id)
    if record is None:
        return None
    around = store.connections([id])
    is_semantic = any(link.relation is Relation.SEMANTIC for link in around.links)
    return _Known(
        record,
        frozenset(around.decisions),
        those_that_hold(store, around.decisions),
        frozenset(around.links),
        semantic_pairs(store, [id]) if is_semantic else {},
    )


def _find(store: Store, known: _Known) -> _Found:
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
    around = {**others, known.id: own}
    runs = RunTable.of(each.fingerprint.sketch for each in around.values())
    return _Found(Chunk.of(around, pairs), runs, around, len(found))


def _store(
    store: Store,
    settings: Settings,
    item: Pending,
    known: _Known,
    found: _Found,
    judged: list[Pair],
    tally: Tally,
) -> None:
    pairs = with_decisions(judged, found.chunk.pairs, known.decided, known.semantic)
    pairs = as_before(pairs, known.links)
    gone = known.stored - {(pair.a, pair.b) for pair in pairs}
    store.write_pairs(pairs, removing=gone - not_ours(known.semantic, known.decided, settings))
    changed = regroup.refresh(store, settings, {known.id, *known.partners(known.stored)})
    tally.documents += 1
    tally.candidates += found.candidates
    tally.compared += len(found.chunk.pairs)
    tally.add(pairs)
    tally.correct(changed)
    store.mark_analysed([item])
