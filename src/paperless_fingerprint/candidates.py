"""Which documents are worth a closer look: the rules that all stores share.

A store reads the posting lists of a sketch's hashes, rarest first, until POSTINGS_READ postings
are read; of the documents met at least twice it takes the SHORTLIST best by summed log(N / df),
adds those that share a band in a bucket of at most BUCKET documents, and keeps what passes
is_plausible(). The work does not grow with the library, and a family of thousands from one form
costs no more than a stranger: its common shingles are never read to the end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.digest import Agreement
from paperless_fingerprint.fingerprint import Hashes, sketch_hashes
from paperless_fingerprint.model import Candidate, Fingerprint

POSTINGS_READ = 1_000
SHORTLIST = 64
#: Where fewer lists than this fit into POSTINGS_READ, the first postings of further ones are read.
LISTS_READ_AT_LEAST = 8
LIST_START = 50
SHARED_HASHES_AT_LEAST = 2
#: A band shared by more documents than this says that they are of one form, no more.
BUCKET = 50
#: Copies of one text or one file beyond these are joined through them.
SAME_AT_MOST = 64

#: A document with more candidates than this is one of a family of forms. Only its best ones are
#: aligned, which is the dear part: its true copy stands at the top, because it shares the facts
#: too, and so does the document seen from its copy.
FAMILY_FROM = 16
COMPARED_OF_A_FAMILY = 8

JACCARD_AT_LEAST = 0.08
CONTAINMENT_AT_LEAST = 0.3


def is_plausible(jaccard: float, containment: float, reverse_containment: float) -> bool:
    return (
        jaccard >= JACCARD_AT_LEAST or max(containment, reverse_containment) >= CONTAINMENT_AT_LEAST
    )


def estimated(
    asker: Fingerprint,
    level: int,
    level_counts: Sequence[int],
    shared: int,
    *,
    id: int,
    shared_bands: int = 0,
    same_text: bool = False,
    same_file: bool = False,
) -> Candidate:
    """The candidate as two sketches tell it, from its levels and the number of shared hashes.

    Sketches are compared at the higher of their levels. What they share always lies below the
    limit of that level, because the document of that level keeps nothing above it.
    """
    at = max(asker.level, level)
    own = asker.level_counts[at] if asker.level_counts else 0
    other = level_counts[at] if level_counts else 0
    known = bool(own and other)
    return Candidate(
        id=id,
        jaccard=shared / (own + other - shared) if known else None,
        containment=shared / own if known else None,
        reverse_containment=shared / other if known else None,
        shared_bands=shared_bands,
        shared_hashes=shared,
        same_text=same_text,
        same_file=same_file,
    )


def shared_hashes(asker: Hashes, others: Sequence[bytes]) -> list[int]:
    """How many of the asker's sketch hashes stand in each of the other sketches."""
    if not others:
        return []
    sizes = np.array([len(sketch) // 8 for sketch in others])
    pooled = np.frombuffer(b"".join(others), "<u8")
    if not len(asker) or not len(pooled):
        return [0] * len(others)
    places = np.searchsorted(asker, pooled)
    places[places == len(asker)] = 0
    found = np.concatenate((np.zeros(1, np.int64), np.cumsum(asker[places] == pooled)))
    ends = np.cumsum(sizes)
    counts: list[int] = (found[ends] - found[ends - sizes]).tolist()
    return counts


def ranked(found: Iterable[Candidate]) -> list[Candidate]:
    """The plausible ones, best first, at most SHORTLIST of them beside those that are the same."""
    same: list[Candidate] = []
    alike: list[Candidate] = []
    for candidate in found:
        if candidate.same_text or candidate.same_file:
            same.append(candidate)
        elif candidate.shared_hashes >= SHARED_HASHES_AT_LEAST and is_plausible(
            candidate.jaccard or 0.0,
            candidate.containment or 0.0,
            candidate.reverse_containment or 0.0,
        ):
            alike.append(candidate)
    alike.sort(key=_strength)
    return sorted(same, key=_strength) + alike[:SHORTLIST]


def _strength(candidate: Candidate) -> tuple[float, float, int]:
    return (
        -(candidate.jaccard or 0.0),
        -max(candidate.containment or 0.0, candidate.reverse_containment or 0.0),
        candidate.id,
    )


def worth_comparing(overlaps: Sequence[float], agreement: Agreement) -> npt.NDArray[np.int64]:
    """Which candidates of one document to align, as places in the list that was given.

    `overlaps` is the larger of jaccard and the containments of each, estimated. Among many, those
    that have no more in common than their form are told apart without a look at the texts.
    """
    places = np.flatnonzero(agreement.plausible & ~agreement.of_one_form)
    if len(places) <= FAMILY_FROM:
        return places
    strength = np.asarray(overlaps)[places] + agreement.numbers[places]
    return np.sort(places[np.argsort(-strength, kind="stable")[:COMPARED_OF_A_FAMILY]])


def compare_sketches(
    asker: Fingerprint,
    others: dict[int, Fingerprint],
    *,
    shared_bands: dict[int, int] | None = None,
    same_text: Collection[int] = (),
    same_file: Collection[int] = (),
) -> list[Candidate]:
    """Stored sketch against stored sketch, for stores that can read them back."""
    # Two specs are never compared; an identical file is one all the same.
    alike = {id: other for id, other in others.items() if other.spec == asker.spec}
    counts = shared_hashes(sketch_hashes(asker), [other.sketch for other in alike.values()])
    found = [
        estimated(
            asker,
            other.level,
            other.level_counts,
            shared,
            id=id,
            shared_bands=(shared_bands or {}).get(id, 0),
            same_text=id in same_text,
            same_file=id in same_file,
        )
        for (id, other), shared in zip(alike.items(), counts, strict=True)
    ]
    found += [Candidate(id, same_file=True) for id in same_file if id in others and id not in alike]
    return found
