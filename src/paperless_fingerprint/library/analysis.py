"""The use case `analyze`: candidates, scores, relations, groups, for one document or for all.

Many documents are joined in memory (analysis_whole.py), few are looked up one by one
(analysis_one.py). Both take the same steps; what one by one leaves to be judged with the rest of
the library is kept in mind (settled.py):

    1  known     what people said, what the semantic tier found, the pairs that are stored
    2  find      candidates, and of them those that are worth comparing
    3  words     how common the words are, asked for in one go
    4  judge     the texts of each pair are compared
    5  overrule  what people said counts more
    6  store     the pairs; those that are none any more go
    7  groups    and chains, and how sure each pair is among its rivals
    8  tick off  the documents are no longer waiting

All together, the documents are ticked off stretch by stretch, each after its pairs are stored, and
the groups are made last: a run that is killed goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

from paperless_fingerprint.library import outdated, regroup, settled
from paperless_fingerprint.library.analysis_one import LetGo, analyse_one
from paperless_fingerprint.library.analysis_report import AnalysisReport, Tally
from paperless_fingerprint.library.import_file import renew
from paperless_fingerprint.library.vocabulary import StoredVocabulary
from paperless_fingerprint.progress import Progress
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store

#: Looking a document up costs about as much as joining 200 of a library that has been read.
_FEW = 16
_FEW_SHARE = 0.005

#: Set while pairs are stored whose groups are not made yet.
GROUPS_NOTE = "groups"


def analyse(
    store: Store,
    settings: Settings,
    progress: Progress,
    *,
    full: bool = False,
    settle: bool = False,
    is_called_away: Callable[[], bool] = lambda: False,
    let_go: LetGo = nullcontext,
) -> AnalysisReport:
    """Judge all that waits; with `full`, everything; with `settle`, everything if the order in
    which documents came may count still. The caller holds the library's lock; see analyse_one()
    for `let_go`.

    Whoever is called away leaves off between two stretches; the next analysis goes on there.
    """
    renew(store, settings.spec(), progress)
    if outdated.begin(store, settings, progress):
        store.put_notes({GROUPS_NOTE: "stale"})
    state = settled.unsettled(store.notes())
    if full or (settle and state and not state.under_way):
        store.mark_pending(store.ids())
    waiting = store.pending()
    documents = store.report().counts.documents
    if waiting and len(waiting) == documents:
        settled.begin(store)
    elif not state.under_way:
        settled.unsettle(store, len(waiting))
    together = settled.unsettled(store.notes()).under_way
    tally = Tally(settings.similarity_threshold)
    if not together and len(waiting) <= _FEW + _FEW_SHARE * documents:
        progress.begin("analyse", len(waiting))
        vocabulary = StoredVocabulary(store)
        for item in waiting:
            analyse_one(store, settings, item, vocabulary, tally, let_go=let_go)
            progress.advance()
    elif waiting:
        from paperless_fingerprint.library.analysis_whole import analyse_whole
        from paperless_fingerprint.library.waiting import Waiting

        store.put_notes({GROUPS_NOTE: "stale"})
        asked = Waiting.of(waiting)
        del waiting  # a million of them take 150 MB
        analyse_whole(store, settings, asked, tally, progress, is_called_away, from_all=together)
    if is_called_away():
        return tally.report()
    if store.notes().get(GROUPS_NOTE) == "stale":
        progress.begin("groups")
        tally.correct(regroup.refresh(store, settings))
        store.put_notes({GROUPS_NOTE: "current"})
    outdated.finish(store, settings)
    if together:
        settled.finish(store)
    return tally.report()
