"""Behaviour that people rely on, on letters made up here; the labelled corpora are benchmarks."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from golden.letters import letter
from paperless_fingerprint.comparison import relation
from paperless_fingerprint.comparison.diff import compare
from paperless_fingerprint.comparison.evidence import NAMES
from paperless_fingerprint.comparison.relation import (
    Judging,
    Reading,
    Thresholds,
    examine,
    judge,
    newer,
    read,
    weigh,
)
from paperless_fingerprint.library.vocabulary import WordTable
from paperless_fingerprint.model import STORED_RELATIONS, Document, Relation

LETTER = """Nordlicht Energie AG
Hafenstrasse 12, 24103 Kiel

Frau Anna Lindqvist
Wiesenweg 7
24937 Flensburg

Rechnungsnummer: 2024-117
Kundennummer: 5528190
Datum: 14.06.2024

Ihre Abrechnung für Juni 2024

Sehr geehrte Frau Lindqvist,

für den genannten Zeitraum berechnen wir Ihnen die folgenden Leistungen. Der Zählerstand wurde
durch den Netzbetreiber übermittelt und von uns geprüft.

Arbeitspreis 256 kWh 80,44
Grundpreis 1 Monat 11,90
Summe netto 92,34
Umsatzsteuer 17,54
Rechnungsbetrag 109,88

Der Betrag wird am 28.06.2024 von Ihrem Konto DE89370400440532013000 abgebucht. Bitte sorgen Sie
für ausreichende Deckung. Fragen zu Ihrer Rechnung beantworten wir Ihnen gern montags bis freitags
von acht bis achtzehn Uhr unter der Nummer 0431 998877.

Mit freundlichen Grüßen
Ihr Kundenservice"""

NEXT_MONTH = (
    LETTER.replace("2024-117", "2024-163")
    .replace("Juni 2024", "Juli 2024")
    .replace("14.06.2024", "15.07.2024")
    .replace("28.06.2024", "29.07.2024")
    .replace("256", "311")
    .replace("80,44", "97,72")
    .replace("92,34", "109,62")
    .replace("17,54", "20,83")
    .replace("109,88", "130,45")
)

PROSE = """The committee met again in the old library to speak about the garden behind the school.
Several members would like to see more trees, others prefer an open meadow where children can play.
Nobody objected to a small pond, provided that a fence is put around it before the summer starts.
The treasurer reminded everybody that money is short and that volunteers are needed every weekend.
It was agreed to ask the neighbours for tools and to begin with the northern corner in spring."""


class Library:
    """A vocabulary made of a few texts."""

    def __init__(self, *texts: str) -> None:
        words = (set(reading(1, text).text.split()) for text in texts)
        self.counts = Counter(word for some in words for word in some)

    def frequencies(self, words):
        return [self.counts[word] for word in words]


def reading(id: int, text: str, **more) -> Reading:
    return read(Document(id, content=text, **more))


def relation_of(first: str, second: str, **options) -> Relation:
    return judge(reading(1, first), reading(2, second), Judging(**options)).relation


def misread(text: str, rate: float, seed: int = 1) -> str:
    rng = random.Random(seed)
    swaps = {
        "e": "c",
        "o": "0",
        "l": "1",
        "i": "l",
        "n": "r",
        "u": "v",
        "a": "o",
        "S": "5",
        "t": "f",
    }
    return "".join(swaps.get(c, c + c) if c.isalpha() and rng.random() < rate else c for c in text)


def test_the_same_text_and_the_same_file_are_exact():
    assert relation_of(LETTER, LETTER.upper()) is Relation.EXACT
    pair = judge(reading(1, "", checksum="abc"), reading(2, "quite another", checksum="abc"))
    assert pair.relation is Relation.EXACT
    assert list(map(str, pair.reasons)) == ["the files are identical"]


@pytest.mark.parametrize("rate", [0.01, 0.03, 0.05])
def test_a_rescan_is_near(rate):
    assert relation_of(LETTER, misread(LETTER, rate)) is Relation.NEAR
    assert relation_of(misread(LETTER, rate, 2), misread(LETTER, rate, 3)) is Relation.NEAR


def test_a_stamp_is_no_change():
    pair = judge(reading(1, LETTER), reading(2, "EINGEGANGEN 17.06.2024\n" + LETTER))
    assert pair.relation is Relation.NEAR
    assert any("stamp" in str(reason) for reason in pair.reasons)
    assert any("2024-117" in str(reason) for reason in pair.reasons)


def test_pages_in_another_order_are_near():
    head, tail = LETTER.split("Arbeitspreis")
    assert relation_of(LETTER, "Arbeitspreis" + tail + "\n" + head) is Relation.NEAR


def test_one_confused_digit_is_no_other_document():
    assert relation_of(LETTER, LETTER.replace("5528190", "552B190")) is Relation.NEAR
    assert relation_of(LETTER, LETTER.replace("28.06.2024", "28062024")) is Relation.NEAR


def test_accents_alone_make_no_other_name():
    assert relation_of(LETTER, LETTER.replace("Wiesenweg", "Wiésenweg")) is Relation.NEAR
    assert (
        relation_of(LETTER.replace("Kiel", "Köln"), LETTER.replace("Kiel", "Koln")) is Relation.NEAR
    )


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("5528190", "5523190"),
        ("109,88", "119,88"),
        ("28.06.2024", "29.06.2024"),
        ("Anna", "Anne"),
    ],
)
def test_one_fact_that_differs_between_clean_texts_makes_no_copy(word, other):
    assert relation_of(LETTER, LETTER.replace(word, other)) is not Relation.NEAR


def test_next_months_bill_is_no_duplicate_and_the_answer_says_why():
    found = examine(reading(1, LETTER), reading(2, NEXT_MONTH))
    assert found.pair.relation is Relation.TEMPLATE
    assert "the date differs: 14.06.2024 / 15.07.2024" in map(str, found.pair.reasons)


def test_the_month_alone_tells_two_letters_apart():
    assert relation_of(LETTER, LETTER.replace("Juni", "März")) not in relation.STORED_RELATIONS


def test_the_customers_name_alone_tells_two_letters_apart():
    other = LETTER.replace("Anna Lindqvist", "Peter Brodersen").replace("Lindqvist", "Brodersen")
    library = Library(LETTER, other, "Anna Lindqvist", "Peter Brodersen")
    assert relation_of(LETTER, other, vocabulary=library) not in relation.STORED_RELATIONS


def test_corrected_amounts_make_no_copy_and_are_named():
    corrected = LETTER.replace("80,44", "71,13").replace("92,34", "83,03")
    corrected = corrected.replace("17,54", "15,78").replace("109,88", "98,81")
    pair = judge(reading(1, LETTER), reading(2, corrected), Judging(explain=True))
    assert pair.relation is not Relation.NEAR
    assert any("amount differs: 80,44 / 71,13" in str(reason) for reason in pair.reasons)


def test_the_newer_version_leads():
    old, new = Document(5, created="2024-01-01"), Document(3, created="2024-02-01")
    assert newer(old, new) is new
    assert newer(Document(5, added="2024-01-01"), Document(3, added="2024-02-01")).id == 3
    assert newer(Document(5), Document(3)).id == 5


def test_a_letter_in_a_bundle_is_found_with_its_place():
    pages = [NEXT_MONTH.replace("Lindqvist", f"Kunde{n}").replace("7", str(n)) for n in range(1, 9)]
    bundle = "\n\n".join([PROSE, *pages[:4], LETTER, *pages[4:], PROSE[::-1]])
    found = examine(reading(7, misread(LETTER, 0.01)), reading(4, bundle))
    assert found.pair.relation is Relation.CONTAINS
    assert found.pair.leader == 4
    assert found.place is not None
    held = reading(4, bundle).tokens.text[found.place.start : found.place.end]
    assert "2024-117" in held
    assert len(held) < 1.2 * len(LETTER)


def test_a_quoted_letter_is_contained_in_the_reply():
    reply = f"Anna Lindqvist\n\n3.7.2024\n\n{PROSE}\n\nSie schrieben:\n" + "\n".join(
        "> " + line for line in LETTER.splitlines()
    )
    pair = judge(reading(1, LETTER), reading(2, reply))
    assert (pair.relation, pair.leader) == (Relation.CONTAINS, 2)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("", ""),
        ("", LETTER),
        ("paid " * 500, "paid " * 300),
        ("paid " * 500, "due " * 500),
        ("BUTTER 1.20 TOTAL 1.20 CASH", "BUTTER 1.20 TOTAL 1.20 CARD"),
        (LETTER, PROSE),
    ],
)
def test_what_must_never_be_a_pair(first, second):
    assert relation_of(first, second) not in relation.STORED_RELATIONS


def test_a_translation_is_nothing_for_a_text_method():
    german = PROSE.translate(str.maketrans("aeiou", "uaeio"))
    assert relation_of(PROSE, german) is Relation.RELATED


def test_without_facts_the_text_alone_must_be_convincing():
    worse = misread(PROSE, 0.04, 4)
    assert relation_of(PROSE, worse) is Relation.RELATED
    assert relation_of(PROSE, worse, thresholds=Thresholds(near=0.2)) is Relation.NEAR
    assert relation_of(PROSE, PROSE + " Thank you.") is Relation.NEAR


def test_a_stricter_threshold_believes_less():
    worse = misread(LETTER, 0.03)
    assert relation_of(LETTER, worse, thresholds=Thresholds(similarity_threshold=0.9999)) not in (
        relation.STORED_RELATIONS
    )


def test_chinese_letters_of_one_form_are_told_apart_by_the_name():
    form = (
        "尊敬的{}先生：您位于东湖路的电表已于2024年3月5日抄录，读数为4821度。合同编号FA88213的有效期至"
        "2025年1月7日，如需终止请提前书面通知我们。您的案件由{}负责，上午可拨打分机7731。"
    )
    one, other = form.format("赵建国", "周美玲"), form.format("陈文斌", "吴海涛")
    assert relation_of(one, other) not in relation.STORED_RELATIONS
    assert relation_of(one, one.replace("抄", "抁").replace("终", "络")) is Relation.NEAR


def test_chinese_names_with_a_part_in_common_are_two_names():
    form = (
        "尊敬的{0}先生：您位于东湖路的电表已于2024年3月5日抄录，读数为4821度。合同编号FA88213的有效期至"
        "2025年1月7日，如需终止请提前书面通知我们。此信致{0}先生本人，他人代领时请出示授权书。"
    )
    # Of two alone nothing tells a corrected name from another customer's.
    one, other = form.format("赵建国"), form.format("卫国庆")
    assert relation_of(one, other) not in {Relation.EXACT, Relation.NEAR}
    assert relation_of(one, one.replace("抄", "抁").replace("终", "络")) is Relation.NEAR


@pytest.mark.parametrize(
    ("language", "word", "other"),
    [("hi", "अवधि", "राशि"), ("ar", "الفترة", "المدة"), ("en", "services", "statements")],
)
def test_another_word_makes_no_copy_in_any_script(language, word, other):
    text = letter(language, 1)
    assert relation_of(text, text.replace(word, other)) is not Relation.NEAR


def test_the_judgement_without_explanation_is_the_same():
    texts = [LETTER, NEXT_MONTH, misread(LETTER, 0.03), PROSE, LETTER + PROSE]
    for i, first in enumerate(texts):
        for second in texts[i + 1 :]:
            told = judge(reading(1, first), reading(2, second), Judging(explain=True))
            silent = judge(reading(1, first), reading(2, second))
            assert told.relation is silent.relation
            if told.relation in STORED_RELATIONS:
                assert told.confidence == silent.confidence


def test_compare_shows_the_changes_in_the_order_of_the_text():
    found = compare(reading(1, LETTER), reading(2, NEXT_MONTH))
    changed = [(change.a, change.b) for change in found.changes if not change.same]
    assert changed.index(("2024-117", "2024-163")) < changed.index(("Juni", "Juli"))
    assert all(change.matters for change in found.changes if change.a == "Juni")
    assert "".join(change.a for change in found.changes) == LETTER
    assert "".join(change.b for change in found.changes) == NEXT_MONTH
    assert found.facts_a.total == "109.88"
    assert found.facts_b.dates[0] == "2024-07-15"


def test_scores_are_absent_where_a_side_is():
    scores = judge(reading(1, ""), reading(2, LETTER), Judging(explain=True)).scores
    assert scores.jaccard is None
    assert scores.fuzzy is None
    assert scores.title is None


def test_a_word_that_an_engine_cuts_in_many_documents_is_no_edit() -> None:
    """All of a library's readings by one engine have 'Confidentia'; that makes it no other word."""
    rng = random.Random(5)
    ends = ("ket", "dor", "gan", "lim", "ver", "son", "tal", "nef", "rik", "pul")
    words = [f"{one}{two}" for one in ("mar", "tol", "ben", "sur", "hal") for two in ends]
    before, after = (" ".join(rng.choices(words, k=300)) for _ in range(2))
    text = f"{before} confidential {after}"
    others = [
        " ".join(rng.choices(words, k=60)) + f" {word} "
        for word in ("confidential", "confidentia")
        for _ in range(6)
    ]
    cut = text.replace("confidential", "confidentia")
    judging = Judging(WordTable.of_texts([text, cut, *others]))
    pair = judge(read(Document(1, content=text)), read(Document(2, content=cut)), judging)
    assert pair.relation is Relation.NEAR


def noisy(text: str, seed: int) -> str:
    """Every twentieth letter or so misread."""
    rng = random.Random(seed)
    return "".join(
        rng.choice("abcdeilrn1") if c.isalpha() and rng.random() < 0.05 else c for c in text
    )


def said_of(a: str, b: str, *others: str) -> dict[str, float]:
    words = WordTable.of_texts([a, b, *others]) if others else None
    evidence = weigh(read(Document(1, content=a)), read(Document(2, content=b)), Judging(words))
    return dict(zip(NAMES, evidence.features, strict=True))


def test_a_name_in_place_of_another_is_seen_through_noise() -> None:
    other = LETTER.replace("Anna Lindqvist", "Jörg Petersen").replace("Lindqvist", "Petersen")
    for seed in range(5):
        copy = said_of(LETTER, noisy(LETTER, seed))
        another = said_of(LETTER, noisy(other, seed))
        assert copy["most_unlike"] < 4
        assert another["most_unlike"] > 8
        assert copy["unlike_repeated"] == 0


def test_smears_are_no_other_words() -> None:
    smeared = LETTER.replace("Anna Lindqvist", "aEtR lIrnO").replace("Lindqvist", "iOeTnLr")
    assert said_of(LETTER, smeared)["most_unlike"] == 0


def test_the_codes_dates_and_amounts_that_both_keep_are_counted_apart() -> None:
    corrected = said_of(LETTER, LETTER.replace("80,44", "86,21").replace("109,88", "116,75"))
    assert corrected["amounts_kept"] < 0.9 < corrected["codes_kept"]
    assert corrected["dates_kept"] > 0.9
    another = said_of(LETTER, LETTER.replace("5528190", "6630412").replace("14.06.", "17.06."))
    assert another["amounts_kept"] > 0.9 > another["codes_kept"]
    assert another["dates_kept"] < 0.9


def test_the_rarest_number_that_both_have_tells_how_many_others_have_it() -> None:
    others = [LETTER.replace("14.06.2024", f"{day}.06.2024") for day in range(15, 20)]
    assert said_of(LETTER, LETTER.replace("Juni", "Juli"), *others)["rarest_kept"] == 0
    all_differ = LETTER.replace("14.06.2024", "20.06.2024")
    assert said_of(LETTER, all_differ, *others)["rarest_kept"] > 1


def test_two_characters_are_words_where_others_have_them() -> None:
    """The class of a child, which is all that tells two letters of a school apart."""
    mine, yours = (LETTER.replace("Frau Anna Lindqvist", f"Klasse {name}") for name in ("3c", "1a"))
    alone = said_of(mine, yours)
    assert said_of(mine, yours, mine, yours, mine, yours)["worst"] > max(2, alone["worst"])


def test_a_digit_misread_twice_in_the_same_way_is_another_number() -> None:
    twice = LETTER + "\n5528190"
    once = twice.replace("5528190", "5528790", 1)
    assert said_of(twice, once)["unlike_repeated"] == 0
    assert said_of(twice, twice.replace("5528190", "5528790"))["unlike_repeated"] > 2
