"""What the post-consume hook costs, as a multiple of a bare `python3 -c pass`.

    python benchmarks/hook.py [--runs 40]

The cases take turns, so that a busy machine slows all of them alike; medians are compared. Prints
a JSON object for each case.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HOOK = Path(__file__).resolve().parents[1] / "hooks" / "post_consume.py"
PREFIX = "PAPERLESS_FINGERPRINT_"


def serve(listener: socket.socket) -> None:
    """A service that takes every id."""
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            data = b""
            while not data.endswith(b"}"):
                piece = connection.recv(4096)
                if not piece:
                    break
                data += piece
            connection.sendall(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")


def milliseconds(command: list[str], environment: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stderr=subprocess.DEVNULL)
    return (time.perf_counter() - started) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=40)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name, socket.create_server(("127.0.0.1", 0)) as listener:
        folder = Path(name)
        thread = threading.Thread(target=serve, args=(listener,), daemon=True)
        thread.start()
        port = listener.getsockname()[1]
        # Not the one of a virtual environment, whose packages hook into the start: Paperless's
        # image has nothing of the kind.
        python = shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable
        plain, beside = folder / "plain", folder / "beside"
        for where in (plain, beside):
            where.mkdir()
            (where / "python3").symlink_to(python)
        worker = beside / "paperless-fingerprint"
        worker.write_text("#!/bin/sh\nexit 0\n")
        worker.chmod(0o755)
        base = {"PATH": str(plain), "HOME": name, "DOCUMENT_ID": "12"}
        base[f"{PREFIX}SPOOL"] = str(folder / "spool")
        # Its own spool: an empty one, so that no leftovers go along.
        up = {
            f"{PREFIX}SERVICE_URL": f"http://127.0.0.1:{port}",
            f"{PREFIX}SPOOL": str(folder / "empty"),
        }
        hook = [str(plain / "python3"), str(HOOK)]
        cases = {
            "bare python": ([hook[0], "-c", "pass"], base),
            "service up": (hook, base | up),
            "service down": (hook, base | {f"{PREFIX}SERVICE_URL": "http://127.0.0.1:1"}),
            "spool only": (hook, base),
            "worker started": ([str(beside / "python3"), str(HOOK)], base | {"PATH": str(beside)}),
        }
        took: dict[str, list[float]] = {case: [] for case in cases}
        for _ in range(runs):
            for case, (command, environment) in cases.items():
                took[case].append(milliseconds(command, environment))
            shutil.rmtree(folder / "spool", ignore_errors=True)
        bare = statistics.median(took["bare python"])
        for case, times in took.items():
            median = statistics.median(times)
            row = {"case": case, "runs": runs, "median_ms": round(median, 1)}
            print(json.dumps(row | {"times_bare": round(median / bare, 2)}))
        with_fsync = f"fsync of the file and its folder, {os.uname().sysname}"
        print(json.dumps({"case": "note", "text": f"the spooling cases include {with_fsync}"}))
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


if __name__ == "__main__":
    main()
