from __future__ import annotations

from paperless_fingerprint.library import vocabulary
from paperless_fingerprint.library.vocabulary import StoredVocabulary, WordTable, asked_about


def asked(a: str, b: str) -> set[str]:
    return asked_about({1: a, 2: b}, [(1, 2)])


def test_names_numbers_and_differences_are_looked_up_ahead() -> None:
    a = "Invoice 2024-117 for Mrs Aldous, paid in March, with a discount"
    b = "Invoice 2024-118 for Mr Aldous, paid in March, with a diskount"
    told = {"2024", "117", "118", "mrs", "mr", "aldous", "discount", "diskount"}
    # The numbers as a whole, too: a scanner may have joined their words.
    assert asked(a, b) == told | {"2024117", "2024118"}


def test_of_texts_that_have_little_in_common_only_names_and_numbers_are() -> None:
    letters = "abcdefghijklmno"
    a = " ".join(f"alpha{x}{y}" for x in letters for y in letters) + " 12 Keller"
    b = " ".join(f"beta{x}{y}" for x in letters for y in letters) + " 13"
    assert asked(a, b) == {"12", "13", "keller"}


class Counting:
    def __init__(self) -> None:
        self.asked: list[set[str]] = []

    def document_frequencies(self, words, *, at_most):
        self.asked.append(set(words))
        return dict.fromkeys(words, 3)


def test_what_was_looked_up_is_not_asked_again() -> None:
    store = Counting()
    stored = StoredVocabulary(store)
    stored.look_up(["12", "13"])
    assert [stored.document_frequency(word) for word in ("12", "13", "14")] == [3, 3, 3]
    stored.look_up(["12", "14"])
    assert store.asked == [{"12", "13"}, {"14"}]


def test_what_is_remembered_of_a_table_is_bounded(monkeypatch) -> None:
    """A process that judges a whole library meets all of its words."""
    monkeypatch.setattr(vocabulary, "_REMEMBERED_WORDS", 3)
    table = WordTable.of_texts(["one two three", "two three four", "three four five"])
    for _ in range(2):
        told = [table.document_frequency(word) for word in "one two three four five six".split()]
        assert told == [1, 2, 3, 2, 1, 1]
        assert len(table._remembered) <= 3
