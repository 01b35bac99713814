"""A document in pieces that an embedder understands: whole sentences, some dozen words each.

The vector of a document is the mean of its chunks' vectors. Short chunks tell translations from
strangers better than long ones do, and cost the same (docs/semantic.md has the figures).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

#: Characters of scripts that put no spaces between words; about two of them make a word.
_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
_DENSE_CHARACTER = re.compile(f"[{_DENSE}]")
_SENTENCE_END = re.compile(r"(?<=[.!?;:…])\s+|(?<=[。！？；])|\n[^\S\n]*\n\s*")
_UNIT = re.compile(f"[{_DENSE}]{{1,2}}[^\\w\\s]*|[^\\s{_DENSE}]+\\s*")
#: Text without a letter says nothing that an embedder could know.
_LETTER = re.compile(r"[^\W\d_]")
#: Something of this many characters is no word, and costs by its length.
_LONGEST_WORD = 60
#: Of a book, only this much is cut up at all; what is embedded is a sample of it anyway.
_MOST_CHARACTERS = 4_000_000


def chunks(text: str, *, words: int, most: int) -> list[str]:
    """At most `most` chunks of about `words` words, spread evenly over the text."""
    pieces = [piece for piece in _pieces(text[:_MOST_CHARACTERS], words) if _LETTER.search(piece)]
    if len(pieces) > most:
        pieces = [pieces[place * len(pieces) // most] for place in range(most)]
    return pieces


def mean_vector(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The parent's vector, of length one; chunks count alike, however the model scales them."""
    assert len(vectors), "a document without chunks has no vector"
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    mean = (vectors / np.maximum(lengths, 1e-12)).mean(axis=0)
    length = float(np.linalg.norm(mean))
    unit: npt.NDArray[np.float32] = (mean / max(length, 1e-12)).astype(np.float32)
    return unit


def _pieces(text: str, words: int) -> Iterator[str]:
    """Sentences, joined while they fit; a longer one is cut."""
    current: list[str] = []
    for sentence in _SENTENCE_END.split(text):
        units = _units(sentence)
        whole = (len(units) - 1) // words * words
        if whole > 0 and current:
            yield _joined(current)
            current = []
        for start in range(0, whole, words):
            yield _joined(units[start : start + words])
        units = units[max(whole, 0) :]
        if current and len(current) + len(units) > words:
            yield _joined(current)
            current = []
        if units:
            current += units
            if not _DENSE_CHARACTER.search(units[-1]):
                current[-1] += " "
    if current:
        yield _joined(current)


def _units(sentence: str) -> list[str]:
    found = _UNIT.findall(sentence)
    return [unit if len(unit) <= _LONGEST_WORD else unit[:_LONGEST_WORD] + " " for unit in found]


def _joined(units: Sequence[str]) -> str:
    return " ".join("".join(units).split())
