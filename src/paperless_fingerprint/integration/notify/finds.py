"""Which documents that have come are news: duplicates, versions, parts of what was there."""

from __future__ import annotations

import time
from collections.abc import Collection

from paperless_fingerprint.errors import FingerprintError, StoreError
from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.feedback.labels import Role
from paperless_fingerprint.integration.feedback.wanted import Wish, wishes
from paperless_fingerprint.integration.notify.outbox import Find, Outbox
from paperless_fingerprint.library.clock import now_text
from paperless_fingerprint.library.lock import path_of_outbox
from paperless_fingerprint.model import Group

_MOST_OTHERS = 5
#: What is said first where a document is several things.
_RELATIONS = (Role.EXACT, Role.NEAR, Role.VERSION, Role.CONTAINS, Role.SEMANTIC)


def note_finds(place: Workplace, ids: Collection[int]) -> None:
    """Of these documents, whose connections have changed. Before they are done: what dies in
    between is found again. Where it cannot be kept the documents go on all the same."""
    if place.settings.notify.when == "off" or not ids:
        return
    try:
        outbox = Outbox(path_of_outbox(place.settings))
    except FingerprintError as error:
        place.say(str(error))
        return
    try:
        since = outbox.since(now_text())
        documents = place.store.metadata(ids)
        new = {id: known for id, known in documents.items() if (known.added or "") >= since}
        for id in outbox.known(new):
            del new[id]
        if not new:
            return
        wanted = wishes(place.store, place.settings, new.keys(), dict(new))
        groups = {id: group for group in place.store.groups(ids=new) for id in group.members}
        finds, silent = [], []
        for id, wish in wanted.items():
            group = groups.get(id)
            if _is_told_by_others(id, wish, group, new):
                silent.append(id)
            else:
                finds.append(_find(id, new[id].title, wish, group))
        outbox.add(finds, silent, time.time())
    except StoreError as error:
        place.say(str(error))
    finally:
        outbox.close()


def _is_told_by_others(id: int, wish: Wish, group: Group | None, new: Collection[int]) -> bool:
    """Of copies that have come together one is kept, and the others are copies of it."""
    others = set(group.members) - {id} if group else set()
    return wish.roles == {Role.PRIMARY} and not others.isdisjoint(new)


def _find(id: int, title: str, wish: Wish, group: Group | None) -> Find:
    relation = next((role.value for role in _RELATIONS if role in wish.roles), "")
    if not relation and group is not None:
        relation = group.relation.value
    others = dict.fromkeys(other for targets in wish.links.values() for other in targets)
    if group is not None:
        others |= dict.fromkeys(other for other in group.members if other != id)
    return Find(id, title, relation, tuple(others)[:_MOST_OTHERS])
