"""Documents in: fingerprint what is new or has another text, write it, leave the rest alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from paperless_fingerprint.fingerprints.fingerprint import fingerprints_of_normalised
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.model import Document, StoredDocument
from paperless_fingerprint.stores.base import Refusal, Store, document_uuid
from paperless_fingerprint.text.normalise import normalise

# Large enough that index pages are touched once a batch, small enough to bound the memory.
BATCH_DOCUMENTS = 5_000
BATCH_CHARACTERS = 16_000_000

SPEC_NOTE = "spec"


@dataclass(frozen=True, slots=True)
class IntakeReport:
    new: int = 0
    #: The text is another one: fingerprinted anew.
    changed: int = 0
    #: Only metadata is different: the fingerprint stayed.
    metadata: int = 0
    unchanged: int = 0
    refused: tuple[Refusal, ...] = ()

    def plus(self, other: IntakeReport) -> IntakeReport:
        return IntakeReport(
            self.new + other.new,
            self.changed + other.changed,
            self.metadata + other.metadata,
            self.unchanged + other.unchanged,
            self.refused + other.refused,
        )


def take_in(
    store: Store,
    documents: Sequence[Document],
    spec: FingerprintSpec,
    known: Mapping[int, StoredDocument] | None = None,
) -> IntakeReport:
    """One batch. What is not in `refused` is in the store, durably, when this returns.

    `known` is what the store has of them, where the caller has just looked.
    """
    if known is None:
        known = store.get([document.id for document in documents])
    new: list[Document] = []
    changed: list[Document] = []
    metadata: list[Document] = []
    unchanged = 0
    for document in documents:
        old = known.get(document.id)
        if old is None:
            # Named here, or the store would have to look once more.
            named = document.uuid or document_uuid(store.namespace, document.id)
            new.append(replace(document, uuid=named))
        elif old.fingerprint.spec != spec.id or old.document.content != document.content:
            changed.append(document)
        elif replace(document, uuid=document.uuid or old.document.uuid) != old.document:
            metadata.append(document)
        else:
            unchanged += 1
    refused: tuple[Refusal, ...] = ()
    if new or changed:
        refused += store.put(_fingerprinted([*new, *changed], spec)).refused
    if metadata:
        refused += store.put_metadata(metadata).refused
    lost = {refusal.id for refusal in refused}
    return IntakeReport(
        new=sum(document.id not in lost for document in new),
        changed=sum(document.id not in lost for document in changed),
        metadata=sum(document.id not in lost for document in metadata),
        unchanged=unchanged,
        refused=refused,
    )


def _fingerprinted(documents: Sequence[Document], spec: FingerprintSpec) -> list[StoredDocument]:
    normalised = [normalise(document.content) for document in documents]
    taken = fingerprints_of_normalised(normalised, spec)
    return list(map(StoredDocument, documents, taken, normalised))


def batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    characters = 0
    for document in documents:
        batch.append(document)
        characters += len(document.content)
        if len(batch) >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def stale_ids(store: Store, spec: FingerprintSpec) -> list[int]:
    """Documents whose fingerprint was taken after another spec."""
    return [row.id for row in store.fingerprints() if row.fingerprint.spec != spec.id]


def take_anew(store: Store, ids: Sequence[int], spec: FingerprintSpec) -> None:
    """Fingerprint stored documents again, from the text that the store has."""
    for start in range(0, len(ids), BATCH_DOCUMENTS):
        stored = store.get(ids[start : start + BATCH_DOCUMENTS])
        for batch in batches(record.document for record in stored.values()):
            take_in(store, batch, spec, stored)
