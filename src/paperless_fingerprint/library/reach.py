"""How far a change of some documents reaches: a walk over what is stored about them."""

from __future__ import annotations

from collections.abc import Collection

from paperless_fingerprint.grouping.rivals import CLAIMING
from paperless_fingerprint.stores.base import Connections, Store


def circle(store: Store, ids: Collection[int]) -> set[int]:
    """These and all that a group, a chain or a pair connects with them."""
    return set(ids) | store.connections(ids).ids


def reach(store: Store, ids: Collection[int], around: Connections | None = None) -> set[int]:
    """Their circle, and the circles of all whose own pairs are more or less sure because of them.

    Where one of `ids` claims a document, the other claims to that one may fall (see
    grouping/rivals.py), and with them the groups that they held together. `around` are their
    connections, where known.
    """
    around = around or store.connections(ids)
    near = {*ids, *around.ids}
    claimed = {id for link in around.links if link.relation in CLAIMING for id in (link.a, link.b)}
    if not claimed:
        return near
    own = set(ids)
    pairs = [(link.a, link.b) for link in store.links(ids=claimed)]
    if all(a in own or b in own for a, b in pairs):
        return near  # nobody else claims any of them
    return circle(store, near.union(*pairs))
