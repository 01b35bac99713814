"""Writing a plan to Paperless: announced in the ledger, merged in batches, settled in the ledger."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import Any

from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.feedback import dead_links
from paperless_fingerprint.integration.feedback.dead_links import numbers_of, targets_of
from paperless_fingerprint.integration.feedback.labels import Labels
from paperless_fingerprint.integration.feedback.ledger import ADDING, ON, REFUSED, REMOVING, Mark
from paperless_fingerprint.integration.feedback.plan import (
    PLAIN_FIELDS,
    Entry,
    FeedbackReport,
    Plan,
    as_report,
)
from paperless_fingerprint.library.clock import now_text
from paperless_fingerprint.paperless.client import BulkResult
from paperless_fingerprint.paperless.refusals import DeniedError, MissingError, RefusedError
from paperless_fingerprint.paperless.writing import GONE


class Writer:
    def __init__(self, place: Workplace, labels: Labels, pause: Callable[[], None] | None) -> None:
        self._place = place
        self._labels = labels
        self._pause = pause or (lambda: None)
        self._refused: dict[int, str] = {}
        self._problems: list[str] = list(labels.problems)

    def write(self, plan: Plan) -> FeedbackReport:
        ledger = self._place.ledger
        replaced = {(id, kind) for id, kind, _ in plan.remove}
        ledger.put(
            [(id, kind, mark, REMOVING) for id, kind, mark in plan.remove]
            + [
                (id, kind, mark, ADDING)
                for id, kind, mark in plan.add
                if (id, kind) not in replaced
            ]
        )
        try:
            self._write_tags(plan)
            self._write_fields(plan)
            self._write_notes(plan)
        except DeniedError as error:
            if error.status == 401:
                raise
            # Something that this token may not do at all; the rest of the work is done.
            self._problems.append(str(error))
        report = as_report(plan, tuple(self._problems))
        return FeedbackReport(
            report.added, report.removed, tuple(sorted(self._refused.items())), report.problems
        )

    def _note(self, result: BulkResult) -> set[int]:
        self._pause()
        for refusal in result.refused:
            self._refused[refusal.id] = refusal.reason
        return set(result.done)

    def _settle(
        self, added: Iterable[Entry], removed: Iterable[Entry], done: Collection[int]
    ) -> None:
        """Down in the ledger as Paperless has it now."""
        on: list[tuple[int, str, Mark, str]] = []
        gone: list[tuple[int, str]] = []
        for id, kind, mark in removed:
            if id in done:
                gone.append((id, kind))
            elif self._refused.get(id) != GONE:
                on.append((id, kind, mark, REFUSED))
            # What lies in the trash stays on the list for the day on which it comes back.
        for id, kind, mark in added:
            if id in done:
                since = Mark(mark.number, now_text()) if kind.startswith("tag:") else mark
                on.append((id, kind, since, ON))
            elif self._refused.get(id) == GONE:
                gone.append((id, kind))
            else:
                on.append((id, kind, mark, REFUSED))
        self._place.ledger.settle(on, gone)

    # --- tags -----------------------------------------------------------------------------------

    def _write_tags(self, plan: Plan) -> None:
        add: defaultdict[int, list[Entry]] = defaultdict(list)
        remove: defaultdict[int, list[Entry]] = defaultdict(list)
        for entries, by_document in ((plan.add, add), (plan.remove, remove)):
            for entry in entries:
                if entry[1].startswith("tag:"):
                    by_document[entry[0]].append(entry)
        parents = {
            id for id, entries in remove.items() if any(k == "tag:parent" for _, k, _ in entries)
        }
        kept_parents = self._with_other_children(parents)
        batches: defaultdict[tuple[frozenset[int], frozenset[int]], list[int]] = defaultdict(list)
        wanted = self._tags_that_stay(set(remove), plan)
        for id in sorted({*add, *remove}):
            new = frozenset(mark.number for _, _, mark in add[id])
            old = frozenset(
                mark.number
                for _, kind, mark in remove[id]
                if mark.number in self._labels.known_tags
                and not (kind == "tag:parent" and id in kept_parents)
            )
            batches[new, old - new - wanted.get(id, frozenset())].append(id)
        for (new, old), ids in batches.items():
            done = set(ids)
            if new or old:
                done = self._note(self._place.paperless.modify_tags(ids, add=new, remove=old))
            self._settle(
                [entry for id in ids for entry in add[id]],
                [entry for id in ids for entry in remove[id]],
                done,
            )

    def _tags_that_stay(self, ids: Collection[int], plan: Plan) -> dict[int, frozenset[int]]:
        """Two roles may have one tag: it goes when the last of them does."""
        going = {(id, kind) for id, kind, _ in plan.remove}
        return {
            id: frozenset(
                written.mark.number
                for kind, written in kinds.items()
                if kind.startswith("tag:") and (id, kind) not in going and written.state == ON
            )
            for id, kinds in self._place.ledger.rows(ids).items()
        }

    def _with_other_children(self, ids: Collection[int]) -> set[int]:
        """Removing a parent tag would take a person's own tags below it along."""
        if not ids:
            return set()
        ours = set(self._labels.tags.values())
        foreign = {
            tag
            for tag, parent in self._labels.known_tags.items()
            if parent is not None and parent == self._labels.parent and tag not in ours
        }
        found = self._place.paperless.tags_and_fields(ids)
        return {id for id, (tags, _) in found.items() if foreign & set(tags)}

    # --- fields ---------------------------------------------------------------------------------

    def _write_fields(self, plan: Plan) -> None:
        removed = [e for e in plan.remove if e[1].startswith("link:") or e[1] in PLAIN_FIELDS]
        added = [e for e in plan.add if e[1].startswith("link:") or e[1] in PLAIN_FIELDS]
        if removed:
            self._remove_fields(removed, added)
        if added:
            self._add_fields(added)

    def _remove_fields(self, removed: list[Entry], added: list[Entry]) -> None:
        """The field comes off as a whole, which clears the back links; a person's links go back."""
        again = {(id, mark.number) for id, _, mark in added}
        there = self._place.paperless.tags_and_fields({id for id, _, _ in removed})
        by_field: defaultdict[int, list[Entry]] = defaultdict(list)
        for entry in removed:
            by_field[entry[2].number].append(entry)
        targets: defaultdict[int, set[int]] = defaultdict(set)
        for number, entries in by_field.items():
            ids = [id for id, _, _ in entries if number in there.get(id, ((), {}))[1]]
            done = set()
            if ids:
                done = self._note(self._place.paperless.modify_custom_fields(ids, remove=[number]))
            absent = {id for id, _, _ in entries} - set(ids)
            for id, kind, mark in entries:
                if kind in PLAIN_FIELDS:
                    continue
                own = set(targets_of(mark))
                targets[number] |= own
                kept = [
                    n for n in numbers_of(there.get(id, ((), {}))[1].get(number)) if n not in own
                ]
                if kept and id in done:
                    self._put_back(id, number, kept)
                elif (id, number) not in again:
                    targets[number].add(id)
            self._settle([], entries, done | absent)
        # A link that is gone leaves an empty field on its other end.
        for number, others in targets.items():
            self._note(dead_links.clear_empty(self._place.paperless, number, others))

    def _put_back(self, id: int, number: int, kept: list[int]) -> None:
        there = self._place.paperless.changeable_ids(kept)
        values = [n for n in kept if n in there]
        if values:
            self._note(self._place.paperless.modify_custom_fields([id], values={number: values}))

    def _add_fields(self, added: list[Entry]) -> None:
        links_added = [entry for entry in added if entry[1] not in PLAIN_FIELDS]
        linked = {id for id, _, _ in links_added}
        aims = {n for _, _, mark in links_added for n in targets_of(mark)}
        # What stands there already is sent again, and must lead somewhere, too.
        dead_links.clear(self._place, linked | aims, self._labels)
        there = self._place.paperless.tags_and_fields(linked)
        standing = {
            (id, mark.number): numbers_of(there[id][1].get(mark.number))
            for id, _, mark in links_added
            if id in there
        }
        # Paperless lets nobody link with what he may not change.
        reachable = self._place.paperless.changeable_ids(aims.union(linked, *standing.values()))
        entries: defaultdict[int, list[Entry]] = defaultdict(list)
        values: defaultdict[int, dict[int, Any]] = defaultdict(dict)
        links: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for id, kind, mark in added:
            entries[id].append((id, kind, mark))
            if kind in PLAIN_FIELDS:
                told = float(mark.value) if kind == "confidence" else mark.value
                values[id][mark.number] = told
                continue
            for target in sorted(set(targets_of(mark)) & reachable):
                links[id, mark.number].append(target)
        # Whoever is written to and linked at the same time keeps the link that Paperless sets back.
        for (id, number), targets in list(links.items()):
            for target in targets:
                if (target, number) in links and id not in links[target, number]:
                    links[target, number].append(id)
        stuck: set[int] = set()
        for (id, number), targets in links.items():
            old = standing.get((id, number), [])
            if not reachable.issuperset(old):
                self._refused[id] = "has links to documents that this token may not change"
                stuck.add(id)
                continue
            values[id][number] = list(dict.fromkeys([*old, *targets]))
        batches: defaultdict[str, list[int]] = defaultdict(list)
        for id in sorted(entries):
            batches[json.dumps(values.get(id, {}), sort_keys=True)].append(id)
        for ids in batches.values():
            done = set(ids)
            if values.get(ids[0]):
                result = self._place.paperless.modify_custom_fields(ids, values=values[ids[0]])
                done = self._note(result)
            self._settle([entry for id in ids for entry in entries[id]], [], done - stuck)

    # --- notes ----------------------------------------------------------------------------------

    def _write_notes(self, plan: Plan) -> None:
        paperless = self._place.paperless
        for entry in plan.remove:
            id, kind, mark = entry
            if kind == "note":
                if mark.number:
                    paperless.delete_note(id, mark.number)
                    self._pause()
                self._settle([], [entry], {id})
        for id, kind, mark in plan.add:
            if kind == "note":
                try:
                    # Perhaps it was written and the ledger did not hear of it.
                    same = [note for note in paperless.notes(id) if note.text == mark.value]
                    note = same[0] if same else paperless.add_note(id, mark.value)
                except (MissingError, RefusedError, DeniedError) as error:
                    if isinstance(error, DeniedError) and error.status == 401:
                        raise
                    self._refused[id] = str(error)
                    self._settle([(id, kind, mark)], [], ())
                else:
                    self._settle([(id, kind, Mark(note.id, mark.value))], [], {id})
                self._pause()
