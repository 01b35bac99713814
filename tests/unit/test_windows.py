"""Of long texts the stretch that is shown is the one where something is to be seen."""

from __future__ import annotations

import pytest

from documents import some_text
from paperless_fingerprint.review.diff_cache import Segment
from paperless_fingerprint.review.windows import starts, without_ends

MOST = 6_000
PAGES = [f"Page {n}. {some_text(60, seed=n)}\n" for n in range(100)]
LONG = "".join(PAGES)


def test_what_is_short_enough_is_shown_from_its_beginning():
    assert starts(LONG[:MOST], LONG[:900], MOST) == (0, 0)


@pytest.mark.parametrize("misread", [False, True])
def test_a_part_is_shown_beside_its_place(misread):
    part = "".join(PAGES[70:73])
    if misread:
        part = part.replace("ra", "m", 10).replace(" ", "\n")
    place = LONG.index(PAGES[70])
    for one, other in ((LONG, part), (part, LONG)):
        begin = dict(zip((one, other), starts(one, other, MOST), strict=True))
        assert begin[part] == 0
        assert begin[LONG] < place
        assert place + len(part) < begin[LONG] + MOST


def test_what_fits_from_the_beginning_is_not_moved():
    assert starts(LONG, "".join(PAGES[1:4]), MOST) == (0, 0)


def test_a_part_that_is_long_itself_begins_where_it_stands():
    begin, own = starts(LONG, "".join(PAGES[30:80]), MOST)
    assert own == 0
    assert 0 < LONG.index(PAGES[30]) - begin < MOST / 2


def test_two_that_begin_alike_are_shown_where_they_begin_to_differ():
    begin, other = starts(LONG, LONG[:-200] + "the end", MOST)
    assert begin == other
    assert begin + MOST >= len(LONG)
    assert (
        starts(LONG, LONG[: len(LONG) // 2] + "inserted " + LONG[len(LONG) // 2 :], MOST)[0] > MOST
    )


def test_pages_that_one_has_more_in_the_middle_hide_nothing_before_them():
    more = "".join(PAGES[:2]) + some_text(400, seed=999) + "".join(PAGES[2:])
    begin, other = starts(LONG, more, MOST)
    assert begin == other < len("".join(PAGES[:2]))


def test_what_has_nothing_in_common_is_shown_from_its_beginning():
    assert starts(LONG, some_text(4_000, seed=5_000), MOST) == (0, 0)


def test_what_one_text_has_alone_at_a_cut_is_not_told():
    same = Segment("same", "these are the same words", "these are the same words")
    odd = Segment("same", "the", "the")
    alone = Segment("added", "", "more", matters=True)
    told = [alone, odd, alone, same, alone, same, alone, odd]
    assert without_ends(told, first=False, last=False) == told
    assert without_ends(told, first=True, last=True) == [same, alone, same]
    assert without_ends([alone, odd], first=True, last=True) == [alone, odd]
