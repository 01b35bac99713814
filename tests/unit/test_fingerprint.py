from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import SPEC, damaged, some_text
from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.fingerprints.fingerprint import fingerprint, fingerprints_of_normalised
from paperless_fingerprint.fingerprints.shingles import overlap, shingle_hashes
from paperless_fingerprint.fingerprints.sketch import band_keys, minhash, sketch_hashes
from paperless_fingerprint.fingerprints.spec import FingerprintSpec
from paperless_fingerprint.text.normalise import normalise

# Written down once. If one of these changes, every stored library would have to be made anew:
# then change the name of the scheme in fingerprints/spec.py or text/normalise.py as well.
GOLDEN_TEXT = (
    "Sehr geehrte Frau Müller, anbei erhalten Sie die Rechnung Nr. 2024-117 über 1.387,30 € für "
    "die Wartung Ihrer Heizung am 3. März 2024. Bitte überweisen Sie den Betrag bis Ende des Monats. "
    "日本語の手紙 – avec une phrase en français, ed una in italiano."
)


def test_golden_values() -> None:
    taken = fingerprint(GOLDEN_TEXT, SPEC)
    assert taken.spec == "efb2afb788"
    assert taken.text_hash == "4b328fca6dd9ddfe1190e18266e3b097"
    assert (taken.words, taken.shingles, taken.level) == (49, 47, 0)
    assert sketch_hashes(taken)[:2].tolist() == [96980871636574262, 425104312271212832]
    assert band_keys(taken)[:2].tolist() == [3600300189, 146020033]


def test_another_process_with_another_hash_seed_takes_the_same_fingerprint() -> None:
    program = (
        "import sys\n"
        "from paperless_fingerprint.fingerprints.fingerprint import fingerprint\n"
        "from paperless_fingerprint.fingerprints.spec import FingerprintSpec\n"
        "taken = fingerprint(sys.argv[1], FingerprintSpec())\n"
        "print(taken.text_hash, taken.bands.hex(), taken.sketch.hex())\n"
    )
    taken = fingerprint(GOLDEN_TEXT, SPEC)
    done = subprocess.run(
        [sys.executable, "-c", program, GOLDEN_TEXT],
        capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7", "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert done.stdout.split() == [taken.text_hash, taken.bands.hex(), taken.sketch.hex()]


def test_every_choice_is_in_the_id_of_the_spec() -> None:
    specs = [
        FingerprintSpec(),
        FingerprintSpec(shingle_words=5),
        FingerprintSpec(min_words=30),
        FingerprintSpec(permutations=96),
        FingerprintSpec(bands=32),
        FingerprintSpec(sketch_hashes=128),
        FingerprintSpec(sketch_max_level=4),
    ]
    assert len({spec.id for spec in specs}) == len(specs)
    assert FingerprintSpec().id == FingerprintSpec().id


def test_an_empty_text_has_no_hash_and_a_short_one_nothing_that_matches() -> None:
    for text in ("", "  ", "...", "\u202e"):
        assert fingerprint(text, SPEC).text_hash == ""
    short = fingerprint("eine kurze Notiz", SPEC)
    assert short.text_hash
    assert (short.words, short.bands, short.sketch) == (3, b"", b"")
    assert fingerprint("Eine kurze\nNOTIZ!", SPEC).text_hash == short.text_hash
    assert fingerprint(some_text(20, 1), SPEC).bands


def test_levels_keep_every_shingle_of_short_texts_and_a_sample_of_long_ones() -> None:
    for count, level in ((100, 0), (200, 1), (400, 2), (1000, 3), (30_000, 3)):
        taken = fingerprint(some_text(count, 1), SPEC)
        assert taken.level == level
        kept = len(sketch_hashes(taken))
        assert kept == taken.level_counts[level]
        assert taken.level_counts[0] == taken.shingles
        assert kept == pytest.approx(taken.shingles / 2**level, rel=0.35)
        assert sketch_hashes(taken).max() < 2 ** (64 - level)


def test_one_word_repeated_is_one_shingle() -> None:
    taken = fingerprint("wort " * 100_000, SPEC)
    assert (taken.words, taken.shingles) == (100_000, 1)


def test_shingles_over_block_borders_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from paperless_fingerprint.fingerprints import shingles as module

    text = normalise(some_text(5000, 3))
    expected = shingle_hashes(text, 3)
    for size in (1 << 9, 1 << 12):
        monkeypatch.setattr(module, "BLOCK_BYTES", size)
        assert np.array_equal(shingle_hashes(text, 3), expected)


@given(
    st.lists(
        st.lists(
            st.sampled_from("a zwei dritte 1 22 97 35 12345 änderung 価".split()), max_size=90
        ),
        max_size=12,
    ),
    st.sampled_from([1, 100, 1 << 15]),
    st.integers(1, 5),
)
def test_a_fingerprint_does_not_depend_on_the_company_a_text_is_in(
    texts: list[list[str]], group_bytes: int, shingle_words: int
) -> None:
    from paperless_fingerprint.fingerprints import shingles as module

    spec = FingerprintSpec(shingle_words=shingle_words)
    joined = [" ".join(words) for words in texts]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_TOGETHER_BYTES", group_bytes)
        together = fingerprints_of_normalised(joined, spec)
    assert together == [fingerprints_of_normalised([text], spec)[0] for text in joined]


@pytest.mark.parametrize("shingle_words", [1, 2, 3, 5])
def test_shingles_are_distinct_runs_of_words(shingle_words: int) -> None:
    rng = random.Random(5)
    words = [rng.choice("ab cd ef gh ij".split()) for _ in range(400)]
    runs = {tuple(words[i : i + shingle_words]) for i in range(len(words) - shingle_words + 1)}
    assert len(shingle_hashes(" ".join(words), shingle_words)) == len(runs)


def test_a_text_shorter_than_a_shingle_is_one_shingle() -> None:
    assert len(shingle_hashes("zwei worte", 3)) == 1
    assert len(shingle_hashes("", 3)) == 0
    assert not np.array_equal(shingle_hashes("zwei worte", 3), shingle_hashes("drei worte", 3))


def test_overlap_is_exact() -> None:
    a = shingle_hashes("a b c d e f", 3)
    b = shingle_hashes("x b c d e f y", 3)
    both = overlap(a, b)
    assert (both.shared, both.jaccard) == (3, 3 / 6)
    assert (both.containment_ab, both.containment_ba) == (3 / 4, 3 / 5)
    assert overlap(a, b[:0]).jaccard == 0


def test_minhash_agrees_with_datasketch_within_its_error() -> None:
    """Both estimate the same jaccard; the error is that of 192 coin tosses, not more."""
    from datasketch import MinHash

    own_errors, other_errors = [], []
    for seed in range(40):
        text = some_text(300, seed)
        copy = damaged(text, 0.03 + seed / 200, seed)
        a, b = (shingle_hashes(normalise(each), 3) for each in (text, copy))
        exact = overlap(a, b).jaccard
        own = float(np.mean(minhash(a, 192) == minhash(b, 192)))
        sketches = []
        for hashes in (a, b):
            sketch = MinHash(num_perm=192)
            sketch.update_batch([int(value).to_bytes(8, "little") for value in hashes])
            sketches.append(sketch)
        own_errors.append(own - exact)
        other_errors.append(sketches[0].jaccard(sketches[1]) - exact)
    assert abs(np.mean(own_errors)) < 0.02
    assert np.std(own_errors) < 1.5 * np.std(other_errors)


def test_the_band_layout_follows_its_curve() -> None:
    """Share of pairs with a band in common, against 1 - (1 - j^rows)^bands."""
    hits, expected = 0.0, 0.0
    for seed in range(150):
        text = some_text(200, seed)
        copy = damaged(text, 0.14, seed)
        a, b = fingerprint(text, SPEC), fingerprint(copy, SPEC)
        shingles = [shingle_hashes(normalise(each), 3) for each in (text, copy)]
        hits += bool(np.intersect1d(band_keys(a), band_keys(b)).size)
        expected += 1 - (1 - overlap(*shingles).jaccard ** SPEC.rows) ** SPEC.bands
    assert hits == pytest.approx(expected, rel=0.08)


@pytest.mark.parametrize(
    ("choices", "setting", "works"),
    [
        ({"bands": 50}, "bands", "48"),
        ({"bands": 0}, "bands", "1"),
        ({"bands": 500}, "bands", "192"),
        ({"shingle_words": 0}, "shingle_words", "3"),
        ({"min_words": 1}, "min_words", "20"),
        ({"sketch_hashes": 1}, "sketch_hashes", "64"),
        ({"sketch_max_level": 40}, "sketch_max_level", "3"),
    ],
)
def test_a_choice_that_cannot_work_names_itself_and_one_that_does(
    choices: dict[str, int], setting: str, works: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        FingerprintSpec(**choices)
    assert setting in str(caught.value)
    assert works in str(caught.value)
