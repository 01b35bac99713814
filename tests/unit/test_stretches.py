"""In which order a whole analysis judges its pairs: families together, each owner's pairs at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperless_fingerprint.library import analysis_whole
from paperless_fingerprint.library.analysis_whole import _stretches

PLACES = 40
PAIRS = st.sets(
    st.tuples(st.integers(0, PLACES - 1), st.integers(0, PLACES - 1)).filter(lambda p: p[0] < p[1]),
    max_size=120,
)
WAITING = st.sets(st.integers(0, PLACES - 1), min_size=1)


@given(PAIRS, WAITING, st.integers(1, 30), st.integers(1, 9), st.integers(1, 500), st.data())
def test_every_pair_is_judged_before_its_owner_is_done(
    pairs: set, waiting: set, chunk_pairs: int, chunk_documents: int, chunk_shingles: int, data
) -> None:
    pairs = {pair for pair in pairs if waiting.intersection(pair)}
    keys = np.array([(a << 32) | b for a, b in sorted(pairs)], np.uint64)
    sizes = data.draw(st.lists(st.integers(0, 99), min_size=PLACES, max_size=PLACES))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(analysis_whole, "_CHUNK_PAIRS", chunk_pairs)
        patched.setattr(analysis_whole, "_CHUNK_DOCUMENTS", chunk_documents)
        patched.setattr(analysis_whole, "_CHUNK_SHINGLES", chunk_shingles)
        stretches = list(_stretches(keys, np.array(sorted(waiting), np.int64), np.array(sizes)))
    judged: set = set()
    done: list[int] = []
    for low, high, some in stretches:
        places = some.tolist()
        own = {(key >> 32, key & 0xFFFFFFFF) for key in keys[low:high].tolist()}
        assert not own & judged
        judged |= own
        done += places
        assert 1 <= len(places) <= chunk_documents
        # Pairs of one owner stay together; without those of the last, they fit.
        in_order = [(key >> 32, key & 0xFFFFFFFF) for key in keys[low:high].tolist()]
        owners = [a if a in waiting else b for a, b in in_order]
        fitting = [
            pair for pair, owner in zip(in_order, owners, strict=True) if owner != owners[-1]
        ]
        assert len(fitting) <= chunk_pairs
        assert sum(sizes[a] + sizes[b] for a, b in fitting) <= chunk_shingles
        for a, b in own:
            assert (a if a in waiting else b) in places
    assert judged == pairs
    assert sorted(done) == sorted(waiting)


def test_a_family_that_lies_far_apart_is_judged_in_one_go() -> None:
    apart = [(0, 500), (500, 900), (0, 900)]
    others = [(at, at + 1) for at in range(1, 499, 2)]
    keys = np.array([(a << 32) | b for a, b in sorted(apart + others)], np.uint64)
    places = np.arange(1_000, dtype=np.int64)
    list(_stretches(keys, places, np.full(1_000, 300)))
    order = [(key >> 32, key & 0xFFFFFFFF) for key in keys.tolist()]
    at = sorted(order.index(pair) for pair in apart)
    assert at[-1] - at[0] == 2
