"""An address that speaks as OpenAI's /v1/embeddings does, on the loopback: for tests."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from paperless_fingerprint.semantic.embedders.base import Usem3Embedder


class EmbeddingServer:
    """Real embeddings, whatever the model is called. `hold()` lets requests wait for `go_on()`."""

    def __init__(self) -> None:
        self.texts: Counter[tuple[str, str]] = Counter()
        self._model = Usem3Embedder()
        self._lock = threading.Lock()
        self._open = threading.Event()
        self._open.set()
        self._passing = 10**9
        self.waiting = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def hold(self, after: int = 0) -> None:
        """Answer so many more requests, and let the others wait."""
        with self._lock:
            self._passing = after
            self.waiting.clear()
            self._open.clear()

    def go_on(self) -> None:
        with self._lock:
            self._passing = 10**9
            self._open.set()

    def serve(self) -> None:
        self._server.serve_forever(poll_interval=0.05)

    def close(self) -> None:
        self.go_on()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, asked: dict[str, Any]) -> bytes:
        with self._lock:
            self._passing -= 1
            is_held = self._passing < 0
        if is_held and not self._open.is_set():
            self.waiting.set()
            self._open.wait(60)
        with self._lock:
            self.texts.update((asked["model"], text) for text in asked["input"])
            rows = self._model.embed(asked["input"])
        data = [{"index": n, "embedding": row.tolist()} for n, row in enumerate(rows)]
        return json.dumps({"data": data}).encode()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                body = server.answer(json.loads(self.rfile.read(length)))
                try:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    pass  # whoever asked was killed meanwhile

            def log_message(self, *_arguments: object) -> None:
                pass

        return Handler


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    server = EmbeddingServer()
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()
