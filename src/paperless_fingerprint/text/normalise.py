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

#: Named in every FingerprintSpec. Change it whenever normalise() may give another answer.
NORMALISATION = "nfkc-casefold-1"

# Letters, digits and marks of the Basic Multilingual Plane as of Unicode 14, with the code points
# that were free then counted to their neighbours. Frozen, because what Python calls a letter grows
# with its version and a fingerprint must not: it has to be the same on every machine.
_LETTERS_AND_MARKS = (
    "30-39 41-5a 61-7a aa b2-b3 b5 b9-ba bc-be c0-d6 d8-f6 f8-2c1 2c6-2d1 2e0-2e4 2ec 2ee 300-374 "
    "376-37d 37f 386 388-3f5 3f7-481 483-559 560-588 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7-5f2 610-61a "
    "620-669 66e-6d3 6d5-6dc 6df-6e8 6ea-6fc 6ff 710-7f5 7fa-7fd 800-82d 840-85b 860-887 889-88e "
    "898-8e1 8e3-963 966-96f 971-9f1 9f4-9f9 9fc 9fe-a75 a81-aef af9-b6f b71-bf2 c00-c6f c78-c7e "
    "c80-c83 c85-d4e d54-d78 d7a-df3 e50-e59 ed0-f00 f18-f19 f20-f33 f35 f37 f39 f3e-f84 f86-fbc "
    "fc6 1040-1049 10a0-10fa 10fc-135f 1369-138f 13a0-13fd 1401-166c 166f-167f 1681-169a "
    "16a0-16ea 16ee-1734 1740-1773 17e0-17f9 180b-180d 180f-193b 1946-19da 1a00-1a1b 1a20-1a99 "
    "1aa7 1ab0-1b59 1b6b-1b73 1b80-1bf3 1c00-1c37 1c40-1c7d 1c80-1cbf 1cd0-1cd2 1cd4-1fbc 1fbe "
    "1fc2-1fcc 1fd0-1fdb 1fe0-1fec 1ff2-1ffc 2070-2079 207f-2089 2090-209c 20d0-20f0 2102 2107 "
    "210a-2113 2115 2119-211d 2124 2126 2128 212a-212d 212f-2139 213c-213f 2145-2149 214e "
    "2150-2189 2460-249b 24ea-24ff 2776-2793 2c00-2ce4 2ceb-2cf3 2cfd 2d00-2d6f 2d7f-2dff 2e2f "
    "3021-302f 3031-3035 3038-303c 3105-318e 3192-3195 31a0-31bf 3220-3229 3248-324f 3251-325f "
    "3280-3289 32b1-32bf a000-a48c a4d0-a4fd a500-a60c a610-a672 a674-a67d a67f-a6f1 a717-a71f "
    "a722-a788 a78b-a827 a82c-a835 a840-a873 a880-a8c5 a8d0-a8f7 a8fb a8fd-a92d a930-a953 "
    "a960-a9c0 a9cf-a9d9 a9e0-aa59 aa60-aa76 aa7a-aadd aae0-aaef aaf2-ab5a ab5c-ab69 ab70-abea "
    "abec-d7fb fb00-fb28 fb2a-fbb1 fbd3-fd3d fd50-fdc7 fdf0-fdfb fe20-fe2f fe70-fefc ff10-ff19 "
    "ff21-ff3a ff41-ff5a ff66-ffdc "
)
# Beyond the plane: whole blocks of letters (emoji and symbols, 1F000 and above, are not words).
_FURTHER_LETTERS = "10000-1cfff 1e000-1efff e0100-e01ef"
_ONE_CHARACTER_WORDS = "3005-3007 3040-30ff 31f0-31ff 3400-4dbf 4e00-9fff f900-faff 20000-3ffff"


def _as_class(ranges: str) -> str:
    return "".join(
        "-".join(chr(int(end, 16)) for end in part.split("-")) for part in ranges.split()
    )


_SPACED_WORD = re.compile(f"[{_as_class(_LETTERS_AND_MARKS)}{_as_class(_FURTHER_LETTERS)}]+")
_ANY_WORD = re.compile(
    f"{_SPACED_WORD.pattern}|[{_as_class(_ONE_CHARACTER_WORDS)}]"
    # Thai and Lao: a leading vowel, the consonant, the vowels and tones that follow it.
    "|[\u0e40-\u0e44]?[\u0e01-\u0e2e][\u0e2f-\u0e3a\u0e45-\u0e4e]*|[\u0e2f-\u0e4e]+"
    "|[\u0ec0-\u0ec4]?[\u0e81-\u0eae][\u0eaf-\u0ebf\u0ec5-\u0ece]*|[\u0eaf-\u0ece]+"
    # Khmer (17D2 stacks the next consonant) and Burmese (1039 does).
    "|[\u1780-\u17b3](?:\u17d2[\u1780-\u17b3]|[\u17b4-\u17d1\u17d3])*|[\u17b4-\u17dd]"
    "|[\u1000-\u102a\u103f](?:\u1039[\u1000-\u102a]|[\u102b-\u103e])*|[\u102b-\u109d]"
)

# Soft hyphens, joiners and marks of direction stand inside words without being part of them.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]+")
# What needs a closer look: invisible characters, and everything from the Thai block on.
_UNUSUAL = re.compile(
    "[^\0-\u00ac\u00ae-\u0dff\u1e00-\u200a\u2010-\u2029\u202f-\u205f\u2070-\u2bff]"
)
# Latin letters, and signs that are no part of any word: nearly every letter in western Europe.
_NOT_PLAIN_LATIN = re.compile(
    "[^\0-\u00ac\u00ae-\u00ff\u2010-\u2027\u2030-\u205e\u20a0-\u20cf\u2190-\u243f\u2500-\u2775]"
)
_HYPHENATED = re.compile("[-\u2010\u00ad][ \t\r]{0,20}\n[ \t\r]{0,20}([^\\W\\d_])")
# One for each: what begins with a certain character is looked for several times as fast.
_HYPHENS_AT_END = [re.compile(f"{hyphen}[ \t\r]{{0,20}}\n") for hyphen in "-\u2010\u00ad"]

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
        if _HYPHENS_AT_END[0].search(text):
            text = _HYPHENATED.sub(_join_if_one_word, text)
        return _SPACES.sub(" ", text.translate(_ASCII_TO_WORDS)).strip(" ")
    text = unicodedata.normalize("NFKC", text)
    if any(hyphen.search(text) for hyphen in _HYPHENS_AT_END):
        text = _HYPHENATED.sub(_join_if_one_word, text)
    if len(text) >= _WORTH_A_TABLE and (found_by_table := _by_table(text)) is not None:
        return found_by_table
    octets = _as_latin(text)
    if octets is not None:
        # Several times as fast as the regular expressions below, with the same result.
        found = _OCTET_SPACES.sub(b" ", octets.translate(_LATIN_TO_WORDS)).strip(b" ")
        return found.decode("latin-1")
    unusual = _UNUSUAL.search(text) is not None
    if unusual:
        text = _INVISIBLE.sub("", text)
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
        if len(folded) != 1 or _UNUSUAL.match(character) or _is_mark(character + folded):
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


def _join_if_one_word(match: re.Match[str]) -> str:
    """Only a line that goes on with a small letter was hyphenated; 'E-\nMail' was not."""
    before = match.string[match.start() - 1 : match.start()]
    return match[1] if before.isalpha() and match[1].islower() else match[0]


def without_accents(word: str) -> str:
    if word.isascii():
        return word
    return "".join([c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c)])
