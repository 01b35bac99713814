"""What is the form of a family, and who has no more in common with a document than that.

Filled-in copies of one form share most of their words, and where what was filled in are words and
not numbers, no two of them look more different than a letter and its next draft. But what many of
the others have as well is the form. A copy has the rest, too, and a draft most of it; another
filled-in copy has none of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.fingerprints import arrays
from paperless_fingerprint.fingerprints.arrays import Ints, among

#: Fewer others cannot tell what the form is.
MEMBERS_AT_LEAST = 8
#: What more than this share of the others has belongs to the form.
_FORM_SHARE = 0.3
#: Where less of the form is left on both pages, they were misread, and so may be what they would
#: have in common besides.
_CLEAN = 0.9
#: For each hash of the form that a page has not, so many of its own say nothing: whatever was misread
#: is missing there and stands here.
_MISREAD = 2
#: Of the form there must be so many hashes, or it says nothing about how clean the pages are.
_FEWEST_OF_FORM = 10
#: So much of its own a draft keeps at worst, in runs of three words; and so unlikely must be what is
#: seen before it is given up.
_KEPT_AT_WORST = 0.4
_GIVEN_UP = 0.02
#: Of so many others each by itself is unlikely to be a draft.
_CROWD = 24
_GIVEN_UP_IN_A_CROWD = 0.08


@dataclass(frozen=True, slots=True, eq=False)
class Sketches:
    """The sketches of a document and of others, at the level at which each two are compared."""

    #: Those of the document, ascending; those of the others, one after the other.
    own: npt.NDArray[Any]
    others: npt.NDArray[Any]
    sizes: Ints
    #: Of each of the others: hashes up to this one count, and so many of either are among them.
    limits: npt.NDArray[Any]
    own_counts: Ints
    other_counts: Ints


def of_one_form(
    sketches: Sketches, beside: Callable[[], tuple[Ints, Ints]]
) -> npt.NDArray[np.bool_]:
    """Which of the others share the form with the document, and no more.

    Where few fields were filled in, sketches keep too little of them to tell. Then the single words
    and numbers are asked, too: how many of them are `beside` the form, and how many of those are
    shared.
    """
    own, values, sizes = sketches.own, sketches.others, sketches.sizes
    found = np.zeros(len(sizes), np.bool_)
    if len(sizes) < MEMBERS_AT_LEAST or not len(own):
        return found
    ends = np.cumsum(sizes)
    begins = ends - sizes
    inside = values <= np.repeat(sketches.limits, sizes)
    equal = among(values, own) & inside
    form = _of_many(values, _FORM_SHARE * len(sizes))
    # Of the form: how much there is, how much of it the document has, each of the others, and both.
    whole = np.searchsorted(form, sketches.limits, side="right")
    held = np.searchsorted(form[among(form, own)], sketches.limits, side="right")
    of_form = among(values, form) & inside
    theirs = arrays.counts(of_form, begins, ends)
    both = arrays.counts(equal & of_form, begins, ends)
    # What was misread of the form stands among the rest, as something else.
    rest = np.minimum(
        sketches.own_counts - held - _MISREAD * (whole - held),
        sketches.other_counts - theirs - _MISREAD * (whole - theirs),
    )
    shared = arrays.counts(equal & ~of_form, begins, ends)
    given_up = _GIVEN_UP_IN_A_CROWD if len(sizes) >= _CROWD else _GIVEN_UP
    clean = np.flatnonzero((whole >= _FEWEST_OF_FORM) & (both >= _CLEAN * whole))
    rest, shared = rest[clean], shared[clean]
    found[clean] = shared < _expected(rest, given_up)
    open_yet = np.flatnonzero(~found[clean])
    if len(open_yet):
        asked = clean[open_yet]
        more, more_shared = (figures[asked] for figures in beside())
        found[asked] = shared[open_yet] + more_shared < _expected(rest[open_yet] + more, given_up)
    return found


def _of_many(values: npt.NDArray[Any], more_than: float) -> npt.NDArray[Any]:
    """What comes more often than that, ascending; in a third of the time of np.unique()."""
    if not len(values):
        return values
    ordered = np.sort(values)
    edges = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1], [True])))
    return ordered[edges[:-1][np.diff(edges) > more_than]]


def _expected(counts: Ints, given_up: float) -> Ints:
    """_fewest_expected() of each."""
    asked = (max(0, count) for count in counts.tolist())
    return np.array([_fewest_expected(count, given_up) for count in asked], np.int64)


@cache
def _fewest_expected(count: int, given_up: float) -> int:
    """Of so many of its own a copy or a draft has at least so many, but so seldom."""
    tail = 0.0
    for shared in range(count + 1):
        tail += (
            comb(count, shared) * _KEPT_AT_WORST**shared * (1 - _KEPT_AT_WORST) ** (count - shared)
        )
        if tail >= given_up:
            return shared
    return count
