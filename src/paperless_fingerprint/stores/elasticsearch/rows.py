"""Between values and the JSON that Elasticsearch keeps.

A document's `_source` holds what Paperless told us and nothing that can be computed again: words,
band keys and sketch are in the index alone, so they cost their postings and no more. Whoever reads
a document back fingerprints its text again, which gives the same values.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.fingerprints.sketch import band_keys
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
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
    VersionChain,
)
from paperless_fingerprint.text import normalise as texts

#: Longer texts are kept compressed: a request of more than 100 MB is refused, and the server
#: takes no JSON string of more than 50 million characters.
LARGE_CHARACTERS = 1_000_000
#: So many characters of a text's words are indexed with their positions; of what follows each
#: word is indexed once, and of these so many characters again. (A novel has half a million;
#: a server takes an operation of a fortieth of its memory, and no more.)
INDEXED_CHARACTERS = 2_000_000

METADATA = (
    "id", "uuid", "title", "correspondent", "document_type", "created", "added", "modified",
    "tags", "original_filename", "page_count", "file_size", "checksum", "archive_serial_number",
    "owner", "viewers",
)  # fmt: skip

# Five printable characters hold 32 bits; JSON escapes none of them.
_ALPHABET = np.frombuffer(
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
    np.uint8,
)
_KEY_LENGTH = 5


def sketch_values(taken: Fingerprint) -> npt.NDArray[np.uint32]:
    """The upper 32 bits of each hash, as indexed. That two fall together does no harm."""
    return np.frombuffer(taken.sketch, "<u4")[1::2]


def _spelled(values: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
    """A row of `"xxxxx",` for each value."""
    rows = np.empty((len(values), _KEY_LENGTH + 3), np.uint8)
    rows[:, 0] = rows[:, -2] = ord('"')
    rows[:, -1] = ord(",")
    left = values
    for column in range(_KEY_LENGTH, 0, -1):
        left, digits = np.divmod(left, np.uint32(len(_ALPHABET)))
        rows[:, column] = _ALPHABET[digits]
    return rows


def keys(values: npt.NDArray[np.uint32]) -> list[str]:
    found: list[str] = orjson.loads(_as_list(_spelled(values)))
    return found


def _as_list(rows: npt.NDArray[np.uint8]) -> bytes:
    return b"[" + rows.tobytes()[:-1] + b"]"


def document_bodies(records: Sequence[StoredDocument], spec: FingerprintSpec) -> list[bytes]:
    """What is indexed of each document. Keys are spelled for all at once, which is far cheaper."""
    sketches = [sketch_values(record.fingerprint) for record in records]
    bands = [band_keys(record.fingerprint) for record in records]
    parts = [*sketches, *bands]
    spelled = _spelled(np.concatenate(parts)) if parts else _spelled(np.empty(0, np.uint32))
    ends = np.cumsum([len(part) for part in parts]).tolist()
    lists = [
        _as_list(spelled[end - len(part) : end]) for part, end in zip(parts, ends, strict=True)
    ]
    return [
        _document_body(record, lists[place], lists[len(records) + place], spec)
        for place, record in enumerate(records)
    ]


def _document_body(
    record: StoredDocument, sketch: bytes, bands: bytes, spec: FingerprintSpec
) -> bytes:
    document, taken = record.document, record.fingerprint
    body: dict[str, Any] = {}
    for name in METADATA:
        value = getattr(document, name)
        if value is not None and value != ():
            body[name] = value
    if len(document.content) > LARGE_CHARACTERS:
        packed = zlib.compress(document.content.encode(), 6)
        body["content_zlib"] = base64.b64encode(packed).decode()
    else:
        body["content"] = document.content
    body["content_length"] = len(document.content)
    if document.content:
        normalised = record.normalised
        body["content_words"] = indexed_words(
            texts.normalise(document.content) if normalised is None else normalised
        )
    for name, values in (
        ("title_words", (document.title,)),
        ("correspondent_words", (document.correspondent or "",)),
        ("document_type_words", (document.document_type or "",)),
        ("tags_words", document.tags),
    ):
        if any(values):
            body[name] = indexed_words(" ".join(texts.normalise(value) for value in values))
    body["spec"] = taken.spec
    body["text_hash"] = packed_hash(taken.text_hash)
    if taken.level_counts:
        body["level"] = taken.level
        body["level_counts"] = taken.level_counts
        body["shingles"] = taken.shingles
        body["sketch"] = orjson.Fragment(sketch)
        body["bands"] = orjson.Fragment(bands)
    if taken.spec != spec.id:
        # We could not compute it again, so this one is kept whole.
        body["kept"] = {
            "words": taken.words,
            "shingles": taken.shingles,
            "level": taken.level,
            "level_counts": taken.level_counts,
            "bands": base64.b64encode(taken.bands).decode(),
            "sketch": base64.b64encode(taken.sketch).decode(),
            "facts": base64.b64encode(taken.facts).decode(),
        }
    return orjson.dumps(body)


def indexed_words(normalised: str) -> str:
    if len(normalised) <= INDEXED_CHARACTERS:
        return normalised
    cut = normalised.rfind(" ", 0, INDEXED_CHARACTERS)
    in_order, rest = normalised[:cut], normalised[cut + 1 :]
    further = " ".join(sorted(set(rest.split(" ")) - set(in_order.split(" "))))
    if len(further) > INDEXED_CHARACTERS:
        further = further[: further.rfind(" ", 0, INDEXED_CHARACTERS)]
    return f"{in_order} {further}"


def packed_hash(text_hash: str) -> str:
    """22 characters instead of 32."""
    return base64.urlsafe_b64encode(bytes.fromhex(text_hash)).decode().rstrip("=")


def unpacked_hash(packed: str) -> str:
    return base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).hex()


def content_from(source: Mapping[str, Any]) -> str:
    if "content_zlib" in source:
        return zlib.decompress(base64.b64decode(source["content_zlib"])).decode()
    return str(source.get("content", ""))


def document_from(source: Mapping[str, Any]) -> Document:
    values = {name: source[name] for name in METADATA if name in source}
    for name in ("tags", "viewers"):
        values[name] = tuple(values.get(name, ()))
    return Document(content=content_from(source), **values)


def stored_from(source: Mapping[str, Any], spec: FingerprintSpec) -> StoredDocument:
    document = document_from(source)
    return StoredDocument(document, _fingerprint_from(source, document.content, spec))


def _fingerprint_from(
    source: Mapping[str, Any], content: str, spec: FingerprintSpec
) -> Fingerprint:
    if source["spec"] == spec.id:
        return fingerprint(content, spec)
    text_hash = unpacked_hash(source["text_hash"])
    kept = source.get("kept")
    if kept is None:
        # Taken after a spec that was ours once. It is waiting to be taken anew; till then it
        # matches nothing but its own text.
        return Fingerprint(source["spec"], text_hash, words=0, shingles=0)
    return Fingerprint(
        spec=source["spec"],
        text_hash=text_hash,
        words=kept["words"],
        shingles=kept["shingles"],
        bands=base64.b64decode(kept["bands"]),
        sketch=base64.b64decode(kept["sketch"]),
        level=kept["level"],
        level_counts=tuple(kept["level_counts"]),
        facts=base64.b64decode(kept["facts"]),
    )


# Pairs, groups, decisions --------------------------------------------------------------------


def pair_id(a: int, b: int) -> str:
    return f"{a}-{b}"


def pair_body(pair: Pair) -> bytes:
    return orjson.dumps(
        {
            "a": pair.a,
            "b": pair.b,
            "relation": pair.relation,
            "confidence": pair.confidence,
            "score": pair.scores.score,
            "scores": asdict(pair.scores),
            # As texts: the mapping has them as keywords, and nobody searches for them.
            "reasons": [orjson.dumps(each.as_json()).decode() for each in pair.reasons],
            "leader": pair.leader,
        }
    )


def _reason_from(told: str) -> Reason:
    """An earlier version stored sentences."""
    return Reason.of(orjson.loads(told) if told.startswith("{") else told)


def pair_from(source: Mapping[str, Any]) -> Pair:
    return Pair(
        a=source["a"], b=source["b"], relation=Relation(source["relation"]),
        confidence=source["confidence"], scores=PairScore(**source["scores"]),
        reasons=tuple(map(_reason_from, source["reasons"])), leader=source["leader"],
    )  # fmt: skip


def link_from(source: Mapping[str, Any]) -> Link:
    more = source["scores"]
    return Link(
        source["a"], source["b"], Relation(source["relation"]), source["confidence"],
        source["leader"], more.get("alone"), more.get("first_word"), more.get("last_word"),
    )  # fmt: skip


def group_body(group: Group) -> bytes:
    rest = {
        "id": group.id, "confidence": group.confidence, "primary": group.primary,
        "members": group.members, "pairs": group.pairs, "contradictions": group.contradictions,
    }  # fmt: skip
    return orjson.dumps(
        {
            "kind": "group",
            "members": group.members,
            "lowest": min(group.members),
            "relation": group.relation,
            "confidence": group.confidence,
            "rest": rest,
        }
    )


def group_from(source: Mapping[str, Any]) -> Group:
    rest = source["rest"]
    return Group(
        id=rest["id"], relation=Relation(source["relation"]), confidence=source["confidence"],
        primary=rest["primary"], members=tuple(rest["members"]),
        pairs=tuple((a, b) for a, b in rest["pairs"]),
        contradictions=tuple((a, b) for a, b in rest["contradictions"]),
    )  # fmt: skip


def chain_body(chain: VersionChain) -> bytes:
    return orjson.dumps(
        {
            "kind": "chain",
            "members": chain.members,
            "lowest": min(chain.members),
            # In their order: the field above is a set to the index.
            "rest": {"id": chain.id, "members": chain.members},
        }
    )


def chain_from(source: Mapping[str, Any]) -> VersionChain:
    return VersionChain(source["rest"]["id"], tuple(source["rest"]["members"]))


def decision_body(decision: Decision) -> bytes:
    return orjson.dumps(
        {"key": decision.key, "a": decision.a, "b": decision.b, "rest": asdict(decision)}
    )


def decision_from(source: Mapping[str, Any]) -> Decision:
    rest = dict(source["rest"])
    relation = rest.pop("relation")
    return Decision(
        verdict=Verdict(rest.pop("verdict")),
        relation=Relation(relation) if relation else None,
        **rest,
    )


def id_terms(field: str, ids: Collection[int]) -> dict[str, Any]:
    return {"terms": {field: list(ids)}}
