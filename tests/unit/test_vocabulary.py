from __future__ import annotations

from paperless_fingerprint.library.vocabulary import StoredVocabulary, WordTable


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
    assert stored.frequencies(["12", "13", "14"]) == [3, 3, 3]
    stored.look_up(["12", "14"])
    assert store.asked == [{"12", "13"}, {"14"}]


def test_a_table_counts_the_documents_of_each_word() -> None:
    table = WordTable.of_texts(["one two three", "two three four", "three four five"])
    assert table.frequencies("one two three four five six".split()) == [1, 2, 3, 2, 1, 1]
    assert table.frequencies([]) == []
    assert WordTable.of_texts(["one", "two"]).frequencies(["one", "six"]) == [1, 1]
