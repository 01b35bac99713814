"""The list of documents that wait for their analysis.

A mark on the document itself would cost writing the whole document again when it is taken off. So
each batch that is written leaves one small entry with its ids; who has analysed some of them takes
these ids out, and the entry goes with its last one. The token of a waiting document names all
entries in which it was seen: who writes it again makes another entry, which stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from heapq import nsmallest
from uuid import uuid4

import orjson

from paperless_fingerprint.stores.base import Pending
from paperless_fingerprint.stores.elasticsearch.bulk import BulkWriter, Operation
from paperless_fingerprint.stores.elasticsearch.rows import id_terms
from paperless_fingerprint.stores.elasticsearch.scan import Hit, Reader

_PREFIX = "pending-"
#: Ids of so small batches are remembered.
_REMEMBERED = 100
_KIND = {"term": {"kind": "pending"}}


class WaitingList:
    def __init__(self, index: str, writer: BulkWriter, reader: Reader) -> None:
        self._index = index
        self._writer = writer
        self._reader = reader
        #: By id: the entries that this process has written, as long as it has not taken them off.
        self._own: dict[int, tuple[str, ...]] = {}

    def add(self, ids: Collection[int]) -> str:
        """The token of the new entry."""
        token = uuid4().hex
        if ids:
            self._writer.write_all(
                [Operation("index", self._index, _PREFIX + token, _body(token, sorted(ids)))]
            )
        if len(ids) <= _REMEMBERED:
            self._own.update((id, (*self._own.get(id, ()), token)) for id in ids)
        return token

    def add_again_what_is_missing(self, token: str, ids: Collection[int]) -> None:
        """Somebody may have found an id in the list before its document was there to be analysed,
        and have taken it off."""
        found = self._reader.get(self._index, [_PREFIX + token])
        still = {id for hit in found for id in hit["_source"]["ids"]}
        missing = set(ids) - still
        if missing:
            self.add(missing)

    def own(self, ids: Collection[int]) -> list[Pending] | None:
        """Those of few documents that this process has just put on the list; no search is needed
        for that. None where it does not know them all.

        That others have put them there, too, stays on the list, and they are looked at again.
        """
        known = {id: self._own[id] for id in ids if id in self._own}
        if len(known) < len(set(ids)):
            return None
        names = {_PREFIX + token for tokens in known.values() for token in tokens}
        held = {
            hit["_id"]: hit["_source"]["ids"] for hit in self._reader.get(self._index, [*names])
        }
        waiting = []
        for id, tokens in sorted(known.items()):
            still = [token for token in tokens if id in held.get(_PREFIX + token, ())]
            if still:
                waiting.append(Pending(id, "+".join(still)))
        return waiting

    def listed(self, limit: int | None = None, ids: Collection[int] | None = None) -> list[Pending]:
        if limit == 0 or (ids is not None and not ids):
            return []
        if ids is not None and limit is None and (known := self.own(ids)) is not None:
            return known
        wanted = None if ids is None else set(ids)
        query = _KIND if wanted is None else {"bool": {"filter": [_KIND, id_terms("ids", wanted)]}}
        tokens: defaultdict[int, list[str]] = defaultdict(list)
        # By their lowest id: once an entry begins above the ids that are wanted, so do the rest.
        # Who asks for certain ids has just written them.
        for hit in self._reader.scan(
            self._index, query=query, sort=[{"lowest": "asc"}, {"batch": "asc"}], page=200,
            own=wanted is not None,
        ):  # fmt: skip
            source = hit["_source"]
            is_enough = limit is not None and len(tokens) >= limit
            if is_enough and nsmallest(limit or 0, tokens)[-1] < source["lowest"]:
                break
            for id in source["ids"] if wanted is None else wanted.intersection(source["ids"]):
                tokens[id].append(source["batch"])
        return [Pending(id, "+".join(tokens[id])) for id in sorted(tokens)[:limit]]

    def take_off(self, done: Sequence[Pending]) -> None:
        by_token: defaultdict[str, set[int]] = defaultdict(set)
        for item in done:
            self._own.pop(item.id, None)
            for token in item.token.split("+"):
                by_token[token].add(item.id)
        while by_token:
            names = [_PREFIX + token for token in by_token]
            hits = list(self._reader.get(self._index, names))
            conflicts = self._rewrite(
                (hit, by_token[str(hit["_id"]).removeprefix(_PREFIX)]) for hit in hits
            )
            by_token = defaultdict(set, {token: by_token[token] for token in conflicts})

    def forget(self, ids: Collection[int]) -> None:
        """Whatever the token: these documents are gone."""
        gone = set(ids)
        for id in gone:
            self._own.pop(id, None)
        while True:
            hits = list(
                self._reader.scan(
                    self._index,
                    query={"bool": {"filter": [_KIND, id_terms("ids", gone)]}},
                    sort=[{"batch": "asc"}],
                    page=200,
                    seq_no_primary_term=True,
                )
            )
            if not self._rewrite((hit, gone) for hit in hits):
                return

    def _rewrite(self, entries: Iterable[tuple[Hit, set[int]]]) -> list[str]:
        """Take ids out of entries; the tokens of those that somebody else changed meanwhile."""
        operations = []
        for hit, gone in entries:
            name, ids = str(hit["_id"]), hit["_source"]["ids"]
            left = [id for id in ids if id not in gone]
            if len(left) == len(ids):
                continue
            operations.append(
                Operation(
                    "index" if left else "delete",
                    self._index,
                    name,
                    _body(name.removeprefix(_PREFIX), left) if left else b"",
                    (hit["_seq_no"], hit["_primary_term"]),
                )
            )
        failures = self._writer.write(operations).failures
        # A conflict is somebody else's change, and is looked at anew. Other failures leave the
        # documents on the list, where they are analysed once more than needed.
        return [
            failure.operation.id.removeprefix(_PREFIX)
            for failure in failures
            if failure.status == 409
        ]


def _body(token: str, ids: Sequence[int]) -> bytes:
    return orjson.dumps({"kind": "pending", "batch": token, "ids": ids, "lowest": ids[0]})
