"""A whole library to another store: documents, results, decisions, and the library's own name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import islice

from paperless_fingerprint.errors import StoreError, UsageError
from paperless_fingerprint.library.intake import BATCH_DOCUMENTS
from paperless_fingerprint.model import StoredDocument
from paperless_fingerprint.progress import Progress
from paperless_fingerprint.stores.base import Store

_PAIRS_AT_ONCE = 5_000
_VECTORS_AT_ONCE = 1_000
#: Set in the target while a copy is under way.
UNDER_WAY_NOTE = "migration"


def migrate(source: Store, target: Store, progress: Progress) -> int:
    """Copy everything; a copy that was broken off is begun again from where it was."""
    notes = target.notes()
    under_way = notes.get(UNDER_WAY_NOTE) == str(source.namespace)
    if target.ids() and not under_way:
        raise UsageError(
            "The other store holds documents already. Name an empty one, so that two libraries "
            "are not mixed."
        )
    target.put_notes({"namespace": str(source.namespace), UNDER_WAY_NOTE: str(source.namespace)})
    there = set(target.ids())
    waiting = {item.id for item in source.pending()}
    ids = source.ids()
    progress.begin("copy documents", len(ids))
    for batch in _batches(source):
        progress.advance(len(batch))
        new = [record for record in batch if record.document.id not in there]
        if not new:
            continue
        refused = target.put(new).refused
        if refused:
            raise StoreError(
                f"The other store refused document {refused[0].id}: {refused[0].reason}. What was "
                "copied so far is kept; run the command again once that is mended."
            )
    progress.begin("copy results")
    pairs = source.pairs()
    while stretch := list(islice(pairs, _PAIRS_AT_ONCE)):
        target.write_pairs(stretch)
    groups = source.groups()
    while some := list(islice(groups, 1_000)):
        target.replace_groups([], some)
    target.replace_chains([], source.chains())
    for decision in source.decisions():
        target.put_decision(decision)
    target.mark_analysed([item for item in target.pending() if item.id not in waiting])
    _copy_vectors(source, target, progress)
    _check(source, target)
    own = {name: value for name, value in source.notes().items() if name != UNDER_WAY_NOTE}
    target.put_notes({**own, UNDER_WAY_NOTE: ""})
    return len(ids)


def _check(source: Store, target: Store) -> None:
    was, now = source.report().counts, target.report().counts
    if was != now:
        raise StoreError(
            f"The copy has {now.documents:,} documents, {now.pairs:,} pairs, {now.groups:,} groups, "
            f"{now.decisions:,} decisions and {now.pending:,} that wait; the library has "
            f"{was.documents:,}, {was.pairs:,}, {was.groups:,}, {was.decisions:,} and "
            f"{was.pending:,}. Was it changed meanwhile? Stop `serve`, empty the other store, and "
            "run the command again."
        )


def _copy_vectors(source: Store, target: Store, progress: Progress) -> None:
    """Embeddings cost hours; and the notes about their spaces and scales are copied, too."""
    from paperless_fingerprint.stores.opening import open_vectors  # many libraries have none

    with closing(open_vectors(source)) as old, closing(open_vectors(target)) as new:
        for space in old.spaces():
            ids = source.ids()
            progress.begin(f"copy embeddings of {space.name}", len(ids))
            for start in range(0, len(ids), _VECTORS_AT_ONCE):
                some = ids[start : start + _VECTORS_AT_ONCE]
                there = new.get(space.name, some)
                found = old.get(space.name, some)
                new.put(space.name, [v for id, v in found.items() if there.get(id) != v])
                progress.advance(len(some))


def _batches(source: Store) -> Iterator[list[StoredDocument]]:
    documents = source.documents()
    while batch := list(islice(documents, BATCH_DOCUMENTS // 2)):
        yield batch
