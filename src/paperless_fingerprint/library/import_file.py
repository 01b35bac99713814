"""The use case `import FILE`: lines in, documents stored, bad lines named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.library import intake, jsonl, settled
from paperless_fingerprint.library.intake import IntakeReport
from paperless_fingerprint.library.jsonl import BadLine
from paperless_fingerprint.model import Document
from paperless_fingerprint.progress import Progress
from paperless_fingerprint.stores.base import Store


@dataclass(frozen=True, slots=True)
class ImportReport:
    intake: IntakeReport
    bad: tuple[BadLine, ...]
    #: Stored documents that were fingerprinted anew because the settings had changed.
    renewed: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "new": self.intake.new,
            "changed": self.intake.changed,
            "metadata": self.intake.metadata,
            "unchanged": self.intake.unchanged,
            "renewed": self.renewed,
            "bad": [{"line": bad.line, "reason": bad.reason} for bad in self.bad],
        }

    def in_words(self) -> str:
        parts = [
            f"{count:,} {word}"
            for count, word in (
                (self.intake.new, "new"),
                (self.intake.changed, "with changed text"),
                (self.intake.metadata, "with changed metadata"),
                (self.intake.unchanged, "unchanged"),
                (len(self.bad), "left out"),
            )
            if count
        ]
        return "Imported: " + (", ".join(parts) or "nothing, the file is empty") + "."


def import_file(
    store: Store, file: IO[bytes], spec: FingerprintSpec, progress: Progress
) -> ImportReport:
    bad: list[BadLine] = []
    lines: dict[int, int] = {}

    def documents() -> Iterator[Document]:
        position = 0
        for item in jsonl.read(file):
            if isinstance(item, BadLine):
                bad.append(item)
                progress.say(f"line {item.line}: {item.reason}")
                continue
            progress.advance(item.position - position)
            position = item.position
            lines[item.document.id] = item.line
            yield item.document

    renewed = renew(store, spec, progress)
    progress.begin("import", _size(file))
    report = IntakeReport()
    for batch in intake.batches(documents()):
        settled.write_down(store, len(batch))
        done = intake.take_in(store, batch, spec)
        for refusal in done.refused:
            refused = BadLine(lines[refusal.id], refusal.reason)
            bad.append(refused)
            progress.say(f"line {refused.line}: {refused.reason}")
        lines.clear()
        # Nobody needs them any more, and the next ones are read in a moment.
        batch.clear()
        report = report.plus(done)
    if written := report.new + report.changed:
        store.settle(written)
    return ImportReport(report, tuple(bad), renewed)


def renew(store: Store, spec: FingerprintSpec, progress: Progress) -> int:
    """Fingerprint what is stored anew where the settings that shape a fingerprint have changed."""
    if store.notes().get(intake.SPEC_NOTE) == spec.id:
        return 0
    stale = intake.stale_ids(store, spec)
    if stale:
        progress.say(
            f"The settings of the fingerprint have changed: {len(stale):,} documents are "
            "fingerprinted anew."
        )
        intake.take_anew(store, stale, spec)
    store.put_notes({intake.SPEC_NOTE: spec.id})
    return len(stale)


def _size(file: IO[bytes]) -> int | None:
    try:
        return os.fstat(file.fileno()).st_size or None
    except OSError:
        return None
