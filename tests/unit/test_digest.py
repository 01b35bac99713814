"""The digest that tells the letters of one form apart before they are aligned."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import SPEC, damaged, some_text, some_words
from paperless_fingerprint.candidates.forms import MEMBERS_AT_LEAST, of_one_form_by_words
from paperless_fingerprint.candidates.rules import (
    COMPARED_OF_A_FAMILY,
    FAINT_COMPARED,
    FAMILY_FROM,
    Sketched,
    worth_comparing,
)
from paperless_fingerprint.fingerprints.digest import (
    MOST_KEPT,
    Digests,
    compare,
    in_common,
    least_shared,
)
from paperless_fingerprint.fingerprints.fingerprint import fingerprint
from paperless_fingerprint.model import Fingerprint

SENTENCE = (
    "the yearly reading of your meter was entered on request below, "
    "please check within fourteen working days"
)


def packed(text: str) -> bytes:
    return fingerprint(text, SPEC).facts


def known_by(facts: bytes) -> Fingerprint:
    """Of whose words in a row nothing is known."""
    return Fingerprint(SPEC.id, text_hash="", words=0, shingles=0, facts=facts)


def compared(facts: bytes, others: list[bytes], sketches: Sketched) -> list[int]:
    return worth_comparing(known_by(facts), list(map(known_by, others)), sketches).tolist()


def bill(first: int) -> str:
    return " ".join(f"{SENTENCE} {number}" for number in range(first, first + 12))


BILLS = [bill(1000 * number) for number in range(1, 30)]


def test_members_of_a_form_with_other_numbers_are_not_plausible() -> None:
    found = compare(packed(BILLS[0]), [packed(other) for other in BILLS[1:]])
    assert not found.plausible.any()
    assert found.numbers.max() < 0.2


def test_a_copy_with_a_few_misread_numbers_is_plausible() -> None:
    copy = BILLS[0].replace("1003", "1008").replace("1007", "10O7").replace("meter", "rneter", 3)
    found = compare(packed(BILLS[0]), [packed(copy)])
    assert found.plausible.all()
    assert found.numbers[0] > 0.7


def test_a_part_of_a_long_document_is_plausible() -> None:
    rng = np.random.default_rng(1)
    pages = [
        " ".join(f"word{n % 97}x{chr(97 + n % 26) * 5} {rng.integers(10**6)}" for n in range(300))
        for _ in range(20)
    ]
    whole, part = packed(" ".join(pages)), packed(pages[7])
    assert compare(whole, [part]).plausible.all()
    assert compare(part, [whole]).plausible.all()


@pytest.mark.parametrize("text", ["", "hello", "the " * 30, "1 2 3 " * 10])
def test_where_nothing_is_known_everything_is_plausible(text: str) -> None:
    own = packed(text)
    assert compare(own, [packed(other) for other in BILLS]).plausible.all()
    assert compare(packed(BILLS[0]), [own, b""]).plausible.all()
    assert compare(b"", [own]).plausible.all()


def test_an_answer_does_not_depend_on_the_company_a_document_is_in() -> None:
    digests = [packed(text) for text in [*BILLS[:5], "", BILLS[0] + " copy", "only words " * 20]]
    together = compare(digests[0], digests)
    for place, other in enumerate(digests):
        alone = compare(digests[0], [other])
        assert alone.plausible[0] == together.plausible[place]
        assert alone.numbers[0] == together.numbers[place]


def test_a_digest_stays_small() -> None:
    text = " ".join(f"{n} wordnumber" + chr(97 + n % 26) * (n % 50) for n in range(50_000))
    assert len(packed(text)) <= 4 * (4 + 2 * MOST_KEPT)


def test_of_a_family_the_best_are_compared_and_of_few_all() -> None:
    def worth(count: int) -> list[int]:
        # Of nothing is known what its facts are, and the first overlap most.
        return compared(b"", [b""] * count, sketched(np.linspace(1, 0.5, count)))

    assert worth(FAMILY_FROM) == list(range(FAMILY_FROM))
    assert worth(40) == list(range(COMPARED_OF_A_FAMILY))


def test_other_numbers_say_something_only_among_many() -> None:
    def worth(count: int) -> list[int]:
        others = [packed(other) for other in BILLS[1 : count + 1]]
        return compared(packed(BILLS[0]), others, sketched([0.5] * count))

    assert worth(MEMBERS_AT_LEAST - 1) == list(range(MEMBERS_AT_LEAST - 1))
    assert worth(MEMBERS_AT_LEAST) == []


def test_bundles_are_compared_beside_the_best_of_a_family() -> None:
    overlaps = np.array([0.9] * 40 + [0.5] * 3)
    bundled = sketched(overlaps, longer=overlaps < 0.9)
    assert compared(b"", [b""] * 43, bundled) == [*range(COMPARED_OF_A_FAMILY), 40, 41, 42]


def sketched(overlaps, *, clear: bool = True, longer=False) -> Sketched:
    count = len(overlaps)
    return Sketched(
        np.asarray(overlaps), np.full(count, clear), np.asarray(longer) & np.ones(count, np.bool_)
    )


def test_a_family_is_told_apart_by_its_form_only_where_it_is_large() -> None:
    def worth(size: int) -> list[int]:
        family = [packed(form(1, noise=3)), *(packed(form(k)) for k in range(2, size + 1))]
        return compared(packed(form(1)), family, sketched([0.5] * size))

    assert worth(FAMILY_FROM) == list(range(FAMILY_FROM))
    assert worth(FAMILY_FROM + 1) == [0]


def test_where_sketches_are_faint_words_and_numbers_decide() -> None:
    letter = " ".join(f"{word} {10_000 + n}" for n, word in enumerate(some_words(40, 1)))
    words = letter.split()
    misread = " ".join(word + "x" if n % 5 < 2 else word for n, word in enumerate(words))
    stranger = " ".join(words[:8]) + " " + some_text(72, 2)
    others = [packed(misread), packed(stranger), packed(letter), b""]
    faint = sketched([0.1] * 4, clear=False)
    assert compared(packed(letter), others, faint) == [0, 2]
    assert compared(b"", others, faint) == []


def test_strangers_with_some_phrases_in_common_are_not_compared() -> None:
    phrases = some_words(12, 1)
    one, other = (" ".join([*phrases, *some_words(60, seed)]) for seed in (2, 3))
    misread_often = damaged(one, 0.6, 4)
    others = [packed(other), packed(misread_often), packed(" ".join(phrases))]
    assert compared(packed(one), others, sketched([0.3] * 3)) == [1, 2]
    # Who overlaps more has more in common than phrases, whatever the digests say.
    assert compared(packed(one), others, sketched([0.4] * 3)) == [0, 1, 2]


def test_what_shares_more_runs_of_words_with_a_bundle_than_single_ones_shares_phrases() -> None:
    words = some_words(72, 2)
    letter = packed(" ".join(words))
    phrases = packed(" ".join([*words[:22], *some_words(70, 3)]))
    misread = packed(" ".join([damaged(" ".join(words), 0.3, 4), *some_words(40, 5)]))
    for clear in (True, False):
        bundles = sketched([0.3] * 2, clear=clear, longer=True)
        assert compared(letter, [phrases, misread], bundles) == [1]
    # Of another letter more is known than what the sketch of a bundle has kept of it.
    assert compared(letter, [phrases, misread], sketched([0.3] * 2)) == [0, 1]
    assert compared(letter, [phrases], sketched([0.4], longer=True)) == [0]


def test_of_many_faint_candidates_those_with_most_words_and_numbers_are_compared() -> None:
    letter = some_words(40, 1)
    family = [packed(" ".join([*letter[: 14 + n], *some_words(26 - n, 50 + n)])) for n in range(15)]
    found = compared(packed(" ".join(letter)), family, sketched([0.1] * 15, clear=False))
    assert found == list(range(15 - FAINT_COMPARED, 15))


#: So long that digests keep a part of their values, and not all the same part; and nothing at all.
SOME = [
    b"",
    packed(""),
    *(
        packed(some_text(30 * (1 + n % 7) ** 2, n // 7) + f" {n * 1111} 4711 {n}")
        for n in range(38)
    ),
]


@given(st.lists(st.tuples(st.sampled_from(SOME), st.integers(0, 4)), max_size=8))
def test_what_digests_have_in_common_is_counted_for_all_at_once(others) -> None:
    owners = [SOME[20], b"", SOME[7], SOME[1], SOME[33]]
    whose = np.array([owner for _, owner in others], np.int64)
    found = in_common(Digests.of(owners), whose, Digests.of([other for other, _ in others]))
    for place, (other, owner) in enumerate(others):
        one = compare_kinds(owners[owner], other) if other and owners[owner] else (0, 0)
        assert (found.shared[place], found.fewest[place]) == one


def compare_kinds(one: bytes, other: bytes) -> tuple[int, int]:
    """By sets: numbers and words below the limit of the digest that keeps fewer."""
    shared = fewest = 0
    for level, count in ((0, 1), (2, 3)):
        kinds = []
        limit = 1 << 32
        for digest in (one, other):
            values = np.frombuffer(digest, "<u4").tolist()
            begin = 4 if level == 0 else 4 + values[1]
            kinds.append(values[begin : begin + values[count]])
            limit = min(limit, 1 << (32 - values[level]))
        first, second = ({value for value in kind if value < limit} for kind in kinds)
        shared += len(first & second)
        fewest += min(len(first), len(second))
    return shared, fewest


def words(*numbers: int) -> str:
    return " ".join("field" + "".join(chr(97 + int(d)) for d in str(number)) for number in numbers)


def form(k: int, *, noise: int = 0) -> str:
    """A form without a number, each copy filled in with words of its own."""
    fixed = " ".join(f"printed{chr(97 + n)}text" for n in range(20))
    own = words(*range(100 * k, 100 * k + 12))
    for n in range(noise):
        own = own.replace(words(100 * k + n), f"misread{chr(97 + k)}{chr(97 + n)}smudge")
    return f"{fixed} {own}"


def told_by_form(text: str, others: list[str]) -> list[bool]:
    found = of_one_form_by_words(Digests.of([packed(text)]), Digests.of(list(map(packed, others))))
    return found.tolist()


def test_of_many_with_the_same_form_the_copy_is_left() -> None:
    others = [form(k) for k in range(2, 12)]
    copy = form(1, noise=3)
    texts = [*others, copy]
    assert told_by_form(form(1), texts) == [True] * len(others) + [False]
    assert compare(packed(form(1)), list(map(packed, texts))).plausible.all()


def test_a_bad_scan_is_compared_with_many_clean_copies() -> None:
    """What they all have and it has not is no field that was filled in otherwise."""
    bad = form(1, noise=7)
    others = [form(k) for k in range(2, 8)]
    assert not any(told_by_form(bad, [form(1)] * 6 + others)[:6])
    assert not any(told_by_form(form(1), [bad] + [form(1)] * 9))


def test_among_few_nothing_counts_as_a_form() -> None:
    assert not any(told_by_form(form(1), [form(k) for k in range(2, 6)]))


@given(st.lists(st.sampled_from(SOME), min_size=1), st.data())
def test_digests_are_the_same_wherever_they_stand(digests, data) -> None:
    """By itself, in the company of others, and taken out of it again."""
    together = Digests.of(digests)
    places = data.draw(st.lists(st.integers(0, len(digests) - 1)))
    taken, alone = together.at(np.array(places, np.int64)), Digests.of([digests[p] for p in places])
    for field in ("values", "starts", "sizes", "levels"):
        assert getattr(taken, field).tolist() == getattr(alone, field).tolist()


def test_of_very_many_values_it_is_told_as_well_how_many_are_shared_at_least() -> None:
    counts = np.arange(900, 1100, dtype=np.int64)
    least = least_shared(counts, np.full(len(counts), 0.4), 0.002)
    # It grows as evenly where it is no longer summed up.
    assert set(np.diff(least).tolist()) <= {0, 1}
    assert least_shared(np.array([10**6]), np.array([0.5]), 0.02)[0] == pytest.approx(499_000, 1e-3)
