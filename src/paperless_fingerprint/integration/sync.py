"""Keeping up with Paperless: what is new or changed is fetched, what is gone is removed.

Each document's time of change is kept once the document is in; only those that differ are fetched.
So a run that was stopped goes on where it was, and our own writes are looked at once and found to
have changed nothing. The texts of a hundred documents at a time are in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from paperless_fingerprint.errors import PaperlessError
from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.feedback import dead_links
from paperless_fingerprint.integration.feedback.asked import is_applied
from paperless_fingerprint.integration.feedback.labels import Labels
from paperless_fingerprint.integration.feedback.listen import hear
from paperless_fingerprint.integration.feedback.tell import tell, tell_all
from paperless_fingerprint.integration.updates import analyse_waiting, as_stored, remove
from paperless_fingerprint.library.analysis import analyse
from paperless_fingerprint.library.clock import now_text
from paperless_fingerprint.library.import_file import renew
from paperless_fingerprint.library.intake import take_in
from paperless_fingerprint.library.reach import reach
from paperless_fingerprint.library.settled import write_down
from paperless_fingerprint.library.uncompared import forget_unreadable, remember_read
from paperless_fingerprint.model import Document
from paperless_fingerprint.paperless.listing import IDS_PER_REQUEST
from paperless_fingerprint.paperless.records import PaperlessDocument, Stamp
from paperless_fingerprint.stores.base import Store

CURSOR_NOTE = "sync.modified"
#: Since when the first sync is under way; from then on it goes on by itself, whatever stops it.
_BEGUN_NOTE = "sync.begun"
_LIBRARY_NOTE = "library"
_BEGINNING = "1970-01-01T00:00:00.000000Z"
#: Two changes may be committed in another order than their times say.
_OVERLAP = timedelta(seconds=60)
#: So many documents are analysed one by one, letting new ones through in between.
FEW = 64
#: A library does not shrink to less than half in an hour; a token that lost its rights does that.
_LOSS_IN_DOUBT = 20


@dataclass(frozen=True, slots=True)
class SyncReport:
    fetched: int = 0
    new: int = 0
    changed: int = 0
    metadata: int = 0
    unchanged: int = 0
    deleted: int = 0
    heard: int = 0
    #: (document, why it could not be read or stored).
    unreadable: tuple[tuple[int, str], ...] = ()

    def as_json(self) -> dict[str, Any]:
        unreadable = [{"id": id, "reason": reason} for id, reason in self.unreadable]
        return {**asdict(self), "unreadable": unreadable}

    def in_words(self) -> str:
        parts = [
            f"{count:,} {word}"
            for count, word in (
                (self.new, "new"),
                (self.changed, "with changed text"),
                (self.metadata, "with changed metadata"),
                (self.unchanged, "checked and unchanged"),
                (self.deleted, "deleted in Paperless"),
                (self.heard, "decided about in Paperless"),
                (len(self.unreadable), "left out"),
            )
            if count
        ]
        return "Synchronised: " + (", ".join(parts) or "nothing has changed") + "."


def sync(
    place: Workplace, *, full: bool = False, reconcile: bool = True, accept_loss: bool = False
) -> SyncReport:
    """All at once; `steps` for whoever has something else to do in between."""
    report = SyncReport()
    for step in steps(place, full=full, reconcile=reconcile, accept_loss=accept_loss):
        report = step
    return report


def steps(
    place: Workplace, *, full: bool = False, reconcile: bool = True, accept_loss: bool = False
) -> Iterator[SyncReport]:
    """What has been done so far, after each batch; the lock is free in between."""
    begin(place.store)
    if place.file.note(_LIBRARY_NOTE) != str(place.store.namespace):
        # Another library than the one that these times of change belong to.
        place.ledger.forget_seen()
        place.file.put_note(_LIBRARY_NOTE, str(place.store.namespace))
    with place.lock.held():
        renew(place.store, place.settings.spec(), place.progress)
    cursor = place.store.notes().get(CURSOR_NOTE)
    whole = full or reconcile or cursor is None
    stamps = place.paperless.changes(_BEGINNING if whole or cursor is None else _before(cursor))
    if not whole and _has_lost_some(place, [stamp.id for stamp in stamps]):
        whole, stamps = True, place.paperless.changes(_BEGINNING)
    wanted = stamps if full else place.ledger.unseen(stamps)
    report = SyncReport()
    if whole:
        known = set(place.store.ids())
        unknown = {stamp.id for stamp in stamps} - known
        waiting = {stamp.id for stamp in wanted}
        wanted = [stamp for stamp in stamps if stamp.id in waiting or stamp.id in unknown]
        gone = sorted(known - {stamp.id for stamp in stamps})
        forget_unreadable(place.store, {stamp.id for stamp in stamps})
        _check_loss(len(gone), len(known), accept=accept_loss)
        if gone:
            with place.lock.held():
                # Whoever has come since the list was read is not gone.
                there = place.paperless.visible_ids(gone)
                gone = [id for id in gone if id not in there]
                remove(place, gone)
                report = replace(report, deleted=len(gone))
            yield report
        if cursor is not None:
            with place.lock.held():
                # What was left dead before, by whatever.
                dead_links.clear(place)
    place.progress.begin("fetch documents", len(wanted))
    for start in range(0, len(wanted), IDS_PER_REQUEST):
        batch = wanted[start : start + IDS_PER_REQUEST]
        report = _fetch(place, batch, report, first=cursor is None)
        place.progress.advance(len(batch))
        yield report
    if written := report.new + report.changed:
        place.store.settle(written)
    latest = max((stamp.modified for stamp in stamps), default=_BEGINNING)
    if not whole and cursor is not None:
        latest = max(latest, cursor)
    # Also of an empty Paperless: what comes from now on is new, and told by itself.
    place.store.put_notes({CURSOR_NOTE: latest})
    yield report


def _has_lost_some(place: Workplace, changed: Collection[int]) -> bool:
    """Whether fewer can be seen than we know, with what has come: one cheap look for deletions."""
    come = len(changed) - len(place.store.metadata(changed))
    return place.paperless.count() < len(place.store.ids()) + come


def _before(cursor: str) -> str:
    moment = datetime.fromisoformat(cursor).astimezone(UTC) - _OVERLAP
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _check_loss(gone: int, known: int, *, accept: bool) -> None:
    if accept or gone < _LOSS_IN_DOUBT or gone * 2 <= known:
        return
    raise PaperlessError(
        f"{gone:,} of {known:,} documents can no longer be seen in Paperless. Has the token lost "
        "its permissions, or does another Paperless answer at that address? Nothing was removed. "
        "If they were really deleted: 'paperless-fingerprint sync --accept-deletions'."
    )


def _fetch(
    place: Workplace, batch: Sequence[Stamp], report: SyncReport, *, first: bool
) -> SyncReport:
    unreadable: list[tuple[int, str]] = []

    def on_unreadable(id: int, error: PaperlessError) -> None:
        place.say(f"Document {id} is left out: {error}")
        unreadable.append((id, str(error)))

    with place.lock.held():
        found = list(
            place.paperless.documents(ids=[s.id for s in batch], on_unreadable=on_unreadable)
        )
        # The first sync only reads: our tags are made when there is something to tag.
        labels = place.labels.get(create=not first)
        heard = hear(place, {each.id: each.tag_ids for each in found}, labels)
        documents = _worth_writing(place, found, labels)
        if not first:
            place.ledger.owe(reach(place.store, [document.id for document in documents]))
            if not is_applied(place.store):
                since = place.store.notes().get(_BEGUN_NOTE, "")
                place.ledger.has_come(each.id for each in documents if (each.added or "") >= since)
        write_down(place.store, len(documents))
        done = take_in(place.store, documents, place.settings.spec())
        for refusal in done.refused:
            on_unreadable(refusal.id, PaperlessError(refusal.reason))
        bad = {id for id, _ in unreadable}
        remember_read(place.store, {s.id for s in batch} - bad, dict(unreadable))
        # As it was read and not as it was listed: it may have changed in between.
        place.ledger.saw(Stamp(f.id, f.document.modified or "") for f in found if f.id not in bad)
    unchanged = len(found) - len(documents) + done.unchanged
    return replace(
        report,
        fetched=report.fetched + len(found),
        new=report.new + done.new,
        changed=report.changed + done.changed,
        metadata=report.metadata + done.metadata,
        unchanged=report.unchanged + unchanged,
        heard=report.heard + len(set(heard)),
        unreadable=(*report.unreadable, *unreadable),
    )


def _worth_writing(
    place: Workplace, found: Sequence[PaperlessDocument], labels: Labels
) -> list[Document]:
    """Without those that only their time of change tells from what we have: our own writes do so.

    Their time of change stays the old one in the library: to write it would mean to compare the
    document anew.
    """
    known = place.store.get([each.id for each in found])
    spec = place.settings.spec().id
    documents = []
    for each in found:
        old = known.get(each.id)
        document = as_stored(place, each, labels, old.document if old else None)
        if old is not None and old.fingerprint.spec == spec:
            like_before = replace(document, uuid=old.document.uuid, modified=old.document.modified)
            if like_before == old.document:
                continue
        documents.append(document)
    return documents


def is_begun(store: Store) -> bool:
    """Whether anybody has ever started a sync. The first one is for a person to begin."""
    notes = store.notes()
    return CURSOR_NOTE in notes or _BEGUN_NOTE in notes


def begin(store: Store) -> None:
    if not is_begun(store):
        store.put_notes({_BEGUN_NOTE: now_text()})


def is_first(place: Workplace) -> bool:
    """No sync has come to its end yet. What is found in an old library is written to Paperless when
    somebody says so (`apply`), and not by itself."""
    return CURSOR_NOTE not in place.store.notes()


def follow_up(place: Workplace, *, first: bool) -> Iterator[str]:
    """What a sync leaves behind: analysis, then Paperless is told; the lock is free in between."""
    waiting = place.store.pending()
    if len(waiting) > FEW:
        with place.lock.held():
            report = analyse(place.store, place.settings, place.progress, let_go=place.lock.let_go)
        yield report.in_words()
        if is_applied(place.store) and place.settings.paperless.write:
            with place.lock.held():
                tell_all(place)
            yield "Paperless was told about the whole library."
    for item in waiting if len(waiting) <= FEW else ():
        with place.lock.held():
            analyse_waiting(place, [item.id], owing=not first)
        yield f"document {item.id}"
    with place.lock.held():
        tell(place, widely=True)
    yield "Paperless was told."
