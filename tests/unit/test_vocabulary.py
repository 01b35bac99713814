from __future__ import annotations

from paperless_fingerprint.vocabulary import StoredVocabulary, asked_about


def test_facts_and_differences_are_looked_up_ahead() -> None:
    a = "Invoice 2024-117 for Mrs Aldous, paid in March"
    b = "Invoice 2024-118 for Mr Aldous, paid in March"
    assert asked_about(a, b) == {"2024", "117", "118", "mrs", "mr"}


def test_of_texts_that_have_little_in_common_only_the_facts_are() -> None:
    letters = "abcdefghijklmno"
    a = " ".join(f"alpha{x}{y}" for x in letters for y in letters) + " 12"
    b = " ".join(f"beta{x}{y}" for x in letters for y in letters) + " 13"
    assert asked_about(a, b) == {"12", "13"}


class Counting:
    def __init__(self) -> None:
        self.asked: list[set[str]] = []

    def document_frequencies(self, words, *, at_most):
        self.asked.append(set(words))
        return dict.fromkeys(words, 3)


def test_what_was_looked_up_is_not_asked_again() -> None:
    store = Counting()
    vocabulary = StoredVocabulary(store)
    vocabulary.look_up(["12", "13"])
    assert [vocabulary.document_frequency(word) for word in ("12", "13", "14")] == [3, 3, 3]
    vocabulary.look_up(["12", "14"])
    assert store.asked == [{"12", "13"}, {"14"}]
