"""What one document belongs to: where the page compares it."""

from __future__ import annotations

from paperless_fingerprint.review.person import Person
from paperless_fingerprint.review.queue_entry import QueueEntry
from paperless_fingerprint.review.service import Review


def entry_with(review: Review, person: Person, id: int) -> QueueEntry | None:
    """The item of the queue to show for a document: its group, its versions, or the surest pair;
    what waits for a decision goes first. Raises Unknown where the person may not see it."""
    review.mirror.seen(person, id)
    sight = review.mirror.sight(person)
    found = [entry for kind in ("group", "versions") if (entry := sight.entry(kind, id))]
    found += [
        entry
        for entry in sight.catalogue.entries_of.get(id, ())
        if entry.kind not in {"group", "versions"}
        and entry.state != "dismissed"
        and all(map(sight.sees, entry.members))
    ]
    return min(found, key=lambda entry: entry.state != "open", default=None)
