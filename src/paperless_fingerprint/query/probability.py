"""How many matches to expect when some of a source's hashes are asked for, and how surely.

Of n shingles s are also in the hit; of the k lowest hashes asked for, the number found there is
hypergeometric(n, s, k).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

#: Where a probability is given, a hit with half of the asked overlap is found with this one at most.
NOISE = 0.05
#: How far the probability reached may lie above the one asked for, if hashes allow.
SLACK = 0.03


@lru_cache(maxsize=4096)
def smallest_query(total: int, shared: int, available: int, probability: float) -> tuple[int, int]:
    """(k, m): the smallest k and the minimum of matches for which a hit that shares so much is
    found with the probability, and one that shares half as much with NOISE at most."""
    half = max(1, shared // 2)

    def judged(asked: int) -> tuple[int, float, float]:
        minimum, found = _minimum_and_chance(total, shared, asked, probability)
        return minimum, found, chance_of(total, half, asked, minimum)

    low, high = 1, available
    while low < high:
        middle = (low + high) // 2
        if judged(middle)[2] <= NOISE:
            high = middle
        else:
            low = middle + 1
    # The chances are saw-toothed in k: look around for one that fits both ways. Where there are
    # too few hashes for that, any k may be the one that comes nearest to the probability.
    around = range(max(1, low - 16), min(available, low + 16) + 1)
    best = (math.inf, 1, 1)
    for choice in (around, range(1, min(available, 128) + 1)):
        for asked in choice:
            minimum, found, noise = judged(asked)
            excess = max(0.0, found - probability - SLACK) if shared < total else 0.0
            missed = max(0.0, probability - found)
            fault = max(0.0, round(noise - NOISE, 2)) + 10 * round(excess + missed, 2)
            best = min(best, (fault, asked, minimum))
            if not fault:  # the smallest that fits
                break
        if best[0] < 1:
            break
    return best[1], best[2]


def minimum_of(total: int, shared: int, asked: int, probability: float) -> int:
    """The largest m for which at least m matches come with that probability; 1 at least."""
    return _minimum_and_chance(total, shared, asked, probability)[0]


def _minimum_and_chance(
    total: int, shared: int, asked: int, probability: float
) -> tuple[int, float]:
    """The minimum of minimum_of(), and how surely that many matches come."""
    x, below = _below(total, shared, asked)
    found, reached = 1, 1.0
    for chance in below:
        if 1 - chance < probability - 1e-12:
            if x <= 1:  # one match is asked for, however unlikely
                reached = 1 - chance
            break
        found, reached = max(1, x), 1 - chance
        x += 1
    return found, max(0.0, reached)


def chance_of(total: int, shared: int, asked: int, minimum: int) -> float:
    """P(X >= minimum) for X hypergeometric."""
    first, below = _below(total, shared, asked)
    for x, chance in enumerate(below, first):
        if x >= minimum:
            return max(0.0, 1 - chance)
    return 0.0


def _below(total: int, shared: int, asked: int) -> tuple[int, Iterator[float]]:
    """The least possible number of matches, and P(X < x) from there on.

    Few steps are taken as a rule, and a plain loop is then ten times as fast as numpy.
    """
    others = total - shared
    first, last = max(0, asked - others), min(asked, shared)

    def chances() -> Iterator[float]:
        x = first
        log = (
            _log_choose(shared, x) + _log_choose(others, asked - x) - _log_choose(total, asked)
        )  # fmt: skip
        while log < -700 and x < last:  # too small to be counted
            yield 0.0
            log += math.log((shared - x) * (asked - x)) - math.log(
                (x + 1) * (others - asked + x + 1)
            )
            x += 1
        chance, sum_below = math.exp(log), 0.0
        while x <= last:
            yield sum_below
            sum_below += chance
            chance *= (shared - x) * (asked - x) / ((x + 1) * (others - asked + x + 1))
            x += 1

    return first, chances()


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def binomial_minimum(trials: int, chance: float, probability: float) -> int:
    """As minimum_of(), for so many independent trials."""
    if chance >= 1:
        return trials
    log = trials * math.log1p(-chance)
    odds = math.log(chance) - math.log1p(-chance)
    sum_below = 0.0
    for x in range(trials + 1):
        if 1 - sum_below < probability - 1e-12:
            return max(1, x - 1)
        if log > -700:
            sum_below += math.exp(log)
        if x < trials:
            log += math.log((trials - x) / (x + 1)) + odds
    return max(1, trials)
