from __future__ import annotations

import random

import pytest

from paperless_fingerprint.comparison import alignment, differences
from paperless_fingerprint.comparison.alignment import align, unmatched_runs
from paperless_fingerprint.comparison.differences import find_differences
from paperless_fingerprint.comparison.ocr import weighted_edits
from paperless_fingerprint.text.tokens import (
    AMOUNT,
    CAPITAL,
    CJK,
    DIGIT,
    NUMBER,
    notes_of,
    tokenise,
)

WORDS = [f"word{n}" for n in range(400)]


def diff(a: str, b: str) -> list[tuple[str, str, float | None]]:
    one, other = a.split(), b.split()
    found = find_differences(one, other, align(one, other))
    return [
        (
            " ".join(one[x.start_a : x.end_a]),
            " ".join(other[x.start_b : x.end_b]),
            x.edits,
        )
        for x in found.items
    ]


def test_tokens_take_a_number_as_one_whatever_stands_between_its_digits():
    assert tokenise("1.387,30 €").keys == tokenise("1387,30").keys == ("138730",)
    assert tokenise("am 12/02/2022 um 10:18").keys == ("am", "12022022", "um", "1018")


def test_tokens_undo_hyphenation_but_keep_names_with_a_hyphen():
    assert tokenise("Wasch-\nmaschine").keys == ("waschmaschine",)
    assert tokenise("Team-\nPlan").keys == ("team", "plan")


@pytest.mark.parametrize(
    "text",
    ["snake_case 1_000 3.4_5 a_", "Zoë's 12.05.2024, d'été\n№ 7", "x" * 90, "", "_", "a_王b"],
)
def test_tokens_are_the_same_with_a_character_in_the_text_and_stand_where_they_say(text):
    plain, marked = tokenise(text), tokenise(f"{text}\n王")
    assert (*plain.keys, "王") == marked.keys
    for found in (plain, marked):
        assert [found.text[start:end] for start, end in found.spans()] == list(found.spellings)


@pytest.mark.parametrize(
    ("one", "other"),
    [("दिन", "दान"), ("किताब", "कातिब"), ("ตา", "ต่า"), ("كَتَبَ", "كُتِبَ"), ("கல்", "கால்"), ("កា", "កី")],
)
def test_words_that_differ_in_their_marks_are_different_tokens(one, other):
    assert tokenise(one).keys != tokenise(other).keys


def test_a_word_with_marks_is_one_token():
    assert tokenise("बिजली का बिल").keys == ("बिजली", "का", "बिल")
    assert tokenise("Rechnungs\u00adbetrag").keys == ("rechnungsbetrag",)


def test_a_chinese_character_is_a_token():
    assert tokenise("王小明 2024年").keys == ("王", "小", "明", "2024", "年")
    assert tokenise("\U00020021\U00020022").keys == ("\U00020021", "\U00020022")


@pytest.mark.parametrize("text", ["İstanbul 12,50", "Straße", "ﬁn", "ǰ x"])
def test_every_token_has_a_spelling_and_a_place(text):
    tokens = tokenise(text)
    assert len(tokens.keys) == len(tokens.spellings) == len(tokens.spans())
    assert [tokens.text[start:end] for start, end in tokens.spans()] == list(tokens.spellings)


@pytest.mark.parametrize(
    ("spelling", "notes"),
    [
        ("1.387,30", DIGIT | NUMBER | AMOUNT),
        ("3:158,33", DIGIT | NUMBER | AMOUNT),
        ("12.50", DIGIT | NUMBER | AMOUNT),
        ("12.03.2024", DIGIT | NUMBER),
        ("4711", DIGIT | NUMBER),
        ("SR2024-117", DIGIT),
        ("Anna", CAPITAL),
        ("house", 0),
        ("王", CJK),
    ],
)
def test_notes_say_what_kind_of_token_it_is(spelling, notes):
    assert notes_of(spelling) == notes


def test_a_megabyte_without_a_space_becomes_many_short_tokens():
    for text in ("a" * 10**6, "1." * 500_000, "\u0301" * 10**6, "\u0e48" * 10**6, "-\n" * 500_000):
        assert all(len(key) <= 300 for key in tokenise(text).keys)


def test_moved_pages_are_found():
    first, second = WORDS[:120], WORDS[120:200]
    found = align(first + second, second + first)
    assert min(found.to_b) >= 0
    assert min(found.to_a) >= 0
    assert found.moved == 80


def test_a_moved_page_is_found_although_it_has_no_four_equal_words_in_a_row():
    rng = random.Random(1)
    first, second = WORDS[:120], WORDS[120:200]
    noisy = [word if n % 3 else word[:2] + rng.choice("xyz") for n, word in enumerate(second)]
    found = align(first + second, noisy + first)
    assert sum(match >= 0 for match in found.to_b) >= 120 + 50


def test_single_common_words_between_texts_that_share_nothing_else_do_not_count():
    a = [f"a{n}" if n % 20 else "the" for n in range(400)]
    b = [f"b{n}" if n % 20 else "the" for n in range(400)]
    assert sum(match >= 0 for match in align(a, b).to_b) <= 2


def test_long_texts_are_cut_at_unique_runs(monkeypatch):
    monkeypatch.setattr(alignment, "MOST_CELLS", 10_000)
    a = [f"w{n}" for n in range(2_000)]
    b = [*a[:900], "new", "words", *a[905:]]
    assert sum(match >= 0 for match in align(a, b).to_b) == 1_995


def test_no_alignment_sees_more_cells_than_it_may(monkeypatch):
    seen = []
    real = alignment.LCSseq.opcodes

    class Counting:
        @staticmethod
        def opcodes(a, b):
            seen.append(len(a) * len(b))
            return real(a, b)

    monkeypatch.setattr(alignment, "LCSseq", Counting)
    rng = random.Random(3)
    a = [f"w{rng.randrange(9)}" for _ in range(30_000)]
    b = [f"w{rng.randrange(9)}" for _ in range(30_000)]
    align(a, b)
    assert max(seen, default=0) <= alignment.MOST_CELLS


def test_a_misread_name_is_found_beside_a_stamp():
    found = diff("to lumijna delphin today", "to scanned 20012025 1422 lumina delp hin today")
    assert [(a, b) for a, b, edits in found if edits is not None] == [
        ("lumijna", "lumina"),
        ("delphin", "delp hin"),
    ]


def test_a_longer_passage_that_has_nothing_of_the_shorter_is_another():
    found = diff("to hollis draycott today", "to quillan bruno wexford mabel today")
    assert found == [("hollis draycott", "quillan bruno wexford mabel", None)]


def test_the_fuzzy_matching_of_a_pair_is_bounded(monkeypatch):
    asked = []
    real = differences._match_gap
    monkeypatch.setattr(
        differences, "_match_gap", lambda *gap: (asked.append(gap[3] - gap[2]), real(*gap))[1]
    )
    size = 30_000
    a = [f"a{n}" if n % 2 else f"same{n}" for n in range(size)]
    b = [f"b{n}" if n % 2 else f"same{n}" for n in range(size)]
    monkeypatch.setattr(differences, "_MOST_WORK", 500)
    find_differences(a, b, align(a, b))
    assert len(asked) <= 501


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("one two three", "one tvvo three", [("two", "tvvo", 0.9)]),
        ("total 118801 due", "total 1 18801 due", [("118801", "1 18801", 0.0)]),
        ("the newsletter came", "the news letter came", [("newsletter", "news letter", 0.0)]),
        ("dear anna we", "dear paul we", [("anna", "paul", None)]),
        ("one two three", "one two stamp three", [("", "stamp", None)]),
    ],
)
def test_gaps_are_matched_word_by_word(a, b, expected):
    found = diff(a, b)
    assert [(x, y) for x, y, _ in found] == [(x, y) for x, y, _ in expected]
    for (_, _, edits), (_, _, wanted) in zip(found, expected, strict=True):
        assert (edits is None) == (wanted is None)
        assert edits is None or edits <= wanted


def test_prices_in_another_order_are_neither_missing_nor_added():
    a = "butter 1291 juice 120 cheese 325 total 1736"
    b = "butter juice cheese total 1291 120 325 1736"
    assert diff(a, b) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [("invoice", "inv0ice"), ("modern", "modem"), ("bill", "bi11"), ("für", "fur")],
)
def test_a_confusion_weighs_less_than_another_letter(first, second):
    assert 0 < weighted_edits(first, second) < 1.2
    assert weighted_edits(first, first) == 0


def test_between_two_numbers_no_confusion_is_forgiven():
    assert weighted_edits("1180", "1130") >= 0.7
    assert weighted_edits("1180", "1120") == 1


def test_unmatched_runs_are_the_gaps():
    assert unmatched_runs([-1, -1, 3, 4, -1]) == [(0, 2), (4, 5)]
    assert unmatched_runs([]) == []
    assert unmatched_runs([1, 2]) == []
