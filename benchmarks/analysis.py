"""What a whole analysis costs, and one document more: python benchmarks/analysis.py [SIZE ...]

CPU seconds of import and analysis through the command line, all processes and their start (and the
node of Elasticsearch) included; then the time of one more document in a running worker (candidates,
comparison, groups), for a sample of documents that are taken in again with another text. The made
documents have 300 words; 5 % are filled-in copies of forms, 5 % noisy copies. `--file` measures
documents from elsewhere, such as gen_scale.py's. Each size is left in FOLDER as soon as it is
measured, and stays there when others are measured later.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from imports import documents, fill, node, node_seconds
from made_library import MadeLibrary, Shares, damaged, write
from measuring import Row, left, report, told
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.library import intake
from paperless_fingerprint.library.analysis_one import analyse_one
from paperless_fingerprint.library.vocabulary import StoredVocabulary
from paperless_fingerprint.model import Document
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import open_store

KEPT_BY = ("store", "documents")


@dataclass(frozen=True)
class Place:
    """Where a library is measured: in a file, or on a node that runs here."""

    kind: str
    address: str
    node: psutil.Process | None = None

    def node_seconds(self) -> float:
        return node_seconds(self.node) if self.node else 0.0

    def command(self, *arguments: str) -> tuple[float, float, float]:
        """CPU seconds of one command and of all that it started or asked, and the most MB that its
        processes had together and one of them alone (what they share counts once)."""
        before, node_before = resource.getrusage(resource.RUSAGE_CHILDREN), self.node_seconds()
        running = psutil.Popen(
            [sys.executable, "-m", "paperless_fingerprint", "--store", self.address, *arguments],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        together = largest = 0.0
        while running.poll() is None:
            each = megabytes_of_each(running)
            together, largest = max(together, sum(each)), max(largest, *each, 0.0)
            time.sleep(0.1)
        if running.returncode:
            raise SystemExit(f"{' '.join(arguments)} ended with {running.returncode}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return spent + self.node_seconds() - node_before, together, largest


def megabytes(process: psutil.Process) -> float:
    return sum(megabytes_of_each(process))


def megabytes_of_each(process: psutil.Process) -> list[float]:
    found: list[float] = []
    with suppress(psutil.Error):
        # One that ends meanwhile ends the list, and what is in it stays.
        everyone = (process, *process.children(recursive=True))
        found.extend(each.memory_full_info().pss / 1e6 for each in everyone)
    return found


def measure(path: Path, place: Place, sample: int) -> Row:
    imported, at_import, largest = place.command("import", str(path))
    analysed, at_analysis, largest_then = place.command("analyze")
    with closing(open_store(load({"store": place.address}))) as store:
        disk = store.report().bytes_used / 1e6
        count, seconds, cpu, first, each = one_more(store, place, sample)
    row: Row = {
        "library": path.stem,
        "store": place.kind,
        "documents": count,
        "import, CPU s": imported,
        "analyze, CPU s": analysed,
        "both": imported + analysed,
        "largest process, MB": max(largest, largest_then),
        "import, MB": at_import,
        "analyze, all processes, MB": at_analysis,
        "disk, MB": disk,
        "one more, mean ms": 1000 * float(np.mean(seconds)),
        "one more, p99 ms": 1000 * float(np.quantile(seconds, 0.99)),
        "one more, worst ms": 1000 * max(seconds),
        "one more, CPU ms": 1000 * cpu,
        "put in order when idle, CPU s": first,
        "after each more, CPU s": each,
    }
    if place.node:
        row["node, MB"] = megabytes(place.node)
    return row


def tidy(store) -> float:
    """CPU seconds of what a worker does when nothing else is to be done."""
    start = time.process_time()
    while store.tidy():
        pass
    return time.process_time() - start


def one_more(
    store: Store, place: Place, sample: int
) -> tuple[int, list[float], float, float, float]:
    """Wall seconds, and CPU seconds on average, of taking in and analysing a noisy copy of a document
    that is there; and what a worker does in between, at first and after each of them."""
    chosen = load({"store": place.address})
    spec = FingerprintSpec()
    rng = random.Random(3)
    everything = store.ids()
    texts = store.texts(rng.sample(everything, min(sample, len(everything))))
    vocabulary = StoredVocabulary(store)
    first = tidy(store)
    seconds, cpu, tidying = [], 0.0, 0.0
    for number, text in enumerate(texts.values()):
        content = " ".join(damaged(text.split(" "), 0.03, rng))
        new = Document(id=everything[-1] + 1 + number, title="One more", content=content)
        start, began = time.perf_counter(), time.process_time() + place.node_seconds()
        intake.take_in(store, [new], spec)
        [item] = [waiting for waiting in store.pending() if waiting.id == new.id]
        analyse_one(store, chosen, item, vocabulary)
        seconds.append(time.perf_counter() - start)
        cpu += time.process_time() + place.node_seconds() - began
        tidying += tidy(store)
    return len(everything), seconds, cpu / len(seconds), first, tidying / len(seconds)


#: 5 % of a form, 5 % copies: what a million holds is then what ten thousand hold.
SHARES = Shares(copies=0.05, parts=0, versions=0, forms=0.05, short=0)


def main(sizes: list[int], files: list[Path], kinds: list[str], sample: int, out: Path | None) -> None:  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = []
        for path in [*sizes, *files]:
            if isinstance(path, int):
                made = folder / f"made-{path}.jsonl"
                write(MadeLibrary(path, words=300, spread=0.01, shares=SHARES), made)
                path = made  # noqa: PLW2901
            assert next(documents(path), None) is not None, f"{path} holds no documents"
            for kind in kinds:
                with in_place(kind, folder) as place:
                    rows.append(measure(path, place, sample))
                told(rows[-1])
                left("analysis", rows, out, kept_by=KEPT_BY)
            if path.parent == folder:
                path.unlink()
    report("analysis", rows, out, kept_by=KEPT_BY)


@contextmanager
def in_place(kind: str, folder: Path) -> Iterator[Place]:
    """A library of its own; a node takes in another one first, because it compiles for seconds."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        if kind == "sqlite":
            yield Place(kind, f"sqlite:///{own}/library.db")
            return
        with node(kind, Path(own)) as (address, process):
            warm = Path(own) / "warm.jsonl"
            write(MadeLibrary(2_000, words=300, seed=2, shares=SHARES), warm)
            with closing(open_store(load({"store": address, "elasticsearch.prefix": "warm"}))) as store:  # fmt: skip
                fill(store, warm, fingerprints=True)
            yield Place(kind, address, process)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", type=int, nargs="*")
    parser.add_argument("--file", type=Path, action="append", default=[], dest="files")
    parser.add_argument("--stores", nargs="*", default=["sqlite"], help="sqlite, or a version such as 9.2.0")  # fmt: skip
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--json", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    main(options.sizes, options.files, options.stores, options.sample, options.json)
