"""Signatures for datasketch, whose MinHashLSH and MinHashLSHForest many programs are built on.

    with Library("sqlite:///letters.db") as library:
        forest = MinHashLSHForest(num_perm=library.settings.spec().permutations)
        for id, signature in signatures(library):
            forest.add(id, signature)

A signature is that of our own permutations (fingerprints/spec.py), so it is compared with others of
ours, never with one that datasketch has made of a text: the seed, which stands for all choices that
shape a fingerprint, keeps them apart, and datasketch refuses to compare them.
"""

from __future__ import annotations

from collections.abc import Iterator

from datasketch import LeanMinHash

from paperless_fingerprint.api.library import Library
from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.fingerprints import fingerprint as fingerprints
from paperless_fingerprint.fingerprints.fingerprint import Signature
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.library.signatures import stored_signatures

#: Says that a value has 32 bits; the permutations are not datasketch's.
_SCHEME = "affine32"


def signature_of(text: str, spec: FingerprintSpec | None = None) -> LeanMinHash:
    """Of any text, stored or not; of whatever length."""
    return _lean(fingerprints.signature(text, spec or FingerprintSpec()))


def signature(library: Library, id: int) -> LeanMinHash:
    """Of a stored document."""
    text = library.store.texts([id]).get(id)
    if text is None:
        raise UsageError(f"There is no document {id} in the library.")
    return signature_of(text, library.settings.spec())


def signatures(library: Library) -> Iterator[tuple[int, LeanMinHash]]:
    """Of all stored documents that are long enough to be compared, by id."""
    for id, found in stored_signatures(library.store, library.settings.spec()):
        yield id, _lean(found)


def _lean(found: Signature) -> LeanMinHash:
    return LeanMinHash(seed=found.seed, hashvalues=found.values, scheme=_SCHEME)
