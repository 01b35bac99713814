"""What should be written to Paperless, compared with what was: the difference, as a plan."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from paperless_fingerprint.integration.feedback.labels import LINKS, Labels
from paperless_fingerprint.integration.feedback.ledger import (
    NEW,
    ON,
    REFUSED,
    REMOVING,
    Mark,
    Rows,
    Written,
)
from paperless_fingerprint.integration.feedback.wanted import Wish
from paperless_fingerprint.settings.registry import Settings

#: So begin the notes that we write.
NOTE_BEGINS = "paperless-fingerprint: "
Entry = tuple[int, str, Mark]
#: Fields of one value, which is overwritten as a whole.
PLAIN_FIELDS = ("confidence", "compare")


@dataclass(frozen=True, slots=True)
class Plan:
    remove: tuple[Entry, ...] = ()
    add: tuple[Entry, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.remove or self.add)


@dataclass(frozen=True, slots=True)
class FeedbackReport:
    #: Kind → how many were (or, in a dry run, would be) written and taken back.
    added: Mapping[str, int] = field(default_factory=dict)
    removed: Mapping[str, int] = field(default_factory=dict)
    #: (document, why Paperless refused).
    refused: tuple[tuple[int, str], ...] = ()
    problems: tuple[str, ...] = ()
    #: Of a dry run: what each document would get and lose.
    plan: Plan = field(default_factory=Plan)

    def as_json(self) -> dict[str, Any]:
        return {
            "added": dict(self.added),
            "removed": dict(self.removed),
            "refused": [{"id": id, "reason": reason} for id, reason in self.refused],
            "problems": list(self.problems),
        }


def marks_of(id: int, wish: Wish, labels: Labels, settings: Settings) -> dict[str, Mark]:
    marks = {
        f"tag:{role.value}": Mark(labels.tags[role]) for role in wish.roles if role in labels.tags
    }
    if not marks and labels.tags:
        return {}
    if labels.parent is not None and marks:
        marks["tag:parent"] = Mark(labels.parent)
    for kind, targets in wish.links.items():
        if kind in labels.fields:
            marks[f"link:{kind}"] = Mark(labels.fields[kind], json.dumps(sorted(targets)))
    if wish.confidence is not None and "confidence" in labels.fields:
        marks["confidence"] = Mark(labels.fields["confidence"], f"{wish.confidence:.2f}")
    if "compare" in labels.fields:
        marks["compare"] = Mark(labels.fields["compare"], compare_address(settings, id))
    with_links = any(kind in labels.fields for kind in LINKS)
    sentences = wish.sentences if settings.paperless.notes else wish.instead if with_links else []
    if sentences:
        marks["note"] = Mark(0, NOTE_BEGINS + " ".join(sentences))
    return marks


def compare_address(settings: Settings, id: int) -> str:
    """Where the page compares the document with whatever it belongs to by then: an address that
    outlives every change of groups, and the other document."""
    return f"{(settings.service.public_url or '').rstrip('/')}/compare/{id}"


def difference(wanted: Mapping[int, Mapping[str, Mark]], rows: Rows, *, again: bool) -> Plan:
    remove: list[Entry] = []
    add: list[Entry] = []
    for id in sorted({*wanted, *rows}):
        new, old = wanted.get(id, {}), rows.get(id, {})
        for kind in sorted({*new, *old}):
            if kind == NEW or kind.startswith("heard:"):
                continue
            mark, written = new.get(kind), old.get(kind)
            same = mark is not None and written is not None and _same(kind, mark, written)
            settled = {ON} if again else {ON, REFUSED}
            if same and written is not None and written.state in settled:
                continue
            if written is not None and _must_go(kind, mark, written):
                remove.append((id, kind, written.mark))
            if mark is not None:
                add.append((id, kind, mark))
    return Plan(tuple(remove), tuple(add))


def _same(kind: str, mark: Mark, written: Written) -> bool:
    if kind == "note":  # its number is known once it is there
        return mark.value == written.mark.value
    if kind.startswith("tag:"):  # and since when is known then
        return mark.number == written.mark.number
    return mark == written.mark


def _must_go(kind: str, mark: Mark | None, written: Written) -> bool:
    """Whether what is there has to be taken away before something else is written."""
    if mark is None:
        return True
    if kind in PLAIN_FIELDS and mark.number == written.mark.number:
        return False  # overwritten
    return not _same(kind, mark, written) or (
        written.state == REMOVING and kind.startswith(("link:", "note"))
    )


def as_report(plan: Plan, problems: tuple[str, ...] = ()) -> FeedbackReport:
    def counted(entries: Iterable[Entry]) -> dict[str, int]:
        counts: defaultdict[str, int] = defaultdict(int)
        for _, kind, _ in entries:
            counts[kind] += 1
        return dict(sorted(counts.items()))

    return FeedbackReport(counted(plan.add), counted(plan.remove), (), problems, plan)
