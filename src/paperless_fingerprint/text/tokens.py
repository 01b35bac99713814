"""Tokens for alignment: words and numbers as they stand on the page, with notes on each.

Unlike the words that are fingerprinted (text/normalise.py), a number is ONE token whatever stands between
its digits ('1.387,30' and '1387,30' have the same key), and every token knows how it was spelled
and where it stands.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from paperless_fingerprint.text.letters import (
    INVISIBLE,
    SPACED,
    UNUSUAL,
    hyphenations,
    is_character,
    rejoined,
    words_without_spaces,
)

# Runs are cut at 40 characters and numbers after six joints: what is longer is not something a
# person wrote, and a distance between two tokens must stay cheap.
_RUN = f"[{SPACED}]{{1,40}}"
_SPACED_TOKEN = re.compile(f"{_RUN}(?:[.,:/'’-](?=\\d)(?<=\\d.){_RUN}){{0,6}}")
_ANY_TOKEN = re.compile(f"{_SPACED_TOKEN.pattern}|{words_without_spaces('{0,40}')}")
_JOINTS = str.maketrans("", "", ".,:/'’-")
# Two decimals make an amount, and so does a number with a thousands separator; a date or a
# version has more joints, an integer may count anything.
# A colon in '3:158,33' is a point that was misread.
_AMOUNT = re.compile("\\d{1,3}(?:[.,:'’]\\d{3}){0,3}[.,]\\d{2}|\\d{1,9}[.,]\\d{2}")

DIGIT, NUMBER, AMOUNT, CAPITAL, CJK = 1, 2, 4, 8, 16


@dataclass(frozen=True, slots=True)
class Tokens:
    """The text (NFKC, hyphenation undone, nothing invisible), and for each token its key and its spelling."""

    text: str
    keys: tuple[str, ...]
    spellings: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.keys)

    def spans(self) -> list[tuple[int, int]]:
        """Where each token stands in `text`; computed when somebody wants to see it."""
        found, end = [], 0
        for spelling in self.spellings:
            # Between two tokens stands nothing that could be the beginning of one.
            start = self.text.find(spelling, end)
            end = start + len(spelling)
            found.append((start, end))
        return found


def tokenise(text: str) -> Tokens:
    """The keys are the normalised words, but for numbers: these are one token each."""
    text = _composed(text)
    spellings: list[str] = _pattern(text).findall(text)
    # Case folding looks at one character at a time, so all tokens can be folded at once.
    folded = "\n".join(spellings).casefold()
    if not folded.isascii():
        # It can take a text out of its normal form, as it does in normalise().
        folded = unicodedata.normalize("NFKC", folded)
    keys = folded.split("\n") if spellings else []
    keys = [key if key.isalnum() else key.translate(_JOINTS) for key in keys]
    return Tokens(text, tuple(keys), tuple(spellings))


def _composed(text: str) -> str:
    if text.isascii():
        return rejoined(text)
    text = rejoined(unicodedata.normalize("NFKC", text))
    if INVISIBLE.search(text):
        text = unicodedata.normalize("NFKC", INVISIBLE.sub("", text))
    return text


def places_in(text: str, tokens: Tokens) -> list[tuple[int, int]] | None:
    """Where each token of `text` stands in it as it is: with its hyphens, its invisible characters
    and in no normal form. None for the rare text of which that cannot be said."""
    if tokens.text == text:
        return tokens.spans()
    places = _composed_places(text)
    left_out = hyphenations("".join(character for character, _, _ in places))
    for start, end in reversed(left_out):
        del places[start:end]
    places = [place for place in places if not INVISIBLE.match(place[0])]
    if "".join(character for character, _, _ in places) != tokens.text:
        return None
    return [(places[start][1], places[end - 1][2]) for start, end in tokens.spans()]


def _composed_places(text: str) -> list[tuple[str, int, int]]:
    """Each character of the normal form, and from where to where in the text it comes from."""
    starts = [i for i, character in enumerate(text) if not _goes_on(character)]
    if not starts or starts[0]:
        starts.insert(0, 0)
    found = []
    for start, end in pairwise([*starts, len(text)]):
        composed = text[start:end]
        if not composed.isascii():
            composed = unicodedata.normalize("NFKC", composed)
        found += [(character, start, end) for character in composed]
    return found


def _goes_on(character: str) -> bool:
    """Whether it may become one with what stands before it: accents, syllables of Korean."""
    return not character.isascii() and (
        unicodedata.combining(character) > 0 or "\u1160" <= character <= "\u11ff"
    )


def _pattern(text: str) -> re.Pattern[str]:
    return _ANY_TOKEN if not text.isascii() and UNUSUAL.search(text) else _SPACED_TOKEN


@lru_cache(maxsize=1 << 16)
def notes_of(spelling: str) -> int:
    """What kind of token this is, as a sum of DIGIT, NUMBER, AMOUNT, CAPITAL, CJK."""
    if spelling.isalpha():
        if spelling[0].isupper():
            return CAPITAL
        return CJK if is_character(spelling) else 0
    letters = sum(map(str.isalpha, spelling))
    digits = sum(map(str.isdigit, spelling))
    if not digits:
        return CAPITAL if spelling[0].isupper() else 0
    notes = DIGIT
    if letters == 0:
        notes |= NUMBER
        if _AMOUNT.fullmatch(spelling):
            notes |= AMOUNT
    return notes
