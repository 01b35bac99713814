from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from documents import document
from paperless_fingerprint.grouping.groups import PRIMARY_RULES, Decided, build_groups
from paperless_fingerprint.grouping.versions import build_chains
from paperless_fingerprint.model import Decision, Link, Relation, Verdict

DOCUMENTS = {id: document(id, created=f"2024-{id:02d}-01") for id in range(1, 13)}


def version(a: int, b: int, leader: int | None = None) -> Link:
    return Link(a, b, Relation.VERSION, 0.9, leader)


def chains(links, decisions=(), documents=DOCUMENTS):
    decided = Decided(decisions)
    groups = build_groups(links, decided, documents, PRIMARY_RULES["oldest"])
    return build_chains(links, groups, decided, documents)


def test_a_chain_goes_from_the_oldest_to_the_latest() -> None:
    [chain] = chains([version(1, 2), version(2, 3), version(1, 3)])
    assert (chain.id, chain.members, chain.latest) == ("v1", (1, 2, 3), 3)


def test_what_a_pair_says_about_its_order_comes_before_the_dates() -> None:
    [chain] = chains([version(1, 2, leader=1), version(1, 3, leader=1), version(2, 3, leader=3)])
    assert chain.members == (2, 3, 1)


def test_duplicates_stand_beside_their_version_and_the_primary_is_the_latest() -> None:
    near = Link(2, 9, Relation.NEAR, 0.9)
    [chain] = chains([version(1, 2), near])
    assert chain.members == (1, 9, 2)
    assert chain.latest == 2


def test_a_succession_that_was_kept_bridges_the_gap() -> None:
    said = [Decision(1, 3, Verdict.SUCCEEDS, "2026-01-01")]
    [chain] = chains([version(3, 4)], said)
    assert chain.members == (1, 3, 4)
    assert chains([version(3, 4)], [Decision(1, 99, Verdict.SUCCEEDS, "2026-01-01")])[
        0
    ].members == (3, 4)


def test_a_dismissed_version_is_none() -> None:
    assert chains([version(1, 2)], [Decision(1, 2, Verdict.DISMISSED, "2026-01-01")]) == []


def test_a_circle_is_cut_at_the_oldest() -> None:
    [chain] = chains([version(1, 2, 2), version(2, 3, 3), version(1, 3, 1)])
    assert chain.members == (1, 2, 3)


@given(
    st.lists(
        st.tuples(st.integers(1, 12), st.integers(1, 12), st.booleans()).filter(
            lambda x: x[0] < x[1]
        ),
        unique_by=lambda x: x[:2],
        max_size=15,
    ),
    st.randoms(use_true_random=False),
)
def test_chains_depend_on_no_order_and_hold_each_document_once(
    pairs: list[tuple[int, int, bool]], rng: random.Random
) -> None:
    links = [version(a, b, b if later else a) for a, b, later in pairs]
    found = chains(links)
    rng.shuffle(links)
    assert chains(links) == found
    members = [id for chain in found for id in chain.members]
    assert len(members) == len(set(members))
    assert set(members) == {id for a, b, _ in pairs for id in (a, b)}
