"""From the text that OCR left to words: the ground that every fingerprint and every query stands on.

normalise() is a pure function of its input: Unicode NFKC, case folding, words that were hyphenated
over a line end joined, everything that is neither letter, digit nor mark dropped, and the words
joined by single spaces. Scripts that are written without spaces get words too: a Chinese or
Japanese character is a word, and so is a Thai, Lao, Khmer or Burmese syllable (a base with
the signs around it).

This is the hot loop of an import; the order of the steps is what makes it quick.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.text.letters import (
    INVISIBLE,
    SPACED,
    UNUSUAL,
    rejoined,
    words_without_spaces,
)

#: Named in every FingerprintSpec. Change it whenever normalise() may give another answer.
NORMALISATION = "nfkc-casefold-1"

_SPACED_WORD = re.compile(f"[{SPACED}]+")
_ANY_WORD = re.compile(f"{_SPACED_WORD.pattern}|{words_without_spaces('*')}")
# Latin letters, and signs that are no part of any word: nearly every letter in western Europe.
_NOT_PLAIN_LATIN = re.compile(
    "[^\0-\u00ac\u00ae-\u00ff\u2010-\u2027\u2030-\u205e\u20a0-\u20cf\u2190-\u243f\u2500-\u2775]"
)
# A line break after a hyphen may stand inside a word; this one does not.
_BETWEEN_WORDS = re.compile("[^-\u2010\u00ad\\s]\\s(?=\\S)")

_SPACES = re.compile("  +")
_OCTET_SPACES = re.compile(b"  +")
_ASCII_TO_WORDS = "".join(chr(c).lower() if chr(c).isalnum() else " " for c in range(128))
_LATIN_TO_WORDS = "".join(chr(c).lower() if chr(c).isalnum() else " " for c in range(256)).encode(
    "latin-1"
)


#: Longer runs of letters are cut: no language has such words, and both stores have a limit.
MAX_WORD_CHARACTERS = 100
_CHUNK_CHARACTERS = 1 << 20
_WORTH_A_TABLE = 300


def words(text: str) -> list[str]:
    """The normalised words of a text, in their order."""
    return normalise(text).split()


def normalise(text: str) -> str:
    """The words joined by single spaces."""
    return _in_chunks(_normalise, text)


def _in_chunks(work: Callable[[str], str], text: str) -> str:
    if len(text) <= _CHUNK_CHARACTERS:
        return work(text)
    return " ".join(part for part in map(work, _chunks(text)) if part)


def _normalise(text: str) -> str:
    joined = _join_words(text)
    if _has_short_words_only(joined):
        return joined
    found = joined.split(" ")
    return " ".join(
        word[start : start + MAX_WORD_CHARACTERS]
        for word in found
        for start in range(0, len(word), MAX_WORD_CHARACTERS)
    )


def _has_short_words_only(joined: str) -> bool:
    """By a space within reach of each, which is quicker than a look at each word."""
    start, last = 0, len(joined) - MAX_WORD_CHARACTERS
    while start < last:
        found = joined.rfind(" ", start, start + MAX_WORD_CHARACTERS + 1)
        if found < 0:
            return False
        start = found + 1
    return True


def _chunks(text: str) -> Iterator[str]:
    """A long text in pieces, cut between words, so that its words need not all be in memory."""
    start = 0
    while start < len(text):
        end = start + _CHUNK_CHARACTERS
        cut = _BETWEEN_WORDS.search(text, end, end + _CHUNK_CHARACTERS)
        # Where none comes, cut anyhow: a script without spaces, or no text that anybody reads.
        end = cut.end() if cut else end
        yield text[start:end]
        start = end


def _join_words(text: str) -> str:
    if text.isascii():
        return _SPACES.sub(" ", rejoined(text).translate(_ASCII_TO_WORDS)).strip(" ")
    text = rejoined(unicodedata.normalize("NFKC", text))
    if len(text) >= _WORTH_A_TABLE and (found_by_table := _by_table(text)) is not None:
        return found_by_table
    octets = _as_latin(text)
    if octets is not None:
        # Several times as fast as the regular expressions below, with the same result.
        found = _OCTET_SPACES.sub(b" ", octets.translate(_LATIN_TO_WORDS)).strip(b" ")
        return found.decode("latin-1")
    unusual = UNUSUAL.search(text) is not None
    if unusual:
        text = INVISIBLE.sub("", text)
    # Case folding can take a text out of its normal form ('ǰ' becomes two characters).
    text = unicodedata.normalize("NFKC", text.casefold())
    return " ".join((_ANY_WORD if unusual else _SPACED_WORD).findall(text))


def _by_table(text: str) -> str | None:
    """A composed text's words by looking up each character; None where one needs a closer look.

    Several times as fast as the regular expressions, with the same result.
    """
    text = text.replace("ß", "ss")
    try:
        codes = np.frombuffer(text.encode("utf-16-le"), "<u2")
    except UnicodeEncodeError:  # half a character
        return None
    mapped = _table().take(codes)
    if not mapped.all():
        return None
    is_space = mapped == ord(" ")
    kept = np.ones(len(mapped), np.bool_)
    np.logical_not(is_space[1:] & is_space[:-1], out=kept[1:])
    joined: bytes = mapped[kept].tobytes()
    return joined.decode("utf-16-le").strip(" ")


#: Blocks of letters that are set off by spaces and fold one by one.
_IN_TABLE = (range(0xE00), range(0x1E00, 0x2C00))


@cache
def _table() -> npt.NDArray[np.uint16]:
    """What becomes of a character: its small form or a space, or 0 where that alone does not tell.

    That is so for marks, which may melt into the letter before them, and for what folds to several.
    """
    table = np.zeros(0x10000, "<u2")
    for code in (code for codes in _IN_TABLE for code in codes):
        character = chr(code)
        folded = unicodedata.normalize("NFKC", character.casefold())
        if len(folded) != 1 or UNUSUAL.match(character) or _is_mark(character + folded):
            continue
        table[code] = ord(folded) if _SPACED_WORD.match(folded) else ord(" ")
    return table


def _is_mark(characters: str) -> bool:
    return any(unicodedata.category(character).startswith("M") for character in characters)


def _as_latin(text: str) -> bytes | None:
    """The text in one byte a character, if its words have no letters but those of Latin-1."""
    text = text.replace("ß", "ss")
    try:
        octets = text.encode("latin-1")
    except UnicodeEncodeError:
        if _NOT_PLAIN_LATIN.search(text):
            return None
        return text.encode("latin-1", "replace")
    # A soft hyphen stands inside a word without being part of it.
    return octets.replace(b"\xad", b"")


def without_accents(word: str) -> str:
    if word.isascii():
        return word
    return "".join([c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c)])
