"""All that the work with Paperless needs, opened once and handed to every step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from paperless_fingerprint.files.lock import FileLock
from paperless_fingerprint.integration.audit import AuditLog
from paperless_fingerprint.integration.feedback.labels import OwnLabels
from paperless_fingerprint.integration.feedback.ledger import Ledger
from paperless_fingerprint.integration.inbox import Inbox, Patience
from paperless_fingerprint.integration.state import WorkerFile
from paperless_fingerprint.library.lock import (
    LibraryLock,
    library_lock,
    path_of,
    path_of_audit,
    turn_lock,
)
from paperless_fingerprint.library.vocabulary import StoredVocabulary
from paperless_fingerprint.paperless.client import PaperlessClient
from paperless_fingerprint.paperless.opening import open_paperless
from paperless_fingerprint.paperless.spool import Spool, folder_of
from paperless_fingerprint.progress import Progress, Silent
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import open_store

#: In which turn of the library's lease the ledger was written.
_TURN_NOTE = "turn"


@dataclass(frozen=True, slots=True)
class Workplace:
    settings: Settings
    store: Store
    paperless: PaperlessClient
    file: WorkerFile
    inbox: Inbox
    ledger: Ledger
    spool: Spool
    #: Held by whoever analyses, hears or tells.
    lock: LibraryLock
    #: Held by whoever does an event of the inbox, so that each is done once: the library's lock is
    #: let go in the middle of that.
    turn: FileLock
    labels: OwnLabels
    audit: AuditLog
    vocabulary: StoredVocabulary
    progress: Progress = field(default_factory=Silent)

    def say(self, message: str) -> None:
        self.progress.say(message)


def open_inbox(settings: Settings) -> tuple[WorkerFile, Inbox]:
    """Without the store and Paperless: events must be taken in while those are away."""
    file = WorkerFile(path_of(settings))
    return file, Inbox(file, patience_of(settings))


def patience_of(settings: Settings) -> Patience:
    return Patience(
        settings.inbox.tries,
        settings.inbox.first_pause_seconds,
        settings.inbox.longest_pause_seconds,
    )


def open_spool(settings: Settings) -> Spool:
    return Spool(folder_of(settings.spool or ""))


def open_audit(settings: Settings) -> AuditLog:
    return AuditLog(path_of_audit(settings))


def owe(settings: Settings, ids: Iterable[int]) -> None:
    """For whoever changes pairs and groups without Paperless at hand: the worker, or the next
    `consume` or `sync`, tells Paperless about these documents and all that is connected."""
    file, _ = open_inbox(settings)
    try:
        Ledger(file).owe(set(ids))
    finally:
        file.close()


def tell_alone(lock: LibraryLock, file: WorkerFile, ledger: Ledger) -> None:
    """Where another machine has told Paperless since this file was written, its ledger is not true
    any more: what it misses would be taken for what people have said."""
    last, turn = lock.lease.tell()
    known = file.note(_TURN_NOTE) or ""
    if last and last != known:
        ledger.forget()
    if turn != known:
        file.put_note(_TURN_NOTE, turn)


@contextmanager
def open_workplace(
    settings: Settings,
    progress: Progress | None = None,
    *,
    create: bool = True,
    wait: bool = True,
) -> Iterator[Workplace]:
    """No other machine works on the library until it is left; see stores.lease for `wait`."""
    with ExitStack() as stack:
        paperless = open_paperless(settings)
        stack.callback(paperless.close)
        file, inbox = open_inbox(settings)
        stack.callback(file.close)
        store = open_store(settings, create=create)
        stack.callback(store.close)
        lock, ledger = library_lock(settings), Ledger(file)
        stack.enter_context(lock.lease.kept(wait=wait))
        tell_alone(lock, file, ledger)
        yield Workplace(
            settings,
            store,
            paperless,
            file,
            inbox,
            ledger,
            open_spool(settings),
            lock,
            turn_lock(settings),
            OwnLabels(paperless, store, settings),
            open_audit(settings),
            StoredVocabulary(store),
            progress or Silent(),
        )
