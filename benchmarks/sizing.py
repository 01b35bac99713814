"""What a library takes in Elasticsearch: python benchmarks/sizing.py FILE.jsonl ...

For each file a node of its own: import and analysis through the command line, CPU of both sides, and
the bytes of each index, as they are at once and once the server has settled, and what heap was
needed. From two sizes on a line is drawn through them (bytes = fixed + documents * each), and read at
1 and 10 million. With --together the files are the pieces of one large library: they go into the same
node, one after another, and what each leaves is told on stderr.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from imports import documents, node, node_seconds
from measuring import report
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.settings.registry import PREFIX as SETTINGS
from paperless_fingerprint.stores.elasticsearch.connection import Address, connect
from paperless_fingerprint.stores.elasticsearch.layout import KINDS
from paperless_fingerprint.stores.opening import open_store

PREFIX = load({}, {}).elasticsearch.prefix
AHEAD = (1_000_000, 10_000_000)


def sizes(address: str) -> dict[str, int]:
    """Bytes of each index's primary shards."""
    client = connect(Address((address,)))
    found = {}
    for kind in KINDS:
        client.indices.flush(index=f"{PREFIX}-{kind}", force=True)
        answer = client.indices.stats(index=f"{PREFIX}-{kind}", metric="store")
        found[kind] = int(answer["_all"]["primaries"]["store"]["size_in_bytes"])
    client.close()
    return found


def command(address: str, *arguments: str) -> float:
    """CPU seconds of one command and of all that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = [sys.executable, "-m", "paperless_fingerprint", "--store", address, *arguments]
    # What it takes is the question, and not whether others on this machine are in the way.
    patient = {**os.environ, f"{SETTINGS}ELASTICSEARCH_TIMEOUT_SECONDS": "600"}
    said = subprocess.run(program, check=False, capture_output=True, text=True, env=patient)
    if said.returncode:
        raise SystemExit(said.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def heap(address: str) -> dict[str, object]:
    """How full the old generation ever was, and what collecting garbage there took."""
    client = connect(Address((address,)))
    [jvm] = [node["jvm"] for node in client.nodes.stats(metric="jvm")["nodes"].values()]
    client.close()
    old = jvm["gc"]["collectors"]["old"]
    return {
        "heap, MB": jvm["mem"]["heap_max_in_bytes"] >> 20,
        "old generation at most, MB": jvm["mem"]["pools"]["old"]["peak_used_in_bytes"] >> 20,
        "its collections": old["collection_count"],
        "and their s": old["collection_time_in_millis"] / 1000,
    }


def measure(
    paths: Iterable[Path], version: str, heap_size: str, folder: Path, *, analyse: bool
) -> dict[str, object]:
    text = count = 0
    imported = 0.0
    with node(version, folder, heap_size) as (address, process):
        for path in paths:
            for document in documents(path):
                text, count = text + len(document.content.encode()), count + 1
            imported += command(address, "import", str(path))
            at_once = {
                "documents": count, "import, CPU s": imported, "its node": node_seconds(process),
                "at once, bytes a document": sizes(address)["documents"] // count, **heap(address),
            }  # fmt: skip
            print(at_once, file=sys.stderr, flush=True)
        before = node_seconds(process)
        analysed = command(address, "analyze") if analyse else 0.0
        store = open_store(load({"store": address, "elasticsearch.timeout_seconds": 600}, {}))
        store.settle(max(count, 20_000))
        counts = store.report().counts
        store.close()
        found = sizes(address)
        return {
            **at_once, "text": text // count, "pairs": counts.pairs, "groups": counts.groups,
            "analyze, CPU s": analysed, "node of it": node_seconds(process) - before,
            **{f"{kind}, bytes": size for kind, size in found.items()},
            "in all, bytes a document": sum(found.values()) / count, **heap(address),
        }  # fmt: skip


def ahead(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """The line through the sizes that were measured."""
    counts = [float(str(row["documents"])) for row in rows]
    whole = [
        count * float(str(row["in all, bytes a document"]))
        for count, row in zip(counts, rows, strict=True)
    ]
    each, fixed = np.polyfit(counts, whole, 1, w=[1 / count for count in counts])
    return [
        {"documents": count, "GB": (fixed + each * count) / 1e9, "bytes a document": float(each)}
        for count in AHEAD
    ]


def main(
    libraries: list[list[Path]], version: str, heap_size: str, out: Path | None, *, analyse: bool
) -> None:
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for paths in libraries:
            folder = Path(name) / paths[0].stem
            rows.append(measure(paths, version, heap_size, folder, analyse=analyse))
            report("sizing", rows[-1:], None)
    if len(rows) > 1:
        report("ahead", ahead(rows), None)
    report("sizing", rows, out, kept_by="documents")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--version", default="9.2.0")
    parser.add_argument("--heap", default="1g")
    parser.add_argument(
        "--together", action="store_true", help="the files are one library's pieces"
    )
    parser.add_argument("--import-only", action="store_true", help="no pairs and no groups")
    parser.add_argument("--json", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    libraries = [options.files] if options.together else [[file] for file in options.files]
    main(
        libraries, options.version, options.heap, options.json,
        analyse=not options.import_only,
    )  # fmt: skip
