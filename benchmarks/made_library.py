"""A made-up library of any size, for measuring: python benchmarks/made_library.py 10000 out.jsonl

Unique letters, noisy copies, parts, versions, and families of forms whose members differ in their
facts only. Word frequencies follow Zipf's law, as in real text. Beside OUT.jsonl stands
OUT.truth.jsonl with a line for each document that is not unique: id, kind, base, form, noise.
Every document is a function of the seed and its id, so nothing is kept in memory but the plan.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ONSETS = "b br d dr f fl g gr h j k kl l m n p pr r s sch sp st t tr v w z".split()
_CORES = "a e i o u au ei ie ä ö ü".split()
_ENDS = ["", "", "n", "r", "l", "s", "t", "ng", "nd", "ck"]
_CONFUSED = (("rn", "m"), ("m", "rn"), ("l", "1"), ("e", "c"), ("u", "ii"), ("h", "b"), ("8", "B"),
             ("0", "O"), ("n", "ri"), ("a", "o"))  # fmt: skip
NOISES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True)
class Plan:
    kind: str
    base: int = 0
    form: int = -1
    noise: float = 0.0


@dataclass(frozen=True)
class Shares:
    copies: float = 0.06
    parts: float = 0.02
    versions: float = 0.02
    forms: float = 0.3
    short: float = 0.02


class MadeLibrary:
    def __init__(
        self, size: int, *, seed: int = 1, words: int = 350, spread: float = 0.6,
        shares: Shares | None = None, form_count: int = 0,
    ) -> None:  # fmt: skip
        self.size, self.seed, self.words, self.spread = size, seed, words, spread
        self._forms = form_count or max(3, size // 400)
        rng = random.Random(seed)
        vocabulary = sorted({_made_word(rng) for _ in range(60_000)})
        rng.shuffle(vocabulary)
        self._vocabulary = vocabulary
        self._weights = [1 / (rank + 3) for rank in range(len(vocabulary))]
        for rank in range(1, len(self._weights)):
            self._weights[rank] += self._weights[rank - 1]
        self.plan = self._planned(rng, shares or Shares())

    def _planned(self, rng: random.Random, shares: Shares) -> list[Plan]:
        plan: list[Plan] = []
        bases: list[int] = []
        for id in range(1, self.size + 1):
            at = rng.random()
            noise = rng.choice(NOISES)
            for kind, share in (
                ("copy", shares.copies), ("part", shares.parts), ("version", shares.versions),
            ):  # fmt: skip
                if at < share and bases:
                    plan.append(Plan(kind, rng.choice(bases), noise=noise))
                    break
                at -= share
            else:
                if at < shares.forms:
                    plan.append(
                        Plan("form", form=min(int(rng.paretovariate(0.9)), self._forms) - 1)
                    )
                    bases.append(id)
                elif at < shares.forms + shares.short:
                    plan.append(Plan("short"))
                else:
                    plan.append(Plan("unique"))
                    bases.append(id)
        return plan

    def documents(self) -> Iterator[dict[str, object]]:
        for id in range(1, self.size + 1):
            rng = random.Random(f"{self.seed}-{id}-metadata")
            content = self.content(id)
            yield {
                "id": id,
                "title": f"Scan {id:06d}",
                "content": content,
                "correspondent": f"Sender {min(int(rng.paretovariate(0.8)), 500)}",
                "document_type": rng.choice(["Invoice", "Letter", "Statement", "Contract"]),
                "created": f"20{rng.randint(10, 25)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}",
                "tags": [],
                "page_count": 1 + len(content) // 2600,
                "file_size": 30_000 + 9 * len(content),
            }

    def content(self, id: int) -> str:
        plan = self.plan[id - 1]
        rng = random.Random(f"{self.seed}-{id}")
        if plan.kind == "short":
            return self._free(rng, rng.randint(0, 15))
        if plan.kind == "form":
            return self._filled_in(plan.form, rng)
        if plan.kind == "unique":
            return self._free(rng, self._length(rng))
        words = self.content(plan.base).split(" ")
        if plan.kind == "part":
            count = max(30, int(len(words) * rng.uniform(0.2, 0.6)))
            start = rng.randint(0, max(0, len(words) - count))
            words = words[start : start + count]
        if plan.kind == "version":
            for _ in range(max(2, int(len(words) * rng.uniform(0.03, 0.12)))):
                words[rng.randrange(len(words))] = self._word(rng)
        return " ".join(damaged(words, plan.noise, rng))

    def _length(self, rng: random.Random) -> int:
        return max(25, min(20_000, round(self.words * rng.lognormvariate(0, self.spread))))

    def _word(self, rng: random.Random) -> str:
        return rng.choices(self._vocabulary, cum_weights=self._weights)[0]

    def _free(self, rng: random.Random, count: int) -> str:
        words = rng.choices(self._vocabulary, cum_weights=self._weights, k=count)
        for _ in range(count // 25):
            words[rng.randrange(count)] = _fact(rng)
        return " ".join(words)

    def _filled_in(self, form: int, rng: random.Random) -> str:
        """Fixed text with own facts and names in its gaps."""
        fixed = random.Random(f"{self.seed}-form-{form}")
        count = max(60, int(self.words * fixed.uniform(0.5, 1.2)))
        gap = fixed.randint(6, 14)
        parts = []
        for _ in range(count // gap):
            parts.append(self._free(fixed, gap))
            parts.append(_fact(rng) if rng.random() < 0.7 else _made_word(rng).title())
        return " ".join(parts)


def damaged(words: list[str], share: float, rng: random.Random) -> list[str]:
    """What OCR does: letters confused, words lost, split and joined."""
    result: list[str] = []
    for word in words:
        if rng.random() >= share:
            result.append(word)
            continue
        kind = rng.random()
        if kind < 0.7:
            here = [(old, new) for old, new in _CONFUSED if old in word]
            old, new = rng.choice(here) if here else (word[-1:], "")
            result.append(word.replace(old, new, 1))
        elif kind < 0.8 and result:
            result[-1] += word
        elif kind < 0.9:
            result += [word[: len(word) // 2], word[len(word) // 2 :]]
    return [word for word in result if word]


def _made_word(rng: random.Random) -> str:
    return "".join(
        rng.choice(_ONSETS) + rng.choice(_CORES) + rng.choice(_ENDS)
        for _ in range(rng.choice((1, 2, 2, 3)))
    )


def _fact(rng: random.Random) -> str:
    return rng.choice(
        (
            lambda: f"{rng.randint(1, 28):02d}.{rng.randint(1, 12):02d}.20{rng.randint(10, 25)}",
            lambda: f"{rng.randint(1, 999)},{rng.randint(0, 99):02d}",
            lambda: f"{rng.randint(1000, 9_999_999)}",
            lambda: f"{rng.choice('ABCDEFGH')}{rng.randint(10, 99)}-{rng.randint(100, 99_999)}",
        )
    )()


def write(library: MadeLibrary, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for document in library.documents():
            file.write(json.dumps(document, ensure_ascii=False) + "\n")
    with path.with_suffix(".truth.jsonl").open("w", encoding="utf-8") as file:
        for id, plan in enumerate(library.plan, 1):
            if plan.kind != "unique":
                row = {"id": id, "kind": plan.kind, "base": plan.base or None,
                       "form": plan.form if plan.form >= 0 else None, "noise": plan.noise}  # fmt: skip
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("size", type=int)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--words", type=int, default=350)
    parser.add_argument("--spread", type=float, default=0.6)
    options = parser.parse_args()
    write(
        MadeLibrary(options.size, seed=options.seed, words=options.words, spread=options.spread),
        options.out,
    )
