"""Which characters make words: the ground of the words that are fingerprinted (text/normalise.py)
and of the tokens that are compared (text/tokens.py).

What is changed here changes fingerprints: see NORMALISATION in text/normalise.py.
"""

from __future__ import annotations

import re

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


#: Letters, digits and marks of scripts that set words off by spaces, to stand in a character class.
SPACED = _as_class(_LETTERS_AND_MARKS) + _as_class(_FURTHER_LETTERS)


def words_without_spaces(signs: str) -> str:
    """The pattern of a word in the other scripts: a Chinese or Japanese character; a syllable.

    `signs` says how many marks may follow the base of a syllable, as a quantifier does.
    """
    return (
        f"[{_as_class(_ONE_CHARACTER_WORDS)}]"
        # Thai and Lao: a leading vowel, the consonant, the vowels and tones that follow it.
        f"|[\u0e40-\u0e44]?[\u0e01-\u0e2e][\u0e2f-\u0e3a\u0e45-\u0e4e]{signs}"
        f"|[\u0e2f-\u0e4e][\u0e2f-\u0e4e]{signs}"
        f"|[\u0ec0-\u0ec4]?[\u0e81-\u0eae][\u0eaf-\u0ebf\u0ec5-\u0ece]{signs}"
        f"|[\u0eaf-\u0ece][\u0eaf-\u0ece]{signs}"
        # Khmer (17D2 stacks the next consonant) and Burmese (1039 does).
        f"|[\u1780-\u17b3](?:\u17d2[\u1780-\u17b3]|[\u17b4-\u17d1\u17d3]){signs}"
        "|[\u17b4-\u17dd]"
        f"|[\u1000-\u102a\u103f](?:\u1039[\u1000-\u102a]|[\u102b-\u103e]){signs}"
        "|[\u102b-\u109d]"
    )


#: Soft hyphens, joiners and marks of direction stand inside words without being part of them.
INVISIBLE_CHARACTERS = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff"
INVISIBLE = re.compile(f"[{INVISIBLE_CHARACTERS}]+")
#: What needs a closer look: invisible characters, and everything from the Thai block on.
UNUSUAL = re.compile(
    "[^\0-\u00ac\u00ae-\u0dff\u1e00-\u200a\u2010-\u2029\u202f-\u205f\u2070-\u2bff]"
)
_CHARACTER = re.compile(f"[{_as_class(_ONE_CHARACTER_WORDS)}]")

_HYPHENATED = re.compile("[-\u2010\u00ad][ \t\r]{0,20}\n[ \t\r]{0,20}(?=[^\\W\\d_])")
# One for each: what begins with a certain character is looked for several times as fast.
_HYPHENS_AT_END = {hyphen: re.compile(f"{hyphen}[ \t\r]{{0,20}}\n") for hyphen in "-\u2010\u00ad"}


def rejoined(text: str) -> str:
    """The text with the words whole that were hyphenated over the end of a line."""
    for hyphen, at_end in _HYPHENS_AT_END.items():
        if hyphen in text and at_end.search(text):
            return _HYPHENATED.sub(_join_if_one_word, text)
    return text


def hyphenations(text: str) -> list[tuple[int, int]]:
    """What rejoined() leaves out: the hyphen, the end of the line and the spaces around it."""
    found = _HYPHENATED.finditer(text)
    return [match.span() for match in found if not _join_if_one_word(match)]


def _join_if_one_word(match: re.Match[str]) -> str:
    """Only a line that goes on with a small letter was hyphenated; 'E-\\nMail' was not."""
    before = match.string[match.start() - 1 : match.start()]
    following = match.string[match.end() : match.end() + 1]
    return "" if before.isalpha() and following.islower() else match[0]


def is_character(word: str) -> bool:
    """Whether it is one Chinese or Japanese character."""
    return len(word) == 1 and _CHARACTER.match(word) is not None


def is_word(word: str) -> bool:
    """Whether it has letters and their marks alone: 'haus' and 'दिन', not 'sr2024'."""
    return word.isalpha() or not (word.isascii() or any(map(str.isdigit, word)))
