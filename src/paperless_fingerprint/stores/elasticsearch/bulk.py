"""Bulk writes: every item's result is looked at, what the server was too busy for is sent again.

Nothing is taken for written that was not acknowledged. All writes go through here, single ones too.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from elasticsearch import ApiError, Elasticsearch

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.stores.elasticsearch import changes
from paperless_fingerprint.stores.elasticsearch.failures import Failures, reason_of
from paperless_fingerprint.stores.elasticsearch.lease import ElasticsearchLease
from paperless_fingerprint.stores.elasticsearch.refresh import Unseen
from paperless_fingerprint.stores.elasticsearch.scan import BUSY_SECONDS

#: Well below the 100 MB that a server accepts, and small beside a heap of 512 MB.
REQUEST_BYTES = 6_000_000
REQUEST_ITEMS = 1_000
_LONGEST_PAUSE_SECONDS = 3.0
_TRY_AGAIN = frozenset({429, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Operation:
    """One line or two of a bulk request."""

    action: str  # index, create or delete
    index: str
    id: str
    body: bytes = b""
    #: (sequence number, primary term) of the version that this one replaces.
    version: tuple[int, int] | None = None
    #: Where the alias is gone, no index of its name must come into being by itself.
    alias_only: bool = True
    #: The documents that it changes something about.
    about: Collection[int] = ()

    def lines(self, through: str) -> list[bytes]:
        """`through`: the alias that is written to in the place of its own."""
        meta: dict[str, Any] = {"_index": through, "_id": self.id}
        if self.alias_only and self.action != "delete":
            meta["require_alias"] = True
        if self.version is not None:
            meta["if_seq_no"], meta["if_primary_term"] = self.version
        first = orjson.dumps({self.action: meta})
        return [first] if self.action == "delete" else [first, self.body]


@dataclass(frozen=True, slots=True)
class Failure:
    """An operation that was not carried out."""

    operation: Operation
    status: int
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    done: tuple[Operation, ...]
    failures: tuple[Failure, ...]
    #: Deletions that found nothing to delete.
    missing: tuple[Operation, ...]


class BulkWriter:
    def __init__(
        self,
        client: Elasticsearch,
        failures: Failures,
        *,
        is_moving: Callable[[str], bool],
        patience_seconds: float | None = None,
        unseen: Unseen | None = None,
        seen_at_once: Collection[str] = (),
        changes_in: str = "",
        lease: Callable[[], ElasticsearchLease | None] = lambda: None,
    ) -> None:
        """What changes is told in the index `changes_in` (changes.py)."""
        self._lease = lease
        self._unseen = unseen or Unseen()
        self._changes_in = changes_in
        self._notes = changes.Notes()
        self._seen_at_once = frozenset(seen_at_once)
        self._client = client
        self._failures = failures
        self._is_moving = is_moving
        #: How long an overloaded server, or one whose index is being moved, is asked again.
        self._patience_seconds = BUSY_SECONDS if patience_seconds is None else patience_seconds

    def write(self, operations: Iterable[Operation]) -> Outcome:
        """Raises StoreError where the server is gone or refuses all; then nothing is certain."""
        done: list[Operation] = []
        failures: list[Failure] = []
        missing: list[Operation] = []
        for request in requests(operations):
            outcome = self._write_request(request)
            done += outcome.done
            failures += outcome.failures
            missing += outcome.missing
        return Outcome(tuple(done), tuple(failures), tuple(missing))

    def write_all(self, operations: Iterable[Operation]) -> None:
        """For what has to be written as a whole."""
        outcome = self.write(operations)
        if outcome.failures:
            first = outcome.failures[0]
            count = len(outcome.failures)
            raise self._failures.store_error("writes_refused", count=count, said=first.reason)

    def _write_request(self, request: Sequence[Operation]) -> Outcome:
        done: list[Operation] = []
        failures: list[Failure] = []
        missing: list[Operation] = []
        waiting = list(request)
        deadline = time.monotonic() + self._patience_seconds
        pause = 0.05
        note: list[Operation] = []
        while True:
            again: list[Failure] = []
            note = note or self._note(request)
            is_told, began = True, time.monotonic()
            for operation, result in self._send_after(note, waiting):
                status = int(result["status"])
                failure = Failure(operation, status, _reason(result))
                if operation in note:
                    is_told = status < 300 or not self._is_passing(failure, result)
                elif status < 300:
                    done.append(operation)
                elif operation.action == "delete" and result.get("result") == "not_found":
                    missing.append(operation)
                else:
                    (again if self._is_passing(failure, result) else failures).append(failure)
            if is_told:
                note = []
            # Where it took long, nobody may look any more at what it was about.
            if not again and not note and time.monotonic() - began < changes.GOOD_SECONDS:
                break
            if time.monotonic() + pause > deadline:
                failures += again
                break
            # Not all at the same moment: others are waiting for the same server.
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
            waiting = [failure.operation for failure in again]
        return Outcome(tuple(done), tuple(failures), tuple(missing))

    def _note(self, request: Sequence[Operation]) -> list[Operation]:
        """Of what the request changes, to go before it."""
        needed = self._notes.needed(operation.about for operation in request)
        if needed is None or not self._changes_in:
            return []
        changes.clear_up(self._client, self._changes_in)
        return [Operation("index", self._changes_in, changes.note_id(), needed)]

    def _send_after(
        self, note: Sequence[Operation], operations: Sequence[Operation]
    ) -> Iterator[tuple[Operation, dict[str, Any]]]:
        # With writes that are refreshed its index would be, too, which costs more than a request.
        is_refreshed = any(each.index in self._seen_at_once for each in operations)
        for part in [note, operations] if is_refreshed else [[*note, *operations]]:
            if part:
                yield from self._send(part)

    def _send(self, operations: Sequence[Operation]) -> Iterator[tuple[Operation, dict[str, Any]]]:
        # Lines are passed on as they are, whatever the client's annotation says.
        lease = self._lease()
        lines: Any = [
            line
            for operation in operations
            for line in operation.lines(
                lease.through(operation.index) if lease else operation.index
            )
        ]
        # Notes are read by nobody who counts on seeing all that this process wrote.
        indices = {each.index for each in operations if not changes.is_note(each.id)}
        try:
            with self._failures.explained():
                answer = self._client.bulk(
                    operations=lines,
                    filter_path="items.*.status,items.*.result,items.*.error",
                    refresh=True if indices & self._seen_at_once else None,
                )
        except StoreError as error:
            cause = error.__cause__
            if not isinstance(cause, ApiError) or cause.status_code not in (*_TRY_AGAIN, 413):
                raise
            if reason_of(cause)[0] == "cluster_block_exception" and cause.status_code == 429:
                raise
            if cause.status_code == 413 and len(operations) > 1:
                middle = len(operations) // 2
                yield from self._send(operations[:middle])
                yield from self._send(operations[middle:])
                return
            # The request as a whole was too much, or came at a bad moment.
            refusal = {"status": cause.status_code, "error": {"reason": reason_of(cause)[1]}}
            for operation in operations:
                yield operation, refusal
            return
        finally:
            # Also where nothing is certain: it may have been written.
            for index in indices:
                self._unseen.written(index)
        for operation, item in zip(operations, answer["items"], strict=True):
            yield operation, next(iter(item.values()))

    def _is_passing(self, failure: Failure, result: dict[str, Any]) -> bool:
        """Whether it may work in a moment. Raises where it will not for any document."""
        error = result.get("error")
        kind = error.get("type", "") if isinstance(error, dict) else ""
        if kind == "cluster_block_exception" and failure.status != 503:
            if "index write" in failure.reason and self._is_moving(failure.operation.index):
                return True
            raise self._failures.blocked(failure.reason)
        if kind == "index_not_found_exception" and "-turn-" in failure.reason:
            lease = self._lease()
            raise lease.lost() if lease else self._failures.store_error(failure.reason)
        if kind in {"index_not_found_exception", "security_exception"}:
            raise self._failures.store_error(failure.reason)
        return failure.status in _TRY_AGAIN and not _is_too_large(failure.reason)


def _is_too_large(reason: str) -> bool:
    """Whether the server lacks the memory for this operation even when it has nothing else to do."""
    match = re.search(r"_operation_bytes=(\d+), max_\w+_bytes=(\d+)", reason)
    return match is not None and int(match[1]) > int(match[2])


def requests(operations: Iterable[Operation]) -> Iterator[list[Operation]]:
    """In order, by size: a large one goes alone."""
    request: list[Operation] = []
    size = 0
    for operation in operations:
        length = len(operation.body) + 200
        if request and (size + length > REQUEST_BYTES or len(request) >= REQUEST_ITEMS):
            yield request
            request, size = [], 0
        request.append(operation)
        size += length
    if request:
        yield request


def _reason(result: dict[str, Any]) -> str:
    error = result.get("error", {})
    if not isinstance(error, dict):
        return str(error)[:300]
    cause = error.get("caused_by") or {}
    text = str(error.get("reason") or "")
    if cause.get("reason"):
        text = f"{text}: {cause['reason']}"
    text = " ".join(text.split())[:300]
    if _is_too_large(text):
        return f"its text is too large for the server's memory, which a larger heap mends ({text})"
    return text
