"""Every choice that shapes a fingerprint."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from paperless_fingerprint.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class FingerprintSpec:
    """Every choice that shapes a fingerprint. Two specs are never compared."""

    shingle_words: int = 3
    min_words: int = 20
    permutations: int = 192
    bands: int = 48
    #: The level is raised while at least this many hashes are left ...
    sketch_hashes: int = 64
    #: ... and until this level: one shingle in 2**level is the least that is kept.
    sketch_max_level: int = 3

    def __post_init__(self) -> None:
        if self.shingle_words < 1:
            raise ConfigurationError(
                f"[fingerprint] shingle_words is {self.shingle_words}, but a shingle has at least "
                "1 word; 3 is the default."
            )
        if self.min_words < self.shingle_words:
            raise ConfigurationError(
                f"[fingerprint] min_words is {self.min_words}, less than one shingle of "
                f"{self.shingle_words} words; 20 is the default."
            )
        if self.permutations < 1 or self.bands < 1 or self.permutations % self.bands:
            works = _nearest_divisor(self.permutations, self.bands)
            raise ConfigurationError(
                f"[fingerprint] bands is {self.bands}, which does not divide the "
                f"{self.permutations} permutations; bands = {works} does."
            )
        if self.sketch_hashes < 8 or not 0 <= self.sketch_max_level <= 16:
            raise ConfigurationError(
                f"[fingerprint] sketch_hashes is {self.sketch_hashes} and sketch_max_level "
                f"{self.sketch_max_level}; at least 8 hashes and a level from 0 to 16 work, "
                "64 and 3 are the defaults."
            )

    @property
    def rows(self) -> int:
        return self.permutations // self.bands

    @property
    def id(self) -> str:
        """Short and stable; stored with every fingerprint."""
        return _spec_id(self)

    def chance_of_a_shared_band(self, jaccard: float) -> float:
        """The S-curve of the band layout."""
        return float(1 - (1 - jaccard**self.rows) ** self.bands)


@lru_cache(maxsize=64)
def _spec_id(spec: FingerprintSpec) -> str:
    # Who only reads settings does without these, and without the numpy that they bring along.
    import hashlib

    from paperless_fingerprint.fingerprints.shingles import HASHING
    from paperless_fingerprint.fingerprints.sketch import SKETCH
    from paperless_fingerprint.text.normalise import NORMALISATION

    choices = (
        NORMALISATION, HASHING, SKETCH, spec.shingle_words, spec.min_words,
        spec.permutations, spec.bands, spec.sketch_hashes, spec.sketch_max_level,
    )  # fmt: skip
    return hashlib.blake2b(repr(choices).encode(), digest_size=5).hexdigest()


def _nearest_divisor(permutations: int, bands: int) -> int:
    divisors = [n for n in range(1, max(permutations, 1) + 1) if permutations % n == 0] or [1]
    return min(divisors, key=lambda n: abs(n - bands))
