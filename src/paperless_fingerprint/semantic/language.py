"""Which language a text is in, found offline: py3langid, whose model lies in its wheel (97 languages).

It comes with the extra `[semantic]`. Where it is not installed, no language is known, and
everything else goes on.
"""

from __future__ import annotations

import lzma
from functools import lru_cache
from typing import Any

from paperless_fingerprint.languages import SPOKEN, language_name

#: The beginning, the middle and the end tell the language of a book.
_PIECE_CHARACTERS = 1_500
_LETTERS_AT_LEAST = 20
_SURE_FROM = 0.6


def detect(text: str) -> str:
    """ISO 639-1, or '' where it cannot be told."""
    identifier = _identifier()
    if identifier is None:
        return ""
    sample = _sample(text)
    if sum(map(str.isalpha, sample)) < _LETTERS_AT_LEAST:
        return ""
    language, chance = identifier.classify(sample)
    return str(language) if chance >= _SURE_FROM and language in SPOKEN else ""


def named(language: str) -> str:
    """'German', for people; the code where it has no name here."""
    return language_name(language) if language else "an unknown language"


def is_available() -> bool:
    return _identifier() is not None


@lru_cache(maxsize=1)
def _identifier() -> Any:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier

        identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
        identifier.set_languages([code for code in SPOKEN if code in identifier.nb_classes])
    except (ImportError, OSError, ValueError, KeyError, EOFError, lzma.LZMAError):
        # Not installed, or damaged: the language is shown and helps, but nothing rests on it.
        return None
    return identifier


def _sample(text: str) -> str:
    if len(text) <= 3 * _PIECE_CHARACTERS:
        return text
    middle = (len(text) - _PIECE_CHARACTERS) // 2
    return " ".join(
        (
            text[:_PIECE_CHARACTERS],
            text[middle : middle + _PIECE_CHARACTERS],
            text[-_PIECE_CHARACTERS:],
        )
    )
