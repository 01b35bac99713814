"""After thresholds or the judgement have changed: what is stored, and no longer follows from them.

The library says by which thresholds it was judged. `similarity_threshold` chooses among the stored
pairs, and the groups are made from those that it leaves. The levels for text alone shape the
judgement of a pair itself: what they refuse is not stored, so all pairs are judged anew. What has
to be done is marked in the library before anything is done, so a run that is killed goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from paperless_fingerprint.comparison.judgement import learned
from paperless_fingerprint.progress import Progress
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store

#: Which of the stored pairs count; then the levels from which text alone may decide.
KEYS = ("similarity_threshold", "near.threshold", "version.threshold")
_NOTE = "thresholds"
#: Before the thresholds that an analysis under way leads to.
_TOWARDS = "towards "


class Due(StrEnum):
    NOTHING = "nothing"
    GROUPS = "groups"
    PAIRS = "pairs"


def due(notes: Mapping[str, str], settings: Settings) -> Due:
    """What a library with these notes needs."""
    known, wanted = notes.get(_NOTE), _told(settings)
    if known in {None, wanted}:
        return Due.NOTHING
    assert known is not None
    same_levels = known.removeprefix(_TOWARDS).split()[1:] == wanted.split()[1:]
    return Due.GROUPS if same_levels else Due.PAIRS


def remember(store: Store, settings: Settings) -> None:
    """A library that does not say how it was judged was judged as the settings say now."""
    if _NOTE not in store.notes():
        store.put_notes({_NOTE: _told(settings)})


def begin(store: Store, settings: Settings, progress: Progress) -> bool:
    """Mark what is to be judged anew; whether the groups are, too."""
    remember(store, settings)
    what = due(store.notes(), settings)
    if what is Due.NOTHING:
        return False
    if what is Due.PAIRS:
        progress.say(
            "The thresholds or the rules of the judgement have changed: all documents are compared "
            "anew."
        )
        store.mark_pending(store.ids())
    else:
        progress.say("The thresholds have changed: groups and versions are made anew.")
    store.put_notes({_NOTE: _TOWARDS + _told(settings)})
    return True


def finish(store: Store, settings: Settings) -> None:
    if store.notes().get(_NOTE) != _told(settings):
        store.put_notes({_NOTE: _told(settings)})


def _told(settings: Settings) -> str:
    return " ".join([*(repr(float(settings.value(key))) for key in KEYS), learned().id])
