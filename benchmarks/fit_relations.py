"""Fits the coefficients of comparison/judgement.py on generated cases: fit_relations.py FOLDER... [--l2 0.001]

For the constants as they are: relation_cases.py --senders 18 with the seeds 1, 2, 4, 5 and 6, and
relation_cases.py --senders 16 --families statement,contract,report,letter with the seeds 101, 102,
103, 105 and 106; for the two of OTHER about passages besides --scanned with the seeds 1 and 2
(--senders 14) and, of those families, 101 and 102 (--senders 12). Rules were looked for on seeds 3
and 104 besides; the families payslip, minutes, bill and policy, all other seeds and the scanned
corpus are for testing.

No coefficient but the bias may be negative: a feature can speak
for its own answer only, which is what keeps the curves sane for letters unlike the generated ones.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from paperless_fingerprint.comparison.alignment import replaced_share
from paperless_fingerprint.comparison.evidence.gather import Evidence, weigh
from paperless_fingerprint.comparison.judgement import (
    features_of_edit,
    features_of_other,
    features_of_part,
    is_filled_in_otherwise,
)
from relations import CountedWords, load, worth_judging

ANSWERS = {"dup": 0, "version": 1, "partial": 2, "neg": 3}


def gather(folder: Path) -> list[tuple[int, Evidence, int, int]]:
    """The labelled pairs that come as far as the weighing, as the judgement would see them."""
    readings, truth = load(folder)
    vocabulary = CountedWords(list(readings.values()))
    rows = []
    for a, b in worth_judging(readings):
        pair = truth.get(frozenset((a, b)))
        answer = ANSWERS.get(pair["label"] if pair else "neg")
        first, second = readings[a], readings[b]
        if answer is None or min(first.words, second.words) < 20 or first.text == second.text:
            continue
        tokens = len(first.side.tokens), len(second.side.tokens)
        passages = replaced_share(first.side.tokens.keys, second.side.tokens.keys)
        if is_filled_in_otherwise(*passages, min(tokens)):
            continue
        evidence = weigh(first.side, second.side, vocabulary)
        evidence = replace(evidence, passages=passages[0], replaced_share=passages[1])
        rows.append((answer, evidence, *tokens))
    return rows


def fit(features: np.ndarray, answers: np.ndarray, l2: float, steps: int = 4000) -> np.ndarray:
    """Logistic regression by Adam, both answers of equal weight (as a root), signs kept."""
    weights = np.where(answers > 0, answers.sum() ** -0.5, (1 - answers).sum() ** -0.5)
    weights /= weights.sum()
    coefficients = np.zeros(features.shape[1])
    mean, square = np.zeros_like(coefficients), np.zeros_like(coefficients)
    for step in range(1, steps + 1):
        chance = 1 / (1 + np.exp(-np.clip(features @ coefficients, -30, 30)))
        gradient = features.T @ ((chance - answers) * weights)
        gradient[1:] += l2 * coefficients[1:]
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        move = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-9)
        coefficients -= 0.03 * move
        coefficients[1:] = np.maximum(coefficients[1:], 0)
    return coefficients


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--l2", type=float, default=0.001)
    options = parser.parse_args()
    rows = [row for folder in options.folders for row in gather(folder)]
    questions = (
        ("OTHER", features_of_other, {3}, {0, 1, 2, 3}),
        ("CONTAINS", features_of_part, {2}, {0, 1, 2}),
        ("VERSION", features_of_edit, {1}, {0, 1}),
    )
    for name, features_of, yes, among in questions:
        chosen = [row for row in rows if row[0] in among]
        features = np.array([features_of(*row[1:]) for row in chosen])
        answers = np.array([float(row[0] in yes) for row in chosen])
        found = fit(features, answers, options.l2)
        print(f"{name} = {tuple(round(float(x), 2) for x in found)}  # {len(chosen)} pairs")


if __name__ == "__main__":
    main()
