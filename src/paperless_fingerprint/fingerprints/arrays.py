"""Arrays of numbers: in ascending order, or lists of unequal lengths one after the other."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]
_Number = TypeVar("_Number", bound=np.generic)


def distinct(values: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """Sorted, in place; each once. Of a text's sizes in a tenth of the time of np.unique()."""
    values.sort()
    fresh = np.empty(len(values), np.bool_)
    fresh[:1] = True
    np.not_equal(values[1:], values[:-1], out=fresh[1:])
    return values[fresh]


def among(values: npt.NDArray[Any], ascending: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which of the values, in whatever order, are in the list."""
    if not len(ascending):
        return np.zeros(values.shape, np.bool_)
    places = np.searchsorted(ascending, values)
    places[places == len(ascending)] = 0
    found: npt.NDArray[np.bool_] = ascending[places] == values
    return found


def places(starts: Ints, sizes: Ints) -> Ints:
    """starts[0], starts[0] + 1, … (sizes[0] of them), starts[1], …"""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    found = np.repeat(starts - (ends - sizes), sizes)
    found += np.arange(total)
    return found


def counts(flags: npt.NDArray[np.bool_], begins: Ints, ends: Ints) -> Ints:
    """How many are set from each begin to its end."""
    sums = np.zeros(len(flags) + 1, np.int64)
    np.cumsum(flags, out=sums[1:])
    counted: Ints = sums[ends] - sums[begins]
    return counted
