"""The journal of decisions made on the page and through the API: who said what, when, and whether it
has been carried out.

A decision is kept when it stands here. It is carried out when nobody else holds the library, which
is at once most of the time, and after a whole analysis at worst. So nothing is lost when the
library is busy, when the store is away or when the process dies; and nothing is ever deleted here,
because it also says to whom a decision goes back.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from paperless_fingerprint.files.sqlite import Format, SqliteFile
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.model import Decision, Relation, Verdict

#: 'pfbk'.
_APPLICATION_ID = 0x7066626B
_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS act (
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
    "CREATE INDEX IF NOT EXISTS act_state ON act (state, number)",
    "CREATE INDEX IF NOT EXISTS act_person ON act (person, number)",
    "ALTER TABLE act ADD COLUMN batch INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX act_batch ON act (batch) WHERE batch > 0",
)
_SINCE_2 = ("ALTER TABLE act ADD COLUMN ordered TEXT NOT NULL DEFAULT ''",)


def _made(connection: sqlite3.Connection, version: int) -> None:
    """A file of the first format has all but the last two, one of the second knows no merges."""
    for statement in (*(_SCHEMA if version < 1 else ()), *_SINCE_2):
        connection.execute(statement)


_FORMAT = Format(_APPLICATION_ID, 2, _made, "Move it away, so that decisions can be kept there.")
WAITING, DONE, UNDONE, REFUSED = "waiting", "done", "undone", "refused"
#: A step that is none of the library: the others go to Paperless's trash.
TRASH = "trash"
_COLUMNS = "number, at, person, by, verdict, item, documents, steps, undoes, was, state, why, batch, ordered"


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
    why: tuple[Reason, ...] = ()
    #: Number of the first act of what was decided at once, and is taken back at once; 0: alone.
    batch: int = 0
    #: Of a merge: what was ordered, as merge_orders.py writes it; else empty.
    ordered: str = ""

    @property
    def subjects(self) -> set[tuple[int, int]]:
        return {pair for step in self.steps for pair in step.pairs}

    @property
    def decided(self) -> set[tuple[int, int]]:
        """Those of the subjects that a decision of the library is about."""
        return {pair for step in self.steps if step.what != TRASH for pair in step.pairs}

    @property
    def merges(self) -> bool:
        """Whether it puts documents into Paperless's trash, or takes that back."""
        return any(step.what == TRASH for step in self.steps)

    @property
    def trashed(self) -> set[int]:
        return {id for step in self.steps if step.what == TRASH for id in step.others}


ActsOf: TypeAlias = Mapping[int, Sequence[JournalEntry]]


class Journal:
    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = SqliteFile(path)
        self._waiting: tuple[JournalEntry, ...] | None = None
        self._by_document: tuple[tuple[JournalEntry, ...], ActsOf] | None = None
        self._remembering = threading.Lock()
        with self._file.making() as connection:
            _FORMAT.prepare(connection, path)

    def close(self) -> None:
        self._file.close()

    def add(self, entries: Sequence[JournalEntry]) -> list[JournalEntry]:
        """All or none, as one batch; durable when this returns. Their numbers are given here."""
        kept: list[JournalEntry] = []
        with self._file.writing() as connection:
            for entry in entries:
                batch = kept[0].number if kept else 0
                done = connection.execute(
                    "INSERT INTO act (at, person, by, verdict, item, documents, steps, undoes, "
                    "batch, ordered) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (entry.at, entry.person, entry.by, entry.verdict, entry.item,
                     json.dumps(entry.documents),
                     json.dumps([[s.what, s.a, list(s.others)] for s in entry.steps]),
                     entry.undoes, batch, entry.ordered),
                )  # fmt: skip
                kept.append(replace(entry, number=int(done.lastrowid or 0), batch=batch))
            if len(kept) > 1:
                first = kept[0].number
                connection.execute("UPDATE act SET batch = ? WHERE number = ?", (first, first))
                kept[0] = replace(kept[0], batch=first)
        with self._remembering:
            self._waiting = None
        return kept

    def waiting(self) -> tuple[JournalEntry, ...]:
        """What is not carried out yet, in its order. Only this process writes into the journal."""
        found = self._waiting
        if found is None:
            with self._remembering:
                found = tuple(self._entries("WHERE state = 'waiting' ORDER BY number"))
                self._waiting = found
        return found

    def waiting_about(self) -> ActsOf:
        """What waits, by the documents that it is about."""
        waiting, known = self.waiting(), self._by_document
        if known is None or known[0] is not waiting:
            found: defaultdict[int, list[JournalEntry]] = defaultdict(list)
            for entry in waiting:
                for id in entry.documents:
                    found[id].append(entry)
            self._by_document = known = waiting, found
        return known[1]

    def remember(self, number: int, was: str) -> None:
        """What stands there now; the first word counts where a run has died in between."""
        with self._file.writing() as connection:
            connection.execute(
                "UPDATE act SET was = ? WHERE number = ? AND was = ''", (was, number)
            )

    def settle(self, number: int, state: str, why: Sequence[Reason] = ()) -> None:
        told = json.dumps([each.as_json() for each in why]) if why else ""
        with self._file.writing() as connection:
            connection.execute(
                "UPDATE act SET state = ?, why = ? WHERE number = ?", (state, told, number)
            )
        # Of thousands that wait each is settled: they are not read again each time.
        with self._remembering:
            if self._waiting is not None:
                self._waiting = tuple(e for e in self._waiting if e.number != number)

    def get(self, number: int) -> JournalEntry | None:
        return next(iter(self._entries("WHERE number = ?", number)), None)

    def of_batch(self, number: int, limit: int = -1) -> list[JournalEntry]:
        """This act, and what was decided with it at once; in their order, the first of them."""
        return self._entries(
            "WHERE number = ? OR batch > 0 AND batch = (SELECT batch FROM act WHERE number = ?) "
            "ORDER BY number LIMIT ?",
            number,
            number,
            limit,
        )

    def latest_batches(self, limit: int, offset: int) -> list[JournalEntry]:
        """The first act of each, the latest first. What was decided alone is one, too."""
        return self._entries(
            "JOIN (SELECT min(number) AS first, max(number) AS last FROM act "
            "GROUP BY CASE batch WHEN 0 THEN number ELSE batch END "
            "ORDER BY last DESC LIMIT ? OFFSET ?) ON number = first ORDER BY last DESC",
            limit,
            offset,
        )

    def states_of_batch(self, number: int) -> dict[str, int]:
        """State → how many, "undoing" for what is still to be taken back; `number` is that of its
        first act."""
        asked = (
            "SELECT CASE WHEN number IN (SELECT undoes FROM act WHERE state = 'waiting') "
            "THEN 'undoing' ELSE state END AS now, count(*) FROM act "
            "WHERE number = ? OR batch > 0 AND batch = ? GROUP BY now"
        )
        with self._file.reading() as connection:
            return dict(connection.execute(asked, (number, number)).fetchall())

    def problems_of_batch(self, number: int, limit: int) -> list[JournalEntry]:
        """The first of what was not done, or not wholly."""
        return self._entries(
            "WHERE (number = ? OR batch > 0 AND batch = ?) AND why != '' ORDER BY number LIMIT ?",
            number,
            number,
            limit,
        )

    def last(self, person: str) -> JournalEntry | None:
        """What this person can undo: the latest act of its own that stands."""
        found = self._entries(
            "WHERE person = ? AND verdict != 'undo' AND state IN ('waiting', 'done') "
            "AND NOT EXISTS (SELECT 1 FROM act AS back WHERE back.state = 'waiting' "
            "AND back.undoes = act.number) ORDER BY number DESC LIMIT 1",
            person,
        )
        return next(iter(found), None)

    def latest_about(self, item: str) -> JournalEntry | None:
        found = self._entries("WHERE item = ? ORDER BY number DESC LIMIT 1", item)
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
    number, at, person, by, verdict, item, documents, steps, undoes, was, state, why, *rest = row
    return JournalEntry(
        number, at, person, by, verdict, item, tuple(json.loads(documents)),
        tuple(DecisionStep(what, a, tuple(others)) for what, a, others in json.loads(steps)),
        undoes, was, state, _reasons(why), *rest,
    )  # fmt: skip


def _reasons(told: str) -> tuple[Reason, ...]:
    """From the column, where earlier versions wrote a sentence."""
    if not told.startswith('[{"code": '):
        return (Reason.of(told),) if told else ()
    return tuple(map(Reason.of, json.loads(told)))


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
