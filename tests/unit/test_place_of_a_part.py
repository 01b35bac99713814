"""Where a letter lies in a bundle."""

from __future__ import annotations

from documents import some_words
from paperless_fingerprint.comparison.alignment import Alignment
from paperless_fingerprint.comparison.stretch import place_of
from paperless_fingerprint.text.tokens import tokenise

FORM = some_words(25, 1)


def letter(number: int) -> str:
    """A form, each word of it followed by what was filled in."""
    return " ".join(f"{word} {number}{place}" for place, word in enumerate(FORM, 100))


def test_a_letter_lies_where_its_own_words_stand_though_its_form_was_matched_elsewhere() -> None:
    for own, place in ((1, (1, 50)), (2, (51, 100))):
        part, whole = tokenise(letter(own)), tokenise(f"{letter(1)} {letter(2)}")
        # The first half of the form in one letter, the second half in the other.
        to_whole = [at if at < 25 else at + 50 for at in range(50)]
        to_part = [-1] * 100
        for at, there in enumerate(to_whole):
            to_part[there] = at
        found = place_of(Alignment(to_whole, to_part, 0), part, whole, in_a=False)
        assert found is not None
        assert (found.first_word, found.last_word, found.of_words) == (*place, 100)
