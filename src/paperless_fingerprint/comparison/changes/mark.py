"""How severe a difference is: how much less likely it is as noise than as a change."""

from __future__ import annotations

from enum import IntEnum
from math import ceil, lgamma, log
from typing import NamedTuple

from paperless_fingerprint.comparison.differences import Difference

#: One difference can accuse this much at most, so that a single misread number decides nothing.
SEVEREST = 6.0
#: Numbers are misread on the cleanest page, whole columns of them; letters are not.
SEVEREST_NUMBER = 4.5
#: A difference is more often noise than a change, before it is looked at (as a logarithm).
INNOCENT = 2.5
#: Noise hits a letter, but seldom so that another real word comes out.
REAL_WORD = 2.5
#: What cannot be read says nearly nothing.
UNREADABLE = 0.3
#: On a page with less noise than this what is written is what was printed.
CLEAN = 0.002
# A day or a quantity weighs less than a number of an invoice.
WEIGHT_BY_DIGITS = (0.0, 0.15, 0.4, 0.75, 1.0)
# Digits are misread on clean pages, too.
DIGIT_NOISE_FLOOR = 0.004


class Kind(IntEnum):
    """What a difference is about."""

    WORD = 0
    FACT = 1
    AMOUNT = 2
    MONTH = 3
    NAME = 4
    ADDED = 5


class Mark(NamedTuple):
    """A difference, what it is about, and how improbable it is as noise (0 to SEVEREST)."""

    difference: Difference
    kind: Kind
    severity: float


def improbable(edits: float, length: int, noise: float) -> float:
    """How much less likely so many edits are as noise than as a change, as a logarithm."""
    if edits <= 0:
        return 0.0
    hits = min(length, ceil(edits))
    ways = lgamma(length + 1) - lgamma(hits + 1) - lgamma(length - hits + 1)
    return edits * log(1 / noise) - ways - INNOCENT


def clip(severity: float) -> float:
    return 0.0 if severity <= 0 else min(severity, SEVEREST)
