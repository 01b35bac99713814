"""What we wrote where in Paperless, and what we have seen of it.

Each row is one thing on one document: a tag, a link, a figure, a note. Before something is written
it is down as `adding` or `removing`, afterwards as `on` or not at all. So a run that dies in between
does it again; and a tag that is `on` here and missing there was taken off by a person.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from paperless_fingerprint.integration.state import WorkerFile, next_ticket
from paperless_fingerprint.paperless.records import Stamp

ADDING = "adding"
ON = "on"
REMOVING = "removing"
#: Paperless did not let us; not tried again until somebody asks for it.
REFUSED = "refused"
#: The kind of the row of a document that has come since we first looked at Paperless.
NEW = "came:since"
_IDS = "(SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class Mark:
    """A tag (`number` is its id, `value` since when it is there), a field and its value, or a note
    and its text."""

    number: int
    value: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    mark: Mark
    state: str


#: document → kind ('tag:near', 'link:version', 'confidence', 'note') → what is there
Rows = dict[int, dict[str, Written]]


class Ledger:
    def __init__(self, file: WorkerFile) -> None:
        self._file = file

    # --- what we wrote --------------------------------------------------------------------------

    def rows(self, ids: Collection[int] | None = None) -> Rows:
        where, values = ("", ()) if ids is None else (f"WHERE document_id IN {_IDS}", (_list(ids),))
        found: Rows = {}
        with self._file.reading() as connection:
            for id, kind, number, value, state in connection.execute(
                f"SELECT document_id, kind, number, value, state FROM written {where}", values
            ):
                found.setdefault(id, {})[kind] = Written(Mark(number, value), state)
        return found

    def put(self, rows: Iterable[tuple[int, str, Mark, str]]) -> None:
        """(document, kind, mark, state)."""
        with self._file.writing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO written VALUES (?, ?, ?, ?, ?)",
                [(id, kind, mark.number, mark.value, state) for id, kind, mark, state in rows],
            )

    def drop(self, keys: Iterable[tuple[int, str]]) -> None:
        with self._file.writing() as connection:
            connection.executemany(
                "DELETE FROM written WHERE document_id = ? AND kind = ?", list(keys)
            )

    def settle(
        self, on: Iterable[tuple[int, str, Mark, str]], gone: Iterable[tuple[int, str]]
    ) -> None:
        """Both at once: what is there now, and what is no longer."""
        with self._file.writing() as connection:
            connection.executemany(
                "DELETE FROM written WHERE document_id = ? AND kind = ?", list(gone)
            )
            connection.executemany(
                "INSERT OR REPLACE INTO written VALUES (?, ?, ?, ?, ?)",
                [(id, kind, mark.number, mark.value, state) for id, kind, mark, state in on],
            )

    def has_come(self, ids: Iterable[int]) -> None:
        """For good: these are told about, also before somebody asks for the whole library."""
        self.put((id, NEW, Mark(0), ON) for id in ids)

    def is_empty(self) -> bool:
        with self._file.reading() as connection:
            asked = "SELECT 1 FROM written WHERE kind != ? LIMIT 1"
            return connection.execute(asked, (NEW,)).fetchone() is None

    # --- what Paperless does not know yet -------------------------------------------------------

    def owe(self, ids: Collection[int]) -> None:
        """Paperless may have to be told something about these; remembered until it was."""
        if not ids:
            return
        with self._file.writing() as connection:
            ticket = next_ticket(connection)
            connection.executemany(
                "INSERT OR REPLACE INTO untold VALUES (?, ?)", [(id, ticket) for id in ids]
            )

    def owed(self) -> dict[int, int]:
        """Document → ticket."""
        with self._file.reading() as connection:
            return dict(connection.execute("SELECT document_id, ticket FROM untold").fetchall())

    def told(self, owed: Mapping[int, int]) -> None:
        """Off the list, unless they came onto it again."""
        if not owed:
            return
        with self._file.writing() as connection:
            connection.executemany(
                "DELETE FROM untold WHERE document_id = ? AND ticket = ?", list(owed.items())
            )

    # --- what we have seen ----------------------------------------------------------------------

    def unseen(self, stamps: Iterable[Stamp]) -> list[Stamp]:
        with self._file.reading() as connection:
            seen = dict(connection.execute("SELECT document_id, modified FROM seen").fetchall())
        return [stamp for stamp in stamps if seen.get(stamp.id) != stamp.modified]

    def saw(self, stamps: Iterable[Stamp]) -> None:
        with self._file.writing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO seen VALUES (?, ?)",
                [(stamp.id, stamp.modified) for stamp in stamps],
            )

    def forget(self) -> None:
        """What was written and seen: another place has told Paperless since. Our tags are known by
        their names, and a sync looks at every document again."""
        with self._file.writing() as connection:
            connection.execute("DELETE FROM written WHERE kind != ?", (NEW,))
            connection.execute("DELETE FROM seen")

    def forget_seen(self, ids: Collection[int] | None = None) -> None:
        with self._file.writing() as connection:
            if ids is None:
                connection.execute("DELETE FROM seen")
            else:
                connection.execute(f"DELETE FROM seen WHERE document_id IN {_IDS}", (_list(ids),))


def _list(ids: Collection[int]) -> str:
    return f"[{','.join(str(int(id)) for id in ids)}]"
