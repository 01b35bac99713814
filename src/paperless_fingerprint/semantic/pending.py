"""Which documents have an embedding whose pairs nobody has looked for yet.

A note in the library, written before the embeddings are: a run that is killed in between leaves
documents that lack nothing and would never be compared. Whoever changes it holds the lock of
embedding (library/semantic.py).
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace

from paperless_fingerprint.stores.base import Store

_NOTE = "semantic.uncompared"
#: Of more than these, all documents are compared: quicker than a long list that is often written.
_MOST = 1_000


@dataclass(frozen=True, slots=True)
class Uncompared:
    ids: frozenset[int] = frozenset()
    #: And all documents above this id.
    above: int | None = None

    def __bool__(self) -> bool:
        return bool(self.ids) or self.above is not None

    def also(self, ids: Collection[int]) -> Uncompared:
        if self.above is not None:
            ids = [id for id in ids if id <= self.above]
        found = replace(self, ids=self.ids | set(ids))
        return everything() if len(found.ids) > _MOST else found

    def of(self, ids: Collection[int]) -> list[int]:
        """Those of `ids` that are meant, ascending."""
        above = self.above
        return sorted(id for id in ids if id in self.ids or (above is not None and id > above))

    def without(self, ids: Collection[int]) -> Uncompared:
        """After these, the lowest that were left, have been compared."""
        above = self.above
        if above is not None:
            above = max([above, *ids])
        return Uncompared(self.ids - set(ids), above)


def everything() -> Uncompared:
    return Uncompared(above=0)


def read(store: Store) -> Uncompared:
    note = store.notes().get(_NOTE)
    if not note:
        return Uncompared()
    try:
        ids, above = json.loads(note)
        return Uncompared(frozenset(map(int, ids)), None if above is None else int(above))
    except (ValueError, TypeError):
        return everything()


def write(store: Store, uncompared: Uncompared) -> None:
    written = json.dumps([sorted(uncompared.ids), uncompared.above]) if uncompared else ""
    store.put_notes({_NOTE: written})
