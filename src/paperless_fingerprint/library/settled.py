"""Whether the library says what a fresh one of the same documents would say, whatever their order.

What two documents are to each other depends on these two and on the library around them: how common
their words are, which family of forms they belong to, who rivals them. A document that comes alone
is judged by the library as it is then, and what it changes for older pairs is left for later. So
the library counts what has come, changed or gone since all pairs were judged together; judging
them together again, which is what settles it, makes the order forgotten.

`analyze --settle` does that, and `serve` by itself while nothing else is to be done: at once where
the count is large for the library, and else seldom enough to cost next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import ngettext
from paperless_fingerprint.stores.base import Store

_NOTE = "settled"
_UNDER_WAY = "under way "
#: When so large a share of the library has changed, it is settled at once: for each document that
#: comes, fifty are judged once more.
_MUCH = 0.02


@dataclass(frozen=True, slots=True)
class Unsettled:
    """None and not under way: settled."""

    #: What has come, changed or gone since all pairs were judged together; None where nobody knows.
    documents: int | None
    #: All pairs are being judged together; a run that was stopped goes on.
    under_way: bool = False

    def __bool__(self) -> bool:
        return self.documents != 0 or self.under_way

    def is_much(self, documents: int) -> bool:
        """Of a library of so many."""
        if self.under_way or self.documents is None:
            return True
        return self.documents > 0 and self.documents >= _MUCH * documents

    def in_words(self) -> str:
        if self.under_way:
            return _("All pairs are being compared together.")
        if self.documents is None:
            return _("It is not known whether all pairs were ever compared together.")
        if self.documents:
            return ngettext(
                "%(num)s document was added, changed or removed since all pairs were compared "
                "together.",
                "%(num)s documents were added, changed or removed since all pairs were compared "
                "together.",
                self.documents,
            )
        return _(
            "All pairs were compared together: the order in which documents came does not count."
        )


def unsettled(notes: Mapping[str, str]) -> Unsettled:
    told = notes.get(_NOTE)
    if told is None:
        return Unsettled(None)
    return Unsettled(int(told.removeprefix(_UNDER_WAY)), told.startswith(_UNDER_WAY))


def state_of(store: Store) -> Unsettled:
    """Also of a library that never said: where there are no documents, there is no order."""
    told = unsettled(store.notes())
    if told.documents is None and not store.report().counts.documents:
        return Unsettled(0)
    return told


def unsettle(store: Store, documents: int) -> None:
    """So many have come, changed or gone. Said before they are done with: rather twice than never."""
    now = unsettled(store.notes())
    if now.documents is not None and documents:
        start = _UNDER_WAY if now.under_way else ""
        store.put_notes({_NOTE: f"{start}{now.documents + documents}"})


def write_down(store: Store, documents: int) -> None:
    """So many are about to be written. Where all pairs are being judged together, those that were
    judged already did not know them; else whoever analyses them counts them."""
    if unsettled(store.notes()).under_way:
        unsettle(store, documents)


def begin(store: Store) -> None:
    """All that waits is all there is, and is judged together. What comes meanwhile counts anew."""
    if not unsettled(store.notes()).under_way:
        store.put_notes({_NOTE: f"{_UNDER_WAY}0"})


def finish(store: Store) -> None:
    now = unsettled(store.notes())
    store.put_notes({_NOTE: str(now.documents or 0)})
