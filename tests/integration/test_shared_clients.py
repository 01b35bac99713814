"""One client and many threads, against a server that closes connections whenever it likes."""

from __future__ import annotations

import json
import random
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from paperless_fingerprint.paperless.client import Limits, PaperlessClient
from paperless_fingerprint.paperless.connection import Connection
from paperless_fingerprint.semantic.embedders.openai import AddressEmbedder
from paperless_fingerprint.stores.elasticsearch.connection import Address, connect

THREADS, QUESTIONS = 30, 40
#: A second try would hide what is looked for.
ONCE = Limits(attempts=1)
#: Whether what is told is what was asked for.
Ask = Callable[[int], bool]


class ClosingServer(ThreadingHTTPServer):
    """Tells each client what it has asked for. Closes a third of the connections after that, and
    says so to nobody."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.draw = random.Random(18).random
        #: Until it is set, the second half of an answer is kept back.
        self.go_on = threading.Event()
        self.go_on.set()

    def answer(self, path: str, body: bytes) -> object:
        if not body:
            return {"asked": path, "_id": path.rpartition("/")[2]}
        texts = json.loads(body)["input"]
        return {"data": [{"index": n, "embedding": [int(t)]} for n, t in enumerate(texts)]}


class _Handler(BaseHTTPRequestHandler):
    server: ClosingServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        told = json.dumps(self.server.answer(self.path, body)).encode()
        self.close_connection = self.server.draw() < 1 / 3
        if self.close_connection:
            # The end of the connection goes with the end of the answer, so that whoever has read
            # this one can know that the connection takes no other.
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(told)))
        self.send_header("X-Api-Version", "10")
        self.send_header("X-Elastic-Product", "Elasticsearch")
        self.end_headers()
        self.wfile.write(told[:5])
        if not self.server.go_on.is_set():
            self.server.go_on.wait(60)
        self.wfile.write(told[5:])
        if self.close_connection:
            self.connection.shutdown(socket.SHUT_WR)

    do_POST = do_GET  # noqa: N815


@pytest.fixture
def server() -> Iterator[ClosingServer]:
    with ClosingServer() as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.05,))
        serving.start()
        yield server
        server.go_on.set()
        server.shutdown()
        serving.join()


@pytest.fixture
def busy() -> Iterator[None]:
    """Threads take turns after every step, as they do on a machine that has too much to do."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@contextmanager
def paperless_file(url: str) -> Iterator[Ask]:
    with PaperlessClient(Connection(url, token="token", limits=ONCE)) as paperless:

        def ask(number: int) -> object:
            with paperless.thumbnail(number) as file:
                return json.loads(b"".join(file.chunks))["asked"]

        yield lambda number: ask(number) == f"/api/documents/{number}/thumb/"


@contextmanager
def paperless_list(url: str) -> Iterator[Ask]:
    with closing(Connection(url, token="token", limits=ONCE)) as paperless:
        yield lambda number: paperless.get(f"/{number}")["asked"] == f"/{number}"


@contextmanager
def embedder(url: str) -> Iterator[Ask]:
    with closing(AddressEmbedder(url, "toy", attempts=1)) as embedder:
        yield lambda number: embedder.embed([str(number)]).tolist() == [[number]]


@contextmanager
def elasticsearch(url: str) -> Iterator[Ask]:
    with connect(Address((url,))) as client:
        once = client.options(max_retries=0)
        yield lambda number: once.get(index="i", id=str(number))["_id"] == str(number)


@pytest.mark.parametrize("shared", [paperless_file, paperless_list, embedder, elasticsearch])
def test_no_thread_closes_the_connection_of_another(server, busy, shared):
    together = threading.Barrier(THREADS)

    def several(first: int) -> list[object]:
        together.wait()
        return [ask(number) for number in range(first, first + QUESTIONS)]

    with shared(server.url) as ask, ThreadPoolExecutor(THREADS) as threads:
        found = list(threads.map(several, range(1, THREADS * QUESTIONS, QUESTIONS)))
    assert found == [[True] * QUESTIONS] * THREADS


def test_closing_a_client_leaves_what_is_being_read(server):
    paperless = PaperlessClient(Connection(server.url, token="token"))
    server.go_on.clear()
    with paperless.thumbnail(7) as file:
        pieces = [next(file.chunks)]
        paperless.close()
        server.go_on.set()
        pieces += file.chunks
    assert json.loads(b"".join(pieces))["asked"] == "/api/documents/7/thumb/"
