"""No pair of texts, however long, takes more than two texts of the budget."""

from __future__ import annotations

import pytest

import paperless_fingerprint as pf
from paperless_fingerprint.fingerprints.rarity import NoRuns
from paperless_fingerprint.library import budget
from paperless_fingerprint.library.budget import BOTH_CHARACTERS, MOST_CHARACTERS, within_budget
from paperless_fingerprint.library.judging import Chunk, Judge, judge_chunk
from paperless_fingerprint.library.vocabulary import Rarity
from paperless_fingerprint.model import Document
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.text.lexicon import NoVocabulary


@pytest.mark.parametrize("a", [0, 1, 3_000, BOTH_CHARACTERS, 600_000, 5_000_000])
@pytest.mark.parametrize("b", [0, 3_000, BOTH_CHARACTERS, 2_500_000])
def test_the_product_of_two_lengths_is_bounded(a: int, b: int) -> None:
    one, other = within_budget(Document(1, content="a" * a), Document(2, content="b" * b))
    digest = 65
    assert len(one.content) <= MOST_CHARACTERS + digest
    assert len(other.content) <= MOST_CHARACTERS + digest
    product = max(0, len(one.content) - digest) * max(0, len(other.content) - digest)
    assert product <= BOTH_CHARACTERS**2
    if a * b <= BOTH_CHARACTERS**2 and max(a, b) <= MOST_CHARACTERS:
        assert (len(one.content), len(other.content)) == (a, b)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How long the texts are that are read for a comparison; the budget is a small one."""
    from paperless_fingerprint.api import texts
    from paperless_fingerprint.library import judging

    monkeypatch.setattr(budget, "BOTH_CHARACTERS", 2_000)
    monkeypatch.setattr(budget, "MOST_CHARACTERS", 10_000)
    lengths: list[int] = []
    for module in (texts, judging):
        real = module.read

        def counted(document, *more, real=real):
            lengths.append(len(document.content))
            return real(document, *more)

        monkeypatch.setattr(module, "read", counted)
    return lengths


def text(seed: str) -> str:
    return " ".join(f"{seed}{number}" for number in range(3_000))


def test_two_endless_texts_are_compared_by_their_beginnings(read: list[int]) -> None:
    same = text("wort")
    found = pf.compare(same + " eins", same + " zwei")
    assert found.relation is not pf.Relation.EXACT
    assert max(read) <= 2_000 + 65


def test_a_letter_is_still_found_behind_the_beginning_of_a_long_text(read: list[int]) -> None:
    letter = " ".join(f"brief{number}" for number in range(60))
    found = pf.compare(letter, text("w")[:6_000] + " " + letter)
    assert found.relation is pf.Relation.CONTAINS
    assert max(read) > 6_000


def test_an_analysis_has_the_same_budget(read: list[int]) -> None:
    documents = {id: Document(id, content=text("wort") + f" {id}") for id in (1, 2)}
    judge = Judge.of(Settings("sqlite:///x"))
    judge_chunk(Chunk(documents, [(1, 2)]), judge, Rarity(NoVocabulary(), NoRuns()))
    assert read
    assert max(read) <= 2_000 + 65
