"""The use case `analyze`: candidates, scores, relations, groups, for one document or for all.

Many documents are joined in memory, few are looked up one by one; both ways judge the same pairs.
A pair belongs to the lowest of its documents that waits for analysis. Documents are taken off the
waiting list stretch by stretch, each after its pairs are stored, so a run that is killed goes on
where it was.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.candidates.join import Library
from paperless_fingerprint.candidates.rules import Sketched, worth_comparing
from paperless_fingerprint.grouping.groups import Decided
from paperless_fingerprint.grouping.rivals import as_before
from paperless_fingerprint.library import outdated, regroup
from paperless_fingerprint.library.decisions_that_hold import holding, those_that_hold
from paperless_fingerprint.library.import_file import renew
from paperless_fingerprint.library.judging import (
    Chunk,
    Judge,
    JudgingPool,
    judge_chunk,
    with_decisions,
)
from paperless_fingerprint.library.vocabulary import StoredVocabulary, WordTable, asked_about
from paperless_fingerprint.model import (
    Candidate,
    Document,
    Fingerprint,
    Key,
    Pair,
    Relation,
    StoredDocument,
)
from paperless_fingerprint.progress import Progress
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Pending, Store

#: Looking a document up costs about as much as joining 200 of a library that has been read.
_FEW = 16
_FEW_SHARE = 0.005
#: Pairs and waiting documents that are judged together, and the shingles of these pairs: their texts
#: are in memory.
_CHUNK_PAIRS = 250
_CHUNK_DOCUMENTS = 2_000
_CHUNK_SHINGLES = 1_500_000
#: So many of these stretches are stored in one go: what is written lies scattered over the tables, and
#: each writing takes most of their pages.
_STORED_TOGETHER = 8
#: A thousand pages. Aligning more would take gigabytes, and no pair of letters is that long.
_JUDGED_CHARACTERS = 2_000_000
#: Fewer pairs than this are judged here, in half a second: starting processes takes a tenth of one.
_WORTH_PROCESSES = 400

#: Set while pairs are stored whose groups are not made yet.
GROUPS_NOTE = "groups"


@dataclass(frozen=True, slots=True)
class AnalysisReport:
    documents: int = 0
    #: Pairs that shared enough to be looked at, and those whose texts were compared.
    candidates: int = 0
    compared: int = 0
    #: Pairs that were found, by relation.
    found: tuple[tuple[str, int], ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "documents": self.documents,
            "candidates": self.candidates,
            "compared": self.compared,
            "found": dict(self.found),
        }

    def with_found(self, pairs: Collection[Pair]) -> AnalysisReport:
        """With what another tier has found."""
        found = Counter(dict(self.found)) + Counter(pair.relation.value for pair in pairs)
        return replace(self, found=tuple(sorted(found.items())))

    def in_words(self) -> str:
        if not self.documents and not self.found:
            return "Analysed: nothing has changed since the last time."
        found = ", ".join(f"{count:,} {relation}" for relation, count in self.found)
        return (
            f"Analysed {self.documents:,} documents: {self.candidates:,} candidate pairs, "
            f"{self.compared:,} compared. Found: {found or 'no pairs'}."
        )


class _Tally:
    def __init__(self, at_least: float = 0.0) -> None:
        self.documents = self.candidates = self.compared = 0
        self._at_least = at_least
        # One by one, a pair is met from both of its sides; it counts once.
        self._found: dict[Key, tuple[str, float]] = {}

    def add(self, pairs: Iterable[Pair]) -> None:
        for pair in pairs:
            self._found[pair.a, pair.b] = (pair.relation.value, pair.confidence)

    def correct(self, pairs: Mapping[Key, Pair]) -> None:
        """Some have become more or less sure since they were added."""
        self.add(pairs[key] for key in pairs.keys() & self._found.keys())

    def report(self) -> AnalysisReport:
        found = Counter(
            relation
            for relation, confidence in self._found.values()
            if confidence >= self._at_least
        )
        return AnalysisReport(
            self.documents, self.candidates, self.compared, tuple(sorted(found.items()))
        )


def analyse(
    store: Store, settings: Settings, progress: Progress, *, full: bool = False
) -> AnalysisReport:
    """Judge all that waits; with `full`, everything."""
    renew(store, settings.spec(), progress)
    if outdated.begin(store, settings, progress):
        store.put_notes({GROUPS_NOTE: "stale"})
    if full:
        store.mark_pending(store.ids())
    waiting = store.pending()
    tally = _Tally(settings.similarity_threshold)
    if len(waiting) <= _FEW + _FEW_SHARE * store.report().counts.documents:
        progress.begin("analyse", len(waiting))
        vocabulary = StoredVocabulary(store)
        for item in waiting:
            _analyse_one(store, settings, item, vocabulary, tally)
            progress.advance()
    else:
        store.put_notes({GROUPS_NOTE: "stale"})
        _analyse_together(store, settings, waiting, tally, progress)
    if store.notes().get(GROUPS_NOTE) == "stale":
        progress.begin("groups")
        tally.correct(regroup.refresh(store, settings))
        store.put_notes({GROUPS_NOTE: "current"})
    outdated.finish(store, settings)
    return tally.report()


def analyse_document(
    store: Store, settings: Settings, item: Pending, vocabulary: StoredVocabulary
) -> list[Pair]:
    """One document that has come or changed: its pairs and groups, stored when this returns."""
    return _analyse_one(store, settings, item, vocabulary, _Tally())


# One by one ---------------------------------------------------------------------------------


def _analyse_one(
    store: Store, settings: Settings, item: Pending, vocabulary: StoredVocabulary, tally: _Tally
) -> list[Pair]:
    record = store.get([item.id]).get(item.id)
    if record is None:
        store.mark_analysed([item])
        return []
    around = store.connections([item.id])
    decided = those_that_hold(store, around.decisions)
    stored = {(link.a, link.b) for link in around.links}
    is_semantic = any(link.relation is Relation.SEMANTIC for link in around.links)
    semantic = _semantic_pairs(store, [item.id]) if is_semantic else {}
    candidates = store.candidates(
        record.fingerprint, checksum=record.document.checksum, excluding=item.id
    )
    tally.documents += 1
    tally.candidates += len(candidates)
    confirmed = _partners(item.id, set(decided.confirmed))
    others = store.get({c.id for c in candidates} | _partners(item.id, stored) | confirmed)
    worth = _worth_comparing(record.fingerprint, candidates, others) | (confirmed & set(others))
    keys = [_key(item.id, id) for id in sorted(worth)]
    tally.compared += len(keys)
    documents = _to_judge({**others, item.id: record}, keys)
    # In one go: each question is a journey where the store is a server.
    vocabulary.look_up(
        word
        for a, b in keys
        if a in documents and b in documents
        for word in asked_about(documents[a].content, documents[b].content)
    )
    judge = Judge.of(settings)
    judged = judge_chunk(Chunk(documents, keys), judge, vocabulary)
    pairs = as_before(with_decisions(judged, keys, decided, semantic), around.links)
    gone = stored - {(pair.a, pair.b) for pair in pairs}
    store.write_pairs(pairs, removing=gone - _kept(semantic, decided, settings))
    changed = regroup.refresh(store, settings, {item.id, *_partners(item.id, stored)})
    pairs = [changed.get((pair.a, pair.b), pair) for pair in pairs]
    store.mark_analysed([item])
    tally.add(pairs)
    tally.correct(changed)
    return pairs


def _semantic_pairs(store: Store, ids: Collection[int] | None = None) -> dict[Key, Pair]:
    return {(p.a, p.b): p for p in store.pairs(ids=ids, relation=Relation.SEMANTIC)}


def _kept(semantic: Collection[Key], decided: Decided, settings: Settings) -> set[Key]:
    """What another tier has found is not this one's to remove, while that one is switched on."""
    if not settings.semantic.enabled:
        return set()
    return {key for key in semantic if not decided.dismissed(*key, Relation.SEMANTIC)}


def _key(a: int, b: int) -> Key:
    return (a, b) if a < b else (b, a)


def _partners(id: int, keys: Collection[Key]) -> set[int]:
    return {b if a == id else a for a, b in keys if id in {a, b}}


def _worth_comparing(
    fingerprint: Fingerprint, candidates: Sequence[Candidate], others: dict[int, StoredDocument]
) -> set[int]:
    """All that is the same, and the best of the rest that the facts do not rule out."""
    same = {one.id for one in candidates if one.same_file or one.same_text}
    # Partners of old stand in `others` only: they are judged again, found or not.
    known = {one.id: one for one in candidates}
    rest = [id for id in others if id not in same]
    kept = worth_comparing(
        fingerprint,
        [others[id].fingerprint for id in rest],
        Sketched.of([known.get(id) or Candidate(id, jaccard=1.0) for id in rest]),
    )
    return same & set(others) | {rest[place] for place in kept.tolist()}


# All together -------------------------------------------------------------------------------


def _analyse_together(
    store: Store,
    settings: Settings,
    waiting: Sequence[Pending],
    tally: _Tally,
    progress: Progress,
) -> None:
    progress.begin("read the library")
    library = Library(store.fingerprints(), settings.spec().id)
    place_of = {int(id): place for place, id in enumerate(library.ids)}
    tokens = {place_of[item.id]: item for item in waiting if item.id in place_of}
    store.mark_analysed([item for item in waiting if item.id not in place_of])
    wanted = np.array(sorted(tokens), np.int64)
    progress.begin("find candidates", len(wanted))
    found = []
    for count, candidates, keys in library.pairs_to_compare(wanted):
        found.append(keys)
        tally.candidates += candidates
        progress.advance(count)
    tally.documents += len(wanted)
    decided = holding(store)
    keys = _with_confirmed(np.unique(np.concatenate(found)), decided, place_of, tokens)
    # The sketches have done their part, and every process would carry them along.
    ids, shingles = library.ids, library.shingles
    del library, found, place_of
    semantic = _semantic_pairs(store)
    kept_semantic = _kept(semantic, decided, settings)
    tally.compared += len(keys)

    progress.begin("learn the words")
    vocabulary = WordTable.of(store)
    judge = Judge.of(settings)
    processes = 1 if len(keys) < _WORTH_PROCESSES else settings.workers
    waiting_ids = {item.id for item in waiting}
    pool = JudgingPool(judge, vocabulary, processes)
    progress.begin("compare", len(keys))
    try:
        stretches = list(_stretches(keys, wanted, shingles))
        chunks = (_chunk(store, ids, keys[low:high]) for low, high, _ in stretches)
        judged = zip(stretches, pool.judged(chunks), strict=True)
        while some := list(islice(judged, _STORED_TOGETHER)):
            done: list[Pending] = []
            kept: list[Pair] = []
            for (low, high, places), pairs in some:
                own = {_ids(ids, key) for key in keys[low:high].tolist()}
                kept += with_decisions(pairs, sorted(own), decided, semantic)
                done += [tokens[place] for place in places]
                progress.advance(high - low)
            tally.add(_store_stretches(store, done, kept, waiting_ids, kept_semantic))
    finally:
        pool.close()


def _with_confirmed(
    keys: npt.NDArray[np.uint64],
    decided: Decided,
    place_of: dict[int, int],
    tokens: dict[int, Pending],
) -> npt.NDArray[np.uint64]:
    """Confirmed pairs are always looked at, found or not."""
    confirmed = [
        (place_of[a] << 32) | place_of[b]
        for a, b in decided.confirmed
        if a in place_of and b in place_of and (place_of[a] in tokens or place_of[b] in tokens)
    ]
    return np.unique(np.concatenate((keys, np.array(confirmed, np.uint64))))


def _ids(ids: npt.NDArray[np.int64], key: int) -> Key:
    return int(ids[key >> 32]), int(ids[key & 0xFFFFFFFF])


def _stretches(
    keys: npt.NDArray[np.uint64], wanted: npt.NDArray[np.int64], shingles: npt.NDArray[np.int64]
) -> Iterator[tuple[int, int, list[int]]]:
    """(first key, last key, waiting places whose pairs are all judged after it).

    A pair's owner is the lowest of its places that waits. `keys` is brought into the order of
    owners, in place; what hangs together stays together, so that its texts are read once.
    `shingles` are those of each place.
    """
    low = (keys >> np.uint64(32)).astype(np.int64)
    high = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
    ordered = _along_the_pairs(low, high, wanted)
    # The turn of each place; of those that do not wait, none.
    turns = np.full(1 + max(high.max(initial=0), wanted.max(initial=0)), -1)
    turns[ordered] = np.arange(len(ordered))
    owners = np.where(turns[low] >= 0, turns[low], turns[high])
    order = np.argsort(owners, kind="stable")
    keys[:] = keys[order]
    owners = owners[order]
    read = np.append(0, np.cumsum((shingles[low] + shingles[high])[order]))
    begin = 0
    first = 0
    while first < len(ordered):
        fitting = int(np.searchsorted(read, read[begin] + _CHUNK_SHINGLES, side="right")) - 1
        end = min(begin + _CHUNK_PAIRS, max(fitting, begin + 1), len(keys))
        # All pairs of one owner stay together.
        last = int(owners[end - 1]) + 1 if end > begin else 0
        if end == len(keys):
            last = len(ordered)
        last = min(max(last, first + 1), first + _CHUNK_DOCUMENTS)
        end = int(np.searchsorted(owners, last))
        yield begin, end, ordered[first:last].tolist()
        begin, first = end, last


def _along_the_pairs(
    low: npt.NDArray[np.int64], high: npt.NDArray[np.int64], wanted: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """`wanted` from each to those that it makes a pair with, and on from them, depth first.

    In a large library forms hang together by chance, thousands of documents. By this order those
    that are compared with one another stay near to one another all the same.
    """
    partners: defaultdict[int, list[int]] = defaultdict(list)
    for a, b in zip(low[::-1].tolist(), high[::-1].tolist(), strict=True):
        partners[a].append(b)
        partners[b].append(a)
    # As keys, because they keep the order in which they come.
    met: dict[int, None] = {}
    for start in wanted.tolist():
        coming = [start]
        while coming:
            place = coming.pop()
            if place not in met:
                met[place] = None
                coming += [other for other in partners.get(place, ()) if other not in met]
    is_wanted = np.zeros(1 + max(met, default=0), np.bool_)
    is_wanted[wanted] = True
    found = np.fromiter(met, np.int64, len(met))
    return found[is_wanted[found]]


def _chunk(store: Store, ids: npt.NDArray[np.int64], keys: npt.NDArray[np.uint64]) -> Chunk:
    pairs = [_ids(ids, key) for key in keys.tolist()]
    stored = store.get({id for pair in pairs for id in pair})
    return Chunk(_to_judge(stored, pairs), pairs)


def _to_judge(stored: Mapping[int, StoredDocument], pairs: Sequence[Key]) -> dict[int, Document]:
    """The documents of these pairs; of endless texts only the beginning, and said to be that."""
    documents = {}
    for id in {id for pair in pairs for id in pair}:
        record = stored.get(id)
        if record is None:
            continue
        document = record.document
        if len(document.content) > _JUDGED_CHARACTERS:
            # The hash keeps two texts apart that are the same up to here.
            beginning = document.content[:_JUDGED_CHARACTERS]
            document = replace(document, content=f"{beginning} {record.fingerprint.text_hash}")
        documents[id] = document
    return documents


def _store_stretches(
    store: Store,
    done: Sequence[Pending],
    pairs: Sequence[Pair],
    waiting: Collection[int],
    others: Collection[Key],
) -> list[Pair]:
    """Write the pairs of these documents, drop what is no longer one, then tick them off.

    Returns them as they are written.

    A stored pair belongs to the same document as a judged one, so an earlier stretch has seen
    to it already where that document came earlier. `others` are another tier's pairs, which stay.
    """
    own = {item.id for item in done}
    new = {(pair.a, pair.b) for pair in pairs}
    known = list(store.links(ids=own))
    stale = {
        (link.a, link.b)
        for link in known
        if (link.a if link.a in waiting else link.b) in own and (link.a, link.b) not in new
    }
    written = as_before(pairs, known)
    store.write_pairs(written, removing=stale - set(others))
    store.mark_analysed(done)
    return written
