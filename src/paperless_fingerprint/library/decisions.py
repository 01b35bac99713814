"""What people say about pairs, and what follows from it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.library import regroup
from paperless_fingerprint.library.clock import now_text
from paperless_fingerprint.library.decisions_that_hold import (
    holding,
    semantic_pairs,
    with_decisions,
)
from paperless_fingerprint.library.judging import Chunk, Judge, judge_chunk
from paperless_fingerprint.library.vocabulary import Rarity
from paperless_fingerprint.model import Decision, Key, Pair, Relation, StoredDocument, Verdict
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store


@dataclass(frozen=True, slots=True)
class Said:
    decision: Decision
    #: The pair as it is stored now; None when it is none any more.
    pair: Pair | None


def dismiss(
    store: Store,
    settings: Settings,
    id: int,
    *others: int,
    by: str,
    relation: Relation | None = None,
) -> list[Said]:
    """It is no duplicate of any of these (or not in this relation), and never will be.

    Others that are no longer in the library are left out. Whoever says it, on the command line, on
    the page or in Paperless: this is all that follows from it.
    """
    present = store.get({id, *others})
    if id not in present or not any(other in present for other in others):
        missing = next(each for each in (id, *others) if each not in present)
        raise UsageError(Reason("not_in_library", {"document": missing}))
    told = [
        _about(present, id, other, Verdict.DISMISSED, by, relation)
        for other in sorted({*others} & present.keys())
    ]
    stored = {(link.a, link.b): link.relation for link in store.links(ids=[id])}
    for said in told:
        # An earlier 'confirmed' would bring the pair back: the latest word counts.
        if relation in {None, stored.get((said.a, said.b), relation)}:
            confirmed = replace(said, verdict=Verdict.CONFIRMED, relation=None)
            store.remove_decision(confirmed.key)
        store.put_decision(said)
    # Dismissed altogether a pair is gone, and what was none becomes none by being dismissed.
    keys = {(said.a, said.b) for said in told}
    anew = set() if relation is None else keys & stored.keys()
    pairs = _judge_again(store, settings, keys, present, anew)
    return [Said(said, pairs.get((said.a, said.b))) for said in told]


def confirm(store: Store, settings: Settings, a: int, b: int, *, by: str) -> Said:
    """These two are what they were found to be; where nothing was found, duplicates."""
    key = (min(a, b), max(a, b))
    dismissed = [
        old
        for old in store.decisions([key[0]])
        if old.verdict is Verdict.DISMISSED and (old.a, old.b) == key
    ]
    # Kept with the word itself, because a later analysis by words alone would not know.
    is_semantic = _semantic_of(store, key) is not None or any(
        old.relation is Relation.SEMANTIC for old in dismissed
    )
    relation = Relation.SEMANTIC if is_semantic else None
    present = store.get(key)
    decision = _about(present, a, b, Verdict.CONFIRMED, by, relation)
    store.put_decision(decision)
    # A dismissal of one relation would still keep them apart.
    for old in dismissed:
        store.remove_decision(old.key)
    return Said(decision, _judge_again(store, settings, {key}, present, {key}).get(key))


def choose_primary(store: Store, settings: Settings, id: int, *, by: str) -> Decision:
    """This document is the one to keep of its group."""
    if not any(id in group.members for group in store.groups(ids=[id])):
        raise UsageError(Reason("in_no_group", {"document": id}))
    decision = Decision(id, id, Verdict.PRIMARY, now_text(), by)
    store.put_decision(decision)
    regroup.refresh(store, settings, {id})
    return decision


def undo(store: Store, settings: Settings, pair: tuple[int, int] | None = None) -> list[Decision]:
    """Take back what was said about a pair, or without one what was said last."""
    said = [d for d in store.decisions(pair) if d.verdict is not Verdict.SUCCEEDS]
    if pair is not None:
        said = [decision for decision in said if {decision.a, decision.b} == set(pair)]
    elif said:
        said = [max(said, key=lambda decision: (decision.at, decision.key))]
    for decision in said:
        store.remove_decision(decision.key)
        if decision.a == decision.b:
            regroup.refresh(store, settings, {decision.a})
        else:
            key = (decision.a, decision.b)
            _judge_again(store, settings, {key}, store.get(key), {key})
    return said


def _about(
    present: Mapping[int, StoredDocument],
    a: int,
    b: int,
    verdict: Verdict,
    by: str,
    relation: Relation | None,
) -> Decision:
    if a == b:
        raise UsageError(f"{a} and {b} are one document; a decision is about two.")
    a, b = sorted((a, b))
    for id in (a, b):
        if id not in present:
            raise UsageError(Reason("not_in_library", {"document": id}))
    return Decision(
        a, b, verdict, now_text(), by, relation,
        present[a].fingerprint.facts.hex(), present[b].fingerprint.facts.hex(),
    )  # fmt: skip


def _judge_again(
    store: Store,
    settings: Settings,
    keys: Collection[Key],
    present: Mapping[int, StoredDocument],
    anew: Collection[Key],
) -> dict[Key, Pair]:
    """Bring the stored pairs and the groups into line with what was said; those of `anew` are
    compared, the others have ended."""
    ids = {id for key in keys for id in key}
    chunk = Chunk.of(present, sorted(key for key in anew if present.keys() >= set(key)))
    judged = []
    if chunk.pairs:
        rarity = Rarity.around(store, [present[id] for id in chunk.documents])
        judged = judge_chunk(chunk, Judge.of(settings), rarity)
    semantic = semantic_pairs(store, ids)
    kept = with_decisions(judged, chunk.pairs, holding(store, ids), semantic)
    pairs = {(pair.a, pair.b): pair for pair in kept}
    store.write_pairs(kept, removing=set(keys) - pairs.keys())
    pairs |= {
        key: pair for key, pair in regroup.refresh(store, settings, ids).items() if key in pairs
    }
    if settings.semantic.enabled:
        from paperless_fingerprint.library.semantic import look_again

        for key in sorted(set(anew) - pairs.keys()):
            for pair in look_again(store, settings, key):
                pairs[key] = pair
    return pairs


def _semantic_of(store: Store, key: tuple[int, int]) -> Pair | None:
    return semantic_pairs(store, key[:1]).get(key)
