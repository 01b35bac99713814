"""Which of several documents of one language is the translation, and what is one page of a series."""

from __future__ import annotations

import pytest

from paperless_fingerprint.semantic.agreement import Agreement
from paperless_fingerprint.semantic.judgement import Verdict, judge
from paperless_fingerprint.semantic.rivals import Rivals


def verdict(total: float, of_facts: float = 0.0) -> Verdict:
    return Verdict(0.9, total, of_facts, ())


def found(*pairs: tuple[int, int, float]) -> Rivals:
    """Odd ids are German, even ones are English."""
    rivals = Rivals()
    for a, b, total in pairs:
        languages = tuple("de" if id % 2 else "en" for id in (a, b))
        rivals.add((a, b), (languages[0], languages[1]), total)
    return rivals


def test_of_one_language_the_best_wins():
    rivals = found((1, 2, 6.0), (1, 4, 5.0), (3, 4, 6.0))
    assert not rivals.beat((1, 2), verdict(6.0))
    assert rivals.beat((1, 4), verdict(5.0))


@pytest.mark.parametrize(("pairs", "same"), [([(2, 4, 5.0)], True), ([], False)])
def test_what_says_the_same_as_the_best_stays(pairs, same):
    rivals = found((1, 2, 6.0), (1, 4, 5.2), *pairs)
    assert rivals.beat((1, 4), verdict(5.2)) is not same


def test_copies_that_words_have_found_stay():
    rivals = found((1, 2, 6.0), (1, 4, 5.2))
    rivals.know([(2, 4)])
    assert not rivals.beat((1, 4), verdict(5.2))


def test_from_the_other_side_it_is_the_same():
    rivals = found((1, 4, 6.0), (3, 4, 5.0))
    assert rivals.beat((3, 4), verdict(5.0))
    assert not rivals.beat((1, 4), verdict(6.0))


def test_close_to_the_best_or_with_facts_that_say_so_it_stays():
    rivals = found((1, 2, 6.0), (1, 4, 5.5), (1, 6, 4.0))
    assert not rivals.beat((1, 4), verdict(5.5))
    assert rivals.beat((1, 6), verdict(4.0, of_facts=2.0))
    assert not rivals.beat((1, 6), verdict(4.0, of_facts=2.5))


def test_within_one_language_nobody_is_beaten():
    rivals = found((2, 4, 9.0), (2, 6, 3.0))
    assert not rivals.beat((2, 6), verdict(3.0))


def test_the_order_of_coming_plays_no_part():
    pairs = [(1, 2, 6.0), (1, 4, 6.0), (1, 6, 5.0)]
    for order in (pairs, pairs[::-1]):
        rivals = found(*order)
        assert [rivals.beat((1, b), verdict(total)) for _, b, total in pairs] == [
            False,
            False,
            True,
        ]


def test_two_pages_of_one_form_share_their_wording():
    facts = Agreement(least=9.0, kept=1.0, covered=1.0)
    languages = ("en", "en")
    retyped = judge(2.0, facts, languages, wording=0.04)
    series = judge(2.0, facts, languages, wording=0.2)
    assert retyped.total == judge(2.0, facts, languages).total
    assert series.total < retyped.total - 3
    assert judge(2.0, facts, languages, wording=0.1).total < retyped.total
