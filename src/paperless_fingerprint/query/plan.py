"""Overlap and probability: which hashes to ask the index for, and how many must match.

A sketch's hashes are a random sample of the document's shingles. Of n shingles, s are also in
the hit; of the k lowest hashes asked for, the number found there is hypergeometric(n, s, k). So:
- without a probability all hashes are asked for (ASKED_AT_MOST of them), and the minimum is set
  so that a hit with exactly the asked overlap is found with SURE;
- with a probability p, k is the smallest number and m the minimum of matches for which a hit with
  exactly the overlap is found with p, and one with half of it with chances.NOISE at most. Short sources
  have too few hashes for that; there p is kept, and what is found needlessly falls to the
  verification.

Documents of a higher level than the source's keep fewer hashes. They are asked for the lowest
hashes only, as a group of their own with its own minimum.

The index only finds. What is shown is recomputed from the texts (library/search.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints.shingles import Hashes
from paperless_fingerprint.fingerprints.sketch import level_of, levels
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.query.probability import (
    binomial_minimum,
    chance_of,
    minimum_of,
    smallest_query,
)
from paperless_fingerprint.query.tree import Alike, Likeness

#: Found with this probability at exactly the asked overlap, where no probability is given.
SURE = 0.9
#: Terms in one group; one standard deviation at 20 % is then 1.3 points.
ASKED_AT_MOST = 1024
#: WITHIN asks for groups of several levels; together they stay within Elasticsearch's clauses.
ASKED_AT_MOST_WITHIN = 512

#: A hash in more documents than this is boilerplate to 'any overlap', whatever the library.
COMMON_AT_MOST = 1000
COMMON_AT_LEAST = 50
_COMMON_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class LevelGroup:
    """What is asked of the documents whose sketches have one of these levels."""

    levels: tuple[int, ...]
    #: The `asked` lowest hashes of the query are meant.
    asked: int
    minimum: int
    #: Score of one match: matches times this estimate the share that was asked for.
    weight: float
    #: Least score (WITHIN only, where the number of matches alone says little).
    least_score: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class SketchQuery:
    spec: str
    #: Id of the source, which is no hit.
    source: int
    #: Ascending.
    hashes: Hashes
    groups: tuple[LevelGroup, ...]
    #: Drop the hashes that are in too many documents.
    drop_common: bool = False
    #: The weight is divided by the hit's number of shingles.
    per_shingle: bool = False
    #: Other hits cannot have the overlap, whatever they hold: (least, most) shingles.
    shingles: tuple[int, int] | None = None

    @property
    def finds_nothing(self) -> bool:
        return not self.groups or not len(self.hashes)


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The document that a query starts from."""

    id: int
    #: Of its whole text, ascending.
    hashes: Hashes
    #: Of its sketch; and how many hashes a sketch of each level would have.
    level: int
    level_counts: tuple[int, ...]


def source_of(id: int, hashes: Hashes, spec: FingerprintSpec) -> Source:
    level, counts = levels(hashes, spec.sketch_hashes, spec.sketch_max_level)
    return Source(id, hashes, level, counts)


def sketch_query(term: Alike, source: Source, spec: FingerprintSpec) -> SketchQuery:
    overlap = term.overlap or 0.0
    probability = None if term.probability is None else min(max(term.probability, 0.01), 0.999)
    total = len(source.hashes)
    lowest = source.hashes[: source.level_counts[source.level]]
    if not len(lowest):
        return SketchQuery(spec.id, source.id, lowest, ())
    if overlap <= 0:
        asked = min(len(lowest), ASKED_AT_MOST)
        every_level = tuple(range(spec.sketch_max_level + 1))
        group = LevelGroup(every_level, asked, 1, 1 / asked)
        return SketchQuery(spec.id, source.id, lowest[:asked], (group,), drop_common=True)
    if term.likeness is Likeness.WITHIN:
        groups = _within_groups(source.level_counts, overlap, probability or SURE)
        asked = max(group.asked for group in groups)
        return SketchQuery(
            spec.id, source.id, source.hashes[:asked], groups,
            per_shingle=True, shingles=(1, math.floor(total / overlap + 1e-9)),
        )  # fmt: skip
    groups = _containment_groups(source, overlap, probability)
    asked = max(group.asked for group in groups)
    # Both shares are at least the jaccard, and so is the ratio of the sizes.
    sizes = (
        (math.ceil(total * overlap - 1e-9), math.floor(total / overlap + 1e-9))
        if term.likeness is Likeness.SIMILAR
        else None
    )
    return SketchQuery(spec.id, source.id, lowest[:asked], groups, shingles=sizes)


def without_common(query: SketchQuery, uncommon: Hashes) -> SketchQuery:
    """For 'any overlap': the query without boilerplate."""
    asked = len(uncommon)
    groups = tuple(replace(group, asked=asked, weight=1 / asked) for group in query.groups if asked)
    return replace(query, hashes=uncommon, groups=groups)


def is_found(
    query: SketchQuery, matching: npt.NDArray[np.bool_], shingles: int, spec: FingerprintSpec
) -> bool:
    """Whether a document of so many shingles has the matches asked for.

    `matching` tells of each hash of the query whether it stands in the document's text. A store
    asks with shortened hashes, each in its own way, and now and then two of them fall together.
    With this check on the whole ones all stores find the same documents.
    """
    if not shingles:
        return False
    group = group_of(query, level_of(shingles, spec.sketch_hashes, spec.sketch_max_level))
    if group is None:
        return False
    matches = int(np.count_nonzero(matching[: group.asked]))
    per = shingles if query.per_shingle else 1
    return matches >= group.minimum and matches * group.weight / per >= group.least_score


def group_of(query: SketchQuery, level: int) -> LevelGroup | None:
    """What is asked of documents of that level; None where none of them can be a hit."""
    return next((group for group in query.groups if level in group.levels), None)


def common_above(documents: int) -> int:
    """In how many documents a hash may be before 'any overlap' takes it for boilerplate."""
    return min(COMMON_AT_MOST, max(COMMON_AT_LEAST, math.floor(documents * _COMMON_SHARE)))


def expected_recall(group: LevelGroup, total: int, overlap: float) -> float:
    """How likely a hit with that overlap is found, for FINGERPRINT."""
    shared = min(total, math.ceil(overlap * total - 1e-9))
    return chance_of(total, shared, group.asked, group.minimum)


def _containment_groups(
    own: Source, overlap: float, probability: float | None
) -> tuple[LevelGroup, ...]:
    total = len(own.hashes)
    shared = max(1, math.ceil(overlap * total - 1e-9))
    groups: list[LevelGroup] = []
    for level in range(own.level, len(own.level_counts)):
        available = min(own.level_counts[level], ASKED_AT_MOST)
        if not available:
            break
        if probability is None:
            asked, minimum = available, minimum_of(total, shared, available, SURE)
        else:
            asked, minimum = smallest_query(total, shared, available, probability)
        levels = tuple(range(level + 1)) if level == own.level else (level,)
        # Groups that ask for the same are one.
        if groups and (groups[-1].asked, groups[-1].minimum) == (asked, minimum):
            levels = (*groups.pop().levels, *levels)
        groups.append(LevelGroup(levels, asked, minimum, 1 / asked))
    return tuple(groups)


def _within_groups(
    counts: tuple[int, ...], overlap: float, probability: float
) -> tuple[LevelGroup, ...]:
    """The hit's shingles are the sample here, so all of the source's hashes are asked for."""
    groups = []
    for level, below in enumerate(counts):
        if not below:
            break
        asked = min(below, ASKED_AT_MOST if level == 0 else ASKED_AT_MOST_WITHIN)
        share = asked / below
        weight = 2**level / share
        if level == 0:
            # A document of this level keeps all its hashes: the score is exact if all are asked.
            least = overlap * (1 - 1e-6) if asked == below else 0.0
            groups.append(LevelGroup((0,), asked, 1, weight, least))
            continue
        smallest = _SMALLEST_SKETCH * 2**level
        shared = max(1, math.ceil(overlap * smallest - 1e-9))
        minimum = binomial_minimum(shared, share / 2**level, probability)
        least = minimum * weight / smallest * (1 - 1e-6) if minimum > 1 else 0.0
        groups.append(LevelGroup((level,), asked, minimum, weight, least))
    return tuple(groups)


#: A sketch above level 0 has about 64 hashes at least (FingerprintSpec.sketch_hashes); counting
#: on fewer errs on the side of finding.
_SMALLEST_SKETCH = 56
