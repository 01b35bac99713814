"""Lists of numbers in ascending order."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

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
        return np.zeros(len(values), np.bool_)
    places = np.searchsorted(ascending, values)
    places[places == len(ascending)] = 0
    found: npt.NDArray[np.bool_] = ascending[places] == values
    return found
