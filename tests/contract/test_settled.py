"""Whatever the order in which documents came, changed and went: settled, a library says what a
fresh one says."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain, count, repeat
from pathlib import Path

import pytest

from documents import SPEC
from golden.letters import LANGUAGES, letter, misread
from paperless_fingerprint.demo.library import sample_library
from paperless_fingerprint.library import analysis_whole
from paperless_fingerprint.library.analysis import analyse
from paperless_fingerprint.library.import_file import import_file
from paperless_fingerprint.library.intake import take_in
from paperless_fingerprint.library.removal import remove
from paperless_fingerprint.library.settled import Unsettled, state_of, unsettled
from paperless_fingerprint.model import Document
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.sqlite import SqliteStore

SETTINGS = load({"workers": 1}, {})


def everything(store: Store) -> tuple:
    """To the last digit."""
    return (
        sorted(store.pairs(), key=lambda pair: (pair.a, pair.b)),
        list(store.groups()),
        list(store.chains()),
    )


def run(store: Store, *, settle: bool = False) -> None:
    analyse(store, SETTINGS, Silent(), settle=settle)


def library_of_forms() -> list[Document]:
    """The demo, and families of one form in which hardly anything but the facts differs."""
    documents = sample_library()
    for place, language in enumerate(list(LANGUAGES)[:4]):
        for number in range(6):
            own = letter(language, number)
            documents += [
                Document(1000 + 100 * place + 3 * number, content=own),
                Document(1001 + 100 * place + 3 * number, content=misread(own, 0.03, number)),
                Document(
                    1002 + 100 * place + 3 * number, content=letter(language, number, month=1)
                ),
            ]
    return documents


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return library_of_forms()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Store]:
    """What it says is what every other store has to say, too."""
    with closing(SqliteStore(tmp_path / "fresh.db")) as made:
        yield made


@pytest.fixture(scope="module")
def at_once(documents: list[Document], tmp_path_factory) -> tuple:
    with closing(SqliteStore(tmp_path_factory.mktemp("at-once") / "library.db")) as store:
        take_in(store, documents, SPEC)
        run(store)
        return everything(store)


def test_the_order_is_forgotten(store: Store, fresh: Store, documents: list[Document]) -> None:
    grows_in_some_order(store, fresh, documents, seed=0)


@pytest.mark.parametrize("seed", range(1, 4))
def test_other_orders_are_forgotten(
    tmp_path: Path, fresh: Store, documents: list[Document], seed: int
) -> None:
    with closing(SqliteStore(tmp_path / "grown.db")) as grown:
        grows_in_some_order(grown, fresh, documents, seed)


def grows_in_some_order(grown: Store, fresh: Store, documents: list[Document], seed: int) -> None:
    rng = random.Random(seed)
    take_in(fresh, documents, SPEC)
    arriving = rng.sample(documents, len(documents))
    late = {document.id for document in rng.sample(documents, 20)}
    strangers = [
        replace(document, id=document.id + 50_000) for document in rng.sample(documents, 10)
    ]
    arriving += strangers
    while arriving:
        size = rng.choice((1, 2, 5, 30))
        some, arriving = arriving[:size], arriving[size:]
        # Some say something else at first.
        at_first = [
            replace(each, content=each.content[::2] + " and more to come")
            if each.id in late
            else each
            for each in some
        ]
        take_in(grown, at_first, SPEC)
        run(grown)
    take_in(grown, [each for each in documents if each.id in late], SPEC)
    run(grown)
    remove(grown, SETTINGS, [each.id for each in strangers])
    assert unsettled(grown.notes())
    for decision in grown.decisions():
        fresh.put_decision(decision)  # a chain closes over what was deleted
    analyse(fresh, SETTINGS, Silent(), full=True)
    run(grown, settle=True)
    assert not unsettled(grown.notes())
    assert everything(grown) == everything(fresh)


def test_called_away_it_goes_on_where_it_was(
    store: Store, documents: list[Document], at_once: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis_whole, "_CHUNK_PAIRS", 30)
    monkeypatch.setattr(analysis_whole, "_STORED_TOGETHER", 1)
    grown = store
    take_in(grown, documents, SPEC)
    run(grown)
    take_in(grown, [replace(documents[0], content=documents[1].content)], SPEC)
    run(grown)
    take_in(grown, documents[:1], SPEC)
    run(grown)
    for times in count():
        soon = chain([False, False], repeat(True))
        analyse(grown, SETTINGS, Silent(), settle=True, is_called_away=partial(next, soon))
        if not grown.pending():
            assert times > 2
            break
        assert unsettled(grown.notes()).under_way
    run(grown, settle=True)
    assert not unsettled(grown.notes())
    assert everything(grown) == at_once


def test_what_comes_while_all_are_judged_together_counts(
    store: Store, fresh: Store, documents: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that were judged before it did not know it."""
    monkeypatch.setattr(analysis_whole, "_CHUNK_PAIRS", 20)
    monkeypatch.setattr(analysis_whole, "_STORED_TOGETHER", 1)
    grown = store
    take_in(grown, documents, SPEC)
    run(grown)
    take_in(grown, [replace(documents[0], content=documents[1].content)], SPEC)
    run(grown)
    soon = chain([False, False], repeat(True))
    analyse(grown, SETTINGS, Silent(), settle=True, is_called_away=partial(next, soon))
    assert unsettled(grown.notes()).under_way
    lines = "".join(
        json.dumps({"id": each.id, "title": each.title, "content": f"{each.content} Nachtrag"})
        + "\n"
        for each in documents[:30]
    )
    import_file(grown, io.BytesIO(lines.encode()), SPEC, Silent())
    run(grown)
    assert unsettled(grown.notes()) == Unsettled(30)
    run(grown, settle=True)
    assert unsettled(grown.notes()) == Unsettled(0)
    take_in(fresh, [record.document for record in grown.documents()], SPEC)
    run(fresh)
    assert everything(grown) == everything(fresh)


def test_it_counts_what_came_alone(store: Store, documents: list[Document]) -> None:
    assert state_of(store) == Unsettled(0)
    take_in(store, documents[:40], SPEC)
    assert state_of(store) == Unsettled(None)
    run(store)
    assert unsettled(store.notes()) == Unsettled(0)
    take_in(store, documents[40:43], SPEC)
    run(store)
    remove(store, SETTINGS, [documents[0].id])
    assert unsettled(store.notes()) == Unsettled(4)
    # Who had to do with what was deleted is looked at again.
    run(store)
    assert unsettled(store.notes()).documents >= 4
    run(store, settle=True)
    assert unsettled(store.notes()) == Unsettled(0)


@pytest.mark.parametrize(
    ("state", "documents", "much"),
    [
        (Unsettled(1), 3, True), (Unsettled(1), 100, False), (Unsettled(100), 10_000, False),
        (Unsettled(200), 10_000, True), (Unsettled(None), 10, True), (Unsettled(0, True), 10, True),
        (Unsettled(0), 0, False),
    ],
)  # fmt: skip
def test_when_it_is_worth_settling_at_once(state: Unsettled, documents: int, much: bool) -> None:
    assert state.is_much(documents) is much
