"""What is kept of a text so that others like it can be found: hash, sketch, bands, digest of facts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints import digest
from paperless_fingerprint.fingerprints.arrays import distinct
from paperless_fingerprint.fingerprints.shingles import (
    BLOCK_BYTES,
    Block,
    blocks,
    several,
    shingle_hashes,
)
from paperless_fingerprint.fingerprints.sketch import bands_of, levels, minhash
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.model import Fingerprint
from paperless_fingerprint.text import normalise as texts


def fingerprint(text: str, spec: FingerprintSpec) -> Fingerprint:
    return fingerprints_of_normalised([texts.normalise(text)], spec)[0]


def fingerprints_of_normalised(
    normalised: Sequence[str], spec: FingerprintSpec
) -> list[Fingerprint]:
    """For whoever needs the normalised texts as well: making them is a sixth of the work.

    Letters are done several at a time, because each step on arrays has a price of its own.
    """
    groups = several(text.encode() for text in normalised if text)
    taken = chain.from_iterable(_of_group(group, spec) for group in groups)
    empty = Fingerprint(spec=spec.id, text_hash="", words=0, shingles=0)
    return [next(taken) if text else empty for text in normalised]


def _of_group(group: Sequence[bytes], spec: FingerprintSpec) -> Iterator[Fingerprint]:
    """Of texts that are not empty."""
    facts: list[digest.FactHashes]
    if len(group) == 1 and len(group[0]) > BLOCK_BYTES:
        words = [group[0].count(b" ") + 1]
        hashes = [shingle_hashes(group[0], spec.shingle_words)]
        parts = (Block([part]).fact_hashes() for part in blocks(group[0], 1))
        facts = [digest.joined(list(chain.from_iterable(parts)))]
    else:
        block = Block(group)
        words = block.words
        hashes = [distinct(each) for each in block.shingle_hashes(spec.shingle_words)]
        facts = block.fact_hashes()
    enough = [n for n, count in enumerate(words) if count >= spec.min_words]
    keys = bands_of([hashes[n] for n in enough], spec.permutations, spec.bands)
    bands = dict(zip(enough, keys, strict=True))
    spec_id = spec.id
    for n, data in enumerate(group):
        text_hash = hashlib.blake2b(data, digest_size=16).hexdigest()
        if n not in bands:
            yield Fingerprint(spec_id, text_hash, words[n], len(hashes[n]))
            continue
        level, counts = levels(hashes[n], spec.sketch_hashes, spec.sketch_max_level)
        yield Fingerprint(
            spec=spec_id,
            text_hash=text_hash,
            words=words[n],
            shingles=len(hashes[n]),
            bands=bands[n],
            sketch=hashes[n][: counts[level]].astype("<u8", copy=False).tobytes(),
            level=level,
            level_counts=counts,
            facts=digest.pack(facts[n]),
        )


@dataclass(frozen=True, slots=True)
class Signature:
    """A MinHash signature for other programs; only those of one seed can be compared."""

    #: From all choices that shape a fingerprint; 32 bits are what datasketch takes.
    seed: int
    values: npt.NDArray[np.uint32]


def signature(text: str, spec: FingerprintSpec) -> Signature:
    """What the band keys of a fingerprint are made from; not kept with it."""
    hashes = shingle_hashes(texts.normalise(text), spec.shingle_words)
    return Signature(int(spec.id[:8], 16), minhash(hashes, spec.permutations))
