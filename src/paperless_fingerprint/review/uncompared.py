"""What could not be compared, as one person may see it, and having its text recognised again."""

from __future__ import annotations

import csv
import io
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.library import uncompared as listing
from paperless_fingerprint.library.export import safe_cell
from paperless_fingerprint.library.uncompared import Reason, Uncompared
from paperless_fingerprint.paperless.client import PaperlessClient
from paperless_fingerprint.review.catalogue import Catalogue
from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.service import Review
from paperless_fingerprint.review.views import Count
from paperless_fingerprint.review.visible import Unknown

REASONS = tuple(reason.value for reason in Reason)
MOST_PER_PAGE = 1_000
MOST_AT_ONCE = 100
#: What is new on the way in shows after so long; a write to the library shows at once.
_OLD_SECONDS = 5.0
_COLUMNS = ("id", "title", "reason", "words", "pages", "filename", "added", "detail", "address")


@dataclass(frozen=True, slots=True)
class UncomparedDocument:
    id: int
    title: str
    #: 'unreadable', 'encrypted', 'no_text' or 'too_short'.
    reason: str
    words: int
    pages: int | None
    filename: str | None
    added: str | None
    #: Of what is unreadable: why; for superusers, since it may name paths and addresses.
    detail: str
    #: In Paperless.
    address: str


@dataclass(frozen=True, slots=True)
class UncomparedList:
    documents: tuple[UncomparedDocument, ...]
    #: With this reason and these words in the title or the file's name.
    total: int
    page: int
    pages: int
    #: How many there are for each reason, whatever is filtered by.
    reasons: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class Reprocessed:
    """Paperless recognises these again, in its own time; the next sync sees what comes of it."""

    started: tuple[int, ...]
    #: Those that this person may not change.
    refused: tuple[int, ...]


def listed(
    review: Review, person: Person, reason: str = "", text: str = "", page: int = 1,
    per_page: int = 50,
) -> UncomparedList:  # fmt: skip
    if reason and reason not in REASONS:
        raise UsageError(
            _(
                "'%(found)s' is not known here; use %(known)s.",
                found=reason[:20],
                known=", ".join(REASONS),
            )
        )
    seen = [each for each in _every(review) if _may_see(review, person, each)]
    counts = Counter(each.reason.value for each in seen)
    wanted = text.casefold().split()
    found = [
        each
        for each in seen
        if reason in {"", each.reason.value} and all(word in _named(each) for word in wanted)
    ]
    pages = max(1, -(-len(found) // per_page))
    page = min(page, pages)
    shown = found[(page - 1) * per_page : page * per_page]
    return UncomparedList(
        tuple(_document(review, person, each) for each in shown), len(found), page, pages,
        tuple(Count(name, counts[name]) for name in REASONS if counts[name]),
    )  # fmt: skip


def as_csv(found: Sequence[UncomparedDocument]) -> str:
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(_COLUMNS)
    for each in found:
        writer.writerow([safe_cell(getattr(each, name)) for name in _COLUMNS])
    # A spreadsheet takes UTF-8 for what it is only with this mark at the beginning.
    return "\ufeff" + file.getvalue()


def reprocess(
    review: Review, person: Person, paperless: PaperlessClient, ids: Collection[int]
) -> Reprocessed:
    """With the rights of this person in Paperless, which says itself what they may change."""
    if not 0 < len(ids) <= MOST_AT_ONCE:
        raise UsageError(_("Select 1 to %(most)s documents at once.", most=MOST_AT_ONCE))
    listed_ids = {each.id for each in _every(review) if _may_see(review, person, each)}
    unknown = sorted(set(ids) - listed_ids)
    if unknown:
        raise Unknown(
            _("Document %(id)s is not in the list of what could not be compared.", id=unknown[0])
        )
    result = paperless.reprocess(sorted(set(ids)))
    return Reprocessed(result.done, tuple(refusal.id for refusal in result.refused))


_kept: dict[int, tuple[Catalogue, float, list[Uncompared]]] = {}


def _every(review: Review) -> list[Uncompared]:
    catalogue, now = review.mirror.catalogue, time.monotonic()
    kept = _kept.get(id(review))
    if kept is None or kept[0] is not catalogue or now - kept[1] > _OLD_SECONDS:
        kept = (catalogue, now, listing.uncompared(review.store))
        _kept.clear()
        _kept[id(review)] = kept
    return kept[2]


def _may_see(review: Review, person: Person, each: Uncompared) -> bool:
    """By what the library knows of it now, as everywhere; what never came in, superusers alone."""
    if person.superuser:
        return True
    known = review.mirror.catalogue.documents.get(each.id)
    return known is not None and person.may_see(known)


def _named(each: Uncompared) -> str:
    known = each.document
    return f"{known.title} {known.original_filename or ''}".casefold() if known else str(each.id)


def _document(review: Review, person: Person, each: Uncompared) -> UncomparedDocument:
    known = each.document
    return UncomparedDocument(
        each.id,
        known.title[:300] if known else "",
        each.reason.value,
        each.words,
        known.page_count if known else None,
        known.original_filename if known else None,
        known.added if known else None,
        each.detail if person.superuser else "",
        review.mirror.address_of(each.id),
    )
