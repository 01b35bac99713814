"""What fingerprints cost at import, and on disk, beside the same rows without them.

The baseline parses the same JSON and writes the same rows with the same full text, and takes no
fingerprints. For Elasticsearch the CPU time of the node is counted too, and sizes are taken after
a merge to one segment, when what was only kept for recovery is gone.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from made_library import MadeLibrary, write
from measuring import peak_megabytes, report
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.library import intake, jsonl
from paperless_fingerprint.model import Document, Fingerprint, StoredDocument
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import open_store
from paperless_fingerprint.stores.sqlite import SqliteStore

SPEC = FingerprintSpec()


def documents(path: Path) -> Iterator[Document]:
    with path.open("rb") as file:
        for item in jsonl.read(file):
            if isinstance(item, jsonl.ReadDocument):
                yield item.document


def bare(document: Document) -> StoredDocument:
    """The same row with nothing in it that a fingerprint would bring."""
    return StoredDocument(document, Fingerprint(SPEC.id, "", 0, 0))


def fill(store: Store, path: Path, *, fingerprints: bool) -> int:
    count = 0
    for batch in intake.batches(documents(path)):
        count += len(batch)
        if fingerprints:
            intake.take_in(store, batch, SPEC)
        else:
            store.put([bare(document) for document in batch])
    return count


def sqlite_bytes(path: Path) -> int:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("VACUUM")
    connection.close()
    return path.stat().st_size


def measure_sqlite(path: Path, folder: Path) -> list[dict[str, object]]:
    rows = []
    figures: dict[bool, tuple[float, int]] = {}
    for fingerprints in (False, True):
        library = folder / f"{fingerprints}.db"
        store = SqliteStore(library)
        start = time.process_time()
        count = fill(store, path, fingerprints=fingerprints)
        # What an import leaves to its end belongs to it, and what it leaves to idle hours, too.
        store.settle(count)
        while store.tidy():
            pass
        seconds = time.process_time() - start
        store.close()
        size = sqlite_bytes(library)
        figures[fingerprints] = (seconds, size)
        rows.append({
            "store": "SQLite", "what": "with fingerprints" if fingerprints else "baseline",
            "documents": count, "CPU ms a document": seconds / count * 1000,
            "bytes a document": size // count,
        })  # fmt: skip
        library.unlink()
    rows[-1]["CPU, times the baseline"] = figures[True][0] / figures[False][0]
    rows[-1]["added to the size"] = f"{figures[True][1] / figures[False][1] - 1:.1%}"
    return rows


@contextmanager
def node(version: str, folder: Path, heap: str = "1g") -> Iterator[tuple[str, psutil.Process]]:
    program = [sys.executable, str(Path(__file__).parents[1] / "tools" / "elasticsearch_local"), "--port", "0",
               "--version", version, "--data", str(folder), "--heap", heap,
               "--until-stdin-closes"]  # fmt: skip
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as own:
        assert own.stdout is not None
        address = own.stdout.readline().strip().split()[-1]
        try:
            yield address, psutil.Process(own.pid)
        finally:
            assert own.stdin is not None
            own.stdin.close()
            own.wait(60)


def node_seconds(process: psutil.Process) -> float:
    everyone = [process, *process.children(recursive=True)]
    return sum(sum(each.cpu_times()[:2]) for each in everyone)


def measure_elasticsearch(path: Path, folder: Path, version: str) -> list[dict[str, object]]:
    rows = []
    figures: dict[bool, tuple[float, int]] = {}
    with node(version, folder / "node") as (address, process):
        # The first import warms the node up and is thrown away: a cold JVM compiles for seconds.
        for attempt, fingerprints in enumerate((True, False, True)):
            chosen = load({"store": address, "elasticsearch.prefix": f"bench-{attempt}"}, {})
            store: Any = open_store(chosen)
            start, node_start = time.process_time(), node_seconds(process)
            count = fill(store, path, fingerprints=fingerprints)
            seconds = time.process_time() - start + node_seconds(process) - node_start
            # As at the end of a large import; of a small one the server is left to do it some time.
            store.settle(100 * count)
            size = store.report().bytes_used
            store.close()
            if attempt:
                figures[fingerprints] = (seconds, size)
                rows.append({
                    "store": f"Elasticsearch {version}",
                    "what": "with fingerprints" if fingerprints else "baseline",
                    "documents": count, "CPU ms a document": seconds / count * 1000,
                    "bytes a document": size // count,
                })  # fmt: skip
    rows[-1]["CPU, times the baseline"] = figures[True][0] / figures[False][0]
    rows[-1]["added to the size"] = f"{figures[True][1] / figures[False][1] - 1:.1%}"
    return rows


def main(size: int, versions: list[str], folder: Path | None) -> None:
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as name:
        for words in (350, 1_700):
            path = Path(name) / f"{words}.jsonl"
            write(MadeLibrary(size, words=words, spread=0.01), path)
            some = measure_sqlite(path, Path(name))
            for version in versions:
                some += measure_elasticsearch(path, Path(name) / f"es-{version}-{words}", version)
            rows += [{"words": words, **row} for row in some]
    report("imports", rows, folder)
    print(f"\npeak memory of this process: {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=5_000)
    parser.add_argument("--elasticsearch", nargs="*", default=["9.2.0"], metavar="VERSION")
    parser.add_argument("--json", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(options.size, options.elasticsearch, options.json)
