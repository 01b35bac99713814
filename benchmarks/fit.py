"""Learns the judgement from labelled documents, and writes it into comparison/judgement.json.

usage: make fit [ARGS="--check"]

Makes the cases (what is said of two documents by the evidence, and what they are), fits four sums
of small trees to them, calibrates them on sources that the trees did not see, writes the file and
prints the figures by leaving out families and each source in turn, and how often what it is so sure
of is so. With `--check` it writes nothing and says whether the file is what this recipe gives. It
takes about a quarter of an hour on two cores.

It needs the labelled corpora beside the repository (../shared/corpora, or --corpora), which are not
part of it, and the libraries that benchmarks/made writes, which it writes itself.
"""

from __future__ import annotations

import argparse
import datetime as dt
import itertools
import json
import lzma
import os
import random
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from measuring import left
from paperless_fingerprint.candidates.join import Library
from paperless_fingerprint.comparison import shared
from paperless_fingerprint.comparison.evidence import NAMES
from paperless_fingerprint.comparison.judgement import CURVES, FILE, FORMAT, Curve, JudgementSpec
from paperless_fingerprint.comparison.relation import Judging, Reading, weigh
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.library.vocabulary import WordTable
from paperless_fingerprint.model import Document, FingerprintRow

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "src" / "paperless_fingerprint" / "comparison" / FILE
CORPORA = ROOT.parent / "shared" / "corpora"
SOURCES = (
    "families", "ocr", "peer", "real/contracts", "real/forms", "real/laws-de", "real/mail",
    "real/newspapers", "real/receipts", "real/terms-fr",
)  # fmt: skip
#: Made libraries: of the n-th the seed is n.
MADE_SIZES = (420, 900, 250, 600, 120, 400, 700, 60, 500, 350, 800, 180, 450, 300, 650, 90)
#: Families and languages that are kept to check what was learned.
MADE_KEPT = (
    (
        "--families=-fine,laboratory,lease,payslip_grid,water,school,ticket,receipt_long,newsletter,"
        "manual,mail_formal,secrecy,stocks,premium"
    ),
    "--languages=-ta,he,th,tr,cs,zh,bengali,southern",
)
#: Letters of relation_cases.py: noisy pages on which one name, month or word differs. The other kinds
#: of pages that it knows, and other seeds, are kept to check what was learned.
LETTERS = (
    "--seed 1",
    "--seed 2",
    "--seed 4",
    "--seed 5",
    "--seed 101 --senders 16 --families statement,contract,report,letter",
    "--seed 102 --senders 16 --families statement,contract,report,letter",
    "--seed 103 --senders 16 --families statement,contract,report,letter",
)
#: Libraries of random words: seed and options of ../shared/tools/gen_scale.py.
SCALE = (
    (1001, "--template 0.9 --dup 0.1 --short 0 --forms 1 --spread 0.01"),
    (1002, "--template 0.6 --dup 0.2 --short 0 --forms 3 --spread 0.5"),
)
#: So many bad scans of one letter each.
CROWDS = (40, 25, 15, 12, 8, 6, 5, 4)
#: What generators wrote, which is much alike.
MADE_NAME, LETTERS_NAME = "made-", "letters-"
MADE = (MADE_NAME, LETTERS_NAME)
LABELS = {"dup": 0, "version": 1, "partial": 2, "neg": 3, "unlisted": 3}
NEAR, VERSION, PART, OTHER = range(4)

#: So much the pairs of a corpus weigh together, of each relation and of none.
WEIGHT, WEIGHT_OF_OTHERS = 400.0, 3_000.0
WEIGHT_OF_MADE = 0.35
#: Related pairs that a first look may give up.
GIVEN_UP = 0.003
SEED = 1
FOLDS = 5

#: In which direction a figure can only speak; what is not named may speak in both.
DIRECTIONS: dict[str, dict[str, int]] = {
    "hope": {},
    "related": {
        "coverage_short": 1, "rare_shared_short": 1, "weighed_short": 1,
        "known_content_words_short": 1, "known_content_runs_short": 1, "words_likelihood": 1,
        "runs_likelihood": 1, "rare_words_short": 1, "numbers_kept_short": 1,
        "long_numbers_kept": 1, "number_severity": -1, "date_severity": -1, "name_severity": -1,
        "in_field": -1, "numbers_against": -1, "second_fact": -1,
        "codes_kept": 1, "dates_kept": 1, "rarest_kept": -1,
        "unlike": -1, "most_unlike": -1, "second_unlike": -1, "unlike_repeated": -1,
    },
    "part": {"length_ratio": -1, "longest_long": 1, "longest_share_long": 1},
    "version": {
        "worst": 1, "worst_fact": 1, "amount_severity": 1, "word_severity": 1, "changes": 1,
        "change_share": 1, "passage_short": 1, "in_own_text": 1,
    },
}  # fmt: skip
#: What says nothing of an edit but only where a corpus came from.
NOT_OF_EDITS = (
    "form_size", "rare_runs", "rare_words", "content_words", "rare_shared_short",
    "rare_shared_long", "lone_short", "lone_long", "weighed_short", "weighed_long",
    "rare_words_short", "rare_words_long", "rarest_kept",
)  # fmt: skip
#: What says how long a text or how large a library is: by it a corpus that was learned from is known
#: again, and what was learned of it does not hold in another one.
OF_A_CORPUS = (
    "length", "library", "form_size", "rare_runs", "content_words", "rare_words", "numbers",
    "long_numbers", "misread_words", "longest_short", "longest_long", "passage_short",
    "passage_long", "own_words_short", "own_words_long",
)  # fmt: skip
#: So much more a copy counts than a version where these two are told apart: of what was left out, more
#: copies are taken for versions than the other way round.
WEIGHT_OF_COPIES = 1.5
TREES = {"hope": 150, "related": 400, "part": 100, "version": 250}
SETTINGS = {
    "num_leaves": 20, "learning_rate": 0.06, "min_child_samples": 20, "subsample": 0.8,
    "subsample_freq": 1, "colsample_bytree": 0.5, "reg_lambda": 8.0, "min_split_gain": 0.01,
    "random_state": SEED, "n_jobs": 1, "verbose": -1, "deterministic": True,
    "force_row_wise": True,
}  # fmt: skip


#: Of confidence, where what is said is compared with what is so.
LEVELS = (0.25, 0.5, 0.75, 0.85, 0.95, 0.98, 1.01)


@dataclass(frozen=True)
class Draw:
    """How many pairs of no relation are taken from a library."""

    #: Of those that the program compares, and of others.
    compared: int
    others: int
    #: So many pairs of a relation, and twice as many others, are judged once more without a library.
    alone: int
    #: What each of them stands for, and what each that was judged without a library.
    weight: float = 1.0
    weight_alone: float = 0.15


DRAW = Draw(2_500, 2_000, 400)
DRAW_LETTERS = Draw(2_500, 1_000, 400)
#: There are many of these, and variety says more than numbers.
DRAW_MADE = Draw(600, 300, 100, weight=1.5, weight_alone=0.6)


@dataclass
class Cases:
    """Pairs of one source: what the evidence says, what they are, and what belongs together."""

    name: str
    rows: Any
    answers: Any
    weights: Any
    #: Pairs of one fold share a family or a document.
    folds: Any
    #: Which of them were judged as if there were no library.
    alone: Any
    #: Labelled pairs that the program would not compare.
    unmet: Counter

    def at(self, chosen: Any) -> Cases:
        return Cases(
            self.name, self.rows[chosen], self.answers[chosen], self.weights[chosen],
            self.folds[chosen], self.alone[chosen], Counter(),
        )  # fmt: skip


# The cases -----------------------------------------------------------------------------------


def opened(folder: Path, name: str) -> Any:
    plain = folder / name
    return plain.open() if plain.exists() else lzma.open(f"{plain}.xz", "rt")


_readings: dict[int, Reading] = {}
_judging = Judging()


def _figures(keys: Sequence[tuple[int, int]]) -> list[tuple[float, ...]]:
    return [weigh(_readings[a], _readings[b], _judging).features for a, b in keys]


def cases_of(folder: Path, name: str) -> Cases:
    global _readings, _judging  # noqa: PLW0603  (what each process works on, sent by forking)
    with opened(folder, "docs.jsonl") as lines:
        texts = {row["id"]: row.get("content") or "" for row in map(json.loads, lines)}
    with opened(folder, "truth.json") as file:
        listed = json.load(file)["pairs"]
    truth = {(min(p["a"], p["b"]), max(p["a"], p["b"])): p for p in listed}
    spec = FingerprintSpec()
    prints = {id: fingerprint(text, spec) for id, text in texts.items()}
    library = Library((FingerprintRow(id, None, prints[id]) for id in sorted(texts)), spec.id)

    def pairs(found: Iterator[Any]) -> set[tuple[int, int]]:
        keys = np.unique(np.concatenate(list(found))).tolist()
        return {(int(library.ids[k >> 32]), int(library.ids[k & 0xFFFFFFFF])) for k in keys}

    every = np.arange(len(library))
    compared = pairs(keys for _, _, keys in library.pairs_to_compare(every))
    met = pairs(keys for _, keys in library.candidate_pairs(every))
    drawn = random.Random(SEED)
    draw = (
        DRAW_LETTERS
        if name.startswith(LETTERS_NAME)
        else DRAW_MADE
        if name.startswith(MADE_NAME)
        else DRAW
    )

    def some(of: Sequence[tuple[int, int]], most: int) -> set[tuple[int, int]]:
        return set(drawn.sample(of, min(most, len(of))))

    related = {key for key, pair in truth.items() if LABELS.get(pair["label"], OTHER) != OTHER}
    compared = related & compared | some(sorted(compared - related), draw.compared)
    others = sorted(key for key, pair in truth.items() if pair["label"] == "neg")
    keys = (
        compared
        | related
        | some(others, draw.others)
        | some(sorted(met - compared), draw.others // 2)
    )
    label = {key: truth[key]["label"] if key in truth else "unlisted" for key in keys}
    chosen = sorted(
        (a, b)
        for a, b in keys
        if label[a, b] in LABELS
        and min(prints[a].words, prints[b].words) >= spec.min_words
        and prints[a].text_hash != prints[b].text_hash
    )
    _readings = {id: Reading(Document(id, content=text)) for id, text in texts.items()}
    _judging = Judging(WordTable.of_texts(texts.values()), library.runs())
    chunks = [chosen[at : at + 100] for at in range(0, len(chosen), 100)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        rows = np.array([row for found in pool.map(_figures, chunks) for row in found])
    _judging = Judging()
    of_old = [key for key in chosen if LABELS[label[key]] != OTHER]
    of_none = [key for key in chosen if LABELS[label[key]] == OTHER and key in compared]
    alone = sorted(some(of_old, draw.alone) | some(of_none, 2 * draw.alone))
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        chunks = [alone[at : at + 100] for at in range(0, len(alone), 100)]
        without = [row for found in pool.map(_figures, chunks) for row in found]
    if without:
        rows = np.concatenate((rows, np.array(without)))
    together = len(chosen)
    chosen += alone
    answers = np.array([LABELS[label[key]] for key in chosen])
    weights = np.ones(len(chosen))
    for answer in range(4):
        own = answers == answer
        total = WEIGHT_OF_OTHERS if answer == OTHER else WEIGHT
        weights[own] = min(1.0, total / max(1, own.sum()))
        if answer == OTHER:
            weights[own] *= draw.weight
    weights[together:] *= draw.weight_alone
    if name.startswith(MADE):
        weights *= WEIGHT_OF_MADE
    unmet = Counter(truth[key]["label"] for key in related - compared)
    is_alone = np.arange(len(chosen)) >= together
    return Cases(name, rows, answers, weights, _folds(name, chosen, truth), is_alone, unmet)


def _folds(name: str, keys: Sequence[tuple[int, int]], truth: dict[tuple[int, int], Any]) -> Any:
    """By family where a pair has one, by what hangs together where not; -1 where two meet."""
    leader: dict[int, int] = {}

    def of(id: int) -> int:
        while leader.setdefault(id, id) != id:
            id = leader[id] = leader[leader[id]]
        return id

    family: dict[int, str] = {}
    for (a, b), pair in truth.items():
        if pair.get("family"):
            family[a] = family[b] = pair["family"]
        elif LABELS.get(pair["label"], OTHER) != OTHER:
            leader[of(a)] = of(b)

    def fold(id: int) -> int:
        # Made families come again in other libraries.
        key = family[id] if id in family else f"{name} {of(id)}"
        return zlib.crc32(key.encode()) % FOLDS

    return np.array([fold(a) if fold(a) == fold(b) else -1 for a, b in keys])


def made_libraries(into: Path) -> Iterator[tuple[str, Path]]:
    for seed, size in enumerate(MADE_SIZES, 1):
        folder = into / f"{MADE_NAME}{seed}"
        if not folder.exists():
            subprocess.run(
                [sys.executable, "-m", "benchmarks.made", str(folder), "--seed", str(seed),
                 "--size", str(size), *MADE_KEPT],
                check=True, cwd=ROOT, capture_output=True,
            )  # fmt: skip
        yield folder.name, folder


def letters(into: Path) -> Iterator[tuple[str, Path]]:
    for options in LETTERS:
        folder = into / f"{LETTERS_NAME}{options.split()[1]}"
        if not folder.exists():
            script = Path(__file__).with_name("relation_cases.py")
            subprocess.run(
                [sys.executable, str(script), str(folder), *options.split()],
                check=True, capture_output=True,
            )  # fmt: skip
        yield folder.name, folder


def scale_libraries(tool: Path, into: Path) -> Iterator[tuple[str, Path]]:
    """Words drawn at random, on forms filled in with words drawn at random: nothing tells what is
    content but that nobody else has it."""
    for seed, options in SCALE:
        folder = into / f"made-scale-{seed}"
        if not folder.exists():
            folder.mkdir(parents=True)
            documents = folder / "docs.jsonl"
            subprocess.run(
                [sys.executable, str(tool), "400", str(documents), "--seed", str(seed),
                 "--words", "300", *options.split()],
                check=True, capture_output=True,
            )  # fmt: skip
            rows = map(json.loads, (folder / "docs.truth.jsonl").read_text().splitlines())
            bases = {row["id"]: (row["base"], row["kind"]) for row in rows if row["base"]}
            labels = {"dup": "dup", "contains": "partial", "version": "version"}
            pairs = [
                {"a": id, "b": base, "label": labels.get(kind, "ambiguous")}
                for id, (base, kind) in bases.items()
            ]
            # Two copies of one original are related, too, in a way that nobody has written down.
            pairs += [
                {"a": a, "b": b, "label": "ambiguous"}
                for a, (one, _) in bases.items()
                for b, (other, _) in bases.items()
                if a < b
                and (one in (other, b) or other == a)
                and (bases.get(b, (0, ""))[0] != a)
                and (bases.get(a, (0, ""))[0] != b)
            ]
            (folder / "truth.json").write_text(json.dumps({"pairs": pairs}))
        yield folder.name, folder


def crowded(folder: Path, into: Path) -> tuple[str, Path]:
    """A made library with many bad scans of a few of its letters: what forty documents share may be
    a form, or one letter."""
    made = into / "made-crowd"
    if not made.exists():
        made.mkdir(parents=True)
        drawn = random.Random(SEED)
        with opened(folder, "docs.jsonl") as lines:
            rows = {row["id"]: row for row in map(json.loads, lines)}
        with opened(folder, "truth.json") as file:
            pairs = json.load(file)["pairs"]
        letters = [id for id in sorted(rows) if 80 <= len(rows[id]["content"].split()) <= 500]
        scans: dict[int, list[int]] = {}
        for letter in drawn.sample(letters, len(CROWDS)):
            scans[letter] = []
            for _ in range(CROWDS[len(scans) - 1]):
                rate = drawn.choice((0.005, 0.01, 0.02, 0.04))
                text = "".join(
                    drawn.choice("abcdeilo10") if c.isalnum() and drawn.random() < rate else c
                    for c in rows[letter]["content"]
                )
                id = max(rows) + 1
                rows[id] = {"id": id, "content": text}
                scans[letter].append(id)
        for letter, copies in scans.items():
            for pair in list(pairs):
                if letter in (pair["a"], pair["b"]) and pair["label"] != "neg":
                    other = pair["b"] if pair["a"] == letter else pair["a"]
                    pairs += [{"a": other, "b": copy, "label": "ambiguous"} for copy in copies]
            together = [letter, *copies]
            pairs += [
                {"a": a, "b": b, "label": "dup"} for a, b in itertools.combinations(together, 2)
            ]
        lines_out = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows.values())
        (made / "docs.jsonl").write_text("".join(lines_out), "utf-8")
        (made / "truth.json").write_text(json.dumps({"pairs": pairs}))
    return made.name, made


# The fit -------------------------------------------------------------------------------------


def fitted(cases: Sequence[Cases]) -> dict[str, Any]:
    import lightgbm

    # Sums over sets differ in their last digit from one run to the next.
    rows = np.round(np.vstack([one.rows for one in cases]), 9)
    answers = np.concatenate([one.answers for one in cases])
    weights = np.concatenate([one.weights for one in cases])
    asked = {
        "hope": (np.ones(len(answers), bool), answers != OTHER),
        "related": (np.ones(len(answers), bool), answers != OTHER),
        "part": (answers != OTHER, answers == PART),
        "version": (answers < PART, answers == VERSION),
    }
    found = {}
    for curve, (of, is_so) in asked.items():
        seen = rows.copy()
        if curve == "hope":
            seen[:, len(shared.NAMES) :] = 0.0
        else:
            unseen = OF_A_CORPUS if curve == "related" else NOT_OF_EDITS
            seen[:, [NAMES.index(name) for name in unseen]] = 0.0
        counts = weights
        if curve == "version":
            counts = np.where(answers == NEAR, WEIGHT_OF_COPIES * weights, weights)
        found[curve] = lightgbm.LGBMClassifier(
            n_estimators=TREES[curve],
            monotone_constraints=[DIRECTIONS[curve].get(name, 0) for name in NAMES],
            **SETTINGS,
        ).fit(seen[of], is_so[of], sample_weight=counts[of])
    return {curve: _as_columns(model) for curve, model in found.items()}


def _as_columns(model: Any) -> dict[str, Any]:
    """The trees as columns of nodes; a leaf leads to itself."""
    columns: dict[str, list[Any]] = {
        name: [] for name in ("feature", "threshold", "left", "right", "value")
    }
    depth = 0

    def add(node: dict[str, Any], level: int) -> int:
        nonlocal depth
        depth = max(depth, level)
        at = len(columns["feature"])
        leaf = "leaf_value" in node
        columns["feature"].append(0 if leaf else node["split_feature"])
        columns["threshold"].append(0.0 if leaf else float(f"{node['threshold']:.5g}"))
        columns["value"].append(round(node["leaf_value"], 4) if leaf else 0.0)
        columns["left"].append(at)
        columns["right"].append(at)
        if not leaf:
            columns["left"][at] = add(node["left_child"], level + 1)
            columns["right"][at] = add(node["right_child"], level + 1)
        return at

    trees = model.booster_.dump_model()["tree_info"]
    roots = [add(tree["tree_structure"], 0) for tree in trees]
    return {**columns, "roots": roots, "depth": depth}


def written(
    curves: dict[str, Any], calibration: dict[str, Any], hope_from: float, provenance: Any
) -> bytes:
    content = {
        "format": FORMAT,
        "provenance": provenance,
        "features": NAMES,
        "hope_from": hope_from,
        "calibration": calibration,
        "curves": curves,
    }
    return json.dumps(content, separators=(",", ":")).replace('],"', '],\n"').encode() + b"\n"


_AS_SAID = {"said": [0.0, 1.0], "right": [0.0, 1.0]}


def chances(curves: dict[str, Any], rows: Any, calibration: dict[str, Any] = _AS_SAID) -> Any:
    spec = JudgementSpec.read(written(curves, calibration, 0.0, {}))
    parts = [spec.chances(rows[at : at + 500]) for at in range(0, len(rows), 500)]
    return np.array([[c.near, c.version, c.contains, c.other] for some in parts for c in some])


def calibrated(said: Any, is_so: Any, weights: Any) -> dict[str, Any]:
    """A smooth curve of three numbers (Kull and others, 2017: beta calibration), fitted by Newton's
    way: what is asked of a threshold must not hang on where a step of the curve happens to lie."""

    def seen(of: Any) -> Any:
        chance = np.clip(of, 1e-6, 1 - 1e-6)
        return np.stack([np.log(chance), -np.log1p(-chance), np.ones_like(chance)], 1)

    figures, curve = seen(said), np.array([1.0, 1.0, 0.0])
    for _ in range(30):
        right = 1 / (1 + np.exp(-figures @ curve))
        slope = figures.T @ (weights * (is_so - right))
        bend = (figures * (weights * right * (1 - right))[:, None]).T @ figures
        curve += np.linalg.solve(bend, slope)
    points = np.round(1 / (1 + np.exp(-np.linspace(-8, 8, 33))), 4)
    right = np.round(1 / (1 + np.exp(-seen(points) @ curve)), 4)
    return {"said": [0.0, *points.tolist(), 1.0], "right": [0.0, *right.tolist(), 1.0]}


def out_of_fold(cases: Sequence[Cases]) -> tuple[list[Any], list[Any]]:
    """What is said of each pair by those who have not seen its family, and at a first look."""
    found = [np.full((len(one.answers), 4), np.nan) for one in cases]
    hope = [np.full(len(one.answers), np.nan) for one in cases]
    for fold in range(FOLDS):
        curves = fitted([one.at((one.folds != fold) & (one.folds >= 0)) for one in cases])
        first = Curve.of(curves["hope"], len(shared.NAMES))
        for one, said, looked in zip(cases, found, hope, strict=True):
            own = one.folds == fold
            if own.any():
                said[own] = chances(curves, one.rows[own])
                looked[own] = first.chances(one.rows[own])
    return found, hope


def figures(name: str, cases: Cases, said: Any, threshold: float) -> str:
    known = ~np.isnan(said[:, 0]) & ~cases.alone
    truth, said = cases.answers[known], said[known]
    answer = np.where(1 - said[:, OTHER] >= threshold, said[:, :OTHER].argmax(axis=1), OTHER)

    def share(of: int) -> str:
        own = truth == of
        if not own.any():
            return f"{'-':>19}"
        right, flagged = (answer[own] == of).mean(), (answer[own] != OTHER).mean()
        return f"{int(own.sum()):6} {right:5.3f} ({flagged:5.3f})"

    called = answer == NEAR
    sure = (called & (truth == NEAR)).sum()
    wrong = (called & (truth == OTHER)).sum()
    false = ((truth == OTHER) & (answer != OTHER)).sum()
    return (
        f"{name:18}{share(NEAR)} {sure / max(1, sure + wrong):6.3f} {share(VERSION)} {share(PART)}"
        f" {int(false):5} of {int((answer != OTHER).sum())}"
    )


def _kind(cases: Cases) -> str:
    """What is left out together: what one generator wrote."""
    return next((name for name in MADE if cases.name.startswith(name)), cases.name)


def reliability(cases: Sequence[Cases], said: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """How often what is said with some confidence is so, of each relation."""
    known = [~np.isnan(each[:, 0]) & ~one.alone for each, one in zip(said, cases, strict=True)]
    told = np.concatenate([each[ok] for each, ok in zip(said, known, strict=True)])
    truth = np.concatenate([one.answers[ok] for one, ok in zip(cases, known, strict=True)])
    confidence, answer = 1 - told[:, OTHER], told[:, :OTHER].argmax(axis=1)
    for relation, name in ((NEAR, "duplicate"), (VERSION, "version"), (PART, "part")):
        for low, high in itertools.pairwise(LEVELS):
            own = (answer == relation) & (confidence >= low) & (confidence < high)
            if own.any():
                yield {
                    "said": name,
                    "confidence": f"{low:.2f} to {min(high, 1):.2f}",
                    "pairs": int(own.sum()),
                    "on average": round(float(confidence[own].mean()), 3),
                    "related": round(float((truth[own] != OTHER).mean()), 3),
                    "so": round(float((truth[own] == relation).mean()), 3),
                }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--made", type=Path, help="folder of made libraries, kept for another time")
    parser.add_argument("--cases", type=Path, help="folder of cases, kept for another time")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--figures", action="store_true", help="print them and write nothing")
    parser.add_argument("--threshold", type=float, default=0.75)
    parser.add_argument("--json", type=Path, help="folder for what plots.py draws")
    arguments = parser.parse_args()
    missing = [name for name in SOURCES if not (arguments.corpora / name).is_dir()]
    if missing:
        print(
            f"To learn the judgement needs labelled documents, and {arguments.corpora} has no "
            f"{', no '.join(missing)}. They are not part of the repository; name their folder with "
            "--corpora.",
            file=sys.stderr,
        )
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        folders = [(name.partition("/")[2] or name, arguments.corpora / name) for name in SOURCES]
        made = arguments.made or Path(scratch)
        folders += made_libraries(made)
        folders.append(crowded(folders[len(SOURCES) + 2][1], made))
        folders += letters(made)
        folders += scale_libraries(arguments.corpora.parent / "tools" / "gen_scale.py", made)
        cases = []
        for name, folder in folders:
            kept = arguments.cases and arguments.cases / f"{name}.npz"
            if kept and kept.exists():
                cases.append(_loaded(name, kept))
            else:
                cases.append(cases_of(folder, name))
                print(name, len(cases[-1].answers), dict(cases[-1].unmet), file=sys.stderr)
                if kept:
                    _keep(cases[-1], kept)
    curves = fitted(cases)
    said, hope = out_of_fold(cases)
    known = [~np.isnan(each[:, 0]) & ~one.alone for each, one in zip(said, cases, strict=True)]
    calibration = calibrated(
        np.concatenate([1 - each[ok, OTHER] for each, ok in zip(said, known, strict=True)]),
        np.concatenate([one.answers[ok] != OTHER for one, ok in zip(cases, known, strict=True)]),
        np.concatenate([one.weights[ok] for one, ok in zip(cases, known, strict=True)]),
    )
    hopes = np.concatenate([h[one.answers != OTHER] for h, one in zip(hope, cases, strict=True)])
    hope_from = float(f"{np.nanquantile(hopes, GIVEN_UP):.4g}")
    hopeless = np.concatenate([h[one.answers == OTHER] for h, one in zip(hope, cases, strict=True)])
    share = np.mean(hopeless[~np.isnan(hopeless)] < hope_from)
    print(f"A first look gives up {share:.0%} of the others, {GIVEN_UP:.1%} of the related.")
    data = written(curves, calibration, hope_from, _provenance(cases))
    if arguments.check:
        current = json.loads(TARGET.read_bytes())
        recipe = json.loads(data)
        same = all(current[key] == recipe[key] for key in recipe if key != "provenance")
        print(f"{TARGET.name} is {'' if same else 'NOT '}what the recipe gives.")
        return 0 if same else 1
    if not arguments.figures:
        TARGET.write_bytes(data)
        print(f"Written: {TARGET.name}, {len(data):,} octets, id {JudgementSpec.read(data).id}.")
    print(f"\n{'':18}{'duplicates':>19} {'right':>6} {'versions':>19} {'parts':>19}  false flags")
    print("By leaving families and what hangs together out:")
    for one, each in zip(cases, said, strict=True):
        if not one.name.startswith(MADE_NAME):
            print(figures(one.name, one, _with(each, calibration), arguments.threshold))
    print("How sure it is, and how often it is right, by leaving out the same:")
    real = [place for place, one in enumerate(cases) if not one.name.startswith(MADE)]
    sure = [*reliability([cases[n] for n in real], [_with(said[n], calibration) for n in real])]
    left("sure", sure, arguments.json)
    print("| said | with a confidence of | pairs | on average | related indeed | and in this way |")
    print("|---|---|---|---|---|---|")
    for row in sure:
        print(f"| {' | '.join(map(str, row.values()))} |")
    print("By leaving each source out, all letters together:", flush=True)
    for kind, alike in itertools.groupby(cases, key=_kind):
        if kind != MADE_NAME:
            rest = fitted([one for one in cases if _kind(one) != kind])
            for one in alike:
                own = chances(rest, one.rows, calibration)
                print(figures(one.name, one, own, arguments.threshold), flush=True)
    return 0


def _with(said: Any, calibration: dict[str, Any]) -> Any:
    related = 1 - said[:, OTHER]
    right = np.interp(related, calibration["said"], calibration["right"])
    scaled = said * (right / np.maximum(related, 1e-9))[:, None]
    scaled[:, OTHER] = 1 - right
    scaled[np.isnan(said[:, 0])] = np.nan
    return scaled


def _provenance(cases: Sequence[Cases]) -> dict[str, Any]:
    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", *words], check=False, cwd=ROOT, capture_output=True, text=True
        )
        return done.stdout.strip()

    return {
        "written": dt.datetime.now(dt.UTC).date().isoformat(),
        "commit": git("rev-parse", "--short", "HEAD"),
        "seed": SEED,
        "sources": {one.name: len(one.answers) for one in cases},
        "data": "Labelled pairs of made letters (benchmarks/made and made scans), of SROIE receipts, "
        "FUNSD forms, NZZ newspaper pages, Kleister-NDA contracts, mailing lists, Open Terms "
        "Archive and German laws; none of their text is in this file.",
        "curves": list(CURVES),
    }


def _keep(cases: Cases, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        path, rows=cases.rows, answers=cases.answers, weights=cases.weights, folds=cases.folds,
        alone=cases.alone,
        unmet=json.dumps(cases.unmet),
    )  # fmt: skip


def _loaded(name: str, path: Path) -> Cases:
    kept = np.load(path)
    return Cases(
        name, kept["rows"], kept["answers"], kept["weights"], kept["folds"],
        kept["alone"],
        Counter(json.loads(str(kept["unmet"]))),
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
