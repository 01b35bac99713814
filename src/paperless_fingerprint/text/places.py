"""Where in a text, as it stands, its normalised words are: for whoever shows what was found.

Word for word what text/normalise.py makes of the text, but for rarities: signs that stand for
letters without being any ('㎏') are left out here, and a sign that nobody sees ends a Thai word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from paperless_fingerprint.text.letters import INVISIBLE_CHARACTERS, SPACED, words_without_spaces
from paperless_fingerprint.text.normalise import MAX_WORD_CHARACTERS, words

# A run of letters, perhaps with a hyphen and the end of a line inside; or a word of a script that
# is written without spaces. Which of these is one word, and which several, normalise() says.
_RUN = f"[{SPACED}][{SPACED}{INVISIBLE_CHARACTERS}]*"
_PIECE = re.compile(
    f"{words_without_spaces('*')}"
    f"|{_RUN}(?:[-\u2010\u00ad][ \t\r]{{0,20}}\n[ \t\r]{{0,20}}(?=[^\\W\\d_]){_RUN})*"
)


class Place(NamedTuple):
    word: str
    start: int
    end: int


def places(text: str) -> Iterator[Place]:
    """The words in their order; several at one place where they cannot be told apart there."""
    known: dict[str, list[str]] = {}
    for match in _PIECE.finditer(text):
        piece = match[0]
        found = known.get(piece)
        if found is None:
            is_word = piece.isascii() and piece.isalnum() and len(piece) <= MAX_WORD_CHARACTERS
            found = known[piece] = [piece.lower()] if is_word else words(piece)
        for word in found:
            yield Place(word, match.start(), match.end())
