"""How well duplicates are told: this program, MinHash LSH at three thresholds, and the best Jaccard.

usage: accuracy.py FOLDER ... [--peers] [--retsim] [--json FOLDER]

Each folder has docs.jsonl and truth.json (or .xz), in the format of benchmarks/made. The program is
asked through its command line. `--peers` adds datasketch's MinHashLSH (128 permutations, runs of
three words) at 0.3, 0.5 and 0.8, and the one Jaccard threshold that suits the folder best, chosen
on its truth: nobody has that threshold beforehand. `--retsim` adds Google's RETSim (`pip install
unisim`, which carries the model), of every pair: from 0.9, as its authors advise, and from the
threshold that suits the folder best. Prints a row of a table for each, and at last which share of
the duplicates each finds by how much two readings have in common: of all runs of three words in
either those that are in both. `--json` leaves that for plots.py.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from measuring import report
from paperless_fingerprint.fingerprints.shingles import shingle_hashes
from paperless_fingerprint.text.normalise import normalise

Key: TypeAlias = tuple[int, int]
#: What each way says of pairs.
Told: TypeAlias = dict[str, dict[Key, str]]
EXPECTED = {"dup": {"exact", "near"}, "version": {"version"}, "partial": {"contains"}}
HEAD = (
    "| documents | by | duplicates found (flagged) | right | called duplicate, but no copy "
    "| versions found (flagged) | parts found (flagged) | false flags |\n|---|---|---|---|---|---|---|---|"
)


def opened(folder: Path, name: str) -> Any:
    plain = folder / name
    return plain.open() if plain.exists() else lzma.open(f"{plain}.xz", "rt")


def read(folder: Path) -> tuple[dict[int, str], dict[Key, str]]:
    with opened(folder, "docs.jsonl") as lines:
        texts = {row["id"]: row.get("content") or "" for row in map(json.loads, lines)}
    with opened(folder, "truth.json") as file:
        pairs = json.load(file)["pairs"]
    return texts, {(min(p["a"], p["b"]), max(p["a"], p["b"])): p["label"] for p in pairs}


def told(folder: Path) -> dict[Key, str]:
    """What the command line says."""
    with tempfile.TemporaryDirectory() as scratch:
        documents = Path(scratch) / "docs.jsonl"
        with opened(folder, "docs.jsonl") as lines:
            documents.write_text(lines.read())
        env = {**os.environ, "PAPERLESS_FINGERPRINT_STORE": f"sqlite:///{scratch}/library.db"}
        program = [sys.executable, "-m", "paperless_fingerprint"]

        def run(*words: str) -> str:
            return subprocess.run(
                [*program, *words], env=env, check=True, capture_output=True, text=True
            ).stdout

        run("import", str(documents))
        run("analyze")
        pairs = map(json.loads, run("pairs", "--json").splitlines())
        return {(pair["a"], pair["b"]): pair["relation"] for pair in pairs}


def by_lsh(texts: dict[int, str], threshold: float) -> dict[Key, str]:
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=threshold, num_perm=128)
    found: dict[Key, str] = {}
    for id, text in texts.items():
        words = normalise(text).split()
        if len(words) < 3:
            continue
        signature = MinHash(num_perm=128)
        runs = zip(words, words[1:], words[2:], strict=False)
        signature.update_batch([" ".join(run).encode() for run in runs])
        found |= {(min(id, other), max(id, other)): "near" for other in index.query(signature)}
        index.insert(id, signature)
    return found


def jaccard(one: Any, other: Any) -> float:
    """Of hashes, each there once."""
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return shared / (len(one) + len(other) - shared)


def jaccards(texts: dict[int, str]) -> Iterator[tuple[Key, float]]:
    """Of pairs that share anything rarer than a fiftieth of all documents has."""
    hashes = {id: shingle_hashes(normalise(text), 3) for id, text in texts.items()}
    held = Counter(hash for own in hashes.values() for hash in own.tolist())
    holders: dict[int, list[int]] = {}
    for id, own in hashes.items():
        for hash in own.tolist():
            if 1 < held[hash] <= max(12, len(texts) // 50):
                holders.setdefault(hash, []).append(id)
    for a, b in {pair for ids in holders.values() for pair in combinations(sorted(ids), 2)}:
        yield (a, b), jaccard(hashes[a], hashes[b])


def cosines(texts: dict[int, str]) -> Iterator[tuple[Key, float]]:
    """By RETSim, of pairs that it sees any likeness in."""
    from unisim import TextSim

    ids = [id for id in sorted(texts) if texts[id].strip()]
    found = np.array(TextSim(store_data=False).embed([texts[id] for id in ids]))
    likeness = np.triu(found @ found.T, 1)
    for a, b in np.argwhere(likeness >= 0.5).tolist():
        yield (ids[a], ids[b]), float(likeness[a, b])


def best_of(known: dict[Key, float], truth: dict[Key, str]) -> float:
    """The threshold that suits best: by F1 of duplicates against what is unrelated."""
    duplicates = sum(label == "dup" for label in truth.values())

    def f1(threshold: float) -> float:
        labels = Counter(truth.get(key, "neg") for key, j in known.items() if j >= threshold)
        return 2 * labels["dup"] / max(1, duplicates + labels["dup"] + labels["neg"])

    return max((at / 50 for at in range(1, 50)), key=f1)


def said_from(known: dict[Key, float], threshold: float) -> dict[Key, str]:
    return {key: "near" for key, likeness in known.items() if likeness >= threshold}


class Levels:
    """Duplicates found by how well the two are read."""

    def __init__(self) -> None:
        self._pairs: Counter[float] = Counter()
        self._found: Counter[tuple[str, float]] = Counter()

    def count(self, texts: dict[int, str], truth: dict[Key, str], told: Told) -> None:
        hashes = {id: shingle_hashes(normalise(text), 3) for id, text in texts.items()}
        for (a, b), label in truth.items():
            if label != "dup" or not len(hashes[a]) + len(hashes[b]):
                continue
            level = min(math.floor(10 * jaccard(hashes[a], hashes[b])), 9) / 10 + 0.05
            self._pairs[level] += 1
            for by, said in told.items():
                self._found[by, level] += said.get((a, b)) in EXPECTED["dup"]

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "by": by,
                "in common": round(level, 2),
                "pairs": self._pairs[level],
                "found": round(self._found[by, level] / self._pairs[level], 3),
            }
            for by in dict.fromkeys(by for by, _ in self._found)
            for level in sorted(self._pairs)
        ]


def row(name: str, by: str, said: dict[Key, str], truth: dict[Key, str]) -> str:
    total, found, flagged = Counter(truth.values()), Counter(), Counter()
    for key, label in truth.items():
        answer = said.get(key)
        flagged[label] += answer is not None
        found[label] += answer in EXPECTED.get(label, ())
    called = Counter(truth.get(key, "neg") for key, to in said.items() if to in EXPECTED["dup"])
    false = sum(truth.get(key, "neg") in ("neg", "unlisted") for key in said)

    def share(label: str) -> str:
        if not total[label]:
            return ""
        return f"{found[label] / total[label]:.3f} ({flagged[label] / total[label]:.3f})"

    right = called["dup"] / max(1, called["dup"] + called["neg"])
    confused = called["version"] + called["partial"]
    return (
        f"| {name} | {by} | {share('dup')} | {right:.3f} | {confused} | {share('version')} "
        f"| {share('partial')} | {false} of {len(said)} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--retsim", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    levels = Levels()
    print(HEAD)
    for folder in arguments.folders:
        texts, truth = read(folder)
        found: Told = {"this program": told(folder)}
        best: dict[str, float] = {}
        if arguments.peers:
            found |= {f"MinHash LSH, {level}": by_lsh(texts, level) for level in (0.3, 0.5, 0.8)}
            known = dict(jaccards(texts))
            best["best Jaccard"] = best_of(known, truth)
            found["best Jaccard"] = said_from(known, best["best Jaccard"])
        if arguments.retsim:
            known = dict(cosines(texts))
            found["RETSim, 0.9"] = said_from(known, 0.9)
            best["best RETSim"] = best_of(known, truth)
            found["best RETSim"] = said_from(known, best["best RETSim"])
        for by, said in found.items():
            shown = f"{by}, {best[by]:.2f}" if by in best else by
            print(row(folder.name, shown, said, truth), flush=True)
        levels.count(texts, truth, found)
    report("levels", levels.rows(), arguments.json)


if __name__ == "__main__":
    main()
