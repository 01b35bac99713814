"""What is shown of a hit's text: as it stands there, with what was asked for marked."""

from __future__ import annotations

from paperless_fingerprint.fingerprints.shingles import shingle_hashes
from paperless_fingerprint.query import passages
from paperless_fingerprint.query.language import parse
from paperless_fingerprint.query.passages import Passage
from paperless_fingerprint.text.normalise import normalise


def marked(passage: Passage) -> str:
    return "".join(f"[{p.text}]" if p.found else p.text for p in passage.pieces)


def of_words(query: str, text: str) -> list[str]:
    return [marked(passage) for passage in passages.of_words(parse(query), text)]


def shared(source: str, text: str) -> list[Passage]:
    return list(passages.shared(shingle_hashes(normalise(source), 3), 3, text))


FILLER = " ".join(f"w{number}" for number in range(200))


def test_a_word_is_marked_as_it_stands() -> None:
    text = f"{FILLER} Die RECH-\nNUNG vom\n  3. März. {FILLER}"
    [shown] = of_words("März", text)
    assert "Die RECH- NUNG vom 3. [März]. w0" in shown
    assert shown.startswith("… w")
    assert shown.endswith(" …")
    assert "\n" not in shown


def test_markup_stays_text() -> None:
    [shown] = of_words("alert", "Ein <script>alert(1)</script> & mehr")
    assert shown == "Ein <script>[alert](1)</script> & mehr"


def test_a_phrase_is_marked_as_one_and_only_in_a_row() -> None:
    [shown] = of_words('"flat rate"', "Rate flat, then a Flat  RATE and flat.")
    assert shown == "Rate flat, then a [Flat RATE] and flat."


def test_patterns() -> None:
    [shown] = of_words("rech*ng wo?t", "Eine Rechnung in einem Wort; wot und rechn.")
    assert shown == "Eine [Rechnung] in einem [Wort]; wot und rechn."


def test_the_passage_with_most_of_what_was_asked_for_comes_along() -> None:
    text = f"Alpha {FILLER} alpha beta {FILLER} alpha gamma {FILLER}"
    shown = of_words("alpha beta gamma", text)
    assert any("[alpha] [beta]" in each for each in shown)
    assert any("[alpha] [gamma]" in each for each in shown)
    assert len(shown) == 2


def test_what_speaks_against_a_document_is_not_marked() -> None:
    assert of_words("apfel -birne", "Apfel und Birne") == ["[Apfel] und Birne"]
    assert of_words("title:apfel", "Apfel und Birne") == []
    title = passages.in_title(parse("title:apfel birne"), "Apfel, Birne & Co")
    assert [(p.text, p.found) for p in title] == [
        ("Apfel", True), (", ", False), ("Birne", True), (" & Co", False),
    ]  # fmt: skip


def test_a_word_on_every_line_of_a_book() -> None:
    text = "alpha beta\n" * 30_000
    assert 1 <= len(of_words("alpha beta", text)) <= 3


def test_shared_passages_are_the_longest_with_their_pages() -> None:
    source = "one two three four five six seven eight nine ten and eleven twelve thirteen fourteen"
    text = (
        f"{FILLER}\fFirst page ends. ONE two, three four five six. {FILLER}\f"
        f"eleven twelve thirteen fourteen {FILLER} two three"
    )
    found = shared(source, text)
    assert [passage.words for passage in found] == [6, 4]
    assert [passage.page for passage in found] == [2, 3]
    assert "[ONE two, three four five six]." in marked(found[0])


def test_a_page_is_estimated_where_only_their_number_is_known() -> None:
    text = f"{FILLER} {FILLER} {FILLER} alpha beta gamma delta {FILLER}"
    [found] = passages.of_words(parse("gamma"), text, 6)
    assert (found.page, found.about_of) == (5, 6)
    [found] = passages.shared(shingle_hashes("alpha beta gamma delta", 3), 3, text, 3)
    assert (found.page, found.about_of) == (3, 3)
    [found] = passages.of_words(parse("gamma"), text.replace("alpha", "\falpha"), 6)
    assert (found.page, found.about_of) == (2, None)
    for pages in (None, 0, 1):
        assert passages.of_words(parse("gamma"), text, pages)[0].page is None


def test_a_small_change_does_not_cut_a_passage() -> None:
    text = "the quick brown fox jumps over the lazy dog and runs away from here"
    [found] = shared(text, text.replace("lazy", "1azy"))
    assert found.words == 14


def test_a_long_passage_is_shown_without_its_middle() -> None:
    [found] = shared(FILLER, FILLER)
    assert found.words == 200
    told = marked(found)
    assert told.startswith("[w0 w1 ")
    assert told.endswith(" w199]")
    assert "] … [" in told
    assert len(told.split()) < 60


def test_nothing_in_common_and_nothing_at_all() -> None:
    assert shared("one two three four", FILLER) == []
    assert shared("one two three four", "") == []
    assert of_words("alpha", "") == []
    assert [p.words for p in shared("one two", "one two")] == [2]
