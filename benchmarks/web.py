"""How long the pages and the API take on a large library, beside a bare page of the same server.

    python benchmarks/web.py [--documents 100000] [--groups 20000] [--folder FOLDER] [STORE]

Makes a library of that size (kept in FOLDER, where it is named), with a stand-in Paperless of the
same documents, starts the server in a process of its own, signs in 20 people, 10 of them without
superuser, and lets all of them ask at once, each over one connection. The bare page is the smallest
that the server has behind its session check: 'there is nothing at this address', in the frame of
all pages; for the API it is /api/session. Kinds take turns with the bare page, so that whatever else
the machine does strikes both; what is shown is p95 against p95, and how many bytes the first paint
needs (the page, its style and its script).
"""

from __future__ import annotations

import argparse
import gc
import http.client
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from measuring import report

PEOPLE = 20
#: What p95 may be, times that of the bare page.
GOAL = 5.0
#: So many of the groups are identical throughout, for the batch that keeps one of each.
IDENTICAL = 5_000
_WORDS = "ba do ke li mu na po ra si tu ve wo ze gra ster lin mond tal".split()
_ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument(
        "store", nargs="?", help="http://HOST:PORT of Elasticsearch; else SQLite"
    )
    arguments.add_argument("--documents", type=int, default=100_000)
    arguments.add_argument("--groups", type=int, default=20_000)
    arguments.add_argument("--folder", type=Path)
    arguments.add_argument(
        "--requests", type=int, default=15, help="of each person, kind and round"
    )
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--json", type=Path, metavar="FOLDER")
    arguments.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments.add_argument("--paperless", action="store_true", help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    if asked.paperless:
        stand_in(asked.documents)
        return
    if asked.serve:
        serve(asked.folder, asked.store, asked.documents)
        return
    with ExitStack() as stack:
        folder = asked.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        fill(folder, asked.store, asked.documents, asked.groups)
        told = stack.enter_context(started(folder, asked))
        measure(told, asked)


# --- the library ---------------------------------------------------------------------------------


def members_of(documents: int, groups: int) -> Iterator[tuple[int, ...]]:
    """Groups of two and of three, on ids that follow one another; the rest stand alone."""
    id = 1
    for number in range(groups):
        size = 2 + number % 2
        if id + size > documents:
            return
        yield tuple(range(id, id + size))
        id += size


def settings_of(folder: Path, store: str | None, url: str = "", token: str = ""):
    from paperless_fingerprint.settings.loading import load

    name = "PAPERLESS_FINGERPRINT_"
    return load(
        environment={
            f"{name}STORE": store or f"sqlite:///{folder}/library.db",
            f"{name}ELASTICSEARCH_PREFIX": "paperless-fingerprint-bench-web",
            f"{name}INBOX_FILE": f"{folder}/library.inbox.db",
            f"{name}SPOOL": f"{folder}/spool",
            f"{name}PAPERLESS_URL": url,
            f"{name}PAPERLESS_TOKEN": token,
            "XDG_CONFIG_HOME": str(folder),
            "XDG_DATA_HOME": str(folder),
        }
    )


def fill(folder: Path, store: str | None, documents: int, groups: int) -> None:
    from paperless_fingerprint.fingerprints.fingerprint import fingerprint
    from paperless_fingerprint.languages.reasons import Reason
    from paperless_fingerprint.model import (
        Document,
        Group,
        Pair,
        PairScore,
        Relation,
        StoredDocument,
    )
    from paperless_fingerprint.stores.opening import open_store

    settings = settings_of(folder, store)
    opened = open_store(settings)
    if len(opened.ids()) == documents:
        opened.close()
        return
    began = time.monotonic()
    spec, rng = settings.spec(), random.Random(1)
    group_of = {
        id: number for number, ids in enumerate(members_of(documents, groups)) for id in ids
    }
    texts: dict[int, str] = {}
    batch = []
    for id in range(1, documents + 1):
        number = group_of.get(id, -id)
        words = texts.get(number)
        if words is None:
            words = " ".join("".join(rng.choices(_WORDS, k=3)) for _ in range(80))
            texts = {number: words}
        content = f"Rechnung Nr. {number} vom 3. März 2024. {words} "
        if not 0 <= number < IDENTICAL:
            content += "".join(rng.choices(_WORDS, k=2))
        document = Document(
            id, f"Rechnung {number} der Stadtwerke", content, f"Correspondent {number % 300}",
            f"Type {number % 12}", f"20{10 + number % 15}-03-0{1 + number % 9}",
            added=f"2024-01-01T00:00:{id % 60:02d}Z", page_count=1 + number % 7, file_size=50_000,
        )  # fmt: skip
        batch.append(StoredDocument(document, fingerprint(content, spec)))
        if len(batch) == 1_000 or id == documents:
            opened.put(batch)
            batch = []
    found = list(members_of(documents, groups))
    for start in range(0, len(found), 2_000):
        some = found[start : start + 2_000]
        made = []
        relation_of = {}
        for place, ids in enumerate(some, start):
            relation = Relation.EXACT if place < IDENTICAL else Relation.NEAR
            relation_of[ids[0]] = relation
            for other in ids[1:]:
                sure = 1.0 if relation is Relation.EXACT else round(rng.uniform(0.76, 1.0), 4)
                scores = PairScore(sure, sure, sure, sure, 1.0, 1.0, 1.0, None, sure)
                reasons = (
                    Reason("same_fact", {"kind": "invoice number", "value": "2024-117"}),
                    Reason("share", {"share": sure}),
                )
                made.append(Pair(ids[0], other, relation, sure, scores, reasons))
        opened.write_pairs(made)
        sure_of = {pair.a: pair.confidence for pair in made}
        opened.replace_groups(
            [id for ids in some for id in ids],
            [
                Group(f"g{ids[0]}", relation_of[ids[0]], sure_of[ids[0]], ids[0], ids,
                      tuple((ids[0], other) for other in ids[1:]))
                for ids in some
            ],
        )  # fmt: skip
    opened.mark_analysed(opened.pending())
    opened.settle(len(opened.ids()))
    opened.close()
    print(
        f"made {documents:,} documents, {len(found):,} groups in {time.monotonic() - began:.0f} s"
    )


# --- the server, in a process of its own -----------------------------------------------------------


def serve(folder: Path, store: str | None, documents: int) -> None:
    import socket

    import uvicorn

    from paperless_fingerprint.service.worker import Worker
    from paperless_fingerprint.web.app import make_app

    class Resting(Worker):
        """What is measured is the page; the worker would fetch the stand-in's texts instead."""

        is_alive = True  # type: ignore[assignment]

        def start(self) -> None:
            pass

        def stop(self) -> None:
            self._file.close()

    with behind(documents) as paperless:
        tokens = paperless["tokens"]
        settings = settings_of(folder, store, paperless["url"], paperless["token"])
        app = make_app(settings, Resting(settings))
        listener = socket.create_server(("127.0.0.1", 0))
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # as `serve` does
        started = time.monotonic()
        gc.set_threshold(50_000, 20, 100)  # as cli/__init__.py does
        app.state.review.mirror.refresh()
        seconds = time.monotonic() - started
        # What the service does behind the scenes, a fifth of the time, until it is done.
        started = time.monotonic()
        app.state.review.differences.prepare(lambda _seconds: False)
        prepared = time.monotonic() - started
        told = {
            "process": os.getpid(), "port": listener.getsockname()[1], "tokens": tokens, "seconds": round(seconds, 1),
            "prepared": round(prepared, 1),
        }  # fmt: skip
        print(json.dumps(told), flush=True)
        config = uvicorn.Config(
            app, log_level="error", access_log=False, server_header=False, timeout_keep_alive=600
        )
        uvicorn.Server(config).run(sockets=[listener])


def stand_in(documents: int) -> None:
    """Paperless, in a process of its own, too: its work is not ours."""
    from paperless_fingerprint.demo.stand_in import StandIn

    with StandIn(sign_ins_a_minute=10_000) as paperless:
        for id in range(1, documents + 1):
            paperless.library.add(f"{id}")
        people = paperless.library.people
        tokens = []
        for number in range(PEOPLE):
            user = people.add_user(
                f"user{number}", "x", superuser=number < PEOPLE // 2,
                permissions=["view_document", "change_document", "view_uisettings"],
            )  # fmt: skip
            tokens.append(people.token_of(user))
        told = {"url": paperless.url, "token": paperless.token, "tokens": tokens}
        print(json.dumps(told), flush=True)
        sys.stdin.read()


@contextmanager
def behind(documents: int) -> Iterator[dict]:
    command = [sys.executable, __file__, "--paperless", "--documents", str(documents)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=_ROOT
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(30)


@contextmanager
def started(folder: Path, asked: argparse.Namespace) -> Iterator[dict]:
    command = [sys.executable, __file__, "--serve", "--folder", str(folder)]
    command += ["--documents", str(asked.documents), "--groups", str(asked.groups)]
    command += [asked.store] if asked.store else []
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_ROOT)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.terminate()
        process.wait(30)


# --- asking ----------------------------------------------------------------------------------------


class Client:
    """One person, one connection that stays open, and the cookie of a session."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._headers = {"Accept": "text/html"}
        body = json.dumps({"token": token})
        self._connection.request("POST", "/api/session", body, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        told = answer.read()
        assert answer.status == 200, answer.status
        self._csrf = json.loads(told)["csrf"]
        self._headers["Cookie"] = (answer.getheader("Set-Cookie") or "").partition(";")[0]

    def get(self, path: str, *, page: bool = True, status: int = 200) -> tuple[float, bytes]:
        headers = self._headers if page else {**self._headers, "Accept": "application/json"}
        began = time.perf_counter()
        self._connection.request("GET", path, headers=headers)
        answer = self._connection.getresponse()
        body = answer.read()
        seconds = time.perf_counter() - began
        assert answer.status == status, (path, answer.status, body[:300])
        return seconds, body

    def form(self, path: str, told: dict[str, str]) -> tuple[float, bytes]:
        headers = {**self._headers, "Content-Type": "application/x-www-form-urlencoded"}
        body = urlencode({"csrf": self._csrf, **told})
        began = time.perf_counter()
        self._connection.request("POST", path, body, headers)
        answer = self._connection.getresponse()
        found = answer.read()
        assert answer.status == 200, (path, answer.status, found[:300])
        return time.perf_counter() - began, found

    def ask(self, told: str | tuple[str, dict[str, str]], **more: Any) -> tuple[float, bytes]:
        return self.get(told, **more) if isinstance(told, str) else self.form(*told)

    def post(self, path: str, told: object) -> float:
        headers = {**self._headers, "X-CSRF-Token": self._csrf, "Content-Type": "application/json"}
        began = time.perf_counter()
        self._connection.request("POST", path, json.dumps(told), headers)
        answer = self._connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (path, answer.status, body[:300])
        return time.perf_counter() - began


Asked = str | tuple[str, dict[str, str]]


def kinds(
    asked: argparse.Namespace,
) -> dict[str, tuple[bool, int, Callable[[random.Random], Asked]]]:
    """Name → (page or API, status, what to ask for, and of a form what stands in it)."""
    found = list(members_of(asked.documents, asked.groups))

    def group(rng: random.Random) -> str:
        return f"g{rng.choice(found)[0]}"

    def pair(rng: random.Random) -> str:
        ids = rng.choice(found)
        return f"{ids[0]}-{ids[1]}"

    def number(rng: random.Random) -> int:
        return rng.choice(found)[0]

    def page(rng: random.Random) -> int:
        return rng.randint(1, len(found) // 50)

    def word(rng: random.Random) -> str:
        return "".join(rng.choices(_WORDS, k=3))

    return {
        "bare page": (True, 404, lambda rng: f"/nothing{rng.random()}"),
        "groups": (True, 200, lambda rng: f"/review?page={page(rng)}"),
        "groups, filtered": (
            True, 200, lambda rng: f"/review?correspondent=Correspondent+{rng.randint(0, 20)}",
        ),
        "groups, by a word": (True, 200, lambda rng: f"/review?q={rng.randint(0, 9_999)}"),
        "groups, by match": (True, 200, lambda rng: f"/review?sure={rng.randint(76, 99)}"),
        "groups, by title": (True, 200, lambda rng: f"/review?sort=title&page={page(rng)}"),
        "groups, as cards": (True, 200, lambda rng: f"/review?view=cards&page={page(rng)}"),
        "groups, 200 a page": (True, 200, lambda _: "/review?per_page=200"),
        "all that match, preview": (
            True, 200, lambda _: (
                "/review/preview",
                {"all": "1", "query": "sure=80", "verdict": "same", "back": "/review"},
            ),
        ),
        f"keep one of each of {min(IDENTICAL, len(found)):,}, preview": (
            True, 200, lambda _: "/resolve-many?relation=exact",
        ),
        "one group": (True, 200, lambda rng: f"/review/{group(rng)}"),
        "two documents": (True, 200, lambda rng: f"/review/p{pair(rng)}"),
        "a document": (True, 200, lambda rng: f"/documents/{number(rng)}"),
        "decisions": (True, 200, lambda _: "/decisions"),
        "library": (True, 200, lambda _: "/library"),
        "work": (True, 200, lambda _: "/work"),
        "search, the form": (True, 200, lambda _: "/search"),
        "search, a word": (True, 200, lambda rng: f"/search?q={word(rng)}"),
        "search, a frequent word": (True, 200, lambda _: "/search?q=Rechnung"),
        "search, likeness": (True, 200, lambda rng: f"/search?q=FINGERPRINT:{number(rng)}_20"),
        "bare API": (False, 200, lambda _: "/api/session"),
        "api review": (False, 200, lambda rng: f"/api/review?page={page(rng)}"),
        "api item": (False, 200, lambda rng: f"/api/review/{group(rng)}"),
        "api pair": (False, 200, lambda rng: "/api/pairs/" + pair(rng).replace("-", "/")),
        "api neighbourhood": (
            False, 200, lambda rng: f"/api/documents/{number(rng)}/neighbourhood",
        ),
        "api library": (False, 200, lambda _: "/api/library"),
        "api progress": (False, 200, lambda _: "/api/progress"),
    }  # fmt: skip


def measure(told: dict, asked: argparse.Namespace) -> None:
    port = told["port"]
    print(
        f"The catalogue was read in {told['seconds']} s; what is new was compared in "
        f"{told['prepared']} s."
    )
    clients = [Client(port, token) for token in told["tokens"]]
    found = kinds(asked)
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    cpu: defaultdict[str, float] = defaultdict(float)
    for number in range(asked.rounds + 1):
        for name, (is_page, status, path) in found.items():
            times: list[float] = []

            def ask(client: Client, seed: int) -> None:
                rng = random.Random(seed)
                times.extend(  # noqa: B023
                    client.ask(path(rng), page=is_page, status=status)[0]  # noqa: B023
                    for _ in range(asked.requests)
                )

            threads = [
                threading.Thread(target=ask, args=(client, place * 1000 + number))
                for place, client in enumerate(clients)
            ]
            began = _cpu_seconds(told["process"])
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if number:  # the first round is for warming up
                seconds[name] += times
                cpu[name] += _cpu_seconds(told["process"]) - began
    rows = []
    for name, (is_page, *_) in found.items():
        least = "bare page" if is_page else "bare API"
        bare = _p95(seconds[least])
        rows.append(
            {
                "what": name,
                "median ms": 1000 * statistics.median(seconds[name]),
                "p95 ms": 1000 * _p95(seconds[name]),
                "p95 / bare": _p95(seconds[name]) / bare,
                "CPU ms": 1000 * cpu[name] / len(seconds[name]),
                "CPU / bare": cpu[name] / cpu[least],
                "first paint KB": _first_paint(clients[0], found[name]) if is_page else "",
            }
        )
    report(f"web, {asked.documents} documents, {PEOPLE} people", rows, asked.json)
    print(f"\nThe server has {_memory_megabytes(told['process']):.0f} MB of memory.")
    measure_decisions(clients, asked)
    slow = [row["what"] for row in rows if float(str(row["p95 / bare"])) > GOAL]
    print(f"\nAbove {GOAL:g} times the bare page: {', '.join(map(str, slow)) or 'nothing'}.")


def measure_decisions(clients: list[Client], asked: argparse.Namespace) -> None:
    """Each person decides about groups of its own, and takes it back: so the library stays."""
    found = list(members_of(asked.documents, asked.groups))
    decided: list[float] = []
    undone: list[float] = []

    def work(place: int, client: Client, times: int) -> None:
        for number in range(times):
            id = f"g{found[place * 50 + number][0]}"
            item = json.loads(client.get(f"/api/review/{id}", page=False)[1])
            order = {"item": id, "verdict": "same", "seen": item["seen"]}
            decided.append(client.post("/api/review/decide", {"orders": [order]}))
            undone.append(client.post("/api/review/undo", {}))

    for people in (1, len(clients)):
        decided.clear()
        undone.clear()
        threads = [
            threading.Thread(target=work, args=(place, client, 5))
            for place, client in enumerate(clients[:people])
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(
            f"{people} deciding at once: a decision takes {1000 * statistics.median(decided):.0f} "
            f"ms, an undo {1000 * statistics.median(undone):.0f} ms (medians)."
        )


def _memory_megabytes(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


def _cpu_seconds(process: int) -> float:
    """Of the server alone, which other programs on the machine cannot make longer."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def _first_paint(client: Client, kind: tuple[bool, int, Callable[[random.Random], Asked]]) -> float:
    """The page with its styles and scripts; pictures come later and one by one."""
    _, status, path = kind
    _, body = client.ask(path(random.Random(0)), status=status)
    size = len(body)
    for name in set(re.findall(rb'(?:src|href)="(/static/[^"#]+\.(?:css|js))', body)):
        size += len(client.get(name.decode())[1])
    return size / 1000


if __name__ == "__main__":
    main()
