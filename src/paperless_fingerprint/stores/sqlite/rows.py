"""Between rows and values."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

import orjson

from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.model import (
    Decision,
    Document,
    Fingerprint,
    Group,
    Link,
    Pair,
    PairScore,
    Relation,
    StoredDocument,
    Verdict,
)
from paperless_fingerprint.text import normalise as texts

METADATA = (
    "id, uuid, title, correspondent, document_type, created, added, modified, tags, "
    "original_filename, page_count, file_size, checksum, archive_serial_number, owner, viewers"
)
FINGERPRINT = "spec, text_hash, words, shingles, level, level_counts, bands, sketch, facts"
_METADATA_COLUMNS = METADATA.count(",") + 1


def to_json(value: Any) -> str:
    return orjson.dumps(value).decode()


def metadata_row(document: Document) -> tuple[Any, ...]:
    return (
        document.id, document.uuid, document.title, document.correspondent,
        document.document_type, document.created, document.added, document.modified,
        to_json(document.tags), document.original_filename, document.page_count,
        document.file_size, document.checksum, document.archive_serial_number, document.owner,
        to_json(document.viewers),
    )  # fmt: skip


def fingerprint_row(fingerprint: Fingerprint) -> tuple[Any, ...]:
    return (
        fingerprint.spec, fingerprint.text_hash, fingerprint.words, fingerprint.shingles,
        fingerprint.level, to_json(fingerprint.level_counts), fingerprint.bands,
        fingerprint.sketch, fingerprint.facts,
    )  # fmt: skip


def document_from(row: tuple[Any, ...], content: str) -> Document:
    (id, uuid, title, correspondent, document_type, created, added, modified, tags, filename,
     pages, size, checksum, serial, owner, viewers) = row  # fmt: skip
    return Document(
        id=id, uuid=uuid, title=title, content=content, correspondent=correspondent,
        document_type=document_type, created=created, added=added, modified=modified,
        tags=tuple(orjson.loads(tags)), original_filename=filename, page_count=pages,
        file_size=size, checksum=checksum, archive_serial_number=serial, owner=owner,
        viewers=tuple(orjson.loads(viewers)),
    )  # fmt: skip


def fingerprint_from(row: tuple[Any, ...]) -> Fingerprint:
    spec, text_hash, words, shingles, level, counts, bands, sketch, facts = row
    return Fingerprint(
        spec=spec, text_hash=text_hash, words=words, shingles=shingles, bands=bands,
        sketch=sketch, level=level, level_counts=tuple(orjson.loads(counts)), facts=facts,
    )  # fmt: skip


def stored_from(row: tuple[Any, ...]) -> StoredDocument:
    """From a row of METADATA, FINGERPRINT and the content."""
    return StoredDocument(
        document_from(row[:_METADATA_COLUMNS], row[-1]),
        fingerprint_from(row[_METADATA_COLUMNS:-1]),
    )


def search_row(
    document: Document, normalised: str | None = None
) -> tuple[int, str, str, str, str, str]:
    """What the full-text index holds of a document; the same again removes it."""
    return (
        document.id,
        texts.normalise(document.title),
        texts.normalise(document.content) if normalised is None else normalised,
        texts.normalise(document.correspondent or ""),
        texts.normalise(document.document_type or ""),
        " ".join(texts.normalise(tag) for tag in document.tags),
    )


def pair_row(pair: Pair) -> tuple[Any, ...]:
    return (
        pair.a, pair.b, pair.relation.value, pair.confidence, pair.scores.score,
        to_json(pair.scores), to_json([reason.as_json() for reason in pair.reasons]), pair.leader,
    )  # fmt: skip


def pair_from(row: tuple[Any, ...]) -> Pair:
    a, b, relation, confidence, _score, scores, reasons, leader = row
    return Pair(
        a=a, b=b, relation=Relation(relation), confidence=confidence,
        scores=PairScore(**orjson.loads(scores)), reasons=tuple(map(Reason.of, orjson.loads(reasons))), leader=leader,
    )  # fmt: skip


def link_from(row: tuple[Any, ...]) -> Link:
    a, b, relation, *more = row
    return Link(a, b, Relation(relation), *more)


def group_row(group: Group) -> tuple[Any, ...]:
    return (
        group.id, group.relation.value, group.confidence, group.members[0], group.primary,
        to_json(group.members), to_json(group.pairs), to_json(group.contradictions),
    )  # fmt: skip


def group_from(row: tuple[Any, ...]) -> Group:
    id, relation, confidence, _lowest, primary, members, pairs, contradictions = row
    return Group(
        id=id, relation=Relation(relation), confidence=confidence, primary=primary,
        members=tuple(orjson.loads(members)),
        pairs=tuple((a, b) for a, b in orjson.loads(pairs)),
        contradictions=tuple((a, b) for a, b in orjson.loads(contradictions)),
    )  # fmt: skip


def decision_row(decision: Decision) -> tuple[Any, ...]:
    return (
        decision.key, decision.a, decision.b, decision.verdict.value, decision.at, decision.by,
        decision.relation.value if decision.relation else None, decision.facts_a, decision.facts_b,
    )  # fmt: skip


def decision_from(row: tuple[Any, ...]) -> Decision:
    _key, a, b, verdict, at, by, relation, facts_a, facts_b = row
    return Decision(
        a=a, b=b, verdict=Verdict(verdict), at=at, by=by,
        relation=Relation(relation) if relation else None, facts_a=facts_a, facts_b=facts_b,
    )  # fmt: skip


def id_list(ids: Collection[int] | Mapping[int, Any]) -> str:
    """For `IN (SELECT value FROM json_each(?))`, which has no limit on the number of values."""
    # An id may be any number that somebody asks for; orjson knows those of 64 bits.
    return json.dumps(list(ids))


def where(
    ids: Collection[int] | None, relation: Relation | None, by_id: str, at_least: float = 0.0
) -> tuple[str, dict[str, Any]]:
    """A WHERE clause and its values; `by_id` has {} where the list of ids stands."""
    conditions: list[str] = []
    values: dict[str, Any] = {}
    if ids is not None:
        conditions.append("(" + by_id.format("(SELECT value FROM json_each(:ids))") + ")")
        values["ids"] = id_list(ids)
    if relation is not None:
        conditions.append("relation = :relation")
        values["relation"] = relation.value
    if at_least > 0:
        conditions.append("confidence >= :at_least")
        values["at_least"] = at_least
    return ("WHERE " + " AND ".join(conditions) if conditions else ""), values
