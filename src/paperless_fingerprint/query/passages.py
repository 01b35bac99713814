"""What of a hit's text is shown: where the words of the query stand in it, and which passages it
shares with the document that a term of likeness starts from. The texts are shown as they stand.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from operator import itemgetter
from typing import TypeAlias

import numpy as np

from paperless_fingerprint.fingerprints.arrays import among
from paperless_fingerprint.fingerprints.shingles import Hashes, shingle_stream
from paperless_fingerprint.query.tree import Node, Pattern, TextField, Words, leaves
from paperless_fingerprint.text.places import Place, places

#: Of each text; what stands further back in a book is not looked for.
MOST_CHARACTERS = 200_000
_PASSAGES = 3
_MATCHES = 50
#: Words shown on each side of what was found, and of one passage at most.
_AROUND = 8
_LONGEST = 40
#: Shared stretches with so few words between them are one.
_GAP = 2
#: Between two pages, where whoever read the text has left it.
_NEW_PAGE = "\f"
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    #: What was asked for, or is shared; the rest stands around it.
    found: bool


@dataclass(frozen=True, slots=True)
class Passage:
    #: '…' stands where something is left out.
    pieces: tuple[Piece, ...]
    #: From 1; None where nobody knows.
    page: int | None = None
    #: Of how many; then the page is estimated, by how far back in the text it stands.
    about_of: int | None = None
    #: How many words in a row are shared; None where words were looked for.
    words: int | None = None


#: First word, behind the last one, which of those that are sought.
_Match: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Sought:
    """One word or several in a row; a word with `*` or `?` is a pattern."""

    words: tuple[str | re.Pattern[str], ...]

    def is_at(self, found: Sequence[Place], at: int) -> bool:
        if at + len(self.words) > len(found):
            return False
        for offset, word in enumerate(self.words):
            there = found[at + offset].word
            if not (word == there if isinstance(word, str) else word.fullmatch(there)):
                return False
        return True


def in_title(tree: Node, title: str) -> tuple[Piece, ...]:
    """The whole of it, with what was found marked."""
    found = list(places(title))
    spans = [
        (found[start].start, found[end - 1].end)
        for start, end, _ in _matches(_sought(tree, TextField.TITLE), found)
    ]
    return tuple(_pieces(title, 0, len(title), spans))


def of_words(tree: Node, text: str, pages: int | None = None) -> tuple[Passage, ...]:
    """The passages with most of what was asked for, in the order of the text."""
    sought = _sought(tree, TextField.CONTENT)
    whole, text = len(text), text[:MOST_CHARACTERS]
    found = list(places(text)) if sought else []
    left = _first_ones(_matches(sought, found))
    chosen: list[tuple[int, int]] = []
    shown: set[int] = set()
    while left and len(chosen) < _PASSAGES:
        within = max(map(partial(_together, left), range(len(left))), key=partial(_new, shown))
        if _new(shown, within) == 0:
            break
        shown |= {match[2] for match in within}
        start, end = within[0][0], within[-1][1]
        chosen.append((start, end))
        left = [match for match in left if match[1] <= start or match[0] >= end]
    every = [(found[s].start, found[e - 1].end) for s, e, _ in _matches(sought, found)]
    shown_at = [_passage(text, found, start, end, every) for start, end in sorted(chosen)]
    starts = [found[start].start for start, _ in sorted(chosen)]
    return tuple(map(partial(_paged, text, whole, pages), shown_at, starts))


def shared(
    source: Hashes, shingle_words: int, text: str, pages: int | None = None
) -> tuple[Passage, ...]:
    """The longest stretches of which every shingle stands in the source, too."""
    whole, text = len(text), text[:MOST_CHARACTERS]
    found = list(places(text))
    streams = list(shingle_stream(" ".join(place.word for place in found), shingle_words))
    if not streams:
        return ()
    is_shared = among(np.concatenate(streams), source)
    runs: list[tuple[int, int]] = []
    for at in np.flatnonzero(is_shared).tolist():
        end = min(at + shingle_words, len(found))
        if runs and at <= runs[-1][1] + _GAP:
            runs[-1] = runs[-1][0], end
        else:
            runs.append((at, end))
    longest = sorted(sorted(runs, key=lambda run: (run[0] - run[1], run[0]))[:_PASSAGES])
    shown = []
    for start, end in longest:
        spans = [(found[start].start, found[end - 1].end)]
        passage = _passage(text, found, start, end, spans, words=end - start)
        shown.append(_paged(text, whole, pages, passage, found[start].start))
    return tuple(shown)


def _paged(text: str, whole: int, pages: int | None, passage: Passage, at: int) -> Passage:
    """With its page: by the signs between pages, else by how far back it stands of the whole."""
    if _NEW_PAGE in text:
        return replace(passage, page=1 + text.count(_NEW_PAGE, 0, at))
    if pages is None or pages < 2:
        return passage
    return replace(passage, page=1 + at * pages // whole, about_of=pages)


def _sought(tree: Node, field: TextField) -> list[_Sought]:
    found: dict[_Sought, None] = {}
    for leaf, positive in leaves(tree):
        if positive and isinstance(leaf, Words | Pattern) and leaf.field in {field, TextField.ANY}:
            words = leaf.words if isinstance(leaf, Words) else (_expression(leaf.pattern),)
            found[_Sought(words)] = None
    return list(found)


@lru_cache(maxsize=256)
def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)


def _matches(sought: Sequence[_Sought], found: Sequence[Place]) -> list[_Match]:
    """In the order of the text."""
    by_first: dict[str, list[tuple[int, _Sought]]] = {}
    patterns = []
    for number, each in enumerate(sought):
        first = each.words[0]
        if isinstance(first, str):
            by_first.setdefault(first, []).append((number, each))
        else:
            patterns.append((number, each))
    matches = []
    for at, place in enumerate(found):
        for number, each in (*by_first.get(place.word, ()), *patterns):
            if each.is_at(found, at):
                matches.append((at, at + len(each.words), number))
    return matches


def _together(matches: Sequence[_Match], at: int) -> list[_Match]:
    """This one, and those behind it that one passage can show, too."""
    end = max(matches[at][1], matches[at][0] + _LONGEST - 2 * _AROUND)
    return [match for match in matches[at : at + _LONGEST] if match[1] <= end]


def _new(shown: Collection[int], matches: Sequence[_Match]) -> int:
    """How much they show that no passage shows yet."""
    return len({match[2] for match in matches}.difference(shown))


def _first_ones(matches: Iterable[_Match]) -> list[_Match]:
    """Of each that is sought; a word that stands on every line is no reason to look at all."""
    counts: Counter[int] = Counter()
    kept = []
    for match in matches:
        counts[match[2]] += 1
        if counts[match[2]] <= _MATCHES:
            kept.append(match)
    return kept


def _passage(
    text: str, found: Sequence[Place], start: int, end: int, spans: Iterable[tuple[int, int]],
    *, words: int | None = None,
) -> Passage:  # fmt: skip
    """The words from `start` to `end` with some around them; a long stretch without its middle."""
    first, last = max(0, start - _AROUND), min(len(found), end + _AROUND)
    spans = sorted(spans)
    # The signs before the first word and after the last one belong to the text, too.
    begin = 0 if first == 0 else found[first].start
    stop = len(text) if last == len(found) else found[last - 1].end
    stretches = [(begin, stop)]
    if end - start > _LONGEST:
        half = _LONGEST // 2
        stretches = [(begin, found[start + half - 1].end), (found[end - half].start, stop)]
    pieces: list[Piece] = [Piece("… ", False)] if first else []
    for number, (left, right) in enumerate(stretches):
        if number:
            pieces.append(Piece(" … ", False))
        pieces += _pieces(text, left, right, spans)
    if last < len(found):
        pieces.append(Piece(" …", False))
    return Passage(tuple(pieces), words=words)


def _pieces(text: str, left: int, right: int, spans: Sequence[tuple[int, int]]) -> Iterable[Piece]:
    """The text from `left` to `right`, on one line, with the spans marked."""
    at = left
    for span in spans[bisect_right(spans, left, key=itemgetter(1)) :]:
        start, end = max(span[0], at), min(span[1], right)
        if start >= end:
            continue
        if start > at:
            yield Piece(_SPACES.sub(" ", text[at:start]), False)
        yield Piece(_SPACES.sub(" ", text[start:end]), True)
        at = end
    if at < right:
        yield Piece(_SPACES.sub(" ", text[at:right]), False)
