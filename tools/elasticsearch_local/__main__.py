"""Starts a local Elasticsearch in the foreground and prints its address when it can be used.

python tools/elasticsearch_local --port 9200 --data ~/elasticsearch-data
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

# A folder that is run as a program is not a package by itself.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from elasticsearch_local.node import Node, NodeOptions, keep_stdout_clean
from elasticsearch_local.packages import prepare_home
from paperless_fingerprint.errors import ConfigurationError, ExitCode, FingerprintError


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python tools/elasticsearch_local",
        description="Starts a real Elasticsearch node on 127.0.0.1, for trying out and for tests. "
        "Prints one line, its address, when it is ready; stops on Ctrl-C or SIGTERM.",
    )
    options.add_argument(
        "--version", default="9.2.0", help="of Elasticsearch (default 9.2.0), or opensearch-2.19.3"
    )
    options.add_argument("--port", type=int, default=9200, help="0 takes a free one (default 9200)")
    options.add_argument("--data", type=Path, help="keep the data here; without it they are lost")
    options.add_argument("--heap", default="512m", help="memory of the JVM (default 512m)")
    options.add_argument("--node-name", default="local")
    options.add_argument("--cluster-name", default="paperless-fingerprint-local")
    options.add_argument("--transport-port", type=int, default=0, help="default: a free one")
    options.add_argument("--seed-hosts", nargs="*", default=[], metavar="HOST:PORT",
                         help="transport addresses of nodes of the cluster to join")  # fmt: skip
    options.add_argument("--initial-masters", nargs="*", default=[], metavar="NAME",
                         help="names of the nodes that found a new cluster")  # fmt: skip
    options.add_argument("--snapshots", type=Path, metavar="FOLDER",
                         help="where repositories of snapshots may lie")  # fmt: skip
    options.add_argument("--quick", action="store_true", help="boot sooner, work slower: for tests")
    options.add_argument("--until-stdin-closes", action="store_true",
                         help="stop as well when stdin ends, as it does when the parent dies")  # fmt: skip
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    stdout = keep_stdout_clean()
    try:
        run(options, stdout)
    except FingerprintError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return ExitCode.DONE


def run(options: argparse.Namespace, stdout: int) -> None:
    home = prepare_home(options.version, say=lambda text: print(text, file=sys.stderr, flush=True))
    stop = stop_event(until_stdin_closes=options.until_stdin_closes)
    with contextlib.ExitStack() as stack:
        data = options.data or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="paperless-fingerprint-es-"))
        )
        node = Node(
            NodeOptions(
                version=options.version,
                home=home,
                data=usable_folder(data),
                port=options.port,
                transport_port=options.transport_port,
                heap=options.heap,
                name=options.node_name,
                cluster_name=options.cluster_name,
                seed_hosts=tuple(options.seed_hosts),
                initial_masters=tuple(options.initial_masters),
                snapshots=options.snapshots,
                quick=options.quick,
            )
        )
        stack.callback(node.close)
        if not options.seed_hosts:
            wait_until_usable(node.address)
        os.write(stdout, f"{node.address}\n".encode())
        stop.wait()


def usable_folder(data: Path) -> Path:
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"The folder {data} cannot be made ({error.strerror}); give another --data."
        ) from error
    return data.resolve()


def stop_event(*, until_stdin_closes: bool) -> threading.Event:
    """Set when the node has to go; while Java boots, signals wait until it has booted."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stop.set())
    if until_stdin_closes:

        def watch() -> None:
            while os.read(0, 4096):
                pass
            stop.set()

        threading.Thread(target=watch, daemon=True, name="stdin").start()
    return stop


def wait_until_usable(address: str) -> None:
    """Indices that were there before are recovered after the start, which takes a moment."""
    host, _, port = address.removeprefix("http://").partition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=90)
    with contextlib.closing(connection):
        connection.request("GET", "/_cluster/health?wait_for_status=yellow&timeout=60s")
        answer = connection.getresponse()
        health = json.loads(answer.read())
    if health.get("timed_out") or answer.status != http.client.OK:
        print("Some indices have not been recovered yet; going on.", file=sys.stderr, flush=True)


def end(code: int) -> None:
    # The JVM's own farewell takes half a second and has nothing left to do.
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    end(main())
