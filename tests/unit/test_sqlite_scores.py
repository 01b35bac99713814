"""Of a word that most documents hold not all are scored."""

from __future__ import annotations

from contextlib import closing

from documents import SPEC, some_text, stored
from paperless_fingerprint.library.search import Request, Search
from paperless_fingerprint.query.searcher import Asker, Scope
from paperless_fingerprint.stores.opening import searcher_of
from paperless_fingerprint.stores.sqlite import SqliteStore, pages


def test_the_newest_hits_of_a_frequent_word_are_scored(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(pages, "_SCORED_AT_MOST", 3)
    texts = {id: f"letter {some_text(20, seed=id)}" for id in range(1, 13)}
    texts[2] = texts[11] = "letter letter letter seldom"
    with closing(SqliteStore(tmp_path / "library.db")) as store:
        store.put([stored(id, text) for id, text in texts.items()])
        searcher = searcher_of(store)
        search = Search(store, searcher, SPEC)

        def found(query: str, asker: Asker | None = None, limit: int | None = 2) -> list[int]:
            scope = Scope(asker)
            ids: list[int] = []
            after = ""
            while True:
                answer = search.run(Request(query, scope, limit=limit, after=after))
                ids += [hit.id for hit in answer.hits]
                if not answer.next:
                    return ids
                after = answer.next

        assert found("letter")[0] == 11
        assert sorted(found("letter")) == sorted(texts)
        assert found("letter", limit=None)[:2] == [2, 11]
        # A rare word counts wherever it stands, and so does what somebody may see.
        assert found("seldom") == found("letter OR seldom")[:2] == [2, 11]
        few = Asker("7", visible=frozenset({1, 2, 3}))
        assert found("letter", few)[0] == 2
        assert sorted(found("letter", few)) == [1, 2, 3]
        searcher.close()
