"""Two texts as they are, piece by piece: what both have, what one has alone, what stands instead.

The comparison looks at words in their normal form. Here each of them is shown as it was written,
with the signs and the line ends between them: the pieces of either side, one after the other, are
the text of that side. What stands in another order is matched as far as that goes; the rest is
called moved, on both sides.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from paperless_fingerprint.comparison.evidence import Change as Found
from paperless_fingerprint.comparison.evidence import Evidence, Kind
from paperless_fingerprint.comparison.side import Side
from paperless_fingerprint.text.tokens import AMOUNT, DIGIT, Tokens, places_in

#: Longer than that, a shared piece ends with a sentence; much longer, anywhere.
_LONG, _TOO_LONG = 400, 1200
_SENTENCE_ENDS = re.compile(r"[.!?;:。！？]")
#: Beside a number they are part of what it says.
_VALUE_SIGNS, _UNITS = re.compile("[-−+€$£¥]+$"), re.compile("^[€$£¥%‰]+")
_VALUE = re.compile("[-−+€$£¥%‰]*")
#: What reads worse than this is held for rubbish of the scanner.
_READS = 0.6
#: An addition of more words than this is about more than the one amount that stands in it.
_FEW_WORDS = 6


@dataclass(frozen=True, slots=True)
class Change:
    """A piece of two texts: the same on both sides, or not."""

    a: str
    b: str
    same: bool
    #: What differs: 'amount', 'date', 'name', 'number', 'word', 'added', 'spelling' (case and
    #: signs alone), 'moved' (the other text has it elsewhere).
    about: str = ""
    #: It is not held for misread letters, nor for another way of writing the same.
    matters: bool = False


def changes_of(
    text_a: str, text_b: str, side_a: Side, side_b: Side, evidence: Evidence
) -> tuple[Change, ...]:
    """In the order of both texts; one piece of what both have ends where both end a line."""
    writer = _Writer(_Text(text_a, side_a), _Text(text_b, side_b), evidence)
    at_a = at_b = 0
    for step in _in_order(evidence):
        writer.alone(at_a, step.a, at_b, step.b)
        if step.change is None:
            writer.both(step.a, step.b, step.size_a)
        else:
            writer.instead(step.change)
        at_a, at_b = step.a + step.size_a, step.b + step.size_b
    writer.alone(at_a, len(side_a.keys), at_b, len(side_b.keys))
    writer.end()
    return tuple(writer.changes)


# What stands in one order in both ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Step:
    """Tokens of both that face each other: equal ones, or one thing in place of another."""

    a: int
    size_a: int
    b: int
    size_b: int
    change: Found | None = None


def _in_order(evidence: Evidence) -> list[_Step]:
    """Of all that was matched the heaviest part that runs forward in both texts."""
    steps = [*_runs(evidence.alignment.to_b)]
    steps += [
        _Step(change.a.start, change.a.size, change.b.start, change.b.size, change)
        for change in evidence.changes
        if change.a.size and change.b.size
    ]
    steps.sort(key=lambda step: step.a)
    # For each place in b that ends a chain, in ascending order: how heavy the best one is.
    ends: list[int] = []
    best: list[tuple[int, int]] = []
    before = [-1] * len(steps)
    for number, step in enumerate(steps):
        at = bisect_left(ends, step.b)
        weight, before[number] = best[at - 1] if at else (0, -1)
        weight += step.size_a + step.size_b
        stop = at
        while stop < len(best) and best[stop][0] <= weight:
            stop += 1
        ends[at:stop], best[at:stop] = [step.b], [(weight, number)]
    chain = []
    number = best[-1][1] if best else -1
    while number >= 0:
        chain.append(steps[number])
        number = before[number]
    return chain[::-1]


def _runs(to_b: Sequence[int]) -> Iterator[_Step]:
    start = 0
    for i in range(1, len(to_b) + 1):
        if i < len(to_b) and to_b[i] == to_b[i - 1] + 1 and to_b[i - 1] >= 0:
            continue
        if to_b[start] >= 0:
            yield _Step(start, i - start, to_b[start], i - start)
        start = i


# The pieces ---------------------------------------------------------------------------------------


class _Text:
    """A text as it is, and where its tokens stand."""

    def __init__(self, text: str, side: Side) -> None:
        tokens: Tokens = side.tokens
        places = places_in(text, tokens)
        self.text = tokens.text if places is None else text
        self.places = tokens.spans() if places is None else places
        self.side = side
        #: How far it has been written.
        self.done = 0

    def starts(self, token: int) -> int:
        return self.places[token][0] if token < len(self.places) else len(self.text)

    def take(self, until: int) -> str:
        taken, self.done = self.text[self.done : until], max(self.done, until)
        return taken

    def is_beside_a_date(self, start: int, end: int) -> bool:
        """The day or the year of a month in words."""
        return not self.side.is_date.isdisjoint(range(start - 1, end + 1))

    def about(self, start: int, end: int) -> str:
        """What a few words that the other text lacks are about."""
        if end - start > _FEW_WORDS:
            return "added"
        notes = 0
        for note in self.side.notes[start:end]:
            notes |= note
        if not notes & DIGIT:
            return "added"
        if not self.side.is_date.isdisjoint(range(start, end)):
            return "date"
        return "amount" if notes & AMOUNT else "number"


class _Writer:
    def __init__(self, a: _Text, b: _Text, evidence: Evidence) -> None:
        self.changes: list[Change] = []
        self._a, self._b = a, b
        self._is_edited = evidence.is_edited
        self._alone_a = {i: c for c in evidence.changes for i in range(c.a.start, c.a.end)}
        self._alone_b = {i: c for c in evidence.changes for i in range(c.b.start, c.b.end)}
        self._may_go_on = False

    # What is written ------------------------------------------------------------------------------

    def both(self, at_a: int, at_b: int, size: int) -> None:
        spelled_a, spelled_b = self._a.side.tokens.spellings, self._b.side.tokens.spellings
        for i, j in zip(range(at_a, at_a + size), range(at_b, at_b + size), strict=True):
            self._between(i, j)
            own, other = self._a.take(self._a.places[i][1]), self._b.take(self._b.places[j][1])
            if spelled_a[i] == spelled_b[j]:
                self._same(own, other)
            else:
                self._put(Change(own, other, same=False, about="spelling"))

    def instead(self, change: Found) -> None:
        self._between(change.a.start, change.b.start)
        a = self._a.take(self._a.places[change.a.end - 1][1])
        b = self._b.take(self._b.places[change.b.end - 1][1])
        if a.split() == b.split():
            self._same(a, b)
            return
        matters = self._matters(change) or _is_another_number(a, b)
        about = change.kind.name.lower()
        if change.kind is Kind.NUMBER and self._a.is_beside_a_date(change.a.start, change.a.end):
            about = "date"
        self._put(Change(a, b, same=False, about=about, matters=matters))

    def alone(self, from_a: int, to_a: int, from_b: int, to_b: int) -> None:
        """What stands between two places where the texts face each other."""
        for start, end, change in _stretches(from_a, to_a, self._alone_a):
            self._one_sided(self._a, self._b, start, end, from_b, change)
        for start, end, change in _stretches(from_b, to_b, self._alone_b):
            self._one_sided(self._b, self._a, start, end, to_a, change)

    def end(self) -> None:
        self._between(len(self._a.places), len(self._b.places))

    def _one_sided(
        self, own: _Text, other: _Text, start: int, end: int, next_: int, change: Found | None
    ) -> None:
        # The signs before it belong to what both have before it, where the other has them, too.
        here, there = (
            own.text[own.done : own.starts(start)],
            other.text[other.done : other.starts(next_)],
        )
        if _signs(here) == _signs(there):
            before, beside = own.take(own.starts(start)), other.take(other.starts(next_))
            self._spaces(before, beside, own)
        elif not _signs(here):
            self._spaces(own.take(own.starts(start)), "", own)
        is_last = other.done == other.starts(next_)
        text = own.take(own.starts(end) if is_last else own.places[end - 1][1])
        if change is None or (change.edits is not None and change.a.size and change.b.size):
            about, matters = "moved", False
        else:
            about, matters = own.about(start, end), self._matters(change)
        a, b = (text, "") if own is self._a else ("", text)
        self._put(Change(a, b, same=False, about=about, matters=matters))

    def _matters(self, change: Found) -> bool:
        """Whether it is more than misread letters."""
        if change.matters or change.is_legible or (change.is_other_name and self._is_edited):
            return True
        # What does not look like what stands in its place was not misread for it.
        return change.edits is None and min(change.a.reads, change.b.reads) > _READS

    # What stands between the words ----------------------------------------------------------------

    def _between(self, i: int, j: int) -> None:
        self._signs_between(self._a.take(self._a.starts(i)), self._b.take(self._b.starts(j)), i, j)

    def _signs_between(self, own: str, other: str, i: int, j: int) -> None:
        if _signs(own) == _signs(other):
            self._spaces(own, other, self._a)
            return
        before, signs, after = _parted(own)
        before_other, signs_other, after_other = _parted(other)
        last = self.changes[-1] if self.changes else None
        # The bracket that closes an addition is part of it.
        if last is not None and not last.same and not last.b and not signs_other:
            self.changes[-1] = replace(last, a=last.a + before + signs)
            self._spaces(after, other, self._a)
            return
        if last is not None and not last.same and not last.a and not signs:
            self.changes[-1] = replace(last, b=last.b + before_other + signs_other)
            self._spaces(own, after_other, self._a)
            return
        self._spaces(before, before_other, self._a)
        is_value = self._is_value(signs, signs_other) and self._value_sign(
            signs, after, i, self._a
        ) != self._value_sign(signs_other, after_other, j, self._b)
        about = "amount" if is_value else "spelling"
        self._put(Change(signs, signs_other, same=False, about=about, matters=is_value))
        self._spaces(after, after_other, self._a)

    @staticmethod
    def _is_value(*signs: str) -> bool:
        """A sign beside others ('.-') is a stain."""
        return all(_VALUE.fullmatch(each) for each in signs)

    @staticmethod
    def _value_sign(signs: str, after: str, token: int, text: _Text) -> str:
        """The sign or the currency right before or after a number."""
        notes = text.side.notes
        found = ""
        if token and notes[token - 1] & DIGIT:
            found = "".join(_UNITS.findall(signs))
        if not after and token < len(notes) and notes[token] & DIGIT:
            found += "".join(_VALUE_SIGNS.findall(signs))
        return found

    def _spaces(self, one: str, other: str, first: _Text) -> None:
        a, b = (one, other) if first is self._a else (other, one)
        self._same(a, b)
        if "\n" in a and "\n" in b:
            self._may_go_on = False

    def _same(self, a: str, b: str) -> None:
        if not a and not b:
            return
        last = self.changes[-1] if self.changes and self._may_go_on else None
        if last is not None and last.same:
            is_full = len(last.a) > _LONG and bool(_SENTENCE_ENDS.search(last.a[-3:]))
            if not is_full and len(last.a) <= _TOO_LONG:
                self.changes[-1] = Change(last.a + a, last.b + b, same=True)
                return
        self.changes.append(Change(a, b, same=True))
        self._may_go_on = True

    def _put(self, change: Change) -> None:
        last = self.changes[-1] if self.changes else None
        if last and last.about == change.about == "moved" and bool(last.a) == bool(change.a):
            self.changes[-1] = replace(last, a=last.a + change.a, b=last.b + change.b)
        else:
            self.changes.append(change)
        self._may_go_on = True


def _stretches(
    start: int, end: int, changes: dict[int, Found]
) -> Iterator[tuple[int, int, Found | None]]:
    """Cut where another change begins, or what stands elsewhere in the other text."""
    at = start
    for i in range(start + 1, end + 1):
        if i == end or changes.get(i) is not changes.get(at):
            yield at, i, changes.get(at)
            at = i


def _is_another_number(a: str, b: str) -> bool:
    """'2b' and '3b': a digit in place of another one, and all else alike. A letter in place of a
    digit was misread, and so was a point that is lost."""
    if re.sub(r"\d", "0", a) != re.sub(r"\d", "0", b):
        return False
    return any(one != other for one, other in zip(a, b, strict=True))


def _signs(text: str) -> str:
    return "".join(text.split())


def _parted(text: str) -> tuple[str, str, str]:
    """The spaces before, the signs, the spaces after."""
    signs = text.strip()
    start = text.find(signs) if signs else len(text)
    return text[:start], signs, text[start + len(signs) :]
