"""Which spellings are words: what ships with the program, the months, and the library itself."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Protocol

from paperless_fingerprint.text.normalise import without_accents

#: Month names, and the short forms that stand on statements; casefolded, with their number.
_MONTHS = (
    "january jan januar jänner janvier janv enero ene gennaio gen januari styczeń stycznia sty janeiro",
    "february feb februar febr février févr fevrier febrero febbraio februari luty lutego lut fevereiro fev",
    "march mar märz mrz maerz mars marzo maart mrt marzec marca março",
    "april apr avril avr abril abr aprile kwiecień kwietnia kwi",
    "may mai mayo maggio mag mei maj maja maio",
    "june jun juni juin junio giugno giu czerwiec czerwca cze junho",
    "july jul juli juillet juil julio luglio lug lipiec lipca lip julho",
    "august aug août aout agosto ago augustus sierpień sierpnia sie",
    "september sep sept septembre septiembre settembre set wrzesień września wrz setembro",
    "october oct oktober okt octobre octubre ottobre ott październik października paź outubro out",
    "november nov novembre noviembre listopad listopada lis novembro",
    "december dec dezember dez décembre déc decembre diciembre dic dicembre grudzień grudnia gru dezembro",
)
_NAMES = [(name, number) for number, names in enumerate(_MONTHS, 1) for name in names.split()]
#: A scanner that was not told the language loses the accents; what is short without them may be
#: another word, as 'marco' is.
MONTHS: dict[str, int] = {
    **{plain: number for name, number in _NAMES if len(plain := without_accents(name)) > 6},
    **dict(_NAMES),
}
#: Months in short that are whole names, and words that are common as something else.
SHORT_MONTHS = frozenset({"may", "mai", "mei", "maj", "mars", "march", "marca", "maja"})
#: To be believed only beside a number: every short form, because 'out', 'set', 'sie' are words.
AMBIGUOUS_MONTHS = frozenset(name for name in MONTHS if len(name) <= 3) | SHORT_MONTHS


class Vocabulary(Protocol):
    """How common words are in the library."""

    def document_frequency(self, word: str) -> int:
        """The number of documents that hold this (normalised) word."""
        ...


class NoVocabulary:
    """Stands in where there is no library to ask."""

    def document_frequency(self, word: str) -> int:  # noqa: ARG002
        return 0


@cache
def words_of_languages() -> tuple[frozenset[str], ...]:
    """The common words of each language."""
    text = (resources.files(__package__) / "common.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    # Keys of tokens are case-folded, and 'grüßen' is 'grüssen' then.
    return tuple(frozenset(word.casefold() for word in line.split()[1:]) for line in lines)


@cache
def common_words() -> frozenset[str]:
    return frozenset().union(*words_of_languages()) | MONTHS.keys()
