"""What others call a duplicate, beside us, on labelled sets: peers.py FOLDER...

FOLDER holds docs.jsonl and truth.json, as relation_cases.py writes them. Each way is given the
texts alone. 'same text' stands for a check of the file's sum, such as Paperless has when it consumes
(these documents have no files; a re-scan never has the same sum). 'ratio' is the one of Paperless's
document_fuzzy_match with its default, of every pair. datasketch is MinHashLSH over shingles of
three words, with 128 permutations; what it says is taken as it is.

Right is a pair that is a duplicate; versions, parts and other letters of a form are not. Pairs that
the set calls ambiguous count for nobody.

What each costs is measured on a made library of --made documents of 300 words (analysis.py), because a
labelled set is so small that starting counts most. 'ratio' compares every pair, so it alone takes
four times as long for twice as many.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

from datasketch import MinHash, MinHashLSH
from rapidfuzz import fuzz, utils

import paperless_fingerprint as pf
from analysis import SHARES
from made_library import MadeLibrary
from measuring import Row, report, told

Texts = dict[int, str]
Pairs = set[tuple[int, int]]


def same_text(texts: Texts) -> Pairs:
    with_text = defaultdict(list)
    for id, text in texts.items():
        with_text[text].append(id)
    return {pair for ids in with_text.values() for pair in combinations(sorted(ids), 2)}


def ratio(texts: Texts) -> Pairs:
    processed = {id: utils.default_process(text) for id, text in sorted(texts.items())}
    return {
        (a, b)
        for a, b in combinations(processed, 2)
        if fuzz.ratio(processed[a], processed[b], score_cutoff=85)
    }


def lsh(threshold: float) -> Callable[[Texts], Pairs]:
    def found(texts: Texts) -> Pairs:
        index = MinHashLSH(threshold=threshold, num_perm=128)
        pairs: Pairs = set()
        for id, text in sorted(texts.items()):
            words = text.lower().split()
            taken = MinHash(num_perm=128)
            taken.update_batch(
                " ".join(words[i : i + 3]).encode() for i in range(max(1, len(words) - 2))
            )
            pairs |= {(other, id) for other in index.query(taken)}
            index.insert(id, taken)
        return pairs

    return found


def ours(texts: Texts) -> Pairs:
    with tempfile.TemporaryDirectory() as folder, pf.Library(f"sqlite:///{folder}/l.db") as library:
        library.add(*(pf.Document(id, content=text) for id, text in texts.items()))
        library.analyse()
        return {
            (pair.a, pair.b)
            for pair in library.pairs()
            if pair.relation in {pf.Relation.EXACT, pf.Relation.NEAR}
        }


WAYS: dict[str, Callable[[Texts], Pairs]] = {
    "same text": same_text,
    "ratio of 85": ratio,
    "datasketch, jaccard 0.8": lsh(0.8),
    "datasketch, jaccard 0.5": lsh(0.5),
    "paperless-fingerprint": ours,
}


def read(folder: Path) -> tuple[Texts, dict[tuple[int, int], str]]:
    texts = {}
    with (folder / "docs.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            told = json.loads(line)
            texts[told["id"]] = told.get("content", "")
    pairs = json.loads((folder / "truth.json").read_text("utf-8"))["pairs"]
    return texts, {tuple(sorted((p["a"], p["b"]))): p["label"] for p in pairs}


def measured(folders: list[Path], made: int) -> list[Row]:
    counted: dict[str, Counter[str]] = {name: Counter() for name in WAYS}
    documents = duplicates = 0
    for folder in folders:
        texts, labels = read(folder)
        documents += len(texts)
        duplicates += sum(label == "dup" for label in labels.values())
        for name, way in WAYS.items():
            counted[name].update(labels.get(pair, "neg") for pair in way(texts))
    library = MadeLibrary(made, words=300, spread=0.01, shares=SHARES)
    texts = {id: library.content(id) for id in range(1, made + 1)}
    spent = {}
    for name, way in WAYS.items():
        began = sum(os.times()[:4])
        way(texts)
        spent[name] = sum(os.times()[:4]) - began
        told({"way": name, "documents": made, "CPU s": spent[name]})
    return [
        {
            "way": name,
            "documents": documents,
            "duplicates": duplicates,
            "found": labels["dup"] / duplicates,
            "right of those called duplicate": labels["dup"] / (labels.total() - labels["ambiguous"] or 1),
            "another letter, called duplicate": labels["neg"],
            "a version or part, called duplicate": labels["version"] + labels["partial"],
            "made documents": made,
            "CPU s": spent[name],
        }
        for name, labels in counted.items()
    ]  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--made", type=int, default=1_000, metavar="SIZE")
    parser.add_argument("--json", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    report("peers", measured(options.folders, options.made), options.json)
