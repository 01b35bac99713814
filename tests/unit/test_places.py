"""Normalised words and where they stand: the same words, in the text as it is."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paperless_fingerprint.text.normalise import words
from paperless_fingerprint.text.places import places


@pytest.mark.parametrize(
    ("text", "word", "shown"),
    [
        ("Die RECHNUNG, bitte", "rechnung", "RECHNUNG"),
        ("Die Rech-\n nung, bitte", "rechnung", "Rech-\n nung"),
        ("Strasse und Straße", "strasse", "Strasse"),
        ("Cafe\u0301 Nord", "caf\u00e9", "Cafe\u0301"),
        ("Donau\u00addampf", "donaudampf", "Donau\u00addampf"),
        ("东京都", "京", "京"),
        ("ﬁnden", "finden", "ﬁnden"),
        ("१२ दिन", "दिन", "दिन"),
        ("E-Mail", "mail", "Mail"),
        ("wo:118,20 Euro", "118", "118"),
    ],
)
def test_a_word_is_found_where_it_stands(text: str, word: str, shown: str) -> None:
    found = next(place for place in places(text) if place.word == word)
    assert text[found.start : found.end] == shown


@given(
    st.text(st.sampled_from("aäßéE1-\n .,'\u00ad\u0301\u200d"))
    | st.text(st.sampled_from("aé1-\n .東คำกिद"))
)
@example("a-\nb-\nc")
@example("E-\nMail")
@example("\u0301a")
def test_they_are_the_words_that_are_compared(text: str) -> None:
    found = list(places(text))
    assert [place.word for place in found] == words(text)
    assert all(0 <= place.start < place.end <= len(text) for place in found)
    assert [place.start for place in found] == sorted(place.start for place in found)
