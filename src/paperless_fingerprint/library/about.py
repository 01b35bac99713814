"""All that is known about one document: what `show ID` prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.library import as_json as shown
from paperless_fingerprint.model import (
    Candidate,
    Decision,
    Document,
    Fingerprint,
    Group,
    Pair,
    VersionChain,
)
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store


@dataclass(frozen=True, slots=True)
class About:
    document: Document
    fingerprint: Fingerprint
    #: Surest first.
    pairs: tuple[Pair, ...]
    group: Group | None
    versions: VersionChain | None
    decisions: tuple[Decision, ...]
    candidates: tuple[Candidate, ...]
    #: ISO 639-1, where the semantic tier has told it.
    language: str | None
    #: It waits for its analysis.
    is_pending: bool

    def as_json(self) -> dict[str, Any]:
        return shown.document_json(self.document) | {
            "fingerprint": shown.fingerprint_json(self.fingerprint),
            "pairs": [shown.pair_json(pair) for pair in self.pairs],
            "group": shown.group_json(self.group) if self.group else None,
            "version_chain": shown.chain_json(self.versions) if self.versions else None,
            "decisions": [shown.decision_json(decision) for decision in self.decisions],
            "candidates": [shown.candidate_json(candidate) for candidate in self.candidates],
            "language": self.language,
            "pending": self.is_pending,
        }


def about(store: Store, settings: Settings, id: int) -> About:
    record = store.get([id]).get(id)
    if record is None:
        raise UsageError(
            f"There is no document {id} in the library. 'paperless-fingerprint sync' or "
            "'import' brings new ones."
        )
    language = None
    if settings.semantic.enabled:
        from paperless_fingerprint.library.semantic import language_of

        language = language_of(store, settings, id) or None
    return About(
        document=record.document,
        fingerprint=record.fingerprint,
        pairs=tuple(store.pairs(ids=[id], at_least=settings.similarity_threshold)),
        group=next(iter(store.groups(ids=[id])), None),
        versions=next(iter(store.chains([id])), None),
        decisions=tuple(store.decisions([id])),
        candidates=tuple(
            store.candidates(record.fingerprint, checksum=record.document.checksum, excluding=id)
        ),
        language=language,
        is_pending=bool(store.pending(ids=[id])),
    )
