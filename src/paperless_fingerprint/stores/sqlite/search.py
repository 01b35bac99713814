"""Searching the SQLite store: posting lists for likeness, FTS5 for words, columns for the rest."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

import numpy as np

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.files.sqlite import VOCABULARY, SqliteFile
from paperless_fingerprint.fingerprints.shingles import Hashes
from paperless_fingerprint.query.offers import is_near
from paperless_fingerprint.query.plan import SketchQuery, common_above
from paperless_fingerprint.query.searcher import (
    Found,
    Listed,
    Order,
    OrderBy,
    Place,
    Row,
    Scope,
    SearchTooLongError,
)
from paperless_fingerprint.query.tree import Node, Span, TextField, Words
from paperless_fingerprint.stores.sqlite.conditions import (
    SUPERSEDED,
    Condition,
    Translator,
    all_of,
)
from paperless_fingerprint.stores.sqlite.pages import page_statement, pasted, words_source
from paperless_fingerprint.stores.sqlite.postings import (
    Ids,
    lengths,
    post_those_that_wait,
    some_wait,
)
from paperless_fingerprint.stores.sqlite.sketch_search import likely, number_of_documents, scored
from paperless_fingerprint.stores.sqlite.time_limit import TimeLimit

#: Sketches looked at for one candidate that is wanted; each further step takes four times as many.
_LOOK_AHEAD = 3
#: Words that may be meant where one was not found; of what is longer nobody would want to read.
_RESEMBLING = 2_000
_TRIED = 40
_LONGEST_WORD = 40


class SqliteSearcher(SqliteFile):
    """See query.searcher.Searcher. Has connections of its own, which cannot write."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self._limit = TimeLimit()
        self._writer = SqliteFile(path)

    def close(self) -> None:
        self._limit.close()
        self._writer.close()
        super().close()

    def rows(self, ids: Collection[int], *, with_texts: bool = True) -> dict[int, Row]:
        text = "content.text" if with_texts else "''"
        joined = "JOIN content ON content.id = d.id" if with_texts else ""
        with self._limited(Scope()) as connection:
            found = connection.execute(
                f"SELECT d.id, d.uuid, d.title, d.id NOT IN ({SUPERSEDED}), {text}, d.created, "
                "d.added, d.page_count, d.owner, d.viewers, d.shingles, d.spec "
                f"FROM json_each(?) wanted JOIN document d ON d.id = wanted.value {joined}",
                (json.dumps(list(ids)),),
            ).fetchall()
        return {
            id: Row(
                id, uuid, title, bool(is_latest), text, created, added, pages, owner,
                tuple(json.loads(viewers)), shingles, spec,
            )
            for id, uuid, title, is_latest, text, created, added, pages, owner, viewers, shingles, spec
            in found
        }  # fmt: skip

    def begin(self) -> None:
        """Every statement sees all that was committed before it."""

    def uncommon(self, hashes: Hashes, scope: Scope) -> Hashes:
        with self._with_postings(scope) as connection:
            common = common_above(number_of_documents(connection))
            found = lengths(connection, (hashes >> np.uint64(33)).tolist(), common + 1)
        return hashes[np.array(found, np.int64) <= common]

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
        with self._with_postings(scope) as connection:
            ids, bounds = likely(connection, query)
        # The best ones are looked at first, and the rest only if somebody asks for it. A text that
        # other words must be in is found anew with each step, so there all are looked at at once.
        size = len(ids)
        if step is not None and rest is None and not query.per_shingle:
            size = _LOOK_AHEAD * step
        waiting: list[tuple[float, int, Found]] = []
        done = 0
        while done < len(ids):
            part, done = ids[done : done + size], done + size
            size *= 4
            for one in self._looked_at(query, rest, scope, part):
                heappush(waiting, (-float(one.value), one.id, one))
            # What was not looked at yet cannot be better than this.
            bound = float(bounds[done]) if done < len(ids) else -1.0
            while waiting and -waiting[0][0] > bound:
                one = heappop(waiting)[2]
                if until is not None and one.place.is_behind(until):
                    return
                if after is None or one.place.is_behind(after):
                    yield one

    def _looked_at(
        self, query: SketchQuery, rest: Node | None, scope: Scope, ids: Ids
    ) -> list[Found]:
        with self._limited(scope) as connection:
            translator = Translator(connection)
            condition = _on_candidates(translator, query, rest, scope)
            sql, values = translator.statement(
                "SELECT d.id, d.level, d.shingles, d.sketch "
                "FROM json_each(?) wanted JOIN document d ON d.id = wanted.value "
                f"WHERE {condition.sql}",
                (json.dumps(ids.tolist()), *condition.values),
            )
            return scored(query, connection.execute(sql, values).fetchall())

    def page(
        self,
        node: Node,
        scope: Scope,
        order: Order,
        *,
        after: Place | None = None,
        excluding: Collection[int] = (),
        limit: int | None = None,
        counting: int = 0,  # noqa: ARG002 - here it is a statement of its own, see count()
    ) -> Listed:
        with self._limited(scope) as connection:
            sql, values = page_statement(
                Translator(connection), node, scope, order, after, excluding, limit
            )
            rows = connection.execute(sql, values).fetchall()
        if order.by is OrderBy.SCORE:
            return Listed([Found(id, 0.0 - value, score=0.0 - value) for id, value in rows])
        return Listed([Found(id, value) for id, value in rows])

    def count(self, node: Node, scope: Scope, at_most: int) -> int:
        with self._limited(scope) as connection:
            translator = Translator(connection)
            expression = translator.expression(node)
            if expression is not None:
                source = words_source(translator, expression, scope)
            else:
                source = all_of([translator.condition(node), *translator.in_scope(scope)])
                source = Condition(f"FROM document d WHERE {source.sql}", source.values)
            sql, values = translator.statement(
                f"SELECT count(*) FROM (SELECT 1 {source.sql} LIMIT ?)", (*source.values, at_most)
            )
            return int(connection.execute(sql, values).fetchone()[0])

    def resembling(self, word: str, scope: Scope) -> list[str]:
        # What begins with the same letter stands together; for the rest all words are read, and
        # where that takes too long, the first must do.
        words = self._words(
            scope,
            "term >= ?2 AND term < ?3 AND abs(length(term) - length(?1)) <= 2",
            (word, word[0], chr(ord(word[0]) + 1)),
        )
        with suppress(SearchTooLongError):
            words += self._words(
                scope,
                "instr(term, ?1) OR (abs(length(term) - length(?1)) <= 2 AND substr(term, -3) = ?2)",
                (word, word[-3:]),
            )
        near = [term for term in dict.fromkeys(words) if word in term or is_near(word, term)]
        if scope.restricted is None:
            return near
        # What stands in hidden documents alone is not told.
        return [
            term
            for term in near[:_TRIED]
            if self.count(Words(TextField.ANY, (term,), Span(0, 0)), scope, 1)
        ]

    def _words(self, scope: Scope, condition: str, values: tuple[str, ...]) -> list[str]:
        """Of the library; of many those that stand in most documents: rare ones are misread."""
        with self._limited(scope) as connection:
            found = connection.execute(
                f"SELECT term FROM spellings WHERE ({condition}) AND term != ?1 "
                f"AND length(term) <= {_LONGEST_WORD} ORDER BY doc DESC LIMIT {_RESEMBLING}",
                values,
            ).fetchall()
        return [term for (term,) in found]

    def explain(
        self, query: SketchQuery | None, rest: Node | None, scope: Scope, limit: int
    ) -> dict[str, Any]:
        with self._limited(scope) as connection:
            translator = Translator(connection)
            if query is None:
                assert rest is not None
                sql, values = page_statement(translator, rest, scope, Order(), None, (), limit)
                return {"sql": pasted(sql, values)}
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
            return {"sql": pasted(sql, values)}

    # Inside --------------------------------------------------------------------------------

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA temp_store = MEMORY")
        # What patterns are expanded through.
        connection.execute(VOCABULARY)
        connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.spellings USING fts5vocab (main, words, row)"
        )
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA cache_size = -65536")

    @contextmanager
    def _with_postings(self, scope: Scope) -> Iterator[sqlite3.Connection]:
        """Of all documents: an import that is under way, or was killed, has left some to its end."""
        with self._limited(scope) as connection:
            waiting = some_wait(connection)
        if waiting:
            post_those_that_wait(self._writer)
        with self._limited(scope) as connection:
            yield connection

    @contextmanager
    def _limited(self, scope: Scope) -> Iterator[sqlite3.Connection]:
        """A connection that stops at the time limit."""
        seconds = scope.time_limit_seconds
        try:
            with (
                self.using() as connection,
                self._limit.watching(connection, time.monotonic() + seconds),
            ):
                yield connection
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                raise SearchTooLongError(seconds) from error
            raise self._explained(error) from error
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def _explained(self, error: sqlite3.Error) -> StoreError:
        return StoreError(
            f"The library {self.path} cannot be searched: SQLite says '{error}'. "
            "'paperless-fingerprint doctor' looks closer."
        )


def _on_candidates(
    translator: Translator, query: SketchQuery, rest: Node | None, scope: Scope
) -> Condition:
    conditions = [
        Condition("d.spec = ? AND d.id != ?", (query.spec, query.source)),
        *translator.in_scope(scope),
    ]
    if query.shingles is not None:
        conditions.append(Condition("d.shingles BETWEEN ? AND ?", query.shingles))
    if rest is not None:
        conditions.append(translator.condition(rest))
    return all_of(conditions)
