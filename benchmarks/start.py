"""What starting a command costs: python benchmarks/start.py

CPU milliseconds of the whole process, the least and the median of 15 runs that take turns. With the
bytecode that installing leaves beside the program, also where the environment asks for none.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import report

ROUNDS = 15
OURS = ["-m", "paperless_fingerprint"]
COMMANDS = {
    "bare Python": ["-c", "pass"],
    "import click": ["-c", "import click"],
    "--help": [*OURS, "--help"],
    "config show": [*OURS, "config", "show"],
    "config show --json": [*OURS, "config", "show", "--json"],
}


def cpu_milliseconds(arguments: list[str], bytecode: str) -> float:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
    program = [sys.executable, *arguments]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(program, stdout=subprocess.DEVNULL, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main(out: Path | None) -> None:
    spent: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as bytecode:
        for round_ in range(ROUNDS + 1):
            for name, arguments in COMMANDS.items():
                taken = cpu_milliseconds(arguments, bytecode)
                if round_:  # the first writes the bytecode
                    spent[name].append(taken)
    report(
        "start",
        [
            {"what": name, "least ms": min(each), "median ms": statistics.median(each)}
            for name, each in spent.items()
        ],
        out,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FOLDER")
    main(parser.parse_args().json)
