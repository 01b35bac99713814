"""Speed of FINGERPRINT queries, beside a plain full-text query on the same index in the same run.

    python ../shared/tools/gen_scale.py 100000 docs.jsonl
    python benchmarks/search.py sqlite:///big.db --fill docs.jsonl
    python benchmarks/search.py http://127.0.0.1:9200 --fill docs.jsonl
    python benchmarks/search.py sqlite 9.2.0 --made 10000 --cpu --others

The last one makes documents and fills stores of its own, which are gone at the end.
Plain: three words, OR, ten best, from a fixed list of 200 (drawn from the library with a fixed
seed: three words of four letters and more of one document), asked of the store directly, without
our language. FINGERPRINT: `store` is the search for candidates alone, `whole` is what a user waits
for: the source read, the candidates found, their texts compared, ten hits shown. All kinds take
turns, so that whatever else the machine does strikes them alike.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

import search_others
from analysis import in_place
from made_library import MadeLibrary, Shares, write
from measuring import Row, left
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.library.search import BLOCKS, Request, Search
from paperless_fingerprint.model import Document, StoredDocument
from paperless_fingerprint.query.language import parse
from paperless_fingerprint.query.searcher import Scope
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.opening import open_store, searcher_of
from paperless_fingerprint.text import normalise

QUERIES = 200
LONG_WORDS = 5_000
#: Sources that are asked for first without being measured: a node that has just started compiles.
WARM = 20
KINDS = {"any overlap": "", "_20": "_20", "_20_80": "_20_80", "_50_80": "_50_80"}
#: What p95 may be, times the p95 of plain full text: in SQLite, and on a server.
GOALS = {"any overlap": (5.0, 2.0), "_20": (3.0, 2.5), "_20_80": (1.0, 2.0)}


clock = time.perf_counter


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument(
        "stores",
        nargs="+",
        help="sqlite:///PATH or http://HOST:PORT; sqlite or a version with --made",
    )
    arguments.add_argument("--made", type=int, metavar="SIZE", help="a library of made documents")
    arguments.add_argument("--json", type=Path, metavar="FOLDER")
    arguments.add_argument("--fill", type=Path, help="put these documents in first (JSON lines)")
    arguments.add_argument("--prefix", default="paperless-fingerprint-bench")
    arguments.add_argument("--queries", type=int, default=QUERIES)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--seconds", type=float, default=60.0, help="time limit of one query")
    arguments.add_argument(
        "--cpu",
        action="store_true",
        help="CPU time of this process and of a server on this machine, where others work too",
    )
    arguments.add_argument("--others", action="store_true", help="beside what is used instead")
    asked = arguments.parse_args()
    rows: list[Row] = []
    for store in asked.stores:
        if asked.made:
            with tempfile.TemporaryDirectory() as folder, in_place(store, Path(folder)) as place:
                asked.fill = Path(folder) / "made.jsonl"
                # Some are long (one in a hundred has 3,000 words), and many hold about a fifth of
                # another: those are hard to find.
                parts = Shares(parts=0.15)
                write(MadeLibrary(asked.made, spread=0.95, shares=parts), asked.fill)
                rows += searched(place.address, store, asked)
        else:
            rows += searched(store, store, asked)
        left("search", rows, asked.json)


def searched(address: str, name: str, asked: argparse.Namespace) -> list[Row]:
    global clock  # noqa: PLW0603
    options = load(
        {
            "store": address,
            "elasticsearch.prefix": asked.prefix,
            "elasticsearch.timeout_seconds": 120,
        },
        environment={},
    )
    store = open_store(options)
    if asked.fill:
        fill(store, asked.fill, options.spec())
    if asked.cpu:
        clock = cpu_clock(address)
    searcher = searcher_of(store)
    search = Search(store, searcher, options.spec())
    scope = Scope(time_limit_seconds=asked.seconds)
    rng = random.Random(asked.seed)
    ids = store.ids()
    plain = plain_query(address, store, asked.prefix)
    words = three_words(store, ids, rng, asked.queries)
    usual, long = sources(store, ids, rng, asked.queries)
    print(
        f"{name}: {len(ids):,} documents, {len(words)} queries of each kind, {len(long)} long sources"
    )
    others: dict[str, search_others.Way] = {}
    true: dict[int, set[int]] = {}
    if asked.others:
        texts = search_others.all_texts(store, ids)
        true = search_others.truth(texts, usual, options.spec())
        others = search_others.ways(store, address, asked.prefix, texts, options.spec())
    on_server = not address.startswith("sqlite")
    rows, shown = measure(search, searcher, scope, plain, words, usual, others, on_server)
    for row in rows:
        row.update({"store": name, "documents": len(ids), "is CPU": asked.cpu})
        way = row["way"].removesuffix(", whole")
        if true and way in {"_20", "_20_80", *others}:
            right, possible, wrong = search_others.judged(shown[way], true)
            row.update(right=right, possible=possible, wrong=wrong)
            print(f"{way:22} {right} of {possible} right, {wrong} wrong")
    measure_long(search, searcher, scope, long)
    searcher.close()
    store.close()
    return rows


def cpu_clock(address: str) -> Callable[[], float]:
    """What this process has used, and all threads of the server."""
    if address.startswith("sqlite"):
        return time.process_time
    from elasticsearch import Elasticsearch

    with Elasticsearch(address) as client:
        [node] = client.nodes.info(metric="process")["nodes"].values()
    threads = Path(f"/proc/{node['process']['id']}/task")
    if not threads.exists():
        raise SystemExit("--cpu needs a server with one node on this machine.")
    spent: dict[str, int] = {}

    def now() -> float:
        began = time.process_time()
        for thread in threads.iterdir():
            try:
                spent[thread.name] = int((thread / "schedstat").read_text().split()[0])
            except OSError:  # it has just ended
                continue
        # What this looking has cost is nobody's.
        overhead[0] += time.process_time() - began
        return time.process_time() - overhead[0] + sum(spent.values()) / 1e9

    overhead = [0.0]
    return now


def fill(store, path: Path, spec) -> None:
    known = set(store.ids())
    started, count, batch = time.perf_counter(), 0, []
    with path.open("rb") as lines:
        for line in lines:
            given = orjson.loads(line)
            if given["id"] in known:
                continue
            document = Document(
                **{**given, "tags": tuple(given["tags"]), "correspondent": given["correspondent"]}
            )
            batch.append(StoredDocument(document, fingerprint(document.content, spec)))
            if len(batch) == 1000:
                count += store.put(batch).written
                batch = []
    if batch:
        count += store.put(batch).written
    store.settle(count)
    while store.tidy():
        pass
    print(f"{count:,} documents written in {time.perf_counter() - started:.0f} s", flush=True)


def plain_query(address: str, store, prefix: str) -> Callable[[list[str]], object]:
    if address.startswith("sqlite"):
        connection = sqlite3.connect(store.path)
        connection.execute("PRAGMA cache_size = -65536")
        statement = (
            "SELECT rowid, bm25(words) AS score FROM words WHERE words MATCH ? "
            "ORDER BY score LIMIT 10"
        )
        return lambda words: connection.execute(
            statement, (" OR ".join(f'"{word}"' for word in words),)
        ).fetchall()
    from elasticsearch import Elasticsearch

    client = Elasticsearch(address, request_timeout=120)
    return lambda words: client.search(
        index=f"{prefix}-documents",
        query={"match": {"content_words": {"query": " ".join(words), "operator": "or"}}},
        size=10,
        source_includes=["id", "uuid", "title"],
    )


def three_words(store, ids: list[int], rng: random.Random, count: int) -> list[list[str]]:
    found: list[list[str]] = []
    while len(found) < count:
        content = next(iter(store.texts([rng.choice(ids)]).values()), "")
        candidates = sorted({word for word in normalise.words(content) if len(word) >= 4})
        if len(candidates) >= 3:
            found.append(rng.sample(candidates, 3))
    return found


def sources(store, ids: list[int], rng: random.Random, count: int) -> tuple[list[int], list[int]]:
    """Documents with a fingerprint, as they come; and of a larger sample the long ones."""
    usual: list[int] = []
    long: list[int] = []
    sample = rng.sample(ids, min(len(ids), 20_000))
    for start in range(0, len(sample), 500):
        part = sample[start : start + 500]
        texts = store.texts(part)
        # In the order of the sample, so that all stores are asked for the same ones.
        for id, content in ((id, texts[id]) for id in part if id in texts):
            words = content.count(" ") + 1
            if words >= 30 and len(usual) < count:
                usual.append(id)
            if words >= LONG_WORDS * 1.1 and len(long) < count:
                long.append(id)
    rng.shuffle(usual)
    return usual, long


def measure(
    search: Search, searcher, scope: Scope, plain, words, ids: list[int], others, on_server: bool
) -> tuple[list[Row], dict[str, dict[int, list[int]]]]:
    """What each kind costs, printed too; what the `others` and we have found for each source."""
    times: dict[str, list[float]] = {}
    shown: dict[str, dict[int, list[int]]] = {}

    def timed(name: str, call: Callable[[], Any]) -> Any:
        started = clock()
        found = call()
        times.setdefault(name, []).append(1000 * (clock() - started))
        return found

    for number, id in enumerate([*ids[:WARM], *ids]):
        if number == len(ids[:WARM]):
            times.clear()
        three = words[number % len(words)]
        timed("plain", lambda three=three: plain(three))
        language = " OR ".join(three)
        timed("plain, whole", lambda: search.run(Request(language, scope, limit=10)))  # noqa: B023
        for name, suffix in KINDS.items():
            query = f"FINGERPRINT:{id}{suffix}"
            answer = timed(f"{name}, whole", lambda: search.run(Request(query, scope, limit=10)))  # noqa: B023
            shown.setdefault(name, {})[id] = [hit.id for hit in answer.hits]
            term = prepared(search, query, scope)
            if term is not None:
                timed(
                    f"{name}, store",
                    lambda: candidates(searcher, term, scope),  # noqa: B023
                )
        for name, way in others.items():
            shown.setdefault(name, {})[id] = timed(name, lambda: way(id))  # noqa: B023
    base = p95(times["plain"])
    print(f"{'':22}{'p50 ms':>9}{'p95 ms':>9}{'of plain':>10}{'goal':>7}")
    rows: list[Row] = []
    for name, taken in times.items():
        rows.append({"way": name, "p50 ms": statistics.median(taken), "p95 ms": p95(taken)})
        goal = GOALS.get(name.partition(",")[0], ("", ""))[on_server]
        print(
            f"{name:22}{statistics.median(taken):9.2f}{p95(taken):9.2f}{p95(taken) / base:10.2f}"
            f"{goal:>7}"
        )
    return rows, shown


def measure_long(search: Search, searcher, scope: Scope, ids: list[int]) -> None:
    if not ids:
        return
    taken: dict[str, list[float]] = {"_20": [], "_20_80": []}
    for id in ids:
        for suffix, listed in taken.items():
            term = prepared(search, f"FINGERPRINT:{id}{suffix}", scope)
            if term is not None:
                started = clock()
                candidates(searcher, term, scope)
                listed.append(1000 * (clock() - started))
    medians = {suffix: statistics.median(listed) for suffix, listed in taken.items()}
    factors = [a / b for a, b in zip(*taken.values(), strict=True)]
    print(
        f"sources of {LONG_WORDS:,} words and more, store's part, median ms: {medians}; "
        f"_20_80 is {medians['_20'] / medians['_20_80']:.1f} times as fast "
        f"(median of the pairs {statistics.median(factors):.1f})"
    )


def prepared(search: Search, query: str, scope: Scope):
    _, terms = search._comparer.resolved(parse(query), scope, [])  # noqa: SLF001
    return next(iter(terms.values()), None)


def candidates(searcher, term, scope: Scope) -> object:
    return list(islice(searcher.candidates(term.query, None, scope, step=BLOCKS[0]), BLOCKS[0]))


def p95(values: Iterable[float]) -> float:
    listed = sorted(values)
    return listed[min(len(listed) - 1, round(0.95 * len(listed)))]


if __name__ == "__main__":
    main()
