"""What the command line says of labelled sets: relations.py FOLDER... [--errors N]

FOLDER holds docs.jsonl and truth.json, as relation_cases.py writes them. Each is imported into a
library of its own, analysed, and its pairs are read as a user reads them. The figures are those of
evaluate.py; pairs that nobody listed count as wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from paperless_fingerprint.comparison.relation import Judging, Reading, examine, read
from paperless_fingerprint.model import Document, Relation

AS_DUPLICATE = {Relation.EXACT, Relation.NEAR}
EXPECTED = {"dup": AS_DUPLICATE, "version": {Relation.VERSION}, "partial": {Relation.CONTAINS}}
FIELDS = Document.__dataclass_fields__.keys()


class CountedWords:
    def __init__(self, readings: list[Reading]) -> None:
        self.counts = Counter(word for reading in readings for word in set(reading.text.split()))

    def frequencies(self, words: Sequence[str]) -> list[int]:
        return [self.counts[word] for word in words]


def load(folder: Path) -> tuple[dict[int, Reading], dict[frozenset[int], dict]]:
    readings = {}
    with (folder / "docs.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = {key: value for key, value in json.loads(line).items() if key in FIELDS}
            row["tags"] = tuple(row.get("tags", ()))
            readings[row["id"]] = read(Document(**row))
    truth_path = folder / "truth.json"
    pairs = json.loads(truth_path.read_text("utf-8"))["pairs"] if truth_path.exists() else []
    return readings, {frozenset((pair["a"], pair["b"])): pair for pair in pairs}


def reported(folder: Path, store: str) -> dict[frozenset[int], dict]:
    """What the command line says of the folder's documents."""
    program = [sys.executable, "-m", "paperless_fingerprint", "--store", store]
    for arguments in (["import", str(folder / "docs.jsonl")], ["analyze"]):
        subprocess.run([*program, *arguments], check=True, capture_output=True)
    found = subprocess.run([*program, "pairs", "--json"], check=True, capture_output=True).stdout
    pairs = map(json.loads, found.splitlines())
    return {frozenset((pair["a"], pair["b"])): pair for pair in pairs}


def why_missed(readings: dict[int, Reading], vocabulary: CountedWords, key: frozenset[int]) -> str:
    """What the judgement would say: where it is right, the pair was no candidate or had rivals."""
    a, b = sorted(key)
    pair = examine(readings[a], readings[b], Judging(vocabulary)).pair
    return f"compared: {pair.relation.value} {pair.confidence} {'; '.join(map(str, pair.reasons))}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--errors", type=int, default=0)
    parser.add_argument("--store", help="an Elasticsearch without a library, for one folder")
    options = parser.parse_args()
    if options.store and len(options.folders) > 1:
        parser.error("--store keeps one library: name one folder, or leave --store out.")
    rows, false, confused = defaultdict(Counter), Counter(), 0
    errors = []
    for folder in options.folders:
        readings, truth = load(folder)
        vocabulary = CountedWords(list(readings.values()))
        with tempfile.TemporaryDirectory() as scratch:
            shown = reported(folder, options.store or f"sqlite:///{scratch}/library.db")
        for key in truth.keys() | shown.keys():
            label, relation = (
                ("neg", "unlisted")
                if key not in truth
                else (truth[key]["label"], truth[key]["relation"])
            )
            answer = Relation(shown[key]["relation"]) if key in shown else None
            told = answer.value if answer else "-"
            rows[label, relation][told] += 1
            wrong = answer is not None and label == "neg"
            missed = label in EXPECTED and answer not in EXPECTED[label]
            if wrong:
                false[told] += 1
            confused += label in ("version", "partial") and answer in AS_DUPLICATE
            if (wrong or missed) and len(errors) < options.errors:
                why = why_missed(readings, vocabulary, key)
                errors.append(f"{folder} {sorted(key)} {label} {relation} -> {told}; {why}")
    for (label, relation), answers in sorted(rows.items()):
        if relation != "unlisted" or set(answers) != {"-"}:
            print(f"{label:10} {relation:24} {answers.total():6}  {dict(answers.most_common())}")
    found = Counter()
    total = Counter()
    flagged = right = 0
    for (label, _), answers in rows.items():
        total[label] += answers.total()
        for answer, count in answers.items():
            if answer == "-":
                continue
            flagged += count
            found[label] += count * (Relation(answer) in EXPECTED.get(label, ()))
            right += count * (label == "dup" and answer in ("exact", "near"))
    wrong = false["exact"] + false["near"]
    print(
        f"duplicate_recall: {found['dup'] / max(1, total['dup']):.4f}  ({found['dup']} of {total['dup']})"
    )
    print(f"duplicate_precision: {right / max(1, right + wrong):.4f}")
    print(f"confused_with_version_or_part: {confused}")
    print(
        f"version_recall: {found['version'] / max(1, total['version']):.4f}  ({found['version']} of {total['version']})"
    )
    print(
        f"partial_recall: {found['partial'] / max(1, total['partial']):.4f}  ({found['partial']} of {total['partial']})"
    )
    print(f"false_flags: {false.total()} of {flagged} {dict(false)}")
    for line in errors:
        print(line)


if __name__ == "__main__":
    main()
