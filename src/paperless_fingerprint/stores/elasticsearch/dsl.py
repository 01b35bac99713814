"""A query's tree, and what is asked of the sketches, in Elasticsearch's query language."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from paperless_fingerprint.query.plan import SketchQuery
from paperless_fingerprint.query.scope import Asker, visible_to
from paperless_fingerprint.query.tree import (
    And,
    Attribute,
    Between,
    Everything,
    Filled,
    Ids,
    Node,
    Not,
    Or,
    Pattern,
    SharedWith,
    TextField,
    Words,
)
from paperless_fingerprint.stores.elasticsearch import rows

Query = dict[str, Any]

_WORDS = {
    TextField.TITLE: "title_words",
    TextField.CONTENT: "content_words",
    TextField.CORRESPONDENT: "correspondent_words",
    TextField.TYPE: "document_type_words",
    TextField.TAG: "tags_words",
}
_ATTRIBUTE = {
    Attribute.ID: "id",
    Attribute.CREATED: "created",
    Attribute.ADDED: "added",
    Attribute.SERIAL_NUMBER: "archive_serial_number",
    Attribute.PAGES: "page_count",
    Attribute.OWNER: "owner",
}
_INTEGERS = {Attribute.ID: 31, Attribute.PAGES: 63, Attribute.SERIAL_NUMBER: 63}
#: Elasticsearch takes no more in one list.
_MOST_TERMS = 65_536
NOTHING: Query = {"match_none": {}}


def translated(node: Node) -> Query:
    match node:
        case Words(field, words):
            return _words(field, " ".join(words), node.boost, is_phrase=len(words) > 1)
        case Pattern(field):
            return _pattern(field, node)
        case And(parts):
            wanted = [translated(part) for part in parts if not isinstance(part, Not)]
            unwanted = [translated(part.part) for part in parts if isinstance(part, Not)]
            return {"bool": _without_empty({"must": wanted, "must_not": unwanted})}
        case Or(parts):
            should = [translated(part) for part in parts]
            return {"bool": {"should": should, "minimum_should_match": 1}} if should else NOTHING
        case Not(part):
            return {"bool": {"must_not": [translated(part)]}}
        case Everything():
            return {"match_all": {}}
        case Ids(ids):
            return _ids(sorted(ids))
        case SharedWith(names):
            return {"terms": {"viewers": list(names)}}
        case Between():
            return _between(node)
        case Filled(field):
            return _filled(field)
    raise TypeError(f"{type(node).__name__} has no translation")


def in_scope(
    query: Query,
    asker: Asker | None,
    hidden: Collection[int],
    *more: Query,
    is_filter: bool = False,
) -> Query:
    """The query, let through only for who may view it, without the documents that are hidden."""
    filters = list(more)
    if asker is not None:
        filters.append(translated(visible_to(asker)))
    unwanted = [{"terms": {"id": list(hidden)}}] if hidden else []
    if not filters and not unwanted:
        return query
    if is_filter:
        filters, query = [query, *filters], {}
    return {
        "bool": _without_empty(
            {"must": [query] if query else [], "filter": filters, "must_not": unwanted}
        )
    }


def sketch_clause(query: SketchQuery) -> Query:
    """Its score is the estimated share: so much for every hash that is found.

    Some of what it finds has fewer matches than its group asks for, or a fingerprint of another
    spec: to ask about that here would take the server off its quick path, and hits are few.
    """
    if query.finds_nothing:
        return NOTHING
    values = (query.hashes >> np.uint64(32)).astype(np.uint32)
    # Two of the hashes may have these bits in common; asked for twice they would count twice.
    keys = list(dict.fromkeys(rows.keys(values)))
    clause = _by_shingle(query, keys) if query.per_shingle else _by_matches(query, keys)
    clauses: dict[str, Any] = {"must_not": [{"term": {"id": query.source}}]}
    if query.shingles is not None:
        low, high = query.shingles
        clauses["filter"] = [{"range": {"shingles": {"gte": low, "lte": high}}}]
    # Side by side, not one within the other: that, too, is a quick path.
    return {"bool": {**clause.get("bool", {"must": [clause]}), **clauses}}


def _by_matches(query: SketchQuery, keys: list[str]) -> Query:
    """The best estimate of any group, whatever the level of the hit.

    A hit that keeps more hashes than its group asks for may be let in by the group of a higher
    level, on fewer of them: its text decides. To ask for the level here would make the server weigh
    every match instead of leaving out what cannot be among the best.
    """
    of_groups = [
        _matching(keys[: group.asked], group.weight, group.minimum) for group in query.groups
    ]
    return of_groups[0] if len(of_groups) == 1 else {"dis_max": {"queries": of_groups}}


def _by_shingle(query: SketchQuery, keys: list[str]) -> Query:
    of_groups: list[Query] = []
    for group in query.groups:
        clause = _matching(keys[: group.asked], group.weight, group.minimum)
        clause["bool"]["filter"] = [{"terms": {"level": list(group.levels)}}]
        of_groups.append(
            {
                "function_score": {
                    "query": clause,
                    "field_value_factor": {
                        "field": "shingles", "modifier": "reciprocal", "missing": 1
                    },
                    "boost_mode": "multiply",
                    "min_score": group.least_score * (1 - 1e-5),  # it counts with 32 bits
                }
            }
        )  # fmt: skip
    # A document has one level, so it is in one group only.
    return of_groups[0] if len(of_groups) == 1 else {"dis_max": {"queries": of_groups}}


def _matching(keys: list[str], worth: float, least: int) -> Query:
    terms = [
        {"constant_score": {"filter": {"term": {"sketch": key}}, "boost": worth}} for key in keys
    ]
    return {"bool": {"should": terms, "minimum_should_match": least}}


def _without_empty(clauses: dict[str, list[Query]]) -> dict[str, list[Query]]:
    return {name: listed for name, listed in clauses.items() if listed}


def _words(field: TextField, words: str, boost: float, *, is_phrase: bool) -> Query:
    asked: dict[str, Any] = {"query": rows.indexed_words(words)}
    if boost != 1:
        asked["boost"] = boost
    if field is TextField.ANY:
        kind = "phrase" if is_phrase else "best_fields"
        return {"multi_match": {**asked, "type": kind, "fields": list(_WORDS.values())}}
    return {"match_phrase" if is_phrase else "match": {_WORDS[field]: asked}}


def resembling(word: str) -> Query:
    """What holds a word that contains this one, or that is spelled nearly like it."""
    asked: list[Query] = []
    for name in (_WORDS[TextField.TITLE], _WORDS[TextField.CONTENT]):
        asked.append({"wildcard": {name: {"value": f"*{word}*"}}})
        asked.append(
            {"fuzzy": {name: {"value": word, "fuzziness": "AUTO:3,5", "prefix_length": 1}}}
        )
    return {"dis_max": {"queries": asked}}


def _ids(ids: Sequence[int]) -> Query:
    chunks = [ids[i : i + _MOST_TERMS] for i in range(0, len(ids), _MOST_TERMS)]
    some: list[Query] = [{"terms": {"id": chunk}} for chunk in chunks]
    if len(some) == 1:
        return some[0]
    return {"bool": {"should": some, "minimum_should_match": 1}} if some else NOTHING


def _pattern(field: TextField, node: Pattern) -> Query:
    kind, value = ("prefix", node.stem) if node.is_prefix else ("wildcard", node.pattern)
    fields = list(_WORDS.values()) if field is TextField.ANY else [_WORDS[field]]
    asked: list[Query] = [{kind: {name: {"value": value, "boost": node.boost}}} for name in fields]
    return asked[0] if len(asked) == 1 else {"dis_max": {"queries": asked}}


def _between(node: Between) -> Query:
    field = _ATTRIBUTE[node.attribute]
    bounds: dict[str, str | int] = {}
    if node.low is not None:
        bounds["gte"] = node.low
    if node.high is not None:
        bounds["lt"] = node.high
    if node.attribute in _INTEGERS:
        # What lies beyond the numbers that a field can hold is no error, it is not there.
        most = 2 ** _INTEGERS[node.attribute] - 1
        low = max(int(node.low), -most) if node.low is not None else -most
        high = min(int(node.high), most) if node.high is not None else most
        if low > most or high < -most:
            return NOTHING
        bounds = {"gte": low, "lt" if high < most else "lte": high}
    if not bounds:
        return {"exists": {"field": field}}
    return {"range": {field: bounds}}


def _filled(field: TextField) -> Query:
    if field is TextField.CONTENT:
        return {"bool": {"must_not": [{"term": {"text_hash": ""}}]}}
    if field is TextField.TAG:
        return {"exists": {"field": "tags"}}
    return {"exists": {"field": _WORDS[field]}}
