"""Neither SQLite's own machine nor FTS5 inside it runs beyond the limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperless_fingerprint.query.searcher import Scope, SearchTooLongError
from paperless_fingerprint.stores.sqlite import SqliteStore
from paperless_fingerprint.stores.sqlite.search import SqliteSearcher

ENDLESS = (
    "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers) "
    "SELECT count(*) FROM numbers"
)


@pytest.mark.parametrize("stopped_by", ["the machine's own look at the clock", "another thread"])
def test_an_endless_statement_ends(tmp_path: Path, stopped_by: str) -> None:
    store = SqliteStore(tmp_path / "library.db")
    searcher = SqliteSearcher(store.path)
    by_thread = stopped_by == "another thread"

    def run() -> None:
        scope = Scope(time_limit_seconds=0.05)
        with searcher._limited(scope, words=by_thread) as connection:
            if by_thread:
                connection.set_progress_handler(None, 0)
            connection.execute(ENDLESS).fetchall()

    with pytest.raises(SearchTooLongError):
        run()
    with searcher._limited(Scope()) as connection:
        assert connection.execute("SELECT count(*) FROM content").fetchone() == (0,)
    searcher.close()
    store.close()


def test_a_searcher_cannot_write(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "library.db")
    searcher = SqliteSearcher(store.path)
    with pytest.raises(Exception, match="readonly"), searcher._limited(Scope()) as connection:
        connection.execute("DELETE FROM content")
    searcher.close()
    store.close()
