"""Makes labelled libraries: python -m benchmarks.made OUT --seed 1 --size 400

OUT gets docs.jsonl and truth.json. `--families` and `--languages` take names, comma-separated;
with a minus before the first, all but those. `--list` prints what there is. A library speaks one
to four of the languages; tongues invented in the scripts of scripts.toml are among them.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

from benchmarks.made import forms
from benchmarks.made.language import languages, scripts
from benchmarks.made.library import Maker, documents, truth


def make(
    seed: int, size: int, families: list[str], speech: list[str]
) -> tuple[list[dict], list[dict]]:
    """Documents and their pairs: the same for the same arguments."""
    rng = random.Random(f"choice {seed}")
    count = rng.choice([1, 2, 2, 3, 4])
    invented = [code for code in speech if code in scripts()]
    spoken = [code for code in speech if code not in scripts()]
    few = [
        rng.choice(spoken if spoken and rng.random() < 0.7 else invented or spoken)
        for _ in range(count)
    ]
    few = [f"{code}-{rng.randrange(1000)}" if code in scripts() else code for code in few]
    maker = Maker(seed, families, [few[0], *few])
    maker.make(size)
    return documents(maker.made, rng), truth(maker.made)


def chosen(wish: str, known: list[str]) -> list[str]:
    if wish == "all":
        return known
    names = wish.removeprefix("-").split(",")
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise SystemExit(f"Not known: {', '.join(unknown)}. There are: {', '.join(known)}.")
    return [name for name in known if (name in names) != wish.startswith("-")]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.made",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=400)
    parser.add_argument("--families", default="all")
    parser.add_argument("--languages", default="all")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    spoken = [*languages(), *sorted(scripts())]
    if options.list or not options.folder:
        print(f"families: {','.join(forms.families())}\nlanguages: {','.join(spoken)}")
        return
    docs, pairs = make(
        options.seed,
        options.size,
        chosen(options.families, forms.families()),
        chosen(options.languages, spoken),
    )
    options.folder.mkdir(parents=True, exist_ok=True)
    with (options.folder / "docs.jsonl").open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(doc, ensure_ascii=False) + "\n" for doc in docs)
    made = {"seed": options.seed, "documents": len(docs), "pairs": pairs}
    (options.folder / "truth.json").write_text(json.dumps(made, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
