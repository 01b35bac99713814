"""What the fault tests share: a nursery of workers, and what must be true afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from paperless_work import Office

from documents import some_text
from paperless_fingerprint.integration.feedback.ledger import NEW, ON

OWN = 'Steuer, "2024" 🧾'
#: How much more than usual: 5 makes the counts of runs five times as large.
SCALE = float(os.environ.get("PAPERLESS_FINGERPRINT_FAULTS", "1"))


#: Takes what stands beside a test at the end of the run.
Report = Callable[..., None]


def scaled(count: int) -> int:
    return max(1, round(count * SCALE))


class HasEnvironment(Protocol):
    environment: dict[str, str]


class Nursery:
    def __init__(self, process: subprocess.Popen) -> None:
        self._process = process

    def run(self, **told) -> list[int]:
        """How each worker ended: 0, or minus the signal."""
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


@contextmanager
def nursery(office: HasEnvironment) -> Iterator[Nursery]:
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("nursery.py"))],
        env={**os.environ, **office.environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Nursery(process)
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(timeout=60)


class Letters:
    """Pairs of an original and its copy, each pair a thing of its own; every document has a tag
    that a person has given it."""

    def __init__(self, office: Office) -> None:
        self.office = office
        self.tag = office.paperless.library.add_label("tags", OWN).id
        self.pairs: list[tuple[int, int]] = []

    def add(self) -> tuple[int, int]:
        number = len(self.pairs)
        body = some_text(70, seed=1_000 + number)
        text = f"Rechnung Nr. {7_000 + number * 13} {body}"
        # The OCR of the second scan has misread a few words.
        words = body.split()
        words[10:60:20] = [word.translate(str.maketrans("ioe", "10c")) for word in words[10:60:20]]
        copy = f"Rechnung Nr. {7_000 + number * 13} {' '.join(words)}" if number % 2 else text
        pair = (
            self.office.add(text, tags=[self.tag]),
            self.office.add(copy, tags=[self.tag]),
        )
        self.pairs.append(pair)
        return pair

    def check(self) -> None:
        """Every document done, no tag lost, no group double, no event lost, nothing made up."""
        office = self.office
        library = office.paperless.library
        with office.open() as place:
            assert place.inbox.events() == []
            assert list(place.spool.events()) == []
            assert place.store.pending() == []
            assert place.store.ids() == sorted(library.documents)
            assert place.store.decisions() == []  # nobody has said anything
            assert sorted(group.members for group in place.store.groups()) == self.pairs
            rows = {
                id: {kind: written.state for kind, written in kinds.items() if kind != NEW}
                for id, kinds in place.ledger.rows().items()
            }
        for number, (first, copy) in enumerate(self.pairs):
            kind = "near" if number % 2 else "exact"
            assert office.tags(first) == {OWN, "Has duplicates"}
            assert office.tags(copy) == {OWN, f"Duplicate ({kind})"}
            assert office.fields(copy)["Duplicate of"] == [first]
            assert office.fields(first) == {"Duplicate of": [copy]}
            assert rows[first] == {"tag:primary": ON}
            assert rows[copy] == {f"tag:{kind}": ON, "link:duplicate": ON, "confidence": ON}
        names = [label.name for label in library.labels["tags"].values()]
        assert len(names) == len(set(names)) == 8
        assert len(library.fields) == 4
        assert len(library.views) == 1


@contextmanager
def fast_folder(otherwise: Path) -> Iterator[Path]:
    """In memory where there is such a place: a killed process needs no disk to lose nothing, and
    waiting for the disk at each step would take minutes."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield otherwise
        return
    with tempfile.TemporaryDirectory(prefix="pf-faults-", dir=memory) as folder:
        yield Path(folder)
