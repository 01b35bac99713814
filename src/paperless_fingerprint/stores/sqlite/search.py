"""Searching the SQLite store: posting lists for likeness, FTS5 for words, columns for the rest."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from heapq import heappop, heappush
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.candidates import shared_hashes
from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.fingerprint import Hashes
from paperless_fingerprint.query.plan import SketchQuery, common_above
from paperless_fingerprint.query.searcher import (
    Found,
    Order,
    OrderBy,
    Place,
    Row,
    Scope,
    SearchTooLongError,
)
from paperless_fingerprint.query.tree import Node
from paperless_fingerprint.stores.sqlite.conditions import (
    Condition,
    Translator,
    all_of,
    in_scope,
)

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_ID_BITS = 32
_ID_MASK = (1 << _ID_BITS) - 1
#: Instructions of SQLite's machine between two looks at the clock.
_STEPS = 20_000
#: How far posting lists are read at first; each further round reads four times as far.
_FIRST_READ = 128
#: Sketches looked at for one candidate that is wanted; each further step takes four times as many.
_LOOK_AHEAD = 3
_ORDER = {
    OrderBy.ID: "d.id",
    OrderBy.CREATED: "coalesce(d.created, '')",
    OrderBy.ADDED: "coalesce(d.added, '')",
    OrderBy.PAGES: "coalesce(d.page_count, 0)",
}


class SqliteSearcher:
    """See query.searcher.Searcher. Has connections of its own, which cannot write."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._guard = threading.Lock()

    def close(self) -> None:
        with self._guard:
            for connection in self._connections:
                connection.close()
            self._connections.clear()
        self._local = threading.local()

    def rows(self, ids: Collection[int], *, with_texts: bool = True) -> dict[int, Row]:
        text = "content.text" if with_texts else "''"
        joined = "JOIN content ON content.id = d.id" if with_texts else ""
        with self._limited(Scope(), words=False) as connection:
            found = connection.execute(
                "SELECT d.id, d.uuid, d.title, d.id NOT IN (SELECT id FROM chain WHERE NOT "
                f"is_latest), {text}, d.created, d.added, d.page_count, d.owner, d.viewers, "
                "d.shingles, d.spec "
                f"FROM json_each(?) wanted JOIN document d ON d.id = wanted.value {joined}",
                (json.dumps(list(ids)),),
            ).fetchall()
        return {
            row[0]: Row(
                id=row[0],
                uuid=row[1],
                title=row[2],
                is_latest=bool(row[3]),
                text=row[4],
                created=row[5],
                added=row[6],
                page_count=row[7],
                owner=row[8],
                viewers=tuple(json.loads(row[9])),
                shingles=row[10],
                spec=row[11],
            )
            for row in found
        }

    def begin(self) -> None:
        """Every statement sees all that was committed before it."""

    def uncommon(self, hashes: Hashes, scope: Scope) -> Hashes:
        with self._limited(scope, words=False) as connection:
            common = common_above(_number_of_documents(connection))
            lengths = [
                len(_list(connection, prefix, common + 1))
                for prefix in (hashes >> np.uint64(33)).tolist()
            ]
        return hashes[np.array(lengths, np.int64) <= common]

    def candidates(
        self,
        query: SketchQuery,
        rest: Node | None,
        scope: Scope,
        *,
        after: Place | None = None,
        until: Place | None = None,
        step: int | None = None,
    ) -> Iterator[Found]:
        if query.finds_nothing:
            return
        with self._limited(scope, words=False) as connection:
            likely, bounds = _likely(connection, query)
        # The best ones are looked at first, and the rest only if somebody asks for it. A text that
        # other words must be in is found anew with each step, so there all are looked at at once.
        size = len(likely)
        if step is not None and rest is None and not query.per_shingle:
            size = _LOOK_AHEAD * step
        waiting: list[tuple[float, int, Found]] = []
        done = 0
        while done < len(likely):
            part, done = likely[done : done + size], done + size
            size *= 4
            for one in self._looked_at(query, rest, scope, part):
                heappush(waiting, (-float(one.value), one.id, one))
            # What was not looked at yet cannot be better than this.
            bound = float(bounds[done]) if done < len(likely) else -1.0
            while waiting and -waiting[0][0] > bound:
                one = heappop(waiting)[2]
                if until is not None and one.place.is_behind(until):
                    return
                if after is None or one.place.is_behind(after):
                    yield one

    def _looked_at(
        self, query: SketchQuery, rest: Node | None, scope: Scope, ids: Ids
    ) -> list[Found]:
        with self._limited(scope, words=rest is not None) as connection:
            translator = Translator(connection)
            condition = _on_candidates(translator, query, rest, scope)
            sql, values = translator.statement(
                "SELECT d.id, d.level, d.shingles, d.sketch "
                "FROM json_each(?) wanted JOIN document d ON d.id = wanted.value "
                f"WHERE {condition.sql}",
                (json.dumps(ids.tolist()), *condition.values),
            )
            return _scored(query, connection.execute(sql, values).fetchall())

    def page(
        self,
        node: Node,
        scope: Scope,
        order: Order,
        *,
        after: Place | None = None,
        excluding: Collection[int] = (),
        limit: int | None = None,
    ) -> list[Found]:
        with self._limited(scope) as connection:
            sql, values = _page_sql(
                Translator(connection), node, scope, order, after, excluding, limit
            )
            rows = connection.execute(sql, values).fetchall()
        if order.by is OrderBy.SCORE:
            return [Found(id, 0.0 - value, score=0.0 - value) for id, value in rows]
        return [Found(id, value) for id, value in rows]

    def count(self, node: Node, scope: Scope, at_most: int) -> int:
        with self._limited(scope) as connection:
            translator = Translator(connection)
            expression = translator.expression(node)
            if expression is not None and scope.restricted is None:
                source = _fts_source(scope)
                counted = connection.execute(
                    f"SELECT count(*) FROM (SELECT 1 {source} LIMIT ?)", (expression, at_most)
                )
            else:
                condition = all_of([translator.condition(node), *in_scope(scope)])
                sql, values = translator.statement(
                    f"SELECT count(*) FROM (SELECT 1 FROM document d WHERE {condition.sql} LIMIT ?)",
                    (*condition.values, at_most),
                )
                counted = connection.execute(sql, values)
            return int(counted.fetchone()[0])

    def explain(
        self, query: SketchQuery | None, rest: Node | None, scope: Scope, limit: int
    ) -> dict[str, Any]:
        with self._limited(scope) as connection:
            translator = Translator(connection)
            if query is None:
                assert rest is not None
                sql, values = _page_sql(translator, rest, scope, Order(), None, (), limit)
                return {"sql": _pasted(sql, values)}
            condition = _on_candidates(translator, query, rest, scope)
            prefixes = json.dumps((query.hashes >> np.uint64(33)).tolist())
            least = min(group.minimum for group in query.groups) if query.groups else 1
            sql = (
                "SELECT d.id, d.level, met.matches FROM (SELECT posting.key & 4294967295 AS met_id, count(*) "
                "AS matches FROM json_each(?) hash CROSS JOIN posting ON posting.key BETWEEN hash.value "
                "<< 32 AND hash.value << 32 | 4294967295 GROUP BY met_id HAVING matches >= ?) met "
                f"JOIN document d ON d.id = met.met_id WHERE {condition.sql} "
                "ORDER BY met.matches DESC LIMIT ?"
            )
            sql, values = translator.statement(sql, (prefixes, least, *condition.values, limit))
            return {"sql": _pasted(sql, values)}

    # Inside --------------------------------------------------------------------------------

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(
                self.path, timeout=60, isolation_level=None, check_same_thread=False
            )
            connection.execute("PRAGMA temp_store = MEMORY")
            # What patterns are expanded through; a view of the index that holds nothing itself.
            connection.execute(
                "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab (main, words, col)"
            )
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA cache_size = -65536")
            with self._guard:
                self._connections.append(connection)
            self._local.connection = connection
        return connection

    @contextmanager
    def _limited(self, scope: Scope, *, words: bool = True) -> Iterator[sqlite3.Connection]:
        """A connection that stops at the time limit.

        The handler is asked by SQLite's own machine; within FTS5 (`words`), which can be busy for
        long with one instruction, only an interrupt from another thread is seen.
        """
        connection = self._connection()
        seconds = scope.time_limit_seconds
        deadline = time.monotonic() + seconds
        guard = threading.Lock()
        running = True

        def interrupt() -> None:
            with guard:
                if running:
                    connection.interrupt()

        timer = threading.Timer(seconds, interrupt)
        timer.daemon = True
        if words:
            timer.start()
        connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
        try:
            yield connection
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                raise SearchTooLongError(seconds) from error
            raise _explained(self.path, error) from error
        except sqlite3.Error as error:
            raise _explained(self.path, error) from error
        finally:
            with guard:
                running = False
            timer.cancel()
            connection.set_progress_handler(None, 0)


def _explained(path: Path, error: sqlite3.Error) -> StoreError:
    return StoreError(
        f"The library {path} cannot be searched: SQLite says '{error}'. "
        "'paperless-fingerprint doctor' looks closer."
    )


def _pasted(sql: str, values: tuple[Any, ...]) -> str:
    """With its values in place, for the sqlite3 shell."""
    pieces = sql.split("?")
    shown = [
        "NULL" if v is None else str(v) if isinstance(v, int | float) else
        "'" + str(v).replace("'", "''") + "'"
        for v in values
    ]  # fmt: skip
    return "".join(p + v for p, v in zip(pieces, [*shown, ""], strict=True)) + ";"


# Words ---------------------------------------------------------------------------------------


def _fts_source(scope: Scope) -> str:
    hidden = (
        "" if scope.include_history
        else " AND rowid NOT IN (SELECT id FROM chain WHERE NOT is_latest)"
    )  # fmt: skip
    return f"FROM words WHERE words MATCH ?{hidden}"


def _page_sql(
    translator: Translator,
    node: Node,
    scope: Scope,
    order: Order,
    after: Place | None,
    excluding: Collection[int],
    limit: int | None,
) -> tuple[str, tuple[Any, ...]]:
    most = -1 if limit is None else limit
    unwanted = json.dumps(sorted(excluding))
    if order.by is OrderBy.SCORE:
        scorers = translator.scorers(node)
        expression = translator.expression(node)
        if expression is not None and scope.restricted is None and [b for b, _ in scorers] == [1.0]:
            without = " AND rowid NOT IN (SELECT value FROM json_each(?))" if excluding else ""
            sql = (
                f"SELECT rowid, bm25(words) AS score {_fts_source(scope)}{without} "
                "ORDER BY score, rowid LIMIT ?"
            )
            return sql, (expression, *([unwanted] if excluding else []), most)
        return _scored_sql(translator, node, scope, scorers, unwanted, most)
    conditions = [translator.condition(node), *in_scope(scope)]
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


def _scored_sql(
    translator: Translator,
    node: Node,
    scope: Scope,
    scorers: list[tuple[float, str]],
    unwanted: str,
    most: int,
) -> tuple[str, tuple[Any, ...]]:
    """Any tree, ordered by the sum of its words' scores."""
    condition = all_of([translator.condition(node), *in_scope(scope)])
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
        f"SELECT d.id, {score} AS score FROM document d {joined} WHERE {condition.sql} "
        "AND d.id NOT IN (SELECT value FROM json_each(?)) ORDER BY score, d.id LIMIT ?"
    )
    return translator.statement(sql, (*values, *condition.values, unwanted, most))


# Likeness ------------------------------------------------------------------------------------


def _on_candidates(
    translator: Translator, query: SketchQuery, rest: Node | None, scope: Scope
) -> Condition:
    conditions = [
        Condition("d.spec = ? AND d.id != ?", (query.spec, query.source)),
        *in_scope(scope),
    ]
    if query.shingles is not None:
        conditions.append(Condition("d.shingles BETWEEN ? AND ?", query.shingles))
    if rest is not None:
        conditions.append(translator.condition(rest))
    return all_of(conditions)


def _scored(query: SketchQuery, rows: list[tuple[int, int, int, bytes]]) -> list[Found]:
    """Counted again on the whole hashes: a posting holds 31 bits of each."""
    found: list[Found] = []
    for group in query.groups:
        own = [row for row in rows if row[1] in group.levels]
        counts = shared_hashes(query.hashes[: group.asked], [row[3] for row in own])
        for (id, _level, shingles, _sketch), matches in zip(own, counts, strict=True):
            score = matches * group.weight / (max(shingles, 1) if query.per_shingle else 1)
            if matches >= group.minimum and score >= group.least_score:
                found.append(Found(id, score, score=score))
    return found


def _likely(connection: sqlite3.Connection, query: SketchQuery) -> tuple[Ids, Floats]:
    """Documents that may have the minimum of matches of one of the groups, best first.

    And how high the score of each can be at most: which group it belongs to is not known yet.
    """
    lists, whole = _read(connection, query, (query.hashes >> np.uint64(33)).tolist())
    found: list[Ids] = []
    scores: list[Floats] = []
    for group in query.groups:
        read = [ids for ids, w in zip(lists, whole[: group.asked], strict=False) if w]
        if not read:
            continue
        unread = group.asked - len(read)
        ids, times = np.unique(np.concatenate(read), return_counts=True)
        enough = times >= group.minimum - unread
        found.append(ids[enough])
        scores.append((times[enough] + unread).astype(np.float64) * group.weight)
    if not found:
        return np.empty(0, np.int64), np.empty(0, np.float64)
    ids, bounds = np.concatenate(found), np.concatenate(scores)
    order = np.lexsort((ids, -bounds))
    ids, bounds = ids[order], bounds[order]
    _, first = np.unique(ids, return_index=True)
    first.sort()
    return ids[first], bounds[first]


def _read(
    connection: sqlite3.Connection, query: SketchQuery, prefixes: list[int]
) -> tuple[list[Ids], npt.NDArray[np.bool_]]:
    """The posting lists, and which of them are whole.

    Whoever has m of k matches stands in one of any k - m + 1 lists. So the longest need not be
    read, and they are most of the work. Up to three quarters of the minimum are left out: with more
    of them a document met in one list alone would have to be looked at.
    """
    lists = [np.empty(0, np.int64)] * len(prefixes)
    whole = np.zeros(len(prefixes), np.bool_)
    limit = _FIRST_READ
    while not whole.all():
        for place in np.flatnonzero(~whole).tolist():
            lists[place] = _list(connection, prefixes[place], limit)
            whole[place] = len(lists[place]) < limit
        if all(
            group.asked - np.count_nonzero(whole[: group.asked]) <= (group.minimum - 1) * 3 // 4
            for group in query.groups
        ):
            break
        limit *= 4
    return lists, whole


def _list(connection: sqlite3.Connection, prefix: int, limit: int) -> Ids:
    low = prefix << _ID_BITS
    keys = connection.execute(
        "SELECT key FROM posting WHERE key BETWEEN ? AND ? LIMIT ?", (low, low | _ID_MASK, limit)
    ).fetchall()
    return np.fromiter(chain.from_iterable(keys), np.int64, len(keys)) & _ID_MASK


def _number_of_documents(connection: sqlite3.Connection) -> int:
    """From FTS5's own record, where it stands first: counting rows would read all of them."""
    found = connection.execute("SELECT block FROM words_data WHERE id = 1").fetchone()
    number = 0
    for octet in found[0] if found else b"":
        number = number << 7 | octet & 0x7F
        if octet < 0x80:
            break
    return number
