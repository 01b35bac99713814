"""Three real nodes with several shards and a replica, by `make faults`: killed, started anew one after
another, copied by a snapshot, moved to another version, while documents come and people search.

As in long_faults.py: in the end the library says to the last digit what a fresh one says. Those who
search meanwhile get the whole answer or a sentence, and never a part.
"""

from __future__ import annotations

import itertools
import random
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from breaking import Report, nursery
from long_faults import (
    DOCUMENTS,
    Life,
    Shelf,
    check_office,
    everything,
    slices,
)
from paperless_work import Office
from waiting import until

from documents import misread, some_text
from elasticsearch_nodes import VERSIONS, Cluster, client_for, spawn_node
from golden.letters import LANGUAGES, letter
from paperless_fingerprint.api.library import Library
from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.errors import FingerprintError, StoreError
from paperless_fingerprint.model import Document
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.elasticsearch import base, layout

pytestmark = [pytest.mark.elasticsearch, pytest.mark.timeout(3_600)]

SHARDS = 3
#: A family that nobody changes; whoever searches for one wants all others.
BASE = f"{letter(next(iter(LANGUAGES)), 17)} {some_text(40, 5)}"
FAMILY = [
    Document(50_000 + number, title=f"Family {number}", content=misread(BASE, share, number))
    for number, share in enumerate((0.0, *[0.01] * 7))
]
PHRASE = f'"{" ".join(BASE.split()[5:8])}"'
WANTED = {document.id for document in FAMILY[1:]}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    snapshots = tmp_path_factory.mktemp("snapshots")
    made = Cluster(
        tmp_path_factory.mktemp("nodes"), VERSIONS["elasticsearch9"], "--snapshots", str(snapshots)
    )
    made.snapshots = snapshots  # type: ignore[attr-defined]
    yield made
    made.stop()


def in_cluster(cluster: Cluster, prefix: str, folder: Path) -> dict[str, str]:
    return {
        "PAPERLESS_FINGERPRINT_STORE": ",".join(node.url for node in cluster.nodes),
        "PAPERLESS_FINGERPRINT_ELASTICSEARCH_PREFIX": prefix,
        "PAPERLESS_FINGERPRINT_ELASTICSEARCH_SHARDS": str(SHARDS),
        "PAPERLESS_FINGERPRINT_ELASTICSEARCH_REPLICAS": "1",
        "PAPERLESS_FINGERPRINT_INBOX_FILE": str(folder / "inbox.db"),
    }


@pytest.fixture
def shelf(cluster: Cluster, folder: Path, request: pytest.FixtureRequest) -> Shelf:
    prefix = request.node.name.replace("test_", "pf-test-").replace("_", "-")
    return Shelf(folder, **in_cluster(cluster, prefix, folder))


def holder(cluster: Cluster, settings: Settings, primary: str = "p") -> int:
    """The node that has the first shard of the documents."""
    index = f"{settings.elasticsearch.prefix}-documents"
    with client_for(",".join(cluster.urls)) as client:
        shards = client.cat.shards(index=index, format="json", h="shard,prirep,node")
    found = next(s["node"] for s in shards if (s["shard"], s["prirep"]) == ("0", primary))
    return cluster.NAMES.index(found)


class Searchers:
    """People who search all the time, and what came of it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.answered = self.refused = 0
        self.wrong: list[object] = []

    def keep_on(self, stop: threading.Event) -> None:
        with Library(settings=self._settings) as library:
            for document in itertools.cycle(FAMILY):
                if stop.is_set():
                    return
                self._ask(library, document)

    def _ask(self, library: Library, document: Document) -> None:
        wanted = (WANTED | {FAMILY[0].id}) - {document.id}
        try:
            answer = library.search(f"FINGERPRINT:{document.id}", limit=100)
            by_word = library.search(PHRASE, limit=100)
            held = {pair.b for pair in library.store.pairs(ids=[document.id])}
        except FingerprintError as error:
            self.refused += 1
            if not str(error).endswith("."):
                self.wrong.append(error)
        except Exception as error:
            self.wrong.append(error)
        else:
            self.answered += 1
            found = {hit.id for hit in answer.hits}
            if not wanted <= found or not by_word.hits or not held:
                self.wrong.append((document.id, found, len(by_word.hits), held))


@contextmanager
def searching(settings: Settings) -> Iterator[Searchers]:
    searchers, stop = Searchers(settings), threading.Event()
    thread = threading.Thread(target=searchers.keep_on, args=(stop,))
    thread.start()
    try:
        yield searchers
        # Also those who came in the worst moment get answers afterwards.
        known = searchers.answered
        until(lambda: searchers.wrong or searchers.answered > known, "an answer", seconds=300)
    finally:
        stop.set()
        thread.join()
    assert searchers.wrong == []


class Clerk:
    """Imports documents and analyses them, again where something was away."""

    def __init__(self, shelf: Shelf, seed: int) -> None:
        self._shelf, self._coming = shelf, slices(random.Random(seed))
        self.imports = self.tries = 0
        self.failed: list[BaseException] = []

    def keep_on(self, stop: threading.Event) -> None:
        try:
            with Library(settings=self._shelf.settings) as library:
                while not stop.is_set():
                    self._work(library, self._shelf.lines(next(self._coming)))
        except BaseException as error:
            self.failed.append(error)

    def _work(self, library: Library, file: str) -> None:
        while True:
            self.tries += 1
            try:
                with Path(file).open("rb") as lines:
                    if library.import_lines(lines).bad:
                        continue
                library.analyse()
            except StoreError:
                continue  # said in a sentence, and tried again
            self.imports += 1
            return


@contextmanager
def importing(shelf: Shelf, seed: int) -> Iterator[Clerk]:
    clerk, stop = Clerk(shelf, seed), threading.Event()
    thread = threading.Thread(target=clerk.keep_on, args=(stop,))
    thread.start()
    try:
        yield clerk
    finally:
        stop.set()
        thread.join()
    assert clerk.failed == []


def more_of(clerk: Clerk, imports: int = 2) -> None:
    """It goes on: so many more are done."""
    enough = clerk.imports + imports
    until(lambda: clerk.failed or clerk.imports >= enough, "imports go on", seconds=600)


def begun(shelf: Shelf) -> None:
    with (
        Library(settings=shelf.settings) as library,
        Path(shelf.lines([*FAMILY, *DOCUMENTS])).open("rb") as lines,
    ):
        library.import_lines(lines)
        library.analyse()


def is_found(library: Library, new: Document) -> bool:
    found = library.search(f"FINGERPRINT:{FAMILY[1].id}", limit=100)
    return new.id in {hit.id for hit in found.hits}


def test_three_shards_say_what_one_file_says(
    shelf: Shelf, cluster: Cluster, report: Report
) -> None:
    """Each document is found where it lies, at once after it is written, through any node."""
    begun(shelf)
    settings = shelf.settings
    with client_for(cluster.urls[0]) as client:
        index = f"{settings.elasticsearch.prefix}-documents"
        shards = client.cat.shards(index=index, format="json", h="prirep,docs,state")
    assert len(shards) == 2 * SHARDS
    assert all(shard["state"] == "STARTED" and int(shard["docs"]) for shard in shards)
    with ExitStack() as opened:
        libraries = [
            opened.enter_context(Library(settings=settings.having({"store": node.url})))
            for node in cluster.nodes
        ]
        for number, library in enumerate(libraries):
            new = replace(FAMILY[0], id=60_000 + number)
            library.add(new)
            shelf.texts[new.id] = new.content
            assert is_found(library, new)
            for other in libraries:
                assert other.store.texts([new.id]) == {new.id: new.content}
                until(lambda other=other, new=new: is_found(other, new), "it is seen elsewhere")
        assert libraries[0].store.report().findings == ()
    report(documents=len(shelf.texts), shards=SHARDS, pairs=shelf.check())


def test_a_node_killed_under_load(shelf: Shelf, cluster: Cluster, report: Report) -> None:
    """While documents are imported and analysed, and people search: one that has documents; it
    stays away for a while, and comes back with what it had."""
    begun(shelf)
    with searching(shelf.settings) as people, importing(shelf, 21) as clerk:
        more_of(clerk)
        gone = holder(cluster, shelf.settings)
        cluster.kill(gone)
        more_of(clerk)
        with Library(settings=shelf.settings) as library:
            [yellow] = library.store.report().findings
            assert "have no node (the cluster is yellow)" in yellow
        cluster.start_again(gone)
        more_of(clerk)
    cluster.wait_until_whole()
    begun(shelf)
    report(nodes_killed=1, imports=clerk.imports, tried_again=clerk.tries - clerk.imports,
           answers=people.answered, answers_refused=people.refused, pairs=shelf.check())  # fmt: skip


def test_a_node_killed_while_paperless_announces(
    cluster: Cluster,
    folder: Path,
    stand_in: StandIn,
    report: Report,
) -> None:
    """With `consume` and `sync` at work."""
    office = Office(folder, stand_in, workers="1")
    office.environment |= in_cluster(cluster, "pf-test-office", folder)
    life, said = Life(office, 22), str(folder / "said")
    office.sync()
    gone = holder(cluster, office.settings)
    killer = threading.Thread(target=cluster.kill, args=(gone,))
    statuses = []
    with nursery(office) as workers:
        for number in range(12):
            life.go_on()
            if number == 4:
                killer.start()
            args = ["consume", "--inbox"] if number % 3 else ["sync"]
            statuses += workers.run(args=args, said=said)
            assert "Traceback" not in Path(said).read_text()
    killer.join()
    assert set(statuses) <= {0, 5, 6}
    cluster.start_again(gone)
    cluster.wait_until_whole()
    report(nodes_killed=1, runs=len(statuses), refused=len(statuses) - statuses.count(0),
           pairs=check_office(office))  # fmt: skip


def test_all_nodes_started_anew_one_after_another(
    shelf: Shelf,
    cluster: Cluster,
    report: Report,
) -> None:
    """As an upgrade of the server does it; nobody stops working."""
    begun(shelf)
    with searching(shelf.settings) as people, importing(shelf, 23) as clerk:
        for index in range(len(cluster.nodes)):
            more_of(clerk, 1)
            cluster.nodes[index].process.send_signal(signal.SIGTERM)
            cluster.nodes[index].stop()
            more_of(clerk, 1)
            cluster.start_again(index)
            cluster.wait_until_whole()
    begun(shelf)
    report(restarts=len(cluster.nodes), imports=clerk.imports,
           tried_again=clerk.tries - clerk.imports, answers=people.answered,
           answers_refused=people.refused, pairs=shelf.check())  # fmt: skip


def test_a_snapshot_restored_into_an_empty_cluster(
    shelf: Shelf,
    cluster: Cluster,
    tmp_path: Path,
    report: Report,
) -> None:
    """The same documents, pairs, groups, chains, decisions and answers; and the work goes on there."""
    begun(shelf)
    prefix = shelf.settings.elasticsearch.prefix

    def told(library: Library) -> tuple:
        store = library.store
        return (
            everything(store), store.decisions(), store.notes(), store.texts(shelf.texts),
            store.pending(), store.namespace,
            [[(hit.id, hit.containment) for hit in library.search(query, limit=100).hits]
             for query in (f"FINGERPRINT:{FAMILY[0].id}", f"FINGERPRINT:{FAMILY[3].id}_20_80")],
        )  # fmt: skip

    with Library(settings=shelf.settings) as library:
        library.dismiss(FAMILY[0].id, FAMILY[1].id)
        library.confirm(FAMILY[2].id, FAMILY[3].id)
        library.choose_primary(FAMILY[4].id)
        before = told(library)
    repository = {"type": "fs", "settings": {"location": "backups"}}
    with client_for(cluster.urls[0]) as client:
        client.snapshot.create_repository(name="backups", repository=repository)
        made = client.snapshot.create(
            repository="backups", snapshot="fingerprint-1", indices=f"{prefix}-*",
            include_global_state=False, wait_for_completion=True,
        )  # fmt: skip
    assert made["snapshot"]["state"] == "SUCCESS"
    snapshots = cluster.snapshots  # type: ignore[attr-defined]
    empty = spawn_node(VERSIONS["elasticsearch9"], tmp_path, "--snapshots", str(snapshots))
    with ExitStack() as until_then:
        until_then.callback(empty.stop)
        url = empty.wait_until_ready().url
        with client_for(url) as client:
            client.snapshot.create_repository(name="backups", repository=repository)
            client.snapshot.restore(
                repository="backups", snapshot="fingerprint-1", indices=f"{prefix}-*",
                include_global_state=False, wait_for_completion=True,
            )  # fmt: skip
        shelf.environment["PAPERLESS_FINGERPRINT_STORE"] = url
        # Another machine, without the data folder of the first.
        shelf.environment["PAPERLESS_FINGERPRINT_INBOX_FILE"] = str(tmp_path / "new" / "inbox.db")
        with Library(settings=shelf.settings) as library:
            assert told(library) == before
        report(decisions=len(before[1]), pairs=shelf.check())


def test_moved_to_another_version_while_all_go_on(
    shelf: Shelf,
    cluster: Cluster,
    report: Report,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever has opened the library before goes on reading and writing."""
    begun(shelf)
    known = layout.definitions()
    newer = {
        kind: replace(one, version=one.version + 1, mappings={
            **one.mappings, "_meta": {**one.mappings["_meta"], "version": one.version + 1}})
        for kind, one in known.items()
    }  # fmt: skip
    with searching(shelf.settings) as people, importing(shelf, 24) as clerk:
        more_of(clerk, 1)
        until(lambda: people.answered > 0, "an answer")
        monkeypatch.setattr(base, "definitions", lambda: newer)
        Library(settings=shelf.settings).close()
        more_of(clerk)
    with client_for(cluster.urls[0]) as client:
        names = set(client.indices.get_alias(index=f"{shelf.settings.elasticsearch.prefix}-*"))
    assert all("-v2-" in name for name in names)
    assert len(names) == len(newer)
    begun(shelf)
    report(imports=clerk.imports, tried_again=clerk.tries - clerk.imports, answers=people.answered,
           answers_refused=people.refused, pairs=shelf.check())  # fmt: skip
