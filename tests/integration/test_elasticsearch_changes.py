"""Following a library on a search server: where notes are gone, were never made, or could not be."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from documents import stored
from elasticsearch_nodes import client_for, open_test_store
from elasticsearch_proxy import Answer, Request, proxy_for
from paperless_fingerprint.model import Pair, Relation
from paperless_fingerprint.stores.elasticsearch import changes
from paperless_fingerprint.stores.elasticsearch.store import ElasticsearchStore
from paperless_fingerprint.stores.opening import Revision, revision_of

pytestmark = pytest.mark.elasticsearch


@pytest.fixture
def store(elasticsearch9: str, index_prefix: str) -> Iterator[ElasticsearchStore]:
    made = open_test_store(elasticsearch9, index_prefix)
    yield made
    made.close()


@pytest.fixture
def revision(store: ElasticsearchStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[Revision]:
    monkeypatch.setattr(changes, "_IN_FLIGHT_SECONDS", 0.0)
    monkeypatch.setattr(changes, "_IN_FLIGHT", 0)
    monkeypatch.setattr(changes, "_REMEMBERED", -1)
    made = revision_of(store)
    yield made
    made.close()


def test_old_notes_go_and_who_has_not_looked_since_reads_all(
    store: ElasticsearchStore,
    revision: Revision,
    elasticsearch9: str,
    index_prefix: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store.put([stored(1, "text")])
    number, _ = revision.changes(None)
    monkeypatch.setattr(changes, "_KEPT", 3)
    monkeypatch.setattr(changes, "_CLEARED_EVERY", 1)
    for id in range(2, 5):
        store.put([stored(id, "text")])
    number, ids = revision.changes(number)
    assert ids == {2, 3, 4}
    for id in range(5, 15):
        store.put([stored(id, "text")])
        with client_for(elasticsearch9) as client:
            client.indices.refresh(index=f"{index_prefix}-library")
    _, ids = revision.changes(number)
    assert ids is None
    with client_for(elasticsearch9) as client:
        kept = client.count(index=f"{index_prefix}-library", query={"term": {"kind": "change"}})
    assert kept["count"] <= 5


def test_what_an_earlier_version_writes_has_no_note(
    store: ElasticsearchStore, revision: Revision, elasticsearch9: str, index_prefix: str
) -> None:
    store.put([stored(1, "text")])
    number, _ = revision.changes(None)
    with client_for(elasticsearch9) as client:
        client.delete(index=f"{index_prefix}-documents", id="1")
    number, ids = revision.changes(number)
    assert ids is None
    store.put([stored(2, "text")])
    assert revision.changes(number)[1] == {2}


def test_a_write_that_is_made_again_is_told_again(
    store: ElasticsearchStore, revision: Revision, elasticsearch9: str, index_prefix: str
) -> None:
    number, _ = revision.changes(None)
    refusals = [429, 429]

    def intercept(request: Request) -> Answer | None:
        if "_bulk" in request.path and b"change-" in request.body and refusals:
            return Answer(refusals.pop(), {"error": {"reason": "too busy"}})
        return None

    with proxy_for(elasticsearch9) as proxy:
        busy = open_test_store(proxy.url, index_prefix)
        proxy.intercept = intercept
        busy.put([stored(1, "text")])
        busy.close()
    assert not refusals
    assert store.ids() == [1]
    assert revision.changes(number)[1] == {1}


def test_what_took_long_is_told_once_more(
    store: ElasticsearchStore,
    revision: Revision,
    elasticsearch9: str,
    index_prefix: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    number, _ = revision.changes(None)
    seen: list[frozenset[int] | None] = []

    def intercept(request: Request) -> Answer | None:
        nonlocal number
        if "_bulk" in request.path and b"change-" in request.body:
            # The next one is no longer long; what was told until then is seen.
            monkeypatch.setattr(changes, "GOOD_SECONDS", 1000.0 if seen else 0.0)
            number, ids = revision.changes(number)
            seen.append(ids)
        return None

    with proxy_for(elasticsearch9) as proxy:
        slow = open_test_store(proxy.url, index_prefix)
        proxy.intercept = intercept
        slow.put([stored(1, "text")])
        slow.close()
    assert seen == [None, {1}]  # before the write, and before its second note
    assert revision.changes(number)[1] == {1}


def test_what_hangs_together_is_told_once(
    store: ElasticsearchStore, revision: Revision, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "_REMEMBERED", 100)
    number, _ = revision.changes(None)
    store.put([stored(1, "text")])
    number, ids = revision.changes(number)
    assert ids == {1}
    store.write_pairs([Pair(1, 2, Relation.NEAR, 0.9)])
    assert revision.changes(number)[1] is None  # it would be told again, were it not for this test
    store.write_pairs([Pair(2, 3, Relation.NEAR, 0.9)])
    number, _ = revision.changes(None)
    store.write_pairs([Pair(3, 4, Relation.NEAR, 0.9), Pair(4, 5, Relation.NEAR, 0.9)])
    assert revision.changes(number)[1] == {4, 5}
