"""Documents that could not be compared, and why: no text, too little of it, an encrypted file, or
nothing that Paperless would hand out."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from paperless_fingerprint.model import Document
from paperless_fingerprint.stores.base import Store

#: Ids of documents whose file was seen to be encrypted.
_ENCRYPTED_NOTE = "uncompared.encrypted"
#: Id → why it could not be read.
_UNREADABLE_NOTE = "uncompared.unreadable"
_MOST_UNREADABLE = 1_000


class Reason(StrEnum):
    """In the order in which something can be done about it."""

    UNREADABLE = "unreadable"
    ENCRYPTED = "encrypted"
    NO_TEXT = "no_text"
    TOO_SHORT = "too_short"


MEANING: Mapping[Reason, str] = {
    Reason.UNREADABLE: "could not be read from Paperless",
    Reason.ENCRYPTED: "the file is encrypted",
    Reason.NO_TEXT: "no text was recognised",
    Reason.TOO_SHORT: "too few words",
}
ADVICE: Mapping[Reason, str] = {
    Reason.UNREADABLE: "Open it in Paperless, and look into Paperless's log; the next sync tries "
    "it again.",
    Reason.ENCRYPTED: "Remove the password in Paperless (Actions, Remove password), or upload the "
    "file without one.",
    Reason.NO_TEXT: "Let Paperless recognise the text again (Actions, Reprocess). Pictures and "
    "handwriting have none.",
    Reason.TOO_SHORT: "Only an identical file or text is found for it. Where the page has more "
    "text, let Paperless recognise it again (Actions, Reprocess).",
}


@dataclass(frozen=True, slots=True)
class Uncompared:
    id: int
    reason: Reason
    words: int = 0
    #: Of what is unreadable: what Paperless or the store said.
    detail: str = ""
    #: None where it never came into the library.
    document: Document | None = None

    def as_json(self) -> dict[str, Any]:
        known = self.document
        return {
            "id": self.id,
            "title": known.title if known else "",
            "reason": self.reason.value,
            "words": self.words,
            "pages": known.page_count if known else None,
            "filename": known.original_filename if known else None,
            "added": known.added if known else None,
            "detail": self.detail,
            "advice": ADVICE[self.reason],
        }


def uncompared(store: Store) -> list[Uncompared]:
    """By reason, then by id."""
    notes = store.notes()
    words, encrypted = store.too_short(), _encrypted(notes)
    documents = store.metadata(words)
    found = [
        Uncompared(id, _reason(words[id], id in encrypted), words[id], "", document)
        for id, document in documents.items()
    ]
    unread = _unreadable(notes)
    known = store.metadata(unread)
    found = [each for each in found if each.id not in unread]
    found += [
        Uncompared(id, Reason.UNREADABLE, words.get(id, 0), why, known.get(id))
        for id, why in unread.items()
    ]
    order = list(Reason)
    return sorted(found, key=lambda each: (order.index(each.reason), each.id))


def _reason(words: int, encrypted: bool) -> Reason:
    if words:
        return Reason.TOO_SHORT
    return Reason.ENCRYPTED if encrypted else Reason.NO_TEXT


# What is seen on the way in ------------------------------------------------------------------


def remember_encrypted(store: Store, id: int) -> None:
    ids = _encrypted(store.notes())
    if id not in ids:
        store.put_notes({_ENCRYPTED_NOTE: json.dumps(sorted({*ids, id}))})


def remember_read(store: Store, read: Collection[int], unreadable: Mapping[int, str]) -> None:
    """These could be read, and those could not."""
    before = _unreadable(store.notes())
    now = {**{id: why for id, why in before.items() if id not in read}, **unreadable}
    if now != before:
        kept = dict(list(now.items())[-_MOST_UNREADABLE:])
        store.put_notes({_UNREADABLE_NOTE: json.dumps(kept)})


def forget_unreadable(store: Store, there: Collection[int]) -> None:
    """All but those that are still there."""
    before = _unreadable(store.notes())
    remember_read(store, [id for id in before if id not in there], {})


def _encrypted(notes: Mapping[str, str]) -> set[int]:
    return set(json.loads(notes.get(_ENCRYPTED_NOTE) or "[]"))


def _unreadable(notes: Mapping[str, str]) -> dict[int, str]:
    told = json.loads(notes.get(_UNREADABLE_NOTE) or "{}")
    return {int(id): why for id, why in told.items()}
