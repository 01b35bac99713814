"""What an analysis has found: counted while it goes on, told at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from paperless_fingerprint.model import Key, Pair


@dataclass(frozen=True, slots=True)
class AnalysisReport:
    documents: int = 0
    #: Pairs that shared enough to be looked at, and those whose texts were compared.
    candidates: int = 0
    compared: int = 0
    #: Pairs that were found, by relation.
    found: tuple[tuple[str, int], ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "documents": self.documents,
            "candidates": self.candidates,
            "compared": self.compared,
            "found": dict(self.found),
        }

    def with_found(self, pairs: Collection[Pair]) -> AnalysisReport:
        """With what another tier has found."""
        found = Counter(dict(self.found)) + Counter(pair.relation.value for pair in pairs)
        return replace(self, found=tuple(sorted(found.items())))

    def in_words(self) -> str:
        if not self.documents and not self.found:
            return "Analysed: nothing has changed since the last time."
        found = ", ".join(f"{count:,} {relation}" for relation, count in self.found)
        return (
            f"Analysed {self.documents:,} documents: {self.candidates:,} candidate pairs, "
            f"{self.compared:,} compared. Found: {found or 'no pairs'}."
        )


class Tally:
    def __init__(self, at_least: float = 0.0) -> None:
        self.documents = self.candidates = self.compared = 0
        self._at_least = at_least
        # One by one, a pair is met from both of its sides; it counts once.
        self._found: dict[Key, tuple[str, float]] = {}

    def add(self, pairs: Iterable[Pair]) -> None:
        for pair in pairs:
            self._found[pair.a, pair.b] = (pair.relation.value, pair.confidence)

    def correct(self, pairs: Mapping[Key, Pair]) -> None:
        """Some have become more or less sure since they were added."""
        self.add(pairs[key] for key in pairs.keys() & self._found.keys())

    def report(self) -> AnalysisReport:
        found = Counter(
            relation
            for relation, confidence in self._found.values()
            if confidence >= self._at_least
        )
        return AnalysisReport(
            self.documents, self.candidates, self.compared, tuple(sorted(found.items()))
        )
