"""Pages of hits as statements in SQL: by the score of words, or in an order of columns."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from paperless_fingerprint.query.searcher import Order, OrderBy, Place, Scope
from paperless_fingerprint.query.tree import Node
from paperless_fingerprint.stores.sqlite.conditions import (
    SUPERSEDED,
    Condition,
    Translator,
    all_of,
)

_ORDER = {
    OrderBy.ID: "d.id",
    OrderBy.CREATED: "coalesce(d.created, '')",
    OrderBy.ADDED: "coalesce(d.added, '')",
    OrderBy.PAGES: "coalesce(d.page_count, 0)",
}
#: To score a hit takes thirty times what it takes to find it.
_SCORED_AT_MOST = 10_000
Statement = tuple[str, tuple[Any, ...]]


def words_source(translator: Translator, expression: str, scope: Scope) -> Condition:
    """FROM and WHERE of what FTS5 finds alone: rights are asked of its rows, one after the other."""
    if scope.restricted is None:
        # Nothing of the documents is needed then, not even that they are there.
        hidden = "" if scope.include_history else f" AND words.rowid NOT IN ({SUPERSEDED})"
        return Condition(f"FROM words WHERE words MATCH ?{hidden}", (expression,))
    allowed = all_of(translator.in_scope(scope))
    # SQLite would take the rows themselves, which are not as near together.
    return Condition(
        "FROM words CROSS JOIN document d INDEXED BY document_rights ON d.id = words.rowid "
        f"WHERE words.words MATCH ? AND ({allowed.sql})",
        (expression, *allowed.values),
    )


def page_statement(
    translator: Translator,
    node: Node,
    scope: Scope,
    order: Order,
    after: Place | None,
    excluding: Collection[int],
    limit: int | None,
) -> Statement:
    most = -1 if limit is None else limit
    if order.by is OrderBy.SCORE:
        scorers = translator.scorers(node)
        expression = translator.expression(node)
        if expression is not None and [b for b, _ in scorers] == [1.0]:
            return _ranked(translator, expression, scope, excluding, most)
        return _scored(translator, node, scope, scorers, json.dumps(sorted(excluding)), most)
    conditions = [translator.condition(node), *translator.in_scope(scope)]
    column = _ORDER[order.by]
    if after is not None:
        sign = "<" if order.descending else ">"
        conditions.append(
            Condition(
                f"{column} {sign} ? OR ({column} = ? AND d.id > ?)",
                (after.value, after.value, after.id),
            )
        )
    condition = all_of(conditions)
    direction = "DESC" if order.descending else "ASC"
    sql = (
        f"SELECT d.id, {column} FROM document d WHERE {condition.sql} "
        f"ORDER BY {column} {direction}, d.id LIMIT ?"
    )
    return translator.statement(sql, (*condition.values, most))


def _ranked(
    translator: Translator, expression: str, scope: Scope, excluding: Collection[int], most: int
) -> Statement:
    """What FTS5 finds and scores alone; of a word that most documents hold the newest are scored."""
    found = words_source(translator, expression, scope)
    without = " AND words.rowid NOT IN (SELECT value FROM json_each(?))" if excluding else ""
    # Where one word may stand for another, a rare one is worth more than the rest.
    scored = -1 if most < 0 or " OR " in expression else max(most, _SCORED_AT_MOST)
    sql = (
        "SELECT id, score FROM (SELECT words.rowid AS id, words.rank AS score "
        f"{found.sql}{without} ORDER BY words.rowid DESC LIMIT ?) ORDER BY score, id LIMIT ?"
    )
    values = (*found.values, *([json.dumps(sorted(excluding))] if excluding else ()))
    return translator.statement(sql, (*values, scored, most))


def _scored(
    translator: Translator,
    node: Node,
    scope: Scope,
    scorers: list[tuple[float, str]],
    unwanted: str,
    most: int,
) -> Statement:
    """Any tree, ordered by the sum of its words' scores."""
    condition = all_of([translator.condition(node), *translator.in_scope(scope)])
    union = " UNION ALL ".join(
        "SELECT rowid AS id, rank * ? AS score FROM words WHERE words MATCH ?" for _ in scorers
    )
    values = tuple(value for scorer in scorers for value in scorer)
    joined = (
        f"LEFT JOIN (SELECT id, sum(score) AS score FROM ({union}) GROUP BY id) s ON s.id = d.id"
        if scorers
        else ""
    )
    score = "coalesce(s.score, 0.0)" if scorers else "0.0"
    sql = (
        f"SELECT d.id AS id, {score} AS score FROM document d {joined} WHERE {condition.sql} "
        "AND d.id NOT IN (SELECT value FROM json_each(?)) ORDER BY score, d.id LIMIT ?"
    )
    return translator.statement(sql, (*values, *condition.values, unwanted, most))


def pasted(sql: str, values: tuple[Any, ...]) -> str:
    """With its values in place, for the sqlite3 shell."""
    pieces = sql.split("?")
    shown = [
        "NULL" if v is None else str(v) if isinstance(v, int | float) else
        f"x'{v.hex()}'" if isinstance(v, bytes) else
        "'" + str(v).replace("'", "''") + "'"
        for v in values
    ]  # fmt: skip
    return "".join(p + v for p, v in zip(pieces, [*shown, ""], strict=True)) + ";"
