"""A file of SQLite: one connection a thread, and its errors as sentences that say what to do."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from weakref import WeakSet

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.files import OWNER_ONLY
from paperless_fingerprint.languages.reasons import Reason

LOCK_SECONDS = 60
#: Long work is done by whoever opens a file. All others look at a few rows of it, and there may be
#: forty of them, who answer the pages: what they read again the system still has.
_CACHE_OF_OTHERS_KB = 4_096
_MAKING = threading.Lock()
#: For one connection: the words of the full-text index and how many documents hold each. A view,
#: which keeps nothing itself.
VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab (main, words, col)"

_WHY = (
    (("full",), "disk_full"),
    (("I/O",), "disk_fails"),  # told, too, where beside the file there is no room for its index
    (("readonly", "read-only"), "read_only"),
    (("locked", "busy"), "held"),
    (("not a database", "malformed"), "damaged"),
    (("unable to open",), "cannot_open"),
)


@dataclass(frozen=True, slots=True)
class Format:
    """What makes a file one of ours, and how it becomes one."""

    #: Marks it, so that no other program's database is written into.
    application_id: int
    version: int
    #: Leads from a version to this one: from 0 where the file is empty.
    make: Callable[[sqlite3.Connection, int], None]
    #: What to do where the file is another program's database.
    advice: str

    def prepare(self, connection: sqlite3.Connection, path: Path) -> None:
        """Make what is missing, once, whoever of several processes comes first."""
        found = self._version(connection, path)
        if found is None or found < self.version:
            with transaction(connection):
                found = self._version_within(
                    connection, path
                )  # another process may have been faster
                if found is None or found < self.version:
                    self.make(connection, found or 0)
                    connection.execute(f"PRAGMA application_id = {self.application_id}")
                    connection.execute(f"PRAGMA user_version = {self.version}")
        # Only now: a file that is not ours must stay as it is.
        _write_ahead(connection)

    def _version(self, connection: sqlite3.Connection, path: Path) -> int | None:
        # All of it at one moment: between two looks another process may have made the file.
        connection.execute("BEGIN")
        try:
            return self._version_within(connection, path)
        finally:
            connection.execute("ROLLBACK")

    def _version_within(self, connection: sqlite3.Connection, path: Path) -> int | None:
        """Nothing where the file is empty."""
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        if application == self.application_id:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version > self.version:
                raise StoreError(
                    f"{path} was written by a newer paperless-fingerprint (its format is {version}, "
                    f"this program knows {self.version}). Upgrade the program; nothing was changed."
                )
            return version
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise StoreError(
                f"{path} is the database of another program; nothing was changed. {self.advice}"
            )
        return None


def made_of(statements: Iterable[str]) -> Callable[[sqlite3.Connection, int], None]:
    """For a format that has had one version only."""

    def make(connection: sqlite3.Connection, _version: int) -> None:
        for statement in statements:
            connection.execute(statement)

    return make


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing; nobody else writes meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # Where the disk is full, SQLite has rolled back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _write_ahead(connection: sqlite3.Connection) -> None:
    """The file remembers the mode."""
    if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        return
    end = monotonic() + LOCK_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # Elsewhere SQLite waits until others have written; for this it does not.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > end:
                raise
            sleep(0.01)
        else:
            return


def copy_at_one_moment(files: Iterable[tuple[Path, Path]]) -> None:
    """(from, to): each as it is when this begins, in the order in which they stand here; others
    read and write on meanwhile."""
    with ExitStack() as stack:
        looked_at = []
        for source, target in files:
            file = SqliteFile(source)
            stack.callback(file.close)
            connection = stack.enter_context(file.reading())
            connection.execute("BEGIN")  # what is seen stands still from the first look on
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            looked_at.append((connection, target))
        for connection, target in looked_at:
            with closing(sqlite3.connect(target)) as copy:
                connection.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # so that it is one file


def damage_in(path: Path) -> str:
    """What SQLite finds broken in a file; empty where it is sound."""
    with closing(sqlite3.connect(path)) as connection:
        try:
            found = str(connection.execute("PRAGMA integrity_check (1)").fetchone()[0])
        except sqlite3.DatabaseError as error:
            return str(error)
    return "" if found == "ok" else found


def is_used(path: Path) -> bool:
    """Whether another connection has it open. Where none has, the file is alone afterwards: what
    stood in its write-ahead log is in it."""
    with closing(sqlite3.connect(path, timeout=0)) as connection:
        try:
            connection.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                return True
            raise
    return False


_OPEN: WeakSet[SqliteFile] = WeakSet()


def give_back_caches() -> None:
    """What all connections of this process keep of their files; they read it again when they need it."""
    for file in list(_OPEN):
        file.give_back_caches()


@dataclass(slots=True)
class _Own:
    """A thread's connection."""

    thread: threading.Thread
    connection: sqlite3.Connection
    #: How many are in the middle of something with it.
    users: int = 0
    #: Closed by another thread meanwhile: the last user does it.
    unwanted: bool = False


class SqliteFile:
    """What was acknowledged survives a power cut, not only the death of the process."""

    def __init__(self, path: Path | str, *, pragmas: tuple[str, ...] = ()) -> None:
        self.path = Path(path)
        self._pragmas = ("synchronous = FULL", *pragmas)
        self._local = threading.local()
        self._connections: list[_Own] = []
        self._guard = threading.Lock()
        self._closing = threading.Lock()
        _OPEN.add(self)

    def close(self) -> None:
        """A connection that is closed under a statement of another thread takes the process down."""
        with self._closing, self._guard:
            for own in self._connections:
                if own.users:
                    own.unwanted = True
                else:
                    own.connection.close()
            self._connections.clear()
        self._local = threading.local()

    def give_back_caches(self) -> None:
        # Not within _guard: it may wait for a statement, and a new connection shall not wait for it.
        with self._closing:
            with self._guard:
                connections = [own.connection for own in self._connections]
            for connection in connections:
                with suppress(sqlite3.Error):
                    connection.execute("PRAGMA shrink_memory")

    def damage(self) -> str:
        """What SQLite finds wrong with the file, empty where all is well. It reads all of it."""
        try:
            with self.reading() as connection:
                found = [row[0] for row in connection.execute("PRAGMA quick_check(3)")]
        except StoreError as error:
            return str(error)
        return "" if found == ["ok"] else "; ".join(line.replace("\n", " ") for line in found)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        try:
            with self.using() as connection:
                yield connection
        except sqlite3.Error as error:
            raise self._explained(error) from error

    @contextmanager
    def making(self) -> Iterator[sqlite3.Connection]:
        """For whoever is being made: nobody else could close what is open when that fails."""
        try:
            with self.reading() as connection:
                yield connection
        except BaseException:
            self.close()
            raise

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing; nobody else writes meanwhile. Within another one of this thread it
        is part of that."""
        with (
            self.reading() as connection,
            nullcontext() if connection.in_transaction else transaction(connection),
        ):
            yield connection

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """What this thread writes within it is one write."""
        with self.writing():
            yield

    @contextmanager
    def at_one_moment(self) -> Iterator[sqlite3.Connection]:
        """What is read within it is as it was at its beginning."""
        with self.reading() as connection:
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("COMMIT")

    @contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        """This thread's connection, which nobody closes meanwhile."""
        own = self._own()
        with self._guard:
            own.users += 1
        try:
            yield own.connection
        finally:
            with self._guard:
                own.users -= 1
                is_last = own.unwanted and not own.users
            if is_last:
                with self._closing:
                    own.connection.close()

    def _own(self) -> _Own:
        own: _Own | None = getattr(self._local, "own", None)
        if own is None:
            own = self._local.own = self._left_behind() or self._opened()
        return own

    def _left_behind(self) -> _Own | None:
        """Of a thread that has ended: a service has new ones from hour to hour, and a connection
        that nobody has any more would stay open for good."""
        with self._guard:
            for own in self._connections:
                if not own.thread.is_alive() and not own.users:
                    own.thread = threading.current_thread()
                    if own.connection.in_transaction:
                        own.connection.execute("ROLLBACK")
                    return own
        return None

    def _opened(self) -> _Own:
        _make_private(self.path)
        connection = sqlite3.connect(
            self.path, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False
        )
        own = _Own(threading.current_thread(), connection)
        with self._guard:
            is_first = not self._connections
            self._connections.append(own)
        self._prepare(connection)
        if not is_first:
            connection.execute(f"PRAGMA cache_size = -{_CACHE_OF_OTHERS_KB}")
        return own

    def _prepare(self, connection: sqlite3.Connection) -> None:
        for pragma in self._pragmas:
            connection.execute(f"PRAGMA {pragma}")

    def _explained(self, error: sqlite3.Error) -> StoreError:
        said = str(error)
        told = {
            "path": str(self.path),
            "what": _why(said),
            "seconds": f"{LOCK_SECONDS}",
            "said": said,
        }
        return StoreError(Reason("library_file", told))


def _make_private(path: Path) -> None:
    """Texts are for their owner alone, whatever the umask; SQLite gives what it keeps beside a file
    that file's mode."""
    # Nobody of this process may lock the file meanwhile: to close it would take the lock away.
    with _MAKING, suppress(OSError):  # SQLite says what is wrong
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, OWNER_ONLY))


def _why(text: str) -> str:
    """The code of the reason, by words that SQLite has for it."""
    return next(
        (code for words, code in _WHY if any(word in text for word in words)), "sqlite_says"
    )
