"""What speaks for and against two texts being one, as few named figures.

Three kinds of evidence. What only these two share, weighed by its rarity in the library. What
differs between them where they stand side by side, weighed by how each side reads there: clean
against clean is a change, and rubbish says nothing. And whether a change stands in the fixed text
of a form, which many documents have, or in text that these two alone have.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from math import ceil, exp, lgamma, log, log1p
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from paperless_fingerprint.comparison import shared
from paperless_fingerprint.comparison.alignment import Alignment, align
from paperless_fingerprint.comparison.differences import Difference, Differences, find_differences
from paperless_fingerprint.comparison.shared import Look
from paperless_fingerprint.comparison.side import MOST as MOST_COUNTED
from paperless_fingerprint.comparison.side import Number, Side
from paperless_fingerprint.text.letters import is_word
from paperless_fingerprint.text.tokens import AMOUNT, CAPITAL, CJK, DIGIT

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: One change can accuse this much at most.
MOST = 6.0
#: From this severity on a change is more than noise.
MATTERS = 2.0
#: What reads as well as this is what was printed; of what one text alone has, half of it will do.
_LEGIBLE, _LEGIBLE_ALONE = 0.8, 0.5
#: What OCR takes for one another makes no more of an edit than this.
_CONFUSED = 0.5
#: So many tokens need no numbers among them to say what they are.
_SAYS_ENOUGH = 400
#: How soon an unknown word is doubted where letters were misread.
_DOUBT = 400.0
#: The same change in another place adds so much of it, up to so much.
_AGAIN = 0.5
_MOST_AGAIN = 9.0
#: A difference is more often noise than a change, before it is looked at (as a logarithm).
_INNOCENT = 2.5
#: Noise seldom makes a real word out of another.
_REAL = 2.5
#: Letters around a place that tell how clean it is there, and so many more that the rest of the pair
#: counts for.
_AROUND = 15
_PRIOR_LETTERS = 40.0
_PRIOR_EDITS = 0.3
_FEWEST_NOISE, _MOST_NOISE = 0.001, 0.5
#: How far the likeness of what replaces one another is followed, as a logarithm, and in how long spans.
MOST_UNLIKE = 12.0
_SHORTEST_WORD, _LONGEST = 3, 80
#: In per cent: two readings of one name.
_ALIKE = 65
_MOST_REPEATED = 12
#: Of so many digits a number names something.
_LONG_NUMBER = 4
#: Held by so many, besides copies, a run belongs to a form.
_FORM = 4


class Kind(IntEnum):
    """What a change is about."""

    WORD = 0
    NUMBER = 1
    AMOUNT = 2
    DATE = 3
    NAME = 4
    ADDED = 5


_OF_DIGITS = frozenset({Kind.NUMBER, Kind.AMOUNT, Kind.DATE})


class Span(NamedTuple):
    """Tokens of one text, and how they read: from 0, rubbish, to 1, as somebody may have written."""

    start: int
    end: int
    reads: float

    @property
    def size(self) -> int:
        return self.end - self.start


class Change(NamedTuple):
    """What stands in a, and what stands for it in b."""

    a: Span
    b: Span
    kind: Kind
    #: How much less likely it is as noise than as a change, as a logarithm (0 to MOST).
    severity: float
    #: Misread letters, where the two look like one another; None where one replaces the other.
    edits: float | None
    #: In how many documents the text beside it stands; 0 where nobody knows.
    held: int = 0
    #: In how many at most stands what a has there, and what b has.
    values: tuple[int, int] = (0, 0)
    #: Both sides read as somebody may have written them.
    is_legible: bool = False
    #: Two names that look alike, and nobody knows either of them better.
    is_other_name: bool = False
    #: How much less likely noise has made one of the other than somebody who wrote it, as a logarithm
    #: (0 to MOST_UNLIKE), where one replaces the other and both have the shape of words.
    unlike: float = 0.0

    @property
    def matters(self) -> bool:
        """Whether it is more than noise."""
        return self.severity >= MATTERS

    @property
    def in_field(self) -> bool:
        """Whether many have the text beside it, and few what stands in its place."""
        return self.held >= _FORM and 2 * max(self.values) <= self.held

    @property
    def in_form(self) -> bool:
        return self.held >= _FORM


@dataclass(frozen=True, slots=True)
class SideEvidence:
    """What one of the two texts has of the other, and what it has alone."""

    tokens: int
    #: Share of the tokens that the other text holds, as they are or misread.
    coverage: float
    #: Longest run that the other text has not; most words in one that somebody wrote.
    longest: int
    passage: int
    #: Share of unmatched tokens before the first and after the last match.
    at_edges: float
    #: Words that somebody wrote, which stand nowhere in the other text.
    own_words: int
    #: Share of the tokens that nobody would write so.
    illegible: float


@dataclass(frozen=True, slots=True)
class Evidence:
    a: SideEvidence
    b: SideEvidence
    alignment: Alignment
    changes: tuple[Change, ...]
    #: Share of the letters that were misread.
    noise: float
    #: Letters that were misread, as far as one can tell.
    misread: float
    features: tuple[float, ...]

    @property
    def is_edited(self) -> bool:
        """Whether something else stands in one place of two texts that nothing tells to be misread.

        One name that looks like another is another name, where nothing else is amiss.
        """
        amiss = [change for change in self.changes if not change.is_legible]
        if amiss:
            return len(amiss) == 1 and amiss[0].is_other_name
        return any(change.kind is not Kind.ADDED for change in self.changes)

    @property
    def numbers_kept(self) -> float | None:
        """The share of the numbers that both have, rare ones counting more; None without any."""
        named = dict(zip(NAMES, self.features, strict=True))
        if not named["numbers"]:
            return None
        return max(named["numbers_kept_short"], named["numbers_kept_long"])

    @property
    def is_silent(self) -> bool:
        """Whether a short page holds no facts: no numbers."""
        tokens = min(self.a.tokens, self.b.tokens)
        return tokens < _SAYS_ENOUGH and self.numbers_kept is None


def improbable(edits: float, length: int, noise: float) -> float:
    """How much less likely so many edits are as noise than as a change, as a logarithm."""
    if edits <= 0:
        return 0.0
    hits = min(length, ceil(edits))
    ways = lgamma(length + 1) - lgamma(hits + 1) - lgamma(length - hits + 1)
    return edits * log(1 / noise) - ways - _INNOCENT


_VOWELS = frozenset("aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿāąēęėīįōőœūůűıăěńşţ")


@lru_cache(maxsize=1 << 14)
def _looks_written(spelling: str) -> bool:
    """Whether it has the shape of a word: capitals at the beginning or throughout, a vowel where its
    script has them."""
    if len(spelling) < _SHORTEST_WORD or not is_word(spelling):
        return False
    if not (spelling[1:].islower() or spelling.isupper() or spelling == spelling.lower()):
        return False
    latin = "a" <= spelling[0].casefold() <= "ɏ"
    return not latin or not _VOWELS.isdisjoint(spelling.casefold())


def _lies_in(short: str, long: str) -> bool:
    """Whether letters were lost or added and nothing else: what an engine does to one word in many
    documents ('Confidentia', 'WHEREQOF') makes no other word of it."""
    if short.isdigit() or long.isdigit():
        return False
    letters = iter(long)
    return all(letter in letters for letter in short)


class _Reader:
    """Which tokens of a pair are words: known to a language, or to documents besides these two."""

    def __init__(self, side: Side, other: Side) -> None:
        self.side = side
        self._theirs = other.distinct
        self.known = (
            side.known | (side.hardly_known - other.distinct) | (side.distinct & other.own_words)
        )
        # A name or a number that stands on both sides was not misread on either.
        legible = self.known | (side.long & other.distinct) | side.plain | side.couples
        self.legible = [key in legible for key in side.keys]

    def elsewhere(self, key: str) -> int:
        """In how many documents besides these two it stands."""
        count = self.side.frequency[key]
        return count - 1 - (key in self._theirs and count > 1)

    def reads(self, start: int, end: int, noise: float) -> float:
        """How a span reads: the share of its letters in words.

        A word that nobody knows is a name, or misread: the cleaner the page, the likelier a name.
        """
        unknown = 0.5 + 0.5 * exp(-_DOUBT * noise)
        good = total = 0.0
        for i in range(start, end):
            key, note = self.side.keys[i], self.side.notes[i]
            size = len(key)
            total += size
            if self.legible[i]:
                good += size
            elif size >= 3 and is_word(key) and (note & CAPITAL or size >= 4):
                good += unknown * size
        return good / total if total else 1.0

    def shape(self, start: int, end: int) -> float:
        """The share of a span's letters in what looks like words, whether or not anybody knows them:
        a name that was misread in one letter still looks like one, and a smear does not."""
        good = total = 0
        for i in range(start, end):
            size = len(self.side.keys[i])
            total += size
            if self.side.notes[i] & CJK:
                # Any character is one; what nobody else has was hardly printed.
                good += size * (self.elsewhere(self.side.keys[i]) > 0)
            elif self.legible[i] or _looks_written(self.side.tokens.spellings[i]):
                good += size
        return good / total if total else 1.0


def gather(a: Side, b: Side, first: Look) -> Evidence:
    alignment = align(a.keys, b.keys)
    differences = find_differences(a.keys, b.keys, alignment)
    reader_a, reader_b = _Reader(a, b), _Reader(b, a)
    ground = _Ground(a, b, reader_a, reader_b, alignment, differences)
    changes = tuple(ground.change(item) for item in differences.items)
    side_a = _side(a, b, reader_a, alignment.to_b, differences, 0)
    side_b = _side(b, a, reader_b, alignment.to_a, differences, 1)
    features = _features(
        a, b, side_a, side_b, alignment, differences, changes, ground, reader_a, reader_b,
        first,
    )  # fmt: skip
    return Evidence(side_a, side_b, alignment, changes, ground.noise, ground.misread, features)


class _Ground:
    """How clean both texts are at each place."""

    def __init__(
        self,
        a: Side,
        b: Side,
        reader_a: _Reader,
        reader_b: _Reader,
        alignment: Alignment,
        differences: Differences,
    ) -> None:
        self.a, self.b, self.reader_a, self.reader_b = a, b, reader_a, reader_b
        lengths_a, lengths_b = a.lengths, b.lengths
        matched_a = np.array(alignment.to_b, np.int64) >= 0
        matched_b = np.array(alignment.to_a, np.int64) >= 0
        letters_a, letters_b = lengths_a * matched_a, lengths_b * matched_b
        edits_a, edits_b = np.zeros(len(lengths_a)), np.zeros(len(lengths_b))
        letters_a, letters_b = letters_a.astype(np.float64), letters_b.astype(np.float64)
        for item in differences.items:
            own = slice(item.start_a, item.end_a)
            other = slice(item.start_b, item.end_b)
            size_a, size_b = item.end_a - item.start_a, item.end_b - item.start_b
            if item.edits is not None:
                one, two = "".join(a.keys[own]), "".join(b.keys[other])
                if is_word(one) and is_word(two):
                    misread = not (one in reader_a.known and two in reader_b.known)
                    edits_a[own] += item.edits * misread / size_a
                    edits_b[other] += item.edits * misread / size_b
                    letters_a[own] += lengths_a[own]
                    letters_b[other] += lengths_b[other]
                matched_a[own], matched_b[other] = True, True
                continue
            # Rubbish is noise on its side, about a third of its letters.
            for reader, keys, span, edits, letters in (
                (reader_a, a.keys, own, edits_a, letters_a),
                (reader_b, b.keys, other, edits_b, letters_b),
            ):
                for i in range(span.start, span.stop):
                    if not reader.legible[i]:
                        edits[i] += 0.15 * len(keys[i])
                    letters[i] += len(keys[i])
        near = sum(
            float(edits_a[item.start_a]) for item in differences.items if item.edits is not None
        )
        self.misread = sum(
            float(edits_a[item.start_a : item.end_a].sum())
            for item in differences.items
            if item.edits is not None
        )
        self.noise = float(
            min(
                0.3,
                (_PRIOR_EDITS + near) / (150.0 + float((lengths_a * matched_a).sum())),
            )
        )
        self._sums = tuple(
            np.concatenate(([0.0], np.cumsum(values)))
            for values in (
                edits_a, letters_a, matched_a.astype(np.float64),
                edits_b, letters_b, matched_b.astype(np.float64),
            )
        )  # fmt: skip
        self.matched_a, self.matched_b = matched_a, matched_b

    def _around(self, start: int, end: int, which: int) -> tuple[float, float]:
        """The share of letters misread around a span, and how much there is matched."""
        edits, letters, matched = self._sums[3 * which : 3 * which + 3]
        low, high = max(0, start - _AROUND), min(len(edits) - 1, end + _AROUND)
        found = edits[high] - edits[low] - (edits[end] - edits[start])
        of = letters[high] - letters[low] - (letters[end] - letters[start])
        places = (high - low) - (end - start)
        known = matched[high] - matched[low] - (matched[end] - matched[start])
        noise = (found + _PRIOR_LETTERS * self.noise) / (of + _PRIOR_LETTERS)
        return min(_MOST_NOISE, max(_FEWEST_NOISE, noise)), known / places if places else 0.0

    def change(self, item: Difference) -> Change:
        a, b = self.a, self.b
        keys_a, keys_b = a.keys[item.start_a : item.end_a], b.keys[item.start_b : item.end_b]
        reads_a = self.reader_a.reads(item.start_a, item.end_a, self.noise)
        reads_b = self.reader_b.reads(item.start_b, item.end_b, self.noise)
        span_a = Span(item.start_a, item.end_a, reads_a)
        span_b = Span(item.start_b, item.end_b, reads_b)
        if item.added:
            legible = min(reads_a, reads_b) >= _LEGIBLE_ALONE
            return Change(span_a, span_b, Kind.ADDED, 0.0, None, is_legible=legible)
        noise_a, dense_a = self._around(item.start_a, item.end_a, 0)
        noise_b, dense_b = self._around(item.start_b, item.end_b, 1)
        noise = max(noise_a, noise_b, self.noise)
        kind = self._kind(item)
        one, two = "".join(keys_a), "".join(keys_b)
        # A change is one where both texts go on around it.
        embedded = min(1.0, 1.6 * min(dense_a, dense_b))
        is_other_name = False
        unlike = 0.0
        if item.edits is not None:
            severity = improbable(item.edits, max(len(one), len(two)), noise)
            known = one in self.reader_a.known, two in self.reader_b.known
            is_legible = item.edits > _CONFUSED and (
                (all(known) and not _lies_in(*sorted((one, two), key=len)))
                or (one.isdigit() and two.isdigit() and self._are_joined_alike(item))
            )
            is_other_name = (
                item.edits > _CONFUSED
                and kind is Kind.NAME
                and not any(known)
                and is_word(one)
                and is_word(two)
            )
            if all(known):
                severity += _REAL
            elif one.isdigit() and two.isdigit():
                severity += 0.5 if len(one) == len(two) else -1.0
        else:
            # One character for another: both are characters, whatever was misread.
            alone = item.end_a - item.start_a == item.end_b - item.start_b == 1
            is_character = a.notes[item.start_a] & b.notes[item.start_b] & CJK
            is_legible = min(reads_a, reads_b) >= _LEGIBLE and not (alone and is_character)
            # Nothing of it is left: as many letters as a word has, misread.
            size = min(8, max(len(one), len(two)))
            severity = size * 0.6 * log(1 / noise) - _INNOCENT
            severity = min(MOST, severity) * (reads_a * reads_b) ** 2
            # A long passage against a short one is an addition as well.
            balance = min(len(keys_a), len(keys_b)) / max(len(keys_a), len(keys_b))
            severity *= 0.5 + 0.5 * balance
            unlike = self._unlike(item, one, two, noise) * embedded * balance
        severity = max(0.0, min(MOST, severity)) * embedded
        held, values = 0, (0, 0)
        if severity > 0.5:
            held = max(
                a.held_around(item.start_a, item.end_a), b.held_around(item.start_b, item.end_b)
            )
            values = (
                min(a.frequency[key] for key in keys_a),
                min(b.frequency[key] for key in keys_b),
            )
        return Change(
            span_a,
            span_b,
            kind,
            float(severity),
            item.edits,
            held,
            values,
            is_legible,
            is_other_name,
            unlike,
        )

    def _unlike(self, item: Difference, one: str, two: str, noise: float) -> float:
        """Where one replaces the other: how much noise it would take, if both read like words."""
        if not _SHORTEST_WORD <= min(len(one), len(two)) <= max(len(one), len(two)) <= _LONGEST:
            return 0.0
        edits = Levenshtein.distance(one, two)
        shapes = (
            self.reader_a.shape(item.start_a, item.end_a),
            self.reader_b.shape(item.start_b, item.end_b),
        )
        found = improbable(edits, max(len(one), len(two)), noise) * min(shapes)
        return max(0.0, min(MOST_UNLIKE, found))

    def _are_joined_alike(self, item: Difference) -> bool:
        """'2,522.22' and '25522.22' are one number; nobody leaves out a point to correct an amount."""
        spelled = (
            "".join(self.a.tokens.spellings[item.start_a : item.end_a]),
            "".join(self.b.tokens.spellings[item.start_b : item.end_b]),
        )
        one, other = (re.sub(r"\d+", "0", spelling) for spelling in spelled)
        return one == other and item.end_a - item.start_a == item.end_b - item.start_b

    def _kind(self, item: Difference) -> Kind:
        """By what both sides have; a name is one on both."""
        found = []
        for side, start, end in (
            (self.a, item.start_a, item.end_a),
            (self.b, item.start_b, item.end_b),
        ):
            notes = 0
            for note in side.notes[start:end]:
                notes |= note
            dates = not side.is_date.isdisjoint(range(start, end))
            found.append((notes, dates))
        (notes_a, dates_a), (notes_b, dates_b) = found
        if (dates_a and dates_b) or (notes_a & notes_b & DIGIT and (dates_a or dates_b)):
            return Kind.DATE
        if notes_a & notes_b & DIGIT:
            return Kind.AMOUNT if notes_a & notes_b & AMOUNT else Kind.NUMBER
        return Kind.NAME if notes_a & notes_b & CAPITAL else Kind.WORD


def _side(
    side: Side,
    other: Side,
    reader: _Reader,
    matches: Sequence[int],
    differences: Differences,
    which: int,
) -> SideEvidence:
    keys = side.keys
    size = max(1, len(keys))
    strays = differences.strays_b if which else differences.strays_a
    covered = np.array(matches, np.int64) >= 0
    at_edges = 0
    found = np.flatnonzero(covered)
    if len(found):
        at_edges = int(found[0]) + len(keys) - 1 - int(found[-1])
    if strays:
        covered[list(strays)] = True
    longest = passage = own_words = 0
    spans = []
    for item in differences.items:
        start, end = (item.start_b, item.end_b) if which else (item.start_a, item.end_a)
        if item.edits is not None:
            covered[start:end] = True
        elif end > start:
            spans.append((start, end))
    spans.sort()
    joined: list[list[int]] = []
    for start, end in spans:
        if joined and start - joined[-1][1] <= 2:
            joined[-1][1] = end
        else:
            joined.append([start, end])
    theirs, known = other.distinct, reader.known
    for start, end in joined:
        longest = max(longest, end - start)
        written = sum(
            1 for key in keys[start:end] if key in known and key not in theirs and len(key) >= 3
        )
        words = sum(1 for key in keys[start:end] if key in known)
        own_words += written
        passage = max(passage, words)
    legible = sum(reader.legible)
    return SideEvidence(
        tokens=len(keys),
        coverage=float(covered.sum()) / size,
        longest=longest,
        passage=passage,
        at_edges=at_edges / size,
        own_words=own_words,
        illegible=1 - legible / size,
    )


def _numbers(side: Side, reader: _Reader) -> dict[str, float]:
    """Each number with a weight: what everybody has says little."""
    return {key: (1.0 + reader.elsewhere(key)) ** -0.5 for key in side.numbers}


def _kept(side: Side, weights: Mapping[str, float], both: Container[str]) -> list[float]:
    """By what they are for (codes, dates, amounts), the share of one text's numbers that both have."""
    kept, every = [0.2] * len(Number), [0.4] * len(Number)
    for key, what in side.numbers.items():
        every[what] += weights[key]
        if key in both:
            kept[what] += weights[key]
    return [some / all_ for some, all_ in zip(kept, every, strict=True)][: Number.ANY]


def _repeated(a: Side, b: Side, changes: Sequence[Change]) -> float:
    """What stands for the same thing in several places: noise seldom does the same again, and who
    writes to somebody else does."""
    found: list[tuple[str, str, float]] = []
    most = 0.0
    for change in changes:
        is_number = change.edits is not None and change.severity > 0 and change.kind in _OF_DIGITS
        if change.unlike < MATTERS and not is_number:
            continue
        one = "".join(a.keys[change.a.start : change.a.end])
        two = "".join(b.keys[change.b.start : change.b.end])
        # Who has misread a digit once is not innocent when it comes again.
        strength = change.severity + _INNOCENT if is_number else change.unlike
        least = 100 if is_number else _ALIKE
        for other_one, other_two, unlike in found:
            if fuzz.ratio(one, other_one) >= least and fuzz.ratio(two, other_two) >= least:
                most = max(most, min(unlike, strength))
        if len(found) < _MOST_REPEATED:
            found.append((one, two, strength))
    return most


#: The features, in the order of judgement.json: a first look, then what differs.
NAMES = (
    *shared.NAMES,
    "coverage_short", "coverage_long", "longest_short", "longest_long",
    "longest_share_short", "longest_share_long", "passage_short", "passage_long",
    "edges_short", "edges_long", "own_words_short", "own_words_long",
    "own_share_short", "own_share_long", "illegible_short", "illegible_long",
    "numbers", "numbers_kept_short", "numbers_kept_long", "long_numbers", "long_numbers_kept",
    "noise", "moved", "misread_share",
    "number_severity", "amount_severity", "date_severity", "name_severity", "word_severity",
    "worst", "worst_fact", "second_fact", "changes", "change_share",
    "in_field", "in_form", "in_own_text", "in_unknown_text", "numbers_against",
    "replaced_passages", "replaced_share",
    "unlike", "most_unlike", "second_unlike", "unlike_repeated", "unlike_per_misread",
    "legible_changes", "legible_share", "misread_words",
    "codes_kept", "dates_kept", "amounts_kept", "rarest_kept",
)  # fmt: skip


def _share(some: float, all_: float) -> float:
    return some / all_ if all_ else 1.0


def _features(
    a: Side, b: Side, side_a: SideEvidence, side_b: SideEvidence, alignment: Alignment,
    differences: Differences, changes: Sequence[Change], ground: _Ground,
    reader_a: _Reader, reader_b: _Reader, first_look: Look,
) -> tuple[float, ...]:  # fmt: skip
    short, long = (side_a, side_b) if first_look.a_is_short else (side_b, side_a)
    first, second = (0, 1) if first_look.a_is_short else (1, 0)
    sizes = (max(1, side_a.tokens), max(1, side_b.tokens))
    least = min(sizes)

    numbers_a, numbers_b = _numbers(a, reader_a), _numbers(b, reader_b)
    # In the order of the text: added up in another one, they differ in their last digit.
    both = {key: weight for key, weight in numbers_a.items() if key in numbers_b}
    kept = (
        _share(sum(both.values()) + 0.2, sum(numbers_a.values()) + 0.4),
        _share(sum(numbers_b[key] for key in both) + 0.2, sum(numbers_b.values()) + 0.4),
    )
    kept_short = _kept(*((a, numbers_a) if first_look.a_is_short else (b, numbers_b)), both)
    rarest = min(
        (
            reader_a.elsewhere(key)
            for key in both
            if len(key) >= _LONG_NUMBER and a.numbers[key] is not Number.AMOUNT
        ),
        default=MOST_COUNTED,
    )
    long_a = {key for key in numbers_a if len(key) >= 5}
    long_b = {key for key in numbers_b if len(key) >= 5}
    long_both = len(long_a & long_b)
    long_fewest = min(len(long_a), len(long_b))

    distinct: dict[tuple[tuple[str, ...], tuple[str, ...]], Change] = {}
    misread = 0.0
    passages = replaced = 0
    for change in changes:
        keys_a, keys_b = (
            a.keys[change.a.start : change.a.end],
            b.keys[change.b.start : change.b.end],
        )
        if change.edits is not None:
            misread += 1
        elif (
            change.a.size >= 3 <= change.b.size
            and change.a.reads > 0.6 < change.b.reads
            and change.a.size <= 3 * change.b.size
            and change.b.size <= 3 * change.a.size
        ):
            passages += 1
            replaced += min(change.a.size, change.b.size)
        if change.severity > 0 or change.unlike > 0:
            before = distinct.get((keys_a, keys_b))
            if before is not None:
                # Once misread, twice changed: noise seldom does the same again.
                again = min(_MOST_AGAIN, before.severity + _AGAIN * change.severity)
                distinct[keys_a, keys_b] = before._replace(
                    severity=max(again, before.severity), unlike=max(before.unlike, change.unlike)
                )
            else:
                distinct[keys_a, keys_b] = change
    severities: dict[Kind, list[float]] = {kind: [] for kind in Kind}
    by_ground = {"field": 0.0, "form": 0.0, "own": 0.0, "unknown": 0.0}
    for change in distinct.values():
        severities[change.kind].append(change.severity)
        where = "form" if change.in_form else "own" if change.held >= 2 else "unknown"
        by_ground["field" if change.in_field else where] += max(0.0, change.severity - 1.0)
    for found in severities.values():
        found.sort(reverse=True)
    facts = sorted(
        severities[Kind.NUMBER]
        + severities[Kind.AMOUNT]
        + severities[Kind.DATE]
        + severities[Kind.NAME],
        reverse=True,
    )
    every = sorted((s for found in severities.values() for s in found), reverse=True)
    clean = sum(1 for severity in every if severity >= 3)

    unlike = [*sorted((change.unlike for change in distinct.values()), reverse=True), 0.0, 0.0]
    legible = legible_tokens = 0
    unmatched = 1
    for change in changes:
        size = max(change.a.size, change.b.size)
        unmatched += size
        if change.is_legible and change.kind is not Kind.ADDED:
            legible += 1
            legible_tokens += size
    against = _numbers_against(a, b, reader_a, reader_b, changes, both)
    return (
        *first_look.figures,
        short.coverage, long.coverage, log1p(short.longest), log1p(long.longest),
        short.longest / max(1, short.tokens), long.longest / max(1, long.tokens),
        log1p(short.passage), log1p(long.passage),
        short.at_edges, long.at_edges, log1p(short.own_words), log1p(long.own_words),
        short.own_words / max(1, short.tokens), long.own_words / max(1, long.tokens),
        short.illegible, long.illegible,
        log1p(min(len(numbers_a), len(numbers_b))), kept[first], kept[second],
        log1p(long_both), (long_both + 0.3) / (long_fewest + 0.6),
        ground.noise, (alignment.moved + len(differences.strays_a)) / least, misread / least,
        log1p(sum(severities[Kind.NUMBER][:8])), log1p(sum(severities[Kind.AMOUNT][:8])),
        log1p(sum(severities[Kind.DATE][:4])), log1p(sum(severities[Kind.NAME][:6])),
        log1p(sum(severities[Kind.WORD][:20])),
        every[0] if every else 0.0, facts[0] if facts else 0.0,
        facts[1] if len(facts) > 1 else 0.0,
        log1p(clean), 100 * clean / least,
        log1p(by_ground["field"]), log1p(by_ground["form"]), log1p(by_ground["own"]), log1p(by_ground["unknown"]), against,
        log1p(passages), replaced / least,
        log1p(sum(unlike[:8])), unlike[0], unlike[1], _repeated(a, b, changes),
        sum(value >= MATTERS for value in unlike) / (1.0 + misread),
        log1p(legible), legible_tokens / unmatched, log1p(misread),
        *kept_short, log1p(rarest),
    )  # fmt: skip


def _numbers_against(
    a: Side, b: Side, reader_a: _Reader, reader_b: _Reader, changes: Sequence[Change],
    both: Collection[str],
) -> float:  # fmt: skip
    """How much more likely the numbers are those of another document, as a logarithm."""
    total = 0.0
    seen = set()
    for change in changes:
        if change.kind not in (Kind.NUMBER, Kind.DATE) or change.a.size != change.b.size:
            continue
        one = "".join(a.keys[change.a.start : change.a.end])
        two = "".join(b.keys[change.b.start : change.b.end])
        if (one, two) in seen or min(len(one), len(two)) < 3:
            continue
        seen.add((one, two))
        total += min(3.0, 0.5 * change.severity)
    for key in both:
        if len(key) >= 4:
            count = min(reader_a.elsewhere(key), reader_b.elsewhere(key))
            total -= min(2.0, -log(max(0.05, count / (count + 1))))
    return total / (5.0 + 0.2 * len(both))
