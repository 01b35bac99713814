"""What is compared before anybody asks: where the queue begins, and what follows who looks at it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from paperless_fingerprint.model import Pair, PairScore, Relation
from paperless_fingerprint.review.catalogue import Brief, Catalogue
from paperless_fingerprint.review.diff_cache import DiffCache, TextDifferences
from paperless_fingerprint.review.differences import DifferenceFinder
from paperless_fingerprint.review.queue_entry import QueueEntry
from paperless_fingerprint.settings.loading import load


def queue(size: int, done: int = 0) -> Catalogue:
    """Pairs (1, 2), (3, 4) … as they stand in the queue; the first ones are decided."""
    pairs = [(n, n + 1) for n in range(1, 2 * size, 2)]
    entries = [
        QueueEntry("pair", "near", 1 - a / 1e6, (a, b), ((a, b),), None, "done" if a <= 2 * done else "open")
        for a, b in pairs
    ]  # fmt: skip
    documents = {
        id: Brief(id, "", None, None, None, None, None, None, None, (), f"text {id}")
        for key in pairs
        for id in key
    }
    return Catalogue(1, True, documents, {}, entries, {e.members[0]: (e,) for e in entries})


class Counting(DifferenceFinder):
    compared: list[int]

    def _compared(self, a: int, b: int) -> TextDifferences:
        self.compared.append(a)
        return TextDifferences(Pair(a, b, Relation.NEAR, 1.0, PairScore()), (), shortened=False)


@pytest.fixture
def finder(tmp_path) -> Counting:
    settings = load({"store": f"sqlite:///{tmp_path}/library.db"}, {})
    opened: Any = SimpleNamespace(store=None)
    mirror: Any = SimpleNamespace(catalogue=queue(500, done=10))
    found = Counting(settings, opened, mirror, DiffCache(settings))
    found.compared = []
    return found


def never_ends(_seconds: float) -> bool:
    return False


def test_only_the_beginning_of_what_is_open_is_prepared(finder: Counting) -> None:
    finder.prepare(never_ends)
    assert finder.compared == [2 * n + 1 for n in range(10, 30)]
    finder.prepare(never_ends)
    assert len(finder.compared) == 20


def test_what_follows_is_ready_for_who_looks_at_an_item(finder: Counting) -> None:
    finder.between(601, 602)
    finder.compared.clear()
    finder.prepare(never_ends)
    assert finder.compared[:20] == [601 + 2 * n for n in range(1, 21)]
    finder.compared.clear()
    for n in range(1, 21):
        finder.between(601 + 2 * n, 602 + 2 * n)
    assert finder.compared == []
