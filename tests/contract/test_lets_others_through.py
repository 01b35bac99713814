"""While the long texts of one document are compared, others write to the library; what they wrote
counts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from documents import SPEC, misread, some_text
from libraries import Library
from paperless_fingerprint.files.lock import FileLock
from paperless_fingerprint.library import analysis_one
from paperless_fingerprint.library.analysis import analyse
from paperless_fingerprint.library.analysis_one import analyse_one
from paperless_fingerprint.library.decisions import dismiss
from paperless_fingerprint.library.intake import take_in
from paperless_fingerprint.library.removal import remove
from paperless_fingerprint.library.vocabulary import StoredVocabulary
from paperless_fingerprint.model import Document
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.base import Store

SETTINGS = load({"workers": 1}, {})
LONG = " ".join(f"Kapitel {n}. {some_text(300, n)}" for n in range(6))
DOCUMENTS = [
    Document(1, "Band", content=LONG),
    Document(2, "Abschrift", content=misread(LONG, 0.005, 2)),
    Document(3, "Auszug", content=LONG[: len(LONG) * 3 // 4]),
]
_PATIENCE_SECONDS = 60


class Stopped:
    """Each comparison stops in the middle, until it is told to go on."""

    def __init__(self) -> None:
        self._arrived = threading.Semaphore(0)
        self._go_on = threading.Semaphore(0)
        self.count = 0

    def __call__(self, *arguments: object) -> list:
        self.count += 1
        self._arrived.release()
        assert self._go_on.acquire(timeout=_PATIENCE_SECONDS)
        return self._judge(*arguments)

    _judge = staticmethod(analysis_one.judge_chunk)

    def wait(self) -> None:
        assert self._arrived.acquire(timeout=_PATIENCE_SECONDS)

    def go_on(self, times: int = 1) -> None:
        self._go_on.release(times)


def take(store: Store, *documents: Document) -> None:
    assert not take_in(store, documents, SPEC).refused


@pytest.fixture
def store(library: Library) -> Store:
    """In which two are analysed and the third waits."""
    made = library()
    take(made, *DOCUMENTS[:2])
    analyse(made, SETTINGS, Silent())
    take(made, DOCUMENTS[2])
    return made


@pytest.fixture
def stopped(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stopped]:
    made = Stopped()
    monkeypatch.setattr(analysis_one, "judge_chunk", made)
    # A tenth, as of the texts: what happens while they are compared is the same.
    monkeypatch.setattr(analysis_one, "_LONG", analysis_one._LONG // 10)
    yield made
    made.go_on(10)


class Analysis:
    """Of what waits, under the lock, in a thread of its own."""

    def __init__(self, store: Store, lock: Path) -> None:
        self._store = store
        self._lock = FileLock(lock)
        self._failed: list[BaseException] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            with self._lock.held():
                for item in self._store.pending():
                    analyse_one(
                        self._store, SETTINGS, item, StoredVocabulary(self._store),
                        let_go=self._lock.let_go,
                    )  # fmt: skip
        except BaseException as error:
            self._failed.append(error)

    def finish(self) -> None:
        self._thread.join(_PATIENCE_SECONDS)
        assert not self._thread.is_alive()
        assert not self._failed


def everything(store: Store) -> tuple:
    return (
        {(p.a, p.b): (p.relation, p.leader) for p in store.pairs()},
        sorted(group.members for group in store.groups()),
        store.pending(),
    )


def fresh(library: Library, *documents: Document, apart: tuple = ()) -> tuple:
    made = library()
    take(made, *documents)
    analyse(made, SETTINGS, Silent())
    for pair in apart:
        dismiss(made, SETTINGS, *pair, by="test")
    return everything(made)


@pytest.mark.parametrize("what", ["nothing", "a word of a person", "another text", "a deletion"])
def test_others_get_through_and_are_heard(
    library: Library, store: Store, stopped: Stopped, tmp_path: Path, what: str
) -> None:
    lock = tmp_path / "lock"
    analysis = Analysis(store, lock)
    stopped.wait()
    documents, apart = dict(enumerate(DOCUMENTS, 1)), ()
    with FileLock(lock).tried() as is_ours:
        assert is_ours
        if what == "a word of a person":
            apart = ((1, 3),)
            dismiss(store, SETTINGS, 1, 3, by="test")
        elif what == "another text":
            documents[2] = replace(documents[2], content=some_text(200, 77))
            take(store, documents[2])
        elif what == "a deletion":
            del documents[2]
            remove(store, SETTINGS, [2])
    stopped.go_on(20)
    analysis.finish()
    # Once more where something had changed.
    assert stopped.count == (1 if what == "nothing" else 2)
    analyse(store, SETTINGS, Silent())  # the text that came meanwhile
    assert everything(store) == fresh(library, *documents.values(), apart=apart)


def test_a_document_that_goes_meanwhile_leaves_no_ghost(
    store: Store, stopped: Stopped, tmp_path: Path
) -> None:
    analysis = Analysis(store, tmp_path / "lock")
    stopped.wait()
    with FileLock(tmp_path / "lock").held():
        remove(store, SETTINGS, [3])
    stopped.go_on()
    analysis.finish()
    assert {(pair.a, pair.b) for pair in store.pairs()} == {(1, 2)}
    assert not store.pending()


def test_what_is_written_again_and_again_is_done_all_the_same(
    store: Store, stopped: Stopped, tmp_path: Path
) -> None:
    """The last time nobody else gets through."""
    lock = tmp_path / "lock"
    analysis = Analysis(store, lock)
    for number in range(3):
        stopped.wait()
        with FileLock(lock).held():
            take(store, replace(DOCUMENTS[2], title=f"Auszug {number}"))
        stopped.go_on()
    stopped.wait()
    with FileLock(lock).tried() as is_ours:
        assert not is_ours
    stopped.go_on()
    analysis.finish()
    assert not store.pending()
    assert {(pair.a, pair.b) for pair in store.pairs()} == {(1, 2), (1, 3), (2, 3)}
