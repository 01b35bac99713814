"""The digest that tells the letters of one form apart before they are aligned."""

from __future__ import annotations

import numpy as np
import pytest

from documents import SPEC
from paperless_fingerprint.candidates import COMPARED_OF_A_FAMILY, FAMILY_FROM, worth_comparing
from paperless_fingerprint.digest import MOST_KEPT, Agreement, compare
from paperless_fingerprint.fingerprint import fingerprint

SENTENCE = (
    "the yearly reading of your meter was entered on request below, "
    "please check within fourteen working days"
)


def packed(text: str) -> bytes:
    return fingerprint(text, SPEC).facts


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
    def agreement(count: int) -> Agreement:
        return Agreement(np.ones(count, np.bool_), np.linspace(1, 0, count))

    few = worth_comparing([0.5] * FAMILY_FROM, agreement(FAMILY_FROM))
    assert few.tolist() == list(range(FAMILY_FROM))
    many = worth_comparing([0.5] * 40, agreement(40))
    assert many.tolist() == list(range(COMPARED_OF_A_FAMILY))
