"""What is judged of some 3,000 pairs, digit by digit: a move of code must not change it.

`python tests/golden/test_golden.py` writes the file anew where an answer was meant to change; its
diff has a line a pair. Then it says what is called how often, of copies and of letters that differ.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "src")]
from golden.letters import LANGUAGES, library, pairs  # noqa: E402
from paperless_fingerprint.comparison.relation import Judging, examine, read  # noqa: E402

FILE = Path(__file__).with_name("judgements.jsonl")


class CountedWords:
    def __init__(self, language: str) -> None:
        readings = (read(document) for _, document in library(language))
        self._counts = Counter(word for one in readings for word in set(one.text.split()))

    def frequencies(self, words: Sequence[str]) -> list[int]:
        return [self._counts[word] for word in words]


def _figures(value: object) -> dict[str, float]:
    """The numbers in it that say something; the last digits are the processor's own."""
    return {
        field.name: round(figure, 6)
        for field in dataclasses.fields(value)
        if isinstance(figure := getattr(value, field.name), int | float) and figure != field.default
    }


def answers(language: str) -> Iterator[str]:
    """A line of JSON a pair: names, relation, confidence, reasons, figures, evidence."""
    words = CountedWords(language)
    readings = {name: read(document) for name, document in library(language)}
    for (name_a, _), (name_b, _) in pairs(language):
        said = examine(readings[name_a], readings[name_b], Judging(words))
        evidence = said.evidence
        yield json.dumps(
            [
                f"{name_a} | {name_b}",
                said.pair.relation,
                said.pair.confidence,
                list(map(str, said.pair.reasons)),
                _figures(said.pair.scores),
                _figures(evidence) if evidence else {},
            ],
            ensure_ascii=False,
        )


@pytest.mark.parametrize("language", LANGUAGES)
def test_judgements_are_those_of_the_golden_file(language: str) -> None:
    known = [
        line for line in FILE.read_text("utf-8").splitlines() if line.startswith(f'["{language} ')
    ]
    changed = [line for line in answers(language) if line not in set(known)]
    assert not changed, f"{len(changed)} of {len(known)} have changed, first: {changed[0]}"
    assert len(known) == len(list(pairs(language)))


_COPIES = {
    "printed", "misread 1%", "misread 3%", "misread 8%", "stamped", "reordered", "line lost",
}  # fmt: skip
_DIFFERENT = ("other month", "other name", "reworded", "corrected")


def counted() -> dict[str, Counter[str]]:
    """What is said of copies of one letter, and of a letter that differs in one thing from them."""
    found = {kind: Counter[str]() for kind in ("copies", *_DIFFERENT)}
    for line in FILE.read_text("utf-8").splitlines():
        names, relation, *_ = json.loads(line)
        (one, first), (other, second) = (
            (name.split(" ", 2)[:2], name.split(" ", 2)[2]) for name in names.split(" | ")
        )
        changed = {first, second} - _COPIES
        if one == other and (kind := next(iter(changed), "copies")) in found and len(changed) < 2:
            found[kind][relation] += 1
    return found


if __name__ == "__main__":
    with FILE.open("w", encoding="utf-8") as out:
        for language in LANGUAGES:
            out.writelines(f"{line}\n" for line in answers(language))
    for kind, relations in counted().items():
        print(f"{kind}: {dict(relations.most_common())}")
