from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from paperless_fingerprint.fingerprints.shingles import overlap, shingle_hashes
from paperless_fingerprint.query.overlap_finder import Sought

WORDS = st.lists(st.text(alphabet="abcd", min_size=1, max_size=2), max_size=80).map(" ".join)


@settings(deadline=None)
@given(WORDS, st.lists(WORDS, max_size=4), st.integers(1, 4))
@example("", ["a b c"], 3)
@example("a b c", ["", "a b c", ""], 3)
@example("a", ["a", "a a"], 3)
@example("a b " * 50_000 + "c", ["b c", "a b"], 2)
@example("a b c", ["b c", "a b " * 700_000 + "c", "a b c"], 3)
def test_figures_are_those_of_two_whole_sets(
    source: str, others: list[str], shingle_words: int
) -> None:
    a = shingle_hashes(source, shingle_words)
    sought = Sought(a)
    for other, found in zip(others, sought.found_in(others, shingle_words), strict=True):
        b = shingle_hashes(other, shingle_words)
        assert set(a[found].tolist()) == set(a.tolist()) & set(b.tolist())
        assert sought.figures(found, len(b)) == overlap(a, b)
