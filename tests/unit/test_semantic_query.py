"""SEMANTIC:<id>_<%> in the query language."""

from __future__ import annotations

from contextlib import closing

import pytest

from documents import SPEC
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.library.search import Request, Search
from paperless_fingerprint.model import Document, StoredDocument
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.query.language import QueryError, parse
from paperless_fingerprint.query.searcher import Asker, Scope
from paperless_fingerprint.query.tree import Meaning, Reference
from paperless_fingerprint.semantic.embedders.base import Usem3Embedder
from paperless_fingerprint.semantic.embedding import embed_missing
from paperless_fingerprint.semantic.searching import opened_meanings
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.opening import open_vectors, searcher_of
from paperless_fingerprint.stores.sqlite import SqliteStore

SETTINGS = load({}, {})
TEXTS = {
    1: "Die Heizung wird am Montag gewartet. Bitte sorgen Sie dafür, dass der Techniker Zugang zum "
    "Keller und zu allen Heizkörpern in Ihrer Wohnung hat. Die Wartung dauert etwa zwei Stunden.",
    2: "The heating will be serviced on Monday. Please make sure that the technician has access to "
    "the cellar and to all radiators in your flat. The maintenance takes about two hours.",
    3: "For the apple cake, beat butter, sugar and eggs until fluffy, add the flour and cover the "
    "dough with peeled apples. Bake it for an hour in a moderate oven and let it cool down.",
    4: "Le chauffage sera entretenu lundi. Veillez à ce que le technicien ait accès à la cave et à "
    "tous les radiateurs de votre appartement. L'entretien dure environ deux heures.",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    store = SqliteStore(tmp_path_factory.mktemp("semantic") / "library.db")
    store.put(
        [
            StoredDocument(
                Document(id, f"Title {id}", text, owner="7" if id == 4 else None),
                fingerprint(text, SPEC),
            )
            for id, text in TEXTS.items()
        ]
    )
    vectors = open_vectors(store)
    embed_missing(store, vectors, SETTINGS, Silent(), embedder=Usem3Embedder())
    vectors.close()
    yield store
    store.close()


@pytest.fixture
def search(library):
    with closing(searcher_of(library)) as searcher, opened_meanings(library, SETTINGS) as meanings:
        yield Search(library, searcher, SPEC, meanings)


def found(search, query, **more) -> set[int]:
    return {hit.id for hit in search.run(Request(query, **more)).hits}


def test_the_term_is_read():
    tree = parse("SEMANTIC:12_92")
    assert isinstance(tree, Meaning)
    assert (tree.source, tree.likeness) == (Reference(id=12), 0.92)
    assert parse("semantic:12").likeness is None
    assert parse('SEMANTIC:"https://paperless.example/documents/12/details_85"').likeness == 0.85


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SEMANTIC:12_85_90", "one percentage, the likeness"),
        ("SEMANTIC:12_120", "120"),
        ("SEMANTICS:12", "did you mean 'semantic'"),
    ],
)
def test_what_is_not_understood_is_told(query, message):
    with pytest.raises(QueryError, match=message):
        parse(query)


def test_translations_are_found_and_the_source_is_not(search):
    assert found(search, "SEMANTIC:1_85") == {2, 4}
    assert found(search, "SEMANTIC:1") == {2, 4}
    assert found(search, "SEMANTIC:3_85") == set()
    assert found(search, "SEMANTIC:1_0") == {2, 3, 4}


def test_it_goes_together_with_words_and_not(search):
    assert found(search, "SEMANTIC:1_85 AND heating") == {2}
    assert found(search, "NOT SEMANTIC:1_85") == {1, 3}
    assert found(search, "SEMANTIC:1_85 OR apple") == {2, 3, 4}


def test_nobody_learns_about_a_document_that_they_may_not_see(search):
    scope = Scope(asker=Asker(user="3"))
    assert found(search, "SEMANTIC:1_85", scope=scope) == {2}
    answer = search.run(Request("SEMANTIC:4_85", scope=scope))
    assert answer.hits == ()
    assert answer.notes == search.run(Request("SEMANTIC:99_85", scope=scope)).notes or all(
        "There is no document" in note for note in answer.notes
    )


def test_where_the_tier_is_off_a_note_says_so(library):
    with closing(searcher_of(library)) as searcher:
        answer = Search(library, searcher, SPEC).run(Request("SEMANTIC:1_85 OR apple"))
    assert [hit.id for hit in answer.hits] == [3]
    assert any("[semantic] enabled" in note for note in answer.notes)


def test_a_document_without_embedding_is_a_note(library, search):
    library.put([StoredDocument(Document(9, content=TEXTS[3]), fingerprint(TEXTS[3], SPEC))])
    answer = search.run(Request("SEMANTIC:9_85"))
    assert answer.hits == ()
    assert any("Document 9 has no embedding yet" in note for note in answer.notes)
    library.delete([9])
