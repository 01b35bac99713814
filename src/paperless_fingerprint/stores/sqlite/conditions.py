"""A query's tree as conditions in SQL: words through FTS5, the rest through columns."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.query.scope import Scope, visible_to
from paperless_fingerprint.query.tree import (
    And,
    Attribute,
    Between,
    Everything,
    Filled,
    Ids,
    Node,
    Not,
    Or,
    Pattern,
    SharedWith,
    TextField,
    Words,
    height,
    leaves,
)

#: Deeper than this a tree is put together step by step: the parsers of SQLite and of FTS5 have
#: stacks of a hundred places.
_DEEPEST = 6
#: Words that a pattern may stand for.
MAX_EXPANSIONS = 1000

_COLUMN = {
    TextField.TITLE: "title",
    TextField.CONTENT: "content",
    TextField.CORRESPONDENT: "correspondent",
    TextField.TYPE: "document_type",
    TextField.TAG: "tags",
}
#: The ids of users and groups in Paperless are of this kind.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9:_-]+")
_MOST_NAMES = 50
#: From so many on, and where no more of them would be empty.
_MANY_IDS, _BYTES_FOR_AN_ID = 1_000, 20
_ATTRIBUTE = {
    Attribute.ID: "id",
    Attribute.CREATED: "created",
    Attribute.ADDED: "added",
    Attribute.SERIAL_NUMBER: "archive_serial_number",
    Attribute.PAGES: "page_count",
    Attribute.OWNER: "owner",
}
#: Older versions.
SUPERSEDED = "SELECT id FROM chain WHERE NOT is_latest"
# Finds nothing: to the tokenizer this is a letter, to text/normalise.py it is none.
_NO_WORD = '"\u0080"'


@dataclass(frozen=True, slots=True)
class Condition:
    """On the table `document`, named d."""

    sql: str
    values: tuple[Any, ...] = ()


def all_of(conditions: Iterable[Condition]) -> Condition:
    listed = list(conditions)
    if not listed:
        return Condition("1")
    return Condition(
        " AND ".join(f"({condition.sql})" for condition in listed),
        tuple(value for condition in listed for value in condition.values),
    )


class Translator:
    """Needs the connection only to look up which words a pattern stands for."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._expansions: dict[Pattern, list[str]] = {}
        self._steps: list[Condition] = []

    def statement(self, sql: str, values: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
        """With the steps before it that its conditions are built on."""
        if not self._steps:
            return sql, values
        steps = ", ".join(
            f"step{number} AS MATERIALIZED (SELECT d.id FROM document d WHERE {step.sql})"
            for number, step in enumerate(self._steps)
        )
        before = tuple(value for step in self._steps for value in step.values)
        return f"WITH {steps} {sql}", (*before, *values)

    def in_scope(self, scope: Scope) -> list[Condition]:
        conditions = []
        if not scope.include_history:
            conditions.append(Condition(f"d.id NOT IN ({SUPERSEDED})"))
        if scope.restricted is not None:
            conditions.append(self.condition(visible_to(scope.restricted)))
        return conditions

    def condition(self, node: Node, depth: int = 0) -> Condition:
        if depth >= _DEEPEST and isinstance(node, And | Or | Not):
            step = self.condition(node)
            self._steps.append(step)
            return Condition(f"d.id IN (SELECT id FROM step{len(self._steps) - 1})")
        if (expression := self.expression(node)) is not None:
            return Condition("d.id IN (SELECT rowid FROM words WHERE words MATCH ?)", (expression,))
        match node:
            case And(parts):
                # What FTS5 can do is done there, in one go.
                words = [part for part in parts if self.expression(part) is not None]
                others = [part for part in parts if part not in words]
                if len(words) > 1 and others:
                    return self.condition(And((And(tuple(words)), *others)), depth)
                return all_of(self.condition(part, depth + 1) for part in parts)
            case Or(parts):
                conditions = [self.condition(part, depth + 1) for part in parts]
                return Condition(
                    " OR ".join(f"({condition.sql})" for condition in conditions) or "0",
                    tuple(value for condition in conditions for value in condition.values),
                )
            case Not(Between(attribute, None, None)):
                return Condition(f"d.{_ATTRIBUTE[attribute]} IS NULL")
            case Not(part):
                inner = self.condition(part, depth + 1)
                return Condition(f"NOT coalesce(({inner.sql}), 0)", inner.values)
            case Everything():
                return Condition("1")
            case Ids(ids):
                flags = _flags(ids)
                if flags is not None:
                    return Condition("substr(?, d.id + 1, 1) = x'01'", (flags,))
                return Condition(
                    "d.id IN (SELECT value FROM json_each(?))", (json.dumps(sorted(ids)),)
                )
            case SharedWith(names):
                return _shared_with(names)
            case Between(attribute, low, high):
                return _between(_ATTRIBUTE[attribute], low, high)
            case Filled(field):
                column = _COLUMN[field]
                if field is TextField.CONTENT:
                    return Condition("d.words > 0")
                if field is TextField.TAG:
                    return Condition("d.tags != '[]'")
                return Condition(f"d.{column} IS NOT NULL AND d.{column} != ''")
        raise TypeError(f"{type(node).__name__} has no translation")

    def expression(self, node: Node) -> str | None:
        """The node in FTS5's own language, where that can say it."""
        if height(node) > _DEEPEST:
            return None
        match node:
            case Words(field, words):
                return _in_column(field, '"' + " ".join(words) + '"')
            case Pattern(field) if node.is_prefix:
                return _in_column(field, f'"{node.stem}" *')
            case Pattern(field):
                listed = " OR ".join(f'"{word}"' for word in self.expanded(node))
                return _in_column(field, f"({listed})" if listed else _NO_WORD)
            case And(parts):
                wanted = [p for p in parts if not isinstance(p, Not)]
                unwanted = [p.part for p in parts if isinstance(p, Not)]
                found = [self.expression(part) for part in wanted]
                dropped = [self.expression(part) for part in unwanted]
                if not found or None in found or None in dropped:
                    return None
                joined = " AND ".join(f"({one})" for one in found)
                for one in dropped:
                    joined = f"({joined}) NOT ({one})"
                return joined
            case Or(parts):
                found = [self.expression(part) for part in parts]
                if not found or None in found:
                    return None
                return " OR ".join(f"({one})" for one in found)
        return None

    def expanded(self, pattern: Pattern) -> list[str]:
        """The words of the library that a pattern stands for."""
        if pattern not in self._expansions:
            column = _COLUMN.get(pattern.field)
            found = self._connection.execute(
                "SELECT DISTINCT term FROM vocabulary WHERE term >= ?1 AND term < ?2 "
                "AND term GLOB ?3 AND (?4 IS NULL OR col = ?4) LIMIT ?5",
                (
                    pattern.stem,
                    pattern.stem + "\U0010ffff",
                    pattern.pattern,
                    column,
                    MAX_EXPANSIONS + 1,
                ),
            ).fetchall()
            if len(found) > MAX_EXPANSIONS:
                raise UsageError(
                    f"'{pattern.pattern}' stands for more than {MAX_EXPANSIONS:,} words of this "
                    "library; write more letters before the first '*' or '?'."
                )
            self._expansions[pattern] = [term for (term,) in found]
        return self._expansions[pattern]

    def scorers(self, node: Node) -> list[tuple[float, str]]:
        """(boost, expression) whose bm25 make up the score: the words that speak for a document."""
        by_boost: defaultdict[float, list[str]] = defaultdict(list)
        for leaf, positive in leaves(node):
            if positive and isinstance(leaf, Words | Pattern):
                expression = self.expression(leaf)
                assert expression is not None
                by_boost[leaf.boost].append(f"({expression})")
        return [(boost, " OR ".join(listed)) for boost, listed in by_boost.items()]


def _shared_with(names: tuple[str, ...]) -> Condition:
    """Asked of every hit, so that reading the list of viewers as JSON is the exception.

    A plain name in quotes, behind a bracket or a comma, stands in the list if and only if it is one
    of its elements: a quote inside of a name has a backslash before it.
    """
    if len(names) <= _MOST_NAMES and all(map(_PLAIN_NAME.fullmatch, names)):
        return Condition(
            " OR ".join("instr(d.viewers, ?) OR instr(d.viewers, ?)" for _ in names) or "0",
            tuple(f'{before}"{name}"' for name in names for before in "[,"),
        )
    return Condition(
        "EXISTS (SELECT 1 FROM json_each(d.viewers) "
        "WHERE value IN (SELECT value FROM json_each(?)))",
        (json.dumps(names),),
    )


@lru_cache(16)
def _flags(ids: frozenset[int]) -> bytes | None:
    """A byte for each id up to the last one, where most of these are in the set: what somebody may
    see of a large library. To read that as JSON would take longer than to search."""
    last = max(ids, default=0)
    if len(ids) < _MANY_IDS or last > _BYTES_FOR_AN_ID * len(ids):
        return None
    flags = bytearray(last + 1)
    for id in ids:
        flags[id] = 1
    return bytes(flags)


def _in_column(field: TextField, expression: str) -> str:
    return expression if field is TextField.ANY else f"{{{_COLUMN[field]}}} : {expression}"


def _between(column: str, low: str | int | None, high: str | int | None) -> Condition:
    conditions, values = [f"d.{column} IS NOT NULL"], []
    if low is not None:
        conditions.append(f"d.{column} >= ?")
        values.append(low)
    if high is not None:
        conditions.append(f"d.{column} < ?")
        values.append(high)
    return Condition(" AND ".join(conditions), tuple(values))
