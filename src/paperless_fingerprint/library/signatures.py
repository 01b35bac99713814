"""MinHash signatures of stored documents, for other programs.

A library keeps the band keys alone, an eighth of a signature, so signatures are made of the texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO

from paperless_fingerprint.fingerprints.fingerprint import Signature, signature
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.stores.base import Store


def stored_signatures(store: Store, spec: FingerprintSpec) -> Iterator[tuple[int, Signature]]:
    """By id; without the texts that are too short to be compared."""
    for record in store.documents():
        if record.fingerprint.words >= spec.min_words:
            yield record.document.id, signature(record.document.content, spec)


def write_signatures(store: Store, spec: FingerprintSpec, file: IO[str]) -> int:
    """As JSON lines: what datasketch.LeanMinHash takes, beside the id."""
    count = 0
    for id, found in stored_signatures(store, spec):
        line = {"id": id, "seed": found.seed, "hashvalues": found.values.tolist()}
        file.write(json.dumps(line) + "\n")
        count += 1
    return count
