"""One document as Paperless has it now, taken into the library and compared."""

from __future__ import annotations

from paperless_fingerprint.errors import FingerprintError
from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.feedback.asked import is_applied
from paperless_fingerprint.integration.feedback.listen import hear
from paperless_fingerprint.integration.updates import analyse_waiting, as_stored, remove
from paperless_fingerprint.library.intake import take_in
from paperless_fingerprint.library.reach import reach
from paperless_fingerprint.paperless.records import PaperlessDocument


class DocumentError(FingerprintError):
    """This one document cannot be done; the others can."""


def renew(place: Workplace, document_id: int, *, is_news: bool) -> tuple[PaperlessDocument, int]:
    """The document, and how many it is connected with; Paperless is owed what comes of it.

    `is_news` where it has come or somebody has changed it, and not we. Raises MissingError where it
    is gone from Paperless. The caller holds the library's lock.
    """
    found = place.paperless.document_of_event(document_id)
    id = found.id
    if id != document_id:
        remove(place, [document_id])  # a version row is no document
    # Each question to the store is a journey where that is a server: what is new is asked nothing.
    known = place.store.get([id])
    old = known[id].document if known else None
    if old is not None:
        place.ledger.owe(reach(place.store, [id]))
        hear(place, {id: found.tag_ids})
    document = as_stored(place, found, place.labels.get(), old)
    report = take_in(place.store, [document], place.settings.spec(), known)
    if report.refused:
        raise DocumentError(f"Document {id} was not stored: {report.refused[0].reason}.")
    if is_news and not is_applied(place.store):
        place.ledger.has_come([id])
    analyse_waiting(place, [id], owing=False)
    around = place.store.connections([id])
    place.ledger.owe(reach(place.store, [id], around))
    # Again, for a 'not a duplicate' tag that was there before anything was found.
    hear(place, {id: found.tag_ids})
    return found, len(around.ids - {id})
