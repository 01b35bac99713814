"""Real Elasticsearch nodes as subprocesses, for fixtures and for the tests of the node itself.

A node lives as long as the pipe to its stdin is open. So none outlives the tests, not even where
pytest itself is killed.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from elasticsearch import ApiError, Elasticsearch, TransportError

from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.stores.elasticsearch.opensearch import Node

VERSIONS = {
    "elasticsearch9": "9.2.0",
    "elasticsearch8": "8.19.9",
    "opensearch2": "opensearch-2.19.3",
}
NAMED_SERVER = "PAPERLESS_FINGERPRINT_TEST_ES"
#: The first start fetches 40 MB.
START_SECONDS = 300


class NodeStartError(Exception):
    """Says in its message what the node said."""


@dataclass
class LocalNode:
    process: subprocess.Popen[bytes]
    log: Path
    url: str = ""

    def wait_until_ready(self) -> LocalNode:
        stdout = self.process.stdout
        readable, _, _ = select.select([stdout], [], [], START_SECONDS)
        line = stdout.readline().decode().strip() if readable else ""
        if not line.startswith("http://"):
            self.stop()
            said = self.log.read_text(errors="replace").strip().splitlines()[-5:]
            raise NodeStartError("\n".join(said) or f"no answer in {START_SECONDS} seconds")
        self.url = line
        return self

    def kill(self) -> None:
        """As a power cut would."""
        self.process.kill()
        self._clean_up()

    def stop(self) -> int:
        """By closing its stdin, which is what the death of its parent does."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._clean_up()
        return self.process.returncode

    def _clean_up(self) -> None:
        self.process.wait()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()


def spawn_node(
    version: str, folder: Path, *options: str, environment: dict | None = None
) -> LocalNode:
    """Started, not yet ready: several can boot at the same time."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"node-{uuid4().hex[:8]}.log"
    command = [
        sys.executable, str(Path(__file__).parents[1] / "tools" / "elasticsearch_local"),
        "--version", version, "--port", "0", "--heap", "512m", "--quick", "--until-stdin-closes",
        *options,
    ]  # fmt: skip
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**os.environ, **(environment or {})},
        )
    return LocalNode(process, log)


def in_memory() -> dict[str, str]:
    """Where the node makes its folder and removes it again: in memory, if there is plenty.

    Every index that is made waits a few times for the disk, and every test makes five.
    """
    memory = Path("/dev/shm")
    with contextlib.suppress(OSError):
        if shutil.disk_usage(memory).free > 4 << 30:
            return {"TMPDIR": str(memory)}
    return {}


class NodePool:
    """One node a version for the whole session, started when the first test asks for it."""

    def __init__(self, folder: Path, *, wanted_later: Callable[[str], bool]) -> None:
        self._folder = folder
        self._wanted_later = wanted_later
        self._nodes: dict[str, LocalNode] = {}
        self._named = os.environ.get(NAMED_SERVER, "").strip()

    def url(self, name: str) -> str:
        if self._named:
            return self._named
        # Booting is mostly one thread's work: the second node boots beside the first.
        for other in VERSIONS:
            if other not in self._nodes and (other == name or self._wanted_later(other)):
                self._nodes[other] = self._spawn(other)
        node = self._nodes[name]
        return node.url or node.wait_until_ready().url

    def urls(self) -> list[str]:
        return [self._named] if self._named else [n.url for n in self._nodes.values() if n.url]

    def _spawn(self, name: str) -> LocalNode:
        return spawn_node(VERSIONS[name], self._folder / name, environment=in_memory())

    def stop(self) -> None:
        for node in self._nodes.values():
            node.process.stdin.close()  # all of them at once, then wait for each
        for node in self._nodes.values():
            node.stop()


class Cluster:
    """Three nodes; any one may be killed and the other two go on."""

    NAMES = ("one", "two", "three")

    def __init__(
        self, folder: Path, version: str = VERSIONS["elasticsearch9"], *options: str
    ) -> None:
        self._folder, self._version = folder, version
        self._common = ("--cluster-name", f"pf-test-{uuid4().hex}", *options)
        self.nodes: list[LocalNode] = []
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def _spawn(self, name: str, *options: str) -> LocalNode:
        folder = self._folder / name
        named = ("--node-name", name, "--data", str(folder / "data"))
        return spawn_node(self._version, folder, *named, *self._common, *options)

    def _start(self) -> None:
        self.nodes.append(self._spawn("one", "--initial-masters", "one"))
        first = self.nodes[0].wait_until_ready()
        seed = self._transport_address(first.url)
        self.nodes += [self._spawn(name, "--seed-hosts", seed) for name in ("two", "three")]
        for node in self.nodes[1:]:
            node.wait_until_ready()
        self.wait_until_whole()

    @staticmethod
    def _transport_address(url: str) -> str:
        with client_for(url) as client:
            (info,) = client.nodes.info(node_id="_local", metric="transport")["nodes"].values()
        return str(info["transport"]["publish_address"])

    def wait_until_whole(self) -> None:
        """All nodes are there, and each shard is where it should be."""
        with client_for(",".join(self.urls)) as client:
            wait_for(lambda: self._is_whole(client), "the cluster is green", seconds=300)

    @staticmethod
    def _is_whole(client: Elasticsearch) -> bool:
        with contextlib.suppress(TransportError, ApiError):
            found = client.cluster.health(
                wait_for_nodes="3", wait_for_status="green", wait_for_no_relocating_shards=True,
                timeout="20s",
            )  # fmt: skip
            return not found["timed_out"]
        return False

    def start_again(self, index: int) -> None:
        """A node that was killed or stopped, with the data and at the address that it had."""
        port = self.nodes[index].url.rpartition(":")[2]
        seed = self._transport_address(self.urls[0])
        self.nodes[index] = self._spawn(self.NAMES[index], "--seed-hosts", seed, "--port", port)
        self.nodes[index].wait_until_ready()

    @property
    def urls(self) -> list[str]:
        return [node.url for node in self.nodes if node.process.poll() is None]

    def kill(self, index: int) -> None:
        self.nodes[index].kill()

    def stop(self) -> None:
        for node in self.nodes:
            with contextlib.suppress(BrokenPipeError):
                node.process.stdin.close()
        for node in self.nodes:
            node.stop()


def open_test_store(url: str, prefix: str, *, spec: FingerprintSpec | None = None, **more: object):
    """A library of its own on a node that tests share."""
    from paperless_fingerprint.stores.elasticsearch import Address, ElasticsearchStore

    if not prefix.startswith("pf-test-"):
        raise ValueError(f"only a test's own indices may be made, not {prefix}*")
    options = {name: more.pop(name) for name in ("create", "known") if name in more}
    address = Address(hosts=tuple(url.split(",")), prefix=prefix, **more)
    return ElasticsearchStore(address, spec or FingerprintSpec(), **options)


@contextlib.contextmanager
def client_for(url: str) -> Iterator[Elasticsearch]:
    client = Elasticsearch(url.split(","), request_timeout=60, node_class=Node)
    try:
        yield client
    finally:
        client.close()


def delete_indices(url: str, prefix: str) -> None:
    """By name: a production server refuses to delete by a pattern, and is right."""
    if not prefix.startswith("pf-test-"):
        raise ValueError(f"only a test's own indices may be deleted, not {prefix}*")
    with client_for(url) as client:
        found = client.indices.get_alias(index=f"{prefix}*", expand_wildcards="all")
        if found:
            client.indices.delete(index=list(found))


def wait_for(condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
    """Asks again until it is so: there is no sleeping for a time that somebody guessed."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"after {seconds} seconds still not so: {what}")
        time.sleep(0.02)
