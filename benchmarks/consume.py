"""From the hook's call to the tags: python benchmarks/consume.py [--size 100000] [--uploads 60]

A made-up library, a stand-in Paperless that holds it too, and `serve` as a process of its own. Two
uploads a second by two workers of Paperless; each runs the true hook and is a copy of a document of
the library. Measured is the time from the start of the hook's process to the moment at which the
copy has its tag. --elasticsearch VERSION measures on such a node in place of SQLite.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from made_library import MadeLibrary
from measuring import report
from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.integration.context import open_workplace
from paperless_fingerprint.integration.sync import CURSOR_NOTE
from paperless_fingerprint.library.intake import SPEC_NOTE, batches, take_in
from paperless_fingerprint.model import Document
from paperless_fingerprint.settings.loading import load

HOOK = Path(__file__).resolve().parents[1] / "hooks" / "post_consume.py"
PROGRAM = str(Path(sys.executable).with_name("paperless-fingerprint"))
PREFIX = "PAPERLESS_FINGERPRINT_"
OURS = frozenset({"Duplicate (exact)", "Duplicate (near)", "Older version"})
DEADLINE_SECONDS = 60.0


def fill(paperless: StandIn, environment: dict[str, str], size: int) -> MadeLibrary:
    """The same documents in Paperless and in the library, as after a sync and an analysis."""
    made = MadeLibrary(size)
    settings = load(environment=environment)

    def documents() -> Iterator[Document]:
        for row in made.documents():
            document = Document(
                int(str(row["id"])),
                str(row["title"]),
                str(row["content"]),
                created="2020-01-01",
                added="2020-01-02T00:00:00.000000Z",
            )
            paperless.library.load([document])
            yield document

    with open_workplace(settings) as place:
        for batch in batches(documents()):
            take_in(place.store, batch, settings.spec())
            place.store.mark_analysed(place.store.pending())
            print(f"\r{batch[-1].id:,} of {size:,}", end="", file=sys.stderr, flush=True)
        stamps = place.paperless.changes("1970-01-01T00:00:00Z")
        place.ledger.saw(stamps)
        place.file.put_note("library", str(place.store.namespace))
        notes = {SPEC_NOTE: settings.spec().id, CURSOR_NOTE: stamps[-1].modified}
        place.store.put_notes(notes)
    print(file=sys.stderr)
    return made


@contextmanager
def serving(environment: dict[str, str]) -> Iterator[str]:
    process = subprocess.Popen(
        [PROGRAM, "serve", "--port", "0"], env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        url = next(line for line in process.stderr if "Listening" in line).split()[-1]
        threading.Thread(target=lambda: [print(x, end="") for x in process.stderr]).start()
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


@contextmanager
def elasticsearch(version: str, folder: Path) -> Iterator[str]:
    program = [sys.executable, str(Path(__file__).parents[1] / "tools" / "elasticsearch_local"), "--port", "0",
               "--version", version, "--data", str(folder), "--heap", "1g",
               "--until-stdin-closes"]  # fmt: skip
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as own:
        try:
            yield own.stdout.readline().strip().split()[-1]
        finally:
            own.stdin.close()
            own.wait(60)


def measure(paperless: StandIn, made: MadeLibrary, uploads: int, per_second: float) -> list[float]:
    """Milliseconds for each upload; infinite where no tag came."""
    chance = random.Random(4)
    library = paperless.library
    started: dict[int, float] = {}
    environment_of = paperless.consumption.hook_environment

    def at_the_hook(row, task_id):
        started[row.id] = time.monotonic()
        return environment_of(row, task_id)

    paperless.consumption.hook_environment = at_the_hook
    unique = [id for id, plan in enumerate(made.plan, 1) if plan.kind == "unique"]
    done: dict[int, float] = {}
    begin = time.monotonic()

    def look() -> None:
        with library.lock:
            ours = {n for n, label in library.labels["tags"].items() if label.name in OURS}
            for id in started.keys() - done.keys():
                if ours.intersection(library.documents[id].tags):
                    done[id] = time.monotonic()

    for number, original in enumerate(chance.sample(unique, uploads)):
        text = made.content(original)
        noisy = " ".join(w for w in text.split() if chance.random() > 0.02)
        while time.monotonic() < begin + number / per_second:
            look()
            time.sleep(0.002)
        paperless.consumption.upload(f"{original}.txt", noisy.encode(), owner=None)
    deadline = time.monotonic() + DEADLINE_SECONDS
    while len(done) < uploads and time.monotonic() < deadline:
        look()
        time.sleep(0.002)
    return [(done.get(id, float("inf")) - at) * 1000 for id, at in started.items()]


def main(size: int, uploads: int, per_second: float, version: str, json: Path | None) -> None:
    with tempfile.TemporaryDirectory() as name, StandIn(hook=HOOK, workers=2) as paperless:
        folder = Path(name)
        environment = {
            **os.environ,
            f"{PREFIX}STORE": f"sqlite:///{folder}/library.db",
            f"{PREFIX}PAPERLESS_URL": paperless.url,
            f"{PREFIX}PAPERLESS_TOKEN": paperless.token,
            f"{PREFIX}SPOOL": str(folder / "spool"),
            f"{PREFIX}INBOX_FILE": str(folder / "inbox.db"),
            f"{PREFIX}SERVICE_SECRET": "a-secret",
            "XDG_CONFIG_HOME": name,
        }
        if version:
            with elasticsearch(version, folder / "node") as url:
                environment[f"{PREFIX}STORE"] = url
                rows = run(paperless, environment, size, uploads, per_second, version)
        else:
            rows = run(paperless, environment, size, uploads, per_second, "")
        report("consume", rows, json)


def run(
    paperless: StandIn, environment: dict[str, str], size: int, uploads: int, per_second: float,
    version: str,
) -> list[dict[str, object]]:  # fmt: skip
    made = fill(paperless, environment, size)
    with serving(environment) as url:
        while "syncs_total 0" in urllib.request.urlopen(f"{url}/metrics").read().decode():
            time.sleep(0.5)  # its first look at the whole library
        paperless.consumption.environment = {
            f"{PREFIX}SERVICE_URL": url,
            f"{PREFIX}SERVICE_SECRET": "a-secret",
            f"{PREFIX}SPOOL": environment[f"{PREFIX}SPOOL"],
        }
        measure(paperless, made, 2, per_second)  # labels are made, connections opened
        took = measure(paperless, made, uploads, per_second)
    told = sorted(ms for ms in took if ms != float("inf"))
    at = statistics.quantiles(told, n=20)
    return [
        {
            "store": f"Elasticsearch {version}" if version else "SQLite",
            "documents": size,
            "uploads": len(took),
            "per second": per_second,
            "without a tag": len(took) - len(told),
            "median ms": round(statistics.median(told)),
            "p95 ms": round(at[18]),
            "worst ms": round(told[-1]),
        }
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--uploads", type=int, default=60)
    parser.add_argument("--per-second", type=float, default=2.0)
    parser.add_argument("--elasticsearch", default="", metavar="VERSION")
    parser.add_argument("--json", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    main(options.size, options.uploads, options.per_second, options.elasticsearch, options.json)
