"""The inbox: documents that Paperless has told us about and that wait to be done.

An event comes from the hook's spool or from the service, is durable before it is acknowledged, and
goes when its document has been done. Several events of one document are one row: a document is
always done as it is now. A document that fails is tried again later and later, and after so many
tries rests among the failures, where `inbox` shows it. An outage of Paperless or of the store is
nobody's failure and counts no try.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from paperless_fingerprint.integration.state import WorkerFile, next_ticket
from paperless_fingerprint.model import MAX_DOCUMENT_ID
from paperless_fingerprint.paperless.spool import Spool, SpooledEvent

WAITING = "waiting"
FAILED = "failed"
_SPOOLED_AT_ONCE = 500
_COLUMNS = "document_id, ticket, noticed, tries, next_try, state, error"
_ADD = (
    "INSERT INTO event (document_id, ticket, noticed) VALUES (?, ?, ?) "
    "ON CONFLICT (document_id) DO UPDATE SET ticket = excluded.ticket, state = 'waiting', "
    "tries = 0, next_try = 0, error = ''"
)


@dataclass(frozen=True, slots=True)
class Event:
    document_id: int
    #: Another event of the document that comes meanwhile gives it another ticket.
    ticket: int
    #: When the first of its events was taken in, ISO 8601 in UTC.
    noticed: str
    tries: int
    #: Seconds since 1970; zero means at once.
    next_try: float
    state: str
    error: str


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how soon a document that fails is tried again."""

    tries: int = 8
    first_pause_seconds: float = 5.0
    longest_pause_seconds: float = 600.0

    def pause(self, tries: int) -> float:
        return float(min(self.longest_pause_seconds, self.first_pause_seconds * 2 ** (tries - 1)))


class Inbox:
    def __init__(
        self,
        file: WorkerFile,
        patience: Patience | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._file = file
        self.patience = patience or Patience()
        self._clock = clock

    def add(self, document_ids: Iterable[int]) -> None:
        """Durable when this returns."""
        moment = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds")
        with self._file.writing() as connection:
            for id in document_ids:
                if not 0 < id <= MAX_DOCUMENT_ID:
                    raise ValueError(f"{id} is no document id")
                connection.execute(_ADD, (id, next_ticket(connection), moment))

    def take_from(self, spool: Spool) -> int:
        """Empty the hook's folder. A file goes only once its event is safe here."""
        count = 0
        batch: list[SpooledEvent] = []
        for event in spool.events():
            batch.append(event)
            if len(batch) >= _SPOOLED_AT_ONCE:
                count += self._take(spool, batch)
                batch = []
        return count + self._take(spool, batch)

    def _take(self, spool: Spool, batch: Collection[SpooledEvent]) -> int:
        if not batch:
            return 0
        self.add(event.document_id for event in batch)
        for event in batch:
            spool.remove(event)
        spool.sync()
        return len(batch)

    # --- what is to be done ---------------------------------------------------------------------

    def next_due(self) -> Event | None:
        """The one that waits longest, of those whose time has come."""
        now = self._clock()
        with self._file.reading() as connection:
            found = connection.execute(
                # A clock that was set back must not turn a pause of minutes into one of days.
                f"SELECT {_COLUMNS} FROM event WHERE state = 'waiting' "
                "AND (next_try <= ?1 OR next_try > ?1 + ?2) ORDER BY ticket LIMIT 1",
                (now, self.patience.longest_pause_seconds),
            ).fetchone()
        return Event(*found) if found else None

    def seconds_to_next(self) -> float | None:
        """Until something is due; None where nothing waits."""
        now = self._clock()
        with self._file.reading() as connection:
            found = connection.execute(
                "SELECT min(next_try) FROM event WHERE state = 'waiting'"
            ).fetchone()[0]
        if found is None:
            return None
        return float(min(max(0.0, found - now), self.patience.longest_pause_seconds))

    def done(self, event: Event) -> None:
        """Goes, unless another event of the document has come meanwhile."""
        with self._file.writing() as connection:
            gone = connection.execute(
                "DELETE FROM event WHERE document_id = ? AND ticket = ?",
                (event.document_id, event.ticket),
            ).rowcount
            _count(connection, "done", gone)

    def failed(self, event: Event, reason: str) -> bool:
        """It was the document's own fault. Say whether that was the last try."""
        tries = event.tries + 1
        last = tries >= self.patience.tries
        next_try = self._clock() + self.patience.pause(tries)
        with self._file.writing() as connection:
            connection.execute(
                "UPDATE event SET tries = ?, next_try = ?, state = ?, error = ? "
                "WHERE document_id = ? AND ticket = ?",
                (tries, next_try, FAILED if last else WAITING, reason, *_key(event)),
            )
            _count(connection, "failed", 1)
        return last

    def held_up(self, event: Event, reason: str) -> None:
        """Paperless or the store is away: it stays due, and `inbox` says why it waits."""
        with self._file.writing() as connection:
            connection.execute(
                "UPDATE event SET error = ? WHERE document_id = ? AND ticket = ?",
                (reason, *_key(event)),
            )

    # --- for people -----------------------------------------------------------------------------

    def events(self, state: str | None = None) -> list[Event]:
        where, values = ("WHERE state = ?", (state,)) if state else ("", ())
        with self._file.reading() as connection:
            found = connection.execute(
                f"SELECT {_COLUMNS} FROM event {where} ORDER BY ticket", values
            ).fetchall()
        return [Event(*row) for row in found]

    def failures(self, limit: int) -> list[Event]:
        """What has failed at least once, the latest first."""
        with self._file.reading() as connection:
            found = connection.execute(
                f"SELECT {_COLUMNS} FROM event WHERE tries > 0 OR state = 'failed' "
                "ORDER BY ticket DESC LIMIT ?",
                (limit,),
            ).fetchall()
        return [Event(*row) for row in found]

    def retry(self, ids: Collection[int] | None = None) -> int:
        """Failures wait again, from the first try on; also what waits for its time is due now."""
        with self._file.writing() as connection:
            chosen = [
                id
                for (id,) in connection.execute(
                    "SELECT document_id FROM event WHERE state = 'failed' OR next_try > 0"
                )
                if ids is None or id in ids
            ]
            connection.executemany(
                "UPDATE event SET state = 'waiting', tries = 0, next_try = 0 WHERE document_id = ?",
                [(id,) for id in chosen],
            )
        return len(chosen)

    def forget(self, ids: Collection[int]) -> int:
        with self._file.writing() as connection:
            done = connection.executemany(
                "DELETE FROM event WHERE document_id = ?", [(id,) for id in ids]
            )
            return done.rowcount

    def counts(self) -> dict[str, int]:
        """Waiting and failed now; done and failed tries in all."""
        with self._file.reading() as connection:
            rows = connection.execute("SELECT state, count(*) FROM event GROUP BY state").fetchall()
            totals = connection.execute(
                "SELECT name, value FROM counter WHERE name IN ('done', 'failed')"
            ).fetchall()
        now, ever = dict(rows), dict(totals)
        return {
            "waiting": now.get(WAITING, 0),
            "failed": now.get(FAILED, 0),
            "done_total": ever.get("done", 0),
            "failed_tries_total": ever.get("failed", 0),
        }


def _key(event: Event) -> tuple[int, int]:
    return (event.document_id, event.ticket)


def _count(connection: sqlite3.Connection, name: str, by: int) -> None:
    connection.execute(
        "INSERT INTO counter VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = value + ?2",
        (name, by),
    )
