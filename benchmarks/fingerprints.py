"""How fast a fingerprint is taken, beside datasketch, rensa, and the floor.

The floor is what nobody can avoid: tokenise the text and hash every shingle once.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import xxhash
from datasketch import MinHash
from rensa import RMinHash

from made_library import MadeLibrary
from measuring import cpu_seconds, report
from paperless_fingerprint.fingerprints import digest
from paperless_fingerprint.fingerprints.fingerprint import fingerprint, fingerprints_of_normalised
from paperless_fingerprint.fingerprints.shingles import Block, shingle_hashes
from paperless_fingerprint.fingerprints.sketch import minhash
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.text.normalise import normalise

SPEC = FingerprintSpec()


def floor(text: str) -> set[int]:
    words = re.findall(r"\w+", text.lower())
    return {
        xxhash.xxh3_64_intdigest(" ".join(words[i : i + 3]).encode()) for i in range(len(words) - 2)
    }


def shingles(text: str) -> list[str]:
    words = normalise(text).split()
    return [" ".join(words[i : i + 3]) for i in range(len(words) - 2)]


def datasketch_loop(found: list[bytes]) -> MinHash:
    sketch = MinHash(num_perm=SPEC.permutations)
    for shingle in found:
        sketch.update(shingle)
    return sketch


def datasketch_batch(found: list[bytes]) -> MinHash:
    sketch = MinHash(num_perm=SPEC.permutations)
    sketch.update_batch(found)
    return sketch


def rensa_update(found: list[str]) -> RMinHash:
    sketch = RMinHash(num_perm=SPEC.permutations, seed=1)
    sketch.update(found)
    return sketch


def measure(words: int) -> dict[str, object]:
    library = MadeLibrary(200, words=words, spread=0.01)
    texts = [
        library.content(id) for id, plan in enumerate(library.plan, 1) if plan.kind == "unique"
    ][: max(3, 20_000 // words)]
    strings = [shingles(text) for text in texts]
    encoded = [[shingle.encode() for shingle in found] for found in strings]
    hashes = [shingle_hashes(normalise(text), 3) for text in texts]

    def each(work, values) -> float:
        return cpu_seconds(lambda: [work(value) for value in values]) / len(values) * 1000

    alone = each(lambda text: fingerprint(text, SPEC), texts)
    together = cpu_seconds(
        lambda: fingerprints_of_normalised([normalise(text) for text in texts], SPEC)
    )
    whole = together / len(texts) * 1000
    blocks = [Block([normalise(text).encode()]) for text in texts]
    facts = each(lambda block: digest.pack(block.fact_hashes()[0]), blocks)
    own = alone - facts
    loop = each(datasketch_loop, encoded)
    least = each(floor, texts)
    return {
        "words": words,
        "normalise, bands, sketch, ms": own,
        "the digest of facts, ms": facts,
        "all of it, of many at a time, ms": whole,
        "floor, ms": least,
        "times the floor": own / least,
        "datasketch update loop, ms": loop,
        "faster than the loop": loop / own,
        "datasketch update_batch, ms": each(datasketch_batch, encoded),
        "rensa, ms": each(rensa_update, strings),
        "our signature alone, ms": each(lambda found: minhash(found, SPEC.permutations), hashes),
    }


def main(folder: Path | None) -> None:
    report("fingerprints", [measure(350), measure(5_000)], folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FOLDER")
    main(parser.parse_args().json)
