"""All benchmarks that take minutes: python benchmarks/run.py [--json FOLDER]

Each is a program of its own with options of its own; this runs them with their defaults and leaves
in FOLDER (benchmarks/results) what they told as JSON, the machine, and a picture of how it grows.
The long ones are run by name: candidates.py 100000, analysis.py 100000, idle.py, search.py, consume.py.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from measuring import machine

PARTS: tuple[tuple[str, ...], ...] = (
    ("fingerprints.py",),
    ("imports.py", "--size", "3000"),
    ("candidates.py", "10000"),
    ("analysis.py", "2000", "5000", "10000", "20000"),
)


def main(folder: Path) -> int:
    here = Path(__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "machine.json").write_text(json.dumps(machine(), indent=1) + "\n")
    more = ["--json", str(folder.resolve())]
    commands = [[here / name, *options, *more] for name, *options in PARTS]
    worst = 0
    for command in (*commands, [here / "plots.py", folder]):
        done = subprocess.run([sys.executable, *command], check=False)
        worst = max(worst, done.returncode)
    return worst


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path(__file__).parent / "results"
    parser.add_argument("--json", type=Path, metavar="FOLDER", default=default)
    sys.exit(main(parser.parse_args().json))
