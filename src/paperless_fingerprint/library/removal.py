"""Documents out: every trace goes but the decisions of people, and chains close over the gap."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from paperless_fingerprint.library import regroup
from paperless_fingerprint.library.clock import now_text
from paperless_fingerprint.library.settled import unsettle
from paperless_fingerprint.model import Decision, Verdict
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store


def remove(store: Store, settings: Settings, ids: Collection[int]) -> int:
    """Delete documents from the library (never from Paperless); say how many there were."""
    ids = set(ids)
    if not ids:
        return 0
    neighbours: set[int] = set()
    for chain in store.chains(ids):
        left = [id for id in chain.members if id not in ids]
        neighbours |= set(left)
        # Said before the deletion: should this process die in between, it is said again.
        for older, newer in pairwise(left):
            between = chain.members[chain.members.index(older) + 1 : chain.members.index(newer)]
            if between:
                store.put_decision(
                    Decision(
                        older, newer, Verdict.SUCCEEDS,
                        now_text(),
                        f"deletion of {', '.join(map(str, between))}",
                    )
                )  # fmt: skip
    for group in store.groups(ids=ids):
        neighbours |= set(group.members) - ids
    unsettle(store, len(ids))
    removed = store.delete(ids)
    if neighbours:
        regroup.refresh(store, settings, neighbours)
    return removed
