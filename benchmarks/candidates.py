"""How well and at what cost candidates are found: python benchmarks/candidates.py [SIZE ...]

Asks a store for the candidates of a sample of documents, and counts: strangers (of another origin
and another form), members of the same form, and how many of the true partners were found, by
their exact jaccard. The work a document is CPU time in this process (and in the node), which must
not grow with the library. A family of statements of one form, 10,000 at most, is measured beside
it. What is done is told on stderr as it is done: a node that has just started takes minutes for it.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from imports import documents, fill, node, node_seconds
from made_library import MadeLibrary, Plan, Shares, write
from measuring import report, told
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.fingerprints.shingles import overlap, shingle_hashes
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import open_store
from paperless_fingerprint.text.normalise import normalise

SPEC = FingerprintSpec()
BUCKETS = ((0.15, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.01))


@dataclass(frozen=True)
class Truth:
    """For each document its plan; ids count from 1."""

    plans: dict[int, Plan]

    @classmethod
    def read(cls, path: Path) -> Truth:
        plans = {}
        for line in path.read_text().splitlines():
            row = json.loads(line)
            form = row["form"] if "form" in row else row.get("template")
            plans[row["id"]] = Plan(
                row["kind"], row["base"] or 0, -1 if form is None else form, row["noise"] or 0.0
            )
        return cls(plans)

    def origin(self, id: int) -> int:
        plan = self.plans.get(id)
        return self.origin(plan.base) if plan and plan.base else id

    def form(self, id: int) -> int:
        plan = self.plans.get(self.origin(id))
        return plan.form if plan else -1


def measure(store: Store, texts: dict[int, str], truth: Truth, sample: int) -> dict[str, object]:
    rng = random.Random(7)
    partners: defaultdict[int, set[int]] = defaultdict(set)
    for id, plan in truth.plans.items():
        if plan.kind in {"copy", "dup"} and len(texts[plan.base].split()) >= 150:
            partners[id].add(plan.base)
    asked = sorted({*rng.sample(sorted(texts), min(sample, len(texts))),
                    *rng.sample(sorted(partners), min(sample, len(partners)))})  # fmt: skip
    strangers, family = [], []
    found_by: defaultdict[tuple[float, float], list[bool]] = defaultdict(list)
    spent = 0.0
    shingles: dict[int, np.ndarray] = {}

    def of(id: int) -> np.ndarray:
        if id not in shingles:
            shingles[id] = shingle_hashes(normalise(texts[id]), SPEC.shingle_words)
        return shingles[id]

    for id in asked:
        taken = fingerprint(texts[id], SPEC)
        start = time.process_time()
        candidates = [c.id for c in store.candidates(taken, excluding=id)]
        spent += time.process_time() - start
        origin, form = truth.origin(id), truth.form(id)
        others = [c for c in candidates if truth.origin(c) != origin]
        same_form = [c for c in others if form >= 0 and truth.form(c) == form]
        strangers.append(len(others) - len(same_form))
        family.append(len(same_form))
        for partner in partners.get(id, ()):
            jaccard = overlap(of(id), of(partner)).jaccard
            for bucket in BUCKETS:
                if bucket[0] <= jaccard < bucket[1]:
                    found_by[bucket].append(partner in candidates)
    row: dict[str, object] = {
        "documents": len(texts),
        "asked": len(asked),
        "CPU ms here": spent / len(asked) * 1000,
        "strangers, mean": float(np.mean(strangers)),
        "strangers, p99": float(np.quantile(strangers, 0.99)),
        "same form, mean": float(np.mean(family)),
        "same form, most": max(family),
    }
    for low, high in BUCKETS:
        hits = found_by[low, high]
        name = f"found at {low:g} to {min(high, 1):g}"
        row[name] = f"{sum(hits)}/{len(hits)}" + (f" = {np.mean(hits):.4f}" if hits else "")
    return row


def in_stores(
    path: Path, kinds: list[str], folder: Path, sample: int, name: str
) -> list[dict[str, object]]:
    rows = []
    truth = Truth.read(path.with_suffix(".truth.jsonl"))
    texts = {document.id: document.content for document in documents(path)}
    for kind in kinds:
        with ExitStack() as stack:
            process = None
            if kind == "sqlite":
                address = f"sqlite:///{folder / (name + '.db')}"
            else:
                address, process = stack.enter_context(node(kind, folder / f"node-{name}-{kind}"))
            store = open_store(load({"store": address}, {}))
            stack.callback(store.close)
            fill(store, path, fingerprints=True)
            before = node_seconds(process) if process else 0.0
            row = measure(store, texts, truth, sample)
            if process:
                asked = row["asked"]
                assert isinstance(asked, int)
                row["CPU ms in the node"] = (node_seconds(process) - before) / asked * 1000
            rows.append({"library": name, "store": kind, **row})
            told(rows[-1])
    return rows


def family(size: int, path: Path) -> None:
    """Statements of one form, with copies of which 2 and 5 % of the words are damaged."""
    shares = Shares(copies=0.05, parts=0, versions=0, forms=1, short=0)
    library = MadeLibrary(size, words=250, shares=shares, form_count=1)
    rng = random.Random(1)
    library.plan = [
        Plan(p.kind, p.base, p.form, rng.choice((0.02, 0.05)) if p.kind == "copy" else 0.0)
        for p in library.plan
    ]
    write(library, path)


def main(
    sizes: list[int], kinds: list[str], files: list[Path], sample: int, out: Path | None
) -> None:
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in files:
            rows += in_stores(file, kinds, folder, sample, file.stem)
        for size in sizes:
            path = folder / f"made-{size}.jsonl"
            write(MadeLibrary(size), path)
            rows += in_stores(path, kinds, folder, sample, path.stem)
        count = min(10_000, max(sizes, default=10_000))
        path = folder / f"family-{count}.jsonl"
        family(count, path)
        rows += in_stores(path, kinds, folder, sample, path.stem)
    report("candidates", rows, out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", type=int, nargs="*", default=[10_000])
    parser.add_argument("--stores", nargs="*", default=["sqlite", "9.2.0"])
    parser.add_argument("--file", type=Path, action="append", default=[], dest="files",
                        help="documents with a .truth.jsonl beside them, such as gen_scale.py's")  # fmt: skip
    parser.add_argument("--sample", type=int, default=1_500)
    parser.add_argument("--json", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    main(options.sizes, options.stores, options.files, options.sample, options.json)
