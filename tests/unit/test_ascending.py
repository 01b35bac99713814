"""Lists of numbers in ascending order, against numpy's own slower ways."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paperless_fingerprint.fingerprints.arrays import among, distinct

NUMBERS = st.lists(st.integers(0, 20) | st.integers(2**64 - 3, 2**64 - 1), max_size=30)


@given(NUMBERS)
def test_each_once(numbers: list[int]) -> None:
    values = np.array(numbers, np.uint64)
    assert distinct(values.copy()).tolist() == np.unique(values).tolist()


@given(NUMBERS, NUMBERS)
def test_which_are_among_others(numbers: list[int], others: list[int]) -> None:
    values, ascending = np.array(numbers, np.uint64), np.unique(np.array(others, np.uint64))
    assert among(values, ascending).tolist() == np.isin(values, ascending).tolist()
