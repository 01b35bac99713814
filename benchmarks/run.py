"""All benchmarks that take minutes: python benchmarks/run.py [--json FOLDER]

Each is a program of its own with options of its own; this runs them with their defaults.
The long ones are run by name: candidates/rules.py 100000, analysis.py 20000, library/search.py, integration/consume.py.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

PARTS: tuple[tuple[str, ...], ...] = (
    ("fingerprints.py",),
    ("imports.py", "--size", "3000"),
    ("candidates/rules.py", "10000"),
    ("analysis.py", "2000"),
)


def main(folder: Path | None) -> int:
    here = Path(__file__).parent
    worst = 0
    for name, *options in PARTS:
        more = ["--json", str(folder.resolve())] if folder else []
        done = subprocess.run([sys.executable, here / name, *options, *more], check=False)
        worst = max(worst, done.returncode)
    return worst


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FOLDER")
    sys.exit(main(parser.parse_args().json))
