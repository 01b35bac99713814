from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import document
from paperless_fingerprint.grouping.groups import PRIMARY_RULES, Decided, build_groups
from paperless_fingerprint.model import Decision, Link, Relation, Verdict

DOCUMENTS = {id: document(id, added=f"2024-01-{id % 28 + 1:02d}") for id in range(1, 60)}


def link(a: int, b: int, confidence: float = 0.9, relation: Relation = Relation.NEAR) -> Link:
    return Link(a, b, relation, confidence)


def groups(links, decisions=(), documents=DOCUMENTS, rule: str = "oldest"):
    return build_groups(links, Decided(decisions), documents, PRIMARY_RULES[rule])


def dismissed(a: int, b: int, relation: Relation | None = None) -> Decision:
    return Decision(a, b, Verdict.DISMISSED, "2026-01-01", relation=relation)


def test_pairs_that_hang_together_are_one_group() -> None:
    [first, second] = groups([link(1, 2, 0.8), link(2, 3, 0.95), link(7, 9)])
    assert (first.id, first.members, first.confidence) == ("g1", (1, 2, 3), 0.95)
    assert first.pairs == ((1, 2), (2, 3))
    assert second.members == (7, 9)


def test_a_group_is_exact_if_all_its_pairs_are() -> None:
    exact = link(1, 2, 1.0, Relation.EXACT)
    assert groups([exact, link(1, 3, 1.0, Relation.EXACT)])[0].relation is Relation.EXACT
    assert groups([exact, link(2, 3)])[0].relation is Relation.NEAR


def test_versions_parts_and_translations_do_not_join() -> None:
    for relation in (Relation.VERSION, Relation.CONTAINS, Relation.SEMANTIC):
        assert groups([link(1, 2, 0.99, relation)]) == []


def test_a_pair_inside_a_group_that_says_otherwise_is_shown() -> None:
    [group] = groups([link(1, 2), link(2, 3), link(1, 3, 0.8, Relation.VERSION)])
    assert group.members == (1, 2, 3)
    assert group.contradictions == ((1, 3),)


def test_a_dismissed_pair_is_never_joined_through_a_third() -> None:
    links = [link(1, 2, 0.9), link(2, 3, 0.8), link(1, 3, 0.95)]
    [group] = groups(links, [dismissed(1, 3)])
    assert group.members == (1, 2)
    halves = groups([link(1, 2, 0.9), link(2, 3, 0.85), link(3, 4, 0.99)], [dismissed(1, 4)])
    # The weakest link gives way.
    assert [half.members for half in halves] == [(1, 2), (3, 4)]


def test_a_dismissal_of_another_relation_joins_still() -> None:
    [group] = groups([link(1, 2)], [dismissed(1, 2, Relation.VERSION)])
    assert group.members == (1, 2)
    assert groups([link(1, 2)], [dismissed(1, 2, Relation.NEAR)]) == []


LINKS = st.lists(
    st.tuples(st.integers(1, 12), st.integers(1, 12), st.sampled_from([0.8, 0.9, 1.0])).filter(
        lambda x: x[0] < x[1]
    ),
    unique_by=lambda x: x[:2],
    max_size=20,
)
SAID = st.lists(
    st.tuples(st.integers(1, 12), st.integers(1, 12)).filter(lambda x: x[0] < x[1]), max_size=4
)


@given(LINKS, SAID, st.randoms(use_true_random=False))
def test_groups_depend_on_no_order_and_keep_apart_what_was_dismissed(
    pairs: list[tuple[int, int, float]], said: list[tuple[int, int]], rng: random.Random
) -> None:
    links = [link(*pair) for pair in pairs]
    decisions = [dismissed(*pair) for pair in said]
    found = groups(links, decisions)
    rng.shuffle(links)
    assert groups(links, decisions) == found
    held = [set(group.members) for group in found]
    assert sum(map(len, held)) == len(set().union(*held))
    for a, b in said:
        assert not any({a, b} <= members for members in held)
    if not said:
        # The plain meaning of 'hangs together', computed the slow way.
        for start in {id for pair in pairs for id in pair[:2]}:
            reached, frontier = {start}, [start]
            while frontier:
                at = frontier.pop()
                for a, b, _ in pairs:
                    for one, other in ((a, b), (b, a)):
                        if one == at and other not in reached:
                            reached.add(other)
                            frontier.append(other)
            assert any(reached == members for members in held)


@given(LINKS, SAID)
def test_a_part_of_the_library_gives_the_same_groups_as_the_whole(
    pairs: list[tuple[int, int, float]], said: list[tuple[int, int]]
) -> None:
    links = [link(*pair) for pair in pairs]
    elsewhere = [link(a + 20, b + 20, c) for a, b, c in pairs]
    decisions = [dismissed(*pair) for pair in said]
    whole = groups([*links, *elsewhere], decisions)
    assert [group for group in whole if group.members[0] <= 12] == groups(links, decisions)


@pytest.mark.parametrize(
    ("rule", "changes", "expected"),
    [
        ("oldest", {1: {"added": "2024-05-01"}, 2: {"added": "2024-04-01"}, 3: {"added": None}}, 2),
        ("pages", {1: {"page_count": 1}, 2: {"page_count": None}, 3: {"page_count": 4}}, 3),
        ("serial", {2: {"archive_serial_number": 17}, 3: {"archive_serial_number": 9}}, 3),
        (
            "text",
            {
                1: {"content": "the m0nthly report of tbe board in gocd order"},
                2: {"content": "the monthly report of the board in good order"},
                3: {"content": "the monthly report of the board in good"},
            },
            2,
        ),
    ],
)
def test_the_rule_for_the_primary_can_be_chosen(
    rule: str, changes: dict[int, dict], expected: int
) -> None:
    documents = {id: replace(DOCUMENTS[id], **changes.get(id, {})) for id in (1, 2, 3)}
    [group] = groups([link(1, 2), link(2, 3)], documents=documents, rule=rule)
    assert group.primary == expected


def test_a_person_may_choose_the_primary_and_the_last_word_counts() -> None:
    said = [
        Decision(3, 3, Verdict.PRIMARY, "2026-01-01"),
        Decision(2, 2, Verdict.PRIMARY, "2026-02-01"),
        Decision(9, 9, Verdict.PRIMARY, "2026-03-01"),
    ]
    assert groups([link(1, 2), link(2, 3)], said)[0].primary == 2


def test_a_thousand_copies_are_one_group() -> None:
    documents = {id: document(id, added="2024-01-01") for id in range(1, 1001)}
    links = [link(a, b) for b in range(2, 1001) for a in range(max(1, b - 5), b)]
    [group] = groups(links, documents=documents)
    assert len(group.members) == 1000
