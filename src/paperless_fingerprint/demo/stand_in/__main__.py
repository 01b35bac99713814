"""`python -m paperless_fingerprint.demo.stand_in --port 0`: prints its address and token as JSON."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.library.jsonl import document_from
from paperless_fingerprint.model import Document


def _documents(path: Path) -> Iterator[Document]:
    """A document a line, as `paperless-fingerprint import` reads them."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield document_from(json.loads(line))


def main() -> None:
    parser = argparse.ArgumentParser(description="A stand-in Paperless for demo and tests.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--major", type=int, default=3, choices=(2, 3))
    parser.add_argument("--hook", type=Path, help="what runs after each upload")
    parser.add_argument("--workers", type=int, default=1, help="uploads consumed at a time")
    parser.add_argument("--documents", type=Path, help="a JSON-lines file to start with")
    parser.add_argument("--modified-delay-seconds", type=float, default=0.5)
    told = parser.parse_args()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with StandIn(
        _documents(told.documents) if told.documents else (),
        major=told.major,
        host=told.host,
        port=told.port,
        hook=told.hook,
        workers=told.workers,
        modified_delay_seconds=told.modified_delay_seconds,
    ) as stand_in:
        ready = {"url": stand_in.url, "token": stand_in.token, "username": "admin"}
        print(json.dumps(ready), flush=True)
        stop.wait()
    sys.exit(0)


if __name__ == "__main__":
    main()
