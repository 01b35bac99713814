"""Lists of unequal lengths that stand one after the other in one array."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]


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
