"""Analysis, decisions and removal over every store: the same answers, whatever happened before."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from itertools import islice

import pytest

from documents import SPEC, contested_scan, damaged, document, misread, some_text
from libraries import Library
from paperless_fingerprint.candidates import forms
from paperless_fingerprint.demo.library import sample_library
from paperless_fingerprint.errors import UsageError
from paperless_fingerprint.grouping.rivals import CROWD
from paperless_fingerprint.library import analysis as analysing
from paperless_fingerprint.library import analysis_whole
from paperless_fingerprint.library.analysis import analyse
from paperless_fingerprint.library.compare import compare_documents
from paperless_fingerprint.library.decisions import choose_primary, confirm, dismiss, undo
from paperless_fingerprint.library.intake import take_in
from paperless_fingerprint.library.regroup import refresh
from paperless_fingerprint.library.removal import remove
from paperless_fingerprint.model import Document, Pair, PairScore, Relation
from paperless_fingerprint.progress import Silent
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.stores.base import Store
from paperless_fingerprint.stores.sqlite import SqliteStore

SETTINGS = load({"workers": 1}, {})


def state(store: Store) -> tuple:
    pairs = {(p.a, p.b): (p.relation, p.confidence, p.leader) for p in store.pairs()}
    return pairs, list(store.groups()), store.chains()


def sure(store: Store, a: int, b: int) -> float:
    return next(p.confidence for p in store.pairs(ids=[a]) if (p.a, p.b) == (a, b))


def shape(store: Store) -> tuple:
    """As state(), without confidences: they rest on how common words were at the time."""
    return (
        {(p.a, p.b): (p.relation, p.leader) for p in store.pairs()},
        sorted((g.id, g.relation, g.primary, g.members, g.pairs) for g in store.groups()),
        store.chains(),
    )


def fill(store: Store, documents: list[Document]) -> None:
    take_in(store, documents, SPEC)


def run(store: Store, *, full: bool = False) -> None:
    analyse(store, SETTINGS, Silent(), full=full)


@pytest.fixture(scope="module")
def sample() -> list[Document]:
    return sample_library()


@pytest.fixture(scope="module")
def at_once(sample: list[Document], tmp_path_factory) -> tuple:
    """What an analysis of all of it says, whatever the store."""
    with closing(SqliteStore(tmp_path_factory.mktemp("at-once") / "library.db")) as store:
        fill(store, sample)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(analysing, "_FEW", 0)
            run(store)
        whole = state(store)
        run(store, full=True)
        assert state(store) == whole
    return whole


@pytest.fixture
def analysed(store: Store, sample: list[Document]) -> Store:
    fill(store, sample)
    run(store)
    return store


def test_one_by_one_and_all_together_give_the_same(
    store: Store, sample: list[Document], at_once: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    shuffled = random.Random(3).sample(sample, len(sample))
    monkeypatch.setattr(analysing, "_FEW", 1_000)
    for start in range(0, len(shuffled), 7):
        fill(store, shuffled[start : start + 7])
        run(store)
    # How common a word is was another answer while the library grew; the judgements that hang
    # on it are made again with all documents in place.
    run(store, full=True)
    assert state(store) == at_once


@pytest.mark.parametrize("together", [False, True])
def test_copies_of_which_every_sixth_letter_is_misread_are_found(
    store: Store, sample: list[Document], together: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hardly three words in a row are left of such a page."""
    letters = [d for d in sample if len(d.content.split()) > 120][:6]
    copies = [document(2000 + d.id, misread(d.content, 0.17, d.id)) for d in letters]
    fill(store, sample)
    run(store)
    fill(store, copies)
    monkeypatch.setattr(analysing, "_FEW", 0 if together else 1_000)
    monkeypatch.setattr(analysing, "_FEW_SHARE", 0.0)
    run(store)
    found = {(p.a, p.b) for p in store.pairs() if p.relation is Relation.NEAR}
    assert {(d.id, 2000 + d.id) for d in letters} <= found


def test_what_changes_is_followed(library: Library, sample: list[Document]) -> None:
    store, fresh = library(), library()
    fill(store, sample)
    run(store)
    whole, before = shape(store), state(store)
    by_id = {d.id: d for d in sample}
    [(a, b), *_] = [key for key, value in before[0].items() if value[0] is Relation.NEAR]
    changed = document(a, "Ein ganz anderes Schreiben. " + by_id[1].content[:900])
    fill(store, [changed])
    run(store)
    assert (a, b) not in state(store)[0]
    fill(store, [by_id[a]])
    remove(store, SETTINGS, [by_id[b].id])
    run(store)
    fill(fresh, [d for d in sample if d.id != b])
    run(fresh)
    assert shape(store) == shape(fresh)
    run(store, full=True)
    assert state(store) == state(fresh)
    fill(store, [by_id[b]])
    run(store)
    assert shape(store) == whole


class Killed(BaseException):
    """Stands for SIGKILL: nothing in the program catches it."""


@pytest.mark.parametrize(("after", "together"), [(0, 1), (1, 1), (2, 1), (5, 1), (1, 3)])
def test_a_run_that_was_killed_goes_on_where_it_was(
    store: Store,
    sample: list[Document],
    at_once: tuple,
    monkeypatch: pytest.MonkeyPatch,
    after: int,
    together: int,
) -> None:
    fill(store, sample)
    monkeypatch.setattr(analysing, "_FEW", 0)
    monkeypatch.setattr(analysis_whole, "_CHUNK_PAIRS", 5)
    monkeypatch.setattr(analysis_whole, "_STORED_TOGETHER", together)
    writes = 0
    write_pairs = store.write_pairs

    def dies(*arguments, **named) -> None:
        nonlocal writes
        if writes == after:
            raise Killed
        writes += 1
        write_pairs(*arguments, **named)

    monkeypatch.setattr(store, "write_pairs", dies, raising=False)
    with pytest.raises(Killed):
        run(store)
    monkeypatch.undo()
    left = len(store.pending())
    assert left > 0
    if after:
        assert left < len(sample)
    run(store)
    assert store.pending() == []
    assert state(store) == at_once


def test_a_dismissed_pair_never_comes_back(analysed: Store, sample: list[Document]) -> None:
    store = analysed
    group = next(store.groups())
    a, b = group.pairs[0]
    dismiss(store, SETTINGS, b, a, by="anna")

    def apart() -> bool:
        return (a, b) not in state(store)[0] and not any(
            {a, b} <= set(g.members) for g in store.groups()
        )

    assert apart()
    run(store, full=True)
    assert apart()
    by_id = {d.id: d for d in sample}
    # A new copy that would join the two, and a text that changed in nothing but its noise.
    fill(store, [document(500, by_id[a].content), document(b, by_id[b].content + "\nx")])
    run(store)
    assert apart()
    assert {500} == {500} & {id for g in store.groups() for id in g.members}
    remove(store, SETTINGS, [b])
    fill(store, [by_id[b]])
    run(store)
    assert apart()
    [taken_back] = undo(store, SETTINGS, (a, b))
    assert taken_back.by == "anna"
    assert (a, b) in state(store)[0]
    assert undo(store, SETTINGS, (a, b)) == []


def test_a_confirmed_pair_is_sure_and_joins(analysed: Store) -> None:
    store = analysed
    pairs = state(store)[0]
    strangers = (1, 66)
    assert strangers not in pairs
    said = confirm(store, SETTINGS, *strangers, by="anna")
    assert said.pair is not None
    assert (said.pair.relation, said.pair.confidence) == (Relation.NEAR, 1.0)
    assert "confirmed by anna" in str(said.pair.reasons[0])
    assert any(set(strangers) <= set(g.members) for g in store.groups())
    run(store, full=True)
    assert any(set(strangers) <= set(g.members) for g in store.groups())
    [undone] = undo(store, SETTINGS)
    assert {undone.a, undone.b} == set(strangers)
    assert state(store)[0] == pairs


def test_the_primary_that_a_person_chose_stays(analysed: Store) -> None:
    store = analysed
    group = next(store.groups())
    other = next(id for id in group.members if id != group.primary)
    choose_primary(store, SETTINGS, other, by="anna")
    run(store, full=True)
    assert next(store.groups(ids=[other])).primary == other
    undo(store, SETTINGS)
    assert next(store.groups(ids=[other])).primary == group.primary
    alone = next(id for id in store.ids() if not list(store.groups(ids=[id])))
    with pytest.raises(UsageError, match="in no group"):
        choose_primary(store, SETTINGS, alone, by="anna")


def test_decisions_about_nothing_are_refused(analysed: Store) -> None:
    with pytest.raises(UsageError, match="one document"):
        dismiss(analysed, SETTINGS, 1, 1, by="anna")
    with pytest.raises(UsageError, match="no document 999"):
        confirm(analysed, SETTINGS, 1, 999, by="anna")


def test_a_chain_survives_the_deletion_of_its_middle(store: Store) -> None:
    fill(store, [document(id, created=f"2024-0{id}-01") for id in range(1, 6)])
    run(store)
    store.write_pairs(
        [Pair(a, b, Relation.VERSION, 0.9, leader=b) for a, b in ((1, 2), (2, 3), (3, 4))]
    )
    refresh(store, SETTINGS, {1})
    assert store.chains()[0].members == (1, 2, 3, 4)
    # 1 and 4 share too little to be found as versions of each other; the chain knows better.
    assert remove(store, SETTINGS, [2, 3]) == 2
    run(store)
    assert [chain.members for chain in store.chains()] == [(1, 4)]
    run(store, full=True)
    assert [chain.members for chain in store.chains()] == [(1, 4)]
    dismiss(store, SETTINGS, 1, 4, by="anna")
    assert store.chains() == []


@pytest.mark.parametrize(("seed", "share"), [(0, 0.3), (1, 0.5), (2, 0.1), (3, 0.1), (4, 0.06)])
def test_rivals_are_heard_the_same_one_by_one_and_all_together(
    library: Library, seed: int, share: float
) -> None:
    rng = random.Random(seed)
    relations = [Relation.NEAR] * 4 + [Relation.VERSION, Relation.EXACT] + [Relation.CONTAINS] * 3
    ids = range(1, 21)
    pairs = {}
    for b in ids:
        for a in range(1, b):
            if rng.random() < share:
                first = rng.randint(1, 50)
                place = PairScore(first_word=first, last_word=first + rng.randint(5, 50))
                pairs[a, b] = Pair(
                    a, b, rng.choice(relations), round(rng.uniform(0.3, 1), 4), place, leader=b
                )
    single, together = library(), library()
    for store in (single, together):
        fill(store, [document(id) for id in ids])
    come: set[int] = set()
    for id in rng.sample(ids, len(ids)):
        come.add(id)
        single.write_pairs([p for key, p in pairs.items() if id in key and come.issuperset(key)])
        refresh(single, SETTINGS, {id})
    for key in rng.sample(sorted(pairs), min(5, len(pairs))):
        del pairs[key]
        single.write_pairs([], removing=[key])
        refresh(single, SETTINGS, key)
    together.write_pairs(list(pairs.values()))
    refresh(together, SETTINGS)
    assert list(single.pairs()) == list(together.pairs())
    assert state(single) == state(together)
    assert any(pair.scores.alone is not None for pair in single.pairs())


def test_who_comes_into_a_crowd_is_no_rival_to_another_one(library: Library) -> None:
    """Of a crowd not all are compared. 1 hangs between those around 2 and 3; the last of 3 comes."""
    keys = [(1, 2), (1, 3)]
    keys += [(2, 100 + n) for n in range(CROWD - 1)] + [(3, 200 + n) for n in range(CROWD - 3)]
    # Further away, two crowds hang together by 6, as they did before.
    keys += [(3, 5), (5, 6), (6, 7)]
    keys += [(5, 300 + n) for n in range(CROWD - 1)] + [(7, 400 + n) for n in range(CROWD - 1)]
    first = [Pair(a, b, Relation.NEAR, 0.95) for a, b in keys]
    last = Pair(3, 50, Relation.NEAR, 0.95)
    single, together = library(), library()
    for store in (single, together):
        fill(store, [document(id) for id in {*(id for key in keys for id in key), 50}])
    single.write_pairs(first[:-1])
    refresh(single, SETTINGS)
    single.write_pairs(first[-1:])
    refresh(single, SETTINGS, {7})
    before = sure(single, 1, 2)
    single.write_pairs([last])
    refresh(single, SETTINGS, {50})
    together.write_pairs([*first, last])
    refresh(together, SETTINGS)
    assert list(single.pairs()) == list(together.pairs())
    assert sure(single, 1, 2) > before


def test_many_scans_of_one_letter_are_one_group(store: Store, sample: list[Document]) -> None:
    """Each is compared with a few of the others; those that it is not compared with are no rivals."""
    rng = random.Random(3)

    def misread(letter: str) -> str:
        return rng.choice("abcdeo1l") if letter.isalpha() and rng.random() < 0.01 else letter

    scans = [document(id, "".join(map(misread, sample[0].content))) for id in range(1, 41)]
    fill(store, scans)
    run(store)
    assert [len(group.members) for group in store.groups()] == [40]


def test_the_report_says_what_is_stored(library: Library, monkeypatch) -> None:
    scan, original, other = contested_scan()
    store = library()
    fill(store, [document(id, text) for id, text in enumerate((scan, original, other), 1)])
    found = (("near", 1),)
    for few in (0, 1_000):
        monkeypatch.setattr(analysing, "_FEW", few)
        assert analyse(store, SETTINGS, Silent(), full=True).found == found
        assert analyse(store, SETTINGS, Silent(), full=True).found == found
    assert len(list(store.pairs(at_least=0.75))) == 1


def test_what_is_compared_is_told_stretch_by_stretch_and_not_when_it_is_stored(
    store: Store, sample: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []

    class Told(Silent):
        def begin(self, what: str, total: int | None = None) -> None:
            happened.append(what)

        def advance(self, by: int = 1) -> None:
            happened.append("told")

    fill(store, sample)
    monkeypatch.setattr(analysing, "_FEW", 0)
    monkeypatch.setattr(analysis_whole, "_CHUNK_PAIRS", 5)
    get = store.get

    def read(*arguments, **named) -> object:
        happened.append("read")
        return get(*arguments, **named)

    monkeypatch.setattr(store, "get", read, raising=False)
    analyse(store, SETTINGS, Told(), full=True)
    compared = happened[happened.index("compare") + 1 :]
    assert compared[:4] == ["read", "told", "read", "told"]


def test_a_scan_goes_to_its_original_and_back(store: Store) -> None:
    scan, original, other = contested_scan()
    fill(store, [document(1, scan), document(2, other)])
    run(store)
    assert [g.members for g in store.groups()] == [(1, 2)]
    fill(store, [document(3, original)])
    report = analyse(store, SETTINGS, Silent())
    assert report.found == (("near", 1),)
    assert sure(store, 1, 2) < 0.75 < sure(store, 1, 3)
    assert [g.members for g in store.groups()] == [(1, 3)]
    run(store, full=True)
    assert [g.members for g in store.groups()] == [(1, 3)]
    alone = next(p.scores.alone for p in store.pairs(ids=[2]))
    told = compare_documents(store, SETTINGS, 2, 1).comparison.pair
    assert told.relation is Relation.RELATED
    assert str(told.reasons[0]).startswith("document 1 resembles document 3 too")
    # Somebody knows better, and is not sure about that either.
    dismiss(store, SETTINGS, 1, 3, by="anna")
    assert sure(store, 1, 2) == alone
    assert [g.members for g in store.groups()] == [(1, 2)]
    undo(store, SETTINGS)
    assert [g.members for g in store.groups()] == [(1, 3)]
    remove(store, SETTINGS, [3])
    run(store)
    assert sure(store, 1, 2) > 0.75
    assert [g.members for g in store.groups()] == [(1, 2)]


def test_forms_of_one_kind_are_few_comparisons_each(store: Store) -> None:
    """A family of statements: bounded work, and no pair but the true copies."""
    texts = dict(islice(_statements(), 150))
    copies = {1000 + id: texts[id].replace("Kunde", "Kunbe") for id in (3, 77)}
    fill(store, [document(id, text) for id, text in (texts | copies).items()])
    report = analyse(store, SETTINGS, Silent())
    assert report.compared <= 16 * (len(texts) + len(copies))
    assert set(state(store)[0]) == {(3, 1003), (77, 1077)}


def test_who_shares_phrases_in_a_large_family_is_not_compared(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "HUNDREDS", 40)
    printed = [some_text(60, seed) for seed in range(6)]
    rng = random.Random(1)

    def filled_in() -> str:
        phrases = (some_text(5, rng.randrange(12)) for _ in printed)
        return " ".join(
            f"{part} {phrase} {some_text(3, rng.getrandbits(32))}"
            for part, phrase in zip(printed, phrases, strict=True)
        )

    texts = {id: filled_in() for id in range(1, 81)}
    copies = {100 + id: damaged(texts[id], 0.02, id) for id in (3, 77)}
    fill(store, [document(id, text) for id, text in (texts | copies).items()])
    report = analyse(store, SETTINGS, Silent())
    assert report.compared < 2 * len(texts)  # without, it is three times as many as that
    assert set(state(store)[0]) == {(3, 103), (77, 177)}


def _statements() -> Iterator[tuple[int, str]]:
    rng = random.Random(5)
    for id in range(1, 10_000):
        amount, reading = rng.randint(1000, 99_999), rng.randint(10_000, 99_999)
        yield (
            id,
            (
                f"Stadtwerke Musterstadt. Verbrauchsabrechnung Nr. {rng.randint(10_000, 99_999)}. "
                f"Sehr geehrte Frau {rng.choice('Sommer Winter Becker Wolf Lang'.split())}, Kunde "
                f"{rng.randint(100_000, 999_999)}, Sie haben im Abrechnungszeitraum bis zum "
                f"{rng.randint(1, 28)}.{rng.randint(1, 12)}.20{rng.randint(10, 24)} insgesamt "
                f"{rng.randint(100, 9_999)} kWh verbraucht, der Zählerstand betrug {reading}. Wir "
                f"berechnen Ihnen dafür {amount // 100},{amount % 100:02d} Euro, die wir von Ihrem "
                f"Konto DE{rng.randint(10, 99)} {rng.randint(1000, 9999)} {rng.randint(1000, 9999)} "
                "abbuchen. Bitte sorgen Sie für ausreichende Deckung. Mit freundlichen Grüßen."
            ),
        )


@pytest.mark.parametrize(
    "other", [{"similarity_threshold": 0.995}, {"near.threshold": 1.0, "version.threshold": 1.0}]
)
def test_other_thresholds_are_followed_there_and_back(analysed: Store, other: dict) -> None:
    before = shape(analysed)
    changed = load({"workers": 1, **other}, {})
    analyse(analysed, changed, Silent())
    assert not analysed.pending()
    assert shape(analysed) != before
    at_least = changed.similarity_threshold
    assert all(group.confidence >= at_least for group in analysed.groups())
    run(analysed)
    assert shape(analysed) == before
