"""Results as CSV that a spreadsheet may open, and decisions as JSON lines that we read back."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import IO, Any

from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.library import regroup
from paperless_fingerprint.library.uncompared import Uncompared, uncompared
from paperless_fingerprint.model import Decision, Relation, Verdict
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Store

# A cell that begins like this is a formula to a spreadsheet, and titles come from strangers.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")

_PAIR_COLUMNS = (
    "relation", "confidence", "score", "a", "title_a", "b", "title_b", "jaccard", "containment_ab",
    "containment_ba", "fuzzy", "metadata", "title", "facts", "semantic", "reasons",
)  # fmt: skip
_GROUP_COLUMNS = (
    "group", "relation", "confidence", "document", "title", "is_primary", "correspondent",
    "created", "added", "page_count", "file_size",
)  # fmt: skip
_UNCOMPARED_COLUMNS = (
    "id", "title", "reason", "words", "pages", "filename", "added", "detail", "advice",
)  # fmt: skip


def safe_cell(value: Any) -> Any:
    """Text that a spreadsheet takes for text. A leading apostrophe says so to all of them."""
    if isinstance(value, str):
        value = value.replace("\0", "")
        if value.startswith(_FORMULA):
            return "'" + value
    return "" if value is None else value


def write_pairs(store: Store, settings: Settings, file: IO[str]) -> int:
    def rows() -> Iterator[tuple[Any, ...]]:
        for pair in store.pairs(at_least=settings.similarity_threshold):
            titles = store.metadata([pair.a, pair.b])
            named = [titles[id].title if id in titles else "" for id in (pair.a, pair.b)]
            s = pair.scores
            yield (
                pair.relation.value, pair.confidence, s.score, pair.a, named[0], pair.b, named[1],
                s.jaccard, s.containment_ab, s.containment_ba, s.fuzzy, s.metadata, s.title,
                s.facts, s.semantic, "; ".join(map(str, pair.reasons)),
            )  # fmt: skip

    return _write(file, _PAIR_COLUMNS, rows())


def write_groups(store: Store, file: IO[str]) -> int:
    def rows() -> Iterator[tuple[Any, ...]]:
        for group in store.groups():
            for document in store.metadata(group.members).values():
                yield (
                    group.id, group.relation.value, group.confidence, document.id, document.title,
                    "yes" if document.id == group.primary else "", document.correspondent,
                    document.created, document.added, document.page_count, document.file_size,
                )  # fmt: skip

    return _write(file, _GROUP_COLUMNS, rows())


def write_uncompared(store: Store, file: IO[str]) -> int:
    return _write(file, _UNCOMPARED_COLUMNS, uncompared_rows(uncompared(store)))


def uncompared_rows(found: Iterable[Uncompared]) -> Iterator[tuple[Any, ...]]:
    for each in found:
        told = each.as_json()
        yield tuple(told[name] for name in _UNCOMPARED_COLUMNS)


def _write(file: IO[str], columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> int:
    writer = csv.writer(file)
    writer.writerow(columns)
    count = 0
    for row in rows:
        writer.writerow([safe_cell(value) for value in row])
        count += 1
    return count


def write_decisions(store: Store, file: IO[str]) -> int:
    decisions = store.decisions()
    for decision in decisions:
        file.write(json.dumps(asdict(decision), ensure_ascii=False) + "\n")
    return len(decisions)


def read_decisions(store: Store, settings: Settings, file: IO[str]) -> int:
    """Read back what write_decisions() wrote; all of it or, where a line is wrong, nothing."""
    decisions = []
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            decisions.append(_decision(json.loads(line)))
        except (ValueError, TypeError, KeyError) as error:
            raise UsageError(
                f"Line {number} is no decision as 'export decisions' writes them ({error}). "
                "Nothing was read; mend the line and try again."
            ) from None
    concerned: set[int] = set()
    for decision in decisions:
        store.put_decision(decision)
        concerned |= {decision.a, decision.b}
    # Dismissed and confirmed pairs are judged again with the next analysis.
    store.mark_pending(concerned)
    if concerned:
        regroup.refresh(store, settings, concerned)
    return len(decisions)


def _decision(value: dict[str, Any]) -> Decision:
    return Decision(
        a=int(value["a"]),
        b=int(value["b"]),
        verdict=Verdict(value["verdict"]),
        at=str(value["at"]),
        by=str(value.get("by", "")),
        relation=Relation(value["relation"]) if value.get("relation") else None,
        facts_a=bytes.fromhex(value.get("facts_a", "")).hex(),
        facts_b=bytes.fromhex(value.get("facts_b", "")).hex(),
    )
