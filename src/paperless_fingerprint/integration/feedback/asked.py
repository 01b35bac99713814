"""What may be written before anybody has let us write about the whole library (`apply`).

What comes after the first look at Paperless is told at once, with what it is found to belong to, and
so is what somebody has confirmed. What was there before waits: whatever the order in which it is
seen, edited or compared, and whoever's token sees it first.
"""

from __future__ import annotations

from collections.abc import Collection

from paperless_fingerprint.integration.feedback.labels import TAKEN_BACK_NOTE
from paperless_fingerprint.integration.feedback.ledger import NEW, Ledger
from paperless_fingerprint.model import STORED_RELATIONS, Verdict
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store

#: Set once somebody has let us write about the whole library.
APPLIED_NOTE = "paperless.applied"


def is_applied(store: Store) -> bool:
    return store.notes().get(APPLIED_NOTE) == "yes"


def ask_for_all(store: Store) -> None:
    """From now on the whole library is written about, and kept right."""
    store.put_notes({APPLIED_NOTE: "yes", TAKEN_BACK_NOTE: ""})


def among(store: Store, ledger: Ledger, settings: Settings, ids: Collection[int]) -> set[int]:
    """Those of `ids` that may be written about."""
    if is_applied(store):
        return set(ids)
    around = store.connections(ids, at_least=settings.similarity_threshold)
    everybody = {*ids, *around.ids}
    new = {id for id, kinds in ledger.rows(everybody).items() if NEW in kinds}
    said = store.decisions(everybody)
    found = new | {id for d in said if d.verdict is Verdict.CONFIRMED for id in (d.a, d.b)}
    chosen = {d.a for d in said if d.verdict is Verdict.PRIMARY}
    for group in around.groups:
        if not (new | chosen).isdisjoint(group.members):
            found |= set(group.members)
    for members in (
        *(chain.members for chain in around.chains),
        *((link.a, link.b) for link in around.links if link.relation in STORED_RELATIONS),
    ):
        if not new.isdisjoint(members):
            found |= set(members)
    return found & set(ids)
