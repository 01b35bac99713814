"""What every store promises about pairs, groups, version chains and decisions."""

from __future__ import annotations

from documents import some_text, stored
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.model import (
    Decision,
    Group,
    Link,
    Pair,
    PairScore,
    Relation,
    Verdict,
    VersionChain,
)
from paperless_fingerprint.stores.base import Store


def pair(a: int, b: int, confidence: float = 0.9, relation=Relation.NEAR, **more) -> Pair:
    return Pair(a, b, relation, confidence, **more)


def group(*members: int, confidence: float = 0.9, relation=Relation.NEAR, **more) -> Group:
    return Group(
        id=f"g{members[0]}",
        relation=relation,
        confidence=confidence,
        primary=more.pop("primary", members[0]),
        members=members,
        pairs=tuple((members[0], other) for other in members[1:]),
        **more,
    )


def test_a_pair_comes_back_as_it_was(store: Store) -> None:
    whole = Pair(
        3, 9, Relation.VERSION, 0.93,
        PairScore(0.5, 0.6, 0.7, 0.8, None, 0.4, 0.3, None, 0.55),
        (
            Reason("same_fact", {"kind": "invoice number", "value": "2024-117"}),
            Reason("amount_differs", {"a": "118,20", "b": "97,35 €"}),
        ),
        leader=9,
    )  # fmt: skip
    store.write_pairs([whole])
    assert list(store.pairs()) == [whole]
    assert list(store.links()) == [Link(3, 9, Relation.VERSION, 0.93, 9)]


def test_pairs_come_surest_first(store: Store) -> None:
    pairs = [
        pair(1, 2, 0.8),
        pair(1, 3, 0.99, Relation.EXACT),
        pair(4, 5, 0.9, scores=PairScore(score=0.2)),
        pair(2, 9, 0.9, scores=PairScore(score=0.7)),
        pair(2, 8, 0.9, scores=PairScore(score=0.7)),
    ]
    store.write_pairs(pairs)
    in_order = [(1, 3), (2, 8), (2, 9), (4, 5), (1, 2)]
    assert [(p.a, p.b) for p in store.pairs()] == in_order
    assert [(p.a, p.b) for p in store.pairs(limit=2)] == in_order[:2]
    assert [(p.a, p.b) for p in store.pairs(limit=0)] == []
    assert [(p.a, p.b) for p in store.pairs(ids=[2])] == [(2, 8), (2, 9), (1, 2)]
    assert [(p.a, p.b) for p in store.pairs(ids=[])] == []
    assert [(p.a, p.b) for p in store.pairs(relation=Relation.EXACT)] == [(1, 3)]
    assert [(p.a, p.b) for p in store.pairs(at_least=0.9)] == in_order[:4]
    assert {(p.a, p.b) for p in store.links(ids=[5, 3])} == {(1, 3), (4, 5)}
    assert {(p.a, p.b) for p in store.links(at_least=0.95)} == {(1, 3)}


def test_writing_pairs_replaces_and_removes(store: Store) -> None:
    store.write_pairs([pair(1, 2), pair(2, 3), pair(3, 4)])
    store.write_pairs([pair(1, 2, 0.5), pair(1, 9)], removing=[(2, 3), (7, 8), (1, 9)])
    assert {(p.a, p.b): p.confidence for p in store.pairs()} == {
        (1, 2): 0.5,
        (1, 9): 0.9,
        (3, 4): 0.9,
    }


def test_a_deleted_document_takes_its_pairs_along_and_its_partners_are_looked_at(
    store: Store,
) -> None:
    store.put([stored(id, some_text(30, id)) for id in (1, 2, 3)])
    store.mark_analysed(store.pending())
    store.write_pairs([pair(1, 2), pair(2, 3), pair(1, 3)])
    store.replace_groups([1, 2, 3], [group(1, 2, 3)])
    store.delete([2])
    assert [(p.a, p.b) for p in store.pairs()] == [(1, 3)]
    assert [item.id for item in store.pending()] == [1, 3]
    assert list(store.groups()) == []


def test_a_deleted_document_takes_its_chain_along(store: Store) -> None:
    store.put([stored(id, some_text(30, id)) for id in (1, 2, 3, 4)])
    store.replace_chains([], [VersionChain("v1", (1, 2)), VersionChain("v3", (3, 4))])
    store.delete([2])
    assert store.chains() == [VersionChain("v3", (3, 4))]


def test_many_pairs_are_streamed_whole(store: Store) -> None:
    pairs = [pair(1, id, 0.5 + id / 10_000) for id in range(2, 1500)]
    store.write_pairs(pairs)
    assert [p.b for p in store.pairs()] == list(range(1499, 1, -1))
    assert len(list(store.links())) == len(pairs)


def test_a_group_comes_back_as_it_was(store: Store) -> None:
    whole = group(3, 5, 9, primary=5, contradictions=((3, 9),))
    store.replace_groups([3, 5, 9], [whole])
    assert list(store.groups()) == [whole]
    assert list(store.groups(ids=[9])) == [whole]
    assert list(store.groups(ids=[4])) == []


def test_groups_come_surest_first(store: Store) -> None:
    groups = [
        group(1, 2, confidence=0.8),
        group(3, 4, confidence=1.0, relation=Relation.EXACT),
        group(20, 21, confidence=0.9),
        group(7, 8, confidence=0.9),
    ]
    store.replace_groups([], groups)
    assert [g.id for g in store.groups()] == ["g3", "g7", "g20", "g1"]
    assert [g.id for g in store.groups(limit=1)] == ["g3"]
    assert [g.id for g in store.groups(relation=Relation.EXACT)] == ["g3"]


def test_replacing_groups_drops_those_that_hold_a_member(store: Store) -> None:
    store.replace_groups([], [group(1, 2, 3), group(4, 5), group(6, 7)])
    store.replace_groups([2], [group(3, 4, 8)])
    assert {g.members for g in store.groups()} == {(3, 4, 8), (6, 7)}
    assert [g.id for g in store.groups(ids=[1, 2, 5])] == []
    store.replace_groups([6, 7, 100], [])
    assert {g.members for g in store.groups()} == {(3, 4, 8)}


def test_a_group_of_a_thousand_is_one_group(store: Store) -> None:
    members = tuple(range(1, 1001))
    store.replace_groups(members, [group(*members)])
    assert next(store.groups(ids=[777])).members == members


def test_chains_are_kept_in_their_order(store: Store) -> None:
    store.replace_chains([], [VersionChain("v3", (9, 3, 5)), VersionChain("v1", (1, 2))])
    assert store.chains() == [VersionChain("v1", (1, 2)), VersionChain("v3", (9, 3, 5))]
    assert store.chains([5]) == [VersionChain("v3", (9, 3, 5))]
    assert store.chains([4]) == []
    store.replace_chains([3], [VersionChain("v5", (5, 9))])
    assert store.chains() == [VersionChain("v1", (1, 2)), VersionChain("v5", (5, 9))]


def test_decisions_are_kept_replaced_and_taken_back(store: Store) -> None:
    first = Decision(1, 2, Verdict.DISMISSED, "2026-01-01T00:00:00Z", "anna", facts_a="00ff")
    primary = Decision(2, 2, Verdict.PRIMARY, "2026-01-02T00:00:00Z")
    near_only = Decision(1, 2, Verdict.DISMISSED, "2026-01-03T00:00:00Z", relation=Relation.NEAR)
    other = Decision(5, 6, Verdict.CONFIRMED, "2026-01-04T00:00:00Z")
    for decision in (first, primary, near_only, other):
        store.put_decision(decision)
    assert set(store.decisions()) == {first, primary, near_only, other}
    assert set(store.decisions([2])) == {first, primary, near_only}
    changed = Decision(1, 2, Verdict.CONFIRMED, "2026-01-05T00:00:00Z")
    store.put_decision(changed)
    assert set(store.decisions([1])) == {changed, near_only}
    assert store.remove_decision(changed.key)
    assert not store.remove_decision(changed.key)
    assert set(store.decisions([1])) == {near_only}


def test_all_that_is_said_of_some_documents_comes_at_once(store: Store) -> None:
    store.write_pairs([pair(1, 2), pair(2, 3, 0.5, Relation.CONTAINS, leader=2), pair(8, 9)])
    store.replace_groups([1, 2], [group(1, 2, confidence=0.8)])
    store.replace_groups([3, 4], [group(3, 4, confidence=0.9)])
    store.replace_chains([2, 5], [VersionChain("v2", (5, 2))])
    store.put_decision(Decision(2, 7, Verdict.DISMISSED, "2024-01-01T00:00:00Z"))
    store.put_decision(Decision(8, 9, Verdict.CONFIRMED, "2024-01-01T00:00:00Z"))
    for ids in ([2], [1, 3], [9], [77], list(range(1, 10))):
        found = store.connections(ids)
        assert sorted(found.links, key=str) == sorted(store.links(ids=ids), key=str)
        assert list(found.groups) == list(store.groups(ids=ids))
        assert list(found.chains) == store.chains(ids)
        assert list(found.decisions) == store.decisions(ids)
    assert [link.confidence for link in store.connections([2], at_least=0.6).links] == [0.9]
    assert store.connections([2]).ids == {1, 2, 3, 5}
    assert store.connections([2]).members == {1, 2, 5}


def test_more_connections_than_one_answer_holds(store: Store) -> None:
    store.write_pairs([pair(1, other) for other in range(2, 1_202)])
    assert store.connections([1]).ids == set(range(1, 1_202))


def test_decisions_outlive_the_documents(store: Store) -> None:
    store.put([stored(1, "eins"), stored(2, "zwei")])
    store.put_decision(Decision(1, 2, Verdict.DISMISSED, "2026-01-01T00:00:00Z"))
    store.delete([1, 2])
    assert len(store.decisions()) == 1


def test_metadata_comes_without_the_text(store: Store) -> None:
    store.put([stored(1, some_text(30, 1), tags=("a",))])
    found = store.metadata([1, 2])
    assert set(found) == {1}
    assert (found[1].content, found[1].tags) == ("", ("a",))


def test_counting_words_may_stop_early(store: Store) -> None:
    store.put([stored(id, "alpha beta") for id in range(1, 30)])
    assert store.document_frequencies(["alpha"], at_most=5)["alpha"] >= 5
    assert store.document_frequencies(["alpha"])["alpha"] == 29
