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

#: Characters that are words by themselves: Chinese, Japanese.
_CJK = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# Runs are cut at 40 characters and numbers after six joints: what is longer is not something a
# person wrote, and a distance between two tokens must stay cheap.
_RUN = f"[^\\W_{_CJK}]{{1,40}}"
_TOKEN = re.compile(f"{_RUN}(?:[.,:/'’-](?=\\d)(?<=\\d.){_RUN}){{0,6}}|[{_CJK}]")
# The same for a text without such characters and without '_', in half the time.
_PLAIN_TOKEN = re.compile("\\w{1,40}(?:[.,:/'’-](?=\\d)(?<=\\d.)\\w{1,40}){0,6}")
_HYPHENATED = re.compile("[-\u2010\u00ad][ \t\r]{0,20}\n[ \t\r]{0,20}(?=[^\\W\\d_])")
_JOINTS = str.maketrans("", "", ".,:/'’-")
_IS_CJK = re.compile(f"[{_CJK}]")
# Two decimals make an amount, and so does a number with a thousands separator; a date or a
# version has more joints, an integer may count anything.
# A colon in '3:158,33' is a point that was misread.
_AMOUNT = re.compile("\\d{1,3}(?:[.,:'’]\\d{3}){0,3}[.,]\\d{2}|\\d{1,9}[.,]\\d{2}")

DIGIT, NUMBER, AMOUNT, CAPITAL, CJK = 1, 2, 4, 8, 16
#: Which digit a letter among digits was.
DIGIT_LOOKS = str.maketrans("olisbzgq", "01158299")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The text (NFKC, hyphenation undone), and for each token its key and its spelling."""

    text: str
    keys: tuple[str, ...]
    spellings: tuple[str, ...]
    #: Which tokens are the first of their line.
    line_starts: frozenset[int]
    #: How many tokens of `text` stand before these, where they are a stretch of it.
    before: int = 0

    def __len__(self) -> int:
        return len(self.keys)

    def spans(self) -> list[tuple[int, int]]:
        """Where each token stands in `text`; computed when somebody wants to see it."""
        if self.before:
            every = [match.span() for match in _TOKEN.finditer(self.text)]
            return every[self.before : self.before + len(self.keys)]
        found, end = [], 0
        for spelling in self.spellings:
            # Between two tokens stands nothing that could be the beginning of one.
            start = self.text.find(spelling, end)
            end = start + len(spelling)
            found.append((start, end))
        return found

    def cut(self, start: int, end: int) -> Tokens:
        """The tokens from `start` to `end`, as tokens of the same text."""
        return Tokens(
            self.text,
            self.keys[start:end],
            self.spellings[start:end],
            frozenset(i - start for i in self.line_starts if start <= i < end),
            self.before + start,
        )


def tokenise(text: str) -> Tokens:
    if not (text.isascii() or unicodedata.is_normalized("NFKC", text)):
        text = unicodedata.normalize("NFKC", text)
    if "-" in text or "\u00ad" in text or "\u2010" in text:
        text = _HYPHENATED.sub(_join_if_one_word, text)
    pattern, read = (
        (_TOKEN, text) if has_characters(text) else (_PLAIN_TOKEN, text.replace("_", " "))
    )
    # No token goes over the end of a line, so line by line gives the same tokens.
    spellings: list[str] = []
    line_starts = set()
    for line in read.split("\n"):
        line_starts.add(len(spellings))
        spellings += pattern.findall(line)
    # Case folding looks at one character at a time, so all tokens can be folded at once.
    keys = "\n".join(spellings).casefold().split("\n") if spellings else []
    keys = [key if key.isalnum() else key.translate(_JOINTS) for key in keys]
    return Tokens(text, tuple(keys), tuple(spellings), frozenset(line_starts))


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


def has_characters(text: str) -> bool:
    """Whether there is Chinese or Japanese in it."""
    return not text.isascii() and _IS_CJK.search(text) is not None


def is_character(spelling: str) -> bool:
    """Whether it is one Chinese or Japanese character."""
    return len(spelling) == 1 and _IS_CJK.match(spelling) is not None


def as_number(key: str) -> str:
    """The digits that a number with letters in it stands for, or nothing."""
    if key.isdigit():
        return key
    digits = sum(map(str.isdigit, key))
    return (
        key.translate(DIGIT_LOOKS)
        if len(key) >= 4 and 3 * digits >= 2 * len(key) and key.translate(DIGIT_LOOKS).isdigit()
        else ""
    )


def digits_of(spelling: str) -> str:
    return "".join([c for c in spelling if c.isdigit()])


def _join_if_one_word(match: re.Match[str]) -> str:
    """Only a line that goes on with a small letter was hyphenated; 'E-\\nMail' was not."""
    before = match.string[match.start() - 1 : match.start()]
    following = match.string[match.end() : match.end() + 1]
    return "" if before.isalpha() and following.islower() else match[0]
