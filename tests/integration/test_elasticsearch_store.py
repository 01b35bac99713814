"""What is peculiar to Elasticsearch: servers that fail, refuse, are foreign, or are too full.

What every store promises stands in tests/contract.
"""

from __future__ import annotations

import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import trustme
from elasticsearch import NotFoundError

from documents import SPEC, damaged, document, some_text, stored
from elasticsearch_nodes import (
    VERSIONS,
    Cluster,
    client_for,
    in_memory,
    open_test_store,
    spawn_node,
    wait_for,
)
from elasticsearch_proxy import Answer, Proxy, basic, proxy_for
from libraries import with_any
from paperless_fingerprint.errors import ConfigurationError, ExitCode, StoreError
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.library.search import Request, Search
from paperless_fingerprint.model import Pair, Relation
from paperless_fingerprint.stores.elasticsearch import scan
from paperless_fingerprint.stores.elasticsearch.connection import hosts_of
from paperless_fingerprint.stores.elasticsearch.layout import definitions, look_up
from paperless_fingerprint.stores.elasticsearch.scan import Reader
from paperless_fingerprint.stores.elasticsearch.search import ElasticsearchSearcher
from paperless_fingerprint.stores.elasticsearch.store import ElasticsearchStore
from paperless_fingerprint.stores.opening import searcher_of

pytestmark = pytest.mark.elasticsearch


@pytest.fixture
def store(elasticsearch9, index_prefix) -> Iterator[ElasticsearchStore]:
    made = open_test_store(elasticsearch9, index_prefix)
    yield made
    made.close()


@pytest.fixture
def proxy(elasticsearch9) -> Iterator[Proxy]:
    with proxy_for(elasticsearch9) as made:
        yield made


@pytest.fixture
def through_proxy(proxy, index_prefix) -> Iterator[ElasticsearchStore]:
    made = open_test_store(proxy.url, index_prefix)
    yield made
    made.close()


def refusal_to_open(url: str, prefix: str, **more) -> str:
    with pytest.raises(StoreError) as failure:
        open_test_store(url, prefix, **more)
    assert failure.value.exit_code is ExitCode.STORE
    said = str(failure.value)
    assert "\n" not in said
    return said


# The way to the server --------------------------------------------------------------------


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def tls(authority) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    return context


@pytest.fixture
def ca_file(authority, tmp_path) -> str:
    path = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


@pytest.mark.parametrize(
    ("authorization", "credentials"),
    [
        (basic("library", "päss:word"), {"username": "library", "password": "päss:word"}),
        ("ApiKey a2V5OnNlY3JldA==", {"api_key": "a2V5OnNlY3JldA=="}),
    ],
    ids=["password", "api-key"],
)
def test_tls_and_credentials(
    elasticsearch9, index_prefix, tls, ca_file, authorization, credentials
):
    with proxy_for(elasticsearch9, tls=tls, authorization=authorization) as proxy:
        store = open_test_store(proxy.url, index_prefix, ca_file=ca_file, **credentials)
        store.put([stored(1, "text")])
        assert store.ids() == [1]
        store.close()
        said = refusal_to_open(
            proxy.url, index_prefix, ca_file=ca_file, username="library", password="wrong-secret"
        )
        assert "refuses our name" in said
        assert "secret" not in said


def test_user_and_password_in_the_address_are_used_and_never_shown(
    elasticsearch9, index_prefix, tls, ca_file
):
    with proxy_for(elasticsearch9, tls=tls, authorization=basic("me", "s3:cret")) as proxy:
        url = proxy.url.replace("https://", "https://me:s3%3Acret@")
        store = open_test_store(url, index_prefix, ca_file=ca_file)
        assert "s3" not in store.report().address
        store.close()


def test_an_unknown_certificate_authority_is_not_trusted(elasticsearch9, index_prefix, tls):
    with proxy_for(elasticsearch9, tls=tls) as proxy:
        said = refusal_to_open(proxy.url, index_prefix)
    assert "its certificate is not trusted" in said
    assert "ca_file" in said


def test_a_missing_or_senseless_certificate_file_is_told(index_prefix, tmp_path):
    senseless = tmp_path / "senseless.pem"
    senseless.write_text("no certificate")
    for path in (senseless, tmp_path / "missing.pem"):
        with pytest.raises(ConfigurationError, match="ca_file"):
            open_test_store("https://localhost:1", index_prefix, ca_file=str(path))


def test_a_server_that_is_down_is_told_in_one_sentence(index_prefix):
    said = refusal_to_open("http://127.0.0.1:9", index_prefix)
    assert "http://127.0.0.1:9 cannot be used: it does not answer" in said
    assert said.endswith("Start it, or check the address in --store.")


def test_of_several_hosts_one_may_be_dead(elasticsearch9, index_prefix):
    hosts = ",".join(["http://127.0.0.1:9", *elasticsearch9.split(",")])
    store = open_test_store(hosts, index_prefix)
    for id in range(1, 6):
        assert store.put([stored(id, some_text(30, id))]).written == 1
    assert store.ids() == [1, 2, 3, 4, 5]
    store.close()


def test_a_host_without_a_port_gets_the_usual_one():
    assert hosts_of(["http://search", "https://search/", "http://search:9201"]) == (
        "http://search:9200",
        "https://search:443",
        "http://search:9201",
    )


@pytest.mark.parametrize("version", ["10.0.0", "8.18.4", "7.17.29"])
def test_a_server_of_another_version_is_refused(proxy, index_prefix, version):
    # The oldest node counts; of versions that are not known yet, any.
    versions = {version} if version == "10.0.0" else {version, "9.2.0"}
    nodes = {name: {"version": name} for name in versions}
    proxy.change = lambda *_: {"nodes": nodes}
    said = refusal_to_open(proxy.url, index_prefix)
    assert f"is version {version}, and this program knows 8.19" in said


def test_what_is_no_elasticsearch_is_told(proxy, index_prefix):
    proxy.intercept = lambda _: Answer(200, {"hello": "world"}, {})
    assert "what answers there is no Elasticsearch" in refusal_to_open(proxy.url, index_prefix)


def test_a_library_that_is_not_there_is_not_made_by_looking(elasticsearch9, index_prefix):
    said = refusal_to_open(elasticsearch9, index_prefix, create=False)
    assert "There is no library" in said
    with client_for(elasticsearch9) as client:
        assert not client.indices.exists(index=f"{index_prefix}-documents")


# Foreign and older indices ----------------------------------------------------------------


def test_an_index_of_another_program_is_left_alone(elasticsearch9, index_prefix):
    with client_for(elasticsearch9) as client:
        client.index(index=f"{index_prefix}-documents", id="1", document={"theirs": True})
        said = refusal_to_open(elasticsearch9, index_prefix)
        assert f"The index {index_prefix}-documents" in said
        assert "belongs to another program" in said
        assert client.get(index=f"{index_prefix}-documents", id="1")["_source"] == {"theirs": True}
        assert not client.indices.exists(index=f"{index_prefix}-pairs")


def test_an_alias_of_another_program_is_left_alone(elasticsearch9, index_prefix):
    with client_for(elasticsearch9) as client:
        client.indices.create(index=f"{index_prefix}-theirs", aliases={f"{index_prefix}-pairs": {}})
        said = refusal_to_open(elasticsearch9, index_prefix)
    assert f"The index {index_prefix}-theirs" in said
    assert "belongs to another program" in said


def test_an_index_of_a_newer_program_is_left_alone(elasticsearch9, index_prefix):
    newer = of_version(3)
    open_test_store(elasticsearch9, index_prefix, known=newer).close()
    said = refusal_to_open(elasticsearch9, index_prefix)
    assert "written by a newer paperless-fingerprint (its format is 3" in said


def test_an_alias_that_stands_for_two_indices_is_told(store, elasticsearch9, index_prefix):
    with client_for(elasticsearch9) as client:
        client.indices.create(
            index=f"{index_prefix}-copy",
            mappings=definitions()["documents"].mappings,
            aliases={f"{index_prefix}-documents": {}},
        )
    assert "stands for two indices" in refusal_to_open(elasticsearch9, index_prefix)


def test_no_index_comes_into_being_where_the_alias_was_taken_away(
    store, elasticsearch9, index_prefix
):
    with client_for(elasticsearch9) as client:
        client.indices.delete(index=f"{index_prefix}-documents-v1-000001")
        with pytest.raises(StoreError):
            store.put([stored(1, "text")])
        assert not client.indices.exists(index=f"{index_prefix}-documents")


def of_version(version: int) -> dict:
    def raised(definition):
        meta = {**definition.mappings["_meta"], "version": version}
        return replace(definition, version=version, mappings={**definition.mappings, "_meta": meta})

    return {kind: raised(definition) for kind, definition in definitions().items()}


def names_of(url: str, prefix: str) -> set[str]:
    with client_for(url) as client:
        return set(client.indices.get(index=f"{prefix}-*", features="aliases"))


def test_a_new_format_moves_everything_and_loses_no_write(elasticsearch9, index_prefix):
    texts = {id: some_text(60, id) for id in range(1, 301)}
    old = open_test_store(elasticsearch9, index_prefix)
    old.put([stored(id, text) for id, text in texts.items()])
    namespace = old.namespace
    started = threading.Event()
    moved = threading.Event()
    written: dict[int, str] = {}
    deleted: set[int] = set()

    def go_on_writing() -> None:
        id = 0
        while not (moved.is_set() and len(written) >= 40):
            id += 1
            text = some_text(30, 10_000 + id)
            # New ones, changes to documents that may have been copied, and deletions.
            target = 1_000 + id if id % 3 else id
            assert old.put([stored(target, text)]).written == 1
            written[target] = text
            if id % 5 == 0:
                old.delete([300 - id])
                deleted.add(300 - id)
                written.pop(300 - id, None)
            started.set()

    errors: list[BaseException] = []

    def guarded() -> None:
        try:
            go_on_writing()
        except BaseException as error:
            errors.append(error)
            started.set()

    writer = threading.Thread(target=guarded)
    writer.start()
    started.wait(60)
    new = open_test_store(elasticsearch9, index_prefix, known=of_version(2))
    moved.set()
    writer.join()
    assert errors == []
    expected = {id: text for id, text in texts.items() if id not in deleted} | written
    assert new.texts(expected) == expected
    assert new.ids() == sorted(expected)
    assert new.namespace == namespace
    assert {item.id for item in new.pending()} == set(expected)
    id = 299 if 299 in expected else 298
    found = new.candidates(fingerprint(expected[id], SPEC))
    assert [candidate.id for candidate in found] == [id]
    assert names_of(elasticsearch9, index_prefix) == {
        definition.index(index_prefix, 1) for definition in of_version(2).values()
    }
    old.close()
    new.close()


def test_whoever_searches_meanwhile_finds_what_there_is(elasticsearch9, index_prefix):
    old = open_test_store(elasticsearch9, index_prefix)
    text = some_text(60, 1)
    old.put([stored(id, f"{text} {some_text(30, id)}") for id in range(1, 41)])
    searcher = searcher_of(old)
    searching = Search(old, searcher, SPEC)
    moved = threading.Event()

    def search() -> set[tuple[int, ...]]:
        found = set()
        while not moved.is_set():
            hits = searching.run(Request("FINGERPRINT:1_30")).hits
            found.add(tuple(sorted(hit.id for hit in hits)))
        return found

    with ThreadPoolExecutor(2) as threads:
        searches = [threads.submit(search) for _ in range(2)]
        try:
            for version in (2, 3):
                open_test_store(elasticsearch9, index_prefix, known=of_version(version)).close()
        finally:
            moved.set()
        for each in searches:
            assert each.result() == {tuple(range(2, 41))}
    searcher.close()
    old.close()


def test_a_move_that_was_broken_off_is_finished_by_the_next(store, elasticsearch9, index_prefix):
    store.put([stored(1, "text")])
    old = f"{index_prefix}-documents-v1-000001"
    with client_for(elasticsearch9) as client:
        # As it lies there when the mover dies just before the alias changes over.
        definition = of_version(2)["documents"]
        client.indices.create(index=definition.index(index_prefix, 1), mappings=definition.mappings)
        client.indices.put_mapping(
            index=old, meta={**definitions()["documents"].mappings["_meta"], "moving": True}
        )
        client.indices.add_block(index=old, block="write")
    waiting = threading.Thread(target=lambda: store.put([stored(2, "written meanwhile")]))
    waiting.start()
    new = open_test_store(elasticsearch9, index_prefix, known=of_version(2))
    waiting.join()
    assert new.texts([1, 2]) == {1: "text", 2: "written meanwhile"}
    new.close()


@pytest.mark.parametrize(
    ("kind", "status"),
    [("no_shard_available_action_exception", 503), ("index_not_found_exception", 404)],
)
def test_an_index_that_goes_while_documents_are_read_is_told_from_one_that_is_damaged(
    store, monkeypatch, kind, status
):
    """The answer as a whole is no error then; each document has one of its own."""
    store.put([stored(1, "text")])
    error = {"type": kind, "reason": f"[{store._names['documents']}-v1-000001] has just gone"}
    mget = store._client.mget
    answers = [{"docs": [{"_id": "1", "error": error}]}]
    monkeypatch.setattr(
        store._client, "mget", lambda **asked: answers.pop() if answers else mget(**asked)
    )
    assert store.texts([1]) == {1: "text"}
    assert not answers

    alone = Reader(store._client, store._failures, behind_alias=False)
    monkeypatch.setattr(scan, "PATIENCE_SECONDS", 0)
    monkeypatch.setattr(store._client, "mget", lambda **_: {"docs": [{"_id": "1", "error": error}]})
    with pytest.raises(StoreError) as raised:
        list(alone.get(store._names["documents"], ["1"]))
    assert raised.value.__cause__.status_code == status
    # Who moves the library takes this for 'another has done it'.
    assert isinstance(raised.value.__cause__, NotFoundError) == (status == 404)


def test_a_search_does_not_take_a_document_that_cannot_be_read_for_an_unknown_one(
    store, monkeypatch
):
    store.put([stored(1, some_text(30, 1))])
    searcher = ElasticsearchSearcher(store.address)
    assert searcher.rows([1, 2]).keys() == {1}
    error = {"type": "no_shard_available_action_exception", "reason": "No shard available"}
    monkeypatch.setattr(
        searcher._client, "mget", lambda **_: {"docs": [{"_id": "1", "error": error}]}
    )
    with pytest.raises(StoreError, match=r"not available .*Try again"):
        searcher.rows([1])
    searcher.close()


def test_two_may_move_at_the_same_time(store, elasticsearch9, index_prefix):
    store.put([stored(id, some_text(30, id)) for id in range(1, 101)])
    opened = []

    errors = []

    def move() -> None:
        try:
            opened.append(open_test_store(elasticsearch9, index_prefix, known=of_version(2)))
        except StoreError as error:
            errors.append(error)

    movers = [threading.Thread(target=move) for _ in range(2)]
    for mover in movers:
        mover.start()
    for mover in movers:
        mover.join()
    assert errors == []
    for new in opened:
        assert new.ids() == list(range(1, 101))
        new.close()
    with client_for(elasticsearch9) as client:
        found = look_up(client, of_version(2), new.address, new._failures)
    assert {index.version for index in found.values()} == {2}
    assert names_of(elasticsearch9, index_prefix) == {index.name for index in found.values()}


# Full, read-only, overloaded --------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("blocks.write", "index.blocks.write away"),
        ("blocks.read_only", "index.blocks.read_only away"),
        ("blocks.read_only_allow_delete", "the disk of the server is full"),
    ],
)
def test_an_index_that_takes_no_writes_is_told_in_one_sentence(
    store, elasticsearch9, index_prefix, setting, said
):
    store.put([stored(1, "text")])
    with client_for(elasticsearch9) as client:
        client.indices.put_settings(
            index=f"{index_prefix}-documents", settings={f"index.{setting}": True}
        )
        with pytest.raises(StoreError, match=said):
            store.put([stored(2, "text")])
        assert store.ids() == [1]
        assert any("documents-v1" in finding for finding in store.report().findings)
        client.indices.put_settings(
            index=f"{index_prefix}-documents", settings={f"index.{setting}": None}
        )
    assert store.put([stored(2, "text")]).written == 1
    assert {item.id for item in store.pending()} == {1, 2}


def is_bulk_of_documents(request) -> bool:
    return request.path.startswith("/_bulk") and b"content_words" in request.body


def test_what_the_server_was_too_busy_for_is_sent_again(proxy, through_proxy):
    left = [3]

    def change(request, answer):
        if is_bulk_of_documents(request) and left[0]:
            left[0] -= 1
            for item in answer["items"][1::2]:
                item["index"] = {
                    "status": 429,
                    "error": {"type": "es_rejected_execution_exception", "reason": "queue full"},
                }
        return answer

    proxy.change = change
    report = through_proxy.put([stored(id, "text") for id in range(1, 20)])
    assert (report.written, report.refused) == (19, ())
    assert left == [0]
    assert through_proxy.ids() == list(range(1, 20))


@pytest.mark.parametrize("status", [429, 503])
def test_a_request_that_was_refused_as_a_whole_is_sent_again(proxy, through_proxy, status):
    left = [2]

    def intercept(request):
        if is_bulk_of_documents(request) and left[0]:
            left[0] -= 1
            error = {"type": "circuit_breaking_exception", "reason": "data too large"}
            return Answer(status, {"error": error, "status": status})
        return None

    proxy.intercept = intercept
    assert through_proxy.put([stored(1, "text")]).written == 1
    assert left == [0]


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("_search", lambda store: store.ids() == [1, 2]),
        ("_mget", lambda store: store.get([2])[2].document.content == "text"),
        ("_msearch", lambda store: not store.connections([1]).links),
    ],
)
def test_what_the_server_was_too_busy_to_answer_is_asked_again(proxy, through_proxy, asked, read):
    through_proxy.put([stored(id, "text") for id in (1, 2)])
    left = [3]

    def intercept(request):
        if request.path.partition("?")[0].endswith(f"/{asked}") and left[0]:
            left[0] -= 1
            error = {"type": "es_rejected_execution_exception", "reason": "queue full"}
            return Answer(429, {"error": error, "status": 429})
        return None

    proxy.intercept = intercept
    assert read(through_proxy)
    assert left == [0]


def without_a_shard(answer):
    """As of an index of several shards, one of which has no node."""
    reason = {"type": "no_shard_available_action_exception", "reason": "no node holds it"}
    answer["_shards"] |= {"failed": 1, "failures": [{"shard": 1, "reason": reason}]}
    answer["hits"]["hits"] = []


def answers_of(request, answer):
    if not request.path.partition("?")[0].endswith(("/_search", "/_msearch")):
        return []
    return answer.get("responses", [answer])


@pytest.mark.parametrize(
    "read",
    [
        lambda store: store.ids() == [1, 2],
        lambda store: len(store.connections([1]).links) == 1,
    ],
)
def test_half_an_answer_is_none(proxy, through_proxy, read):
    through_proxy.put([stored(id, "text") for id in (1, 2)])
    through_proxy.write_pairs([Pair(1, 2, Relation.NEAR, 0.9)])
    left = [2]

    def change(request, answer):
        for each in answers_of(request, answer):
            if left[0]:
                left[0] -= 1
                without_a_shard(each)
        return answer

    proxy.change = change
    assert read(through_proxy)
    assert left == [0]


def test_a_search_says_that_a_part_is_missing(proxy, through_proxy, monkeypatch):
    monkeypatch.setattr(scan, "PATIENCE_SECONDS", 0)
    through_proxy.put([stored(id, some_text(50, 7)) for id in (1, 2)])
    searching = Search(through_proxy, searcher := searcher_of(through_proxy), SPEC)
    assert searching.run(Request("FINGERPRINT:1")).total == 1

    def change(request, answer):
        for each in answers_of(request, answer):
            without_a_shard(each)
        return answer

    proxy.change = change
    with pytest.raises(StoreError, match="no node holds it"):
        searching.run(Request("FINGERPRINT:1"))
    searcher.close()


def test_a_server_that_stays_too_busy_is_told(proxy, through_proxy, monkeypatch):
    monkeypatch.setattr(scan, "BUSY_SECONDS", 0.2)
    proxy.intercept = lambda _: Answer(429, {"error": {"type": "x", "reason": "queue full"}})
    with pytest.raises(StoreError, match=r"overloaded \(queue full\)"):
        through_proxy.ids()


def test_what_was_never_acknowledged_is_reported(proxy, through_proxy):
    through_proxy.put([stored(9, "text")])

    def change(request, answer):
        if is_bulk_of_documents(request):
            error = {"type": "unavailable_shards_exception", "reason": "primary is not active"}
            actions = request.body.split(b"\n")[:-1:2]
            (place,) = (n for n, action in enumerate(actions) if b'"_id":"2"' in action)
            answer["items"][place] = {"index": {"status": 503, "error": error}}
        return answer

    through_proxy._writer._patience_seconds = 0.3
    proxy.change = change
    report = through_proxy.put([stored(id, "text") for id in (1, 2, 3)])
    assert report.written == 2
    [refusal] = report.refused
    assert refusal.id == 2
    assert "primary is not active" in refusal.reason
    assert {item.id for item in through_proxy.pending()} == {1, 3, 9}


def test_a_document_that_is_too_large_is_refused_and_the_rest_is_written(proxy, through_proxy):
    def intercept(request):
        return Answer(413, {"error": "too large"}) if b"gigantic" in request.body else None

    proxy.intercept = intercept
    report = through_proxy.put([stored(1, "text"), stored(2, "gigantic " + "x" * 7_000_000)])
    assert [refusal.id for refusal in report.refused] == [2]
    assert through_proxy.ids() == [1]


# Texts of any size ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def huge_text() -> str:
    letter = some_text(400, 5)
    return f"{letter}\n" + "\n".join(f"{n} wort{n % 999} zeile" for n in range(2_400_000))


def test_a_text_of_fifty_megabytes_is_kept_found_and_read_back(huge_text, tmp_path):
    assert len(huge_text) > 50_000_000
    letter = huge_text[: huge_text.index("\n")]
    node = spawn_node(
        VERSIONS["elasticsearch9"], tmp_path, "--heap", "1200m", environment=in_memory()
    )
    try:
        store = open_test_store(node.wait_until_ready().url, "pf-test-huge")
        assert store.put([stored(1, huge_text), stored(2, letter)]).refused == ()
        assert store.texts([1]) == {1: huge_text}
        assert with_any(store, "wort998") == [1]
        [found] = store.candidates(fingerprint(letter, SPEC), excluding=2)
        assert (found.id, found.containment) == (1, 1.0)
        store.close()
    finally:
        node.stop()


def test_a_text_that_is_too_large_for_the_server_is_refused_and_the_rest_is_written(
    store, huge_text
):
    report = store.put([stored(1, huge_text), stored(2, "text")])
    [refusal] = report.refused
    assert refusal.id == 1
    assert "too large for the server's memory" in refusal.reason
    assert store.ids() == [2]
    assert [item.id for item in store.pending()] == [2]


def test_half_a_character_is_refused_and_the_rest_is_written(store):
    broken = replace(stored(1, "text"), document=document(1, "\ud83d"))
    report = store.put([broken, stored(2, "text")])
    assert [refusal.id for refusal in report.refused] == [1]
    assert store.ids() == [2]


def test_a_long_text_is_compared_by_all_of_its_sketch(store):
    """Its sketch has more hashes than one search has clauses."""
    parts = [some_text(300, seed) for seed in range(60)]
    bundle = " ".join(parts)
    store.put([stored(id, part) for id, part in enumerate(parts, 1)])
    store.put([stored(100, damaged(bundle, 0.02, 1)), stored(101, some_text(5_000, 500))])
    asker = fingerprint(bundle, SPEC)
    assert len(asker.sketch) // 8 > 1_000
    found = store.candidates(asker)
    assert found[0].id == 100
    assert {candidate.id for candidate in found} == {100, *range(1, 61)}
    assert all(candidate.reverse_containment > 0.95 for candidate in found if candidate.id <= 60)


# Several at once --------------------------------------------------------------------------

WRITE_THEN_LOOK = """
import sys
sys.path.insert(0, sys.argv[1])
from documents import SPEC, some_text, stored
from elasticsearch_nodes import open_test_store
store = open_test_store(sys.argv[2], sys.argv[3])
record = stored(int(sys.argv[4]), some_text(80, 1))
print("ready", flush=True)
sys.stdin.readline()
store.put([record])
found = store.candidates(record.fingerprint, excluding=record.document.id)
print(*[candidate.id for candidate in found], flush=True)
store.close()
"""


def test_of_two_processes_that_write_at_once_one_sees_the_other(
    store, elasticsearch9, index_prefix
):
    tests = str(Path(__file__).parents[1])
    both = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE_THEN_LOOK, tests, elasticsearch9, index_prefix, str(id)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for id in (1, 2)
    ]
    for process in both:
        assert process.stdout.readline() == "ready\n"
    for process in both:
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate(timeout=120)[0].split() for process in both]
    assert said[0] == ["2"] or said[1] == ["1"]


WRITE_RESULTS = """
import sys
sys.path.insert(0, sys.argv[1])
from elasticsearch_nodes import open_test_store
from paperless_fingerprint.model import Decision, Group, Pair, Relation, Verdict, VersionChain
store = open_test_store(sys.argv[2], sys.argv[3])
for line in sys.stdin:
    a, b = int(line), int(line) + 1
    store.write_pairs([Pair(a, b, Relation.NEAR, 0.9)])
    store.replace_groups([a, b], [Group(f"g{a}", Relation.NEAR, 0.9, a, (a, b), ((a, b),))])
    store.replace_chains([a, b], [VersionChain(f"v{a}", (a, b))])
    store.put_decision(Decision(a, b, Verdict.DISMISSED, "2024-01-01T00:00:00Z"))
    if a > 1:
        store.write_pairs([], removing=[(a - 10, b - 10)])
        store.replace_groups([a - 10], [])
        store.remove_decision(Decision(a - 10, b - 10, Verdict.DISMISSED, "").key)
    print("done", flush=True)
store.close()
"""


def test_what_one_process_has_found_or_heard_another_sees_at_once(
    store, elasticsearch9, index_prefix
):
    """A dismissal that is acknowledged counts for every analysis that begins after it."""
    tests = str(Path(__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, "-c", WRITE_RESULTS, tests, elasticsearch9, index_prefix],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        for a in range(1, 100, 10):
            other.stdin.write(f"{a}\n")
            other.stdin.flush()
            assert other.stdout.readline() == "done\n"
            found = store.connections([a])
            assert [link.b for link in found.links] == [a + 1]
            assert [group.members for group in found.groups] == [(a, a + 1)]
            assert [chain.latest for chain in found.chains] == [a + 1]
            assert [decision.b for decision in found.decisions] == [a + 1]
            assert [link.a for link in store.links()] == [a]
            before = store.connections([a - 10])
            assert (before.links, before.groups, before.decisions) == ((), (), ())
        other.stdin.close()


def test_metadata_and_text_written_at_once_are_never_mixed(store):
    store.put([stored(1, some_text(40, 0))])
    texts = [some_text(40, seed) for seed in range(1, 16)]

    def put_texts() -> None:
        for text in texts:
            store.put([stored(1, text, title="from the text")])

    def put_metadata() -> None:
        for number in range(15):
            store.put_metadata([document(1, title=f"title {number}")])

    threads = [threading.Thread(target=work) for work in (put_texts, put_metadata)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [record] = store.get([1]).values()
    assert record.document.content == texts[-1]
    assert [c.id for c in store.candidates(fingerprint(texts[-1], SPEC))] == [1]


def test_an_entry_that_is_taken_off_before_its_document_is_there_comes_again(proxy, through_proxy):
    """A worker that is quicker than the write finds an id without a document, and strikes it off."""
    struck = []

    def intercept(request):
        if is_bulk_of_documents(request) and not struck:
            struck.extend(through_proxy.pending())
            through_proxy.mark_analysed(struck)
            assert through_proxy.pending() == []

    proxy.intercept = intercept
    through_proxy.put([stored(1, "text")])
    assert [item.id for item in struck] == [1]
    assert [item.id for item in through_proxy.pending()] == [1]


def test_a_scan_that_is_broken_off_leaves_nothing_open(store, elasticsearch9):
    # More than one page; less is asked for at once.
    store.write_pairs([Pair(1, id, Relation.NEAR, 0.9) for id in range(2, 1_500)])
    with client_for(elasticsearch9) as client:

        def open_contexts() -> int:
            nodes = client.nodes.stats(metric="indices", index_metric="search")["nodes"]
            return sum(node["indices"]["search"]["open_contexts"] for node in nodes.values())

        before = open_contexts()
        scan = store.pairs()
        next(scan)
        assert open_contexts() == before + 1
        scan.close()
        wait_for(lambda: open_contexts() == before, "the point in time is closed")


# Fingerprints that cannot be computed again -----------------------------------------------


def test_a_fingerprint_of_another_spec_comes_back_as_it_was(store):
    other = FingerprintSpec(shingle_words=5)
    text = some_text(80, 1)
    record = replace(stored(1, text), fingerprint=fingerprint(text, other))
    store.put([record])
    assert store.get([1])[1].fingerprint == record.fingerprint
    store.put_metadata([document(1, title="another")])
    assert store.get([1])[1].fingerprint == record.fingerprint
    assert [c.id for c in store.candidates(record.fingerprint)] == [1]


def test_a_changed_spec_is_seen_and_matches_nothing_by_mistake(elasticsearch9, index_prefix):
    text = some_text(80, 1)
    before = open_test_store(elasticsearch9, index_prefix)
    before.put([stored(1, text)])
    before.close()
    other = FingerprintSpec(shingle_words=5)
    after = open_test_store(elasticsearch9, index_prefix, spec=other)
    [row] = after.fingerprints()
    assert row.fingerprint.spec == SPEC.id
    assert row.fingerprint.text_hash == fingerprint(text, SPEC).text_hash
    assert after.candidates(fingerprint(text, other)) == []
    after.close()


# A cluster --------------------------------------------------------------------------------


def test_a_node_that_is_killed_during_bulk_writes_loses_nothing_acknowledged(
    elasticsearch_cluster: Cluster,
):
    prefix = "pf-test-cluster"
    store = open_test_store(",".join(elasticsearch_cluster.urls), prefix, replicas=1)
    with client_for(elasticsearch_cluster.urls[0]) as client:
        shards = client.cat.shards(index=f"{prefix}-documents", format="json", h="prirep,node")
        holder = next(shard["node"] for shard in shards if shard["prirep"] == "p")
    index = ["one", "two", "three"].index(holder)
    acknowledged: dict[int, str] = {}
    enough = threading.Event()
    stop = threading.Event()

    def write() -> None:
        start = 1
        while not stop.is_set():
            texts = {id: some_text(100, id) for id in range(start, start + 50)}
            try:
                report = store.put([stored(id, text) for id, text in texts.items()])
            except StoreError:
                continue  # the whole batch was not acknowledged, and is written again
            lost = {refusal.id for refusal in report.refused}
            acknowledged.update((id, t) for id, t in texts.items() if id not in lost)
            start += 50
            if len(acknowledged) >= 200:
                enough.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert enough.wait(120)
        elasticsearch_cluster.kill(index)
        count = len(acknowledged)
        wait_for(lambda: len(acknowledged) > count + 500, "writing goes on", seconds=180)
    finally:
        stop.set()
        writer.join()
    assert store.texts(acknowledged) == acknowledged
    assert set(acknowledged) <= set(store.ids())
    assert set(acknowledged) <= {item.id for item in store.pending()}
    store.close()
