"""The join of a whole library finds what asking document by document finds."""

from __future__ import annotations

import errno
import io
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import SPEC, damaged, some_text, stored
from paperless_fingerprint.candidates import join, postings
from paperless_fingerprint.candidates.join import Library
from paperless_fingerprint.candidates.rules import SHORTLIST
from paperless_fingerprint.errors import StoreError
from paperless_fingerprint.files.scratch import Scratch, scratch_in
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.model import FingerprintRow
from paperless_fingerprint.stores.sqlite import SqliteStore


def made_library(seed: int, size: int) -> dict[int, str]:
    """Strangers, noisy copies, parts, a family of one form, short and empty texts."""
    rng = random.Random(seed)
    form = some_text(60, seed * 1000)
    texts: dict[int, str] = {}
    for id in range(1, size + 1):
        kind = rng.random()
        if kind < 0.35 or len(texts) < 5:
            text = some_text(rng.randint(25, 400), seed * 1000 + id)
        elif kind < 0.6:
            text = damaged(texts[rng.choice(list(texts))], rng.choice([0, 0.02, 0.1, 0.3]), id)
        elif kind < 0.7:
            words = texts[rng.choice(list(texts))].split()
            text = " ".join(words[: len(words) // 2])
        elif kind < 0.9:
            text = f"{form} {some_text(rng.randint(2, 12), id)}"
        else:
            text = rng.choice(["", "kurz", "wort " * 40])
        texts[id] = text
    return texts


@pytest.mark.parametrize("seed", range(6))
def test_the_join_finds_what_the_store_finds(seed: int, tmp_path) -> None:
    store = SqliteStore(tmp_path / "library.db")
    texts = made_library(seed, 45)
    store.put([stored(id, text, checksum=str(id % 40)) for id, text in texts.items()])
    library = Library(store.fingerprints(), SPEC.id)
    joined = {
        (int(library.ids[key >> 32]), int(library.ids[key & 0xFFFFFFFF]))
        for _, keys in library.candidate_pairs(np.arange(len(library)))
        for key in keys.tolist()
    }
    asked = set()
    for record in store.documents():
        id = record.document.id
        found = store.candidates(
            record.fingerprint, checksum=record.document.checksum, excluding=id
        )
        asked |= {(min(id, c.id), max(id, c.id)) for c in found}
    store.close()
    assert joined == asked


def test_only_what_is_wanted_is_joined(tmp_path) -> None:
    store = SqliteStore(tmp_path / "library.db")
    texts = made_library(9, 60)
    store.put([stored(id, text) for id, text in texts.items()])
    library = Library(store.fingerprints(), SPEC.id)
    store.close()
    everything = np.unique(
        np.concatenate([keys for _, keys in library.candidate_pairs(np.arange(len(library)))])
    )
    wanted = np.array([3, 17, 40])
    some = np.unique(np.concatenate([keys for _, keys in library.candidate_pairs(wanted)]))
    expected = [
        key for key in everything.tolist() if key >> 32 in wanted or key & 0xFFFFFFFF in wanted
    ]
    assert some.tolist() == expected


@pytest.mark.parametrize("seed", range(4))
def test_a_join_in_slices_finds_what_a_join_in_one_finds(
    seed: int, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        FingerprintRow(id, str(id % 40), fingerprint(text, SPEC))
        for id, text in made_library(seed, 150).items()
    ]
    some = np.arange(0, len(rows), 3)

    def found(library: Library) -> list[object]:
        pairs = [(n, m, keys.tolist()) for n, m, keys in library.pairs_to_compare(some)]
        return [pairs, library.runs()._hashes.tolist(), library.runs()._counts.tolist()]

    # As narrow as few tables are, so that much stands beside them.
    narrow = replace(join._READ_OF_SKETCHES, widest_table=5 * seed)
    monkeypatch.setattr(join, "_READ_OF_SKETCHES", narrow)
    whole = found(Library(rows, SPEC.id))
    assert any(keys for _, _, keys in whole[0])
    monkeypatch.setattr(postings, "DOCUMENTS_OF_A_SLICE", 20)
    monkeypatch.setattr(postings, "TABLE_BYTES", 2_000)  # three columns
    monkeypatch.setattr(join, "_TAKEN_AT_ONCE", 32)
    with scratch_in(tmp_path) as scratch:
        assert found(Library(rows, SPEC.id, len(rows), scratch)) == whole
        # Documents that came while they were read.
        library = Library(rows, SPEC.id, len(rows) - 3, scratch)
        assert len(library) == len(rows)
        assert len(Library(rows, SPEC.id, 40, scratch)) == 63


def test_what_is_put_aside_comes_back_and_leaves_nothing(tmp_path) -> None:
    for folder in (tmp_path / "not" / "there", tmp_path / "file" / "below"):
        (tmp_path / "file").touch()
        with scratch_in(folder) as scratch:
            names = [
                scratch.put(np.arange(n, dtype=kind))
                for n, kind in ((5, "u8"), (0, "i4"), (7, "i4"))
            ]
            for n, name in zip((5, 0, 7), names, strict=True):
                assert scratch.take(name).tolist() == list(range(n))
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size]


def test_a_full_disk_is_said(tmp_path) -> None:
    class Full(io.BytesIO):
        def write(self, _octets) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(StoreError, match=r"no room .* No space left on device"):
        Scratch(Full(), tmp_path).put(np.arange(3))


def test_a_dense_family_has_bounded_candidates_and_its_copies_are_found(tmp_path) -> None:
    store = SqliteStore(tmp_path / "library.db")
    form = some_text(100, 1)
    texts = {id: f"{form} {some_text(30, id)}" for id in range(1, 1001)}
    texts |= {id + 1000: damaged(texts[id], 0.03, id) for id in range(1, 51)}
    store.put([stored(id, text) for id, text in texts.items()])
    library = Library(store.fingerprints(), SPEC.id)
    pairs = {
        (int(library.ids[key >> 32]), int(library.ids[key & 0xFFFFFFFF]))
        for _, keys in library.candidate_pairs(np.arange(len(library)))
        for key in keys.tolist()
    }
    assert len(pairs) <= SHORTLIST * len(texts)
    assert sum((id, id + 1000) in pairs for id in range(1, 51)) >= 49
    for id in (1, 25, 50):
        record = store.get([id + 1000])[id + 1000]
        found = store.candidates(record.fingerprint, excluding=id + 1000)
        assert len(found) <= SHORTLIST
        assert id in {candidate.id for candidate in found}
    store.close()


@given(
    st.integers(0, 2**31 - 1 - join._ROWS_AT_ONCE),
    st.lists(
        st.tuples(st.integers(0, join._ROWS_AT_ONCE - 1), st.integers(0, 2**32 - 1)),
        max_size=40,
    ),
    st.booleans(),
)
def test_postings_are_sorted_as_any_stable_sort_does(first: int, posted: list, many: bool) -> None:
    keys = np.array([(first + row) << 32 | place for row, place in posted * 2], np.uint64)
    with pytest.MonkeyPatch.context() as patched:
        if many:  # more than a number has bits for
            patched.setattr(join, "_NUMBER_BITS", 1)
        found = join._stable_order(keys, first)
    assert found.tolist() == np.argsort(keys, kind="stable").tolist()
