"""Which documents are worth a closer look: the rules that all stores share.

A store reads the posting lists of a sketch's hashes, rarest first, until POSTINGS_READ postings
are read; of the documents met at least twice it takes the SHORTLIST best by summed log(N / df),
adds those that share a band in a bucket of at most BUCKET documents, and keeps those of which
is_clear() or at least is_faint() holds. The work does not grow with the library, and a family of
thousands from one form costs no more than a stranger: its common shingles are never read to the
end.

Which candidates are aligned is the question of worth_comparing(): where the sketches are clear,
all whose facts agree and that have more in common than phrases (by_digests) or a form (candidates/forms.py);
where they are faint, those that have the same words and numbers, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.candidates import forms
from paperless_fingerprint.candidates.forms import Sketches
from paperless_fingerprint.fingerprints import arrays, digest
from paperless_fingerprint.fingerprints.arrays import among
from paperless_fingerprint.fingerprints.digest import Digests
from paperless_fingerprint.fingerprints.shingles import Hashes
from paperless_fingerprint.fingerprints.sketch import level_limit, sketch_hashes
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

#: A document with more candidates than this is one of a family of forms. Of so many it can be told what
#: is the form, though some are copies of one another, and only the best ones are aligned, which is the
#: dear part: its true copy stands at the top, because it shares the facts too, and so does the document
#: seen from its copy. Where there are fewer, all may be states of one text, and whoever is left out
#: counts against the others as if it were known to be somebody else (grouping/rivals.py).
FAMILY_FROM = 24
COMPARED_OF_A_FAMILY = 12

JACCARD_AT_LEAST = 0.08
CONTAINMENT_AT_LEAST = 0.3
#: Where every tenth letter is misread, hardly a run of three words is left of a copy. What shares
#: so little may be one, but so may a stranger who uses the same phrases.
FAINT_JACCARD = 0.01
FAINT_CONTAINMENT = 0.05
#: Of fewer hashes than these (a receipt; a letter beside a bundle) two are no accident.
FEW_HASHES = 48
#: Strangers may have a few long phrases in common, but not so large a share of their words and
#: numbers as two documents have that have anything to do with each other, however badly one was
#: misread. Of a short letter little is known, and some of it any stranger has: the more, the larger
#: the library is. From 60 values on that makes no difference. So many must be known to tell, and who
#: overlaps more is no stranger.
LEAST_SHARE = 0.25
BY_CHANCE = 2.5
SHARE_OF_FEW = 0.21
ENOUGH_TO_TELL = 12
DOUBTFUL = 0.35
#: So many faint ones are kept. Who is worth comparing has that share, too, and so many values; the best
#: are compared.
FAINT_AT_MOST = 16
FAINT_COMPARED = 8
FAINT_VALUES = 3
#: A part has at least this share of the single words and numbers that its runs of three promise, less
#: so many standard deviations.
SINGLE_ONES = 0.85
DEVIATIONS = 2.0
#: What is so many times as long as a document is no other filled-in copy of its form.
LONGER = 2.0

#: One figure, or an array of them.
_Figure = TypeVar("_Figure", float, npt.NDArray[np.float64])


def is_clear(jaccard: _Figure, containment: _Figure) -> bool | npt.NDArray[np.bool_]:
    """Whether the sketches alone say that two documents have something in common.

    `containment` is the larger of both directions.
    """
    return (jaccard >= JACCARD_AT_LEAST) | (containment >= CONTAINMENT_AT_LEAST)


def is_faint(
    jaccard: _Figure, containment: _Figure, fewest: _Figure
) -> bool | npt.NDArray[np.bool_]:
    """Whether they may have. `fewest` is the number of hashes in the smaller of the sketches."""
    return (jaccard >= FAINT_JACCARD) | (containment >= FAINT_CONTAINMENT) | (fewest < FEW_HASHES)


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
    ends = np.cumsum(sizes)
    counts: list[int] = arrays.counts(among(pooled, asker), ends - sizes, ends).tolist()
    return counts


def ranked(found: Iterable[Candidate]) -> list[Candidate]:
    """Those that are the same, at most SHORTLIST that are clear, FAINT_AT_MOST that are faint; of
    each the best first."""
    same: list[Candidate] = []
    clear: list[Candidate] = []
    faint: list[Candidate] = []
    for candidate in found:
        if candidate.same_text or candidate.same_file:
            same.append(candidate)
        elif candidate.shared_hashes >= SHARED_HASHES_AT_LEAST:
            if is_clear_candidate(candidate):
                clear.append(candidate)
            elif _is_faint_candidate(candidate):
                faint.append(candidate)
    for listed in (same, clear):
        listed.sort(key=_strength)
    # By jaccard a letter has next to nothing of its bundle.
    faint.sort(key=lambda one: (-_larger_containment(one), one.id))
    return [*same, *clear[:SHORTLIST], *faint[:FAINT_AT_MOST]]


def _larger_containment(candidate: Candidate) -> float:
    return max(candidate.containment or 0.0, candidate.reverse_containment or 0.0)


def is_clear_candidate(candidate: Candidate) -> bool:
    return bool(is_clear(candidate.jaccard or 0.0, _larger_containment(candidate)))


def _is_faint_candidate(candidate: Candidate) -> bool:
    containment = _larger_containment(candidate)
    if not containment:
        return False
    fewest = candidate.shared_hashes / containment
    return bool(is_faint(candidate.jaccard or 0.0, containment, fewest))


def _strength(candidate: Candidate) -> tuple[float, float, int]:
    return (-(candidate.jaccard or 0.0), -_larger_containment(candidate), candidate.id)


@dataclass(frozen=True, slots=True, eq=False)
class Sketched:
    """What sketches say of the candidates of one document, in arrays of their order."""

    #: The larger of jaccard and the containments.
    overlaps: npt.NDArray[np.float64]
    #: Whether that is enough (see is_clear).
    clear: npt.NDArray[np.bool_]
    #: Whether the candidate is so much longer that the document could only be a part of it.
    longer: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, candidates: Sequence[Candidate]) -> Sketched:
        return cls(
            np.array([max(one.jaccard or 0.0, _larger_containment(one)) for one in candidates]),
            np.array([is_clear_candidate(one) for one in candidates], np.bool_),
            np.array(
                [
                    (one.containment or 0.0) > LONGER * (one.reverse_containment or 0.0)
                    for one in candidates
                ],
                np.bool_,
            ),
        )


def worth_comparing(
    asker: Fingerprint, others: Sequence[Fingerprint], sketched: Sketched
) -> npt.NDArray[np.int64]:
    """Which candidates of one document to align, as places in the list that was given."""
    facts, theirs = Digests.of([asker.facts]), Digests.of([other.facts for other in others])
    told = by_digests(facts, np.zeros(len(others), np.int64), theirs, sketched)
    near = told.clear

    def sketches(places: npt.NDArray[np.int64]) -> Sketches:
        return sketches_of(asker, [others[place] for place in near[places].tolist()])

    def digests(places: npt.NDArray[np.int64]) -> tuple[Digests, Digests]:
        return facts, theirs.at(near[places])

    clear = clear_ones(
        told.agreement, sketched.overlaps[near], sketched.longer[near], sketches, digests
    )
    return np.sort(np.concatenate((near[clear], told.faint)))


def clear_ones(
    agreement: digest.Agreement,
    overlaps: npt.NDArray[np.float64],
    longer: npt.NDArray[np.bool_],
    sketches: Callable[[npt.NDArray[np.int64]], Sketches],
    digests: Callable[[npt.NDArray[np.int64]], tuple[Digests, Digests]],
) -> npt.NDArray[np.int64]:
    """Which of the clear candidates of one document to align.

    `sketches` gives those of the document and of some of them, `digests` as well. Among many, those
    that have no more in common than their form are told apart without a look at the texts; bundles
    of letters are of no form.
    """
    plausible = agreement.plausible
    if len(plausible) < forms.MEMBERS_AT_LEAST:
        # So few are cheaply compared, and numbers that were misread say nothing against them.
        return np.arange(len(plausible))
    strength = overlaps + agreement.numbers
    family = plausible & ~longer
    many = np.count_nonzero(family) > FAMILY_FROM
    # Who has other numbers tells what the form is as well as anybody.
    members = np.flatnonzero(~longer)
    if family.any() and len(members) >= forms.MEMBERS_AT_LEAST:
        told = forms.of_one_form(sketches(members), lambda: forms.beside_form(*digests(members)))
        family[members[told]] = False
    if many:
        family &= ~forms.of_one_form_by_words(*digests(np.arange(len(family))))
    return np.concatenate((_best(family, strength), _best(plausible & longer, strength)))


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What digests tell of candidates, which are named by their places."""

    #: The clear ones that are no strangers, and how their facts agree.
    clear: npt.NDArray[np.int64]
    agreement: digest.Agreement
    #: The faint ones worth aligning.
    faint: npt.NDArray[np.int64]


def by_digests(
    some: Digests, owners: npt.NDArray[np.int64], others: Digests, sketched: Sketched
) -> Told:
    """Of the candidates of some documents; `owners` tells of each whose it is."""
    found = digest.in_common(some, owners, others)
    shared, fewest = found.shared, found.fewest
    least = LEAST_SHARE * fewest
    of_few = np.maximum(least, BY_CHANCE + SHARE_OF_FEW * fewest)
    # Of a letter in a bundle as little is known as of a short one: of what the sketches kept of it.
    least = np.where(sketched.longer, least, of_few)
    few = (shared < least) & (fewest >= ENOUGH_TO_TELL)
    phrases = sketched.longer & (shared < _fewest_of_part(sketched.overlaps, fewest))
    clear = np.flatnonzero(sketched.clear & ~((sketched.overlaps < DOUBTFUL) & (few | phrases)))
    faint = np.flatnonzero(~sketched.clear & (shared >= np.maximum(least, FAINT_VALUES)) & ~phrases)
    share, whose = shared[faint] / fewest[faint], owners[faint]
    order = np.lexsort((-share, whose))
    whose = whose[order]
    rank = np.arange(len(order)) - np.searchsorted(whose, whose)
    agreement = digest.Agreement.of(found.at(clear))
    return Told(clear, agreement, np.sort(faint[order[rank < FAINT_COMPARED]]))


def _fewest_of_part(
    overlaps: npt.NDArray[np.float64], fewest: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Of so many words and numbers a part that was misread shares so many at least.

    Three words in a row are kept where each of them is, so that single ones are kept more often; what
    shares more in runs of three than in single words shares phrases.
    """
    kept = SINGLE_ONES * np.cbrt(overlaps)
    return kept * fewest - DEVIATIONS * np.sqrt(fewest * kept * (1 - kept))


def _best(
    chosen: npt.NDArray[np.bool_], strength: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """Where those are; of more than FAMILY_FROM the strongest COMPARED_OF_A_FAMILY."""
    places = np.flatnonzero(chosen)
    if len(places) <= FAMILY_FROM:
        return places
    return places[np.argsort(-strength[places], kind="stable")[:COMPARED_OF_A_FAMILY]]


def sketches_of(asker: Fingerprint, others: Sequence[Fingerprint]) -> Sketches:
    levels = [max(asker.level, other.level) for other in others]
    return Sketches(
        own=sketch_hashes(asker),
        others=np.frombuffer(b"".join(other.sketch for other in others), "<u8"),
        sizes=np.array([len(other.sketch) // 8 for other in others], np.int64),
        limits=np.array([level_limit(level) for level in levels], np.uint64),
        own_counts=np.array([_hashes_at(asker, level) for level in levels], np.int64),
        other_counts=np.array(list(map(_hashes_at, others, levels)), np.int64),
    )


def _hashes_at(fingerprint: Fingerprint, level: int) -> int:
    counts = fingerprint.level_counts
    return counts[level] if level < len(counts) else 0


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
