"""Candidates from the inverted index: one search, rarest evidence first.

BM25 on a field without norms is a sum over the shared terms of how rare each is, so the best hits
are the documents that share the rarest hashes and bands, which is what candidates/rules.py asks for; and
a band that hundreds of forms share weighs next to nothing. Each clause has a name, and the names
that matched tell how many hashes of the sketch a hit shares: the comparison of two stored sketches
needs neither of them to be fetched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from paperless_fingerprint.candidates import rules
from paperless_fingerprint.fingerprints.sketch import band_keys
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.model import Candidate, Fingerprint
from paperless_fingerprint.stores.elasticsearch import rows
from paperless_fingerprint.stores.elasticsearch.scan import Hit, Reader

#: Clauses of one search. The server allows some thousands; a sketch of more (a text of 8,000 words
#: and more) is asked for in several searches.
CLAUSES = 1_000
#: So many searches are spent on one sketch at most: a text of 500,000 words. Of a longer one the
#: lowest hashes are asked for, a fair sample.
SEARCHES = 64

_SKETCH, _BAND, _TEXT, _FILE = "s", "b", "text", "file"
_SIZE = rules.SHORTLIST + 1  # one more, in place of the asker itself
Clause = dict[str, Any]


@dataclass(slots=True)
class _Met:
    """What the searches have told about one document."""

    id: int
    spec: str
    level: int
    level_counts: list[int]
    matched: set[str] = field(default_factory=set)

    def count(self, kind: str) -> int:
        return sum(name.rstrip("0123456789") == kind for name in self.matched)


class CandidateSearch:
    def __init__(
        self,
        reader: Reader,
        index: str,
        spec: FingerprintSpec,
    ) -> None:
        self._reader = reader
        self._index = index
        self._spec = spec

    def find(
        self, asker: Fingerprint, checksum: str | None, excluding: int | None
    ) -> list[Candidate]:
        evidence = _clauses(asker)
        same = _same_requests(asker, checksum, excluding)
        if not evidence and not same:
            return []
        # Whoever has just written, here or elsewhere, is seen: of two documents that come at the
        # same time the one that looks later finds the other.
        self._reader.refresh(self._index)
        if len(evidence) > CLAUSES:
            met = _merged([self._search(same), self._most_promising(asker, evidence)])
            shared = self._shared_with(asker, met)
        else:
            met = self._met(asker, evidence, same)
            shared = {id: one.count(_SKETCH) for id, one in met.items()}
        met.pop(excluding or 0, None)
        return rules.ranked(_candidate(asker, one, shared[id]) for id, one in met.items())

    def _met(
        self, asker: Fingerprint, evidence: Sequence[Clause], same: Sequence[dict[str, Any]]
    ) -> dict[int, _Met]:
        # To leave out the asker, or fingerprints of another spec, within the search would keep the
        # server from its fast path, and take half as long again.
        request = [_evidence_request(evidence, _SIZE)] if evidence else []
        hits = self._search([*same, *request])
        if evidence and any(hit["fields"]["spec"][0] != asker.spec for hit in hits):
            only = {"term": {"spec": asker.spec}}
            hits = self._search([*same, _evidence_request(evidence, _SIZE, only=only)])
        met = _merged([hits])
        for one in met.values():
            if _TEXT in one.matched:  # the same text shares everything
                one.matched.update(_name(clause) for clause in evidence)
        # An identical file with another text: how alike the texts are has not been asked yet.
        unknown = [one.id for one in met.values() if one.matched == {_FILE}]
        if unknown and evidence:
            among = {"terms": {"id": unknown}}
            more = self._search([_evidence_request(evidence, len(unknown), 0, among)])
            for id, one in _merged([more]).items():
                met[id].matched |= one.matched
        return met

    def _search(self, requests: Sequence[dict[str, Any]]) -> list[Hit]:
        if not requests:
            return []
        answers = self._reader.search_many([(self._index, one) for one in requests], own=True)
        return [hit for answer in answers for hit in answer["hits"]["hits"]]

    def _most_promising(self, asker: Fingerprint, evidence: Sequence[Clause]) -> list[Hit]:
        """For a sketch of thousands of hashes: the best of several searches, by summed weight."""
        weights: defaultdict[int, float] = defaultdict(float)
        best: dict[int, Hit] = {}
        only = {"term": {"spec": asker.spec}}
        for start in range(0, min(len(evidence), CLAUSES * SEARCHES), CLAUSES):
            part = evidence[start : start + CLAUSES]
            for hit in self._search([_evidence_request(part, _SIZE, 1, only)]):
                id = int(hit["fields"]["id"][0])
                weights[id] += float(hit["sort"][0])
                best[id] = hit
        order = sorted(best, key=lambda id: (-weights[id], id))
        return [best[id] for id in order[:_SIZE]]

    def _shared_with(self, asker: Fingerprint, met: dict[int, _Met]) -> dict[int, int]:
        """Shared hashes by computing the others' sketches; no search names thousands of clauses."""
        shared = dict.fromkeys(met, 0)
        wanted = [str(one.id) for one in met.values() if one.spec == asker.spec]
        for hit in self._reader.get(self._index, wanted):
            record = rows.stored_from(hit["_source"], self._spec)
            [found] = rules.compare_sketches(asker, {record.document.id: record.fingerprint})
            shared[found.id] = found.shared_hashes
        return shared


def _clauses(asker: Fingerprint) -> list[Clause]:
    """Bands first: where a long sketch is asked for in parts, they stand in the first."""
    if not asker.sketch:
        return []
    return [
        {"term": {name_of_field: {"value": key, "_name": f"{kind}{place}"}}}
        for name_of_field, kind, values in (
            ("bands", _BAND, band_keys(asker)),
            ("sketch", _SKETCH, rows.sketch_values(asker)),
        )
        for place, key in enumerate(rows.keys(values))
    ]


def _name(clause: Clause) -> str:
    (term,) = clause["term"].values()
    return str(term["_name"])


def _same_requests(
    asker: Fingerprint, checksum: str | None, excluding: int | None
) -> list[dict[str, Any]]:
    wanted: list[list[Clause]] = []
    if asker.text_hash:
        text = {"value": rows.packed_hash(asker.text_hash), "_name": _TEXT}
        wanted.append([{"term": {"text_hash": text}}, {"term": {"spec": asker.spec}}])
    if checksum:
        wanted.append([{"term": {"checksum": {"value": checksum, "_name": _FILE}}}])
    unwanted = [] if excluding is None else [{"term": {"id": excluding}}]
    return [
        _request(
            {"bool": {"filter": filters, "must_not": unwanted}},
            rules.SAME_AT_MOST,
            [{"id": "asc"}],
        )
        for filters in wanted
    ]


def _evidence_request(
    evidence: Sequence[Clause],
    size: int,
    at_least: int = rules.SHARED_HASHES_AT_LEAST,
    only: Clause | None = None,
) -> dict[str, Any]:
    query: dict[str, Any] = {"should": list(evidence), "minimum_should_match": at_least}
    if only is not None:
        query["filter"] = [only]
    return _request({"bool": query}, size, ["_score", {"id": "asc"}])


def _request(query: dict[str, Any], size: int, sort: list[Any]) -> dict[str, Any]:
    return {
        "query": query,
        "size": size,
        "sort": sort,
        "track_total_hits": False,
        "_source": False,
        "docvalue_fields": ["id", "spec", "level", "level_counts"],
    }


def _merged(searches: Iterable[Sequence[Hit]]) -> dict[int, _Met]:
    met: dict[int, _Met] = {}
    for hits in searches:
        for hit in hits:
            fields = hit["fields"]
            id = int(fields["id"][0])
            one = met.get(id)
            if one is None:
                # Doc values come sorted, and the counts of ascending levels only descend.
                counts = sorted(map(int, fields.get("level_counts", ())), reverse=True)
                level = int(fields.get("level", (0,))[0])
                one = met[id] = _Met(id, str(fields["spec"][0]), level, counts)
            one.matched.update(hit.get("matched_queries", ()))
    return met


def _candidate(asker: Fingerprint, one: _Met, shared: int) -> Candidate:
    is_comparable = one.spec == asker.spec
    return rules.estimated(
        asker,
        one.level,
        one.level_counts if is_comparable else (),
        shared if is_comparable else 0,
        id=one.id,
        shared_bands=one.count(_BAND) if is_comparable else 0,
        same_text=_TEXT in one.matched,
        same_file=_FILE in one.matched,
    )
