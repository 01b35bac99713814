"""Judges all pairs of a labelled set that share anything: relations.py FOLDER... [--errors N]

FOLDER holds docs.jsonl and truth.json, as relation_cases.py writes them. The figures are those of
evaluate.py; pairs that nobody listed count as wrong. For development: what a user gets runs
through the command line.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from pathlib import Path

from paperless_fingerprint.digest import compare
from paperless_fingerprint.fingerprint import FingerprintSpec, fingerprint
from paperless_fingerprint.judging import KEPT_FROM
from paperless_fingerprint.model import Document, Pair, Relation
from paperless_fingerprint.relations import Judgement, Reading, Thresholds, examine, read
from paperless_fingerprint.rivals import Claims, with_confidence

AS_DUPLICATE = {Relation.EXACT, Relation.NEAR}
SPEC = FingerprintSpec()
KEPT = Thresholds(similarity_threshold=KEPT_FROM)
FLAGGED = {Relation.EXACT, Relation.NEAR, Relation.VERSION, Relation.CONTAINS}
EXPECTED = {"dup": AS_DUPLICATE, "version": {Relation.VERSION}, "partial": {Relation.CONTAINS}}
FIELDS = Document.__dataclass_fields__.keys()


class CountedWords:
    def __init__(self, readings: list[Reading]) -> None:
        self.counts = Counter(word for reading in readings for word in reading.side.words)

    def document_frequency(self, word: str) -> int:
        return self.counts[word]


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


def candidates(readings: dict[int, Reading]) -> list[tuple[int, int]]:
    """Pairs of jaccard 0.05 or containment 0.2, and those of one text or one file."""
    holders = defaultdict(list)
    for id, reading in readings.items():
        for shingle in reading.shingles:
            holders[shingle].append(id)
        holders["text", reading.text].append(id)
        if reading.document.checksum:
            holders["file", reading.document.checksum].append(id)
    shared = Counter()
    for key, ids in holders.items():
        for at, first in enumerate(ids):
            for second in ids[:at]:
                shared[min(first, second), max(first, second)] += (
                    1 if isinstance(key, int) else 10**6
                )
    found = []
    for (a, b), count in shared.items():
        size_a, size_b = len(readings[a].shingles), len(readings[b].shingles)
        if count >= 0.05 * (size_a + size_b - count) or count >= 0.2 * min(size_a, size_b):
            found.append((a, b))
    return found


def worth_judging(
    readings: dict[int, Reading], pairs: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Those that their digests do not tell apart, as the pipeline asks before it reads texts."""
    digests = {id: fingerprint(r.document.content, SPEC).facts for id, r in readings.items()}
    by_first = defaultdict(list)
    for a, b in pairs:
        by_first[a].append(b)
    return [
        (a, b)
        for a, others in by_first.items()
        for b, kept in zip(
            others, compare(digests[a], [digests[b] for b in others]).plausible, strict=True
        )
        if kept
    ]


def judge_all(
    readings: dict[int, Reading], *, prefilter: bool = True
) -> tuple[dict[frozenset[int], Judgement], dict[str, float]]:
    vocabulary = CountedWords(list(readings.values()))
    pairs = candidates(readings)
    asked = len(pairs)
    begin = time.process_time()
    if prefilter:
        pairs = worth_judging(readings, pairs)
    filtered = time.process_time()
    judged = {
        frozenset((a, b)): examine(
            readings[a], readings[b], vocabulary=vocabulary, thresholds=KEPT, explain=False
        )
        for a, b in pairs
    }
    cost = {
        "candidates": asked,
        "judged": len(pairs),
        "prefilter_s": round(filtered - begin, 3),
        "judging_s": round(time.process_time() - filtered, 3),
    }
    return judged, cost


def believed(judged: dict[frozenset[int], Judgement]) -> dict[frozenset[int], Pair]:
    """What is left when rivals are heard, as the pipeline stores and shows it."""
    pairs = {
        key: one.pair
        for key, one in judged.items()
        if one.pair.relation in FLAGGED and one.pair.confidence >= KEPT_FROM
    }
    claims = Claims(pair.link for pair in pairs.values())
    heard = {
        key: with_confidence(pair, claims.confidence(pair.link)) for key, pair in pairs.items()
    }
    at_least = Thresholds().similarity_threshold
    return {key: pair for key, pair in heard.items() if pair.confidence >= at_least}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--errors", type=int, default=0)
    parser.add_argument("--no-prefilter", action="store_true")
    options = parser.parse_args()
    rows, false, confused, cost = defaultdict(Counter), Counter(), 0, Counter()
    errors = []
    for folder in options.folders:
        readings, truth = load(folder)
        judged, spent = judge_all(readings, prefilter=not options.no_prefilter)
        cost.update(spent)
        shown = believed(judged)
        for key in truth.keys() | judged.keys():
            label, relation = (
                ("neg", "unlisted")
                if key not in truth
                else (truth[key]["label"], truth[key]["relation"])
            )
            answer = shown[key].relation if key in shown else None
            told = answer.value if answer else "-"
            rows[label, relation][told] += 1
            wrong = answer is not None and label == "neg"
            missed = label in EXPECTED and answer not in EXPECTED[label]
            if wrong:
                false[told] += 1
            confused += label in ("version", "partial") and answer in AS_DUPLICATE
            if wrong or missed:
                pair = shown.get(key) or (judged[key].pair if key in judged else None)
                why = (pair.relation, pair.confidence, pair.reasons) if pair else "no candidate"
                errors.append(f"{folder} {sorted(key)} {label} {relation} -> {answer} {why}")
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
    each = 1000 * cost["judging_s"] / max(1, cost["judged"])
    print(f"cost: {dict(cost)}, {each:.2f} ms a judged pair")
    for line in errors[: options.errors]:
        print(line)


if __name__ == "__main__":
    main()
