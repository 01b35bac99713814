"""The local node: boots from packages, keeps data, goes when it should, says what is wrong."""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from elasticsearch_local import packages
from elasticsearch_local.packages import LOCK, is_complete, prepare_home
from elasticsearch_nodes import VERSIONS, LocalNode, NodeStartError, client_for, spawn_node
from paperless_fingerprint.errors import ConfigurationError

NEWEST = VERSIONS["elasticsearch9"]

#: A program that starts a node and then waits to be killed.
PARENT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from elasticsearch_nodes import spawn_node
node = spawn_node(sys.argv[3], Path(sys.argv[2])).wait_until_ready()
print(node.process.pid, flush=True)
sys.stdin.read()
"""

pytestmark = pytest.mark.elasticsearch


@pytest.fixture
def start(tmp_path):
    nodes: list[LocalNode] = []

    def _start(*options: str, version: str = NEWEST, environment=None) -> LocalNode:
        nodes.append(spawn_node(version, tmp_path / "log", *options, environment=environment))
        return nodes[-1]

    yield _start
    for node in nodes:
        node.stop()


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """A cache of its own, and nothing of it comes over the network again."""
    original = prepare_home(NEWEST, say=print)

    def copy_jars(version, cache, *, repository):
        cache.mkdir()
        return [Path(shutil.copy(jar, cache)) for jar in sorted(original.rglob("*.jar"))]

    monkeypatch.setattr(packages, "_fetch_jars", copy_jars)
    cache = tmp_path / "xdg" / "paperless-fingerprint" / "elasticsearch"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    cache.mkdir(parents=True)
    shutil.copytree(original, cache / NEWEST)
    return cache


@pytest.mark.parametrize("name", VERSIONS)
def test_a_node_serves_the_version_that_was_asked_for(name, request):
    url = request.getfixturevalue(name)
    with client_for(url) as client:
        health = client.cluster.health(wait_for_status="yellow")
        versions = {n["version"] for n in client.nodes.info()["nodes"].values()}
    assert health["status"] in {"green", "yellow"}
    if not os.environ.get("PAPERLESS_FINGERPRINT_TEST_ES"):
        assert versions == {VERSIONS[name].removeprefix("opensearch-")}


def test_a_second_start_on_the_same_data_keeps_the_documents(start, tmp_path):
    data = str(tmp_path / "data")
    first = start("--data", data).wait_until_ready()
    with client_for(first.url) as client:
        client.index(index="kept", id="7", document={"title": "Rechnung"})
    assert first.stop() == 0

    second = start("--data", data).wait_until_ready()
    with client_for(second.url) as client:
        assert client.get(index="kept", id="7")["_source"] == {"title": "Rechnung"}


def test_it_listens_on_this_machine_alone(elasticsearch9):
    if os.environ.get("PAPERLESS_FINGERPRINT_TEST_ES"):
        return  # somebody else's server may listen where it likes
    with client_for(elasticsearch9) as client:
        (node,) = client.nodes.info(metric="http,transport")["nodes"].values()
    bound = node["http"]["bound_address"] + node["transport"]["bound_address"]
    assert {address.rpartition(":")[0] for address in bound} == {"127.0.0.1"}


def test_it_stops_and_leaves_nothing_when_its_stdin_closes(start, tmp_path):
    node = start(environment={"TMPDIR": str(tmp_path)}).wait_until_ready()
    assert list(tmp_path.glob("paperless-fingerprint-es-*"))
    assert node.stop() == 0
    assert not list(tmp_path.glob("paperless-fingerprint-es-*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_cleanly_on_a_signal(start, number):
    node = start().wait_until_ready()
    node.process.send_signal(number)
    assert node.process.wait(timeout=60) == 0


def test_it_goes_when_its_parent_is_killed(tmp_path):
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            PARENT,
            str(Path(__file__).parents[1]),
            str(tmp_path),
            NEWEST,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with parent:
        pid = int(parent.stdout.readline())
        # A handle on that very process: a number could be given to another one meanwhile.
        handle = os.pidfd_open(pid)
        try:
            parent.kill()
            poll = select.poll()
            poll.register(handle)
            assert poll.poll(60_000), "the node has outlived its parent"
        finally:
            os.close(handle)


def sentence_of(node: LocalNode) -> str:
    with pytest.raises(NodeStartError) as failure:
        node.wait_until_ready()
    assert node.process.returncode == 3
    return str(failure.value)


def test_a_taken_port_is_told_in_one_sentence(start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = sentence_of(start("--port", str(port)))
    assert said == (
        f"Port {port} of 127.0.0.1 cannot be used, most likely because another program has it; "
        "give another --port, or 0 for any free one."
    )


def test_data_in_use_are_told_in_one_sentence(start, tmp_path):
    data = str(tmp_path / "data")
    start("--data", data).wait_until_ready()
    said = sentence_of(start("--data", data)).splitlines()[-1]
    assert said.startswith(f"{data} is in use by another Elasticsearch")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--heap", "900g"], "needs 921800 MB of memory"),
        (["--heap", "banana"], "'banana' is no size of a heap"),
        (["--heap", "16m"], "does not run in 16m"),
        (["--data", "/proc/nowhere"], "The folder /proc/nowhere cannot be made"),
        (["--version", "nine"], "'nine' is no version of Elasticsearch"),
    ],
)
def test_what_cannot_work_is_told_in_one_sentence(start, options, said):
    sentence = sentence_of(start(*options))
    assert said in sentence
    assert len(sentence.splitlines()) == 1


def test_a_missing_package_is_told_with_the_command_that_installs_it(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "jgo.config", None)
    with pytest.raises(ConfigurationError, match=r"needs the package jgo.*pip install"):
        prepare_home(NEWEST, say=print)


def test_a_damaged_cache_is_repaired(own_cache, start):
    home = own_cache / NEWEST
    jar = next((home / "lib").glob("lucene-core-*.jar"))
    jar.write_bytes(jar.read_bytes()[:1000])
    assert not is_complete(home)

    prepare_home(NEWEST, say=print)
    assert is_complete(home)
    assert sorted(path.name for path in own_cache.iterdir()) == [NEWEST, LOCK]
    assert start().wait_until_ready().url


def test_two_versions_are_not_fetched_at_the_same_time(tmp_path, monkeypatch):
    """They share a Maven repository, and whoever finds a package there half fetched gives up."""
    built = []

    def build(version, home, say):
        with (home.parent / LOCK).open("w") as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        built.append(version)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(packages, "_build", build)
    for version in VERSIONS.values():
        prepare_home(version, say=print)
    assert built == list(VERSIONS.values())


def test_an_interrupted_preparation_does_no_harm(own_cache):
    home = own_cache / NEWEST
    rubbish = own_cache / f"{NEWEST}.part-left"
    home.rename(rubbish)
    assert prepare_home(NEWEST, say=print) == home
    assert is_complete(home)
    assert not rubbish.exists()


def test_a_damaged_jar_in_the_maven_repository_is_gone_round(own_cache, monkeypatch):
    shutil.rmtree(own_cache / NEWEST)
    asked = []
    fetch = packages._fetch_jars

    def damage_the_first(version, cache, *, repository):
        jars = fetch(version, cache, repository=repository)
        asked.append(repository)
        if repository is None:
            jars[0].write_bytes(b"half a file")
        return jars

    monkeypatch.setattr(packages, "_fetch_jars", damage_the_first)
    assert is_complete(prepare_home(NEWEST, say=print))
    assert len(asked) == 2
    assert asked[1].is_relative_to(own_cache)


def test_two_preparations_at_once_both_succeed(own_cache):
    shutil.rmtree(own_cache / NEWEST)
    code = (
        "from elasticsearch_local.packages import *\n"
        "import sys; print(is_complete(prepare_home(sys.argv[1], say=len)))"
    )
    both = [
        subprocess.Popen(
            [sys.executable, "-c", code, NEWEST],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(packages.__file__).parents[1],
        )
        for _ in range(2)
    ]
    assert [process.communicate(timeout=300)[0] for process in both] == ["True\n", "True\n"]
