"""Cutting texts up, what they state in any language, and which language that is."""

from __future__ import annotations

import pytest

from paperless_fingerprint.semantic.agreement import (
    Commonness,
    agreement,
    agreements,
    digest,
    names_kept,
)
from paperless_fingerprint.semantic.chunks import chunks
from paperless_fingerprint.semantic.language import detect, named
from paperless_fingerprint.semantic.statements import Kind, statements


def texts_of(text, words=8, most=64):
    return chunks(text, words=words, most=most)


def stated(text, kind=None):
    return {
        reading
        for statement in statements(text).found
        if kind is None or statement.kind is kind
        for reading in statement.readings
    }


# --- chunks ------------------------------------------------------------------------------


def test_sentences_stay_whole_while_they_fit():
    assert texts_of("One two three. Four five. Six seven eight nine ten.") == [
        "One two three. Four five.",
        "Six seven eight nine ten.",
    ]


def test_a_long_sentence_is_cut_and_nothing_is_lost():
    words = [f"w{n}" for n in range(50)]
    pieces = texts_of(" ".join(words))
    assert " ".join(pieces).split() == words
    assert max(len(piece.split()) for piece in pieces) <= 8


def test_a_book_is_sampled_evenly():
    pieces = texts_of(" ".join(f"Sentence number {n} is here." for n in range(1000)), most=10)
    assert len(pieces) == 10
    numbers = [int(piece.split("number ")[1].split()[0]) for piece in pieces]
    assert numbers == sorted(numbers)
    assert numbers[0] < 100
    assert numbers[-1] > 850


def test_scripts_without_spaces_are_cut_too():
    pieces = texts_of("これは長い日本語の文章で、空白がありません。" * 6, words=12)
    assert len(pieces) > 3
    assert max(map(len, pieces)) <= 40


@pytest.mark.parametrize("text", ["", "   \n\n", "123 456,00 --- 7", "!!! ???"])
def test_a_text_without_letters_has_no_chunks(text):
    assert texts_of(text) == []


@pytest.mark.parametrize(
    "text", [" " * 200_000, "\n" * 200_000, "\n \n" * 60_000, "one " * 300_000, ". " * 100_000]
)
def test_what_is_no_prose_is_cut_in_linear_time(text):
    """Each of these took minutes with a pattern that looks back, or a list that is copied."""
    assert len(texts_of(text)) <= 64


def test_one_endless_word_is_not_read_to_its_end():
    assert sum(map(len, texts_of("x" * 1_000_000))) < 1000


# --- statements ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        "5. März 2024", "5 March 2024", "March 5, 2024", "the 5th of March 2024", "5 mars 2024",
        "le 5 mars 2024", "5 de marzo de 2024", "5 marzo 2024", "5 maart 2024", "2024-03-05",
        "5.3.2024", "05/03/2024", "05-03-2024", "05.03.24", "2024年3月5日",
    ],
)  # fmt: skip
def test_a_date_is_the_same_however_it_is_written(written):
    assert "2024-03-05" in stated(f"am {written} geschrieben", Kind.DATE)


def test_a_date_that_can_be_read_in_two_ways_has_both_readings():
    assert stated("05/02/2024", Kind.DATE) == {"2024-02-05", "2024-05-02"}
    assert stated("28/02/2024", Kind.DATE) == {"2024-02-28"}


def test_a_month_and_a_day_without_a_year():
    assert stated("Rechnung für August 2024", Kind.DATE) == {"2024-08"}
    assert stated("until 12 May", Kind.DATE) == {"--05-12"}
    assert stated("you may come, and we may go", Kind.DATE) == set()
    assert stated("31.02.2024 or 2024-13-45", Kind.DATE) == set()


@pytest.mark.parametrize(
    "written",
    ["1.240,50 €", "€1,240.50", "1 240,50 EUR", "1\u00a0240,50 €", "1'240.50 CHF", "1240,50"],
)
def test_an_amount_is_the_same_however_it_is_written(written):
    assert stated(f"Total: {written}", Kind.AMOUNT) == {"1240.50"}


def test_whole_amounts_meet_those_with_cents():
    assert stated("631 €") == stated("631,00 €") == {"631"}


def test_references_and_numbers():
    text = "Rechnung OM-240791, Tel. 612 555 034, Zeichen 318/2024, 11,4 GB von 20"
    assert stated(text, Kind.REFERENCE) == {"om240791", "612555034", "3182024"}
    assert stated(text, Kind.NUMBER) == {"11.4", "20"}
    assert stated("man write_file or openFile", Kind.REFERENCE) == {"write_file", "openfile"}


def test_names_stand_in_the_middle_of_a_sentence():
    text = "Dear Claire Montavon,\nThe house in Montebruno is yours."
    assert stated(text, Kind.NAME) == {"claire", "montavon", "montebruno"}


def test_a_long_text_of_digits_and_dots_is_read_quickly_enough_to_end():
    for text in ("1." * 60_000, "1 " * 60_000, "9" * 100_000, "a1-" * 40_000, "mar " * 40_000):
        statements(text)


# --- agreement -----------------------------------------------------------------------------


def agreed(a, b, common=()):
    one, two = statements(a), statements(b)
    return agreement(digest(one), digest(two), Commonness(common), names_kept(one, two))


BILL_DE = "Rechnung RE-2024-117 vom 5. März 2024\nSumme 1.240,50 €, fällig am 19.03.2024"
BILL_FR = "Facture RE-2024-117 du 5 mars 2024\nTotal 1 240,50 €, à payer avant le 19/03/2024"
NEXT_FR = "Facture RE-2024-158 du 5 avril 2024\nTotal 980,00 €, à payer avant le 19/04/2024"


def test_a_translation_keeps_all_facts():
    found = agreed(BILL_DE, BILL_FR)
    assert found.kept == found.covered == 1
    assert found.conflict == 0
    assert set(found.shared_kinds) == {Kind.DATE, Kind.AMOUNT, Kind.REFERENCE}


def test_next_months_bill_keeps_none():
    found = agreed(BILL_DE, NEXT_FR)
    assert found.kept == 0
    assert found.conflict == 1


def test_what_only_one_side_states_is_no_conflict():
    found = agreed(BILL_DE, BILL_FR + "\nAcompte versé: 300,00 €")
    assert found.kept == 1
    assert 0.7 < found.covered < 1
    assert found.conflict == 0


def test_texts_without_facts_say_so():
    found = agreed("Liebe Anna, alles Gute!", "Dear Anna, all the best!")
    assert found.least == found.kept == found.conflict == 0


def test_what_all_neighbours_state_counts_little():
    form = "Telefon 0711 555 034, Kundennummer 4711-88"
    others = [digest(statements(f"{form}, Betrag {n},35 €")) for n in range(100, 200)]
    alone = agreed(f"{form}, Betrag 20,10 €", f"{form}, Betrag 30,20 €")
    among = agreed(f"{form}, Betrag 20,10 €", f"{form}, Betrag 30,20 €", others)
    assert alone.kept > 0.6
    assert among.kept < 0.3


def test_many_at_once_are_judged_as_one_by_one():
    texts = [BILL_FR, NEXT_FR, "", BILL_DE * 3, "Summe 1.240,50 €", "05/02/2024 und 2024-02-05"]
    digests = [digest(statements(text)) for text in texts]
    common = Commonness(digests)
    for own in digests:
        together = agreements(own, digests, common)
        for place, other in enumerate(digests):
            alone = agreement(own, other, common)
            assert together.least[place] == pytest.approx(alone.least)
            assert together.kept[place] >= alone.kept - 1e-9
            assert together.size_ratio[place] == pytest.approx(alone.size_ratio)


def test_a_digest_of_another_version_says_nothing():
    foreign = b"\x09\0\0\0" + digest(statements(BILL_DE))[4:]
    found = agreement(foreign, digest(statements(BILL_FR)), Commonness([foreign, b""]))
    assert found.least == 0


# --- language ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "de",
            "Sehr geehrte Damen und Herren, anbei erhalten Sie die Rechnung für den Monat März.",
        ),
        ("en", "Dear Sir or Madam, please find enclosed the invoice for the month of March."),
        ("fr", "Madame, Monsieur, veuillez trouver ci-joint la facture du mois de mars."),
        ("es", "Estimados señores: adjunto les enviamos la factura del mes de marzo."),
        ("it", "Gentili signori, in allegato trovate la fattura del mese di marzo."),
        ("nl", "Geachte heer, mevrouw, bijgaand ontvangt u de factuur van de maand maart."),
        ("sv", "Bästa kund, bifogat finner ni fakturan för mars månad som vanligt."),
        ("ja", "拝啓、三月分の請求書を同封いたしますので、ご確認ください。"),
    ],
)
def test_the_language_of_a_letter(language, text):
    assert detect(text) == language
    assert named(language).istitle()


@pytest.mark.parametrize("text", ["", "12.50 € 13/04", "a b c", "§ 12 ... 99"])
def test_too_little_text_has_no_language(text):
    assert detect(text) == ""


def test_the_rest_goes_on_where_the_detector_is_not_installed(monkeypatch):
    from paperless_fingerprint.semantic import language

    monkeypatch.setattr(language, "_identifier", lambda: None)
    assert detect("Sehr geehrte Damen und Herren, anbei die Rechnung.") == ""
    assert not language.is_available()
