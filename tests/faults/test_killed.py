"""A worker that is killed, at every step and at any time: after the next run all is as it should be."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from breaking import Letters, fast_folder, nursery, scaled
from paperless_work import Office

from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.paperless.spool import Spool
from spooling import leave_event

KILLED = -9


@pytest.fixture
def office(tmp_path, stand_in: StandIn) -> Iterator[Office]:
    with fast_folder(tmp_path) as folder:
        yield Office(folder, stand_in)


def announce(office: Office, *ids: int) -> None:
    for id in ids:
        leave_event(Spool(office.folder / "spool"), id)


def test_killed_at_every_step(office):
    """A new pair for each step, so that every step meets a document that nobody has done yet."""
    letters = Letters(office)
    step, ended = 0, 0
    with nursery(office) as workers:
        while ended < 2:  # the first run to its end may have done what an earlier one had begun
            step += 1
            announce(office, *letters.add())
            (status,) = workers.run(kill_at=step)
            assert status in {0, KILLED}
            ended += status == 0
            assert workers.run() == [0]
    assert step > 100
    letters.check()


def test_killed_at_the_same_step_again_and_again(office):
    """A worker that dies whenever it gets so far must not do harm either."""
    letters = Letters(office)
    with nursery(office) as workers:
        for step in range(5, 125, 12):
            announce(office, *letters.add())
            for _ in range(3):
                workers.run(kill_at=step)
        assert workers.run() == [0]
    letters.check()


def test_killed_at_random_times_under_load(office):
    """Two workers at a time, of which one or both are killed while documents come in."""
    letters = Letters(office)
    chance = random.Random(6)
    killed = 0
    runs = 0
    with nursery(office) as workers:
        while killed < scaled(100):
            runs += 1
            if runs % 3 == 1:
                announce(office, *letters.add())
            times = [chance.uniform(0.0, 0.12) for _ in range(chance.choice((1, 1, 2)))]
            statuses = workers.run(workers=2, kill_after=times)
            assert set(statuses) <= {0, KILLED}
            killed += statuses.count(KILLED)
            if statuses.count(KILLED) == 0 or runs % 3 == 0:
                announce(office, *letters.add())
        assert workers.run() == [0]
    assert killed >= scaled(100)
    letters.check()
