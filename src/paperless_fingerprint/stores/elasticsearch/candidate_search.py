"""Candidates from the inverted index: one search, rarest evidence first.

BM25 on a field without norms is a sum over the shared terms of how rare each is, so the best hits
are the documents that share the rarest hashes and bands, which is what candidates.py asks for; and
a band that hundreds of forms share weighs next to nothing. Each clause has a name, and the names
that matched tell how many hashes of the sketch a hit shares: the comparison of two stored sketches
needs neither of them to be fetched.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from elasticsearch import Elasticsearch

from paperless_fingerprint import candidates as rules
from paperless_fingerprint.fingerprint import FingerprintSpec, band_keys
from paperless_fingerprint.model import Candidate, Fingerprint
from paperless_fingerprint.stores.elasticsearch import rows
from paperless_fingerprint.stores.elasticsearch.failures import Failures
from paperless_fingerprint.stores.elasticsearch.scan import Hit, Reader

#: Clauses of one search. The server allows some thousands; a sketch of more (a text of 8,000 words
#: and more) is asked for in several searches.
CLAUSES = 1_000
#: So many searches are spent on one sketch at most: a text of 500,000 words. Of a longer one the
#: lowest hashes are asked for, a fair sample.
SEARCHES = 64

_SKETCH, _BAND, _TEXT, _FILE = "s", "b", "text", "file"


class CandidateSearch:
    def __init__(
        self,
        client: Elasticsearch,
        failures: Failures,
        reader: Reader,
        index: str,
        spec: FingerprintSpec,
    ) -> None:
        self._client = client
        self._failures = failures
        self._reader = reader
        self._index = index
        self._spec = spec

    def find(
        self, asker: Fingerprint, checksum: str | None, excluding: int | None
    ) -> list[Candidate]:
        evidence = _clauses(asker)
        same = self._same_clauses(asker, checksum)
        if not evidence and not same:
            return []
        # Whoever has just written, here or elsewhere, is seen: of two documents that come at the
        # same time the one that looks later finds the other.
        self._reader.refresh(self._index)
        in_parts = len(evidence) > CLAUSES
        hits = self._search(
            [_same_request(clause, [] if in_parts else evidence, excluding) for clause in same]
            + ([] if in_parts else _evidence_requests(asker, evidence, excluding))
        )
        if in_parts:
            hits += self._most_promising(asker, evidence, excluding)
        by_id = {int(hit["fields"]["id"][0]): hit for hit in hits}
        for hit in hits:  # a hit of several searches: what each has found out about it
            merged = by_id[int(hit["fields"]["id"][0])]
            merged["matched_queries"] = sorted(
                {*merged.get("matched_queries", ()), *hit.get("matched_queries", ())}
            )
        shared = (
            self._shared_with(asker, list(by_id))
            if in_parts
            else {id: _count(hit, _SKETCH) for id, hit in by_id.items()}
        )
        return rules.ranked(
            _candidate(asker, id, hit, shared.get(id, 0)) for id, hit in by_id.items()
        )

    def _same_clauses(self, asker: Fingerprint, checksum: str | None) -> list[dict[str, Any]]:
        clauses: list[dict[str, Any]] = []
        if asker.text_hash:
            packed = rows.packed_hash(asker.text_hash)
            clauses.append(
                {
                    "bool": {
                        "filter": [
                            {"term": {"text_hash": packed}},
                            {"term": {"spec": asker.spec}},
                        ],
                        "_name": _TEXT,
                    }
                }
            )
        if checksum:
            clauses.append({"term": {"checksum": {"value": checksum, "_name": _FILE}}})
        return clauses

    def _search(self, requests: Sequence[dict[str, Any]]) -> list[Hit]:
        if not requests:
            return []
        searches = [part for request in requests for part in ({}, request)]
        answer = self._reader.patiently(
            lambda: self._client.msearch(index=self._index, searches=searches)
        )
        hits: list[Hit] = []
        for response in answer["responses"]:
            if "error" in response:
                cause = (response["error"].get("root_cause") or [response["error"]])[0]
                raise self._failures.store_error(
                    f"it answered {response['status']}: {cause.get('reason', '')}"
                )
            hits += response["hits"]["hits"]
        return hits

    def _most_promising(
        self, asker: Fingerprint, evidence: Sequence[dict[str, Any]], excluding: int | None
    ) -> list[Hit]:
        """For a sketch of thousands of hashes: the best of several searches, by summed weight."""
        weights: defaultdict[int, float] = defaultdict(float)
        best: dict[int, Hit] = {}
        for start in range(0, min(len(evidence), CLAUSES * SEARCHES), CLAUSES):
            part = evidence[start : start + CLAUSES]
            for hit in self._search(_evidence_requests(asker, part, excluding, at_least=1)):
                id = int(hit["fields"]["id"][0])
                weights[id] += float(hit["sort"][0])
                best[id] = hit
        order = sorted(best, key=lambda id: (-weights[id], id))
        return [best[id] for id in order[: rules.SHORTLIST]]

    def _shared_with(self, asker: Fingerprint, ids: Sequence[int]) -> dict[int, int]:
        """Shared hashes by computing the others' sketches; no search names thousands of clauses."""
        shared = {}
        for hit in self._reader.get(self._index, [str(id) for id in ids]):
            record = rows.stored_from(hit["_source"], self._spec)
            if record.fingerprint.spec == asker.spec:
                [found] = rules.compare_sketches(asker, {record.document.id: record.fingerprint})
                shared[found.id] = found.shared_hashes
        return shared


def _clauses(asker: Fingerprint) -> list[dict[str, Any]]:
    """Bands first: where a long sketch is asked for in parts, they stand in the first."""
    if not asker.sketch:
        return []
    return [
        {"term": {field: {"value": key, "_name": f"{name}{place}"}}}
        for field, name, values in (
            ("bands", _BAND, band_keys(asker)),
            ("sketch", _SKETCH, rows.sketch_values(asker)),
        )
        for place, key in enumerate(rows.keys(values))
    ]


def _evidence_requests(
    asker: Fingerprint,
    evidence: Sequence[dict[str, Any]],
    excluding: int | None,
    *,
    at_least: int = rules.SHARED_HASHES_AT_LEAST,
) -> list[dict[str, Any]]:
    if not evidence:
        return []
    query: dict[str, Any] = {
        "should": list(evidence),
        "minimum_should_match": at_least,
        "filter": [{"term": {"spec": asker.spec}}],
    }
    return [_request(query, excluding, rules.SHORTLIST, ["_score", {"id": "asc"}])]


def _same_request(
    same: dict[str, Any], evidence: Sequence[dict[str, Any]], excluding: int | None
) -> dict[str, Any]:
    query: dict[str, Any] = {"filter": [same], "should": list(evidence)}
    return _request(query, excluding, rules.SAME_AT_MOST, [{"id": "asc"}])


def _request(
    query: dict[str, Any], excluding: int | None, size: int, sort: list[Any]
) -> dict[str, Any]:
    if excluding is not None:
        query["must_not"] = [{"term": {"id": excluding}}]
    return {
        "query": {"bool": query},
        "size": size,
        "sort": sort,
        "track_total_hits": False,
        "_source": False,
        "docvalue_fields": ["id", "spec", "level", "level_counts"],
    }


def _count(hit: Hit, name: str) -> int:
    kinds = Counter(matched.rstrip("0123456789") for matched in hit.get("matched_queries", ()))
    return kinds[name]


def _candidate(asker: Fingerprint, id: int, hit: Hit, shared: int) -> Candidate:
    fields, matched = hit["fields"], hit.get("matched_queries", ())
    is_comparable = fields["spec"][0] == asker.spec
    return rules.estimated(
        asker,
        int(fields.get("level", (0,))[0]),
        # Doc values come sorted, and the counts of ascending levels only descend.
        sorted(fields.get("level_counts", ()), reverse=True) if is_comparable else (),
        shared,
        id=id,
        shared_bands=_count(hit, _BAND),
        same_text=_TEXT in matched,
        same_file=_FILE in matched,
    )
