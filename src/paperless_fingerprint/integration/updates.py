"""What every way in does to the library once Paperless has said what changed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from paperless_fingerprint.errors import PaperlessError
from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.feedback import dead_links
from paperless_fingerprint.integration.feedback.labels import Labels
from paperless_fingerprint.library import removal
from paperless_fingerprint.library.analysis_one import analyse_one
from paperless_fingerprint.library.reach import reach
from paperless_fingerprint.library.settled import unsettle
from paperless_fingerprint.library.uncompared import remember_encrypted
from paperless_fingerprint.model import Document
from paperless_fingerprint.paperless.records import PaperlessDocument


def remove(place: Workplace, ids: Collection[int]) -> set[int]:
    """Documents that are gone from Paperless; what people said about them stays.

    Answers with those that were connected with them.
    """
    present = set(place.store.metadata(ids))
    if not present:
        return set()
    around = place.store.connections(present)
    place.ledger.owe(reach(place.store, present, around))
    dead_links.let_go(place, present, around.ids - present)
    removal.remove(place.store, place.settings, present)
    place.ledger.forget_seen(present)
    return around.ids - present


def analyse_waiting(place: Workplace, ids: Collection[int], *, owing: bool = True) -> None:
    """Those of `ids` that wait for their analysis, one by one. The caller holds the library's
    lock, which others may have while long texts are compared.

    Where Paperless is owed what comes of it, that is written down before as well as after: what
    was connected with a document until now may be so no longer.
    """
    for item in place.store.pending(ids=ids):
        if owing:
            place.ledger.owe(reach(place.store, [item.id]))
        unsettle(place.store, 1)
        analyse_one(place.store, place.settings, item, place.vocabulary, let_go=place.lock.let_go)
        if owing:
            place.ledger.owe(reach(place.store, [item.id]))


def _may_be_encrypted(found: PaperlessDocument) -> bool:
    """Of a PDF that wants a password Paperless knows neither the text nor how many pages it has."""
    known = found.document
    return found.mime_type == "application/pdf" and not known.page_count and not known.content


def as_stored(
    place: Workplace, found: PaperlessDocument, labels: Labels, old: Document | None
) -> Document:
    """As the library keeps it: without our own tags, and with what lists of Paperless leave out."""
    document = found.document
    named = zip(document.tags, found.tag_ids, strict=True)
    others = tuple(name for name, tag in named if tag not in labels.own_tags)
    if others != document.tags:
        document = replace(document, tags=others)
    if document.checksum is None and old is not None and old.checksum is not None:
        # Before version 3 a document has one file for ever.
        return replace(document, checksum=old.checksum, file_size=old.file_size)
    if old is not None and old.checksum == document.checksum and old.file_size is not None:
        return replace(document, file_size=old.file_size)
    try:
        facts = place.paperless.file_facts(document.id)
        if _may_be_encrypted(found) and place.paperless.is_encrypted(document.id):
            remember_encrypted(place.store, document.id)
    except PaperlessError:
        return document  # works without; the text counts more
    if document.checksum is None:
        document = replace(document, checksum=facts.checksum)
    return replace(document, file_size=facts.size)
