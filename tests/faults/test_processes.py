"""The processes that compare texts: they die with the one that started them, and not in silence."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from multiprocessing import active_children
from pathlib import Path

import pytest
from click.testing import CliRunner

from documents import SPEC, some_text
from paperless_fingerprint.cli import main
from paperless_fingerprint.errors import ExitCode, PartlyDone
from paperless_fingerprint.library import analysis_whole
from paperless_fingerprint.library.analysis import analyse
from paperless_fingerprint.library.intake import take_in
from paperless_fingerprint.model import Document
from paperless_fingerprint.progress import Progress, Silent
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.sqlite import SqliteStore

# Compares with two processes, which stop in the middle; says who they are.
ANALYSIS = """
import time
from multiprocessing import active_children
from paperless_fingerprint.library import judging
from paperless_fingerprint.library.vocabulary import Rarity
from paperless_fingerprint.fingerprints.rarity import NoRuns
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.text.lexicon import NoVocabulary

judging.judge_chunk = lambda *_: time.sleep(600)
if __name__ == "__main__":
    pool = judging.JudgingPool(
        judging.Judge.of(load({}, {})), Rarity(NoVocabulary(), NoRuns()), 2
    )
    def chunks():
        yield judging.Chunk({}, [])
        print(*[child.pid for child in active_children()], flush=True)
        yield judging.Chunk({}, [])

    list(pool.judged(chunks()))
"""


def test_whoever_compares_for_a_process_that_was_killed_ends_too() -> None:
    process = subprocess.Popen([sys.executable, "-c", ANALYSIS], stdout=subprocess.PIPE)
    assert process.stdout is not None
    children = [int(pid) for pid in process.stdout.readline().split()]
    assert len(children) == 2
    process.kill()
    process.wait()
    # All who could write into it are gone when nothing more can come.
    assert process.stdout.read() == b""
    process.stdout.close()


class _KillingOne(Silent):
    def advance(self, count: int = 1) -> None:
        children = active_children()
        if children:
            os.kill(children[0].pid or 0, signal.SIGKILL)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(tmp_path / "library.db")
    texts = [some_text(60, number) for number in range(500)]
    documents = [Document(n, content=texts[n % 500]) for n in range(1, 1_001)]
    take_in(made, documents, SPEC)
    yield made
    made.close()


def test_a_process_that_dies_is_told_in_a_sentence_and_the_next_run_goes_on(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis_whole, "_CHUNK_PAIRS", 20)
    monkeypatch.setattr(analysis_whole, "_STORED_TOGETHER", 1)
    killing: Progress = _KillingOne()
    with pytest.raises(PartlyDone, match="want of memory"):
        analyse(store, load({"workers": 2}, {}), killing)
    analyse(store, load({"workers": 1}, {}), Silent())
    assert not store.pending()
    assert sum(1 for _ in store.pairs()) == 500


@pytest.mark.parametrize(
    "lack",
    [MemoryError(), OSError(errno.ENOMEM, "no room"), RuntimeError("can't start new thread")],
    ids=["array", "process", "thread"],
)
def test_too_little_memory_is_told_in_a_sentence_and_the_next_run_goes_on(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, lack: Exception
) -> None:
    at = [f"--store=sqlite:///{store.path}", "analyze"]
    with monkeypatch.context() as short:
        write, times = analysis_whole._store, count()

        def short_of_memory(*given):
            if next(times) == 2:
                raise lack
            return write(*given)

        short.setattr(analysis_whole, "_CHUNK_PAIRS", 20)
        short.setattr(analysis_whole, "_STORED_TOGETHER", 1)
        short.setattr(analysis_whole, "_store", short_of_memory)
        ended = CliRunner().invoke(main, at)
    assert ended.exit_code == ExitCode.PARTLY_DONE
    assert ended.stderr.endswith("make room, or set 'workers' to 1.\n")
    kept = sum(1 for _ in store.pairs())
    assert 0 < kept < 500
    assert len(store.pending()) < 1_000
    assert CliRunner().invoke(main, at).exit_code == 0
    assert not store.pending()
    assert sum(1 for _ in store.pairs()) == 500


def test_any_other_error_is_not_taken_for_that(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis_whole, "_store", lambda *_: 1 + "")
    ended = CliRunner().invoke(main, [f"--store=sqlite:///{store.path}", "analyze"])
    assert isinstance(ended.exception, TypeError)
