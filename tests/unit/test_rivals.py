"""Two letters of one form cannot both be the original of one bad scan."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from paperless_fingerprint.grouping.rivals import CROWD, Claims, as_before, with_confidence
from paperless_fingerprint.model import Link, Pair, PairScore, Relation

NEAR, VERSION, EXACT, CONTAINS, SEMANTIC = (
    Relation.NEAR, Relation.VERSION, Relation.EXACT, Relation.CONTAINS, Relation.SEMANTIC,
)  # fmt: skip


def link(a: int, b: int, confidence: float, relation: Relation = NEAR) -> Link:
    return Link(a, b, relation, confidence)


def confidences(*links: Link) -> dict[tuple[int, int], float]:
    claims = Claims(links)
    return {(one.a, one.b): claims.confidence(one) for one in links}


def test_a_pair_without_rivals_is_as_sure_as_it_was_judged() -> None:
    assert confidences(link(1, 2, 0.8), link(3, 4, 0.9, VERSION)) == {(1, 2): 0.8, (3, 4): 0.9}


def test_of_several_letters_that_a_scan_resembles_each_is_less_sure() -> None:
    before = 1.0
    for letters in range(1, 6):
        found = confidences(*(link(1, 2 + letter, 0.98) for letter in range(letters)))
        (now,) = set(found.values())
        assert now < before
        before = now
    assert before < 0.75


def test_the_likelier_one_keeps_the_scan() -> None:
    found = confidences(link(1, 2, 0.999), link(1, 3, 0.9))
    assert found[1, 2] > 0.99
    assert found[1, 3] < 0.5


def test_what_is_the_same_is_no_rival() -> None:
    """Three scans of one letter, and a letter that came twice."""
    for same in (link(2, 3, 0.95), link(2, 3, 1.0, EXACT), link(2, 3, 0.95, VERSION)):
        assert confidences(link(1, 2, 0.95), link(1, 3, 0.95), same)[1, 2] == 0.95


def test_a_copy_and_a_version_are_no_rivals() -> None:
    """A letter that was copied and corrected; the copy is read too badly to tell what it has of the
    correction."""
    found = confidences(link(1, 2, 0.99), link(1, 3, 0.9, VERSION))
    assert found == {(1, 2): 0.99, (1, 3): 0.9}


def test_what_is_hardly_the_same_is_a_rival() -> None:
    found = confidences(link(1, 2, 0.93), link(1, 3, 0.998), link(2, 3, 0.32, VERSION))
    assert found[1, 2] < 0.75 < found[1, 3]


def test_identical_texts_and_meanings_have_no_rivals() -> None:
    for relation in (EXACT, SEMANTIC):
        found = confidences(link(1, 2, 0.9), link(1, 3, 0.9, relation))
        assert set(found.values()) == {0.9}


def part(whole: int, id: int, first: int, last: int, confidence: float = 0.95) -> Link:
    a, b = sorted((whole, id))
    return Link(a, b, CONTAINS, confidence, whole, first_word=first, last_word=last)


def test_in_one_place_of_a_bundle_lies_one_letter() -> None:
    bundle, letter, next_month = 9, 1, 2
    found = confidences(
        part(bundle, letter, 100, 200, 0.99), part(bundle, next_month, 105, 200, 0.9)
    )
    assert found[letter, bundle] > 0.9
    assert found[next_month, bundle] < 0.75


def test_parts_that_are_copies_or_lie_elsewhere_or_in_another_bundle_are_no_rivals() -> None:
    alone = part(9, 1, 100, 200)
    for other in (
        [part(9, 2, 100, 200), link(1, 2, 0.99)],
        [part(9, 2, 180, 290)],
        [part(8, 2, 100, 200)],
        [part(8, 1, 100, 200)],
        [link(1, 3, 0.99), link(3, 9, 0.99)],
    ):
        assert confidences(alone, *other)[1, 9] == 0.95


def test_drafts_stay_a_chain_though_first_and_last_have_little_in_common() -> None:
    drafts = [link(id, id + 1, 0.999, VERSION) for id in range(1, 6)]
    assert min(confidences(*drafts).values()) > 0.95


def test_an_original_keeps_its_bad_scans_though_they_have_little_in_common() -> None:
    scans = [link(1, id, 0.999) for id in range(2, 40)]
    assert min(confidences(*scans).values()) > 0.75


def test_what_a_person_has_confirmed_nobody_contests() -> None:
    found = confidences(link(1, 2, 1.0), *(link(1, other, 0.99) for other in range(3, 30)))
    assert found[1, 2] == 1.0
    assert found[1, 3] < 0.75


def test_of_a_crowd_it_is_not_known_who_is_the_same() -> None:
    def around(id: int, others: range) -> list[Link]:
        return [link(id, other, 0.95) for other in others]

    pair, other = link(1, 2, 0.95), link(1, 3, 0.95)
    of_2, of_3 = range(100, 99 + CROWD), range(200, 199 + CROWD)
    crowd = Claims([pair, other, *around(2, of_2), *around(3, of_3)])
    assert {rival.other for rival in crowd.rivals(pair)} == set(of_2)
    fewer = Claims([pair, other, *around(2, of_2), *around(3, of_3[:-1])])
    assert {rival.other for rival in fewer.rivals(pair)} == {3, *of_2}


def test_a_rival_is_said_in_words() -> None:
    claims = Claims([link(1, 2, 0.9), link(1, 3, 0.9), part(9, 4, 0, 9), part(9, 5, 0, 9)])
    (copy,) = claims.rivals(link(1, 2, 0.9))
    assert str(copy.reason).startswith("document 1 resembles document 3 too")
    (lain,) = claims.rivals(part(9, 4, 0, 9))
    assert str(lain.reason) == "document 5 is in the same place of document 9"


LINKS = st.dictionaries(
    st.tuples(st.integers(1, 6), st.integers(7, 12)),
    st.tuples(
        st.floats(0.3, 1).map(lambda c: round(c, 4)), st.sampled_from([NEAR, VERSION, EXACT])
    ),
    max_size=20,
)


@given(LINKS, st.randoms())
def test_the_order_plays_no_part_and_nothing_grows(links: dict, chance: random.Random) -> None:
    made = [Link(a, b, relation, c) for (a, b), (c, relation) in links.items()]
    found = confidences(*made)
    assert all(found[one.a, one.b] <= one.confidence for one in made)
    chance.shuffle(made)
    assert confidences(*made) == found


@given(LINKS)
def test_what_was_settled_is_settled(links: dict) -> None:
    """Heard again, with what each was by itself kept beside it, rivals say the same."""
    pairs = [
        Pair(a, b, relation, c, PairScore(jaccard=0.5)) for (a, b), (c, relation) in links.items()
    ]
    claims = Claims(pair.link for pair in pairs)
    settled = [with_confidence(pair, claims.confidence(pair.link)) for pair in pairs]
    again = Claims(pair.link for pair in settled)
    assert again.changed([pair.link for pair in settled]) == {}
    assert [with_confidence(p, p.scores.alone or p.confidence) for p in settled] == pairs


def test_a_pair_judged_again_keeps_what_its_rivals_left() -> None:
    judged = Pair(1, 2, NEAR, 0.9, PairScore(jaccard=0.4))
    stored = with_confidence(judged, 0.6)
    assert as_before([judged], [stored.link]) == [stored]
    surer = Pair(1, 2, NEAR, 0.95, PairScore(jaccard=0.5))
    assert as_before([surer], [stored.link]) == [surer]
    assert as_before([judged], []) == [judged]
