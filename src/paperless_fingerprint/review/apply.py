"""What was said becomes decisions of the library. The caller holds the library's lock.

Each step may be done twice: a run that died in between is repaired by doing it again.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.library import decisions, regroup
from paperless_fingerprint.library.reach import reach
from paperless_fingerprint.model import Pair, PairScore, Relation, Verdict
from paperless_fingerprint.review.journal import (
    DONE,
    REFUSED,
    TRASH,
    UNDONE,
    DecisionStep,
    Journal,
    JournalEntry,
    decision_of,
    kept,
)
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store


def carry_out(
    store: Store, settings: Settings, journal: Journal, entry: JournalEntry
) -> tuple[set[int], tuple[Reason, ...]]:
    """The documents that Paperless may have to be told something about; and why it could not be
    carried out, where it could not. Whoever has seen to those documents settles it."""
    around = reach(store, entry.documents)
    try:
        if entry.undoes is not None:
            undone = journal.get(entry.undoes)
            if undone is not None:
                with store.at_once():
                    _put_back(store, settings, undone)
        else:
            if not entry.was:
                journal.remember(entry.number, json.dumps(_standing(store, entry)))
            with store.at_once():
                for step in entry.steps:
                    do(store, settings, step, entry.by)
    except UsageError as error:
        # Documents that were deleted meanwhile: there is nothing left to decide about.
        return around, (Reason.of_error(error),)
    return around | reach(store, entry.documents), ()


def settle(journal: Journal, entry: JournalEntry, why: tuple[Reason, ...]) -> None:
    if why:
        journal.settle(entry.number, REFUSED, why)
        return
    if entry.undoes is not None:
        journal.settle(entry.undoes, UNDONE)
    journal.settle(entry.number, DONE)


def do(store: Store, settings: Settings, step: DecisionStep, by: str) -> None:
    if step.what == "confirm":
        for other in step.others:
            decisions.confirm(store, settings, step.a, other, by=by)
    elif step.what == "dismiss":
        decisions.dismiss(store, settings, step.a, *step.others, by=by)
    elif step.what == "primary":
        decisions.choose_primary(store, settings, step.a, by=by)
    elif step.what != TRASH:  # which is done in Paperless
        raise UsageError(f"'{step.what}' is nothing that can be decided.")


def _standing(store: Store, entry: JournalEntry) -> dict[str, Any]:
    """Decisions, pairs and texts as they are before the first step."""
    subjects = entry.decided
    ids = {id for subject in subjects for id in subject}
    return {
        "decisions": kept([d for d in store.decisions(ids) if (d.a, d.b) in subjects]),
        "pairs": [asdict(pair) for pair in store.pairs(ids=ids) if (pair.a, pair.b) in subjects],
        "texts": {str(id): found[1] for id, found in store.text_hashes(ids).items()},
    }


def _put_back(store: Store, settings: Settings, undone: JournalEntry) -> None:
    was = json.loads(undone.was) if undone.was else {"decisions": [], "pairs": [], "texts": {}}
    before = [decision_of(told) for told in was["decisions"]]
    subjects = undone.decided
    ids = {id for subject in subjects for id in subject}
    for a, b in sorted(subjects):
        # Takes away what was said, and looks at the two anew.
        decisions.undo(store, settings, (a, b))
    for decision in before:
        store.put_decision(decision)
    texts = {str(id): found[1] for id, found in store.text_hashes(ids).items()}
    pairs = [
        pair
        for pair in map(_pair, was["pairs"])
        if all(texts.get(str(id)) == was["texts"].get(str(id)) for id in (pair.a, pair.b))
    ]
    gone = [(d.a, d.b) for d in before if d.verdict is Verdict.DISMISSED and d.relation is None]
    store.write_pairs(pairs, removing=gone)
    present = store.metadata(ids).keys()
    regroup.refresh(store, settings, present)


def _pair(told: dict[str, Any]) -> Pair:
    return Pair(
        told["a"], told["b"], Relation(told["relation"]), told["confidence"],
        PairScore(**told["scores"]), tuple(map(Reason.of, told["reasons"])), told["leader"],
    )  # fmt: skip
