"""Filled-in copies of forms that hundreds of documents share, told apart before they are compared.

Sketches keep one run of words in eight, which is too little to tell what was filled in on a page by
what is on another one. All runs tell it, and to read them costs a fraction of one comparison.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from paperless_fingerprint.candidates.forms import of_one_form_by_all_runs
from paperless_fingerprint.candidates.join import Library
from paperless_fingerprint.candidates.postings import Gathered, Keys, Memory, Reading
from paperless_fingerprint.fingerprints.arrays import Ints
from paperless_fingerprint.fingerprints.shingles import shingle_hashes
from paperless_fingerprint.fingerprints.sketch import level_limit, level_of
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.library.budget import MOST_CHARACTERS
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.text.normalise import normalise

#: So many runs of words are in memory at once, and the texts of so many documents.
_RUNS = 2_000_000
_TEXTS = 256
#: Of longer documents a sample of more than this many runs will do.
_ENOUGH = 512
_HIGHEST_LEVEL = 16


def without_forms(store: Store, spec: FingerprintSpec, library: Library, keys: Keys) -> Keys:
    """The pairs, in ascending order, without those that share a large form and no more."""
    low = (keys >> np.uint64(32)).astype(np.int64)
    high = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
    asked = np.flatnonzero(library.of_large_forms(low) & library.of_large_forms(high))
    if not len(asked):
        return keys
    told = np.zeros(len(keys), np.bool_)
    level = level_of(int(np.median(library.shingles[low[asked]])), _ENOUGH, _HIGHEST_LEVEL)
    for some in _slices(low[asked], high[asked], library.shingles >> level):
        pairs = asked[some]
        told[pairs] = _share_form_alone(store, spec, library.ids, low[pairs], high[pairs], level)
    return keys[~told]


def _slices(low: Ints, high: Ints, runs: Ints) -> Iterator[slice]:
    """Stretches of pairs whose documents fit into memory together."""
    met: set[int] = set()
    begin = held = 0
    for number, pair in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        more = sum(int(runs[place]) for place in pair if place not in met)
        if met and held + more > _RUNS:
            yield slice(begin, number)
            begin, held, more = number, 0, int(runs[list(pair)].sum())
            met.clear()
        met.update(pair)
        held += more
    yield slice(begin, len(low))


def _share_form_alone(
    store: Store, spec: FingerprintSpec, ids: Ints, low: Ints, high: Ints, level: int
) -> npt.NDArray[np.bool_]:
    places = np.union1d(low, high)
    gathered = Gathered(len(places), Memory())
    counts = np.zeros(len(places), np.int64)
    limit = np.uint64(level_limit(level))
    for begin in range(0, len(places), _TEXTS):
        some = ids[places[begin : begin + _TEXTS]].tolist()
        texts = store.texts(some)
        runs = []
        for id in some:
            text = normalise(texts.get(id, "")[:MOST_CHARACTERS])
            hashes = shingle_hashes(text, spec.shingle_words)
            runs.append(hashes[: hashes.searchsorted(limit, side="right")])
        sizes = np.fromiter(map(len, runs), np.int64, len(runs))
        counts[begin : begin + len(runs)] = sizes
        gathered.add(np.concatenate(runs), sizes)
    postings = gathered.postings(Reading(whole=0, start=0, widest_table=_ENOUGH))
    return of_one_form_by_all_runs(
        places.searchsorted(low), places.searchsorted(high), postings, counts
    )
