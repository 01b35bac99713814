"""The differences of two texts as lines that stand side by side, what is long and the same folded.

Pure functions over the pieces that the comparison found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from paperless_fingerprint.comparison.facts import figures
from paperless_fingerprint.review.diff_cache import Segment

#: Lines that stay beside a difference, and how many more there must be to be folded.
_BESIDE, _WORTH_FOLDING = 2, 4
#: Of what stands on one side alone, a page perhaps: what stays at its beginning.
_FIRST_ALONE = 8
#: Of two texts that say the same.
_FIRST_SAME = 8
#: What is replaced by as much as this does not face it line by line: first the one, then the other.
_MOST_FACING = 12
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Row:
    """What faces each other: a line of each text, or a paragraph that is broken otherwise."""

    segments: tuple[Segment, ...]

    @property
    def kind(self) -> str:
        """'same'; 'a' or 'b' where the other side has nothing here; 'changed'."""
        if all(segment.kind == "same" for segment in self.segments):
            return "same"
        if not any(segment.b for segment in self.segments):
            return "a"
        return "changed" if any(segment.a for segment in self.segments) else "b"

    @property
    def lines(self) -> int:
        texts = ("".join(s.a for s in self.segments), "".join(s.b for s in self.segments))
        return max(len(text.splitlines()) for text in texts)


@dataclass(frozen=True, slots=True)
class Block:
    rows: tuple[Row, ...]
    #: Shown only when somebody asks: 'same', or 'a' or 'b' for what that side has alone.
    folded: str = ""

    @property
    def lines(self) -> int:
        return sum(row.lines for row in self.rows)


def blocks_of(segments: Iterable[Segment]) -> tuple[Block, ...]:
    found: list[Block] = []
    runs = [(kind, list(rows)) for kind, rows in groupby(rows_of(segments), lambda row: row.kind)]
    for number, (kind, rows) in enumerate(runs):
        first, last = number == 0, number == len(runs) - 1
        if kind == "same" and first and last:
            kept_before, kept_after = _FIRST_SAME, 0
        elif kind == "same":
            kept_before, kept_after = 0 if first else _BESIDE, 0 if last else _BESIDE
        elif kind in {"a", "b"}:
            kept_before, kept_after = _FIRST_ALONE, _BESIDE
        else:
            kept_before, kept_after = len(rows), 0
        end = len(rows) - kept_after
        if end - kept_before < _WORTH_FOLDING:
            _show(found, rows)
            continue
        _show(found, rows[:kept_before])
        found.append(Block(tuple(rows[kept_before:end]), folded=kind))
        _show(found, rows[end:])
    return tuple(found)


def _show(blocks: list[Block], rows: Sequence[Row]) -> None:
    if blocks and not blocks[-1].folded:
        blocks[-1] = Block((*blocks[-1].rows, *rows))
    elif rows:
        blocks.append(Block(tuple(rows)))


def rows_of(segments: Iterable[Segment]) -> Iterator[Row]:
    row: list[Segment] = []
    for segment in _parted(segments):
        is_same = segment.kind == "same"
        # Two of these in a row were parted because both texts end a line between them.
        if row and ((is_same and row[-1].kind == "same") or _begins_line(segment, row[-1])):
            yield Row(tuple(row))
            row = []
        if not is_same and all(map(_is_alone, (*row, segment))):
            for line in _line_by_line(segment):
                row.append(line)
                if _ends_line(line.a or line.b):
                    yield Row(tuple(row))
                    row = []
            continue
        row.append(segment)
        if is_same and _ends_line(segment.a) and _ends_line(segment.b):
            yield Row(tuple(row))
            row = []
    if row:
        yield Row(tuple(row))


def _parted(segments: Iterable[Segment]) -> Iterator[Segment]:
    for segment in segments:
        lines = max(segment.a.count("\n"), segment.b.count("\n"))
        if segment.kind == "changed" and lines > _MOST_FACING:
            yield replace(segment, kind="removed", b="")
            yield replace(segment, kind="added", a="")
        else:
            yield segment


def _is_alone(segment: Segment) -> bool:
    return not (segment.a and segment.b)


def _begins_line(segment: Segment, before: Segment) -> bool:
    """What one side has alone, after the end of a line there."""
    if segment.kind == "same" or not _is_alone(segment):
        return False
    own, text = (segment.a, before.a) if segment.a else (segment.b, before.b)
    return _ends_line(text) or "\n" in own[: len(own) - len(own.lstrip())]


def _line_by_line(segment: Segment) -> Iterator[Segment]:
    """What it is about is said once."""
    about = segment.about
    for line in (segment.a or segment.b).splitlines(keepends=True):
        a, b = (line, "") if segment.a else ("", line)
        yield replace(segment, a=a, b=b, about=about)
        about = about if not line.strip() else ""


def _ends_line(text: str) -> bool:
    return "\n" in text[len(text.rstrip()) :]


@lru_cache(maxsize=4096)
def with_facts(text: str) -> tuple[tuple[str, str], ...]:
    """A text in parts, and for each what it states: 'amount', 'date' …, or nothing."""
    parts = []
    at = 0
    for fact in figures(text) if _DIGIT.search(text) else ():
        if fact.start < at:
            continue
        end = fact.start + len(fact.spelling)
        parts += [(text[at : fact.start], ""), (text[fact.start : end], fact.kind)]
        at = end
    return tuple(part for part in (*parts, (text[at:], "")) if part[0])
