"""What people would use where there is no FINGERPRINT: for search.py --others.

Each way names ten documents for a source. Right is one that holds a fifth of the source's shingles
or more, by comparison with all texts of the library. `more_like_this` is asked as it comes
(25 terms, 30 % of them), for the source's normalised text; bands are the keys in the index, most in
common first, no text compared; datasketch's LSHEnsemble (a fifth, 128 permutations, 32 parts) holds
all signatures in memory, and of what it names the ten with the highest estimate are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
from datasketch import MinHash, MinHashLSHEnsemble

from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.fingerprints.shingles import shingle_hashes
from paperless_fingerprint.fingerprints.sketch import band_keys
from paperless_fingerprint.stores.elasticsearch import rows
from paperless_fingerprint.text import normalise

SHARE = 0.2
SHOWN = 10
_AT_ONCE = 500

#: From a source to the documents that are shown for it.
Way = Callable[[int], list[int]]


def all_texts(store, ids: list[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    for start in range(0, len(ids), _AT_ONCE):
        found.update(store.texts(ids[start : start + _AT_ONCE]))
    return found


def truth(texts: dict[int, str], sources: list[int], spec) -> dict[int, set[int]]:
    """Of each source, who holds so much of it."""
    ids = np.array(list(texts), np.int64)
    each = [
        shingle_hashes(normalise.normalise(text), spec.shingle_words) for text in texts.values()
    ]
    hashes = np.concatenate(each)
    owners = np.repeat(np.arange(len(each), dtype=np.int32), [len(one) for one in each])
    order = np.argsort(hashes, kind="stable")
    hashes, owners = hashes[order], owners[order]
    place = {int(id): n for n, id in enumerate(ids)}
    found = {}
    for source in sources:
        own = each[place[source]]
        low, high = np.searchsorted(hashes, own), np.searchsorted(hashes, own, side="right")
        met = [owners[a:b] for a, b in zip(low, high, strict=True)]
        counts = np.bincount(np.concatenate(met), minlength=len(ids))
        counts[place[source]] = 0
        found[source] = set(ids[counts >= SHARE * len(own)].tolist())
    return found


def ways(store, address: str, prefix: str, texts: dict[int, str], spec) -> dict[str, Way]:
    found = {"LSHEnsemble": ensemble(store, texts, spec)}
    if not address.startswith("sqlite"):
        found |= on_the_server(store, address, f"{prefix}-documents", spec)
    return found


def on_the_server(store, address: str, index: str, spec) -> dict[str, Way]:
    from elasticsearch import Elasticsearch

    client = Elasticsearch(address, request_timeout=120)

    def asked(source: int, query: dict) -> list[int]:
        hits = client.search(
            index=index,
            query={"bool": {"must": [query], "must_not": [{"term": {"id": source}}]}},
            size=SHOWN,
            source_includes=["id", "uuid", "title"],
        )["hits"]["hits"]
        return [int(hit["_id"]) for hit in hits]

    def more_like_this(source: int) -> list[int]:
        text = normalise.normalise(store.texts([source])[source])
        like = {"fields": ["content_words"], "like": text, "analyzer": "whitespace"}
        return asked(source, {"more_like_this": like})

    def bands(source: int) -> list[int]:
        taken = fingerprint(store.texts([source])[source], spec)
        keys = rows.keys(band_keys(taken))
        terms = [{"constant_score": {"filter": {"term": {"bands": key}}}} for key in keys]
        return asked(source, {"bool": {"should": terms, "minimum_should_match": 1}})

    return {"more_like_this": more_like_this, "bands alone": bands}


def ensemble(store, texts: dict[int, str], spec) -> Way:
    def signature(text: str) -> tuple[MinHash, int]:
        words = normalise.normalise(text).split(" ")
        count = spec.shingle_words
        runs = {" ".join(words[i : i + count]) for i in range(max(1, len(words) - count + 1))}
        taken = MinHash(num_perm=128)
        taken.update_batch(run.encode() for run in runs)
        return taken, len(runs)

    taken = {id: signature(text) for id, text in texts.items() if text}
    index = MinHashLSHEnsemble(threshold=SHARE, num_perm=128, num_part=32)
    index.index((id, *signed) for id, signed in taken.items())

    def found(source: int) -> list[int]:
        own, size = signature(store.texts([source])[source])
        named = [id for id in index.query(own, size) if id != source]

        def held(id: int) -> float:
            other, others = taken[id]
            alike = own.jaccard(other)
            return alike * (size + others) / (1 + alike) / size

        return sorted(named, key=held, reverse=True)[:SHOWN]

    return found


def judged(shown: dict[int, Collection[int]], true: dict[int, set[int]]) -> tuple[int, int, int]:
    """How many are right, how many could be, and how many are wrong."""
    right = sum(len(true[source].intersection(ids)) for source, ids in shown.items())
    possible = sum(min(SHOWN, len(true[source])) for source in shown)
    return right, possible, sum(map(len, shown.values())) - right
