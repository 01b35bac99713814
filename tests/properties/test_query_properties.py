"""Generated queries on generated libraries: both stores against plain Python.

The texts are short enough for sketches that keep every hash (level 0), so what the sketch finds is
certain and the sets must be equal. What a sample does to longer texts is a matter of chance, and
tested as such (tests/unit/test_query_plan.py).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents import SPEC
from elasticsearch_nodes import delete_indices
from libraries import STORES, opened_stores
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.library.search import Request, Search
from paperless_fingerprint.model import Document, StoredDocument, VersionChain
from paperless_fingerprint.query.searcher import Asker, Scope
from paperless_fingerprint.stores.opening import searcher_of
from slow_search import SlowSearch

_VOCABULARY = [
    "rechnung", "invoice", "re", "rechner", "übertrag", "strasse", "konto", "kontonummer", "march",
    "12", "2024", "a1", "発", "票", "ελλην", "total", "totals", "kunde", "kunden", "kundin",
]  # fmt: skip
_ASKERS = [
    None,
    Asker("1"),
    Asker("2", ("7",)),
    Asker("1", visible=frozenset(range(0, 1000, 2))),
    Asker("", ("7", "8")),
    Asker("3", superuser=True),
    Asker(),
]


def _library(seed: int) -> list[Document]:
    """Some thirty documents, many of them made of each other's passages."""
    rng = random.Random(seed)
    passages = [
        [rng.choice(_VOCABULARY) + rng.choice(["", str(n), "x"]) for _ in range(rng.randint(8, 30))]
        for n in range(12)
    ]
    documents = []
    for id in rng.sample(range(1, 200), 30):
        parts = rng.sample(passages, rng.randint(0, 4))
        words = [word for part in parts for word in part][:110]
        content = " ".join(word.upper() if rng.random() < 0.1 else word for word in words)
        documents.append(
            Document(
                id=id,
                uuid=f"00000000-0000-4000-8000-{id:012}",
                title=" ".join(rng.sample(_VOCABULARY, rng.randint(0, 3))),
                content=content,
                correspondent=rng.choice([None, "Stadtwerke Strasse", "Kunde & Co."]),
                document_type=rng.choice([None, "Invoice", "Re"]),
                created=rng.choice([None, "2024-01-31", "2024-03-05", "2023-12-31T23:00:00Z"]),
                added=rng.choice([None, "2025-01-01T00:00:00Z"]),
                tags=tuple(rng.sample(["inbox", "kunde a1", "2024"], rng.randint(0, 2))),
                page_count=rng.choice([None, 1, 2, 3]),
                archive_serial_number=rng.choice([None, rng.randint(1, 50)]),
                owner=rng.choice([None, "1", "2"]),
                viewers=tuple(rng.sample(["1", "2", "group:7"], rng.randint(0, 2))),
            )
        )
    return documents


_SEEDS = (1, 2)
_IDS = {seed: [document.id for document in _library(seed)] for seed in _SEEDS}
_CHAINS = {seed: VersionChain(f"v{min(ids[:3])}", tuple(ids[:3])) for seed, ids in _IDS.items()}


def _queries(ids: list[int]) -> st.SearchStrategy[str]:
    word = st.sampled_from(_VOCABULARY)
    fields = st.sampled_from(["", "title:", "content:", "correspondent:", "type:", "tag:"])
    text = st.one_of(
        word,
        st.lists(word, min_size=2, max_size=3).map(lambda words: f'"{" ".join(words)}"'),
        word.map(lambda w: w[: max(1, len(w) - 2)] + "*").filter(lambda w: w[0] not in "発票"),
        st.sampled_from(["k*n", "k?nde*", "re?", "r*r", "to*l?", "*", "12?*"]),
    )
    boost = st.sampled_from(["", "", "", "^2", "^0.5"])
    texts = st.builds(lambda f, t, b: f"{f}{t}{b}" if t != "*" else f"{f}*", fields, text, boost)
    attributes = st.sampled_from(
        [
            "created:2024", "created:2024-03", "created:[2023 TO 2024-01-31]", "created:*",
            "created:{2023 TO *]", "created:>=2024-03-05", "added:2025", "pages:[2 TO *]",
            "pages:2", "pages:<3", "asn:[10 TO 30}", "asn:*", "owner:1", "owner:*", "id:[50 TO 120]",
            f"id:{ids[0]}",
        ]
    )  # fmt: skip
    source = st.one_of(
        st.sampled_from(ids).map(str),
        st.sampled_from(ids).map(lambda id: f"00000000-0000-4000-8000-{id:012}"),
        st.just("9999"),
    )
    likeness = st.builds(
        lambda name, id, overlap: f"{name}:{id}{overlap}",
        st.sampled_from(["FINGERPRINT", "SIMILAR", "WITHIN"]),
        source,
        st.sampled_from(["", "_0", "_1", "_12.5", "_20", "_50", "_80", "_100"]),
    )
    leaf = st.one_of(texts, attributes, likeness, likeness)
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.builds(lambda a, b: f"({a} AND {b})", inner, inner),
            st.builds(lambda a, b: f"({a} OR {b})", inner, inner),
            st.builds(lambda a, b: f"({a} {b})", inner, inner),
            st.builds(lambda a, b: f"({a} -{b})", inner, inner),
            st.builds(lambda a, b, c: f"({a} OR +{b} OR {c})", inner, inner, inner),
            inner.map(lambda a: f"(NOT {a})"),
        ),
        max_leaves=6,
    )


class _Prepared:
    """A store filled once with a generated library, and its oracle."""

    def __init__(self, store, seed: int) -> None:
        documents = _library(seed)
        records = [StoredDocument(d, fingerprint(d.content, SPEC)) for d in documents]
        store.put(records[:20])
        # Some are there twice over: rewritten, removed and written again.
        store.put([replace(record) for record in records[5:]])
        store.delete([records[3].document.id])
        store.put([records[3]])
        chain = _CHAINS[seed]
        store.replace_chains(chain.members, [chain])
        self.slow = SlowSearch(documents, superseded=frozenset(chain.members[:-1]))
        self.searcher = searcher_of(store)
        self.search = Search(store, self.searcher, SPEC)


@pytest.fixture(scope="module")
def index_prefix(elasticsearch_pool) -> Iterator[str]:
    """As the one of all tests, but for the whole module: filling a library takes its time."""
    prefix = f"pf-test-{uuid4().hex}"
    yield prefix
    for url in elasticsearch_pool.urls():
        delete_indices(url, prefix)


@pytest.fixture(scope="module", params=[s for s in STORES if "reopened" not in s.id])
def prepared(request, tmp_path_factory, elasticsearch_pool) -> Iterator[dict[int, _Prepared]]:
    with opened_stores(request.param, request, Path(tmp_path_factory.mktemp("query"))) as make:
        made = {seed: _Prepared(make(), seed) for seed in _SEEDS}
        yield made
        for one in made.values():
            one.searcher.close()


@pytest.mark.parametrize("seed", _SEEDS)
@settings(
    max_examples=150, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(data=st.data())
def test_a_query_finds_what_plain_python_finds(prepared, seed, data) -> None:
    query = data.draw(_queries(_IDS[seed]), label="query")
    asker = data.draw(st.sampled_from(_ASKERS), label="asker")
    include_history = data.draw(st.booleans(), label="include history")
    one = prepared[seed]
    expected = one.slow.ids(query, asker=asker, include_history=include_history)
    answer = one.search.run(Request(query, Scope(asker, include_history)))
    assert {hit.id for hit in answer.hits} == expected
    assert len(answer.hits) == len(expected)
    assert (answer.total, answer.total_is_exact) == (len(expected), True)


@pytest.mark.parametrize("seed", _SEEDS)
@settings(
    max_examples=40, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(data=st.data())
def test_pages_together_are_the_whole(prepared, seed, data) -> None:
    query = data.draw(_queries(_IDS[seed]), label="query")
    sort = data.draw(
        st.sampled_from(["best", "containment", "jaccard", "created", "id", "pages"]), label="sort"
    )
    size = data.draw(st.integers(1, 7), label="page size")
    search = prepared[seed].search
    whole = search.run(Request(query, sort=sort))
    paged, after = [], ""
    while True:
        answer = search.run(Request(query, sort=sort, limit=size, after=after))
        paged += answer.hits
        after = answer.next
        if not after:
            break
        assert len(answer.hits) == size
    assert [hit.id for hit in paged] == [hit.id for hit in whole.hits]
