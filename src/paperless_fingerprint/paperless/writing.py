"""Changes to many documents at once, in batches that one bad document cannot spoil.

Paperless merges what `bulk_edit` adds and removes, so that a user's own tags and fields stay. But
one id that is unknown, repeated or in the trash fails the whole batch, and so does one document
that may not be changed. Such a batch is looked at, freed of what is bad, and where that does not
help, halved until the bad ones stand alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paperless_fingerprint.paperless.connection import Connection
from paperless_fingerprint.paperless.listing import (
    IDS_PER_REQUEST,
    Lists,
    by_ids,
    everything,
    in_chunks,
)
from paperless_fingerprint.paperless.records import Trashed
from paperless_fingerprint.paperless.refusals import (
    DeniedError,
    MissingError,
    PaperlessAnswerError,
    RefusedError,
)

DOCUMENTS_PER_BATCH = 100
GONE = "does not exist, lies in the trash, or may not be seen"
LOCKED = "may be seen but not changed with this token"
NOT_IN_TRASH = "lies no longer in the trash, or may not be restored with this token"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A document that was left out, and why."""

    id: int
    reason: str


@dataclass(frozen=True, slots=True)
class BulkResult:
    done: tuple[int, ...] = ()
    refused: tuple[Refusal, ...] = ()

    def __add__(self, other: BulkResult) -> BulkResult:
        return BulkResult(self.done + other.done, self.refused + other.refused)


def _bulk_edit(
    connection: Connection, ids: Iterable[int], method: str, parameters: Mapping[str, Any]
) -> BulkResult:
    """Documents that can be changed are, whatever is wrong with the others."""
    result = BulkResult()
    for batch in in_chunks(dict.fromkeys(ids), DOCUMENTS_PER_BATCH):
        result += _batch(connection, batch, method, parameters, looked_at=False)
    return result


def _batch(
    connection: Connection,
    ids: Sequence[int],
    method: str,
    parameters: Mapping[str, Any],
    *,
    looked_at: bool,
) -> BulkResult:
    if not ids:
        return BulkResult()
    told = {"documents": list(ids), "method": method, "parameters": parameters}
    try:
        connection.send("POST", "/api/documents/bulk_edit/", json=told)
    except (RefusedError, DeniedError) as error:
        if isinstance(error, RefusedError) and "add_custom_fields" in error.fields:
            # The value itself: a link to what was deleted this moment.
            return BulkResult(
                refused=tuple(Refusal(n, f"cannot get it: {error.said}") for n in ids)
            )
        if not _is_about_documents(error):
            raise
        if len(ids) == 1:
            reason = GONE if isinstance(error, RefusedError) else LOCKED
            return BulkResult(refused=(Refusal(ids[0], reason),))
        if not looked_at:
            return _without_the_bad(connection, ids, method, parameters)
        half = len(ids) // 2
        return _batch(connection, ids[:half], method, parameters, looked_at=True) + _batch(
            connection, ids[half:], method, parameters, looked_at=True
        )
    return BulkResult(done=tuple(ids))


def _is_about_documents(error: PaperlessAnswerError) -> bool:
    """Not about the tags or fields that were to be set, nor about what the user may do in general."""
    if isinstance(error, DeniedError):
        return error.status == 403 and not error.whole_kind
    return isinstance(error, RefusedError) and "documents" in error.fields


def _without_the_bad(
    connection: Connection, ids: Sequence[int], method: str, parameters: Mapping[str, Any]
) -> BulkResult:
    """One look finds nearly all that is bad; halving alone takes a dozen requests for each."""
    found: dict[int, Any] = {}
    for chunk in in_chunks(ids, IDS_PER_REQUEST):
        found.update(by_ids(connection, chunk, {"fields": "id,user_can_change"}))
    good = [n for n in ids if n in found and found[n].get("user_can_change", True)]
    refused = tuple(Refusal(n, LOCKED if n in found else GONE) for n in ids if n not in set(good))
    rest = _batch(connection, good, method, parameters, looked_at=True)
    return rest + BulkResult(refused=refused)


def _restored(connection: Connection, ids: Sequence[int]) -> bool:
    told = {"documents": list(ids), "action": "restore"}
    try:
        connection.send("POST", "/api/trash/", json=told)
    except (RefusedError, DeniedError) as error:
        if isinstance(error, DeniedError) and (error.status != 403 or error.whole_kind):
            raise
        return False
    return True


class Writes(Lists):
    """The part of PaperlessClient that changes many documents, or their place."""

    def reprocess(self, ids: Iterable[int]) -> BulkResult:
        """Paperless recognises the text again, in its own time."""
        return _bulk_edit(self._connection, ids, "reprocess", {})

    def modify_tags(
        self, ids: Iterable[int], *, add: Iterable[int] = (), remove: Iterable[int] = ()
    ) -> BulkResult:
        """Merges; even where nothing changes, `modified` moves. Removing a parent tag removes its
        children, adding a child adds its parent."""
        # Both lists are required, even where one is empty.
        parameters = {"add_tags": sorted(set(add)), "remove_tags": sorted(set(remove))}
        return _bulk_edit(self._connection, ids, "modify_tags", parameters)

    def modify_custom_fields(
        self,
        ids: Iterable[int],
        *,
        values: Mapping[int, Any] | None = None,
        remove: Iterable[int] = (),
    ) -> BulkResult:
        """Merges. A document link that is replaced this way leaves its old back link behind: take
        the field off the document first, or off the other one."""
        parameters = {
            "add_custom_fields": {str(number): value for number, value in (values or {}).items()},
            "remove_custom_fields": sorted(set(remove)),
        }
        return _bulk_edit(self._connection, ids, "modify_custom_fields", parameters)

    def trashed(self) -> list[Trashed]:
        """What lies in the trash. Paperless sends whole texts here, hence small pages."""
        return [
            Trashed(int(item["id"]), item.get("title") or "")
            for item in everything(self._connection, "/api/trash/", page_size=IDS_PER_REQUEST)
        ]

    def move_to_trash(self, ids: Iterable[int]) -> BulkResult:
        """One at a time: what is deleted is never a matter of batches."""
        result = BulkResult()
        missing: list[int] = []
        for number in dict.fromkeys(ids):
            try:
                self._connection.send("DELETE", f"/api/documents/{number}/")
            except MissingError:
                missing.append(number)
            except DeniedError as error:
                if error.status != 403:
                    raise
                result += BulkResult(refused=(Refusal(number, LOCKED),))
            else:
                result += BulkResult(done=(number,))
        if missing:
            # Perhaps it was done and only the answer was lost; then it lies in the trash.
            there = {item.id for item in self.trashed()}
            done = tuple(number for number in missing if number in there)
            refused = tuple(Refusal(number, GONE) for number in missing if number not in there)
            result += BulkResult(done, refused)
        return result

    def restore(self, ids: Iterable[int]) -> BulkResult:
        wanted = tuple(dict.fromkeys(ids))
        # Without a look at the trash: of thousands it lists all texts, for each document that comes back.
        if wanted and not _restored(self._connection, wanted) and len(wanted) > 1:
            # One that may not be restored, or is no longer there, fails them all.
            for number in wanted:
                _restored(self._connection, [number])
        # What counts is where they are: a second try after a lost answer is refused as well.
        seen = self.visible_ids(wanted)
        done = tuple(number for number in wanted if number in seen)
        return BulkResult(done, tuple(Refusal(n, NOT_IN_TRASH) for n in wanted if n not in seen))
