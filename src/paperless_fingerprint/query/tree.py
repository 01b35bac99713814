"""A query as a tree of values. Every leaf knows where in the query it was written.

Both stores translate this tree and nothing else, so that the same query means the same in both.
Words are normalised already (text.words); ranges are half open; boosts change the order only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias


class TextField(StrEnum):
    """Fields of words. ANY is all of them: a word without a field."""

    ANY = "any"
    TITLE = "title"
    CONTENT = "content"
    CORRESPONDENT = "correspondent"
    TYPE = "type"
    TAG = "tag"


class Attribute(StrEnum):
    """Fields of one value, compared as a whole."""

    ID = "id"
    CREATED = "created"
    ADDED = "added"
    SERIAL_NUMBER = "asn"
    PAGES = "pages"
    OWNER = "owner"


DATES = frozenset({Attribute.CREATED, Attribute.ADDED})
NUMBERS = frozenset({Attribute.ID, Attribute.SERIAL_NUMBER, Attribute.PAGES})


class Likeness(StrEnum):
    """The share that a term of likeness asks for, and of what."""

    #: Of the source's shingles, found in the hit.
    FINGERPRINT = "FINGERPRINT"
    #: Of the shingles of both together (jaccard).
    SIMILAR = "SIMILAR"
    #: Of the hit's shingles, found in the source.
    WITHIN = "WITHIN"


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Everything:
    span: Span


@dataclass(frozen=True, slots=True)
class Words:
    """One word, or several in a row, within one field of the document."""

    field: TextField
    words: tuple[str, ...]
    span: Span
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Pattern:
    """One word with `*` (any characters) or `?` (one character) in it, never at its start."""

    field: TextField
    pattern: str
    span: Span
    boost: float = 1.0

    @property
    def stem(self) -> str:
        """What every word that fits begins with."""
        return re.split(r"[*?]", self.pattern, maxsplit=1)[0]

    @property
    def is_prefix(self) -> bool:
        return self.pattern == self.stem + "*"


@dataclass(frozen=True, slots=True)
class Between:
    """low <= value < high; None is an open end, and both None means: has a value at all."""

    attribute: Attribute
    low: str | int | None
    high: str | int | None
    span: Span


@dataclass(frozen=True, slots=True)
class Filled:
    """The document has words in that field."""

    field: TextField
    span: Span


@dataclass(frozen=True, slots=True)
class Reference:
    """A document as a query names it: by its Paperless id, or by its UUID."""

    id: int | None = None
    uuid: str = ""

    def __str__(self) -> str:
        return str(self.id) if self.id is not None else self.uuid


@dataclass(frozen=True, slots=True)
class Alike:
    likeness: Likeness
    source: Reference
    #: From 0 to 1; None is any overlap at all.
    overlap: float | None
    #: From 0 to 1; None looks as hard as the sketch allows.
    probability: float | None
    span: Span
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Meaning:
    """Documents that are about the same as the source, whatever their words and language."""

    source: Reference
    #: Of the calibrated scale, from 0 to 1; None is 'related'.
    likeness: float | None
    span: Span


@dataclass(frozen=True, slots=True)
class Ids:
    """What a term of likeness has become once it was looked up: a set of documents."""

    ids: frozenset[int]
    span: Span


@dataclass(frozen=True, slots=True)
class SharedWith:
    """One of these names is among the document's viewers. No query can ask for it; rights are checked with it."""

    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Node


Leaf: TypeAlias = (
    Everything | Words | Pattern | Between | Filled | Alike | Meaning | Ids | SharedWith
)
Node: TypeAlias = Leaf | And | Or | Not


def leaves(node: Node, *, positive: bool = True) -> Iterator[tuple[Leaf, bool]]:
    """All leaves from left to right, and whether each one speaks for a document or against it."""
    match node:
        case And(parts) | Or(parts):
            for part in parts:
                yield from leaves(part, positive=positive)
        case Not(part):
            yield from leaves(part, positive=not positive)
        case _:
            yield node, positive


def replaced(node: Node, change: Callable[[Leaf, bool], Node], *, positive: bool = True) -> Node:
    """The tree with each leaf put through `change(leaf, positive)`."""
    match node:
        case And(parts):
            return And(tuple(replaced(part, change, positive=positive) for part in parts))
        case Or(parts):
            return Or(tuple(replaced(part, change, positive=positive) for part in parts))
        case Not(part):
            return Not(replaced(part, change, positive=not positive))
        case _:
            return change(node, positive)


def boosted(node: Node, factor: float) -> Node:
    def change(leaf: Leaf, _positive: bool) -> Node:
        if isinstance(leaf, Words | Pattern | Alike):
            return replace(leaf, boost=leaf.boost * factor)
        return leaf

    return replaced(node, change)


def height(node: Node) -> int:
    match node:
        case And(parts) | Or(parts):
            return 1 + max((height(part) for part in parts), default=0)
        case Not(part):
            return 1 + height(part)
    return 0


def conjuncts(node: Node) -> tuple[Node, ...]:
    """What must all be true, as flat as it goes."""
    if isinstance(node, And):
        return tuple(inner for part in node.parts for inner in conjuncts(part))
    return (node,)
