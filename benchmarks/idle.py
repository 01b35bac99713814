"""What `serve` takes when its work is done: python benchmarks/idle.py --library FILE.db

Starts the real `serve` over a copy of an analysed library in SQLite (gen_scale.py's or another's
documents, imported and analysed), with a stand-in Paperless that holds documents of the same
numbers, all of which have been seen: nothing is to be fetched. Then it tells for each minute how
much of a core the service took, and how much memory it has.
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
import tempfile
import time
from pathlib import Path

import psutil

from analysis import megabytes
from measuring import report
from paperless_fingerprint.files.sqlite import copy_at_one_moment
from paperless_fingerprint.integration.context import open_workplace
from paperless_fingerprint.integration.sync import sync
from paperless_fingerprint.settings.loading import load
from web import behind


def measure(library: Path, folder: Path, minutes: int) -> list[dict[str, object]]:
    copy = folder / "library.db"
    copy_at_one_moment([(library, copy)])
    settings = load({"store": f"sqlite:///{copy}"}, {})
    from paperless_fingerprint.stores.opening import open_store

    store = open_store(settings)
    documents = store.ids()
    store.close()
    assert documents == list(range(1, len(documents) + 1)), "numbered from 1 on, without a gap"
    with behind(len(documents)) as paperless:
        name = "PAPERLESS_FINGERPRINT_"
        environment = {
            f"{name}STORE": f"sqlite:///{copy}",
            f"{name}INBOX_FILE": f"{folder}/library.inbox.db",
            f"{name}SPOOL": f"{folder}/spool",
            f"{name}PAPERLESS_URL": paperless["url"],
            f"{name}PAPERLESS_TOKEN": paperless["token"],
            "XDG_CONFIG_HOME": str(folder),
            "XDG_DATA_HOME": str(folder),
        }
        seen_already(load(environment=environment))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "paperless_fingerprint", "serve", "--port", str(port)]
        serving = psutil.Popen(command, env={**os.environ, **environment})
        rows: list[dict[str, object]] = []
        try:
            for minute in range(1, minutes + 1):
                before, began = cpu_seconds(serving), time.monotonic()
                time.sleep(60)
                spent = cpu_seconds(serving) - before
                rows.append(
                    {
                        "documents": len(documents),
                        "minute": minute,
                        "% of a core": 100 * spent / (time.monotonic() - began),
                        "MB": megabytes(serving),
                    }
                )
                print(rows[-1], flush=True)
        finally:
            serving.terminate()
            serving.wait(30)
    return rows


def seen_already(settings) -> None:
    """As after a sync that has fetched them all."""
    with open_workplace(settings) as place:
        stamps = place.paperless.changes("1970-01-01T00:00:00.000000Z")
        place.file.put_note("library", str(place.store.namespace))
        place.ledger.saw(stamps)
        sync(place)


def cpu_seconds(process: psutil.Process) -> float:
    each = [process, *process.children(recursive=True)]
    return sum(sum(one.cpu_times()[:2]) for one in each)


def main(library: Path, minutes: int, out: Path | None) -> None:
    with tempfile.TemporaryDirectory(dir=library.parent) as name:
        rows = measure(library, Path(name), minutes)
    report("idle", rows, out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--minutes", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    main(options.library, options.minutes, options.json)
