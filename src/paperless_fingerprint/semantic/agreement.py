"""How far two texts state the same, from a digest of what each of them states.

The digest is stored beside the embedding, so that nobody has to read a text again for it: a letter
of a form that is sent every month has hundreds of neighbours of the same meaning, and only the
facts tell which of them are worth a closer look.

What half of a document's neighbours state, too, is the form's and no evidence: the sender's
telephone number, the version of a manual. It counts the less, the more of them state it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from zlib import crc32

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.semantic.statements import Kind, Statement, Statements

Marks: TypeAlias = npt.NDArray[np.uint32]
Floats: TypeAlias = npt.NDArray[np.float64]

#: Named in every digest; one of another version is not read.
_VERSION = 1
_HEADER = 2
#: A mark is a hash with its kind in the last bits; 0 is another reading of a mark beside it.
_KIND_BITS = 3
_KIND_MASK = (1 << _KIND_BITS) - 1
_KINDS = (Kind.DATE, Kind.AMOUNT, Kind.REFERENCE, Kind.NUMBER, Kind.NUMBER)
_SMALL_NUMBER = 5
#: How much each kind tells: '3 copies' stands in many texts by chance, a reference in none.
_WEIGHTS = np.array([0.0, 2.0, 2.0, 2.5, 1.0, 0.5, 0.0, 0.0])
#: A book states more than anybody compares; its beginning is enough.
_MOST_MARKS = 400
#: So many documents may well say the same in several languages and copies.
_COMMON_FROM = 10


@dataclass(frozen=True, slots=True)
class Agreement:
    """What two texts both state, by weight."""

    #: Of the text that states less.
    least: float = 0.0
    #: The share of that text's facts that the other states, too ...
    kept: float = 0.0
    #: ... and the share of the facts of the text that states more.
    covered: float = 0.0
    #: The shorter text's length as a share of the longer one's.
    size_ratio: float = 1.0
    #: The share of facts that each text has for itself alone, of one kind.
    conflict: float = 0.0
    #: The share of the names of one text that stand in the other; None where there are none.
    names: float | None = None
    shared_kinds: tuple[Kind, ...] = ()
    conflicting_kinds: tuple[Kind, ...] = ()


def digest(statements: Statements) -> bytes:
    """The text's size, and four octets a reading: a hash, and the kind of what is stated."""
    marks: dict[int, int] = {}
    for statement in statements.found:
        if statement.kind is Kind.NAME:
            continue
        # Every reading can be met, but the statement counts once.
        for place, reading in enumerate(sorted(statement.readings)):
            kind = 0 if place else _kind_number(statement)
            key = crc32(reading.encode()) >> _KIND_BITS
            marks[key] = max(marks.get(key, 0), kind)
        if len(marks) >= _MOST_MARKS:
            break
    packed = sorted(key << _KIND_BITS | kind for key, kind in marks.items())
    return np.array([_VERSION, statements.size, *packed], "<u4").tobytes()


def _kind_number(statement: Statement) -> int:
    if statement.kind is Kind.NUMBER and all(len(text) <= 2 for text in statement.readings):
        return _SMALL_NUMBER
    return int(statement.kind) + 1


def _marks(packed: bytes) -> Marks:
    values = np.frombuffer(packed, "<u4")
    return values[_HEADER:] if len(values) and values[0] == _VERSION else values[:0]


def _size(packed: bytes) -> int:
    return int.from_bytes(packed[4:8], "little")


class Commonness:
    """In how many of these documents each fact stands."""

    def __init__(self, digests: Iterable[bytes]) -> None:
        keys = [_marks(packed) >> _KIND_BITS for packed in digests]
        pooled = np.concatenate(keys) if keys else np.empty(0, np.uint32)
        self._keys, self._counts = np.unique(pooled, return_counts=True)

    def weights(self, marks: Marks) -> Floats:
        """What each of these marks tells."""
        weights: Floats = _WEIGHTS[marks & _KIND_MASK]
        if not len(self._keys):
            return weights
        keys = marks >> _KIND_BITS
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        counts = np.where(self._keys[places] == keys, self._counts[places], 1)
        result: Floats = weights * np.minimum(1.0, _COMMON_FROM / counts)
        return result


def agreement(a: bytes, b: bytes, common: Commonness, names: float | None = None) -> Agreement:
    marks_a, marks_b = _marks(a), _marks(b)
    weights_a, weights_b = common.weights(marks_a), common.weights(marks_b)
    met_a = np.isin(marks_a >> _KIND_BITS, marks_b >> _KIND_BITS)
    met_b = np.isin(marks_b >> _KIND_BITS, marks_a >> _KIND_BITS)
    # A fact is shared where any of its readings is; the one that counts may be the other's.
    shared = max(float(weights_a[met_a].sum()), float(weights_b[met_b].sum()))
    own_a, own_b = _own(marks_a, weights_a, met_a), _own(marks_b, weights_b, met_b)
    # A conflict takes two: what only one side states may be left out, or written in words.
    conflicts = {kind: min(own_a[kind], own_b[kind]) for kind in own_a if kind in own_b}
    conflict = sum(conflicts.values())
    totals = (float(weights_a.sum()), float(weights_b.sum()))
    least, most = min(totals), max(totals)
    return Agreement(
        least=least,
        kept=min(1.0, shared / least) if least else 0.0,
        covered=min(1.0, shared / most) if most else 0.0,
        size_ratio=float(_ratios(_size(a), np.array([_size(b)]))[0]),
        conflict=conflict / (conflict + shared) if conflict else 0.0,
        names=names,
        shared_kinds=_kinds((marks_a[met_a], marks_b[met_b])),
        conflicting_kinds=tuple(sorted(conflicts)),
    )


def _kinds(marks: Sequence[Marks]) -> tuple[Kind, ...]:
    numbers = {int(number) for some in marks for number in some & _KIND_MASK if number}
    return tuple(sorted({_KINDS[number - 1] for number in numbers}))


def _own(marks: Marks, weights: Floats, met: npt.NDArray[np.bool_]) -> dict[Kind, float]:
    own: dict[Kind, float] = {}
    for mark, weight in zip(marks[~met] & _KIND_MASK, weights[~met], strict=True):
        if mark:
            kind = _KINDS[mark - 1]
            own[kind] = own.get(kind, 0.0) + float(weight)
    return own


@dataclass(frozen=True, slots=True, eq=False)
class Agreements:
    """The same for many pairs at once, as far as one look tells: without conflicts and names."""

    least: Floats
    kept: Floats
    covered: Floats
    size_ratio: Floats


def agreements(own: bytes, others: Sequence[bytes], common: Commonness) -> Agreements:
    mine = _marks(own)
    each = [_marks(other) for other in others]
    pooled = np.concatenate(each) if each else mine[:0]
    ends = np.cumsum([len(marks) for marks in each], dtype=np.int64)
    weights = common.weights(pooled)
    own_weights = common.weights(mine)
    shared = np.zeros(len(pooled))
    if len(mine):
        keys = mine >> _KIND_BITS
        places = np.minimum(np.searchsorted(keys, pooled >> _KIND_BITS), len(keys) - 1)
        same = keys[places] == pooled >> _KIND_BITS
        shared = np.where(same, np.maximum(weights, own_weights[places]), 0.0)
    totals, own_total = _sums(weights, ends), float(own_weights.sum())
    found = _sums(shared, ends)
    least = np.minimum(totals, own_total)
    return Agreements(
        least,
        np.minimum(1.0, found / np.maximum(least, 1e-9)),
        np.minimum(1.0, found / np.maximum(np.maximum(totals, own_total), 1e-9)),
        _ratios(_size(own), np.array([_size(other) for other in others])),
    )


def _ratios(own: int, others: npt.NDArray[np.int64]) -> Floats:
    result: Floats = np.minimum(own, others) / np.maximum(np.maximum(own, others), 1)
    return result


def _sums(values: Floats, ends: npt.NDArray[np.int64]) -> Floats:
    running = np.concatenate(([0.0], np.cumsum(values)))
    starts = np.concatenate(([0], ends[:-1])) if len(ends) else ends
    result: Floats = running[ends] - running[starts]
    return result


def names_kept(a: Statements, b: Statements) -> float | None:
    """German writes every noun like a name, so the better of the two sides counts."""
    shares = []
    for one, other in ((a, b), (b, a)):
        names = [name for s in one.found if s.kind is Kind.NAME for name in s.readings]
        if len(names) >= 2:
            shares.append(sum(name in other.words for name in names) / len(names))
    return max(shares) if shares else None
