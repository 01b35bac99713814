"""What is to be told, and to whom it could not be told yet: a file of its own beside the library.

A find is put here before the document counts as done, so that whoever dies in between finds it
again. Finds become a message, which has an id and never changes; each address gets it until it has
said yes, so it may get it twice.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.files.sqlite import Format, SqliteFile, made_of

#: 'pfno'.
_APPLICATION_ID = 0x70666E6F
_SCHEMA = (
    "CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # One row a document, for ever: nobody is told twice that it has come.
    """CREATE TABLE find (
        document_id INTEGER PRIMARY KEY,
        at REAL NOT NULL,
        body TEXT NOT NULL,
        state TEXT NOT NULL
    )""",
    "CREATE INDEX find_waiting ON find (at) WHERE state = 'waiting'",
    "CREATE TABLE message (id TEXT PRIMARY KEY, at REAL NOT NULL, body TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE delivery (
        message_id TEXT NOT NULL,
        target TEXT NOT NULL,
        tries INTEGER NOT NULL DEFAULT 0,
        next_try REAL NOT NULL DEFAULT 0,
        error TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (message_id, target)
    ) WITHOUT ROWID""",
)
_FORMAT = Format(
    _APPLICATION_ID, 0, made_of(_SCHEMA), "Move it away: it holds notifications that wait."
)
_SINCE = "since"


@dataclass(frozen=True, slots=True)
class Find:
    """A document that has come, and what it was found to be."""

    id: int
    title: str
    #: 'exact', 'near', 'version', 'contains' or 'semantic'.
    relation: str
    #: Some of the documents that it is so of.
    others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Delivery:
    message: str
    target: str
    #: Of the message: when it was made, and what it says.
    at: float
    body: Mapping[str, Any]
    tries: int = 0
    error: str = ""


class Outbox(SqliteFile):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with self.reading() as connection:
            _FORMAT.prepare(connection, path)

    # --- finds ----------------------------------------------------------------------------------

    def since(self, now: str) -> str:
        """From when on documents are new: the moment in which this was first asked."""
        with self.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO note VALUES (?, ?)", (_SINCE, now))
            found = connection.execute("SELECT value FROM note WHERE name = ?", (_SINCE,))
            return str(found.fetchone()[0])

    def rest(self) -> None:
        """Switched off: what waits is dropped, and what comes until it is on again is not news."""
        with self.writing() as connection:
            connection.execute("DELETE FROM note WHERE name = ?", (_SINCE,))
            connection.execute("UPDATE find SET state = 'told' WHERE state = 'waiting'")
            connection.execute("DELETE FROM delivery")
            connection.execute("DELETE FROM message")

    def known(self, ids: Collection[int]) -> set[int]:
        with self.reading() as connection:
            found = connection.execute(
                "SELECT document_id FROM find WHERE document_id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(ids)),),
            )
            return {id for (id,) in found}

    def add(self, finds: Iterable[Find], silent: Iterable[int], at: float) -> None:
        """Those that are to be told, and those that others speak for."""
        rows = [(find.id, at, json.dumps(asdict(find)), "waiting") for find in finds]
        rows += [(id, at, "{}", "told") for id in silent]
        with self.writing() as connection:
            connection.executemany("INSERT OR IGNORE INTO find VALUES (?, ?, ?, ?)", rows)

    def waiting(self) -> tuple[int, float | None]:
        """How many finds are in no message yet, and since when the first of them waits."""
        with self.reading() as connection:
            count, oldest = connection.execute(
                "SELECT count(*), min(at) FROM find WHERE state = 'waiting'"
            ).fetchone()
        return int(count), oldest

    def finds(self) -> list[Find]:
        """Those that wait, the first ones first."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT body FROM find WHERE state = 'waiting' ORDER BY at, document_id"
            ).fetchall()
        return [Find(**{**told, "others": tuple(told["others"])}) for (text,) in rows
                for told in [json.loads(text)]]  # fmt: skip

    # --- messages -------------------------------------------------------------------------------

    def make(
        self, id: str, at: float, body: Mapping[str, Any], ids: Collection[int],
        targets: Sequence[str],
    ) -> None:  # fmt: skip
        """A message about these finds, for each of the targets."""
        with self.writing() as connection:
            connection.execute("INSERT INTO message VALUES (?, ?, ?)", (id, at, json.dumps(body)))
            connection.executemany(
                "INSERT INTO delivery (message_id, target) VALUES (?, ?)",
                [(id, target) for target in targets],
            )
            connection.executemany(
                "UPDATE find SET state = 'told', body = '{}' WHERE document_id = ?",
                [(each,) for each in ids],
            )

    def deliveries(self, due: float | None = None) -> list[Delivery]:
        """What is on its way, the oldest first; of those the ones whose time has come."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT d.message_id, d.target, m.at, m.body, d.tries, d.error FROM delivery d "
                "JOIN message m ON m.id = d.message_id WHERE ? IS NULL OR d.next_try <= ? "
                "ORDER BY m.at, d.target",
                (due, due),
            ).fetchall()
        return [
            Delivery(id, target, at, json.loads(body), tries, error)
            for id, target, at, body, tries, error in rows
        ]

    def failed(self, delivery: Delivery, why: str, next_try: float) -> None:
        with self.writing() as connection:
            connection.execute(
                "UPDATE delivery SET tries = tries + 1, next_try = ?, error = ? "
                "WHERE message_id = ? AND target = ?",
                (next_try, why, delivery.message, delivery.target),
            )

    def ended(self, delivery: Delivery) -> None:
        """Taken, or given up."""
        with self.writing() as connection:
            connection.execute(
                "DELETE FROM delivery WHERE message_id = ? AND target = ?",
                (delivery.message, delivery.target),
            )
            connection.execute(
                "DELETE FROM message WHERE id NOT IN (SELECT message_id FROM delivery)"
            )

    def _explained(self, error: sqlite3.Error) -> StoreError:
        return StoreError(
            f"The notifications in {self.path} cannot be kept ({error}). Check that the disk has "
            "room and that this user may write there, or move the file away."
        )
