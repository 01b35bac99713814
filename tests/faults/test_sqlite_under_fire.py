"""Several processes on one library, and processes that die in the middle of a write."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from documents import SPEC, some_text
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.stores.sqlite import SqliteStore

# Writes batches of three and says which are acknowledged; each line is flushed at once.
WRITER = """
import sys
sys.path.insert(0, sys.argv[4])
from documents import some_text, stored
from paperless_fingerprint.stores.sqlite import SqliteStore
store = SqliteStore(sys.argv[1])
first, last = int(sys.argv[2]), int(sys.argv[3])
for id in range(first, last, 3):
    store.put([stored(each, some_text(40, each)) for each in range(id, id + 3)])
    print(id, flush=True)
store.close()
"""


def writer(library: Path, first: int, last: int) -> subprocess.Popen[str]:
    tests = str(Path(__file__).parent.parent)
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(library), str(first), str(last), tests],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def check_whole(library: Path, expected: set[int], *, at_least: bool = False) -> None:
    store = SqliteStore(library)
    ids = set(store.ids())
    assert expected <= ids if at_least else expected == ids
    for id in sorted(ids):
        text = some_text(40, id)
        assert store.texts([id])[id] == text
        assert [c.id for c in store.candidates(fingerprint(text, SPEC))] == [id]
        assert store.document_frequencies([text.split()[5]])[text.split()[5]] >= 1
    assert {item.id for item in store.pending()} == ids
    # No posting is left of a document that is not there, and none is missing.
    connection = store._own().connection
    [(owners,)] = connection.execute(
        "SELECT count(DISTINCT key & 4294967295) FROM posting"
    ).fetchall()
    assert owners == len(ids)
    store.close()
    with sqlite3.connect(library) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    connection.close()


def test_four_processes_create_and_fill_one_library(tmp_path: Path) -> None:
    library = tmp_path / "library.db"
    running = [writer(library, 1 + 30 * n, 31 + 30 * n) for n in range(4)]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    check_whole(library, set(range(1, 121)))


@pytest.mark.parametrize("seed", range(int(os.environ.get("PF_FAULT_RUNS", "6"))))
def test_what_was_acknowledged_survives_a_kill(tmp_path: Path, seed: int) -> None:
    """The writer is killed after a random number of acknowledged batches, twenty at the most."""
    library = tmp_path / "library.db"
    SqliteStore(library).close()
    process = writer(library, 1, 3_000)
    assert process.stdout is not None
    acknowledged: set[int] = set()
    for _ in range(random.Random(seed).randint(1, 20)):
        first = int(process.stdout.readline())
        acknowledged |= {first, first + 1, first + 2}
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate(timeout=60)
    for line in rest.split():
        acknowledged |= {int(line), int(line) + 1, int(line) + 2}
    check_whole(library, acknowledged, at_least=True)
