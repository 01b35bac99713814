"""Pairs of documents that say the same: nearest in meaning, then asked for their facts.

For each document the nearest ones are looked up, most are ruled out by the digests of their facts,
and only what is left is read. A pair that the near tier has found stays what it is, and so does
what a person has dismissed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from paperless_fingerprint.comparison.similarity import (
    Weights,
    fuzzy_text,
    metadata_alike,
    sample,
    title_alike,
    weighted_sum,
)
from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.fingerprints.shingles import Hashes, overlap, shingle_hashes
from paperless_fingerprint.grouping.groups import Decided
from paperless_fingerprint.model import (
    GROUPING_RELATIONS,
    Document,
    Key,
    Pair,
    PairScore,
    Relation,
)
from paperless_fingerprint.progress import Progress
from paperless_fingerprint.semantic.agreement import (
    Commonness,
    agreement,
    agreements,
    names_kept,
)
from paperless_fingerprint.semantic.calibration import Scale, evidence_of, likeness_of
from paperless_fingerprint.semantic.embedding import current_space, scale_of
from paperless_fingerprint.semantic.judgement import (
    MOST_EVIDENCE,
    OVERLAP_OF_NEAR,
    Verdict,
    judge,
    most_evidence,
)
from paperless_fingerprint.semantic.rivals import Rivals
from paperless_fingerprint.semantic.statements import Statements, statements
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.vectors import (
    Matrix,
    Neighbours,
    StoredVector,
    VectorStore,
    decoded,
)
from paperless_fingerprint.text.normalise import normalise

_BATCH = 64
#: Rounds of looking at newly met documents; as a rule two meet all of them.
_ROUNDS = 4
#: Texts that were read and may be asked for again.
_READ_AT_MOST = 2_000


@dataclass(frozen=True, slots=True)
class Likeness:
    """How near another document is in meaning, and in which language it is."""

    id: int
    likeness: float
    language: str


def pairs_around(
    store: Store,
    vectors: VectorStore,
    settings: Settings,
    ids: Collection[int] | None,
    progress: Progress,
    neighbours: Neighbours | None = None,
) -> tuple[list[Pair], set[int]]:
    """All pairs that one of `ids` (None: any document) belongs to, and the documents whose pairs these
    are all of; nothing is written.

    A newcomer may be nearer to a document than what was paired with it until now. So the documents
    that were met are looked at too, and those that they meet, for some rounds: the order in which
    documents came makes no difference.
    `neighbours` for whoever asks for many: vectors.for_many().
    """
    space = current_space(store, settings)
    scale = scale_of(store, space)
    if scale is None:
        return [], set()
    wanted = store.ids() if ids is None else sorted(ids)
    finder = _Finder(store, vectors, neighbours or vectors, settings, space, scale)
    progress.begin("compare meanings", len(wanted))
    for start in range(0, len(wanted), _BATCH):
        batch = wanted[start : start + _BATCH]
        finder.look_at(batch)
        progress.advance(len(batch))
    looked_at = set(wanted)
    for _ in range(_ROUNDS):
        new = sorted(finder.met() - looked_at)
        looked_at.update(new)
        for start in range(0, len(new), _BATCH):
            finder.look_at(new[start : start + _BATCH])
    return finder.pairs(), looked_at


def nearest_in_meaning(
    store: Store,
    vectors: VectorStore,
    settings: Settings,
    id: int,
    *,
    at_least: float = 0.85,
    limit: int = 1_000,
) -> list[Likeness]:
    """What is about the same thing, the nearest first; facts are not asked. For `related`.

    `at_least` is a likeness: 0.85 related, 0.92 what is flagged, 0.98 a duplicate.
    """
    space = current_space(store, settings)
    scale = scale_of(store, space)
    own = vectors.get(space, [id]).get(id)
    if scale is None or own is None:
        raise UsageError(
            f"Document {id} has no embedding yet. 'paperless-fingerprint analyze' makes it, where "
            "[semantic] enabled is true."
        )
    if not own.codes:
        return []
    query = decoded(own.codes)[None, :]
    floor = scale.cosine(at_least) if at_least > 0 else -1.0
    (found,) = vectors.nearest(space, query, limit=limit + 1, at_least=floor)
    others = vectors.get(space, [one.id for one in found])
    return [
        Likeness(one.id, scale.likeness(one.cosine), others[one.id].language)
        for one in found
        if one.id != id and one.id in others
    ][:limit]


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    document: Document
    statements: Statements
    shingles: Hashes


@dataclass(frozen=True, slots=True)
class _Found:
    verdict: Verdict
    languages: tuple[str, str]
    likeness: float
    facts: float


class _Finder:
    def __init__(
        self,
        store: Store,
        vectors: VectorStore,
        neighbours: Neighbours,
        settings: Settings,
        space: str,
        scale: Scale,
    ) -> None:
        self._store, self._vectors, self._settings = store, vectors, settings
        self._neighbours = neighbours
        self._space, self._scale = space, scale
        self._needed = evidence_of(settings.semantic.threshold)
        self._decided = Decided(store.decisions())
        self._read: OrderedDict[int, _Read] = OrderedDict()
        self._stored: dict[int, StoredVector] = {}
        self._judged: dict[Key, _Found] = {}
        self._rivals = Rivals()

    def look_at(self, ids: Sequence[int]) -> None:
        own = {
            id: stored for id, stored in self._vectors.get(self._space, ids).items() if stored.codes
        }
        if not own:
            return
        queries: Matrix = np.array([decoded(stored.codes) for stored in own.values()])
        neighbours = self._neighbours.nearest(
            self._space,
            queries,
            limit=self._settings.semantic.neighbours + 1,
            at_least=self._scale.cosine(self._settings.semantic.threshold)
            - MOST_EVIDENCE / self._scale.slope,
        )
        self._keep_stored(own, {one.id for found in neighbours for one in found})
        taken = {
            (link.a, link.b)
            for link in self._store.links(ids=list(own))
            if link.relation is not Relation.SEMANTIC
        }
        for id, found in zip(own, neighbours, strict=True):
            others = [one for one in found if one.id != id and one.id in self._stored]
            self._look_at_one(
                own[id],
                [self._stored[one.id] for one in others],
                np.array([self._scale.evidence(one.cosine) for one in others]),
                taken,
            )

    def _keep_stored(self, own: dict[int, StoredVector], ids: Collection[int]) -> None:
        if len(self._stored) > 50 * _READ_AT_MOST:
            self._stored.clear()
        self._stored |= own
        missing = [id for id in ids if id not in self._stored]
        found = self._vectors.get(self._space, missing)
        # The octets are not needed again, and are most of it.
        self._stored |= {id: replace(stored, codes=b"") for id, stored in found.items()}

    def _look_at_one(
        self,
        own: StoredVector,
        others: Sequence[StoredVector],
        evidence: Matrix,
        taken: Collection[Key],
    ) -> None:
        common = Commonness([own.facts, *(other.facts for other in others)])
        facts = agreements(own.facts, [other.facts for other in others], common)
        totals = evidence + most_evidence(facts)
        for place in np.flatnonzero(totals >= self._needed).tolist():
            other = others[place]
            key = (min(own.id, other.id), max(own.id, other.id))
            if key in taken or self._decided.dismissed(*key, _SEMANTIC):
                continue
            # What is common among the neighbours of one is not so among those of the other. Where
            # both sides find a pair, the lower id's finding counts, whichever was asked first.
            if key in self._judged and own.id != key[0]:
                continue
            found = self._judge(own, other, float(evidence[place]), common)
            if found is not None and found.verdict.total >= self._needed:
                self._judged[key] = found

    def _judge(
        self, own: StoredVector, other: StoredVector, evidence: float, common: Commonness
    ) -> _Found | None:
        one, two = self._texts_of(own.id), self._texts_of(other.id)
        if one is None or two is None:
            return None
        wording = 0.0
        if own.language == other.language:
            shared = overlap(one.shingles, two.shingles)
            if max(shared.containment_ab, shared.containment_ba) >= OVERLAP_OF_NEAR:
                return None
            wording = shared.jaccard
        names = names_kept(one.statements, two.statements)
        facts = agreement(own.facts, other.facts, common, names)
        ordered = (own, other) if own.id < other.id else (other, own)
        languages = (ordered[0].language, ordered[1].language)
        verdict = judge(evidence, facts, languages, wording)
        return _Found(verdict, languages, round(likeness_of(evidence), 4), round(facts.kept, 4))

    def _texts_of(self, id: int) -> _Read | None:
        found = self._read.get(id)
        if found is not None:
            self._read.move_to_end(id)
            return found
        stored = self._store.get([id]).get(id)
        if stored is None:
            return None
        words = self._settings.fingerprint.shingle_words
        content = stored.document.content
        found = _Read(
            stored.document, statements(content), shingle_hashes(normalise(content), words)
        )
        self._read[id] = found
        while len(self._read) > _READ_AT_MOST:
            self._read.popitem(last=False)
        return found

    def met(self) -> set[int]:
        return {id for key in self._judged for id in key}

    def pairs(self) -> list[Pair]:
        for key, found in self._judged.items():
            self._rivals.add(key, found.languages, found.verdict.total)
        self._learn_what_is_stored()
        return list(self._pairs())

    def _learn_what_is_stored(self) -> None:
        """What was found for these documents before, so that a newcomer is measured against it."""
        links = list(self._store.links(ids=self.met()))
        self._rivals.know((link.a, link.b) for link in links if link.relation in GROUPING_RELATIONS)
        earlier = {
            (link.a, link.b): evidence_of(link.confidence)
            for link in links
            if link.relation is _SEMANTIC and (link.a, link.b) not in self._judged
        }
        known = self._vectors.get(self._space, {id for key in earlier for id in key})
        for key, total in earlier.items():
            if key[0] in known and key[1] in known:
                languages = (known[key[0]].language, known[key[1]].language)
                self._rivals.add(key, languages, total)

    def _pairs(self) -> Iterator[Pair]:
        weights = Weights(*astuple(self._settings.weights))
        for (a, b), found in sorted(self._judged.items()):
            if self._rivals.beat((a, b), found.verdict):
                continue
            one, two = self._texts_of(a), self._texts_of(b)
            if one is None or two is None:
                continue
            scores = _scores(one, two, found, self._settings.fuzzy_sample_size)
            yield Pair(
                a,
                b,
                Relation.SEMANTIC,
                round(found.verdict.confidence, 4),
                replace(scores, score=weighted_sum(scores, weights)),
                found.verdict.reasons,
            )


_SEMANTIC = Relation.SEMANTIC


def _scores(a: _Read, b: _Read, found: _Found, sample_size: int) -> PairScore:
    shared = overlap(a.shingles, b.shingles)
    return PairScore(
        jaccard=shared.jaccard,
        containment_ab=shared.containment_ab,
        containment_ba=shared.containment_ba,
        fuzzy=fuzzy_text(*(sample(normalise(one.document.content), sample_size) for one in (a, b))),
        metadata=metadata_alike(a.document, b.document),
        title=title_alike(a.document.title, b.document.title),
        facts=found.facts,
        semantic=found.likeness,
    )
