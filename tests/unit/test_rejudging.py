"""After thresholds have changed the library is as if it had always been judged by them."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents import some_text
from paperless_fingerprint.checkup import library as checkup
from paperless_fingerprint.comparison.judgement import learned
from paperless_fingerprint.library import outdated
from paperless_fingerprint.library.analysis import analyse
from paperless_fingerprint.library.intake import take_in
from paperless_fingerprint.library.outdated import Due
from paperless_fingerprint.model import Document
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.sqlite import SqliteStore

THRESHOLDS = {"similarity_threshold": 0.75, "near.threshold": 0.85, "version.threshold": 0.75}


def by(similarity: float = 0.75, near: float = 0.85, version: float = 0.75) -> Settings:
    told = zip(THRESHOLDS, (similarity, near, version), strict=True)
    return load(dict(told), {})


def library(path: Path) -> SqliteStore:
    """Letters without facts, each with a copy that lacks some of its words."""
    store = SqliteStore(path)
    documents = []
    for number in range(6):
        text = some_text(120, seed=number)
        words = text.split()
        less = " ".join(words[: len(words) - 2 - 6 * number])
        one, other = 2 * number + 1, 2 * number + 2
        documents += [Document(one, content=text), Document(other, content=less)]
    take_in(store, documents, by().spec())
    return store


def found(store: SqliteStore, settings: Settings) -> tuple[dict, list]:
    at_least = settings.similarity_threshold
    pairs = {(p.a, p.b): (p.relation, p.confidence) for p in store.pairs(at_least=at_least)}
    return pairs, sorted((g.members, g.relation) for g in store.groups())


CHANGES = [
    by(similarity=0.995), by(similarity=0.4), by(near=0.97), by(near=0.5, version=0.3),
    by(similarity=0.9, near=0.95, version=0.9),
]  # fmt: skip


@pytest.fixture(scope="module")
def anew(tmp_path_factory) -> dict[int, tuple]:
    """What each of them gives for a library that never knew others."""
    answers = {}
    for number, settings in enumerate([by(), *CHANGES]):
        store = library(tmp_path_factory.mktemp("anew") / "library.db")
        analyse(store, settings, Silent())
        answers[number] = found(store, settings)
        store.close()
    assert len({str(answer) for answer in answers.values()}) > 3
    return answers


def test_an_analysis_follows_the_thresholds_there_and_back(tmp_path, anew) -> None:
    store = library(tmp_path / "library.db")
    analyse(store, by(), Silent())
    for number, settings in enumerate(CHANGES, 1):
        for expected, wanted in ((anew[number], settings), (anew[0], by())):
            assert outdated.due(store.notes(), wanted) is not Due.NOTHING
            analyse(store, wanted, Silent())
            assert found(store, wanted) == expected
            assert outdated.due(store.notes(), wanted) is Due.NOTHING
            assert not store.pending()
    store.close()


def test_only_what_has_to_be_is_done_again(tmp_path) -> None:
    store = library(tmp_path / "library.db")
    assert outdated.due(store.notes(), by(near=0.9)) is Due.NOTHING
    analyse(store, by(), Silent())
    assert outdated.due(store.notes(), by(similarity=0.5)) is Due.GROUPS
    assert outdated.due(store.notes(), by(near=0.9)) is Due.PAIRS
    assert analyse(store, by(similarity=0.5), Silent()).compared == 0
    assert analyse(store, by(0.5, 0.9), Silent()).documents == len(store.ids())
    assert analyse(store, by(0.5, 0.9), Silent()).documents == 0
    store.close()


class Killed(BaseException):
    """Nothing that anybody catches."""


@pytest.mark.parametrize("change", [0, 2])
def test_killed_at_every_step(tmp_path, anew, change, monkeypatch) -> None:
    """Before each write of the store; then with the thresholds gone back, or gone on."""
    settings, expected = CHANGES[change], anew[1 + change]
    writing = SqliteStore.writing
    kills = 0
    for step in range(1, 400):
        store = library(tmp_path / f"{step}.db")
        analyse(store, by(), Silent())
        left = step

        def counted(self):
            nonlocal left
            left -= 1
            if not left:
                raise Killed
            return writing(self)

        monkeypatch.setattr(SqliteStore, "writing", counted)
        try:
            analyse(store, settings, Silent())
        except Killed:
            kills += 1
        monkeypatch.setattr(SqliteStore, "writing", writing)
        ended = left > 0
        wanted, answer = (by(), anew[0]) if step % 2 else (settings, expected)
        analyse(store, wanted, Silent())
        assert found(store, wanted) == answer, step
        store.close()
        if ended:
            break
    assert kills >= 3


def test_settings_are_read_the_same_everywhere() -> None:
    settings = by(0.5, 0.9, 0.6)
    told = f"0.5 0.9 0.6 {learned().id}"
    assert outdated.due({"thresholds": told}, settings) is Due.NOTHING
    assert outdated.due({"thresholds": f"towards {told}"}, settings) is Due.GROUPS
    other = settings.having({"near.threshold": 0.8})
    assert outdated.due({"thresholds": f"towards {told}"}, other) is Due.PAIRS


@pytest.mark.parametrize("earlier", ["", " judgement-2", " 0123456789ab"])
def test_what_an_earlier_version_has_judged_is_judged_anew(tmp_path, earlier) -> None:
    store = library(tmp_path / "library.db")
    analyse(store, by(), Silent())
    store.put_notes({"thresholds": f"0.75 0.85 0.75{earlier}"})
    assert outdated.due(store.notes(), by()) is Due.PAIRS
    assert analyse(store, by(), Silent()).documents == len(store.ids())
    assert outdated.due(store.notes(), by()) is Due.NOTHING
    store.close()


def test_doctor_says_what_is_due(tmp_path) -> None:
    address = {"store": f"sqlite:///{tmp_path}/library.db"}
    store = library(tmp_path / "library.db")
    analyse(store, by(), Silent())
    store.close()

    def said(**more: float) -> bool:
        named = {name.replace("__", "."): value for name, value in more.items()}
        findings = checkup.examine(load({**address, **named}, {})).findings
        return any(
            "have changed since the library was compared" in finding.message for finding in findings
        )

    assert not said()
    assert said(near__threshold=0.9)
    assert said(similarity_threshold=0.5)
