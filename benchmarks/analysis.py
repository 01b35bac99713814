"""What a whole analysis costs, and one document more: python benchmarks/analysis.py [SIZE ...]

CPU seconds of import and analysis through the command line, all processes and their start
included; then the time of one more document in a running worker (candidates, comparison, groups),
for a sample of documents that are taken in again with another text. `--file` measures documents
from elsewhere, such as gen_scale.py's; with `--keep` each size may be measured by itself.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil

from imports import documents
from made_library import MadeLibrary, damaged, write
from measuring import report
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.library import intake
from paperless_fingerprint.library.analysis_one import analyse_one
from paperless_fingerprint.library.vocabulary import StoredVocabulary
from paperless_fingerprint.model import Document
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.opening import open_store


def command(store: str, *arguments: str) -> tuple[float, float]:
    """CPU seconds of one command and of all that it started, and the most MB that they had together
    (what they share counts once)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    running = psutil.Popen(
        [sys.executable, "-m", "paperless_fingerprint", "--store", store, *arguments],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    most = 0.0
    while running.poll() is None:
        most = max(most, megabytes(running))
        time.sleep(0.1)
    if running.returncode:
        raise SystemExit(f"{' '.join(arguments)} ended with {running.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, most


def megabytes(process: psutil.Process) -> float:
    total = 0
    with suppress(psutil.Error):
        for each in (process, *process.children(recursive=True)):
            total += each.memory_full_info().pss
    return total / 1e6


def measure(path: Path, store: str, sample: int) -> dict[str, object]:
    imported, at_import = command(store, "import", str(path))
    analysed, at_analysis = command(store, "analyze")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    disk = Path(store.removeprefix("sqlite:///")).stat().st_size / 1e6
    count, seconds, cpu, first, each = one_more(store, sample)
    return {
        "library": path.stem,
        "documents": count,
        "import, CPU s": imported,
        "analyze, CPU s": analysed,
        "both": imported + analysed,
        "largest process, MB": peak,
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


def tidy(store) -> float:
    """CPU seconds of what a worker does when nothing else is to be done."""
    start = time.process_time()
    while store.tidy():
        pass
    return time.process_time() - start


def one_more(address: str, sample: int) -> tuple[int, list[float], float, float, float]:
    """Wall seconds, and CPU seconds on average, of taking in and analysing a noisy copy of a document that is there; and what a
    worker does in between, at first and after each of them."""
    chosen = load({"store": address}, {})
    spec = FingerprintSpec()
    rng = random.Random(3)
    store = open_store(chosen)
    everything = store.ids()
    texts = store.texts(rng.sample(everything, min(sample, len(everything))))
    vocabulary = StoredVocabulary(store)
    first = tidy(store)
    seconds, cpu, tidying = [], 0.0, 0.0
    for number, text in enumerate(texts.values()):
        content = " ".join(damaged(text.split(" "), 0.03, rng))
        new = Document(id=everything[-1] + 1 + number, title="One more", content=content)
        start, began = time.perf_counter(), time.process_time()
        intake.take_in(store, [new], spec)
        [item] = [waiting for waiting in store.pending() if waiting.id == new.id]
        analyse_one(store, chosen, item, vocabulary)
        seconds.append(time.perf_counter() - start)
        cpu += time.process_time() - began
        tidying += tidy(store)
    store.close()
    return len(everything), seconds, cpu / len(seconds), first, tidying / len(seconds)


def main(sizes: list[int], files: list[Path], sample: int, out: Path | None, *, keep: bool) -> None:
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in sizes:
            path = folder / f"made-{size}.jsonl"
            write(MadeLibrary(size, words=300, spread=0.01), path)
            files = [*files, path]
        for path in files:
            assert next(documents(path), None) is not None, f"{path} holds no documents"
            rows.append(measure(path, f"sqlite:///{folder / path.stem}.db", sample))
    report("analysis", rows, out, kept_by="documents" if keep else "")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", type=int, nargs="*")
    parser.add_argument("--file", type=Path, action="append", default=[], dest="files")
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--json", type=Path, metavar="FOLDER")
    parser.add_argument("--keep", action="store_true", help="what other sizes have left in FOLDER")
    options = parser.parse_args()
    main(options.sizes, options.files, options.sample, options.json, keep=options.keep)
