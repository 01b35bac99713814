"""What is the form of a family, and who has no more in common with a document than that.

Filled-in copies of one form share most of their words, and where what was filled in are words and
not numbers, no two of them look more different than a letter and its next draft. But what many of
the others have as well is the form. A copy has the rest, too, and a draft most of it; another
filled-in copy has none of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.candidates.postings import Postings
from paperless_fingerprint.fingerprints import arrays
from paperless_fingerprint.fingerprints.arrays import Ints, among
from paperless_fingerprint.fingerprints.digest import (
    FEWEST_NUMBERS,
    FEWEST_WORDS,
    Digests,
    chances_kept,
    least_shared,
)

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
#: Single words are misread where the form is not, more often than chance has it.
_GIVEN_UP_BY_WORDS = 0.005
#: Of so many others each by itself is unlikely to be a draft.
_CROWD = 24
_GIVEN_UP_IN_A_CROWD = 0.08
#: What hundreds hold is form for certain. Of so many the candidates of a page are those that by chance
#: have most in common with it, phrases and all; of fewer, one may be the rewritten text of another.
HUNDREDS = 200
#: By all runs of words more can be told, and so nothing is given up that is not as unlikely as this.
_GIVEN_UP_BY_ALL = 0.002
#: Where less of a page is form, sketches keep enough of the rest to tell.
FORM_OF_PAGE = 0.33
_CELLS = np.uint32((1 << 16) - 1)


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
    rest = _beside(sketches.own_counts, held, sketches.other_counts, theirs, whole)
    shared = arrays.counts(equal & ~of_form, begins, ends)
    given_up = _GIVEN_UP_IN_A_CROWD if len(sizes) >= _CROWD else _GIVEN_UP
    clean = np.flatnonzero((whole >= _FEWEST_OF_FORM) & (both >= _CLEAN * whole))
    rest, shared = rest[clean], shared[clean]
    found[clean] = shared < _least_kept(rest, given_up)
    open_yet = np.flatnonzero(~found[clean])
    if len(open_yet):
        asked = clean[open_yet]
        more, more_shared = (figures[asked] for figures in beside())
        found[asked] = shared[open_yet] + more_shared < _least_kept(rest[open_yet] + more, given_up)
    return found


def of_one_form_by_all_runs(
    low: Ints, high: Ints, postings: Postings, counts: Ints
) -> npt.NDArray[np.bool_]:
    """Of pairs in ascending order of `low`: which share the form and no more.

    Sketches may keep ten runs of what was filled in, of which nobody can tell whether three are few.
    `postings` are of all runs of words of many members, each of which has so many of `counts`.
    """
    found = np.zeros(len(low), np.bool_)
    holders = postings.holders
    is_own = np.zeros(len(holders), np.bool_)
    bounds = np.append(np.flatnonzero(np.append(True, low[1:] != low[:-1])), len(low))
    for begin, end in pairwise(bounds.tolist() if len(low) else []):
        place, met = int(low[begin]), high[begin:end]
        own = postings.lists.of(place)
        held = np.sort(holders[own])
        # By how many the form is held; runs that nobody else holds are not among them.
        nth = len(held) - 1 - int(FORM_OF_PAGE * counts[place])
        if nth < 0 or held[nth] < HUNDREDS:
            continue
        many = _FORM_SHARE * held[nth]
        values, sizes = postings.lists.at(met)
        ends = np.cumsum(sizes)
        begins = ends - sizes
        is_own[own] = True
        equal = is_own[values]
        is_own[own] = False
        of_form = holders[values] >= many
        ours = int(np.count_nonzero(held >= many))
        theirs = arrays.counts(of_form, begins, ends)
        both = arrays.counts(equal & of_form, begins, ends)
        whole = ours + theirs - both
        rest = _beside(counts[place], ours, counts[met], theirs, whole)
        shared = arrays.counts(equal & ~of_form, begins, ends)
        clean = (whole >= _FEWEST_OF_FORM) & (both >= _CLEAN * whole)
        found[begin:end] = clean & (shared < _least_kept(rest, _GIVEN_UP_BY_ALL))
    return found


def _beside(own: Ints, own_form: Ints | int, other: Ints, other_form: Ints, whole: Ints) -> Ints:
    """So much beside the form has the one that has less; what was misread of the form stands there,
    too, as something else."""
    fewest: Ints = np.minimum(
        own - own_form - _MISREAD * (whole - own_form),
        other - other_form - _MISREAD * (whole - other_form),
    )
    return fewest


def _least_kept(counts: Ints, given_up: float) -> Ints:
    """Of so many of its own a copy or a draft has at least so many, but so seldom."""
    return least_shared(np.maximum(counts, 0), np.full(len(counts), _KEPT_AT_WORST), given_up)


def _of_many(values: npt.NDArray[Any], more_than: float) -> npt.NDArray[Any]:
    """What comes more often than that, ascending; in a third of the time of np.unique()."""
    if not len(values):
        return values
    ordered = np.sort(values)
    edges = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1], [True])))
    return ordered[edges[:-1][np.diff(edges) > more_than]]


def of_one_form_by_words(digest: Digests, others: Digests) -> npt.NDArray[np.bool_]:
    """Which of many others share with the one of `digest` what most of them share, and no more.

    What most of the others have is the form. A copy has the rest as well, as far as noise lets it,
    and how much noise there is can be seen from the form.
    """
    told = _form_and_rest(digest, others)
    enough = (told.rest_fewest >= FEWEST_NUMBERS) & (told.form_shared >= FEWEST_WORDS)
    found = np.zeros(len(others), np.bool_)
    found[enough] = told.rest_shared[enough] < least_shared(
        told.rest_fewest[enough],
        chances_kept(told.form_shared[enough] / told.form_held[enough]),
        _GIVEN_UP_BY_WORDS,
    )
    return found


def beside_form(digest: Digests, others: Digests) -> tuple[Ints, Ints]:
    """What one and each of many others have beside the form: so much the one that has less, and so
    much both."""
    told = _form_and_rest(digest, others)
    return told.rest_fewest, told.rest_shared


@dataclass(frozen=True, slots=True)
class _FormAndRest:
    """What one has in common with each of many others."""

    #: Of what the document has in common with many: how much this one has, and how much there is.
    form_shared: Ints
    form_held: Ints
    #: The same of all else; of that so much as the side has that has less of it.
    rest_shared: Ints
    rest_fewest: Ints


def _form_and_rest(digest: Digests, others: Digests) -> _FormAndRest:
    """Numbers and words together; nothing where too few are known to tell what the form is."""
    known = np.count_nonzero(others.sizes.any(axis=1))
    if known < MEMBERS_AT_LEAST or not len(digest.values):
        nothing = np.zeros(len(others), np.int64)
        return _FormAndRest(nothing, nothing, nothing, nothing)
    one, other = (_form_of(digest, others, kind, _FORM_SHARE * known) for kind in (0, 1))
    return _FormAndRest(
        one.form_shared + other.form_shared,
        one.form_held + other.form_held,
        one.rest_shared + other.rest_shared,
        one.rest_fewest + other.rest_fewest,
    )


def _form_of(digest: Digests, others: Digests, kind: int, many: float) -> _FormAndRest:
    """Both sides thinned to the higher of their levels."""
    sizes = others.sizes[:, kind]
    values = others.values[np.repeat(np.arange(2 * len(others)) % 2 == kind, others.sizes.ravel())]
    numbers = int(digest.sizes[0, 0])
    own = digest.values[numbers:] if kind else digest.values[:numbers]
    if not len(own):
        nothing = np.zeros(len(others), np.int64)
        return _FormAndRest(nothing, nothing, nothing, nothing)
    ends = np.cumsum(sizes)
    begins = ends - sizes
    limits = np.int64(1) << (32 - np.maximum(digest.levels[0, kind], others.levels[:, kind]))
    inside = values < np.repeat(limits, sizes)
    at = np.searchsorted(own, values)
    at[at == len(own)] = 0
    equal = (own[at] == values) & inside
    form = np.bincount(at[equal], minlength=len(own)) > many
    form_shared = arrays.counts(equal & form[at], begins, ends)
    below = np.searchsorted(own.astype(np.int64), limits)
    form_held = np.append(0, np.cumsum(form))[below]
    # What many of the others share among themselves is theirs, whether the document has it or not.
    # A few values fall into one cell with others and count as common, too; that is the safe side.
    cells = values & _CELLS
    holders = np.bincount(cells[inside], minlength=int(_CELLS) + 1)[cells]
    rest = arrays.counts(inside & (holders <= many), begins, ends)
    return _FormAndRest(
        form_shared,
        form_held,
        arrays.counts(equal, begins, ends) - form_shared,
        np.minimum(rest, below - form_held),
    )
