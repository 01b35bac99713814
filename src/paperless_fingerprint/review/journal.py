"""The journal of decisions made on the page and through the API: who said what, when, and whether it
has been carried out.

A decision is kept when it stands here. It is carried out when nobody else holds the library, which
is at once most of the time, and after a whole analysis at worst. So nothing is lost when the
library is busy, when the store is away or when the process dies; and nothing is ever deleted here,
because it also says to whom a decision goes back.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paperless_fingerprint.files.sqlite import Format, SqliteFile, made_of
from paperless_fingerprint.model import Decision, Relation, Verdict

#: 'pfbk'.
_APPLICATION_ID = 0x7066626B
_SCHEMA = (
    """CREATE TABLE act (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        person TEXT NOT NULL,
        by TEXT NOT NULL,
        verdict TEXT NOT NULL,
        item TEXT NOT NULL,
        documents TEXT NOT NULL,
        steps TEXT NOT NULL,
        undoes INTEGER,
        was TEXT NOT NULL DEFAULT '',
        state TEXT NOT NULL DEFAULT 'waiting',
        why TEXT NOT NULL DEFAULT ''
    )""",
    "CREATE INDEX act_state ON act (state, number)",
    "CREATE INDEX act_person ON act (person, number)",
)
_FORMAT = Format(
    _APPLICATION_ID, 0, made_of(_SCHEMA), "Move it away, so that decisions can be kept there."
)
WAITING, DONE, UNDONE, REFUSED = "waiting", "done", "undone", "refused"
_COLUMNS = "number, at, person, by, verdict, item, documents, steps, undoes, was, state, why"


@dataclass(frozen=True, slots=True)
class DecisionStep:
    """One thing to write down: confirm or dismiss `a` and each of `others`, or make `a` primary."""

    what: str
    a: int
    others: tuple[int, ...] = ()

    @property
    def pairs(self) -> list[tuple[int, int]]:
        if self.what == "primary":
            return [(self.a, self.a)]
        return [(min(self.a, other), max(self.a, other)) for other in self.others]


@dataclass(frozen=True, slots=True)
class JournalEntry:
    number: int
    at: str
    #: The id of the user in Paperless; empty in open mode.
    person: str
    by: str
    verdict: str
    item: str
    documents: tuple[int, ...]
    steps: tuple[DecisionStep, ...]
    undoes: int | None = None
    #: What stood there before, to be put back by an undo; JSON, empty until it is carried out.
    was: str = ""
    state: str = WAITING
    why: str = ""

    @property
    def subjects(self) -> set[tuple[int, int]]:
        return {pair for step in self.steps for pair in step.pairs}


class Journal:
    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = SqliteFile(path)
        self._waiting: tuple[JournalEntry, ...] | None = None
        with self._file.making() as connection:
            _FORMAT.prepare(connection, path)

    def close(self) -> None:
        self._file.close()

    def add(self, entries: Sequence[JournalEntry]) -> list[JournalEntry]:
        """All or none; durable when this returns. Their numbers are given here."""
        kept = []
        with self._file.writing() as connection:
            for entry in entries:
                done = connection.execute(
                    "INSERT INTO act (at, person, by, verdict, item, documents, steps, undoes) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (entry.at, entry.person, entry.by, entry.verdict, entry.item,
                     json.dumps(entry.documents),
                     json.dumps([[s.what, s.a, list(s.others)] for s in entry.steps]),
                     entry.undoes),
                )  # fmt: skip
                kept.append(replace(entry, number=int(done.lastrowid or 0)))
        self._waiting = None
        return kept

    def waiting(self) -> tuple[JournalEntry, ...]:
        """What is not carried out yet, in its order. Only this process writes into the journal."""
        found = self._waiting
        if found is None:
            found = tuple(self._entries("WHERE state = 'waiting' ORDER BY number"))
            self._waiting = found
        return found

    def remember(self, number: int, was: str) -> None:
        """What stands there now; the first word counts where a run has died in between."""
        with self._file.writing() as connection:
            connection.execute(
                "UPDATE act SET was = ? WHERE number = ? AND was = ''", (was, number)
            )

    def settle(self, number: int, state: str, why: str = "") -> None:
        with self._file.writing() as connection:
            connection.execute(
                "UPDATE act SET state = ?, why = ? WHERE number = ?", (state, why, number)
            )
        self._waiting = None

    def get(self, number: int) -> JournalEntry | None:
        return next(iter(self._entries("WHERE number = ?", number)), None)

    def last(self, person: str) -> JournalEntry | None:
        """What this person can undo: the latest act of its own that stands."""
        found = self._entries(
            "WHERE person = ? AND verdict != 'undo' AND state IN ('waiting', 'done') "
            "ORDER BY number DESC LIMIT 1",
            person,
        )
        return next(iter(found), None)

    def latest(self, limit: int, before: int | None = None) -> list[JournalEntry]:
        where = "" if before is None else f"WHERE number < {int(before)} "
        return self._entries(f"{where}ORDER BY number DESC LIMIT ?", limit)

    def later(self, number: int) -> list[JournalEntry]:
        """What stands and was said after that."""
        return self._entries(
            "WHERE number > ? AND verdict != 'undo' AND state IN ('waiting', 'done') "
            "ORDER BY number",
            number,
        )

    def _entries(self, where: str, *values: Any) -> list[JournalEntry]:
        with self._file.reading() as connection:
            found = connection.execute(f"SELECT {_COLUMNS} FROM act {where}", values).fetchall()
        return [_entry(row) for row in found]


def _entry(row: tuple[Any, ...]) -> JournalEntry:
    number, at, person, by, verdict, item, documents, steps, undoes, was, state, why = row
    return JournalEntry(
        number, at, person, by, verdict, item, tuple(json.loads(documents)),
        tuple(DecisionStep(what, a, tuple(others)) for what, a, others in json.loads(steps)),
        undoes, was, state, why,
    )  # fmt: skip


# --- decisions as JSON, with all that is needed to put them back ----------------------------------


def kept(decisions: Collection[Decision]) -> list[dict[str, Any]]:
    return [
        {
            "a": d.a, "b": d.b, "verdict": d.verdict.value, "at": d.at, "by": d.by,
            "relation": d.relation.value if d.relation else None,
            "facts_a": d.facts_a, "facts_b": d.facts_b,
        }
        for d in decisions
    ]  # fmt: skip


def decision_of(told: dict[str, Any]) -> Decision:
    return Decision(
        told["a"], told["b"], Verdict(told["verdict"]), told["at"], told["by"],
        Relation(told["relation"]) if told["relation"] else None,
        told["facts_a"], told["facts_b"],
    )  # fmt: skip
