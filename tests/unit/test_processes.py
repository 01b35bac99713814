"""Processes that share the work."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator

import pytest

from paperless_fingerprint.files.processes import ProcessDiedError, Processes


def _divided(dividend: int) -> Callable[[int], float]:
    return lambda divisor: dividend / divisor


@pytest.fixture(params=["fork", "spawn"])
def dividing(request) -> Iterator[Processes[int, float]]:
    made: Processes[int, float] = Processes(2, _divided, (60,), start=request.param)
    yield made
    made.close()


def test_answers_come_in_the_order_of_the_tasks(dividing):
    assert list(dividing.done(range(1, 30))) == [60 / divisor for divisor in range(1, 30)]
    assert list(dividing.done([])) == []
    assert list(dividing.done([2])) == [30]


def test_an_error_is_raised_here_with_what_happened_there(dividing):
    with pytest.raises(ZeroDivisionError) as raised:
        list(dividing.done([1, 2, 0, 3, 4]))
    assert "dividend / divisor" in "".join(raised.value.__notes__)


def test_what_an_earlier_call_asked_for_is_no_answer_to_the_next(dividing):
    with pytest.raises(ZeroDivisionError):
        list(dividing.done([0, 0, 5, 0]))
    next(dividing.done([1, 2, 3, 4, 5, 6]))
    assert list(dividing.done([10, 20, 30])) == [6, 3, 2]


def test_a_death_is_told(dividing):
    for process in multiprocessing.active_children():
        process.kill()
    with pytest.raises(ProcessDiedError):
        list(dividing.done([1, 2]))
