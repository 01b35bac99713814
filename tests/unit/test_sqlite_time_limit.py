"""No search in SQLite runs beyond its limit."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from paperless_fingerprint.query.searcher import Scope, SearchTooLongError
from paperless_fingerprint.stores.sqlite import SqliteStore
from paperless_fingerprint.stores.sqlite.search import SqliteSearcher

ENDLESS = (
    "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers) "
    "SELECT count(*) FROM numbers"
)


@pytest.fixture
def searcher(tmp_path: Path) -> Iterator[SqliteSearcher]:
    store = SqliteStore(tmp_path / "library.db")
    searcher = SqliteSearcher(store.path)
    yield searcher
    searcher.close()
    store.close()


def test_an_endless_statement_ends(searcher: SqliteSearcher) -> None:
    def run() -> None:
        with searcher._limited(Scope(time_limit_seconds=0.05)) as connection:
            connection.execute(ENDLESS).fetchall()

    for _ in range(2):
        with pytest.raises(SearchTooLongError):
            run()
        # What comes later on the same connection is left alone.
        with searcher._limited(Scope()) as connection:
            assert connection.execute("SELECT count(*) FROM content").fetchone() == (0,)


def test_many_short_statements_end_too(searcher: SqliteSearcher) -> None:
    def run() -> None:
        with searcher._limited(Scope(time_limit_seconds=0.05)) as connection:
            while True:
                connection.execute("SELECT count(*) FROM content").fetchone()

    with pytest.raises(SearchTooLongError):
        run()


def test_each_search_has_a_limit_of_its_own(searcher: SqliteSearcher) -> None:
    with ThreadPoolExecutor(4) as threads:
        ended = threading.Event()

        def endless(seconds: float) -> str:
            try:
                with searcher._limited(Scope(time_limit_seconds=seconds)) as connection:
                    if seconds > 1:
                        ended.wait()
                        return str(connection.execute("SELECT count(*) FROM content").fetchone())
                    return str(connection.execute(ENDLESS).fetchall())
            except SearchTooLongError:
                return "too long"

        long = threads.submit(endless, 60)
        short = [threads.submit(endless, seconds) for seconds in (0.2, 0.05, 0.1)]
        assert [one.result() for one in short] == ["too long"] * 3
        ended.set()
        assert long.result() == "(0,)"


def test_a_searcher_cannot_write(searcher: SqliteSearcher) -> None:
    with pytest.raises(Exception, match="readonly"), searcher._limited(Scope()) as connection:
        connection.execute("DELETE FROM content")
