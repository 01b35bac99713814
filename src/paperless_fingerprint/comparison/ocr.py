"""What OCR confuses: how far apart two spellings are once that is allowed for."""

from __future__ import annotations

from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from paperless_fingerprint.text.normalise import without_accents

# Letters that one engine or another reads for each other collapse into one.
_SHAPES = str.maketrans(
    {
        "0": "o", "q": "o", "1": "l", "i": "l", "j": "l", "t": "f", "|": "l", "7": "l",
        "5": "s", "8": "b", "2": "z", "6": "b", "9": "g", "c": "e", "v": "u", "y": "u",
        "ß": "b", "ı": "l", "ł": "l", "œ": "oe", "æ": "ae", "ø": "o", "h": "b", "đ": "d",
    }
)  # fmt: skip
# Pairs of letters that read as one.
_MERGED = (("rn", "m"), ("nn", "m"), ("el", "d"), ("ll", "u"), ("uu", "w"), ("ln", "m"))
# Digits that are read for each other more often than others.
_CONFUSED_DIGITS = frozenset(
    frozenset(pair) for pair in ("14", "17", "38", "56", "08", "68", "39", "49", "35", "27", "06")
)
#: What a confusion of letters weighs against an edit that nothing explains.
_CONFUSION_WEIGHT = 0.45


@lru_cache(maxsize=1 << 15)
def shape(word: str) -> str:
    """A spelling with everything collapsed that OCR takes for each other."""
    word = without_accents(word).translate(_SHAPES)
    for pair, one in _MERGED:
        if pair in word:
            word = word.replace(pair, one)
    return word


def weighted_edits(first: str, second: str, edits: int | None = None) -> float:
    """Edits from one spelling to the other (`edits` of them, where that is known); what OCR
    confuses counts less than half.

    Between two pure numbers a confusion is nearly as damning as any other edit: both are
    plausible readings, and one of them is another number.
    """
    if edits is None:
        edits = Levenshtein.distance(first, second)
    if edits == 0:
        return 0.0
    if first.isdigit() and second.isdigit():
        if len(first) == len(second) and edits <= 2:
            confused = sum(
                1
                for one, other in zip(first, second, strict=True)
                if one != other and frozenset((one, other)) in _CONFUSED_DIGITS
            )
            return edits - 0.25 * confused
        return float(edits)
    explained = edits - Levenshtein.distance(shape(first), shape(second))
    return edits - (1 - _CONFUSION_WEIGHT) * explained if explained > 0 else float(edits)
