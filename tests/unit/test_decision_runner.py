"""Thousands of decisions are carried out in turns."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from itertools import count

from paperless_fingerprint.review import decision_runner
from paperless_fingerprint.review.decision_runner import DecisionRunner
from paperless_fingerprint.review.journal import Journal, JournalEntry
from paperless_fingerprint.settings.loading import load


def test_the_library_is_let_go_of_now_and_then(tmp_path, monkeypatch) -> None:
    journal = Journal(tmp_path / "journal.db")
    journal.add([JournalEntry(0, "", "7", "anna", "same", f"g{n}", (n,), ()) for n in range(1, 8)])
    happened: list[str] = []
    waiting_when_seen: list[int] = []

    class Lock:
        @contextmanager
        def held(self):
            happened.append("held")
            yield

    class Nobody:
        store = None

        def look_again(self, _ids) -> None:
            waiting_when_seen.append(len(journal.waiting()))

    def carry_out(_store, _settings, journal, entry):
        happened.append(entry.item)
        return set(), ()

    monkeypatch.setattr(decision_runner, "library_lock", lambda _settings: Lock())
    monkeypatch.setattr(decision_runner, "carry_out", carry_out)
    monkeypatch.setattr(decision_runner, "_BETWEEN_SECONDS", 0.0)
    seconds = count()
    settings = load(environment={"XDG_CONFIG_HOME": str(tmp_path)})
    runner = DecisionRunner(
        settings, Nobody(), Nobody(), journal,  # type: ignore[arg-type]
        patience_seconds=0, tell=lambda: happened.append("told"), clock=lambda: next(seconds),
    )  # fmt: skip
    runner._carry_out_waiting(threading.Event())
    assert [each for each in happened if each.startswith("g")] == [f"g{n}" for n in range(1, 8)]
    # Two seconds at a time, of which each look at the clock is one.
    assert happened[:5] == ["held", "g1", "g2", "told", "held"]
    assert journal.waiting() == ()
    # What is settled is seen: whoever waits for it looks at the library next.
    assert waiting_when_seen == [7, 6, 5, 4, 3, 2, 1]
    journal.close()
