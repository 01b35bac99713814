"""From an index of an earlier version to one of this version, while others go on writing.

1. The new index is made beside the old one, and everything is copied.
2. What was written meanwhile is copied again, and again, while there is much of it.
3. The old index is closed for writing. Writers that meet the block wait: the mark in the index's
   `_meta` tells them that it will pass. The last changes are copied.
4. The alias changes over in one step, and the old index is removed.

Whoever dies in between leaves the old index behind the alias, at worst closed for writing; the next
process that opens the library begins anew. Of two that move at the same time only one gets the
alias, because the old index can be removed once only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError

from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.stores.elasticsearch.bulk import BulkWriter, Operation
from paperless_fingerprint.stores.elasticsearch.connection import Address
from paperless_fingerprint.stores.elasticsearch.failures import Failures
from paperless_fingerprint.stores.elasticsearch.layout import (
    FoundIndex,
    IndexDefinition,
    create_index,
)
from paperless_fingerprint.stores.elasticsearch.scan import Reader

#: So few changes are copied while the writers wait.
_FEW = 500
_ROUNDS = 10
_COPIED_AT_ONCE = 200
_MARK = "moving"

#: Sources of the old version in, bodies of the new version out.
Convert = Callable[[list[Mapping[str, Any]]], list[bytes]]


class Move:
    def __init__(
        self,
        client: Elasticsearch,
        failures: Failures,
        address: Address,
        definition: IndexDefinition,
        old: FoundIndex,
        convert: Convert,
    ) -> None:
        self._client = client
        self._failures = failures
        # Of this very index, not of whatever stands behind the alias later.
        self._reader = Reader(client, failures, behind_alias=False)
        self._address = address
        self._definition = definition
        self._old = old
        self._convert = convert
        # The new index stands behind no alias yet, and nobody but us writes to it.
        self._writer = BulkWriter(client, failures, is_moving=lambda _: False)
        #: By id: the sequence number of the state that was copied.
        self._copied: dict[str, int] = {}

    def run(self) -> bool:
        """False where another process has moved it meanwhile."""
        with self._failures.explained():
            new = self._make_new_index()
        try:
            with self._failures.explained():
                self._copy_and_change_over(new)
        except StoreError as error:
            with self._failures.explained():
                self._client.options(ignore_status=404).indices.delete(index=new)
            if isinstance(error.__cause__, NotFoundError):  # the old one is gone: it is done
                return False
            raise
        return True

    def _copy_and_change_over(self, new: str) -> None:
        for _round in range(_ROUNDS):
            if self._copy_changes(new) <= _FEW:
                break
        self._mark_as_moving()
        self._client.indices.add_block(index=self._old.name, block="write")
        self._copy_changes(new)
        # Readers need not refresh every index (refresh.py): what was copied must be seen from the start.
        self._client.indices.refresh(index=new)
        alias = self._definition.alias(self._address.prefix)
        # With that of the turn (lease.py). Should another turn begin at this very moment, its holder
        # finds no index, and sets it right.
        answer = self._client.indices.get_alias(index=self._old.name, name=f"{alias}*")
        self._client.indices.update_aliases(
            actions=[
                *(
                    {"add": {"index": new, "alias": each}}
                    for each in answer[self._old.name]["aliases"]
                ),
                {"remove_index": {"index": self._old.name}},
            ]
        )

    def _make_new_index(self) -> str:
        number = 1
        while True:
            name = self._definition.index(self._address.prefix, number)
            if create_index(self._client, self._definition, self._address, name):
                return name
            number += 1

    def _mark_as_moving(self) -> None:
        mapping = self._client.indices.get_mapping(index=self._old.name)
        meta = mapping[self._old.name]["mappings"].get("_meta", {})
        self._client.indices.put_mapping(index=self._old.name, meta={**meta, _MARK: True})

    def _copy_changes(self, new: str) -> int:
        """Copy what differs from what was copied before; say how much it was."""
        present: dict[str, int] = {}
        for hit in self._reader.scan(
            self._old.name,
            sort=[{"_seq_no": "asc"}],
            page=10_000,
            seq_no_primary_term=True,
            source=False,
        ):
            present[hit["_id"]] = hit["_seq_no"]
        changed = [id for id, number in present.items() if self._copied.get(id) != number]
        gone = [id for id in self._copied if id not in present]
        for start in range(0, len(changed), _COPIED_AT_ONCE):
            hits = list(self._reader.get(self._old.name, changed[start : start + _COPIED_AT_ONCE]))
            bodies = self._convert([hit["_source"] for hit in hits])
            self._writer.write_all(
                Operation("index", new, hit["_id"], body, alias_only=False)
                for hit, body in zip(hits, bodies, strict=True)
            )
            self._copied.update((hit["_id"], hit["_seq_no"]) for hit in hits)
        self._writer.write_all(Operation("delete", new, id, alias_only=False) for id in gone)
        for id in gone:
            del self._copied[id]
        return len(changed) + len(gone)


def is_moving(client: Elasticsearch, failures: Failures, alias: str) -> bool:
    """Whether a write that met a block will pass: the index is being moved, or just was."""
    with failures.explained():
        answer = client.indices.get(
            index=alias,
            filter_path="*.mappings._meta,*.settings.index.blocks,*.settings.index.uuid",
        )
    for index in answer.values():
        blocks = index.get("settings", {}).get("index", {}).get("blocks", {})
        if blocks.get("write") != "true" or index["mappings"].get("_meta", {}).get(_MARK):
            return True
    return False
