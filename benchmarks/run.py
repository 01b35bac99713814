"""All benchmarks that take minutes: python benchmarks/run.py [--sizes SIZE ...] [--json FOLDER]

Each is a program of its own with options of its own; this runs them with moderate sizes and leaves
in FOLDER (benchmarks/results) what they told as JSON, the machine, and pictures of it. How a library
grows is measured at 10,000, 30,000 and 100,000 documents in SQLite, and at as many as --elasticsearch
says on a node; sizes that were measured before stay in the pictures, and a point from elsewhere comes
in with `plots.py FOLDER --add LINE`. Long ones are run by name: idle.py, consume.py, web.py, accuracy.py.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring import machine

HERE = Path(__file__).parent
VERSION = "9.2.0"


def parts(options: argparse.Namespace, folder: Path) -> dict[str, list[list[str]]]:
    """Name → the programs that it runs, one after the other."""

    def size(count: int) -> str:
        return str(count // 10 if options.quick else count)

    found = [
        [["fingerprints.py"]],
        [["imports.py", "--size", size(3_000)]],
        [["candidates.py", size(3_000), "--sample", size(500)]],
        [
            ["relation_cases.py", str(folder), "--seed", "131"],
            ["peers.py", str(folder), "--made", size(1_000)],
        ],
        [["search.py", "sqlite", VERSION, "--made", size(10_000), "--queries", size(100), "--cpu", "--others"]],
        [
            ["analysis.py", *map(size, sizes), "--stores", store]
            for sizes, store in ((options.elasticsearch, VERSION), (options.sizes, "sqlite"))
            if sizes
        ],
    ]  # fmt: skip
    return {programs[-1][0].removesuffix(".py"): programs for programs in found if programs}


def main(options: argparse.Namespace) -> int:
    out: Path = options.json.resolve()
    out.mkdir(parents=True, exist_ok=True)
    (out / "machine.json").write_text(json.dumps(machine(), indent=1) + "\n")
    worst = 0
    with tempfile.TemporaryDirectory() as name:
        for part, programs in parts(options, Path(name)).items():
            if options.only and part not in options.only:
                continue
            for program, *more in programs:
                if program != "relation_cases.py":
                    more += ["--json", str(out)]
                started = time.monotonic()
                print(f"\n{time.strftime('%H:%M')} {program} {' '.join(more)}", flush=True)
                done = subprocess.run([sys.executable, HERE / program, *more], check=False)
                print(f"{program}: {time.monotonic() - started:.0f} s", flush=True)
                worst = max(worst, abs(done.returncode))
    drawn = subprocess.run([sys.executable, HERE / "plots.py", out], check=False)
    return max(worst, abs(drawn.returncode))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="*", type=int, default=[10_000, 30_000, 100_000],
                        help="of libraries in SQLite, up to 1000000 where the machine allows")  # fmt: skip
    parser.add_argument(
        "--elasticsearch", nargs="*", type=int, default=[10_000, 30_000], metavar="SIZE"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of everything, to see that it runs"
    )
    parser.add_argument("--only", nargs="*", help="fingerprints, imports, candidates, peers, search, analysis")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FOLDER", default=HERE / "results")
    sys.exit(main(parser.parse_args()))
